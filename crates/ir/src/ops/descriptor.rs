//! Descriptors. Their element type decides whether reductions compare as signed; blocks may differ in sign.

use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::op::words::{DescriptorPadding, DescriptorReduction};
use crate::tile::{Site, Types};
use crate::types::DescriptorType;
use crate::{DType, Type, counted, ops};

ops! {
    /// A view of a tensor in memory: base pointer, r lengths (i32), r strides in elements (i64, the last 1). Reads
    /// outside give `padding`.
    MakeDescriptor "make_descriptor" Tile (base, dims[many]) -> (y: Declared) { padding: DescriptorPadding = DescriptorPadding::Zero }
        tile make_types checks make_result;
    /// The block that starts at the offsets (i32); outside the tensor the padding.
    DescriptorLoad "descriptor_load" Memory (descriptor, offsets[many]) -> (y: Declared)
        { cache: CacheHint = CacheHint::None, eviction: EvictionHint = EvictionHint::Normal } effect Read cost 8 class Element tile load_types checks load_result;
    /// Writes the block that starts at the offsets as far as it is inside.
    DescriptorStore "descriptor_store" Memory (descriptor[target], value, offsets[many]) -> () {} tile store_types;
    /// Like `descriptor_store`, combining atomically by `op`.
    DescriptorReduce "descriptor_reduce" Memory (descriptor[target], value, offsets[many]) -> () { op: DescriptorReduction } tile reduce_types;
    /// Rows of the tensor by number, from a column on.
    DescriptorGather "descriptor_gather" Memory (descriptor, rows, column) -> (y: Declared) {}
        effect Read cost 8 class Element tile gather_types checks gather_result;
    /// Writes rows of the tensor by number, from a column on.
    DescriptorScatter "descriptor_scatter" Memory (descriptor[target], value, rows, column) -> () {} tile scatter_types;
}

/// Most axes of a descriptor.
const MAX_RANK: usize = 5;

fn make_types(site: &Site<'_>) -> Types {
    let base = ops::MakeDescriptor::AT.base;
    if !site.pointer(base)?.1.is_empty() {
        return Err(site.wrong(base, "one pointer"));
    }
    let rank = (site.op.inputs.len() - 1) / 2;
    for i in 1..site.op.inputs.len() {
        let dtype = if i <= rank { DType::I32 } else { DType::I64 };
        site.expect(i, &Type::fixed(dtype, &[]))?;
    }
    Ok(vec![None])
}

fn load_types(site: &Site<'_>) -> Types {
    let d = descriptor(site)?;
    offsets(site, ops::DescriptorLoad::AT.offsets, d.block.len())?;
    Ok(vec![None])
}

fn store_types(site: &Site<'_>) -> Types {
    let at = ops::DescriptorStore::AT;
    let d = descriptor(site)?;
    offsets(site, at.offsets, d.block.len())?;
    let (dtype, dims) = site.tensor(at.value)?;
    match moves(d, dtype, &dims) {
        true => Ok(vec![]),
        false => Err(site.wrong(at.value, format!("the block of {}", site.operand(0)?))),
    }
}

fn reduce_types(site: &Site<'_>) -> Types {
    let types = store_types(site)?;
    let d = descriptor(site)?;
    let op = site.view(ops::DescriptorReduce::of)?.op();
    let is_bitwise = match op {
        DescriptorReduction::And | DescriptorReduction::Or | DescriptorReduction::Xor => true,
        DescriptorReduction::Add | DescriptorReduction::Min | DescriptorReduction::Max => false,
    };
    match is_bitwise && !d.dtype.is_int() || d.dtype == DType::Bool {
        true => Err(site.wrong(0, format!("a descriptor of what `{op}` takes"))),
        false => Ok(types),
    }
}

fn gather_types(site: &Site<'_>) -> Types {
    rows(site, ops::DescriptorGather::AT.rows)?;
    Ok(vec![None])
}

fn scatter_types(site: &Site<'_>) -> Types {
    let at = ops::DescriptorScatter::AT;
    let (d, n) = rows(site, at.rows)?;
    let (dtype, dims) = site.tensor(at.value)?;
    match same_bits(d.dtype, dtype) && dims == [n, d.block[1]] {
        true => Ok(vec![]),
        false => {
            let expected = format!("{} with dimensions [{n}, {}]", d.dtype, d.block[1]);
            Err(site.wrong(at.value, expected))
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

fn load_result(site: &Site<'_>) -> Result<(), TypeError> {
    moved(site, descriptor(site)?)
}

fn gather_result(site: &Site<'_>) -> Result<(), TypeError> {
    let (d, n) = rows(site, ops::DescriptorGather::AT.rows)?;
    moved(site, &DescriptorType { dtype: d.dtype, block: vec![n, d.block[1]] })
}

/// The result is such a block.
fn moved(site: &Site<'_>, block: &DescriptorType) -> Result<(), TypeError> {
    let Some(result) = site.result(0) else { return Ok(()) };
    match (result.dtype(), result.dims()) {
        (Some(dtype), Some(dims)) if moves(block, dtype, &dims) => Ok(()),
        _ => Err(site.wrong_result(0, Type::fixed(block.dtype, &block.block).to_string())),
    }
}

fn make_result(site: &Site<'_>) -> Result<(), TypeError> {
    let Some(result) = site.result(0) else { return Ok(()) };
    let (to, _) = site.pointer(0)?;
    let lengths_and_strides = site.op.inputs.len() - 1;
    match result {
        Type::Descriptor(d) if same_bits(d.dtype, to) => {
            if d.block.len() > MAX_RANK || d.block.len() * 2 != lengths_and_strides {
                let expected =
                    format!("{}, at most {MAX_RANK}", counted(lengths_and_strides / 2, "axis"));
                return Err(site.wrong_result(0, expected));
            }
            match ops::MakeDescriptor::of(site.op)
                .is_some_and(|op| op.padding() == DescriptorPadding::Nan)
                && !d.dtype.is_float()
            {
                true => Err(site.wrong_attr(
                    ops::MakeDescriptor::AT.padding,
                    "zero, as only floats have a NaN",
                )),
                false => Ok(()),
            }
        }
        _ => Err(site.wrong_result(0, format!("a descriptor of {to}"))),
    }
}
