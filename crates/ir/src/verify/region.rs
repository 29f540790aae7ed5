//! Checks of the values that control-flow ops hand to their regions and take from them.

use super::{Violation, expect};
use crate::control::{Param, Yield, params, yields};
use crate::{DType, Func, Op, OpKind, Type, ValueId};

/// Number and types of the parameters and results of each region.
pub(super) fn agree(func: &Func, op: &Op) -> Result<(), Violation> {
    if op.kind == OpKind::While {
        return Ok(());
    }
    let of = |dtype| Some(Type::unranked(dtype));
    // Shapes may change from run to run, and slices lack an axis: of these only the element type is compared.
    let unshaped = |id: Option<_>| id.map(|id| func.ty(id).unshaped());
    for (region, block) in op.regions.iter().enumerate() {
        let takes = params(op).into_iter().map(|param| match param {
            Param::Iteration => of(DType::I64),
            Param::Condition => of(DType::Bool),
            Param::Carried(i) | Param::Slice(i) => unshaped(op.input(i)),
        });
        let gives = yields(op).into_iter().map(|result| match result {
            Yield::Condition => of(DType::Bool),
            Yield::Last(i) | Yield::Slice(i) => unshaped(op.output(i)),
        });
        let takes: Vec<_> = takes.collect();
        let gives: Vec<_> = gives.collect();
        for (what, ids, types) in
            [("parameter", &block.params, takes), ("result", &block.results, gives)]
        {
            values(func, region, what, ids, types)?;
        }
    }
    Ok(())
}

/// Compares a region's parameters or results with their types; `None` allows any type.
pub(super) fn values(
    func: &Func,
    region: usize,
    what: &'static str,
    ids: &[ValueId],
    types: Vec<Option<Type>>,
) -> Result<(), Violation> {
    let (expected, actual) = (types.len(), ids.len());
    if expected != actual {
        return Err(Violation::RegionCount { region, what, expected, actual });
    }
    for (index, (&id, expected)) in ids.iter().zip(types).enumerate() {
        let Some(expected) = expected else { continue };
        let fault =
            |expected, actual| Violation::RegionType { region, what, index, expected, actual };
        expect(func.ty(id), expected, fault)?;
    }
    Ok(())
}
