//! Pooling over windows, planes and regions.

mod regions;
mod unpool;
mod windows;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for a pooling op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    Some(match cx.op.kind {
        OpKind::AveragePool => Plain::boxed("average_pool", windows::average),
        OpKind::GlobalAveragePool => Plain::boxed("global_average_pool", windows::global_average),
        OpKind::GlobalLpPool => Plain::boxed("global_lp_pool", windows::global_lp),
        OpKind::GlobalMaxPool => Plain::boxed("global_max_pool", windows::global_max),
        OpKind::LpPool => Plain::boxed("lp_pool", windows::lp),
        OpKind::MaxPool => Plain::boxed("max_pool", windows::max),
        OpKind::MaxRoiPool => Plain::boxed("max_roi_pool", regions::max),
        OpKind::MaxUnpool => Plain::boxed("max_unpool", unpool::run),
        _ => return None,
    })
}
