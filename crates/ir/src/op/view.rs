//! Typed views of ops, and typed changes to them: what the rows of the op table become.

use super::kinds::AttrType;
use crate::{Op, OpKind, ValueId, verify};
use std::borrow::BorrowMut;
use std::marker::PhantomData;

/// Whether the op is of this kind and has the operands and attributes that its row asks for.
pub(crate) fn fits(op: &Op, kind: OpKind) -> bool {
    op.kind == kind && verify::operands(op).is_ok() && verify::attributes(op).is_ok()
}

/// The operand at a place; of an op that fits its row.
pub(crate) fn operand(op: &Op, at: usize) -> ValueId {
    op.input(at).unwrap_or(ValueId(0))
}

/// The operands from a place on.
pub(crate) fn operands(op: &Op, at: usize) -> impl ExactSizeIterator<Item = ValueId> + '_ {
    (at..op.inputs.len().max(at)).map(move |i| operand(op, i))
}

/// The results from a place on.
pub(crate) fn results(op: &Op, at: usize) -> &[Option<ValueId>] {
    op.outputs.get(at..).unwrap_or_default()
}

/// The attribute as set, or the declared default; of an op that fits its row.
pub(crate) fn attr<'a, K: AttrType>(op: &'a Op, name: &str) -> K::View<'a> {
    op.attrs.get(name).and_then(K::read).unwrap_or_else(|| {
        let declared = op.decl().attr(name);
        K::default(declared.map_or(super::Default::Absent(K::STORED), |attr| attr.default))
    })
}

/// The attribute as set.
pub(crate) fn optional<'a, K: AttrType>(op: &'a Op, name: &str) -> Option<K::View<'a>> {
    op.attrs.get(name).and_then(K::read)
}

/// An op whose attributes are set by the names in its row: a new one, or one that exists. `V` is its view.
#[derive(Debug)]
pub struct Set<V, O = Op> {
    op: O,
    view: PhantomData<V>,
}

/// An op that a builder has not yet placed.
pub type New<V> = Set<V, Op>;

/// An op with these operands, without the empty places at their end.
pub(crate) fn new<V>(kind: OpKind, mut inputs: Vec<Option<ValueId>>, many: &[ValueId]) -> New<V> {
    inputs.extend(many.iter().copied().map(Some));
    while inputs.last() == Some(&None) {
        inputs.pop();
    }
    Set { op: Op::new(kind, inputs, vec![]), view: PhantomData }
}

/// An op whose attributes are to be changed; `None` if it is of another kind.
pub(crate) fn edit<V>(op: &mut Op, kind: OpKind) -> Option<Set<V, &mut Op>> {
    (op.kind == kind).then_some(Set { op, view: PhantomData })
}

impl<V, O: BorrowMut<Op>> Set<V, O> {
    pub(crate) fn put<K: AttrType>(mut self, name: &'static str, value: K::Value) -> Set<V, O> {
        self.op.borrow_mut().attrs.set(name, K::store(value));
        self
    }

    /// The op.
    pub fn as_op(&self) -> &Op {
        self.op.borrow()
    }
}

impl<V> New<V> {
    /// The op, without results.
    pub fn into_op(self) -> Op {
        self.op
    }
}

impl<V> From<New<V>> for Op {
    fn from(new: New<V>) -> Op {
        new.into_op()
    }
}
