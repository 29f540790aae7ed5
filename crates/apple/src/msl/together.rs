//! Collective work of threads: barriers, exchanges in a simdgroup, matrices.

use trident_ir::op::words::{BarrierMemory, PrefixOp, SimdReduction};
use trident_ir::{DType, Op, OpKind as K, Type, ValueId, ops};
use trident_runtime::Declined;

use super::accumulator;
use super::types::scalar;
use super::writer::{Writer, decline, malformed, view};

pub(super) fn write(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let x = writer.operands(op);
    let expression = match op.kind {
        K::ThreadgroupBarrier | K::SimdgroupBarrier => {
            let memory = match op.kind {
                K::ThreadgroupBarrier => view(op, ops::ThreadgroupBarrier::of)?.memory(),
                _ => view(op, ops::SimdgroupBarrier::of)?.memory(),
            };
            let flags = match memory {
                BarrierMemory::Threadgroup => "mem_flags::mem_threadgroup",
                BarrierMemory::Device => "mem_flags::mem_device",
                BarrierMemory::Both => "mem_flags::mem_threadgroup | mem_flags::mem_device",
                BarrierMemory::None => "mem_flags::mem_none",
            };
            // A simdgroup that is a program does not wait for others.
            let barrier = if writer.programs > 1 { K::SimdgroupBarrier } else { op.kind };
            writer.statement(&format!("{}({flags});", barrier.decl().name));
            return Ok(());
        }
        K::SimdShuffle | K::SimdShuffleXor | K::SimdShuffleUp | K::SimdShuffleDown => {
            return shuffle(writer, op, &x);
        }
        K::SimdReduce => reduction(writer, op, &x[0])?,
        K::SimdPrefix => prefix(writer, op, &x[0])?,
        K::SimdBallot => format!("uint(ulong(simd_ballot({})))", x[0]),
        K::SimdAll => format!("simd_all({})", x[0]),
        K::SimdAny => format!("simd_any({})", x[0]),
        K::MatrixFill => {
            let element = element(writer, op, op.defined().next())?;
            format!("make_filled_simdgroup_matrix<{element}, 8, 8>({})", x[0])
        }
        K::MatrixLoad => return load(writer, op, &x),
        K::MatrixStore => {
            let transpose = transposed(view(op, ops::MatrixStore::of)?.transpose());
            writer.statement(&format!(
                "simdgroup_store({}, {}, ulong({}){transpose});",
                x[1], x[0], x[2]
            ));
            return Ok(());
        }
        K::MatrixMultiplyAdd => {
            let Some(id) = declare(writer, op)? else { return Ok(()) };
            let name = writer.name(id);
            let arguments = x.join(", ");
            writer.statement(&format!("simdgroup_multiply_accumulate({name}, {arguments});"));
            return Ok(());
        }
        K::AccumulatorFill
        | K::AccumulatorLoad
        | K::AccumulatorStore
        | K::AccumulatorMultiplyAdd => return accumulator::write(writer, op),
        _ => return Err(decline(op, "Metal has no such operation")),
    };
    writer.give(op, &expression)
}

/// Declares the variable of a result, if it is in use.
fn declare(writer: &mut Writer<'_>, op: &Op) -> Result<Option<ValueId>, Declined> {
    let Some(id) = op.defined().next() else { return Ok(None) };
    let (ty, name) = (writer.type_name(op, id)?, writer.name(id));
    writer.statement(&format!("{ty} {name};"));
    Ok(Some(id))
}

/// The arguments that transpose a matrix on its way.
fn transposed(is_transposed: bool) -> &'static str {
    if is_transposed { ", ulong2(0, 0), true" } else { "" }
}

fn load(writer: &mut Writer<'_>, op: &Op, x: &[String]) -> Result<(), Declined> {
    let Some(id) = declare(writer, op)? else { return Ok(()) };
    let name = writer.name(id);
    let transpose = transposed(view(op, ops::MatrixLoad::of)?.transpose());
    writer.statement(&format!("simdgroup_load({name}, {}, ulong({}){transpose});", x[0], x[1]));
    Ok(())
}

fn element(writer: &Writer<'_>, op: &Op, id: Option<ValueId>) -> Result<&'static str, Declined> {
    let dtype = match id.map(|id| writer.ty(id)) {
        Some(Type::Matrix(dtype)) => Some(*dtype),
        Some(ty) => ty.dtype().filter(|_| ty.dims().is_some_and(|dims| dims.is_empty())),
        None => None,
    };
    dtype.and_then(scalar).ok_or_else(|| decline(op, "Metal has no such element type"))
}

/// A bfloat travels as its bits: its shuffle fails in some versions of the compiler.
fn shuffle(writer: &mut Writer<'_>, op: &Op, x: &[String]) -> Result<(), Declined> {
    let dtype = op.used().next().and_then(|id| writer.ty(id).dtype());
    let (name, by) = (op.decl().name, format!("ushort({})", x[1]));
    let expression = match dtype {
        Some(DType::BF16) => format!("as_type<bfloat>({name}(as_type<ushort>({}), {by}))", x[0]),
        _ => format!("{name}({}, {by})", x[0]),
    };
    writer.give(op, &expression)
}

/// The types that reductions and prefixes take.
fn is_reduced(dtype: DType) -> bool {
    matches!(
        dtype,
        DType::F32
            | DType::F16
            | DType::I32
            | DType::U32
            | DType::I16
            | DType::U16
            | DType::I8
            | DType::U8
    )
}

fn reduced(writer: &Writer<'_>, op: &Op) -> Result<(), Declined> {
    match op.used().next().and_then(|id| writer.ty(id).dtype()) {
        Some(dtype) if is_reduced(dtype) => Ok(()),
        Some(dtype) => Err(decline(op, format!("simdgroup functions take no {dtype}"))),
        None => Err(malformed(op, "takes no elements")),
    }
}

fn reduction(writer: &Writer<'_>, op: &Op, x: &str) -> Result<String, Declined> {
    reduced(writer, op)?;
    let function = match view(op, ops::SimdReduce::of)?.op() {
        SimdReduction::Add => "simd_sum",
        SimdReduction::Mul => "simd_product",
        SimdReduction::Min => "simd_min",
        SimdReduction::Max => "simd_max",
        SimdReduction::And => "simd_and",
        SimdReduction::Or => "simd_or",
        SimdReduction::Xor => "simd_xor",
    };
    Ok(format!("{function}({x})"))
}

fn prefix(writer: &Writer<'_>, op: &Op, x: &str) -> Result<String, Declined> {
    reduced(writer, op)?;
    let prefix = view(op, ops::SimdPrefix::of)?;
    let kind = if prefix.exclusive() { "exclusive" } else { "inclusive" };
    Ok(match prefix.op() {
        PrefixOp::Add => format!("simd_prefix_{kind}_sum({x})"),
        PrefixOp::Mul => format!("simd_prefix_{kind}_product({x})"),
    })
}
