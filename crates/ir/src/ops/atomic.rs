//! Atomic reads and writes of memory.

use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::op::words::{AtomicOp, MemoryOrder, MemoryScope};
use crate::tile::{Site, Types, one};
use crate::types::Space;
use crate::{DType, Type, ops};

ops! {
    /// Atomically replaces the element by `op`(element, value) where `mask` holds and gives the former one (arbitrary
    /// elsewhere).
    AtomicRmw "atomic_rmw" Memory (ptr[target], value, mask[opt]) -> (former: Element(1))
        { op: AtomicOp, order: MemoryOrder = MemoryOrder::AcqRel, scope: MemoryScope = MemoryScope::Gpu } tile rmw_types lane lane_rmw_types;
    /// Atomically replaces the element by `value` where its bits are those of `expected`, and gives the former one.
    AtomicCas "atomic_cas" Memory (ptr[target], expected, value) -> (former: Element(2))
        { order: MemoryOrder = MemoryOrder::AcqRel, scope: MemoryScope = MemoryScope::Gpu } tile cas_types lane lane_cas_types;
    /// Reads atomically where `mask` holds.
    AtomicLoad "atomic_load" Memory (ptr, mask[opt]) -> (y: Pointee(0))
        { order: MemoryOrder = MemoryOrder::Acquire, scope: MemoryScope = MemoryScope::Gpu }
        tile atomic_load_types lane lane_atomic_load_types;
    /// Writes atomically where `mask` holds.
    AtomicStore "atomic_store" Memory (ptr[target], value, mask[opt]) -> ()
        { order: MemoryOrder = MemoryOrder::Release, scope: MemoryScope = MemoryScope::Gpu }
        tile atomic_store_types lane lane_atomic_store_types;
    /// Reads repeatedly, at least once, until each element is the expected one or `timeout` nanoseconds (i64, for all
    /// elements together) are over. Returns the elements that were seen equal.
    AtomicPoll "atomic_poll" Memory (ptr, expected, timeout[opt]) -> (done: BOOL)
        { order: MemoryOrder = MemoryOrder::Acquire, scope: MemoryScope = MemoryScope::Gpu } tile poll_types;
}

/// Orders of accesses that only read, or only write.
const READS: &[MemoryOrder] = &[MemoryOrder::Relaxed, MemoryOrder::Acquire];
const WRITES: &[MemoryOrder] = &[MemoryOrder::Relaxed, MemoryOrder::Release];

fn rmw_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::AtomicRmw::of)?, ops::AtomicRmw::AT);
    site.writable(at.ptr)?;
    let (ty, dims) = site.pointee(at.ptr)?;
    let (what, takes): (_, fn(DType) -> bool) = match op.op() {
        AtomicOp::FAdd => ("floats of 16, 32 or 64 bits", |d| d.is_float() && d.bits() >= 16),
        AtomicOp::Exchange => ("elements but truth values", |d| d != DType::Bool),
        AtomicOp::Add
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor
        | AtomicOp::Max
        | AtomicOp::Min
        | AtomicOp::UMax
        | AtomicOp::UMin => ("integers", DType::is_int),
    };
    site.elements(at.value, what, takes)?;
    site.expect(at.value, &ty)?;
    site.mask(at.mask, &dims)?;
    one(ty)
}

fn cas_types(site: &Site<'_>) -> Types {
    let at = ops::AtomicCas::AT;
    site.writable(at.ptr)?;
    let (ty, _) = site.pointee(at.ptr)?;
    if ty.dtype().is_none_or(|d| d == DType::Bool || d.bits() < 16) {
        return Err(site.wrong(at.ptr, "pointers to elements of 16, 32 or 64 bits"));
    }
    site.expect(at.expected, &ty)?;
    site.expect(at.value, &ty)?;
    one(ty)
}

fn atomic_load_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::AtomicLoad::of)?, ops::AtomicLoad::AT);
    site.among(at.order, op.order(), READS)?;
    let (ty, dims) = site.pointee(at.ptr)?;
    site.mask(at.mask, &dims)?;
    one(ty)
}

fn atomic_store_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::AtomicStore::of)?, ops::AtomicStore::AT);
    site.among(at.order, op.order(), WRITES)?;
    site.writable(at.ptr)?;
    let (ty, dims) = site.pointee(at.ptr)?;
    site.expect(at.value, &ty)?;
    site.mask(at.mask, &dims)?;
    Ok(vec![])
}

fn poll_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::AtomicPoll::of)?, ops::AtomicPoll::AT);
    site.among(at.order, op.order(), READS)?;
    let (ty, dims) = site.pointee(at.ptr)?;
    site.expect(at.expected, &ty)?;
    if site.optional(at.timeout).is_some() {
        site.expect(at.timeout, &Type::fixed(DType::I64, &[]))?;
    }
    one(Type::fixed(DType::Bool, &dims))
}

fn lane_rmw_types(site: &Site<'_>) -> Types {
    site.unmasked(ops::AtomicRmw::AT.mask)?;
    of_threads(site, rmw_types(site)?)
}

fn lane_cas_types(site: &Site<'_>) -> Types {
    of_threads(site, cas_types(site)?)
}

fn lane_atomic_load_types(site: &Site<'_>) -> Types {
    site.unmasked(ops::AtomicLoad::AT.mask)?;
    of_threads(site, atomic_load_types(site)?)
}

fn lane_atomic_store_types(site: &Site<'_>) -> Types {
    site.unmasked(ops::AtomicStore::AT.mask)?;
    of_threads(site, atomic_store_types(site)?)
}

/// Refuses atomic accesses that GPUs lack. They have 32 bits, in no order with other accesses; floats in device memory only.
fn of_threads(site: &Site<'_>, types: Vec<Option<Type>>) -> Types {
    let asked = ops::Ordered::of(site.op).ok_or_else(|| TypeError::malformed(site.op))?;
    let at = ops::Ordered::AT;
    site.among(at.order, asked.order(), &[MemoryOrder::Relaxed])?;
    site.among(at.scope, asked.scope(), &[MemoryScope::Cta, MemoryScope::Gpu])?;
    let space = site.space(0, &[Space::Device, Space::Threadgroup])?;
    match (site.pointer(0)?.0, space) {
        (DType::I32 | DType::U32, _) | (DType::F32, Space::Device) => Ok(types),
        (DType::F32, _) => Err(site.wrong(0, "a pointer to i32 or u32 in threadgroup memory")),
        _ => Err(site.wrong(0, "a pointer to i32, u32 or f32")),
    }
}
