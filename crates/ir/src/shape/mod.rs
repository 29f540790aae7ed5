//! Type rules of the graph level: symbolic shape inference, which is also the type check of `graph` functions.
//!
//! [`infer`] handles a whole function. A [`Rule`] is for a single op, for devices that must know the results' shapes
//! before a launch ends.
//!
//! Every value's type is refined as far as it follows from the parameters' types: dimensions become numbers or
//! canonical expressions over named dimensions. Small integer values are followed through shape arithmetic. Types that
//! cannot be derived stay unknown; contradictions are errors.

mod bind;
mod check;
mod control;
pub(crate) mod dims;
mod error;
mod expr;
mod facts;
mod known;
mod parse;
mod rule;
mod stepwise;
pub(crate) mod values;
mod view;

pub use bind::bind;
pub use error::ShapeError;
pub use expr::Expr;
pub use facts::Facts;
pub use known::MAX_ELEMS;
pub use rule::{Operand, Rule};
pub use stepwise::Stepwise;

use crate::{Block, Dim, Func, Literal, Op, Shape, TensorType, Type, ValueId};
pub(crate) use known::{Elem, Known, size as elements_of};
use std::collections::HashMap;
use std::mem;
pub(crate) use view::{ShapeRule, Shapes, ValuesRule, View, WholeRule, nothing, one};

/// Refines the types of all values in place, given other (narrower) types for some parameters.
///
/// A dimension name that a given type turns into a number takes that value everywhere. Run it on a
/// copy of the function as loaded for each set of input shapes: types only ever get narrower.
pub fn infer(func: &mut Func, inputs: &HashMap<ValueId, Type>) -> Result<(), ShapeError> {
    bind::bind(func, inputs)?;
    run(func).map(|_| ())
}

/// Infers all types again, and returns the small values that follow from shapes and constants whatever the operands are,
/// by value.
pub fn constants(func: &mut Func) -> Result<HashMap<ValueId, Literal>, ShapeError> {
    let known = run(func)?;
    let literal = |(i, known): (usize, Option<Known>)| {
        let value = ValueId(i as u32);
        Some((value, known?.literal(func.ty(value).dtype()?)?))
    };
    Ok(known.into_iter().enumerate().filter_map(literal).collect())
}

fn run(func: &mut Func) -> Result<Vec<Option<Known>>, ShapeError> {
    let body = mem::take(&mut func.body);
    let known = vec![None; func.values.len()];
    let mut infer = Infer { func, known };
    let result = infer.block(&body);
    let known = infer.known;
    func.body = body;
    result.map(|()| known)
}

/// Gives the results of one op their types, from those of its operands: for passes that make ops.
pub fn infer_op(
    func: &mut Func,
    op: &Op,
    constants: &dyn Fn(ValueId) -> Option<Literal>,
) -> Result<(), ShapeError> {
    let mut known = vec![None; func.values.len()];
    for v in op.used() {
        known[v.index()] = constants(v).as_ref().and_then(Known::of);
    }
    Infer { func, known }.op(op)
}

/// A run over a function.
struct Infer<'f> {
    func: &'f mut Func,
    /// Values followed.
    known: Vec<Option<Known>>,
}

impl Infer<'_> {
    fn block(&mut self, block: &Block) -> Result<(), ShapeError> {
        block.ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Result<(), ShapeError> {
        check::operands(op, self.func)?;
        if !op.regions.is_empty() {
            return self.control(op);
        }
        let mut types = self
            .func
            .result_types(op)
            .map_err(|source| ShapeError::Type { op: op.name().into(), source })?;
        let view = View { op, func: self.func, known: &self.known };
        match op.decl().whole.map_or(Ok(None), |whole| whole(&view))? {
            Some(ty) => types = vec![Some(ty)],
            None => {
                let shapes = op.decl().shape.map_or_else(nothing, |shape| shape(&view))?;
                for (ty, shape) in types.iter_mut().zip(shapes) {
                    if let (Some(Type::Tensor(t)), Some(shape)) = (ty, shape) {
                        t.shape = Some(shape);
                    }
                }
            }
        }
        let values = values::evaluate(&view);
        for (out, ty) in op.outputs.iter().zip(types) {
            if let (Some(out), Some(ty)) = (out, ty) {
                self.func.values[out.index()].ty = ty;
            }
        }
        for (out, value) in op.outputs.iter().zip(values) {
            if let Some(out) = out {
                self.follow(*out, value);
            }
        }
        Ok(())
    }

    /// Records the value of a result, if it agrees with its shape.
    fn follow(&mut self, value: ValueId, known: Option<Known>) {
        let fits = |k: &Known| match self.func.ty(value).dims() {
            Some(dims) => dims == k.dims,
            None => true,
        };
        self.known[value.index()] = known.filter(|k| !k.is_unknown() && fits(k));
    }
}

/// The type of a value that is of both types; `None` if it cannot be.
pub fn unify(a: &Type, b: &Type) -> Option<Type> {
    Some(match (a, b) {
        (Type::Tensor(a), Type::Tensor(b)) => {
            if a.dtype != b.dtype {
                return None;
            }
            let shape = match (&a.shape, &b.shape) {
                (Some(a), Some(b)) => Some(zip(a, b, dims::unify)?),
                (Some(s), None) | (None, Some(s)) => Some(s.clone()),
                (None, None) => None,
            };
            Type::Tensor(TensorType { dtype: a.dtype, shape })
        }
        (Type::Seq(a), Type::Seq(b)) => Type::Seq(Box::new(unify(a, b)?)),
        (Type::Optional(a), Type::Optional(b)) => Type::Optional(Box::new(unify(a, b)?)),
        (Type::Map(k, a), Type::Map(l, b)) if k == l => Type::Map(*k, Box::new(unify(a, b)?)),
        _ => return None,
    })
}

/// The type of a value that is of one type or the other; `None` if they are of different kinds.
pub(crate) fn join(a: &Type, b: &Type) -> Option<Type> {
    Some(match (a, b) {
        (Type::Tensor(a), Type::Tensor(b)) => {
            if a.dtype != b.dtype {
                return None;
            }
            let both = a.shape.as_ref().zip(b.shape.as_ref());
            let shape = both.and_then(|(a, b)| zip(a, b, |a, b| Some(dims::join(a, b))));
            Type::Tensor(TensorType { dtype: a.dtype, shape })
        }
        (Type::Seq(a), Type::Seq(b)) => Type::Seq(Box::new(join(a, b)?)),
        (Type::Optional(a), Type::Optional(b)) => Type::Optional(Box::new(join(a, b)?)),
        (Type::Map(k, a), Type::Map(l, b)) if k == l => Type::Map(*k, Box::new(join(a, b)?)),
        _ => return None,
    })
}

/// Combines shapes of the same rank.
fn zip(a: &[Dim], b: &[Dim], f: impl Fn(&Dim, &Dim) -> Option<Dim>) -> Option<Shape> {
    if a.len() != b.len() {
        return None;
    }
    a.iter().zip(b).map(|(a, b)| f(a, b)).collect()
}
