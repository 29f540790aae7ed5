//! Sequences and optional values.

mod join;
mod optional;
mod sequence;

use crate::kernel::{Entry, Prepared, entry};
use trident_ir::ops::{
    ConcatFromSequence, Optional, OptionalGetElement, OptionalHasElement, SequenceAt,
    SequenceConstruct, SequenceEmpty, SequenceErase, SequenceInsert, SequenceLength,
    SplitToSequence,
};

pub(super) const KERNELS: &[Entry] = &[
    entry(ConcatFromSequence::KIND, join::concat),
    entry(SplitToSequence::KIND, join::split),
    entry(Optional::KIND, |cx| Prepared::boxed(cx, optional::wrap)),
    entry(OptionalGetElement::KIND, |cx| Prepared::boxed(cx, optional::get)),
    entry(OptionalHasElement::KIND, |cx| Prepared::boxed(cx, optional::has)),
    entry(SequenceAt::KIND, |cx| Prepared::boxed(cx, sequence::at)),
    entry(SequenceConstruct::KIND, |cx| Prepared::boxed(cx, sequence::construct)),
    entry(SequenceEmpty::KIND, |cx| Prepared::boxed(cx, sequence::empty)),
    entry(SequenceErase::KIND, |cx| Prepared::boxed(cx, sequence::erase)),
    entry(SequenceInsert::KIND, |cx| Prepared::boxed(cx, sequence::insert)),
    entry(SequenceLength::KIND, |cx| Prepared::boxed(cx, sequence::length)),
];
