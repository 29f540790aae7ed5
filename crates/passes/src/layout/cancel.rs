//! Conversions that undo each other.

use super::same_axis;
use crate::rewrite::{Change, Rewriter};
use trident_ir::{Op, OpKind as K, ops};

/// `pack(unpack(x))` as `x`.
pub(super) fn pack(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let pack = ops::Pack::of(op)?;
    let unpack = cx.made_by(pack.x(), K::Unpack)?;
    let unpack = ops::Unpack::of(&unpack)?;
    let same =
        pack.block() == unpack.block() && same_axis(pack.axis(), unpack.axis(), cx.rank(pack.x())?);
    same.then(|| Change::Values(vec![Some(unpack.x())]))
}

/// `unpack(pack(x))` as `x`.
pub(super) fn unpack(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let unpack = ops::Unpack::of(op)?;
    let pack = cx.made_by(unpack.x(), K::Pack)?;
    let pack = ops::Pack::of(&pack)?;
    let same =
        pack.block() == unpack.block() && same_axis(pack.axis(), unpack.axis(), cx.rank(pack.x())?);
    same.then(|| Change::Values(vec![Some(pack.x())]))
}
