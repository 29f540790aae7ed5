//! MaxUnpool: values go back to the places that max pooling took them from, all others are 0.

use crate::dispatch;
use crate::kernel::Call;
use trident_ir::geometry::{strides, unpooled};
use trident_runtime::{KernelError, Tensor};

/// The indices count within the smallest image that the windows cover; a larger `output_shape` adds room behind it.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (x, indices) = (call.tensor(0)?, call.tensor(1)?);
    if x.dims() != indices.dims() || x.rank() < 2 {
        let (x, i) = (x.dims(), indices.dims());
        return Err(KernelError::shape(format!("x {x:?} and its indices {i:?} do not fit")));
    }
    let attr = |name| call.op.ints(name);
    let kernel = attr("kernel_shape").unwrap_or(&[]);
    let mut covered = x.dims()[..2].to_vec();
    covered.extend(unpooled(&x.dims()[2..], kernel, attr("strides"), attr("pads"))?);
    let dims = match call.ints(2)? {
        None => covered.clone(),
        Some(shape) => {
            let dims: Option<Vec<usize>> = shape.iter().map(|&d| usize::try_from(d).ok()).collect();
            dims.filter(|d| d.len() == covered.len() && d.iter().zip(&covered).all(|(d, c)| d >= c))
                .ok_or_else(|| {
                    KernelError::domain(format!("output_shape {shape:?} is below {covered:?}"))
                })?
        }
    };
    dispatch!(x.dtype(), numbers as T => {
        let mut out = call.alloc(0, x.dtype(), &dims)?;
        let y = out.slice_mut::<T>()?;
        y.fill(T::default());
        for (&v, at) in x.slice::<T>()?.iter().zip(places(&indices, &covered, &dims)?) {
            y[at] = v;
        }
        call.set(0, out);
        Ok(())
    }, else => Err(KernelError::Unsupported(x.dtype())))
}

/// Flat places in `dims` of flat indices in `covered`.
fn places(indices: &Tensor, covered: &[usize], dims: &[usize]) -> Result<Vec<usize>, KernelError> {
    let (from, to) = (strides(covered), strides(dims));
    let len: usize = covered.iter().product();
    let place = |&index: &i64| {
        let at = usize::try_from(index).ok().filter(|&i| i < len);
        let mut at =
            at.ok_or_else(|| KernelError::domain(format!("index {index} is outside {covered:?}")))?;
        let mut sum = 0;
        for (f, t) in from.iter().zip(&to) {
            (sum, at) = (sum + at / f * t, at % f);
        }
        Ok(sum)
    };
    indices.slice::<i64>()?.iter().map(place).collect()
}
