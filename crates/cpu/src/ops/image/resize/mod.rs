//! Resize: one axis at a time, each output coordinate a weighted sum of input coordinates (or a copy of one).

mod apply;
mod axis;
#[cfg(test)]
mod tests;

use crate::kernel::{Call, Compile, Last, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use axis::{Axis, Filter, Taps};
use std::sync::Arc;
use trident_ir::geometry::{self, ResizeSpec};
use trident_ir::op::words::{Interpolation, NearestMode};
use trident_ir::ops::{Resize, ResizeAt};
use trident_ir::{DType, literal::checked_len};
use trident_runtime::{KernelError, Tensor};

const AT: ResizeAt = Resize::AT;

/// Tables of up to this many output coordinates are kept for the next run.
const KEPT: usize = 1 << 16;

/// The attributes that both modes have.
struct Form {
    spec: ResizeSpec,
    /// The value outside of the region that is cropped.
    outside: f32,
}

/// The source of each output coordinate of each axis; `None` outside of the region.
type Maps = Vec<Vec<Option<usize>>>;

/// The weighted sources of each axis; `None` for an axis that stays as it is.
type Weights = Vec<Option<Taps>>;

pub(super) fn resize(cx: &Compile<'_>) -> Made {
    let op = cx.view(Resize::of)?;
    let (antialias, exclude_outside) = (op.antialias(), op.exclude_outside());
    let form = Form { spec: ResizeSpec::of(op), outside: op.extrapolation_value() };
    let cubic = match op.mode() {
        Interpolation::Nearest if antialias => {
            return Err(
                cx.refused(KernelError::attr("antialias", "it needs `mode` linear or cubic"))
            );
        }
        Interpolation::Nearest => {
            let (mode, last) = (op.nearest_mode(), Last::default());
            return Prepared::boxed(cx, move |call| nearest(call, &form, mode, &last));
        }
        Interpolation::Linear => None,
        Interpolation::Cubic => Some(op.cubic_coeff_a().into()),
    };
    let (filter, last) = (Filter { cubic, antialias, exclude_outside }, Last::default());
    if cx.element(AT.x)?.is_int() {
        // Wide integers need all of f64; results round to nearest.
        return Prepared::boxed(cx, move |call| {
            weighted::<f64>(call, &form, filter, &last, f64::round_ties_even)
        });
    }
    for_real!(cx, AT.x, R => Prepared::boxed(cx, move |call| {
        weighted::<R>(call, &form, filter, &last, |v| v)
    }))
}

/// The operand and its axes. A result without elements is set at once, and `None` comes back.
fn begin(call: &mut Call<'_, '_>, form: &Form) -> Result<Option<(Tensor, Vec<Axis>)>, KernelError> {
    let x = call.tensor(AT.x)?;
    let axes = axes(call, form, &x)?;
    let dims = outputs(&axes);
    if checked_len(&dims).is_none() {
        return Err(KernelError::TooLarge { dtype: x.dtype(), dims });
    }
    if x.is_empty() && !dims.contains(&0) {
        return Err(KernelError::shape(format!(
            "an input of dimensions {:?} has no elements to resize",
            x.dims()
        )));
    }
    if dims.contains(&0) {
        let out = call.alloc(AT.y, x.dtype(), &dims)?;
        call.set(AT.y, out);
        return Ok(None);
    }
    Ok(Some((x, axes)))
}

/// The dimensions of the result.
fn outputs(axes: &[Axis]) -> Vec<usize> {
    axes.iter().map(|a| a.0.output).collect()
}

fn nearest(
    call: &mut Call<'_, '_>,
    form: &Form,
    mode: NearestMode,
    last: &Last<Maps>,
) -> Result<(), KernelError> {
    let Some((x, axes)) = begin(call, form)? else { return Ok(()) };
    let out = call.alloc(AT.y, x.dtype(), &outputs(&axes))?;
    let maps = kept(last, &axes, || {
        axes.iter().try_for_each(|a| room(call, a.0.output, 1))?;
        Ok(axes.iter().map(|a| a.nearest(mode)).collect())
    })?;
    let out = apply::copy(call.threads, &x, out, &maps, form.outside)?;
    call.set(AT.y, out);
    Ok(())
}

fn weighted<R: Real>(
    call: &mut Call<'_, '_>,
    form: &Form,
    filter: Filter,
    last: &Last<Weights>,
    round: impl Fn(R) -> R,
) -> Result<(), KernelError> {
    let Some((x, mut axes)) = begin(call, form)? else { return Ok(()) };
    axes.iter_mut().for_each(|axis| axis.0.wide |= x.dtype() == DType::F64);
    let weights = kept(last, &axes, || {
        let taps = |axis: &Axis| -> Result<Option<Taps>, KernelError> {
            if axis.0.is_identity() {
                return Ok(None);
            }
            let (_, count) = axis.0.reach(filter.cubic.is_some(), filter.antialias);
            room(call, axis.0.output, count)?;
            Ok(Some(axis.taps(filter)))
        };
        axes.iter().map(taps).collect()
    })?;
    let values = weigh::<R>(call, &x, &axes, &weights, R::of(form.outside.into()))?;
    produce::<R>(call, AT.y, x.dtype(), &outputs(&axes), |out| {
        out.iter_mut().zip(&values).for_each(|(o, &v)| *o = round(v));
        Ok(())
    })
}

/// The geometry of every axis of `x`, from scales or sizes.
fn axes(call: &Call<'_, '_>, form: &Form, x: &Tensor) -> Result<Vec<Axis>, KernelError> {
    let present = |i: usize| -> Result<Option<Tensor>, KernelError> {
        Ok(call.opt(i)?.filter(|t| !t.is_empty()))
    };
    let floats = |i: usize| -> Result<Option<Vec<f64>>, KernelError> {
        present(i)?.map(|t| Ok(read::<f64>(&t)?.into_owned())).transpose()
    };
    let (roi, scales) = (floats(AT.roi)?, floats(AT.scales)?);
    let sizes = present(AT.sizes)?.map(|t| t.to_i64s()).transpose()?;
    let (roi, scales, sizes) = (roi.as_deref(), scales.as_deref(), sizes.as_deref());
    let axes = geometry::resize(&form.spec, x.dims(), roi, scales, sizes)?;
    Ok(axes.into_iter().map(Axis).collect())
}

/// The tables of these axes: the last ones, or new ones.
fn kept<T>(
    last: &Last<T>,
    axes: &[Axis],
    make: impl FnOnce() -> Result<T, KernelError>,
) -> Result<Arc<T>, KernelError> {
    if axes.iter().any(|a| a.0.input.max(a.0.output) > KEPT) {
        return make().map(Arc::new);
    }
    // All numbers of an axis. Its transform and the width of its coordinates belong to the kernel.
    let halves = |v: f64| [(v.to_bits() >> 32) as usize, v.to_bits() as u32 as usize];
    let numbers = |axis: &Axis| {
        let [scale, start, end] = [axis.0.scale, axis.0.roi.0, axis.0.roi.1].map(halves);
        [&[axis.0.input, axis.0.output][..], &scale, &start, &end].concat()
    };
    last.of(&[&axes.iter().flat_map(numbers).collect::<Vec<_>>()], make)
}

/// Asks the pool whether there is room for a table of `len` rows of `width` entries.
fn room(call: &Call<'_, '_>, len: usize, width: usize) -> Result<(), KernelError> {
    call.temp(DType::F64, &[len, width, 2]).map(|_| ())
}

/// Weighted sums along each axis in turn.
fn weigh<R: Real>(
    call: &Call<'_, '_>,
    x: &Tensor,
    axes: &[Axis],
    weights: &Weights,
    outside: R,
) -> Result<Vec<R>, KernelError> {
    let mut dims: Vec<usize> = axes.iter().map(|a| a.0.input).collect();
    let mut values = read::<R>(x)?.into_owned();
    for (i, (axis, taps)) in axes.iter().zip(weights).enumerate() {
        let Some(taps) = taps else { continue };
        let inner = dims[i + 1..].iter().product();
        dims[i] = axis.0.output;
        // Asking the pool checks the size of what lies between two axes.
        let len = call.temp(R::DTYPE, &dims)?.len();
        let mut out = vec![R::zero(); len];
        apply::weigh(call.threads, &values, &mut out, (axis.0.input, inner), taps, outside);
        values = out;
    }
    Ok(values)
}
