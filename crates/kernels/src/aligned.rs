//! Cache-line-aligned memory for packed operands, and scratch buffers that a thread keeps between calls.

use bytemuck::{Pod, Zeroable};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Plain numbers: any bit pattern is a value and all-zero bits are zero.
pub trait Plain: Pod + Send + Sync {}
impl<T: Pod + Send + Sync> Plain for T {}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// A fixed-length, 64-byte-aligned, initially zero slice.
pub(crate) struct AlignedVec<T> {
    lines: Vec<Line>,
    len: usize,
    elem: PhantomData<T>,
}

impl<T: Plain> AlignedVec<T> {
    /// `len` zeros.
    pub(crate) fn zeroed(len: usize) -> Self {
        let mut vec = Self { lines: Vec::new(), len: 0, elem: PhantomData };
        vec.set_len(len);
        vec
    }

    /// Changes the length; what was there stays or is stale, what is allocated is zero.
    fn set_len(&mut self, len: usize) {
        let lines = len.saturating_mul(size_of::<T>()).div_ceil(64);
        if lines > self.lines.len() {
            // A fresh allocation, because growing would copy stale contents.
            self.lines = Vec::new();
            // Fresh pages of the system are zero already.
            self.lines = bytemuck::zeroed_vec(lines);
        }
        self.len = len;
    }
}

impl<T: Plain> Deref for AlignedVec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl<T: Plain> DerefMut for AlignedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

impl<T> std::fmt::Debug for AlignedVec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AlignedVec").field("len", &self.len).finish()
    }
}

thread_local! {
    static FREE: RefCell<Vec<Vec<Line>>> = const { RefCell::new(Vec::new()) };
}

/// What a thread keeps for later calls; larger buffers go back to the system.
const KEEP_BUFFERS: usize = 4;
const KEEP_LINES: usize = (8 << 20) / 64;

/// A buffer of stale contents, taken from this thread's stock and given back when dropped.
pub struct Scratch<T: Plain>(AlignedVec<T>);

impl<T: Plain> Scratch<T> {
    /// `len` elements.
    pub fn take(len: usize) -> Self {
        let lines = FREE.with_borrow_mut(|free| {
            let want = len.saturating_mul(size_of::<T>()).div_ceil(64);
            // The smallest that fits, else any, which is then replaced.
            let best = (0..free.len()).min_by_key(|&i| {
                let have = free[i].len();
                (have < want, have)
            });
            best.map(|i| free.swap_remove(i)).unwrap_or_default()
        });
        let mut vec = AlignedVec { lines, len: 0, elem: PhantomData };
        vec.set_len(len);
        Self(vec)
    }
}

impl<T: Plain> Deref for Scratch<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Plain> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Plain> Drop for Scratch<T> {
    fn drop(&mut self) {
        let lines = std::mem::take(&mut self.0.lines);
        if lines.len() <= KEEP_LINES {
            FREE.with_borrow_mut(|free| {
                if free.len() < KEEP_BUFFERS {
                    free.push(lines);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_zeroed_and_reused() {
        let v = AlignedVec::<f32>::zeroed(100);
        assert_eq!(v.as_ptr() as usize % 64, 0);
        assert!(v.len() == 100 && v.iter().all(|&x| x == 0.0));
        assert!(AlignedVec::<f64>::zeroed(0).is_empty());
        let first = Scratch::<u8>::take(1000).as_ptr() as usize;
        assert_eq!(Scratch::<f32>::take(200).as_ptr() as usize, first);
        let (a, b) = (Scratch::<f32>::take(10), Scratch::<f32>::take(10));
        assert_ne!(a.as_ptr(), b.as_ptr());
    }
}
