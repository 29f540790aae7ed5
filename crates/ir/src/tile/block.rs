//! Ops that make, rearrange and fold blocks.

use super::{Site, Types, one, with_dims};
use crate::op::TypeError;
use crate::{DType, OpKind, Type, counted};
use OpKind as K;

pub(super) fn infer(site: &Site<'_>) -> Types {
    match site.op.kind {
        K::ProgramId | K::NumPrograms => {
            site.axis("axis", 3)?;
            one(Type::fixed(DType::I32, &[]))
        }
        K::Arange => arange(site),
        K::Splat => match site.dims(0)?.is_empty() {
            true => Ok(vec![None]),
            false => Err(site.wrong(0, "a scalar")),
        },
        K::Unsplat => match site.dims(0)?.iter().all(|&n| n == 1) {
            true => one(with_dims(site.operand(0)?, &[])),
            false => Err(site.wrong(0, "a block of one element")),
        },
        K::ExpandDims => {
            let mut dims = site.dims(0)?;
            dims.insert(site.axis("axis", dims.len() + 1)?, 1);
            one(with_dims(site.operand(0)?, &dims))
        }
        K::Broadcast => site.dims(0).map(|_| vec![None]),
        K::View => {
            site.flag("reorder")?;
            site.dims(0).map(|_| vec![None])
        }
        K::Permute => permute(site),
        K::Cat => cat(site),
        K::Join => {
            let mut dims = site.dims(0)?;
            site.expect(1, &with_dims(site.operand(0)?, &dims))?;
            dims.push(2);
            one(with_dims(site.operand(0)?, &dims))
        }
        K::Unjoin => {
            let mut dims = site.dims(0)?;
            if dims.pop() != Some(2) {
                return Err(site.wrong(0, "a block whose last axis has length 2"));
            }
            Ok(vec![Some(with_dims(site.operand(0)?, &dims)); 2])
        }
        K::TakeAlongAxis => take_along_axis(site),
        K::Histogram => {
            let (_, dims) = site.elements(0, "integers", DType::is_int)?;
            site.mask(1, &dims)?;
            Ok(vec![None])
        }
        K::Reduce | K::PrefixScan => fold(site),
        K::Map => map(site),
        K::Hint => hint(site),
        _ => Ok(vec![None; site.op.outputs.len()]),
    }
}

fn arange(site: &Site<'_>) -> Types {
    let (start, end) = (site.int("start")?, site.int("end")?);
    for (name, value) in [("start", start), ("end", end)] {
        if i32::try_from(value).is_err() {
            return Err(site.wrong_attr(name, "an i32"));
        }
    }
    match usize::try_from(end - start) {
        Ok(n) if n > 0 => one(Type::fixed(DType::I32, &[n])),
        _ => Err(site.wrong_attr("end", format!("above start, {start}"))),
    }
}

fn permute(site: &Site<'_>) -> Types {
    let dims = site.dims(0)?;
    let order = site.op.ints("order").unwrap_or_default();
    let axes: Option<Vec<usize>> = order.iter().map(|&axis| usize::try_from(axis).ok()).collect();
    let mut sorted = axes.clone().unwrap_or_default();
    sorted.sort_unstable();
    match axes {
        Some(axes) if sorted.iter().copied().eq(0..dims.len()) => {
            let dims: Vec<_> = axes.iter().map(|&axis| dims[axis]).collect();
            one(with_dims(site.operand(0)?, &dims))
        }
        _ => Err(site.wrong_attr("order", format!("an order of {}", counted(dims.len(), "axis")))),
    }
}

fn cat(site: &Site<'_>) -> Types {
    let mut lengths = [0; 2];
    for (i, length) in lengths.iter_mut().enumerate() {
        match site.dims(i)?[..] {
            [n] => *length = n,
            _ => return Err(site.wrong(i, "a block of rank 1")),
        }
    }
    site.expect(1, &with_dims(site.operand(0)?, &lengths[1..]))?;
    match lengths[0].checked_add(lengths[1]) {
        Some(n) => one(with_dims(site.operand(0)?, &[n])),
        None => Err(site.wrong(1, "a block of fewer elements")),
    }
}

fn take_along_axis(site: &Site<'_>) -> Types {
    let dims = site.dims(0)?;
    let axis = site.axis("axis", dims.len())?;
    let (_, indices) = site.elements(1, "integers", DType::is_int)?;
    let agrees =
        indices.len() == dims.len() && (0..dims.len()).all(|i| i == axis || dims[i] == indices[i]);
    match agrees {
        true => one(with_dims(site.operand(0)?, &indices)),
        false => Err(site.wrong(1, format!("dimensions {dims:?} but for axis {axis}"))),
    }
}

/// `reduce` and `prefix_scan`.
fn fold(site: &Site<'_>) -> Types {
    let mut dims = operands_of_equal_dims(site)?;
    let axis = site.axis("axis", dims.len())?;
    match site.op.kind {
        K::Reduce => drop(dims.remove(axis)),
        _ => drop(site.flag("reverse")?),
    }
    (0..site.op.inputs.len()).map(|i| Ok(Some(with_dims(site.operand(i)?, &dims)))).collect()
}

fn map(site: &Site<'_>) -> Types {
    let dims = operands_of_equal_dims(site)?;
    let pack = super::region::pack(site)?;
    let elements: usize = dims.iter().product();
    if !elements.is_multiple_of(pack) {
        return Err(site.wrong_attr("pack", format!("a divisor of {elements}")));
    }
    let yields = site.types(&site.region(0)?.results);
    if yields.len() != site.op.outputs.len() * pack {
        let (n, m) = (yields.len(), site.op.outputs.len() * pack);
        return Err(
            site.region_fault(format!("the region yields {}, needs {m}", counted(n, "value")))
        );
    }
    Ok(yields.iter().step_by(pack).map(|ty| Some(with_dims(ty, &dims))).collect())
}

fn operands_of_equal_dims(site: &Site<'_>) -> Result<Vec<usize>, TypeError> {
    let dims = site.dims(0)?;
    match (1..site.op.inputs.len()).find(|&i| site.dims(i).ok().as_ref() != Some(&dims)) {
        Some(i) => Err(site.wrong(i, format!("a block with dimensions {dims:?}"))),
        None => Ok(dims),
    }
}

fn hint(site: &Site<'_>) -> Types {
    let ty = site.operand(0)?;
    let rank = site.dims(0)?.len().max(1);
    for name in ["contiguity", "constancy", "divisibility"] {
        let list = site.op.ints(name).unwrap_or_default();
        if !list.is_empty() && (list.len() != rank || list.iter().any(|&n| n < 1)) {
            return Err(site.wrong_attr(
                name,
                format!("{}, one for each axis", counted(rank, "positive number")),
            ));
        }
    }
    one(ty.clone())
}

/// Results whose dimensions only the function tells.
pub(super) fn declared(site: &Site<'_>) -> Result<(), TypeError> {
    let Some(result) = site.result(0) else { return Ok(()) };
    let from = site.dims(0)?;
    let to = result.dims().ok_or_else(|| site.wrong_result(0, "a block"))?;
    if site.op.kind == K::Histogram {
        return match result == &Type::fixed(DType::I32, &to) && to.len() == 1 {
            true => Ok(()),
            false => Err(site.wrong_result(0, "a block of i32 of rank 1")),
        };
    }
    if *result != with_dims(site.operand(0)?, &to) {
        let element = site.operand(0)?.with_shape(None);
        return Err(site.wrong_result(0, format!("elements as in {element}")));
    }
    match site.op.kind {
        K::Broadcast => {
            let fits =
                from.len() == to.len() && from.iter().zip(&to).all(|(&a, b)| a == 1 || a == *b);
            fits.then_some(()).ok_or_else(|| {
                site.wrong_result(
                    0,
                    format!("dimensions {from:?} with other lengths in place of 1"),
                )
            })
        }
        K::View => {
            let n = from.iter().product::<usize>();
            let same = crate::literal::checked_len(&to) == Some(n);
            same.then_some(()).ok_or_else(|| site.wrong_result(0, counted(n, "element")))
        }
        _ => Ok(()),
    }
}
