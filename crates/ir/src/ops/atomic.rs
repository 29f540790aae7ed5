//! Atomic reads and writes of memory.

use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::tile::{Site, Types, one};
use crate::types::Space;
use crate::{DType, Type, ops};

ops! {
    /// Atomically replaces the element by `op`(element, value) where `mask` holds and gives the former one (arbitrary
    /// elsewhere). `op` is `add`, `fadd`, `and`, `or`, `xor`, `max`, `min`, `umax`, `umin` or `exchange`;
    /// `order` is `relaxed`, `acquire`, `release` or `acq_rel`; `scope` is `cta`, `gpu` or `sys`.
    AtomicRmw "atomic_rmw" Memory (ptr[target], value, mask[opt]) -> (former: Element(1))
        { op: Str, order: Str = "acq_rel", scope: Str = "gpu" } tile rmw_types lane lane_rmw_types;
    /// Atomically replaces the element by `value` where its bits are those of `expected`, and gives the former one.
    AtomicCas "atomic_cas" Memory (ptr[target], expected, value) -> (former: Element(2))
        { order: Str = "acq_rel", scope: Str = "gpu" } tile cas_types lane lane_cas_types;
    /// Reads atomically where `mask` holds.
    AtomicLoad "atomic_load" Memory (ptr, mask[opt]) -> (y: Pointee(0)) { order: Str = "acquire", scope: Str = "gpu" }
        tile atomic_load_types lane lane_atomic_load_types;
    /// Writes atomically where `mask` holds.
    AtomicStore "atomic_store" Memory (ptr[target], value, mask[opt]) -> () { order: Str = "release", scope: Str = "gpu" }
        tile atomic_store_types lane lane_atomic_store_types;
    /// Reads repeatedly, at least once, until each element is the expected one or `timeout` nanoseconds (i64, for all
    /// elements together) are over. Returns the elements that were seen equal.
    AtomicPoll "atomic_poll" Memory (ptr, expected, timeout[opt]) -> (done: BOOL)
        { order: Str = "acquire", scope: Str = "gpu" } tile poll_types;
}

/// Orders of atomic ops that read and write.
const ORDERS: &[&str] = &["relaxed", "acquire", "release", "acq_rel"];
const SCOPES: &[&str] = &["cta", "gpu", "sys"];

const RMW: &[&str] = &["add", "fadd", "and", "or", "xor", "max", "min", "umax", "umin", "exchange"];

fn ordered(site: &Site<'_>, orders: &[&str]) -> Result<(), TypeError> {
    site.choice("order", orders)?;
    site.choice("scope", SCOPES).map(drop)
}

fn rmw_types(site: &Site<'_>) -> Types {
    let at = ops::AtomicRmw::AT;
    ordered(site, ORDERS)?;
    let op = site.choice("op", RMW)?;
    site.writable(at.ptr)?;
    let (ty, dims) = site.pointee(at.ptr)?;
    let (what, takes): (_, fn(DType) -> bool) = match op {
        "fadd" => ("floats of 16, 32 or 64 bits", |d| d.is_float() && d.bits() >= 16),
        "exchange" => ("elements but truth values", |d| d != DType::Bool),
        _ => ("integers", DType::is_int),
    };
    site.elements(at.value, what, takes)?;
    site.expect(at.value, &ty)?;
    site.mask(at.mask, &dims)?;
    one(ty)
}

fn cas_types(site: &Site<'_>) -> Types {
    let at = ops::AtomicCas::AT;
    ordered(site, ORDERS)?;
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
    let at = ops::AtomicLoad::AT;
    ordered(site, &["relaxed", "acquire"])?;
    let (ty, dims) = site.pointee(at.ptr)?;
    site.mask(at.mask, &dims)?;
    one(ty)
}

fn atomic_store_types(site: &Site<'_>) -> Types {
    let at = ops::AtomicStore::AT;
    ordered(site, &["relaxed", "release"])?;
    site.writable(at.ptr)?;
    let (ty, dims) = site.pointee(at.ptr)?;
    site.expect(at.value, &ty)?;
    site.mask(at.mask, &dims)?;
    Ok(vec![])
}

fn poll_types(site: &Site<'_>) -> Types {
    let at = ops::AtomicPoll::AT;
    ordered(site, &["relaxed", "acquire"])?;
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
    site.choice("order", &["relaxed"])?;
    site.choice("scope", &["cta", "gpu"])?;
    let space = site.space(0, &[Space::Device, Space::Threadgroup])?;
    match (site.pointer(0)?.0, space) {
        (DType::I32 | DType::U32, _) | (DType::F32, Space::Device) => Ok(types),
        (DType::F32, _) => Err(site.wrong(0, "a pointer to i32 or u32 in threadgroup memory")),
        _ => Err(site.wrong(0, "a pointer to i32, u32 or f32")),
    }
}
