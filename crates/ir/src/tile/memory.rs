//! Pointers and what goes through them.

use super::{Site, Types, one};
use crate::op::TypeError;
use crate::{DType, OpKind, Type};
use OpKind as K;

/// Hints on caching.
const CACHES: &[&str] = &["none", "ca", "cg", "wb", "cs", "wt", "cv"];
const EVICTIONS: &[&str] = &["normal", "first", "last"];

/// Orders of atomic ops that read and write.
const ORDERS: &[&str] = &["relaxed", "acquire", "release", "acq_rel"];
const SCOPES: &[&str] = &["cta", "gpu", "sys"];

const RMW: &[&str] = &["add", "fadd", "and", "or", "xor", "max", "min", "umax", "umin", "exchange"];

/// Whether this is pointer arithmetic.
pub(super) fn is_pointer(kind: OpKind) -> bool {
    matches!(kind, K::PtrAdd | K::PtrCast | K::IntToPtr | K::PtrToInt)
}

pub(crate) fn infer(site: &Site<'_>) -> Types {
    match site.op.kind {
        K::PtrAdd => {
            let (_, dims) = site.pointer(0)?;
            let signed = |d: DType| d.class() == crate::dtype::Class::Int;
            if site.elements(1, "signed integers", signed)?.1 != dims {
                return Err(site.wrong(1, format!("a block with dimensions {dims:?}")));
            }
            one(site.operand(0)?.clone())
        }
        K::PtrCast => site.pointer(0).map(|_| vec![None]),
        K::IntToPtr => {
            site.elements(0, "i64 or u64", |d| matches!(d, DType::I64 | DType::U64))?;
            Ok(vec![None])
        }
        K::PtrToInt => one(Type::fixed(DType::I64, &site.pointer(0)?.1)),
        K::Load => load(site),
        K::Store => {
            hints(site)?;
            single(site)?;
            let ty = pointee(site, true)?;
            site.expect(1, &ty.0)?;
            site.mask(2, &ty.1)?;
            Ok(vec![])
        }
        K::AtomicRmw => rmw(site),
        K::AtomicCas => {
            atomic(site, ORDERS)?;
            let (ty, _) = pointee(site, true)?;
            if ty.dtype().is_none_or(|d| d == DType::Bool || d.bits() < 16) {
                return Err(site.wrong(0, "pointers to elements of 16, 32 or 64 bits"));
            }
            site.expect(1, &ty)?;
            site.expect(2, &ty)?;
            one(ty)
        }
        K::AtomicLoad => {
            atomic(site, &["relaxed", "acquire"])?;
            let (ty, dims) = pointee(site, false)?;
            site.mask(1, &dims)?;
            one(ty)
        }
        K::AtomicStore => {
            atomic(site, &["relaxed", "release"])?;
            let (ty, dims) = pointee(site, true)?;
            site.expect(1, &ty)?;
            site.mask(2, &dims)?;
            Ok(vec![])
        }
        K::AtomicPoll => {
            atomic(site, &["relaxed", "acquire"])?;
            let (ty, dims) = pointee(site, false)?;
            site.expect(1, &ty)?;
            if site.optional(2).is_some() {
                site.expect(2, &Type::fixed(DType::I64, &[]))?;
            }
            one(Type::fixed(DType::Bool, &dims))
        }
        K::Print => print(site, 0),
        K::Assert | K::Assume => {
            site.elements(0, "truth values", |d| d == DType::Bool)?;
            Ok(vec![])
        }
        _ => Ok(vec![None; site.op.outputs.len()]),
    }
}

/// What the pointers of operand 0 point to, as a block, and its dimensions.
fn pointee(site: &Site<'_>, write: bool) -> Result<(Type, Vec<usize>), TypeError> {
    let (to, dims) = if write { site.writable(0)? } else { site.pointer(0)? };
    Ok((Type::fixed(to, &dims), dims))
}

/// Whether caches have these names.
pub(crate) fn hints(site: &Site<'_>) -> Result<(), TypeError> {
    site.choice("cache", CACHES)?;
    site.choice("eviction", EVICTIONS).map(drop)
}

/// Pointers of a block each have one element, wherever it is.
fn single(site: &Site<'_>) -> Result<(), TypeError> {
    for (name, only) in [("width", 1), ("align", 0)] {
        if site.op.int(name).is_some_and(|value| value != only) {
            return Err(site.wrong_attr(name, format!("{only} but at level lane")));
        }
    }
    Ok(())
}

fn load(site: &Site<'_>) -> Types {
    hints(site)?;
    single(site)?;
    site.flag("volatile")?;
    let (ty, dims) = pointee(site, false)?;
    site.mask(1, &dims)?;
    if site.optional(2).is_some() {
        site.operand(1)?;
        site.expect(2, &ty)?;
    }
    one(ty)
}

fn atomic(site: &Site<'_>, orders: &[&str]) -> Result<(), TypeError> {
    site.choice("order", orders)?;
    site.choice("scope", SCOPES).map(drop)
}

fn rmw(site: &Site<'_>) -> Types {
    atomic(site, ORDERS)?;
    let op = site.choice("op", RMW)?;
    let (ty, dims) = pointee(site, true)?;
    let (what, takes): (_, fn(DType) -> bool) = match op {
        "fadd" => ("floats of 16, 32 or 64 bits", |d| d.is_float() && d.bits() >= 16),
        "exchange" => ("elements but truth values", |d| d != DType::Bool),
        _ => ("integers", DType::is_int),
    };
    site.elements(1, what, takes)?;
    site.expect(1, &ty)?;
    site.mask(2, &dims)?;
    one(ty)
}

/// The last operands, `places`, are not printed.
pub(crate) fn print(site: &Site<'_>, places: usize) -> Types {
    site.flag("hex")?;
    let count = site.op.inputs.len();
    for i in 0..count {
        site.dims(i)?;
    }
    let signed = site.op.ints("signed").unwrap_or_default();
    if places == 0 && site.op.ints("dims").is_some_and(|dims| !dims.is_empty()) {
        return Err(site.wrong_attr("dims", "empty but at level lane"));
    }
    match signed.is_empty() || signed.len() + places == count {
        true => Ok(vec![]),
        false => Err(site.wrong_attr("signed", "as many flags as operands, or none")),
    }
}

/// Pointers whose type only the function tells.
pub(crate) fn declared(site: &Site<'_>) -> Result<(), TypeError> {
    let dims = site.dims(0)?;
    match site.result(0) {
        Some(ty @ Type::Pointer(_)) if ty.dims().as_ref() == Some(&dims) => Ok(()),
        Some(_) => Err(site.wrong_result(0, format!("pointers with dimensions {dims:?}"))),
        None => Ok(()),
    }
}
