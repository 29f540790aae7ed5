//! Calls of the kernels that make a tensor from numbers alone, and of those that index by tensors.

use super::Ptr;
use super::tensor::Tensor;
use super::throw::guarded;
use crate::argument::Argument;
use crate::failure::Failure;
use crate::indexed::Indexing;
use crate::makes::Make;
use crate::named::Named;

/// Runs a kernel that makes a tensor.
///
/// # Safety
/// `context` is the device context of this call.
pub(super) unsafe fn made(
    make: Make,
    context: Ptr,
    call: &Named<'_>,
    results: &[Argument<'_>],
    tensors: &[Tensor<'_>],
) -> Result<(), Failure> {
    let declared = results.iter().flat_map(Argument::operands).next();
    let (Some(tensor), Some(declared)) = (tensors.first(), declared) else {
        return Err(Failure::fatal("the result is missing"));
    };
    let form = make.form(call, declared)?;
    if form.dims != declared.dims {
        tensor.resize(&form.dims);
    }
    // SAFETY: the caller promises the context.
    let result = unsafe { tensor.allocated(context, form.element, &form) }?;
    guarded(|| make.write(call, &result))
}

/// Runs a kernel that indexes.
///
/// # Safety
/// As for [`made`].
pub(super) unsafe fn indexed(
    indexing: Indexing,
    context: Ptr,
    call: &Named<'_>,
    results: &[Argument<'_>],
    tensors: &[Tensor<'_>],
) -> Result<(), Failure> {
    let declared = results.iter().flat_map(Argument::operands).next();
    let (Some(tensor), Some(declared)) = (tensors.first(), declared) else {
        return Err(Failure::fatal("the result is missing"));
    };
    // SAFETY: the caller promises the context.
    let result = unsafe { tensor.allocated(context, declared.element, declared) }?;
    guarded(|| indexing.write(call, &result))
}
