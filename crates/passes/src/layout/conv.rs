//! Convolutions of 8-bit numbers in blocks of channels.

use super::{Layouts, Sides};
use trident_ir::{Op, ops};

/// `qlinear_conv` as the op that reads or writes blocks of channels.
pub fn blocked_qlinear_conv(op: &Op, layouts: &Layouts, sides: Sides) -> Option<Op> {
    let conv = ops::QLinearConv::of(op)?;
    let block = i64::try_from(layouts.block).ok()?;
    let new = ops::BlockedQLinearConv::new(
        conv.x(),
        conv.x_scale(),
        conv.x_zero_point(),
        conv.w(),
        conv.w_scale(),
        conv.w_zero_point(),
        conv.y_scale(),
        conv.y_zero_point(),
        conv.b(),
    );
    let mut new = Op { attrs: op.attrs.clone(), loc: op.loc.clone(), ..new.into_op() };
    let mut sided = ops::BlockedQLinearConv::edit(&mut new)?;
    if sides.read {
        sided = sided.x_block(block);
    }
    if sides.write {
        sided.y_block(block);
    }
    Some(new)
}
