//! Signatures of regions: the types that the regions of control flow, folds and maps take and yield.

use super::{Site, with_dims};
use crate::op::TypeError;
use crate::{Func, Op, OpKind, Type, ops};
use OpKind as K;

/// Operands of `for` before the carried values.
pub(crate) const FOR_HEAD: usize = 3;

/// Types of parameters and results of one region.
pub(crate) struct Signature {
    /// Types of the parameters.
    pub(crate) takes: Vec<Type>,
    /// Types of the results.
    pub(crate) yields: Vec<Type>,
}

/// The signature of each region of `op`. The op's results are of the types inferred.
pub(crate) fn signature(func: &Func, op: &Op) -> Result<Vec<Signature>, TypeError> {
    let site = Site { func, op };
    Ok(match op.kind {
        K::If => {
            let results: Vec<_> = site.types(&site.region(0)?.results);
            let branch = || Signature { takes: vec![], yields: results.clone() };
            vec![branch(), branch()]
        }
        K::For => {
            let carried = operands(&site, FOR_HEAD)?;
            let counter = std::iter::once(site.operand(0)?.clone());
            vec![Signature { takes: counter.chain(carried.clone()).collect(), yields: carried }]
        }
        K::While => {
            let init = operands(&site, 0)?;
            // The condition comes first; the values after it may have any type.
            let yields = site.types(&site.region(0)?.results);
            let values = yields.get(1..).unwrap_or_default().to_vec();
            vec![
                Signature { takes: init.clone(), yields },
                Signature { takes: values, yields: init },
            ]
        }
        K::Reduce | K::PrefixScan => {
            let elements = scalars(&operands(&site, 0)?);
            vec![Signature { takes: [&elements[..], &elements].concat(), yields: elements }]
        }
        K::Map => {
            let pack = pack(&site)?;
            let packed = |types: Vec<Type>| -> Vec<Type> {
                types.into_iter().flat_map(|ty| vec![ty; pack]).collect()
            };
            // Elements of one result are of one type.
            let yields = site.types(&site.region(0)?.results);
            let firsts: Vec<Type> = yields.iter().step_by(pack).cloned().collect();
            let takes = packed(scalars(&operands(&site, 0)?));
            vec![Signature { takes, yields: packed(scalars(&firsts)) }]
        }
        _ => vec![],
    })
}

/// Number of elements for which a `map` runs its region at once.
pub(crate) fn pack(site: &Site<'_>) -> Result<usize, TypeError> {
    let pack = ops::Map::of(site.op).and_then(|op| usize::try_from(op.pack()).ok());
    pack.filter(|n| (1..=super::MAX_ELEMENTS).contains(n))
        .ok_or_else(|| site.wrong_attr(ops::Map::AT.pack, "positive"))
}

pub(crate) fn operands(site: &Site<'_>, first: usize) -> Result<Vec<Type>, TypeError> {
    (first..site.op.inputs.len()).map(|i| site.operand(i).cloned()).collect()
}

fn scalars(types: &[Type]) -> Vec<Type> {
    types.iter().map(|ty| with_dims(ty, &[])).collect()
}
