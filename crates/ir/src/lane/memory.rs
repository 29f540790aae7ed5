//! Arrays, pointers and what goes through them.

use super::{MAX_ARRAY, MAX_WIDTH, Site, Types};
use crate::op::TypeError;
use crate::tile::{memory, one};
use crate::types::{PointerType, Space};
use crate::{DType, OpKind, Type};
use OpKind as K;

/// Whether this is an op on pointers or one with effects of a single thread.
pub(super) fn is_one(kind: OpKind) -> bool {
    matches!(kind, K::PtrAdd | K::PtrCast | K::IntToPtr | K::PtrToInt)
        || kind.decl().group == crate::op::Group::Memory
}

/// Where addresses are numbers that mean the same to every thread.
const GLOBAL: &[Space] = &[Space::Device, Space::Constant];

pub(super) fn infer(site: &Site<'_>) -> Types {
    match site.op.kind {
        K::Alloc => alloc(site),
        K::DeviceFence => Ok(vec![]),
        K::Load => {
            unmasked(site, 1)?;
            memory::hints(site)?;
            site.flag("volatile")?;
            let dtype = site.pointer(0)?.0;
            let width =
                width(site, dtype, usize::try_from(site.int("width")?).unwrap_or(0), || {
                    site.wrong_attr("width", "1, 2 or 4")
                })?;
            one(Type::fixed(dtype, if width == 1 { &[] } else { std::slice::from_ref(&width) }))
        }
        K::Store => {
            unmasked(site, 2)?;
            memory::hints(site)?;
            let dtype = site.writable(0)?.0;
            let (value, dims) = site.tensor(1)?;
            if value != dtype {
                return Err(site.wrong(1, format!("{dtype}, as in memory")));
            }
            let elements = dims.iter().product();
            width(site, dtype, elements, || site.wrong(1, "1, 2 or 4 elements"))?;
            Ok(vec![])
        }
        K::AtomicRmw => atomic(site, Some(2)),
        K::AtomicCas => atomic(site, None),
        K::AtomicLoad => atomic(site, Some(1)),
        K::AtomicStore => atomic(site, Some(2)),
        K::Print => print(site),
        K::PtrToInt => {
            site.space(0, GLOBAL)?;
            memory::infer(site)
        }
        _ => memory::infer(site),
    }
}

/// A number of elements that are read or written at once, and how their address is aligned.
fn width(
    site: &Site<'_>,
    dtype: DType,
    width: usize,
    wrong: impl Fn() -> TypeError,
) -> Result<usize, TypeError> {
    if !matches!(width, 1 | 2 | MAX_WIDTH) {
        return Err(wrong());
    }
    let (align, size) = (site.int("align")?, dtype.size());
    let fits = usize::try_from(align).is_ok_and(|align| {
        align == 0 || (align.is_power_of_two() && (size..=size * width).contains(&align))
    });
    match fits {
        true => Ok(width),
        false => {
            let most = size * width;
            Err(site.wrong_attr("align", format!("0 or a power of two from {size} to {most}")))
        }
    }
}

/// At this level branches decide who takes part.
fn unmasked(site: &Site<'_>, from: usize) -> Result<(), TypeError> {
    match (from..site.op.inputs.len()).find(|&i| site.optional(i).is_some()) {
        Some(i) => Err(site.wrong(i, "none: branches guard the accesses of a thread")),
        None => Ok(()),
    }
}

/// What GPUs do atomically: 32 bits, in no order with other accesses; floats in device memory only.
fn atomic(site: &Site<'_>, mask: Option<usize>) -> Types {
    mask.map_or(Ok(()), |mask| unmasked(site, mask))?;
    let types = memory::infer(site)?;
    site.choice("order", &["relaxed"])?;
    site.choice("scope", &["cta", "gpu"])?;
    let space = site.space(0, &[Space::Device, Space::Threadgroup])?;
    match (site.pointer(0)?.0, space) {
        (DType::I32 | DType::U32, _) | (DType::F32, Space::Device) => Ok(types),
        (DType::F32, _) => Err(site.wrong(0, "a pointer to i32 or u32 in threadgroup memory")),
        _ => Err(site.wrong(0, "a pointer to i32, u32 or f32")),
    }
}

fn print(site: &Site<'_>) -> Types {
    let dims = site.op.ints("dims").unwrap_or_default();
    if dims.is_empty() {
        return memory::print(site, 0);
    }
    let elements = dims.iter().try_fold(1i64, |all, &n| all.checked_mul(n).filter(|_| n > 0));
    if elements.is_none_or(|n| n > i64::from(i32::MAX)) {
        return Err(site.wrong_attr("dims", "the dimensions of a block"));
    }
    site.expect(site.op.inputs.len().saturating_sub(1), &Type::fixed(DType::I32, &[]))?;
    memory::print(site, 1)
}

fn alloc(site: &Site<'_>) -> Types {
    let local: Vec<&str> =
        Space::ALL.iter().filter(|space| space.is_local()).map(|space| space.name()).collect();
    let name = site.choice("space", &local)?;
    let space = Space::by_name(name).ok_or_else(|| site.wrong_attr("space", local.join(", ")))?;
    let to = site.dtype("dtype")?;
    match usize::try_from(site.int("len")?) {
        Ok(1..=MAX_ARRAY) => one(Type::Pointer(PointerType { to, space, shape: Some(vec![]) })),
        _ => Err(site.wrong_attr("len", format!("1 to {MAX_ARRAY}"))),
    }
}

/// Pointers whose type only the function tells.
pub(super) fn declared(site: &Site<'_>) -> Result<(), TypeError> {
    memory::declared(site)?;
    let Some(Type::Pointer(to)) = site.result(0) else { return Ok(()) };
    match (site.op.kind, site.operand(0)?) {
        (K::PtrCast, Type::Pointer(from)) if from.space != to.space => {
            Err(site.wrong_result(0, format!("a pointer to {} memory", from.space)))
        }
        (K::IntToPtr, _) if to.space.is_local() => {
            Err(site.wrong_result(0, "a pointer to device or constant memory"))
        }
        _ => Ok(()),
    }
}
