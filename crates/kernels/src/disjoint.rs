//! A slice that tasks share, each writing its own part.

use std::marker::PhantomData;
use std::ops::Range;

/// A mutably borrowed slice whose parts go to different tasks.
pub struct Disjoint<'a, T> {
    data: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: what it gives away are mutable borrows of parts, which are as good on any thread as the elements are.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// SAFETY: through a shared reference, elements are reached only by `part` and `rows`, whose callers promise that parts in use
// do not overlap: no element is on two threads at a time.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// Parts of this slice.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { data: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// The elements of a range, which must lie in the slice.
    ///
    /// # Safety
    /// While the part is in use, no part that overlaps it is.
    #[allow(clippy::mut_from_ref, reason = "the parts do not overlap")]
    pub unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a part outside of the slice");
        // SAFETY: inside of the slice, which is borrowed mutably, and no other part overlaps, as the caller says.
        unsafe { std::slice::from_raw_parts_mut(self.data.add(range.start), range.len()) }
    }

    /// The elements from `start` on as rows of a matrix, `stride` apart.
    ///
    /// # Safety
    /// While the matrix is in use, nothing that overlaps its elements is.
    pub unsafe fn rows(&self, start: usize, stride: usize) -> Rows<'_, T> {
        assert!(start <= self.len, "rows outside of the slice");
        // SAFETY: inside of the slice.
        let data = unsafe { self.data.add(start) };
        Rows { data, len: self.len - start, stride, slice: PhantomData }
    }
}

/// Rows to write, between which others may write theirs.
pub struct Rows<'a, T> {
    data: *mut T,
    len: usize,
    stride: usize,
    slice: PhantomData<&'a mut [T]>,
}

impl<'a, T> Rows<'a, T> {
    /// The rows of a slice, `stride` apart.
    pub fn new(slice: &'a mut [T], stride: usize) -> Self {
        Self { data: slice.as_mut_ptr(), len: slice.len(), stride, slice: PhantomData }
    }

    /// The first element and the distance of rows, if there are `m` rows of `n` elements.
    pub(crate) fn of(&self, m: usize, n: usize) -> (*mut T, usize) {
        let end = m.checked_sub(1).and_then(|last| last.checked_mul(self.stride)?.checked_add(n));
        let fits = m == 0 || end.is_some_and(|end| end <= self.len) && (m == 1 || n <= self.stride);
        assert!(fits, "{m} rows of {n} elements, {} apart, in {}", self.stride, self.len);
        (self.data, self.stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_inside() {
        let mut data = [0; 10];
        let parts = Disjoint::new(&mut data);
        // SAFETY: the parts do not overlap.
        unsafe {
            parts.part(0..4).fill(1);
            parts.part(4..10).fill(2);
            assert!(std::panic::catch_unwind(|| parts.part(8..11).len()).is_err());
            assert!(std::panic::catch_unwind(|| parts.rows(11, 1).len).is_err());
            let rows = parts.rows(1, 4);
            assert_eq!(rows.of(3, 1).1, 4);
            assert!(std::panic::catch_unwind(|| rows.of(3, 2)).is_err());
            assert!(std::panic::catch_unwind(|| rows.of(2, 5)).is_err());
            assert!(std::panic::catch_unwind(|| rows.of(usize::MAX, 1)).is_err());
        }
        assert_eq!(data, [1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
    }
}
