//! Resize: one axis at a time, each output coordinate a weighted sum of input coordinates (or a copy of one).

mod apply;
mod axis;
#[cfg(test)]
mod tests;

use crate::kernel::Call;
use crate::real::{Real, in_real, produce, read};
use axis::{Axis, Filter, Nearest};
use trident_ir::geometry::{self, ResizeSpec};
use trident_ir::ops::Resize;
use trident_ir::{DType, literal::checked_len};
use trident_runtime::{KernelError, Tensor};

/// Resize.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let mut axes = axes(call, &x)?;
    let dims: Vec<usize> = axes.iter().map(|a| a.0.output).collect();
    if checked_len(&dims).is_none() {
        return Err(KernelError::TooLarge { dtype: x.dtype(), dims });
    }
    if x.is_empty() && !dims.contains(&0) {
        return Err(KernelError::shape(format!("{:?} has no elements to resize", x.dims())));
    }
    if dims.contains(&0) {
        let out = call.alloc(0, x.dtype(), &dims)?;
        call.set(0, out);
        return Ok(());
    }
    let outside = call.op.float("extrapolation_value").unwrap_or(0.0);
    if let Some(nearest) = nearest(call)? {
        let out = call.alloc(0, x.dtype(), &dims)?;
        axes.iter().try_for_each(|a| room(call, a.0.output, 1))?;
        let maps: Vec<_> = axes.iter().map(|a| a.nearest(nearest)).collect();
        let out = apply::copy(call.threads, &x, out, &maps, outside)?;
        call.set(0, out);
        return Ok(());
    }
    let filter = filter(call)?;
    axes.iter_mut().for_each(|axis| axis.0.wide |= x.dtype() == DType::F64);
    if x.dtype().is_int() {
        // Wide integers need all of f64; results round to nearest.
        let values = weigh::<f64>(call, &x, &axes, filter, outside)?;
        return produce::<f64>(call, 0, x.dtype(), &dims, |out| {
            out.iter_mut().zip(&values).for_each(|(o, v)| *o = v.round_ties_even());
            Ok(())
        });
    }
    in_real!(x.dtype(), R => {
        let values = weigh::<R>(call, &x, &axes, filter, outside)?;
        produce::<R>(call, 0, x.dtype(), &dims, |out| {
            out.copy_from_slice(&values);
            Ok(())
        })
    })
}

fn nearest(call: &Call<'_, '_>) -> Result<Option<Nearest>, KernelError> {
    match call.op.str("mode") {
        Some("nearest") | None => {}
        Some("linear" | "cubic") => return Ok(None),
        Some(other) => return Err(KernelError::attr("mode", format!("unknown: {other}"))),
    }
    if call.op.flag("antialias") {
        return Err(KernelError::attr("antialias", "goes with linear and cubic"));
    }
    match call.op.str("nearest_mode") {
        Some("round_prefer_floor") | None => Ok(Some(Nearest::PreferFloor)),
        Some("round_prefer_ceil") => Ok(Some(Nearest::PreferCeil)),
        Some("floor") => Ok(Some(Nearest::Floor)),
        Some("ceil") => Ok(Some(Nearest::Ceil)),
        Some("ceil_when_shrinking") => Ok(Some(Nearest::CeilWhenShrinking)),
        Some(other) => Err(KernelError::attr("nearest_mode", format!("unknown: {other}"))),
    }
}

fn filter(call: &Call<'_, '_>) -> Result<Filter, KernelError> {
    let a = call.op.float("cubic_coeff_a").unwrap_or(-0.75);
    Ok(Filter {
        cubic: (call.op.str("mode") == Some("cubic")).then_some(a.into()),
        antialias: call.op.flag("antialias"),
        exclude_outside: call.op.flag("exclude_outside"),
    })
}

/// The geometry of every axis of `x`, from scales or sizes.
fn axes(call: &Call<'_, '_>, x: &Tensor) -> Result<Vec<Axis>, KernelError> {
    let present = |i: usize| -> Result<Option<Tensor>, KernelError> {
        Ok(call.opt(i)?.filter(|t| !t.is_empty()))
    };
    let floats = |i: usize| -> Result<Option<Vec<f64>>, KernelError> {
        present(i)?.map(|t| Ok(read::<f64>(&t)?.into_owned())).transpose()
    };
    let (roi, scales) = (floats(1)?, floats(2)?);
    let sizes = present(3)?.map(|t| t.to_i64s()).transpose()?;
    let op = Resize::of(call.op).ok_or_else(|| KernelError::domain("the op does not verify"))?;
    let spec = ResizeSpec::of(op);
    let axes =
        geometry::resize(&spec, x.dims(), roi.as_deref(), scales.as_deref(), sizes.as_deref())?;
    Ok(axes.into_iter().map(Axis).collect())
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
    filter: Filter,
    outside: f32,
) -> Result<Vec<R>, KernelError> {
    let mut dims: Vec<usize> = axes.iter().map(|a| a.0.input).collect();
    let mut values = read::<R>(x)?.into_owned();
    for (i, axis) in axes.iter().enumerate().filter(|(_, a)| !a.0.is_identity()) {
        let inner = dims[i + 1..].iter().product();
        dims[i] = axis.0.output;
        // Asking the pool checks the size of what lies between two axes.
        let len = call.temp(R::DTYPE, &dims)?.len();
        let mut out = vec![R::zero(); len];
        let reach = axis.0.reach(filter.cubic.is_some(), filter.antialias);
        room(call, axis.0.output, reach.1)?;
        let taps = axis.taps(filter);
        apply::weigh(
            call.threads,
            &values,
            &mut out,
            (axis.0.input, inner),
            &taps,
            R::of(outside.into()),
        );
        values = out;
    }
    Ok(values)
}
