//! Inference of one op after another, while a function is built.

use super::{Infer, Known, ShapeError};
use crate::{Func, Literal, Op, ValueId};
use std::mem;

/// The small values that are known so far in a function under construction, for importers whose ops depend on ranks and
/// on the values of operands. Each op is shown to it once, after those that make its operands.
///
/// ```
/// use trident_ir::shape::Stepwise;
/// use trident_ir::{Builder, DType, Dim, Func, Level, Type, ops};
/// let mut func = Func::new("f", Level::Graph);
/// let x = func.value("x", Type::tensor(DType::F32, [Dim::Fixed(3), Dim::sym("n")]));
/// let mut builder = Builder::new(&mut func);
/// let shape = builder.add(ops::Shape::new(x).end(1)).unwrap();
/// let mut steps = Stepwise::default();
/// steps.op(builder.func, &builder.block.ops[0]).unwrap();
/// assert_eq!(steps.ints(shape), Some(vec![3]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stepwise {
    known: Vec<Option<Known>>,
}

impl Stepwise {
    /// Gives the results of an op their types, from those of its operands, and follows their values.
    pub fn op(&mut self, func: &mut Func, op: &Op) -> Result<(), ShapeError> {
        self.known.resize(func.values.len(), None);
        let mut infer = Infer { func, known: mem::take(&mut self.known) };
        let inferred = infer.op(op);
        self.known = infer.known;
        inferred
    }

    /// The elements of a small integer or boolean value, if all are numbers.
    pub fn ints(&self, value: ValueId) -> Option<Vec<i64>> {
        self.known.get(value.index())?.as_ref()?.ints()
    }

    /// A small value, if all its elements are numbers and its type is one that is followed.
    pub fn literal(&self, func: &Func, value: ValueId) -> Option<Literal> {
        self.known.get(value.index())?.as_ref()?.literal(func.ty(value).dtype()?)
    }
}
