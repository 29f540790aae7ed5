//! Places of extremes and order: ArgMax, ArgMin, Hardmax, TopK, cumulative sums and products.

use super::axes::{Around, axis_of};
use crate::kernel::Call;
use crate::ops::convert::{cast, compute_dtype, convert_into};
use std::cmp::Ordering;
use trident_ir::{DType, OpKind, counted, geometry};
use trident_kernels::parallel::for_rows;
use trident_runtime::{KernelError, Tensor};

/// Runs a block with `$T` bound to one of the types that arithmetic widens to.
macro_rules! in_wide {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!($dtype, [F32, F64, I32, I64, U64] as $T => $body,
            else => Err(trident_runtime::KernelError::Unsupported($dtype)))
    };
}
pub(super) use in_wide;

/// The operand in the type that arithmetic widens it to; truth values become numbers.
pub(super) fn widened(call: &Call<'_, '_>, i: usize) -> Result<Tensor, KernelError> {
    let x = call.tensor(i)?;
    let compute = if x.dtype() == DType::Bool { DType::I64 } else { compute_dtype(x.dtype()) };
    cast(call.threads, call.pool(), &x, compute)
}

/// Ascending, with NaN above everything.
pub(super) fn order<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    // Only a NaN is not equal to itself.
    #[allow(clippy::eq_op)]
    a.partial_cmp(b).unwrap_or_else(|| (a != a).cmp(&(b != b)))
}

/// Whether `a` is more of an extreme than `b`. A NaN is the extreme either way, as in NumPy.
#[allow(clippy::eq_op)]
fn beats<T: PartialOrd>(a: &T, b: &T, greatest: bool) -> bool {
    match (a != a, b != b) {
        (false, false) if greatest => a > b,
        (false, false) => a < b,
        (nan, had) => nan && !had,
    }
}

/// The index of the greatest (or least) element along the axis.
pub(super) fn extreme(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = widened(call, 0)?;
    let at = Around::axis(x.dims(), axis_of(call, 0))?;
    let axis = geometry::axis(axis_of(call, 0), x.rank())?;
    let dims = geometry::reduced(x.dims(), &[axis], call.op.flag("keepdims"));
    let greatest = call.op.kind == OpKind::ArgMax;
    let last = call.op.flag("select_last_index");
    if at.n == 0 && at.outer.saturating_mul(at.inner) > 0 {
        return Err(KernelError::shape("an empty axis has no extreme"));
    }
    let mut y = call.alloc(0, DType::I64, &dims)?;
    in_wide!(x.dtype(), T => {
        let x = x.slice::<T>()?;
        for_rows(call.threads, y.slice_mut::<i64>()?, 1, at.n, |first, piece| {
            for (i, y) in piece.iter_mut().enumerate() {
                let (outer, column) = ((first + i) / at.inner, (first + i) % at.inner);
                let place = |k: usize| &x[(outer * at.n + k) * at.inner + column];
                let mut best = 0;
                for k in 1..at.n {
                    let (a, b) = (place(k), place(best));
                    #[allow(clippy::eq_op)]
                    if beats(a, b, greatest) || (last && (a == b || (a != a && b != b))) {
                        best = k;
                    }
                }
                *y = best as i64;
            }
        });
        Ok::<(), KernelError>(())
    })?;
    call.set(0, y);
    Ok(())
}

/// 1 at the first greatest element along the axis, else 0.
pub(super) fn hardmax(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (dtype, x) = (call.tensor(0)?.dtype(), widened(call, 0)?);
    let at = Around::axis(x.dims(), axis_of(call, -1))?;
    let mut y = call.temp(DType::U8, x.dims())?;
    in_wide!(x.dtype(), T => {
        let (x, y) = (x.slice::<T>()?, y.slice_mut::<u8>()?);
        y.fill(0);
        if !y.is_empty() {
            for i in 0..at.outer * at.inner {
                let place = |k: usize| (i / at.inner * at.n + k) * at.inner + i % at.inner;
                let better = |best, k| if beats(&x[place(k)], &x[place(best)], true) { k } else { best };
                let best = (1..at.n).fold(0, better);
                y[place(best)] = 1;
            }
        }
        Ok::<(), KernelError>(())
    })?;
    let mut out = call.alloc(0, dtype, x.dims())?;
    convert_into(call.threads, &y, &mut out, Default::default())?;
    call.set(0, out);
    Ok(())
}

/// Running sums or products along an axis.
pub(super) fn cumulative(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (dtype, x) = (call.tensor(0)?.dtype(), widened(call, 0)?);
    let axis = match call.ints(1)?.as_deref() {
        Some([axis]) => *axis,
        Some(_) => return Err(KernelError::shape("the axis is not one number")),
        None => return Err(KernelError::Missing(1)),
    };
    let at = Around::axis(x.dims(), axis)?;
    let (exclusive, reverse) = (call.op.flag("exclusive"), call.op.flag("reverse"));
    let product = call.op.kind == OpKind::CumProd;
    let mut y = if x.dtype() == dtype {
        call.alloc(0, dtype, x.dims())?
    } else {
        call.temp(x.dtype(), x.dims())?
    };
    macro_rules! run {
        ($t:ident, $add:expr, $mul:expr) => {{
            let f: fn($t, $t) -> $t = if product { $mul } else { $add };
            let start = if product { 1 as $t } else { 0 as $t };
            let x = x.slice::<$t>()?;
            for_rows(
                call.threads,
                y.slice_mut::<$t>()?,
                at.n.saturating_mul(at.inner),
                2,
                |first, piece| {
                    for (i, y) in piece.chunks_mut((at.n * at.inner).max(1)).enumerate() {
                        let x = &x[(first + i) * at.n * at.inner..];
                        for j in 0..at.inner {
                            let mut sum = start;
                            for k in 0..at.n {
                                let p = if reverse { at.n - 1 - k } else { k } * at.inner + j;
                                let next = f(sum, x[p]);
                                y[p] = if exclusive { sum } else { next };
                                sum = next;
                            }
                        }
                    }
                },
            );
        }};
    }
    match x.dtype() {
        DType::F32 => run!(f32, |a, b| a + b, |a, b| a * b),
        DType::F64 => run!(f64, |a, b| a + b, |a, b| a * b),
        DType::I32 => run!(i32, i32::wrapping_add, i32::wrapping_mul),
        DType::I64 => run!(i64, i64::wrapping_add, i64::wrapping_mul),
        DType::U64 => run!(u64, u64::wrapping_add, u64::wrapping_mul),
        other => return Err(KernelError::Unsupported(other)),
    }
    let y = cast(call.threads, call.pool(), &y, dtype)?;
    call.set(0, y);
    Ok(())
}

/// The k greatest or least elements along the axis, equals by index.
pub(super) fn top_k(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (dtype, x) = (call.tensor(0)?.dtype(), widened(call, 0)?);
    let axis = geometry::axis(axis_of(call, -1), x.rank())?;
    let at = Around::axis(x.dims(), axis_of(call, -1))?;
    let k = match call.ints(1)?.as_deref() {
        Some([k]) => usize::try_from(*k).ok().filter(|&k| k <= at.n).ok_or_else(|| {
            KernelError::domain(format!("k is {k}, the axis has {}", counted(at.n, "element")))
        })?,
        Some(_) => return Err(KernelError::shape("k is not one number")),
        None => return Err(KernelError::Missing(1)),
    };
    let largest = call.op.flag("largest");
    let mut dims = x.dims().to_vec();
    dims[axis] = k;
    let mut values = call.temp(x.dtype(), &dims)?;
    let mut indices = call.alloc(1, DType::I64, &dims)?;
    in_wide!(x.dtype(), T => {
        let x = x.slice::<T>()?;
        let size = k.saturating_mul(at.inner);
        // Places first, several rows at a time; the values then follow from them.
        for_rows(call.threads, indices.slice_mut::<i64>()?, size, 16, |first, piece| {
            let mut places: Vec<usize> = Vec::with_capacity(at.n);
            for (i, out) in piece.chunks_mut(size.max(1)).enumerate() {
                for j in 0..at.inner {
                    let element = |p: usize| &x[((first + i) * at.n + p) * at.inner + j];
                    let compare = |a: &usize, b: &usize| {
                        let by_value = order(element(*a), element(*b));
                        (if largest { by_value.reverse() } else { by_value }).then(a.cmp(b))
                    };
                    places.clear();
                    places.extend(0..at.n);
                    if k > 0 && k < at.n {
                        places.select_nth_unstable_by(k - 1, compare);
                    }
                    places.truncate(k);
                    places.sort_unstable_by(compare);
                    for (r, &p) in places.iter().enumerate() {
                        out[r * at.inner + j] = p as i64;
                    }
                }
            }
        });
        let places = indices.slice::<i64>()?;
        for (i, (v, &p)) in values.slice_mut::<T>()?.iter_mut().zip(places).enumerate() {
            *v = x[(i / size * at.n + p as usize) * at.inner + i % at.inner];
        }
        Ok::<(), KernelError>(())
    })?;
    let values = cast(call.threads, call.pool(), &values, dtype)?;
    call.set(0, values);
    call.set(1, indices);
    Ok(())
}
