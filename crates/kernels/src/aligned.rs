//! Cache-line-aligned memory for packed operands, and scratch buffers that a thread keeps between calls.

use bytemuck::Pod;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Plain numbers: any bit pattern is a value and all-zero bits are zero.
pub trait Plain: Pod + Send + Sync {}
impl<T: Pod + Send + Sync> Plain for T {}

/// The unit of memory. The allocator gets zeros of this alignment from the system, and would write those of a larger alignment itself.
type Unit = u128;

/// Bytes of a cache line.
const LINE: usize = 64;

/// The number of units that hold `len` elements.
fn units<T>(len: usize) -> usize {
    len.saturating_mul(size_of::<T>()).div_ceil(size_of::<Unit>())
}

/// A fixed-length, 64-byte-aligned, initially zero slice.
pub(crate) struct AlignedVec<T> {
    units: Vec<Unit>,
    /// Units before the first that is aligned.
    start: usize,
    len: usize,
    elem: PhantomData<T>,
}

impl<T: Plain> AlignedVec<T> {
    /// `len` zeros.
    pub(crate) fn zeroed(len: usize) -> Self {
        Self::reusing(Vec::new(), len, |least| least)
    }

    /// `len` elements: the contents of `units` if these suffice, else zeros. `size` gives the number of units to allocate for the
    /// least number that suffices.
    fn reusing(units: Vec<Unit>, len: usize, size: impl Fn(usize) -> usize) -> Self {
        let wanted = self::units::<T>(len);
        let start = |units: &[Unit]| units.as_ptr().align_offset(LINE);
        if units.len().saturating_sub(start(&units)) >= wanted {
            return Self { start: start(&units).min(units.len()), units, len, elem: PhantomData };
        }
        // A fresh allocation, because growing would copy stale contents.
        drop(units);
        let least = wanted.saturating_add(LINE / size_of::<Unit>() - 1);
        let units = bytemuck::zeroed_vec(size(least));
        Self { start: start(&units), units, len, elem: PhantomData }
    }
}

impl<T: Plain> Deref for AlignedVec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.units[self.start..])[..self.len]
    }
}

impl<T: Plain> DerefMut for AlignedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.units[self.start..])[..self.len]
    }
}

impl<T> std::fmt::Debug for AlignedVec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AlignedVec").field("len", &self.len).finish()
    }
}

thread_local! {
    static FREE: RefCell<Vec<Vec<Unit>>> = const { RefCell::new(Vec::new()) };
}

/// Buffers that a thread keeps for later calls; larger ones go back to the system.
const KEEP_BUFFERS: usize = 4;
const KEEP_UNITS: usize = (8 << 20) / size_of::<Unit>();

/// Units of a new buffer that needs at least `least`: a power of two if the thread will keep it. Images of many sizes otherwise
/// replace buffers by slightly larger ones again and again, which leaves holes in the system's heap.
fn kept_size(least: usize) -> usize {
    if least > KEEP_UNITS { least } else { least.next_power_of_two() }
}

/// A buffer of stale contents, taken from this thread's stock and given back when dropped.
pub struct Scratch<T: Plain>(AlignedVec<T>);

impl<T: Plain> Scratch<T> {
    /// `len` elements.
    pub fn take(len: usize) -> Self {
        let units = FREE.with_borrow_mut(|free| {
            let want = units::<T>(len);
            // The smallest that fits, else any, which is then replaced.
            let best = (0..free.len()).min_by_key(|&i| {
                let have = free[i].len();
                (have < want, have)
            });
            best.map(|i| free.swap_remove(i)).unwrap_or_default()
        });
        Self(AlignedVec::reusing(units, len, kept_size))
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
        let units = std::mem::take(&mut self.0.units);
        if units.len() <= KEEP_UNITS {
            FREE.with_borrow_mut(|free| {
                if free.len() < KEEP_BUFFERS {
                    free.push(units);
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

    #[test]
    fn a_kept_buffer_serves_slightly_larger_requests() {
        let at = |len: usize| Scratch::<u8>::take(len).as_ptr() as usize;
        let first = at(3 << 20);
        assert_eq!([at((3 << 20) + 5000), at((4 << 20) - 64)], [first; 2]);
        for len in [0, 1, 64, 5 << 20, 8 << 20, 9 << 20] {
            assert_eq!(Scratch::<u8>::take(len).len(), len);
        }
        // Buffers that are not kept have no spare room.
        assert_eq!(kept_size(KEEP_UNITS), KEEP_UNITS);
        assert_eq!(kept_size(KEEP_UNITS + 1), KEEP_UNITS + 1);
    }
}
