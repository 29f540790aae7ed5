//! Memory of Paddle's tensors, lent to a run.

use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::Arc;

use trident_runtime::ForeignMemory;

use crate::failure::Failure;

/// Memory of a tensor, which Paddle keeps during the call of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorMemory {
    start: NonNull<u8>,
    len: usize,
}

impl TensorMemory {
    /// No memory.
    pub(crate) const NONE: TensorMemory = TensorMemory { start: NonNull::dangling(), len: 0 };

    /// The `len` bytes from `start` on; none if `start` is null.
    ///
    /// # Safety
    /// The bytes can be read and written until the kernel's call ends, and only this thread, and threads that work for it, access
    /// them meanwhile. The value is not used after the call.
    pub(super) unsafe fn new(start: *mut u8, len: usize) -> TensorMemory {
        match NonNull::new(start) {
            Some(start) if len > 0 => TensorMemory { start, len },
            _ => TensorMemory::NONE,
        }
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The first byte's address.
    pub(super) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Whether both have bytes in common.
    pub(crate) fn overlaps(&self, other: &TensorMemory) -> bool {
        overlap((self.start.addr().get(), self.len), (other.start.addr().get(), other.len))
    }

    /// Whether these bytes are the memory's own.
    pub(crate) fn is_at(&self, bytes: &[u8]) -> bool {
        (self.start(), self.len) == (bytes.as_ptr().cast_mut(), bytes.len())
    }

    /// Whether some of these bytes are the memory's own.
    pub(crate) fn overlaps_bytes(&self, bytes: &[u8]) -> bool {
        overlap((self.start.addr().get(), self.len), (bytes.as_ptr().addr(), bytes.len()))
    }

    /// Writes all bytes.
    ///
    /// # Panics
    /// If there are more or fewer, or if some of them are the memory's own.
    pub(crate) fn write(&self, bytes: &[u8]) {
        assert!(self.len == bytes.len() && !self.overlaps_bytes(bytes), "bytes of another size");
        // SAFETY: the constructor's caller promised that the bytes can be written during the call, on this thread.
        unsafe { self.start().copy_from_nonoverlapping(bytes.as_ptr(), self.len) };
    }

    /// A copy of all bytes.
    pub(crate) fn copied(&self) -> Vec<u8> {
        // SAFETY: the constructor's caller promised that the bytes can be read during the call; nobody writes while they are copied.
        unsafe { std::slice::from_raw_parts(self.start(), self.len) }.to_vec()
    }

    /// The `len` bytes from `at` on; `None` if there are fewer.
    pub(crate) fn part(&self, at: usize, len: usize) -> Option<TensorMemory> {
        at.checked_add(len).filter(|end| *end <= self.len)?;
        // SAFETY: these bytes belong to the memory, of which the constructor's caller promised that they can be accessed.
        Some(unsafe { TensorMemory::new(self.start().add(at), len) })
    }

    /// Copies `len` bytes from `from` on to place `at` of other memory, which may overlap this one.
    ///
    /// # Errors
    /// If one of the two has fewer bytes.
    pub(crate) fn copy_to(
        &self,
        from: usize,
        to: &TensorMemory,
        at: usize,
        len: usize,
    ) -> Result<(), Failure> {
        let (Some(source), Some(target)) = (self.part(from, len), to.part(at, len)) else {
            let (own, other) = (self.len, to.len);
            let text =
                format!("{len} bytes at {from} of {own} bytes, for place {at} of {other} bytes");
            return Err(Failure::invalid(text));
        };
        // SAFETY: both have this many bytes, which can be accessed during the call; they may overlap.
        unsafe { source.start().copy_to(target.start(), len) };
        Ok(())
    }

    /// Writes elements of `N` bytes, each by its position; bytes of a last part that is shorter are kept.
    pub(crate) fn generate<const N: usize>(&self, mut element: impl FnMut(usize) -> [u8; N]) {
        for at in 0..self.len / N {
            let bytes = element(at);
            // SAFETY: the constructor's caller promised that the bytes can be written; the element ends before their end.
            unsafe { self.start().add(at * N).copy_from_nonoverlapping(bytes.as_ptr(), N) };
        }
    }

    /// The memory of a test's array, which must outlive it.
    #[cfg(test)]
    pub(crate) fn of_test(words: &mut [u64]) -> TensorMemory {
        // SAFETY: tests use it while the array lives, and access the array in no other way meanwhile.
        unsafe { TensorMemory::new(words.as_mut_ptr().cast(), size_of_val(words)) }
    }

    /// Repeats a pattern; bytes of a last part that is shorter are kept.
    pub(crate) fn fill(&self, pattern: &[u8]) {
        if pattern.is_empty() || self.overlaps_bytes(pattern) {
            return;
        }
        for at in 0..self.len / pattern.len() {
            // SAFETY: the constructor's caller promised that the bytes can be written; the pattern's copies end before them.
            unsafe {
                let place = self.start().add(at * pattern.len());
                place.copy_from_nonoverlapping(pattern.as_ptr(), pattern.len());
            }
        }
    }
}

fn overlap((a, a_len): (usize, usize), (b, b_len): (usize, usize)) -> bool {
    a_len > 0 && b_len > 0 && a < b.saturating_add(b_len) && b < a.saturating_add(a_len)
}

/// The loan of tensors' memory to a run.
pub(crate) struct Loan {
    owner: Arc<()>,
}

thread_local! {
    /// The owner of all memory that this thread lends: nobody holds it between calls.
    static OWNER: RefCell<Option<Arc<()>>> = const { RefCell::new(None) };
}

/// Lends memory of tensors to `run`. Ends the process if some of it is still held when `run` returns: it would be used after Paddle
/// has freed it.
pub(super) fn lend<R>(run: impl FnOnce(&Loan) -> R) -> R {
    let owner = OWNER.with(|kept| kept.borrow_mut().take()).unwrap_or_default();
    run(&Loan { owner })
}

/// It ends the loan when `run` returns, and also when it panics.
impl Drop for Loan {
    fn drop(&mut self) {
        if Arc::strong_count(&self.owner) > 1 {
            eprintln!("trident: internal error: a run has kept memory of Paddle's tensors");
            std::process::abort();
        }
        OWNER.with(|kept| *kept.borrow_mut() = Some(self.owner.clone()));
    }
}

impl Loan {
    /// Memory that the run reads.
    pub(crate) fn readable(&self, memory: TensorMemory) -> ForeignMemory {
        // SAFETY: the memory is Paddle's until the call ends, and `lend` sees that no one holds the owner then. Nobody writes to it:
        // memory that overlaps an input is not lent for writing, and results are stored in it when the run has ended.
        unsafe { ForeignMemory::readable(memory.start, memory.len, self.owner.clone()) }
    }

    /// Memory that the run writes. It must not overlap other memory that is lent.
    pub(crate) fn writable(&self, memory: TensorMemory) -> ForeignMemory {
        // SAFETY: the memory is Paddle's until the call ends, and `lend` sees that no one holds the owner then. `launch` lends memory
        // for writing only where no operand overlaps it. All bytes are initialised: the device's allocator takes them from a pool
        // whose pages the system has cleared.
        unsafe { ForeignMemory::writable(memory.start, memory.len, self.owner.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: &mut [u8]) -> TensorMemory {
        // SAFETY: the tests use it while the array lives, and access it in no other way.
        unsafe { TensorMemory::new(bytes.as_mut_ptr(), bytes.len()) }
    }

    #[test]
    fn memory_is_written_where_it_is() {
        let mut bytes = [0u8; 6];
        let own = memory(&mut bytes);
        own.fill(&[1, 2]);
        // SAFETY: the parts lie in the array.
        let part = unsafe { TensorMemory::new(own.start().add(4), 2) };
        part.write(&[8, 9]);
        assert!(own.overlaps(&part) && part.overlaps(&own) && !part.overlaps(&TensorMemory::NONE));
        assert_eq!(bytes, [1, 2, 1, 2, 8, 9]);
    }

    #[test]
    fn a_loan_ends_with_its_run() {
        let mut bytes = [3u8; 4];
        let own = memory(&mut bytes);
        assert_eq!(lend(|loan| loan.readable(own).bytes().to_vec()), [3; 4]);
        assert_eq!(lend(|loan| Arc::strong_count(&loan.owner)), 1);
    }

    #[test]
    fn a_loan_ends_with_a_run_that_panics() {
        let kept = || OWNER.with(|kept| kept.borrow().as_ref().map(Arc::strong_count));
        assert!(std::panic::catch_unwind(|| lend(|_| panic!("a run"))).is_err());
        assert_eq!(kept(), Some(1));
    }
}
