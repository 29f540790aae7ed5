//! Typed views of ops, and typed changes to them: what the rows of the op table become.

use super::AttrDecl;
use super::kinds::AttrType;
use crate::{Attr, AttrName, Op, OpKind, ValueId, verify};
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
pub(crate) fn attr<K: AttrType>(op: &Op, name: AttrName<K>) -> K::View<'_> {
    op.attrs.named(name).and_then(K::read).unwrap_or_else(|| {
        let declared = op.decl().attr(name.text());
        K::default(declared.map_or(super::Default::Absent(K::STORED), |attr| attr.default))
    })
}

/// The attribute as set.
pub(crate) fn optional<K: AttrType>(op: &Op, name: AttrName<K>) -> Option<K::View<'_>> {
    op.attrs.named(name).and_then(K::read)
}

/// The attribute as set, or the declared default; `None` if it is absent or of another kind.
pub(crate) fn set_or_declared<K: AttrType>(op: &Op, name: AttrName<K>) -> Option<K::View<'_>> {
    let declared = op.decl().attr(name.text())?;
    match op.attrs.named(name) {
        Some(value) => K::read(value),
        None => declared.default_value().map(|_| K::default(declared.default)),
    }
}

/// The value of an attribute as set, or its declared default.
pub(crate) fn value(op: &Op, attr: &AttrDecl) -> Option<Attr> {
    op.attrs.get(attr).cloned().or_else(|| attr.default_value())
}

/// How errors show the value of an attribute.
pub(crate) fn shown<K>(op: &Op, name: AttrName<K>) -> String {
    let value = op.decl().attr(name.text()).and_then(|attr| value(op, attr));
    value.map_or("absent".into(), |value| value.to_string())
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
pub(crate) fn new<V>(kind: OpKind, inputs: Vec<Option<ValueId>>, many: &[ValueId]) -> New<V> {
    Set { op: with_operands(kind, inputs, many), view: PhantomData }
}

/// The part of [`new`] that is compiled once, not for each view.
fn with_operands(kind: OpKind, mut inputs: Vec<Option<ValueId>>, many: &[ValueId]) -> Op {
    inputs.extend(many.iter().copied().map(Some));
    while inputs.last() == Some(&None) {
        inputs.pop();
    }
    Op::new(kind, inputs, vec![])
}

/// An op whose attributes are to be changed; `None` if it is of another kind.
pub(crate) fn edit<V>(op: &mut Op, kind: OpKind) -> Option<Set<V, &mut Op>> {
    (op.kind == kind).then_some(Set { op, view: PhantomData })
}

impl<V, O: BorrowMut<Op>> Set<V, O> {
    pub(crate) fn put<K: AttrType>(mut self, name: AttrName<K>, value: K::Value) -> Set<V, O> {
        self.op.borrow_mut().attrs.put(name, value);
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
