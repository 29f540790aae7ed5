//! Memory outside of this program's control: bytes that clients may change at any time, and memory that other owners lend.
#![allow(unsafe_code)]

mod memory;

pub(crate) use memory::overlap;
pub use memory::{AliasGroup, ForeignMemory, Owner};

use std::fmt;
use std::slice;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

/// Bytes that can be copied into a tensor; see [`Tensor::gather`](crate::Tensor::gather).
pub trait ByteSource {
    /// The number of bytes.
    fn size(&self) -> usize;

    /// Copies the bytes.
    ///
    /// # Panics
    /// If `to` has another length than [`ByteSource::size`].
    fn copy_to(&self, to: &mut [u8]);
}

impl ByteSource for &[u8] {
    fn size(&self) -> usize {
        self.len()
    }

    fn copy_to(&self, to: &mut [u8]) {
        to.copy_from_slice(self);
    }
}

/// Bytes that others may write to at any time. A `&[u8]` would promise the compiler that they do not change, so they
/// can only be copied: each byte is read once, and the copy is stable.
#[derive(Clone, Copy)]
pub struct ForeignBytes<'a>(&'a [AtomicU8]);

/// Words copied at a time. The compiler does not vectorise atomic loads, but it unrolls them.
type Block = [AtomicUsize; 8];

impl<'a> ForeignBytes<'a> {
    /// The `len` bytes from `start` on. `start` may be null if there are none.
    ///
    /// # Safety
    /// The bytes are readable for `'a`. During that time, only other processes write to them.
    pub unsafe fn new(start: *const u8, len: usize) -> ForeignBytes<'a> {
        if len == 0 {
            return ForeignBytes(&[]);
        }
        // SAFETY: the caller promises that the bytes are readable. Bytes behind an `AtomicU8` may change while they are borrowed,
        // and what another process writes arrives as if by atomic stores.
        ForeignBytes(unsafe { slice::from_raw_parts(start.cast::<AtomicU8>(), len) })
    }
}

impl<'a> From<&'a [u8]> for ForeignBytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        // SAFETY: the bytes are readable, and nothing writes to them while they are borrowed.
        unsafe { ForeignBytes::new(bytes.as_ptr(), bytes.len()) }
    }
}

impl ByteSource for ForeignBytes<'_> {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn copy_to(&self, to: &mut [u8]) {
        assert_eq!(self.0.len(), to.len(), "a copy of another length");
        // SAFETY: aligned atomic bytes are atomic words: both may change, and have no invalid values. No thread of this process
        // writes to them, so no accesses of different sizes race by the language's rules.
        let (head, blocks, tail) = unsafe { self.0.align_to::<Block>() };
        let (to_head, rest) = to.split_at_mut(head.len());
        let (to_blocks, to_tail) = rest.split_at_mut(size_of_val(blocks));
        for (to, block) in to_blocks.chunks_exact_mut(size_of::<Block>()).zip(blocks) {
            let words = block.each_ref().map(|word| word.load(Relaxed).to_ne_bytes());
            to.copy_from_slice(words.as_flattened());
        }
        let to_ends = to_head.iter_mut().chain(to_tail);
        for (to, byte) in to_ends.zip(head.iter().chain(tail)) {
            *to = byte.load(Relaxed);
        }
    }
}

impl fmt::Debug for ForeignBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ForeignBytes({} bytes)", self.0.len())
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    #[test]
    fn copies_are_whole_wherever_they_begin_and_end() {
        let memory: Vec<u8> = (0..400u16).map(|i| (i % 251) as u8).collect();
        for start in 0..20 {
            for end in start..memory.len() {
                let bytes = &memory[start..end];
                // SAFETY: `memory` outlives the bytes, and nothing writes to it.
                let foreign = unsafe { ForeignBytes::new(bytes.as_ptr(), bytes.len()) };
                let mut copy = vec![255; foreign.size()];
                foreign.copy_to(&mut copy);
                assert!(copy.iter().zip(start..end).all(|(byte, i)| *byte == (i % 251) as u8));
            }
        }
    }

    #[test]
    fn nothing_may_lie_nowhere() {
        // SAFETY: there are no bytes.
        let nothing = unsafe { ForeignBytes::new(std::ptr::null(), 0) };
        nothing.copy_to(&mut []);
        assert_eq!(nothing.size(), 0);
    }

    #[test]
    #[should_panic(expected = "a copy of another length")]
    fn a_copy_of_another_length_is_refused() {
        let memory = [0; 9];
        // SAFETY: nothing writes to the bytes, which live until the copy is refused.
        unsafe { ForeignBytes::new(memory.as_ptr(), memory.len()) }.copy_to(&mut [0; 8]);
    }
}
