//! Places of extremes and order: ArgMax, ArgMin, Hardmax, cumulative sums and products.

use super::axes::Around;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::{cast, compute_dtype, convert_into};
use std::cmp::Ordering;
use trident_ir::ops::{ArgMax, CumProd, CumSum, Hardmax, Selection};
use trident_ir::{DType, geometry};
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

/// ArgMax and ArgMin: the index of the greatest (or least) element along the axis.
pub(super) fn extreme(cx: &Compile<'_>, greatest: bool) -> Made {
    let op = cx.view(Selection::of)?;
    let extreme =
        Extreme { axis: op.axis(), keep: op.keepdims(), greatest, last: op.select_last_index() };
    Prepared::boxed(cx, move |call| extreme.run(call))
}

struct Extreme {
    axis: i64,
    /// Whether the axis stays, with length 1.
    keep: bool,
    greatest: bool,
    /// Whether the last of equals counts.
    last: bool,
}

impl Extreme {
    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let place = ArgMax::AT;
        let x = widened(call, place.x)?;
        let at = Around::axis(x.dims(), self.axis)?;
        let axis = geometry::axis(self.axis, x.rank())?;
        let dims = geometry::reduced(x.dims(), &[axis], self.keep);
        let (greatest, last) = (self.greatest, self.last);
        if at.n == 0 && at.outer.saturating_mul(at.inner) > 0 {
            return Err(KernelError::shape(
                "the axis is empty, so it has no greatest or least element",
            ));
        }
        let mut y = call.alloc(place.y, DType::I64, &dims)?;
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
        call.set(place.y, y);
        Ok(())
    }
}

/// 1 at the first greatest element along the axis, else 0.
pub(super) fn hardmax(cx: &Compile<'_>) -> Made {
    let axis = cx.view(Hardmax::of)?.axis();
    Prepared::boxed(cx, move |call| mark_greatest(call, axis))
}

fn mark_greatest(call: &mut Call<'_, '_>, axis: i64) -> Result<(), KernelError> {
    let place = Hardmax::AT;
    let (dtype, x) = (call.tensor(place.x)?.dtype(), widened(call, place.x)?);
    let at = Around::axis(x.dims(), axis)?;
    let mut y = call.temp(DType::U8, x.dims())?;
    in_wide!(x.dtype(), T => {
        let (x, y) = (x.slice::<T>()?, y.slice_mut::<u8>()?);
        y.fill(0);
        if !y.is_empty() {
            for i in 0..at.outer * at.inner {
                let element = |k: usize| (i / at.inner * at.n + k) * at.inner + i % at.inner;
                let better = |best, k| if beats(&x[element(k)], &x[element(best)], true) { k } else { best };
                let best = (1..at.n).fold(0, better);
                y[element(best)] = 1;
            }
        }
        Ok::<(), KernelError>(())
    })?;
    let mut out = call.alloc(place.y, dtype, x.dims())?;
    convert_into(call.threads, &y, &mut out, Default::default())?;
    call.set(place.y, out);
    Ok(())
}

/// The one number that operand `i` holds.
pub(super) fn number(call: &Call<'_, '_>, i: usize, what: &str) -> Result<i64, KernelError> {
    match call.required_ints(i)?[..] {
        [number] => Ok(number),
        _ => Err(KernelError::shape(format!("{what} is not one number"))),
    }
}

/// Running sums along an axis.
pub(super) fn cumulative_sum(cx: &Compile<'_>) -> Made {
    let op = cx.view(CumSum::of)?;
    let scan = Scan { product: false, exclusive: op.exclusive(), reverse: op.reverse() };
    Prepared::boxed(cx, move |call| scan.run(call))
}

/// Running products along an axis.
pub(super) fn cumulative_product(cx: &Compile<'_>) -> Made {
    let op = cx.view(CumProd::of)?;
    let scan = Scan { product: true, exclusive: op.exclusive(), reverse: op.reverse() };
    Prepared::boxed(cx, move |call| scan.run(call))
}

struct Scan {
    product: bool,
    /// Whether an element does not count in its own result.
    exclusive: bool,
    reverse: bool,
}

impl Scan {
    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let place = CumSum::AT;
        let &Scan { product, exclusive, reverse } = self;
        let (dtype, x) = (call.tensor(place.x)?.dtype(), widened(call, place.x)?);
        let at = Around::axis(x.dims(), number(call, place.axis, "the axis")?)?;
        let mut y = if x.dtype() == dtype {
            call.alloc(place.y, dtype, x.dims())?
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
        call.set(place.y, y);
        Ok(())
    }
}
