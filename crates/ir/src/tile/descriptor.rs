//! Descriptors. Their element type tells the sign with which reductions compare; blocks may have the other.

use super::{Site, Types};
use crate::op::TypeError;
use crate::types::DescriptorType;
use crate::{DType, OpKind, Type, counted};
use OpKind as K;

/// Most axes of a descriptor.
const MAX_RANK: usize = 5;

pub(super) fn is_one(kind: OpKind) -> bool {
    matches!(
        kind,
        K::MakeDescriptor
            | K::DescriptorLoad
            | K::DescriptorStore
            | K::DescriptorReduce
            | K::DescriptorGather
            | K::DescriptorScatter
    )
}

pub(super) fn infer(site: &Site<'_>) -> Types {
    match site.op.kind {
        K::MakeDescriptor => {
            if !site.pointer(0)?.1.is_empty() {
                return Err(site.wrong(0, "one pointer"));
            }
            let rank = (site.op.inputs.len() - 1) / 2;
            for i in 1..site.op.inputs.len() {
                let dtype = if i <= rank { DType::I32 } else { DType::I64 };
                site.expect(i, &Type::fixed(dtype, &[]))?;
            }
            site.choice("padding", &["zero", "nan"])?;
            Ok(vec![None])
        }
        K::DescriptorLoad => {
            let d = descriptor(site)?;
            offsets(site, 1, d.block.len())?;
            Ok(vec![None])
        }
        K::DescriptorStore | K::DescriptorReduce => {
            let d = descriptor(site)?;
            offsets(site, 2, d.block.len())?;
            let (dtype, dims) = site.tensor(1)?;
            if !moves(d, dtype, &dims) {
                return Err(site.wrong(1, format!("the block of {}", site.operand(0)?)));
            }
            if site.op.kind == K::DescriptorReduce {
                let op = site.choice("op", &["add", "min", "max", "and", "or", "xor"])?;
                if matches!(op, "and" | "or" | "xor") && !d.dtype.is_int() || d.dtype == DType::Bool
                {
                    return Err(site.wrong(0, format!("a descriptor of what `{op}` takes")));
                }
            }
            Ok(vec![])
        }
        K::DescriptorGather => {
            rows(site, 1)?;
            Ok(vec![None])
        }
        _ => {
            let (d, n) = rows(site, 2)?;
            let (dtype, dims) = site.tensor(1)?;
            match same_bits(d.dtype, dtype) && dims == [n, d.block[1]] {
                true => Ok(vec![]),
                false => {
                    Err(site.wrong(1, format!("{} with dimensions [{n}, {}]", d.dtype, d.block[1])))
                }
            }
        }
    }
}

fn descriptor<'a>(site: &Site<'a>) -> Result<&'a DescriptorType, TypeError> {
    match site.operand(0)? {
        Type::Descriptor(d) => Ok(d),
        _ => Err(site.wrong(0, "a descriptor")),
    }
}

/// The i32 operands from `first` on, as many as axes.
fn offsets(site: &Site<'_>, first: usize, rank: usize) -> Result<(), TypeError> {
    if site.op.inputs.len() > first + rank {
        return Err(site.wrong(first + rank, "no operand: offsets are as many as axes"));
    }
    (first..first + rank).try_for_each(|i| site.expect(i, &Type::fixed(DType::I32, &[])))
}

/// The descriptor of a gather or scatter, and how many rows there are.
fn rows<'a>(site: &Site<'a>, index: usize) -> Result<(&'a DescriptorType, usize), TypeError> {
    let d = descriptor(site)?;
    if !matches!(d.block[..], [1, _]) {
        return Err(site.wrong(0, "a descriptor of blocks [1, n]"));
    }
    let (_, dims) = site.elements(index, "i16 or i32", |d| matches!(d, DType::I16 | DType::I32))?;
    site.expect(index + 1, &Type::fixed(DType::I32, &[]))?;
    match dims[..] {
        [n] => Ok((d, n)),
        _ => Err(site.wrong(index, "a block of rank 1")),
    }
}

/// Whether both types are one or differ in sign only.
fn same_bits(a: DType, b: DType) -> bool {
    a == b || (a.is_int() && b.is_int() && a.bits() == b.bits())
}

/// Whether a block is what the descriptor moves: axes of length 1 may be missing.
fn moves(d: &DescriptorType, dtype: DType, dims: &[usize]) -> bool {
    let long = |dims: &[usize]| dims.iter().copied().filter(|&n| n != 1).collect::<Vec<_>>();
    same_bits(d.dtype, dtype) && long(dims) == long(&d.block)
}

/// Results whose type only the function tells.
pub(super) fn declared(site: &Site<'_>) -> Result<(), TypeError> {
    let Some(result) = site.result(0) else { return Ok(()) };
    if site.op.kind == K::MakeDescriptor {
        return made(site, result);
    }
    let d = descriptor(site)?;
    let block = match site.op.kind {
        K::DescriptorLoad => d.clone(),
        _ => DescriptorType { dtype: d.dtype, block: vec![rows(site, 1)?.1, d.block[1]] },
    };
    match (result.dtype(), result.dims()) {
        (Some(dtype), Some(dims)) if moves(&block, dtype, &dims) => Ok(()),
        _ => Err(site.wrong_result(0, Type::fixed(d.dtype, &block.block).to_string())),
    }
}

fn made(site: &Site<'_>, result: &Type) -> Result<(), TypeError> {
    let (to, _) = site.pointer(0)?;
    let lengths_and_strides = site.op.inputs.len() - 1;
    match result {
        Type::Descriptor(d) if same_bits(d.dtype, to) => {
            if d.block.len() > MAX_RANK || d.block.len() * 2 != lengths_and_strides {
                let expected =
                    format!("{}, at most {MAX_RANK}", counted(lengths_and_strides / 2, "axis"));
                return Err(site.wrong_result(0, expected));
            }
            match site.op.str("padding") == Some("nan") && !d.dtype.is_float() {
                true => Err(site.wrong_attr("padding", "zero, as only floats have a NaN")),
                false => Ok(()),
            }
        }
        _ => Err(site.wrong_result(0, format!("a descriptor of {to}"))),
    }
}
