//! Calls of the kernels that only move elements.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use super::Ptr;
use super::entries::Raw;
use super::library::Api;
use super::read::{argument, list, scalar};
use super::throw::guarded;
use crate::argument::Argument;
use crate::extents::MAX_RANK;
use crate::failure::Failure;
use crate::kernel::{Kernel, Kind};
use crate::moves::{Move, Strided, copy, element_bytes, is_row_major, row_major};

/// Runs a kernel that moves elements.
///
/// # Safety
/// `context` is the device context of this call, and `raws` are arguments of the kinds that the kernel has. All live during the
/// call.
pub(super) unsafe fn moved(
    api: &Api,
    kind: Move,
    context: Ptr,
    kernel: &Kernel,
    raws: &[Raw],
) -> Result<(), Failure> {
    let (Some(first), Some(last)) = (raws.first(), raws.last()) else {
        return Err(Failure::fatal(format!("{} has no parameters", kernel.name)));
    };
    // SAFETY: the caller promises a tensor as the first argument, and a result as the last one.
    let (input, result) = unsafe {
        let tensor = |raw: &Raw, kind| list(api, kind, *raw).into_iter().next().flatten();
        (tensor(first, Kind::Tensor), tensor(last, Kind::Result))
    };
    let (Some(input), Some(result)) = (input, result) else {
        return Err(Failure::invalid("a tensor is missing"));
    };
    // SAFETY: the caller promises an argument of this kind.
    let attribute = |at: usize| unsafe { argument(api, kernel.params[at].kind, raws[at]) };
    let (from, strides) = input.strided()?;
    let sizes = from.dims.sizes();
    let sizes = sizes.ok_or_else(|| Failure::invalid(format!("{from} has unknown sizes")))?;
    let dims = sizes.dims();
    // A result in place may be a view with strides.
    let (to, to_strides) = match kind {
        Move::Contiguous | Move::Assign => {
            if kind == Move::Contiguous {
                result.set_layout(from.dims.as_slice(), &row_major(dims), Some(0));
            }
            // SAFETY: the caller promises the context.
            unsafe { result.allocate(context, from.element) };
            result.strided()?
        }
        Move::StridedCopy => {
            let (dims, strides) = (attribute(1)?, attribute(2)?);
            let (Argument::I64s(dims), Argument::I64s(strides), Argument::Int(offset)) =
                (dims, strides, attribute(3)?)
            else {
                return Err(Failure::fatal("strided_copy has other parameters"));
            };
            if dims != from.dims.as_slice() {
                return Err(Failure::invalid(format!("{from} does not fit dimensions {dims:?}")));
            }
            result.set_layout(dims, strides, Some(offset));
            result.strided()?
        }
        Move::Fill => {
            // SAFETY: the caller promises a scalar as the second argument and the context.
            let value = unsafe {
                result.allocate(context, from.element);
                scalar(api, raws[1])
            };
            let (int, float) = value?;
            let bytes = element_bytes(from.element, int, float);
            let bytes = bytes.ok_or_else(|| {
                Failure::unimplemented(format!("{from} cannot be filled: its elements are complex"))
            })?;
            let (to, strides) = result.strided()?;
            let sizes = to.dims.sizes().unwrap_or(sizes);
            if is_row_major(sizes.dims(), strides.as_slice()) {
                to.memory.fill(&bytes);
                return Ok(());
            }
            let (memory, zeros) = (to.memory, [0; MAX_RANK]);
            // SAFETY: the memory is Paddle's, of this length, until the call ends.
            let bytes_to = unsafe { from_raw_parts_mut(memory.start(), memory.len()) };
            let from = Strided { bytes: &bytes[..], strides: &zeros };
            let mut to = Strided { bytes: bytes_to, strides: strides.as_slice() };
            return guarded(|| {
                copy(sizes.dims(), bytes.len(), &from, &mut to);
                Ok(())
            });
        }
    };
    let size = from.element.size();
    if sizes.count == 0 {
        return Ok(());
    }
    let fits = to.element == from.element && to.dims == from.dims;
    if from.memory.len() == 0 || to.memory.len() == 0 || !fits {
        return Err(Failure::invalid(format!("{from} cannot be copied to {to}")));
    }
    let strides = strides.as_slice();
    let copied;
    // SAFETY: the memory is Paddle's, of these lengths, until the call ends. Both are used at once only if they do not overlap;
    // else the source is copied first.
    let (source, target) = unsafe {
        let source = from_raw_parts(from.memory.start(), from.memory.len());
        let source = match from.memory.overlaps(&to.memory) {
            true => {
                copied = source.to_vec();
                &copied[..]
            }
            false => source,
        };
        (source, from_raw_parts_mut(to.memory.start(), to.memory.len()))
    };
    let from = Strided { bytes: source, strides };
    guarded(|| {
        copy(dims, size, &from, &mut Strided { bytes: target, strides: to_strides.as_slice() });
        Ok(())
    })
}
