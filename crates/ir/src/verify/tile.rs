//! The rules of the tile level: exact types, parameters and results of regions, and the effects allowed in regions.

use super::{Violation, region};
use crate::op::Effect;
use crate::tile;
use crate::{Block, Func, Op, OpKind};

/// Checks an op in a tile function, after the rules of every level.
pub(super) fn op(func: &Func, op: &Op) -> Result<(), Violation> {
    super::op::typed(func, op)?;
    tile::declared(func, op)?;
    regions(func, op)?;
    match op.kind {
        OpKind::Reduce | OpKind::PrefixScan => {
            op.regions.iter().try_for_each(|r| scalar(func, r).and_then(|()| pure(r)))
        }
        OpKind::Map => op.regions.iter().try_for_each(|r| scalar(func, r)),
        _ => Ok(()),
    }
}

/// Checks the parameters and results of each region.
pub(super) fn regions(func: &Func, op: &Op) -> Result<(), Violation> {
    for (at, (block, signature)) in op.regions.iter().zip(tile::signature(func, op)?).enumerate() {
        for (what, ids, types) in [
            ("parameter", &block.params, signature.takes),
            ("result", &block.results, signature.yields),
        ] {
            region::values(func, at, what, ids, types.into_iter().map(Some).collect())?;
        }
    }
    Ok(())
}

/// Regions that run once for each element know scalars only.
fn scalar(func: &Func, block: &Block) -> Result<(), Violation> {
    let mut fault = None;
    block.walk(&mut |op| {
        let block = op
            .used()
            .chain(op.defined())
            .find(|&id| func.ty(id).shape().is_none_or(|s| !s.is_empty()));
        if let Some(id) = block {
            fault.get_or_insert_with(|| Violation::NotScalar {
                op: op.describe(),
                value: func.info(id).name.clone(),
            });
        }
    });
    fault.map_or(Ok(()), Err)
}

/// Regions whose order and number of runs are unspecified have no effects. Their callees are checked for the whole
/// module.
fn pure(block: &Block) -> Result<(), Violation> {
    let mut fault = None;
    block.walk(&mut |op| {
        if op.kind != OpKind::Call && op.decl().effect() != Effect::Pure {
            fault.get_or_insert_with(|| Violation::Effect(op.describe()));
        }
    });
    fault.map_or(Ok(()), Err)
}
