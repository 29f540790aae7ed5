//! Reductions over axes.

use super::axes::{Around, around};
use crate::dispatch;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::{cast, compute_dtype, convert_into};
use trident_ir::element::B8;
use trident_ir::ops::{ReduceSum, Reduction};
use trident_ir::{DType, Element, geometry};
use trident_kernels::parallel::{for_rows, vectorised};
use trident_kernels::rows;
use trident_kernels::threads::Threads;
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// Columns that are reduced side by side.
const COLUMNS: usize = 256;

/// The number that takes the place of several.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fold {
    /// Σ|x|
    L1,
    /// √Σx²
    L2,
    /// log Σx
    LogSum,
    /// log Σexp x
    LogSumExp,
    Max,
    Mean,
    Min,
    Prod,
    Sum,
    /// Σx²
    SumSquare,
}

/// A reduction over axes.
pub(super) fn reduce(cx: &Compile<'_>, fold: Fold) -> Made {
    let op = cx.view(Reduction::of)?;
    let (keep, noop) = (op.keepdims(), op.noop_with_empty_axes());
    Prepared::boxed(cx, move |call| run(call, fold, keep, noop))
}

fn run(call: &mut Call<'_, '_>, fold: Fold, keep: bool, noop: bool) -> Result<(), KernelError> {
    let place = ReduceSum::AT;
    let x = call.tensor(place.x)?;
    let dtype = x.dtype();
    let axes = call.ints(place.axes)?;
    let axes = geometry::reduction_axes(x.rank(), axes.as_deref(), noop)?;
    let dims = geometry::reduced(x.dims(), &axes, keep);
    let empty = axes.iter().any(|&a| x.dims()[a] == 0);
    if empty && matches!(fold, Fold::Max | Fold::Min) {
        let mut y = call.alloc(place.y, dtype, &dims)?;
        fill_extreme(call, &mut y, fold == Fold::Max)?;
        call.set(place.y, y);
        return Ok(());
    }
    // Means and roots of integers are computed in f64 and cut.
    let root = matches!(fold, Fold::L2 | Fold::LogSum | Fold::LogSumExp | Fold::Mean);
    let compute = match compute_dtype(dtype) {
        DType::I32 | DType::I64 | DType::U64 if root => DType::F64,
        DType::I32 | DType::Bool => DType::I64,
        other => other,
    };
    let x = cast(call.threads, call.pool(), &x, compute)?;
    let (x, at) = around(call, x, &axes)?;
    let mut y = match compute == dtype {
        true => call.alloc(place.y, dtype, &dims)?,
        false => call.temp(compute, &dims)?,
    };
    match compute {
        DType::F32 => reduce_f32(call.threads, fold, at, x.slice()?, y.slice_mut()?),
        DType::F64 => reduce_f64(call.threads, fold, at, x.slice()?, y.slice_mut()?),
        DType::I64 => {
            type Step = fn(i64, i64) -> i64;
            let (add, mul): (Step, Step) = (i64::wrapping_add, i64::wrapping_mul);
            let (x, y, t) = (x.slice::<i64>()?, y.slice_mut::<i64>()?, call.threads);
            match fold {
                Fold::Sum => columns(t, at, x, y, 0, add, |a| a),
                Fold::Prod => columns(t, at, x, y, 1, mul, |a| a),
                Fold::Max => columns(t, at, x, y, i64::MIN, |a, x| a.max(x), |a| a),
                Fold::Min => columns(t, at, x, y, i64::MAX, |a, x| a.min(x), |a| a),
                Fold::L1 => columns(t, at, x, y, 0, |a, x: i64| add(a, x.wrapping_abs()), |a| a),
                _ => columns(t, at, x, y, 0, |a, x| add(a, mul(x, x)), |a| a),
            }
        }
        DType::U64 => {
            let (x, y, t) = (x.slice::<u64>()?, y.slice_mut::<u64>()?, call.threads);
            match fold {
                Fold::Sum | Fold::L1 => columns(t, at, x, y, 0, u64::wrapping_add, |a| a),
                Fold::Prod => columns(t, at, x, y, 1, u64::wrapping_mul, |a| a),
                Fold::Max => columns(t, at, x, y, 0, |a, x| a.max(x), |a| a),
                Fold::Min => columns(t, at, x, y, u64::MAX, |a, x| a.min(x), |a| a),
                _ => columns(
                    t,
                    at,
                    x,
                    y,
                    0,
                    |a: u64, x: u64| a.wrapping_add(x.wrapping_mul(x)),
                    |a| a,
                ),
            }
        }
        other => return Err(KernelError::Unsupported(other)),
    }
    if compute != dtype {
        let mut out = call.alloc(place.y, dtype, &dims)?;
        convert_into(call.threads, &y, &mut out, Default::default())?;
        y = out;
    }
    call.set(place.y, y);
    Ok(())
}

/// Folds each column of `n` elements; those of neighbouring columns side by side.
fn columns<T: Element, A: Copy + Send + Sync>(
    threads: &Threads,
    at: Around,
    x: &[T],
    y: &mut [T],
    start: A,
    step: impl Fn(A, T) -> A + Sync,
    finish: impl Fn(A) -> T + Sync,
) {
    let Around { n, inner, .. } = at;
    for_rows(threads, y, 1, n, |first, piece| {
        vectorised(
            #[inline(always)]
            || {
                let mut done = 0;
                while done < piece.len() {
                    let (outer, column) = ((first + done) / inner, (first + done) % inner);
                    let width = COLUMNS.min(inner - column).min(piece.len() - done);
                    let out = &mut piece[done..done + width];
                    if inner == 1 {
                        let row = &x[outer * n..(outer + 1) * n];
                        out[0] = finish(row.iter().fold(start, |a, &x| step(a, x)));
                    } else {
                        let mut acc = [start; COLUMNS];
                        let acc = &mut acc[..width];
                        for k in 0..n {
                            let row = (outer * n + k) * inner + column;
                            acc.iter_mut()
                                .zip(&x[row..row + width])
                                .for_each(|(a, &x)| *a = step(*a, x));
                        }
                        out.iter_mut().zip(acc).for_each(|(o, a)| *o = finish(*a));
                    }
                    done += width;
                }
            },
        );
    });
}

macro_rules! reduce_floats {
    ($name:ident, $t:ident) => {
        fn $name(threads: &Threads, fold: Fold, at: Around, x: &[$t], y: &mut [$t]) {
            let n = at.n as f64;
            let wide = |x: $t| f64::from(x);
            match fold {
                Fold::Sum => columns(threads, at, x, y, 0.0, |a, x| a + wide(x), |a| a as $t),
                Fold::Mean => {
                    columns(threads, at, x, y, 0.0, |a, x| a + wide(x), |a| (a / n) as $t)
                }
                Fold::L1 => columns(threads, at, x, y, 0.0, |a, x| a + wide(x).abs(), |a| a as $t),
                Fold::LogSum => {
                    columns(threads, at, x, y, 0.0, |a, x| a + wide(x), |a| a.ln() as $t)
                }
                Fold::Prod => columns(threads, at, x, y, 1.0, |a, x| a * wide(x), |a| a as $t),
                Fold::L2 => columns(
                    threads,
                    at,
                    x,
                    y,
                    0.0,
                    |a, x| a + wide(x) * wide(x),
                    |a| a.sqrt() as $t,
                ),
                Fold::Max => columns(
                    threads,
                    at,
                    x,
                    y,
                    $t::NEG_INFINITY,
                    |a, x| if x > a || x.is_nan() { x } else { a },
                    |a| a,
                ),
                Fold::Min => columns(
                    threads,
                    at,
                    x,
                    y,
                    $t::INFINITY,
                    |a, x| if x < a || x.is_nan() { x } else { a },
                    |a| a,
                ),
                Fold::LogSumExp => {
                    // A running maximum and the sum of exponentials relative to it.
                    let step = |(max, sum): (f64, f64), x: $t| {
                        let x = wide(x);
                        if x == max {
                            (max, sum + 1.0)
                        } else if x > max {
                            (x, sum * (max - x).exp() + 1.0)
                        } else {
                            (max, sum + (x - max).exp())
                        }
                    };
                    columns(threads, at, x, y, (f64::NEG_INFINITY, 0.0), step, |(max, sum)| {
                        (max + sum.ln()) as $t
                    })
                }
                _ => columns(threads, at, x, y, 0.0, |a, x| a + wide(x) * wide(x), |a| a as $t),
            }
        }
    };
}
reduce_floats!(generic_f32, f32);
reduce_floats!(reduce_f64, f64);

fn reduce_f32(threads: &Threads, fold: Fold, at: Around, x: &[f32], y: &mut [f32]) {
    let (isa, n) = (Isa::detect(), at.n);
    let row: fn(Isa, &[f32]) -> f64 = match fold {
        Fold::Sum | Fold::Mean | Fold::LogSum => rows::sum,
        Fold::L1 => rows::sum_abs,
        Fold::L2 | Fold::SumSquare => rows::sum_squares,
        Fold::Max => |isa, x| rows::max(isa, x).into(),
        Fold::Min => |isa, x| rows::min(isa, x).into(),
        _ => return generic_f32(threads, fold, at, x, y),
    };
    if at.inner != 1 || n < 8 {
        return generic_f32(threads, fold, at, x, y);
    }
    for_rows(threads, y, 1, n, |first, piece| {
        for (i, y) in piece.iter_mut().enumerate() {
            let v = row(isa, &x[(first + i) * n..(first + i + 1) * n]);
            *y = match fold {
                Fold::Mean => v / n as f64,
                Fold::L2 => v.sqrt(),
                Fold::LogSum => v.ln(),
                _ => v,
            } as f32;
        }
    });
}

/// Fills a tensor with the least (or greatest) value of its type: the maximum (or minimum) of no elements.
fn fill_extreme(call: &Call<'_, '_>, y: &mut Tensor, least: bool) -> Result<(), KernelError> {
    let dtype = y.dtype();
    match dtype {
        DType::Bool => y.slice_mut::<B8>()?.fill(B8::from(!least)),
        DType::F32 | DType::F64 | DType::F16 | DType::BF16 => {
            let infinity = if least { f32::NEG_INFINITY } else { f32::INFINITY };
            let mut wide = call.temp(DType::F32, y.dims())?;
            wide.slice_mut::<f32>()?.fill(infinity);
            convert_into(call.threads, &wide, y, Default::default())?;
        }
        _ => {
            dispatch!(dtype, ints as T => y.slice_mut::<T>()?.fill(if least { T::MIN } else { T::MAX }),
            else => return Err(KernelError::Unsupported(dtype)))
        }
    }
    Ok(())
}
