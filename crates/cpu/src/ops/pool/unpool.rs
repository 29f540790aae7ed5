//! MaxUnpool: values return to the positions that max pooling took them from; all other elements are 0.

use crate::dispatch;
use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::Element;
use trident_ir::geometry::{strides, unpooled};
use trident_ir::ops::{MaxUnpool, Window};
use trident_runtime::{KernelError, Tensor};

/// The indices refer to the smallest image that the windows cover; a larger `output_shape` adds zeros at its end.
pub(super) fn max(cx: &Compile<'_>) -> Made {
    let (op, dtype) = (cx.view(MaxUnpool::of)?, cx.element(MaxUnpool::AT.x)?);
    let windows = Windows::of(op.window());
    dispatch!(dtype, numbers as T => Prepared::boxed(cx, move |call| unpool::<T>(call, &windows)),
        else => Err(cx.refused(KernelError::Unsupported(dtype))))
}

/// The attributes of the windows that were pooled.
struct Windows {
    kernel: Vec<i64>,
    strides: Option<Vec<i64>>,
    pads: Option<Vec<i64>>,
}

impl Windows {
    fn of(window: Window<'_>) -> Windows {
        let list = |list: Option<&[i64]>| list.map(<[i64]>::to_vec);
        Windows {
            kernel: list(window.kernel_shape()).unwrap_or_default(),
            strides: list(window.strides()),
            pads: list(window.pads()),
        }
    }
}

fn unpool<T: Element + Default>(
    call: &mut Call<'_, '_>,
    windows: &Windows,
) -> Result<(), KernelError> {
    let place = MaxUnpool::AT;
    let (x, indices) = (call.tensor(place.x)?, call.tensor(place.indices)?);
    if x.dims() != indices.dims() || x.rank() < 2 {
        let (x, i) = (x.dims(), indices.dims());
        return Err(KernelError::shape(format!(
            "`X` has dimensions {x:?} and `I` {i:?}, which do not fit"
        )));
    }
    let Windows { kernel, strides, pads } = windows;
    let mut covered = x.dims()[..2].to_vec();
    covered.extend(unpooled(&x.dims()[2..], kernel, strides.as_deref(), pads.as_deref())?);
    let dims = match call.ints(place.output_shape)? {
        None => covered.clone(),
        Some(shape) => {
            let dims: Option<Vec<usize>> = shape.iter().map(|&d| usize::try_from(d).ok()).collect();
            dims.filter(|d| d.len() == covered.len() && d.iter().zip(&covered).all(|(d, c)| d >= c))
                .ok_or_else(|| {
                    KernelError::domain(format!(
                        "`output_shape` is {shape:?}, expected at least {covered:?}"
                    ))
                })?
        }
    };
    let mut out = call.alloc(place.y, x.dtype(), &dims)?;
    let y = out.slice_mut::<T>()?;
    y.fill(T::default());
    for (&v, at) in x.slice::<T>()?.iter().zip(places(&indices, &covered, &dims)?) {
        y[at] = v;
    }
    call.set(place.y, out);
    Ok(())
}

/// Flat places in `dims` of flat indices in `covered`.
fn places(indices: &Tensor, covered: &[usize], dims: &[usize]) -> Result<Vec<usize>, KernelError> {
    let (from, to) = (strides(covered), strides(dims));
    let len: usize = covered.iter().product();
    let place = |&index: &i64| {
        let at = usize::try_from(index).ok().filter(|&i| i < len);
        let mut at = at.ok_or_else(|| {
            KernelError::domain(format!(
                "index {index} is outside a result of dimensions {covered:?}"
            ))
        })?;
        let mut sum = 0;
        for (f, t) in from.iter().zip(&to) {
            (sum, at) = (sum + at / f * t, at % f);
        }
        Ok(sum)
    };
    indices.slice::<i64>()?.iter().map(place).collect()
}
