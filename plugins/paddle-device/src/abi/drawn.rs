//! Calls of the kernels that draw random numbers.

use smallvec::SmallVec;

use super::Ptr;
use super::library::Api;
use super::tensor::Tensor;
use super::throw::guarded;
use crate::argument::{Argument, Operand};
use crate::failure::Failure;
use crate::named::Named;
use crate::random::{Draw, Stream, stated_key};

/// Runs a kernel that draws. Its key is the seed that the call states, or else the next number of the generator of Paddle's device,
/// which `paddle.seed` and `paddle.set_rng_state` set.
///
/// # Safety
/// `context` is the device context of this call.
pub(super) unsafe fn drawn(
    api: &Api,
    draw: Draw,
    context: Ptr,
    call: &Named<'_>,
    results: &[Argument<'_>],
    tensors: &[Tensor<'_>],
) -> Result<(), Failure> {
    let mut written: SmallVec<[Operand; 2]> = SmallVec::new();
    let declared = results.iter().flat_map(Argument::operands);
    for (nth, (tensor, declared)) in tensors.iter().zip(declared).enumerate() {
        let form = draw.form(call, nth, declared)?;
        if form.dims != declared.dims {
            tensor.resize(&form.dims);
        }
        // SAFETY: the caller promises the context.
        written.push(unsafe { tensor.allocated(context, form.element, &form) }?);
    }
    let key = match stated_key(call)? {
        Some(key) => key,
        // SAFETY: the caller promises the context.
        None => unsafe { (api.random)(context, &mut 0) },
    };
    guarded(|| draw.write(call, &written, &Stream::new(key)))
}
