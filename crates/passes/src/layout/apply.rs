//! Rewrites an op to its form for a layout, between conversions.

use super::{Chosen, Layouts, Places, Sides};
use crate::rewrite::{Change, Rewriter, instead, placed, result};
use trident_ir::{Op, ValueId, ops};

/// An op that was chosen to run in the layout. Its operands are packed, and its result is unpacked; conversions between neighbours that
/// both run in the layout are left to [`super::cancel`].
pub(super) fn apply(
    cx: &mut Rewriter<'_>,
    op: &Op,
    layouts: &Layouts,
    chosen: &Chosen,
) -> Option<Change> {
    let sides = *chosen.get(&result(op)?)?;
    let Sides { read, write } = sides;
    let places = Places::of(op, layouts)?;
    let mut new = match layouts.listed(op.kind) {
        Some(listed) => (listed.make)(op, layouts, sides)?,
        None => op.clone(),
    };
    let (axis, block) = (i64::try_from(layouts.axis).ok()?, i64::try_from(layouts.block).ok()?);
    let operands: Vec<(usize, ValueId)> = places.values(cx.func, op).collect();
    for (place, value) in operands.into_iter().filter(|_| read) {
        new.inputs[place] = Some(cx.emit(ops::Pack::new(value).axis(axis).block(block))?);
    }
    if !write {
        return Some(Change::Op(placed(op, new)));
    }
    let packed = cx.emit_op(new)?;
    Some(instead(op, ops::Unpack::new(packed).axis(axis).block(block)))
}
