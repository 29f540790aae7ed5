//! Softmax and its logarithm along an axis.

use super::axes::Around;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::moves::transposed;
use crate::real::{Real, in_real, read};
use trident_ir::ops::{LogSoftmax, Softmax};
use trident_ir::{DType, Element, geometry};
use trident_kernels::parallel::for_rows;
use trident_kernels::rows;
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

pub(super) fn softmax(cx: &Compile<'_>) -> Made {
    let axis = cx.view(Softmax::of)?.axis();
    Prepared::boxed(cx, move |call| run(call, axis, false))
}

/// The logarithm of the softmax.
pub(super) fn log_softmax(cx: &Compile<'_>) -> Made {
    let axis = cx.view(LogSoftmax::of)?.axis();
    Prepared::boxed(cx, move |call| run(call, axis, true))
}

fn run(call: &mut Call<'_, '_>, axis: i64, log: bool) -> Result<(), KernelError> {
    let place = Softmax::AT;
    let x = call.tensor(place.x)?;
    let dims = x.dims().to_vec();
    let at = Around::axis(&dims, axis)?;
    if at.inner == 1 {
        if x.dtype() == DType::F32 && !log {
            drop(x);
            if let Some(mut y) = call.reuse(place.x, DType::F32, &dims) {
                let isa = Isa::detect();
                for_rows(call.threads, y.slice_mut::<f32>()?, at.n, 8, |_, piece| {
                    piece.chunks_mut(at.n.max(1)).for_each(|y| rows::softmax_in_place(isa, y));
                });
                call.set(place.y, y);
                return Ok(());
            }
            let x = call.tensor(place.x)?;
            return rows_of(call, &x, at.n, log);
        }
        return rows_of(call, &x, at.n, log);
    }
    // Rows must be contiguous: the axis goes last and back.
    let rank = dims.len();
    let axis = geometry::axis(axis, rank)?;
    let perm: Vec<usize> = (0..rank).filter(|&a| a != axis).chain([axis]).collect();
    let mut back: Vec<usize> = (0..rank - 1).collect();
    back.insert(axis, rank - 1);
    let x = transposed(call, &x, &perm)?;
    let y = compute(call, &x, at.n, log, None)?;
    let y = transposed(call, &y, &back)?;
    call.set(place.y, y);
    Ok(())
}

fn rows_of(call: &mut Call<'_, '_>, x: &Tensor, n: usize, log: bool) -> Result<(), KernelError> {
    let out = call.alloc(Softmax::AT.y, x.dtype(), x.dims())?;
    let y = compute(call, x, n, log, Some(out))?;
    call.set(Softmax::AT.y, y);
    Ok(())
}

fn compute(
    call: &Call<'_, '_>,
    x: &Tensor,
    n: usize,
    log: bool,
    out: Option<Tensor>,
) -> Result<Tensor, KernelError> {
    let mut y = match out {
        Some(y) => y,
        None => call.temp(x.dtype(), x.dims())?,
    };
    in_real!(x.dtype(), R => {
        let wide = read::<R>(x)?;
        let exact = x.dtype() == R::DTYPE;
        let mut temp = if exact { None } else { Some(call.temp(R::DTYPE, x.dims())?) };
        let target = temp.as_mut().unwrap_or(&mut y).slice_mut::<R>()?;
        for_rows(call.threads, target, n, 8, |first, piece| {
            for (i, y) in piece.chunks_mut(n.max(1)).enumerate() {
                R::softmax(&wide[(first + i) * n..(first + i + 1) * n], y, log);
            }
        });
        if let Some(temp) = temp {
            y = crate::real::narrow::<R>(temp.slice()?, y)?;
        }
        Ok(y)
    })
}

/// The kernels by type.
trait Rows: Real {
    fn softmax(x: &[Self], y: &mut [Self], log: bool);
}

impl Rows for f32 {
    fn softmax(x: &[f32], y: &mut [f32], log: bool) {
        let isa = Isa::detect();
        if log { rows::log_softmax(isa, x, y) } else { rows::softmax(isa, x, y) }
    }
}

impl Rows for f64 {
    fn softmax(x: &[f64], y: &mut [f64], log: bool) {
        let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = x.iter().map(|v| (v - max).exp()).sum();
        for (y, x) in y.iter_mut().zip(x) {
            *y = if log { x - max - sum.ln() } else { (x - max).exp() / sum };
        }
    }
}
