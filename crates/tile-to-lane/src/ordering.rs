//! The order of memory that programs ask for.

use trident_ir::op::words::MemoryOrder;
use trident_ir::{Block, Op, OpKind as K, ops};
use trident_tile_analysis::is_volatile;

use super::plan::is_atomic;

/// Whether programs store data that they may publish to others by atomic ops.
pub(super) fn is_ordered(body: &Block) -> bool {
    let (mut stores, mut orders) = (false, false);
    body.walk(&mut |op| {
        stores |= op.kind == K::Store;
        orders |= is_ordering(op);
        orders |= op.kind == K::While && watches(op);
    });
    stores && orders
}

/// Whether a loop reads what other programs may write meanwhile.
pub(super) fn watches(op: &Op) -> bool {
    let mut watches = false;
    for region in &op.regions {
        region.walk(&mut |op| watches |= is_atomic(op.kind) || is_volatile(op));
    }
    watches
}

/// Whether the op is an atomic access that orders others.
fn is_ordering(op: &Op) -> bool {
    let asked = ops::Ordered::of(op).filter(|_| is_atomic(op.kind));
    asked.is_some_and(|asked| asked.order() != MemoryOrder::Relaxed)
}
