//! Elements that become others of their type, in their place or elsewhere.

use std::marker::PhantomData;

/// Equally many elements to read and to write: two slices, or one for both.
pub struct InOut<'a, T> {
    x: *const T,
    y: *mut T,
    len: usize,
    slices: PhantomData<(&'a [T], &'a mut [T])>,
}

impl<'a, T: Copy> InOut<'a, T> {
    /// From one slice to another of the same length.
    #[inline(always)]
    pub fn new(x: &'a [T], y: &'a mut [T]) -> Self {
        assert!(x.len() == y.len(), "{} elements into {}", x.len(), y.len());
        Self { x: x.as_ptr(), y: y.as_mut_ptr(), len: y.len(), slices: PhantomData }
    }

    /// In their place.
    #[inline(always)]
    pub fn in_place(y: &'a mut [T]) -> Self {
        let (p, len) = (y.as_mut_ptr(), y.len());
        Self { x: p, y: p, len, slices: PhantomData }
    }

    /// `len` elements from `x` to `y`.
    ///
    /// # Safety
    /// For `'a`, those at `x` are readable and those at `y` writable, nothing else touches the latter, and they are the
    /// same or do not overlap.
    #[inline(always)]
    pub unsafe fn from_raw(x: *const T, y: *mut T, len: usize) -> Self {
        Self { x, y, len, slices: PhantomData }
    }

    /// The elements to read.
    #[inline(always)]
    pub fn input(&self) -> &[T] {
        // SAFETY: readable, and written only through `self`, which is borrowed.
        unsafe { std::slice::from_raw_parts(self.x, self.len) }
    }

    /// The same elements for a while.
    #[inline(always)]
    pub fn reborrow(&mut self) -> InOut<'_, T> {
        InOut { x: self.x, y: self.y, len: self.len, slices: PhantomData }
    }

    /// The places to write.
    #[inline(always)]
    pub fn output(self) -> &'a mut [T] {
        // SAFETY: writable, and whoever has read them through `self` is done.
        unsafe { std::slice::from_raw_parts_mut(self.y, self.len) }
    }

    /// Where to read, where to write, and how many. For as long as the slices are borrowed, as many elements are readable and
    /// writable, and only what is written at a place changes what is read there.
    #[inline(always)]
    pub fn into_raw(self) -> (*const T, *mut T, usize) {
        (self.x, self.y, self.len)
    }

    /// How many are left.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none are left.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes the next `n` elements off, if that many are left.
    #[inline(always)]
    pub fn next_part(&mut self, n: usize) -> Option<InOut<'a, T>> {
        if n == 0 || self.len < n {
            return None;
        }
        let part = InOut { x: self.x, y: self.y, len: n, slices: PhantomData };
        // SAFETY: at least `n` elements are left, so both pointers stay inside of their slices or at their ends.
        (self.x, self.y) = unsafe { (self.x.add(n), self.y.add(n)) };
        self.len -= n;
        Some(part)
    }
}
