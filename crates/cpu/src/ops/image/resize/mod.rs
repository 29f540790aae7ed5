//! Resize: one axis at a time, each output coordinate a weighted sum of input coordinates (or a copy of one).

mod apply;
mod axis;
#[cfg(test)]
mod tests;

use crate::kernel::Call;
use crate::real::{Real, in_real, produce, read};
use axis::{Axis, Filter, Nearest, Transform};
use trident_ir::geometry;
use trident_ir::{DType, literal::checked_len};
use trident_runtime::{KernelError, Tensor};

/// Resize.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let axes = axes(call, &x)?;
    let dims: Vec<usize> = axes.iter().map(|a| a.output).collect();
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
        axes.iter().try_for_each(|a| room(call, a.output, 1))?;
        let maps: Vec<_> = axes.iter().map(|a| a.nearest(nearest)).collect();
        let out = apply::copy(call.threads, &x, out, &maps, outside)?;
        call.set(0, out);
        return Ok(());
    }
    let filter = filter(call)?;
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
    let transform = Transform::by_name(call.op.str("coordinate_transformation_mode"))?;
    let named: Vec<usize> = match call.op.ints("axes") {
        Some(axes) => {
            geometry::axes(axes, x.rank())?;
            axes.iter().map(|&a| geometry::axis(a, x.rank())).collect::<Result<_, _>>()?
        }
        None => (0..x.rank()).collect(),
    };
    let present = |t: Option<Tensor>| t.filter(|t| !t.is_empty());
    let length = |what: &str, got: usize, want: usize| match got == want {
        true => Ok(()),
        false => Err(KernelError::shape(format!("{got} {what} where {want} are needed"))),
    };
    let mut axes: Vec<Axis> = x
        .dims()
        .iter()
        .map(|&n| Axis { input: n, output: n, scale: 1.0, roi: (0.0, 1.0), transform })
        .collect();
    match (present(call.opt(2)?), present(call.opt(3)?)) {
        (Some(scales), None) => {
            let scales = read::<f64>(&scales)?;
            length("scales", scales.len(), named.len())?;
            for (&a, &scale) in named.iter().zip(&*scales) {
                if !(scale > 0.0 && scale.is_finite()) {
                    return Err(KernelError::domain(format!(
                        "scale {scale} is not positive and finite"
                    )));
                }
                let output = scale * axes[a].input as f64;
                axes[a] = Axis { scale, output: output as usize, ..axes[a].clone() };
            }
        }
        (None, Some(sizes)) => {
            let sizes = sizes.to_i64s()?;
            length("sizes", sizes.len(), named.len())?;
            for (&a, &size) in named.iter().zip(&sizes) {
                let output = usize::try_from(size)
                    .map_err(|_| KernelError::domain(format!("a size of {size}")))?;
                let scale = output as f64 / axes[a].input as f64;
                axes[a] = Axis { scale, output, ..axes[a].clone() };
            }
            keep_aspect_ratio(call, &named, &mut axes)?;
        }
        (None, None) if named.is_empty() => {}
        _ => return Err(KernelError::shape("either scales or sizes are needed")),
    }
    if transform == Transform::CropAndResize {
        let roi = present(call.opt(1)?).ok_or(KernelError::Missing(1))?;
        let roi = read::<f64>(&roi)?;
        length("bounds of the region", roi.len(), 2 * named.len())?;
        for (i, &a) in named.iter().enumerate() {
            axes[a].roi = (roi[i], roi[named.len() + i]);
        }
    }
    Ok(axes)
}

/// One scale for all named axes, so that no size is exceeded (or none is missed).
fn keep_aspect_ratio(
    call: &Call<'_, '_>,
    named: &[usize],
    axes: &mut [Axis],
) -> Result<(), KernelError> {
    let scales = named.iter().map(|&a| axes[a].scale);
    let scale = match call.op.str("keep_aspect_ratio_policy") {
        Some("stretch") | None => return Ok(()),
        Some("not_larger") => scales.fold(f64::INFINITY, f64::min),
        Some("not_smaller") => scales.fold(f64::NEG_INFINITY, f64::max),
        Some(other) => {
            let name = "keep_aspect_ratio_policy";
            return Err(KernelError::attr(name, format!("unknown: {other}")));
        }
    };
    for &a in named {
        let output = (scale * axes[a].input as f64 + 0.5) as usize;
        axes[a] = Axis { scale, output, ..axes[a].clone() };
    }
    Ok(())
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
    let mut dims: Vec<usize> = axes.iter().map(|a| a.input).collect();
    let mut values = read::<R>(x)?.into_owned();
    for (i, axis) in axes.iter().enumerate().filter(|(_, a)| !a.is_identity()) {
        let inner = dims[i + 1..].iter().product();
        dims[i] = axis.output;
        // Asking the pool checks the size of what lies between two axes.
        let len = call.temp(R::DTYPE, &dims)?.len();
        let mut out = vec![R::zero(); len];
        room(call, axis.output, axis.reach(filter).1)?;
        let taps = axis.taps(filter);
        apply::weigh(
            call.threads,
            &values,
            &mut out,
            (axis.input, inner),
            &taps,
            R::of(outside.into()),
        );
        values = out;
    }
    Ok(values)
}
