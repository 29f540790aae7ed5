//! Kernels of the graph ops, by the op table's groups.

mod container;
mod contract;
mod convert;
mod elementwise;
mod image;
mod lowered;
mod ml;
mod moves;
mod pool;
mod quant;
mod random;
mod recurrent;
mod reduce;
mod signal;
mod text;
mod train;

use crate::kernel::{Compile, Entry, Kernel, Make};
use std::collections::HashMap;
use std::sync::LazyLock;
use trident_ir::OpKind;
use trident_ir::op::Group;
use trident_runtime::Declined;

/// The families' lists of kernels.
const FAMILIES: &[&[Entry]] = &[
    container::KERNELS,
    elementwise::KERNELS,
    ml::KERNELS,
    moves::KERNELS,
    random::KERNELS,
    reduce::KERNELS,
    signal::KERNELS,
    text::KERNELS,
    train::KERNELS,
];

/// The kernels of the lists, by their ops.
static KERNELS: LazyLock<HashMap<OpKind, Make>> =
    LazyLock::new(|| FAMILIES.iter().copied().flatten().map(|e| (e.kind, e.make)).collect());

/// The kernel for an op.
pub(crate) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
    if let Some(make) = KERNELS.get(&cx.op.kind) {
        return make(cx);
    }
    let found = match cx.op.decl().group {
        Group::Elementwise => Some(elementwise::compiled::kernel(cx)?),
        Group::Fused => Some(lowered::kernel(cx)?),
        Group::Contract => contract::kernel(cx)?,
        Group::Pool => pool::kernel(cx),
        Group::Image => image::kernel(cx),
        Group::Recurrent => recurrent::kernel(cx),
        Group::Quant => quant::kernel(cx),
        _ => None,
    };
    found.ok_or_else(|| cx.declined("there is no kernel for it"))
}
