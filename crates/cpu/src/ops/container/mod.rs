//! Sequences and optional values.

mod join;
mod optional;
mod sequence;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for an op on sequences or optional values.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    Some(match cx.op.kind {
        OpKind::ConcatFromSequence => Plain::boxed("concat_from_sequence", join::concat),
        OpKind::SplitToSequence => Plain::boxed("split_to_sequence", join::split),
        OpKind::Optional => Plain::boxed("optional", optional::wrap),
        OpKind::OptionalGetElement => Plain::boxed("optional_get_element", optional::get),
        OpKind::OptionalHasElement => Plain::boxed("optional_has_element", optional::has),
        OpKind::SequenceAt => Plain::boxed("sequence_at", sequence::at),
        OpKind::SequenceConstruct => Plain::boxed("sequence_construct", sequence::construct),
        OpKind::SequenceEmpty => Plain::boxed("sequence_empty", sequence::empty),
        OpKind::SequenceErase => Plain::boxed("sequence_erase", sequence::erase),
        OpKind::SequenceInsert => Plain::boxed("sequence_insert", sequence::insert),
        OpKind::SequenceLength => Plain::boxed("sequence_length", sequence::length),
        _ => return None,
    })
}
