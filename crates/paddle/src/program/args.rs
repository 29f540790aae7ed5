//! Operands and results of ops.

use super::Var;
use std::rc::Rc;

/// A slot of a `ProgramDesc`: its name and its variables.
pub(crate) type Slot = (Rc<str>, Box<[Option<Var>]>);

/// The operands or the results of an op.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Args {
    /// Of PIR, and of the ops that have one form: by position, `None` where an optional one is left out. A list is one
    /// variable, of type [`VarType::List`](super::VarType::List).
    Positions(Box<[Option<Var>]>),
    /// Of a `ProgramDesc`: by slot. `None` are variables of operands that nothing has written, and of results that
    /// are not named.
    Slots(Box<[Slot]>),
}

impl Args {
    /// By position: the argument, if it is given.
    pub(crate) fn at(&self, position: usize) -> Option<Var> {
        match self {
            Args::Positions(vars) => vars.get(position).copied().flatten(),
            Args::Slots(_) => None,
        }
    }

    /// By slot: its variables, none if the op does not have the slot.
    pub(crate) fn slot(&self, name: &str) -> &[Option<Var>] {
        match self {
            Args::Positions(_) => &[],
            Args::Slots(slots) => {
                slots.iter().find(|(known, _)| &**known == name).map_or(&[], |(_, vars)| vars)
            }
        }
    }

    /// The number of positions or slots, those of arguments that are left out included.
    pub(crate) fn len(&self) -> usize {
        match self {
            Args::Positions(vars) => vars.len(),
            Args::Slots(slots) => slots.len(),
        }
    }

    /// All arguments that are given.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Var> + '_ {
        let (positions, slots): (&[_], &[_]) = match self {
            Args::Positions(vars) => (vars, &[]),
            Args::Slots(slots) => (&[], slots),
        };
        positions.iter().chain(slots.iter().flat_map(|(_, vars)| &**vars)).flatten().copied()
    }
}

impl Default for Args {
    fn default() -> Args {
        Args::Positions(Box::default())
    }
}

impl FromIterator<Var> for Args {
    fn from_iter<T: IntoIterator<Item = Var>>(vars: T) -> Args {
        Args::Positions(vars.into_iter().map(Some).collect())
    }
}
