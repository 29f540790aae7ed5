//! Facts about values that inference leaves behind.

use super::known::Elem;
use super::{Expr, Known, ShapeError, View, run};
use crate::axes::Axes;
use crate::{Func, Op, ValueId};

/// The small values that follow from shapes and constants, in a function whose types were inferred.
#[derive(Clone, Debug)]
pub struct Facts {
    known: Vec<Option<Known>>,
}

impl Facts {
    /// Infers all types of a function, as [`infer`](super::infer) does.
    pub fn of(func: &mut Func) -> Result<Facts, ShapeError> {
        Ok(Facts { known: run(func)? })
    }

    /// How the axes of the results of an op come from those of its operands. `None` if the op's row states nothing, or
    /// nothing about operands of such types: then every axis mixes.
    pub fn axes(&self, func: &Func, op: &Op) -> Option<Axes> {
        let cx = View { op, func, known: &self.known };
        op.decl().axes?.apply(&cx)
    }

    /// For each element of a small value, whether it may depend on the dimension of this name. `None` if the value is
    /// not followed.
    pub fn depends(&self, value: ValueId, name: &str) -> Option<Vec<bool>> {
        let known = self.known.get(value.index())?.as_ref()?;
        let depends = |elem: &Elem| match elem {
            Elem::Int(expr) => expr.mentions(name),
            Elem::Float(_) => false,
            Elem::Unknown => true,
        };
        Some(known.elems.iter().map(depends).collect())
    }

    /// The elements of a small integer or boolean value, if all are numbers.
    pub fn ints(&self, value: ValueId) -> Option<Vec<i64>> {
        self.known.get(value.index())?.as_ref()?.ints()
    }
}

impl Expr {
    /// Whether it depends on the dimension of this name.
    pub fn mentions(&self, name: &str) -> bool {
        // Whatever the number is, it takes the place of the name if that occurs.
        let occurs = std::cell::Cell::new(false);
        let found = self.substitute(&|other| {
            occurs.set(occurs.get() || other == name);
            None
        });
        occurs.get() || found.is_none()
    }
}
