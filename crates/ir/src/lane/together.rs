//! What the threads of a threadgroup or simdgroup do together.

use super::{Site, Types, is_factor, matrix, scalar};
use crate::op::TypeError;
use crate::tile::one;
use crate::types::{AccumulatorType, Space};
use crate::{DType, OpKind, Type};
use OpKind as K;

/// Memory that a barrier orders.
const MEMORY: &[&str] = &["threadgroup", "device", "both", "none"];

/// Where matrices lie.
const MATRICES: &[Space] = &[Space::Device, Space::Threadgroup];

pub(super) fn infer(site: &Site<'_>) -> Types {
    match site.op.kind {
        K::ThreadgroupBarrier | K::SimdgroupBarrier => {
            site.choice("memory", MEMORY)?;
            Ok(vec![])
        }
        K::SimdShuffle | K::SimdShuffleXor | K::SimdShuffleUp | K::SimdShuffleDown => {
            site.elements(0, "at most 32 bits but truth values and f8", travels)?;
            site.expect(1, &Type::fixed(DType::I32, &[]))?;
            one(site.operand(0)?.clone())
        }
        K::SimdReduce => combined(site, &["add", "mul", "min", "max", "and", "or", "xor"]),
        K::SimdPrefix => {
            site.flag("exclusive")?;
            combined(site, &["add", "mul"])
        }
        K::SimdBallot | K::SimdAll | K::SimdAny => {
            site.expect(0, &Type::fixed(DType::Bool, &[]))?;
            let ballot = site.op.kind == K::SimdBallot;
            one(Type::fixed(if ballot { DType::U32 } else { DType::Bool }, &[]))
        }
        K::MatrixFill => one(Type::Matrix(scalar(site, 0, "f16, bf16 or f32", is_factor)?)),
        K::MatrixLoad => {
            site.flag("transpose")?;
            one(Type::Matrix(pointee(site, 1)?))
        }
        K::MatrixStore => {
            site.flag("transpose")?;
            site.writable(0)?;
            let dtype = pointee(site, 2)?;
            site.expect(1, &Type::Matrix(dtype))?;
            Ok(vec![])
        }
        K::MatrixMultiplyAdd => {
            let (a, c) = (matrix(site, 0)?, matrix(site, 2)?);
            site.expect(1, &Type::Matrix(a))?;
            match c == a || c == DType::F32 {
                true => one(Type::Matrix(c)),
                false if a == DType::F32 => Err(site.wrong(2, "a matrix of f32")),
                false => Err(site.wrong(2, format!("a matrix of {a} or f32"))),
            }
        }
        K::AccumulatorFill => {
            site.expect(0, &Type::fixed(DType::F32, &[]))?;
            Ok(vec![None])
        }
        K::AccumulatorLoad => {
            sums(site, 1)?;
            Ok(vec![None])
        }
        K::AccumulatorStore => {
            site.writable(0)?;
            sums(site, 2)?;
            accumulator(site, 1)?;
            Ok(vec![])
        }
        K::AccumulatorMultiplyAdd => {
            let ty = accumulator(site, 4)?;
            for ptr in [0, 2] {
                let (dtype, _) = site.pointer(ptr)?;
                if dtype != ty.factor {
                    return Err(site.wrong(ptr, format!("a pointer to {}", ty.factor)));
                }
                site.space(ptr, &[Space::Threadgroup])?;
                site.expect(ptr + 1, &Type::fixed(DType::I32, &[]))?;
            }
            one(Type::Accumulator(ty))
        }
        _ => Ok(vec![None; site.op.outputs.len()]),
    }
}

/// Accumulators whose type only the function tells.
pub(super) fn declared(site: &Site<'_>) -> Result<(), TypeError> {
    match site.result(0) {
        None | Some(Type::Accumulator(_)) => Ok(()),
        Some(_) => Err(site.wrong_result(0, "an accumulator")),
    }
}

fn accumulator(site: &Site<'_>, index: usize) -> Result<AccumulatorType, TypeError> {
    match site.operand(index)? {
        Type::Accumulator(ty) => Ok(*ty),
        _ => Err(site.wrong(index, "an accumulator")),
    }
}

/// The pointer to the sums of an accumulator, operand 0, whose stride is operand `stride`.
fn sums(site: &Site<'_>, stride: usize) -> Result<(), TypeError> {
    match site.pointer(0)?.0 {
        DType::F32 => site.space(0, MATRICES)?,
        _ => return Err(site.wrong(0, "a pointer to f32")),
    };
    site.expect(stride, &Type::fixed(DType::I32, &[]))
}

/// Whether lanes can hand over elements of the type: no truth values, nothing of 64 bits.
fn travels(dtype: DType) -> bool {
    dtype.bits() <= 32 && (dtype.is_int() || is_factor(dtype))
}

/// Values of all lanes combined by one of `ops`.
fn combined(site: &Site<'_>, ops: &[&str]) -> Types {
    let op = site.choice("op", ops)?;
    let bitwise = matches!(op, "and" | "or" | "xor");
    let takes = |d: DType| travels(d) && d != DType::BF16 && (d.is_int() || !bitwise);
    let what = if bitwise {
        "integers of at most 32 bits"
    } else {
        "integers of at most 32 bits, f16 or f32"
    };
    site.elements(0, what, takes)?;
    one(site.operand(0)?.clone())
}

/// The element type of the matrix behind the pointer, operand 0; its stride is operand `stride`.
fn pointee(site: &Site<'_>, stride: usize) -> Result<DType, TypeError> {
    let dtype = site.pointer(0)?.0;
    if !is_factor(dtype) {
        return Err(site.wrong(0, "a pointer to f16, bf16 or f32"));
    }
    site.space(0, MATRICES)?;
    site.expect(stride, &Type::fixed(DType::I32, &[]))?;
    Ok(dtype)
}
