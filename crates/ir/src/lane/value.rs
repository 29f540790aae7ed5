//! A thread's place, and vectors.

use super::{MAX_WIDTH, Site, Types};
use crate::op::TypeError;
use crate::tile::one;
use crate::{DType, OpKind, Type};
use OpKind as K;

pub(super) fn infer(site: &Site<'_>) -> Types {
    match site.op.kind {
        K::ThreadgroupId | K::NumThreadgroups => {
            site.axis("axis", 3)?;
            one(Type::fixed(DType::I32, &[]))
        }
        K::ThreadIndex | K::SimdgroupIndex | K::LaneIndex => one(Type::fixed(DType::I32, &[])),
        K::Vector => {
            let dtype = super::scalar(site, 0, "the first element", |_| true)?;
            let width = site.op.inputs.len();
            (1..width).try_for_each(|i| site.expect(i, &Type::fixed(dtype, &[])))?;
            match (2..=MAX_WIDTH).contains(&width) {
                true => one(Type::fixed(dtype, &[width])),
                false => Err(site.wrong(width - 1, "the last of 2, 3 or 4 elements")),
            }
        }
        K::Extract => one(Type::fixed(element(site)?, &[])),
        K::Insert => {
            let dtype = element(site)?;
            site.expect(1, &Type::fixed(dtype, &[]))?;
            one(site.operand(0)?.clone())
        }
        K::Splat => super::scalar(site, 0, "of any type", |_| true).map(|_| vec![None]),
        _ => Ok(vec![None; site.op.outputs.len()]),
    }
}

/// The element type of the vector, operand 0, which has an element at place `at`.
fn element(site: &Site<'_>) -> Result<DType, TypeError> {
    match (site.tensor(0)?, site.int("at")?) {
        ((dtype, dims), at) if dims.len() == 1 => match usize::try_from(at) {
            Ok(at) if at < dims[0] => Ok(dtype),
            _ => Err(site.wrong_attr("at", format!("a place below {}", dims[0]))),
        },
        _ => Err(site.wrong(0, "a vector")),
    }
}

/// Results whose type only the function tells.
pub(super) fn declared(site: &Site<'_>) -> Result<(), TypeError> {
    let Some(result) = site.result(0) else { return Ok(()) };
    match (site.op.kind, result) {
        (K::Splat, Type::Tensor(t)) if Some(t.dtype) == site.operand(0)?.dtype() => {
            match t.shape.as_deref() {
                Some([_]) => Ok(()),
                _ => Err(site.wrong_result(0, "a vector")),
            }
        }
        (K::Splat, _) => Err(site.wrong_result(0, "a vector of the operand")),
        (_, Type::Matrix(_)) => Err(site.wrong_result(0, "no matrix: `matrix_fill` makes one")),
        (_, Type::Accumulator(_)) => {
            Err(site.wrong_result(0, "no accumulator: `accumulator_fill` makes one"))
        }
        _ => Ok(()),
    }
}
