//! The order of memory that atomic ops ask for.

use trident_ir::{Op, OpKind as K, ops};

/// The order and the scope of an atomic op, by their names in the op table.
#[derive(Clone, Copy, Debug)]
pub struct Ordering<'a> {
    /// `relaxed`, `acquire`, `release` or `acq_rel`.
    pub order: &'a str,
    /// `cta`, `gpu` or `sys`.
    pub scope: &'a str,
}

impl<'a> Ordering<'a> {
    /// Of an atomic op; `None` of any other.
    pub fn of(op: &'a Op) -> Option<Ordering<'a>> {
        let (order, scope) = match op.kind {
            K::AtomicRmw => ops::AtomicRmw::of(op).map(|op| (op.order(), op.scope()))?,
            K::AtomicCas => ops::AtomicCas::of(op).map(|op| (op.order(), op.scope()))?,
            K::AtomicLoad => ops::AtomicLoad::of(op).map(|op| (op.order(), op.scope()))?,
            K::AtomicStore => ops::AtomicStore::of(op).map(|op| (op.order(), op.scope()))?,
            K::AtomicPoll => ops::AtomicPoll::of(op).map(|op| (op.order(), op.scope()))?,
            _ => return None,
        };
        Some(Ordering { order, scope })
    }
}
