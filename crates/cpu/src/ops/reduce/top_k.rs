//! TopK: the greatest or least elements along an axis, in order.

use super::arg::{in_wide, number, widened};
use super::axes::Around;
use crate::kernel::{Call, Compile, Made, Prepared};
use crate::ops::convert::cast;
use trident_ir::ops::TopK;
use trident_ir::{DType, counted, geometry};
use trident_kernels::parallel::for_rows;
use trident_runtime::KernelError;

/// An element with a rank: ranks of elements compare as the elements do, with NaN above everything.
trait Ranked: Copy {
    fn rank(self) -> u64;
}

/// Ranks of floating-point numbers. Both zeros have the same rank, and so have all NaNs.
macro_rules! ranked_float {
    ($float:ident, $bits:ident) => {
        impl Ranked for $float {
            fn rank(self) -> u64 {
                if self.is_nan() {
                    return u64::MAX;
                }
                // The sum turns -0 into 0.
                let bits = (self + 0.0).to_bits();
                let sign = 1 << ($bits::BITS - 1);
                (if bits & sign == 0 { bits | sign } else { !bits }) as u64
            }
        }
    };
}
ranked_float!(f32, u32);
ranked_float!(f64, u64);

impl Ranked for i64 {
    fn rank(self) -> u64 {
        self.cast_unsigned() ^ (1 << 63)
    }
}

impl Ranked for i32 {
    fn rank(self) -> u64 {
        i64::from(self).rank()
    }
}

impl Ranked for u64 {
    fn rank(self) -> u64 {
        self
    }
}

/// The k greatest or least elements along the axis, equals by index.
pub(super) fn top_k(cx: &Compile<'_>) -> Made {
    let op = cx.view(TopK::of)?;
    let (axis, largest) = (op.axis(), op.largest());
    Prepared::boxed(cx, move |call| order_top(call, axis, largest))
}

/// Sorts integers of rank and index: they need no access to the elements, whose rows may be far apart.
fn order_top(call: &mut Call<'_, '_>, axis: i64, largest: bool) -> Result<(), KernelError> {
    let place = TopK::AT;
    let (dtype, x) = (call.tensor(place.x)?.dtype(), widened(call, place.x)?);
    let at = Around::axis(x.dims(), axis)?;
    let axis = geometry::axis(axis, x.rank())?;
    let k = number(call, place.k, "k")?;
    let k = usize::try_from(k).ok().filter(|&k| k <= at.n).ok_or_else(|| {
        KernelError::domain(format!("`k` is {k}, and the axis has {}", counted(at.n, "element")))
    })?;
    let mut dims = x.dims().to_vec();
    dims[axis] = k;
    let mut values = call.temp(x.dtype(), &dims)?;
    let mut indices = call.alloc(place.indices, DType::I64, &dims)?;
    in_wide!(x.dtype(), T => {
        let x = x.slice::<T>()?;
        let size = k.saturating_mul(at.inner);
        // Places first, several rows at a time; the values then follow from them.
        for_rows(call.threads, indices.slice_mut::<i64>()?, size, 16, |first, piece| {
            let mut keys: Vec<u128> = Vec::with_capacity(at.n);
            for (i, out) in piece.chunks_mut(size.max(1)).enumerate() {
                for j in 0..at.inner {
                    keys.clear();
                    keys.extend((0..at.n).map(|p| {
                        let rank = x[((first + i) * at.n + p) * at.inner + j].rank();
                        u128::from(if largest { !rank } else { rank }) << 64 | p as u128
                    }));
                    if k > 0 && k < at.n {
                        keys.select_nth_unstable(k - 1);
                    }
                    keys.truncate(k);
                    keys.sort_unstable();
                    for (r, &key) in keys.iter().enumerate() {
                        out[r * at.inner + j] = key as i64;
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
    call.set(place.values, values);
    call.set(place.indices, indices);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::arg::order;
    use super::*;

    /// Ranks of all pairs compare as `order` compares the elements.
    fn agree<T: Ranked + PartialOrd + std::fmt::Debug>(elements: &[T]) {
        for a in elements {
            for b in elements {
                assert_eq!(a.rank().cmp(&b.rank()), order(a, b), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn ranks_compare_as_elements_do() {
        let nan = f32::from_bits(0xffc0_0001);
        let tiny = f32::from_bits(1);
        let floats = [f32::NEG_INFINITY, f32::MIN, -1.5, -tiny, -0.0, 0.0, tiny, 1.5, f32::MAX];
        let floats = [&floats[..], &[f32::INFINITY, f32::NAN, nan]].concat();
        agree(&floats);
        agree(&floats.iter().map(|&f| f64::from(f) * 1.000_000_001).collect::<Vec<_>>());
        agree(&[i32::MIN, -1, 0, 1, i32::MAX]);
        agree(&[i64::MIN, -1, 0, 1, i64::MAX]);
        agree(&[0, 1, u64::MAX / 2 + 1, u64::MAX]);
    }
}
