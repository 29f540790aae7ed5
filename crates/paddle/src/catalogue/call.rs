//! An op of a program that is being turned into graph ops.

use super::field::Field;
use super::graph::Graph;
use super::{MOST_PARTS, Old, Row};
use crate::error::PaddleErrorKind;
use crate::program::{Args, Attr, Form, Op, Program, TensorInfo, Var, VarType};
use std::ops::{Deref, DerefMut};
use trident_ir::{DType, ValueId};

/// The value of a variable of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bound {
    /// A tensor, or a sequence for a tensor array.
    Value(ValueId),
    /// A list, as `combine` makes them.
    List(Vec<ValueId>),
    /// A parameter that the file does not have, or a variable that nothing has written.
    Absent,
}

/// An argument of an op.
#[derive(Clone, Debug)]
pub(crate) enum Given<'a> {
    /// A tensor.
    Tensor(ValueId),
    /// A list of tensors.
    List(Vec<ValueId>),
    /// An attribute.
    Attr(&'a Attr),
}

/// A result of a row's function.
#[derive(Clone, Debug)]
pub(crate) enum Out {
    /// A tensor.
    Tensor(ValueId),
    /// A list of tensors.
    List(Vec<ValueId>),
    /// Nothing: a result of training.
    Nothing,
}

/// The results of a row's function, in the order of the row.
pub(crate) struct Outputs(pub(crate) Vec<Out>);

impl From<ValueId> for Outputs {
    fn from(value: ValueId) -> Outputs {
        Outputs(vec![Out::Tensor(value)])
    }
}

impl From<Vec<Out>> for Outputs {
    fn from(outs: Vec<Out>) -> Outputs {
        Outputs(outs)
    }
}

impl<const N: usize> From<[ValueId; N]> for Outputs {
    fn from(values: [ValueId; N]) -> Outputs {
        Outputs(values.into_iter().map(Out::Tensor).collect())
    }
}

impl From<Vec<ValueId>> for Outputs {
    /// One result that is a list.
    fn from(values: Vec<ValueId>) -> Outputs {
        Outputs(vec![Out::List(values)])
    }
}

/// An op, with the graph that it is added to.
pub(crate) struct Call<'c, 'f> {
    graph: &'c mut Graph<'f>,
    program: &'c Program,
    bound: &'c [Option<Bound>],
    op: &'c Op,
    row: &'static Row,
    old: Option<&'static Old>,
}

impl<'f> Deref for Call<'_, 'f> {
    type Target = Graph<'f>;

    fn deref(&self) -> &Graph<'f> {
        self.graph
    }
}

impl<'f> DerefMut for Call<'_, 'f> {
    fn deref_mut(&mut self) -> &mut Graph<'f> {
        self.graph
    }
}

impl<'c, 'f> Call<'c, 'f> {
    /// An op of a program. `old` are the slots of a `ProgramDesc` where they do not follow from the row.
    pub(crate) fn new(
        graph: &'c mut Graph<'f>,
        program: &'c Program,
        bound: &'c [Option<Bound>],
        op: &'c Op,
        (row, old): (&'static Row, Option<&'static Old>),
    ) -> Call<'c, 'f> {
        Call { graph, program, bound, op, row, old }
    }

    /// The error for a part of an op that is not supported.
    pub(crate) fn refuse<T>(&self, reason: impl Into<String>) -> Result<T, PaddleErrorKind> {
        Err(PaddleErrorKind::Unsupported(reason.into()))
    }

    /// The results, as the row's function makes them.
    pub(crate) fn build(&mut self) -> Result<Outputs, PaddleErrorKind> {
        if let Some(name) = super::unread::find(self.op, self.row, self.old) {
            return self.refuse(format!("attribute `{name}` is not supported"));
        }
        (self.row.build)(self)
    }

    /// The value of an operand or attribute.
    pub(super) fn field<T: Field>(
        &mut self,
        name: &'static str,
        default: Option<T>,
    ) -> Result<T, PaddleErrorKind> {
        let Some(given) = self.given(name)? else {
            return match default.or_else(T::missing) {
                Some(value) => Ok(value),
                None => self.refuse(format!("`{name}` is missing")),
            };
        };
        let kind = match &given {
            Given::Tensor(_) => "a tensor",
            Given::List(_) => "a list of tensors",
            Given::Attr(attr) => attr.kind(),
        };
        match T::read(self, given)? {
            Some(value) => Ok(value),
            None => self.refuse(format!("`{name}` is {kind}, expected: {}", T::KIND)),
        }
    }

    fn given(&self, name: &str) -> Result<Option<Given<'c>>, PaddleErrorKind> {
        let op = self.op;
        match &op.operands {
            Args::Positions(_) => {
                let at = self.row.operands.iter().position(|operand| operand.name == name);
                match at.and_then(|at| op.operands.at(at)) {
                    Some(var) => self.bound(var, name),
                    None => Ok(op.attr(name).map(Given::Attr)),
                }
            }
            Args::Slots(_) => {
                if let Some(places) = self.old.and_then(|old| old.places(name)) {
                    for place in places {
                        let found = match place.strip_prefix('.') {
                            Some(attr) => {
                                let given = op.attr(attr).filter(|attr| !is_empty(attr));
                                // An attribute may be a variable.
                                given
                                    .map_or_else(|| self.slot(attr), |a| Ok(Some(Given::Attr(a))))?
                            }
                            None => self.slot(place)?,
                        };
                        if found.is_some() {
                            return Ok(found);
                        }
                    }
                    return Ok(None);
                }
                let slot = self.slot(&slot_of(name))?;
                // Ops that are younger than PIR have slots by the names of their operands.
                let slot = slot.map_or_else(|| self.slot(name), |slot| Ok(Some(slot)))?;
                Ok(slot.or_else(|| op.attr(name).map(Given::Attr)))
            }
        }
    }

    fn slot(&self, slot: &str) -> Result<Option<Given<'c>>, PaddleErrorKind> {
        let vars: Vec<Var> = self.op.operands.slot(slot).iter().copied().flatten().collect();
        match vars[..] {
            [] => Ok(None),
            [var] => self.bound(var, slot),
            _ => {
                let mut values = vec![];
                for var in vars {
                    match self.bound(var, slot)? {
                        Some(Given::Tensor(value)) => values.push(value),
                        Some(Given::List(list)) => values.extend(list),
                        _ => {}
                    }
                }
                Ok(Some(Given::List(values)))
            }
        }
    }

    fn bound(&self, var: Var, name: &str) -> Result<Option<Given<'c>>, PaddleErrorKind> {
        match self.bound.get(var.index()).and_then(Option::as_ref) {
            Some(Bound::Value(value)) => Ok(Some(Given::Tensor(*value))),
            Some(Bound::List(values)) => Ok(Some(Given::List(values.clone()))),
            Some(Bound::Absent) if self.program.var(var).ty == VarType::Nothing => Ok(None),
            Some(Bound::Absent) => {
                let variable = &self.program.var(var).name;
                self.refuse(format!(
                    "operand `{name}` is `{variable}`, which has no data in the file"
                ))
            }
            None => {
                let variable = &self.program.var(var).name;
                self.refuse(format!("operand `{name}` is `{variable}`, which no op has given"))
            }
        }
    }

    /// The type that the program declares for a result, if it is a tensor.
    pub(crate) fn declared(&self, result: usize) -> Option<&'c TensorInfo> {
        let var = match &self.op.results {
            Args::Positions(_) => self.op.results.at(result),
            Args::Slots(_) => {
                let name = self.row.results.get(result)?;
                result_slot(self.op, name, self.old).first().copied().flatten()
            }
        };
        match &self.program.var(var?).ty {
            VarType::Tensor(info) => Some(info),
            _ => None,
        }
    }

    /// The number of variables of a result that is a list.
    pub(crate) fn declared_len(&self, result: usize) -> Option<usize> {
        match &self.op.results {
            Args::Positions(_) => match &self.program.var(self.op.results.at(result)?).ty {
                VarType::List(items) => Some(items.len()),
                _ => None,
            },
            Args::Slots(_) => {
                let name = self.row.results.get(result)?;
                Some(result_slot(self.op, name, self.old).len())
            }
        }
    }

    /// The number of items of the first result, a list that has `n` of them.
    pub(crate) fn count(&self, n: i64) -> Result<usize, PaddleErrorKind> {
        match (self.declared_len(0), usize::try_from(n)) {
            (Some(declared), Ok(n)) if declared == n => Ok(n),
            (Some(declared), _) => {
                self.refuse(format!("it has {n} results, and the program names {declared}"))
            }
            (None, Ok(n)) if n <= MOST_PARTS as usize => Ok(n),
            (None, _) => self.refuse(format!("it has {n} results, expected 0 to {MOST_PARTS}")),
        }
    }

    /// Whether the program is of Paddle 2. Development builds of that time state version 0.
    pub(crate) fn is_of_paddle_2(&self) -> bool {
        self.program.form == Form::ProgramDesc && self.program.version < 3_000_000
    }

    /// The declared element type of the first result.
    pub(crate) fn declared_dtype(&self) -> Option<DType> {
        self.declared(0)?.dtype
    }

    /// The variables of each result of an op in a `ProgramDesc`.
    pub(crate) fn slots_of_results(op: &Op, row: &Row, old: Option<&Old>) -> Vec<Vec<Option<Var>>> {
        row.results.iter().map(|name| result_slot(op, name, old).to_vec()).collect()
    }
}

/// The variables of a result.
fn result_slot<'o>(op: &'o Op, name: &str, old: Option<&Old>) -> &'o [Option<Var>] {
    let renamed = old.and_then(|old| old.places(name)?.next());
    let slot = match renamed {
        Some(slot) => op.results.slot(slot),
        None => op.results.slot(&slot_of(name)),
    };
    if slot.is_empty() { op.results.slot(name) } else { slot }
}

/// Whether an attribute has the form of one that is not set, so that the next place counts.
pub(super) fn is_empty(attr: &Attr) -> bool {
    match attr {
        Attr::Text(text) => text.is_empty(),
        Attr::Bools(values) => values.is_empty(),
        Attr::Ints(values) => values.is_empty(),
        Attr::Floats(values) => values.is_empty(),
        Attr::Texts(values) => values.is_empty(),
        Attr::List(values) => values.is_empty(),
        _ => false,
    }
}

/// The slot of a `ProgramDesc` that a parameter has unless the row says otherwise: `saved_mean` is in `SavedMean`.
fn slot_of(name: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split('_').map(capital).collect()
}
