//! Where unpacked operands come from: anything that can fill a panel.

use std::ops::Range;

use half::{bf16, f16};

use crate::aligned::Plain;

/// A matrix operand seen as `outer × k`: the rows of A, or the columns of B, each a run of `k` elements.
pub trait Source<T>: Sync {
    /// Writes the panel `dst[p * width + i] = self[outer.start + i, k.start + p]` for `i < outer.len() <= width`, and zero
    /// for the other `i < width`; `dst` holds `k.len() * width` elements.
    fn pack(&self, outer: Range<usize>, k: Range<usize>, width: usize, dst: &mut [T]);

    /// The elements and the step between consecutive `k`, if consecutive `outer` are adjacent in memory and need no
    /// conversion: then a kernel can read B in place.
    fn in_place(&self) -> Option<(&[T], usize)> {
        None
    }

    /// The elements and the step between consecutive `outer`, if consecutive `k` are adjacent in memory and need no conversion:
    /// then a kernel can read A in place.
    fn runs(&self) -> Option<(&[T], usize)> {
        None
    }
}

/// A stored element that packing converts to the type `T` of the arithmetic.
pub trait StoredElement<T>: Copy + Sync {
    /// The conversion.
    fn widen(self) -> T;
    /// The slice itself where no conversion is needed.
    fn as_is(data: &[Self]) -> Option<&[T]>
    where
        Self: Sized,
    {
        let _ = data;
        None
    }
    /// Packs runs along `k` as [`Source::pack`] defines, from `data[start..]` on, if there is a fast way.
    #[doc(hidden)]
    fn pack_runs(
        data: &[Self],
        start: usize,
        stride: usize,
        count: usize,
        k: usize,
        width: usize,
        dst: &mut [T],
    ) -> bool
    where
        Self: Sized,
    {
        let _ = (data, start, stride, count, k, width, dst);
        false
    }
}

macro_rules! element {
    ($t:ty $(, $runs:item)?) => {
        impl StoredElement<$t> for $t {
            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            fn as_is(data: &[$t]) -> Option<&[$t]> {
                Some(data)
            }
            $($runs)?
        }
    };
}
element!(
    f32,
    fn pack_runs(
        data: &[f32],
        start: usize,
        stride: usize,
        count: usize,
        k: usize,
        width: usize,
        dst: &mut [f32],
    ) -> bool {
        super::transpose::pack_runs(data, start, stride, count, k, width, dst);
        true
    }
);
element!(f64);
element!(u8);
element!(i32);
impl StoredElement<f32> for f16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
}
impl StoredElement<f32> for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
}

/// A matrix in memory with any strides: element `(o, p)` is `data[o * outer_stride + p * k_stride]`.
///
/// For A (`m × k`) the outer stride is the distance of two rows; for B (`k × n`) it is that of two columns.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a, E> {
    /// The elements, from `(0, 0)` on.
    pub data: &'a [E],
    /// The distance of neighbours along `m` (or `n`).
    pub outer_stride: usize,
    /// The distance of neighbours along `k`.
    pub k_stride: usize,
}

impl<'a, E> Strided<'a, E> {
    /// A row-major A of `k` columns.
    pub fn rows(data: &'a [E], k: usize) -> Self {
        Self { data, outer_stride: k, k_stride: 1 }
    }

    /// A row-major B of `n` columns.
    pub fn columns(data: &'a [E], n: usize) -> Self {
        Self { data, outer_stride: 1, k_stride: n }
    }
}

impl<T: Plain + Default, E: StoredElement<T>> Source<T> for Strided<'_, E> {
    fn pack(&self, outer: Range<usize>, k: Range<usize>, width: usize, dst: &mut [T]) {
        let count = outer.len();
        debug_assert!(count <= width && dst.len() >= k.len() * width);
        if count == 0 {
            return dst[..k.len() * width].fill(T::default());
        }
        let start = outer.start * self.outer_stride + k.start * self.k_stride;
        let runs = self.k_stride == 1 && self.outer_stride != 1;
        if runs && E::pack_runs(self.data, start, self.outer_stride, count, k.len(), width, dst) {
            return;
        }
        let steps = dst.chunks_exact_mut(width).take(k.len()).enumerate();
        if self.outer_stride == 1 {
            for (p, panel) in steps {
                let at = start + p * self.k_stride;
                let row = &self.data[at..at + count];
                match E::as_is(row) {
                    Some(row) => panel[..count].copy_from_slice(row),
                    None => panel.iter_mut().zip(row).for_each(|(d, s)| *d = s.widen()),
                }
                panel[count..].fill(T::default());
            }
        } else {
            // Eight runs at a time keep their cache lines in use and the index arithmetic out of the loop.
            let last = (count - 1).checked_mul(self.outer_stride).and_then(|rows| {
                let steps = k.len().saturating_sub(1).checked_mul(self.k_stride)?;
                start.checked_add(rows)?.checked_add(steps)
            });
            assert!(k.is_empty() || last.is_some_and(|last| last < self.data.len()));
            for (p, panel) in steps {
                let at = start + p * self.k_stride;
                for (i, d) in panel[..count].iter_mut().enumerate() {
                    // SAFETY: the index is at most `last`, which is checked above.
                    *d = unsafe { self.data.get_unchecked(at + i * self.outer_stride) }.widen();
                }
                panel[count..].fill(T::default());
            }
        }
    }

    fn in_place(&self) -> Option<(&[T], usize)> {
        (self.outer_stride == 1).then(|| E::as_is(self.data)).flatten().map(|d| (d, self.k_stride))
    }

    fn runs(&self) -> Option<(&[T], usize)> {
        (self.k_stride == 1).then(|| E::as_is(self.data)).flatten().map(|d| (d, self.outer_stride))
    }
}
