//! Pointers, memory, and other effects of a program or thread.

use super::common::open;
use crate::lane::{MAX_ARRAY, MAX_WIDTH};
use crate::op::TypeError;
use crate::op::grammar::ops;
use crate::tile::{Site, Types, one};
use crate::types::{PointerType, Space};
use crate::{DType, Type, ops};

ops! {
    /// Moves pointers by a number of elements, a signed integer.
    PtrAdd "ptr_add" Tile (ptr, offset) -> (y: Same(0)) {} class Element tile ptr_add_types lane ptr_add_types;
    /// The same addresses as pointers to another type.
    PtrCast "ptr_cast" Tile (ptr) -> (y: Declared) {}
        cost 0 class View tile ptr_cast_types checks pointers_result lane ptr_cast_types checks same_space_result;
    /// Addresses as pointers.
    IntToPtr "int_to_ptr" Tile (x) -> (y: Declared) {}
        cost 0 class Element tile int_to_ptr_types checks pointers_result lane int_to_ptr_types checks global_result;
    /// Addresses of pointers.
    PtrToInt "ptr_to_int" Tile (ptr) -> (y: Is(DType::I64)) {}
        cost 0 class Element tile ptr_to_int_types lane global_ptr_to_int_types;
    /// Reads where `mask` holds; elsewhere memory is not touched and the element is that of `other`, or arbitrary.
    /// `cache` and `eviction` are hints. At level lane there is no mask, and a pointer gives `width` consecutive
    /// elements (1, 2 or 4). The program promises that its address is a multiple of `align` bytes; 0 means the size of
    /// one element.
    Load "load" Memory (ptr, mask[opt], other[opt]) -> (y: Pointee(0))
        { cache: CacheHint = CacheHint::None, eviction: EvictionHint = EvictionHint::Normal, volatile: Flag = false, width: Int = 1, align: Int = 0 }
        effect Read cost 8 class Element tile load_types lane lane_load_types;
    /// Writes where `mask` holds. If several elements have the same address, any of them may be written last. At level
    /// lane there is no mask, and a vector (of 2 or 4) is written to consecutive elements; `align` is as in `load`.
    Store "store" Memory (ptr[target], value, mask[opt]) -> () { cache: CacheHint = CacheHint::None, eviction: EvictionHint = EvictionHint::Normal, align: Int = 0 }
        tile store_types lane lane_store_types;
    /// An array of `len` elements of type `dtype`, unwritten, in `space` `threadgroup`, where all threads get the same
    /// one, or `thread`. It stands outside of regions and lives until the function ends; only a kernel has arrays in
    /// threadgroup memory.
    Alloc "alloc" Memory () -> (ptr: Declared)
        { space: LocalSpace, dtype: DType, len: Int } lane alloc_types;
    /// All memory effects before it precede those after it, for every thread of the program.
    Barrier "barrier" Memory () -> () {} tile open;
    /// Orders accesses to the device's memory for threads of other threadgroups: accesses before the fence, by this
    /// thread or ordered before it by barriers, precede those after it. The other threads must learn of it by an atomic
    /// op followed by a fence.
    DeviceFence "device_fence" Memory () -> () {} lane open;
    /// Prints a line for each element: `pid (x, y, z) idx (i, j)`, `prefix`, `(operand n) ` where there are several,
    /// and the element; one line without operands. `signed` says which operands are signed integers; without it their
    /// types do. At level lane elements of a block of `dims`, if that is not empty, are printed one by one: the last
    /// operand (i32) is the position.
    Print "print" Memory (xs[many]) -> ()
        { prefix: Str, hex: Flag = false, signed[opt]: Ints, dims[opt]: Ints } tile print_types lane lane_print_types;
    /// Stops the launch with `message` if an element of the condition is false.
    Assert "assert" Memory (condition) -> () { message: Str } tile condition_types lane condition_types;
    /// A condition that the program promises to hold.
    Assume "assume" Memory (condition) -> () {} effect Pure tile condition_types lane condition_types;
}

/// Where addresses are numbers that mean the same to every thread.
const GLOBAL: &[Space] = &[Space::Device, Space::Constant];

fn ptr_add_types(site: &Site<'_>) -> Types {
    let at = ops::PtrAdd::AT;
    let (_, dims) = site.pointer(at.ptr)?;
    let signed = |d: DType| d.class() == crate::dtype::Class::Int;
    if site.elements(at.offset, "signed integers", signed)?.1 != dims {
        return Err(site.wrong(at.offset, format!("a block with dimensions {dims:?}")));
    }
    one(site.operand(at.ptr)?.clone())
}

fn ptr_cast_types(site: &Site<'_>) -> Types {
    site.pointer(0).map(|_| vec![None])
}

fn int_to_ptr_types(site: &Site<'_>) -> Types {
    site.elements(0, "i64 or u64", |d| matches!(d, DType::I64 | DType::U64))?;
    Ok(vec![None])
}

fn ptr_to_int_types(site: &Site<'_>) -> Types {
    one(Type::fixed(DType::I64, &site.pointer(0)?.1))
}

/// At level lane.
fn global_ptr_to_int_types(site: &Site<'_>) -> Types {
    site.space(0, GLOBAL)?;
    ptr_to_int_types(site)
}

/// Pointers whose type only the function tells.
fn pointers_result(site: &Site<'_>) -> Result<(), TypeError> {
    let dims = site.dims(0)?;
    match site.result(0) {
        Some(ty @ Type::Pointer(_)) if ty.dims().as_ref() == Some(&dims) => Ok(()),
        Some(_) => Err(site.wrong_result(0, format!("pointers with dimensions {dims:?}"))),
        None => Ok(()),
    }
}

/// At level lane.
fn same_space_result(site: &Site<'_>) -> Result<(), TypeError> {
    pointers_result(site)?;
    match (site.operand(0)?, site.result(0)) {
        (Type::Pointer(from), Some(Type::Pointer(to))) if from.space != to.space => {
            Err(site.wrong_result(0, format!("a pointer to {} memory", from.space)))
        }
        _ => Ok(()),
    }
}

/// At level lane.
fn global_result(site: &Site<'_>) -> Result<(), TypeError> {
    pointers_result(site)?;
    match site.result(0) {
        Some(Type::Pointer(to)) if to.space.is_local() => {
            Err(site.wrong_result(0, "a pointer to device or constant memory"))
        }
        _ => Ok(()),
    }
}

/// Pointers of a block each have one element, wherever it is.
fn single(site: &Site<'_>, width: i64, align: i64) -> Result<(), TypeError> {
    let at = ops::Load::AT;
    for (name, value, only) in [(at.width, width, 1), (at.align, align, 0)] {
        if value != only {
            return Err(site.wrong_attr(name, format!("{only} but at level lane")));
        }
    }
    Ok(())
}

fn load_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::Load::of)?, ops::Load::AT);
    single(site, op.width(), op.align())?;
    let (ty, dims) = site.pointee(at.ptr)?;
    site.mask(at.mask, &dims)?;
    if site.optional(at.other).is_some() {
        site.operand(at.mask)?;
        site.expect(at.other, &ty)?;
    }
    one(ty)
}

fn store_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::Store::of)?, ops::Store::AT);
    single(site, 1, op.align())?;
    site.writable(at.ptr)?;
    let (ty, dims) = site.pointee(at.ptr)?;
    site.expect(at.value, &ty)?;
    site.mask(at.mask, &dims)?;
    Ok(vec![])
}

fn lane_load_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::Load::of)?, ops::Load::AT);
    site.unmasked(at.mask)?;
    let dtype = site.pointer(at.ptr)?.0;
    let width = usize::try_from(op.width()).unwrap_or(0);
    aligned(site, dtype, width, op.align(), || site.wrong_attr(at.width, "1, 2 or 4"))?;
    one(Type::fixed(dtype, if width == 1 { &[] } else { std::slice::from_ref(&width) }))
}

fn lane_store_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::Store::of)?, ops::Store::AT);
    site.unmasked(at.mask)?;
    let dtype = site.writable(at.ptr)?.0;
    let (value, dims) = site.tensor(at.value)?;
    if value != dtype {
        return Err(site.wrong(at.value, format!("{dtype}, as in memory")));
    }
    let elements = dims.iter().product();
    aligned(site, dtype, elements, op.align(), || site.wrong(at.value, "1, 2 or 4 elements"))?;
    Ok(vec![])
}

/// Checks the number of elements that are read or written at once, and how their address is aligned.
fn aligned(
    site: &Site<'_>,
    dtype: DType,
    width: usize,
    align: i64,
    wrong: impl Fn() -> TypeError,
) -> Result<(), TypeError> {
    if !matches!(width, 1 | 2 | MAX_WIDTH) {
        return Err(wrong());
    }
    let (size, most) = (dtype.size(), dtype.size() * width);
    let fits = usize::try_from(align).is_ok_and(|align| {
        align == 0 || (align.is_power_of_two() && (size..=most).contains(&align))
    });
    match fits {
        true => Ok(()),
        false => Err(site
            .wrong_attr(ops::Load::AT.align, format!("0 or a power of two from {size} to {most}"))),
    }
}

fn print_types(site: &Site<'_>) -> Types {
    if ops::Print::of(site.op).and_then(|op| op.dims()).is_some_and(|dims| !dims.is_empty()) {
        return Err(site.wrong_attr(ops::Print::AT.dims, "empty but at level lane"));
    }
    printed(site, 0)
}

fn lane_print_types(site: &Site<'_>) -> Types {
    let dims = ops::Print::of(site.op).and_then(|op| op.dims()).unwrap_or_default();
    if dims.is_empty() {
        return printed(site, 0);
    }
    let elements = dims.iter().try_fold(1i64, |all, &n| all.checked_mul(n).filter(|_| n > 0));
    if elements.is_none_or(|n| n > i64::from(i32::MAX)) {
        return Err(site.wrong_attr(ops::Print::AT.dims, "the dimensions of a block"));
    }
    site.expect(site.op.inputs.len().saturating_sub(1), &Type::fixed(DType::I32, &[]))?;
    printed(site, 1)
}

/// The last operands, `places`, are not printed.
fn printed(site: &Site<'_>, places: usize) -> Types {
    let count = site.op.inputs.len();
    for i in 0..count {
        site.dims(i)?;
    }
    let signed = ops::Print::of(site.op).and_then(|op| op.signed()).unwrap_or_default();
    match signed.is_empty() || signed.len() + places == count {
        true => Ok(vec![]),
        false => Err(site.wrong_attr(ops::Print::AT.signed, "as many flags as operands, or none")),
    }
}

/// Of assertions and assumptions.
fn condition_types(site: &Site<'_>) -> Types {
    site.elements(0, "truth values", |d| d == DType::Bool)?;
    Ok(vec![])
}

fn alloc_types(site: &Site<'_>) -> Types {
    let (op, at) = (site.view(ops::Alloc::of)?, ops::Alloc::AT);
    let to = site.element(at.dtype)?;
    let (space, shape) = (op.space().into(), Some(vec![]));
    match usize::try_from(op.len()) {
        Ok(1..=MAX_ARRAY) => one(Type::Pointer(PointerType { to, space, shape })),
        _ => Err(site.wrong_attr(at.len, format!("1 to {MAX_ARRAY}"))),
    }
}
