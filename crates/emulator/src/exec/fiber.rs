//! Threads of a threadgroup as fibers: stacks of their own, between which one thread of the system switches.

use std::arch::naked_asm;
use std::ptr;
use trident_apple::metal::MetalError;

/// Bytes of a fiber's stack that a kernel may use. Unused bytes take no memory.
pub(crate) const KERNEL: usize = 1 << 20;

/// Bytes below them for what a kernel calls.
const RESERVE: usize = 32 << 10;

/// Bytes of a fiber's stack, without its guard page.
const STACK: usize = KERNEL + RESERVE;

/// Bytes of the page before a stack that no thread may touch.
const GUARD: usize = 4096;

/// Stacks of fibers, with a guard page before each.
pub(crate) struct Stacks {
    start: *mut u8,
    count: usize,
}

impl Stacks {
    pub(crate) fn new(count: usize) -> Result<Stacks, MetalError> {
        let bytes = count * (GUARD + STACK);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let failed = || MetalError::Memory {
            what: format!("the stacks of {count} threads"),
            reason: std::io::Error::last_os_error().to_string(),
        };
        // SAFETY: a new mapping at an address that the system chooses.
        let start = unsafe {
            libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(failed());
        }
        let stacks = Stacks { start: start.cast(), count };
        for i in 0..count {
            // SAFETY: the page lies in the mapping.
            let page = unsafe { stacks.start.add(i * (GUARD + STACK)) };
            // SAFETY: the page belongs to the mapping and nothing uses it.
            if unsafe { libc::mprotect(page.cast(), GUARD, libc::PROT_NONE) } != 0 {
                return Err(failed());
            }
        }
        Ok(stacks)
    }

    /// The addresses of a stack.
    pub(crate) fn range(&self, index: usize) -> std::ops::Range<usize> {
        let start = self.start as usize + index * (GUARD + STACK) + GUARD;
        start..start + STACK
    }

    /// The addresses before a stack, which no thread may touch.
    pub(crate) fn guard(&self, index: usize) -> std::ops::Range<usize> {
        let start = self.range(index).start;
        start - GUARD..start
    }

    /// Whether a function that a kernel calls has little room left at this address of a stack.
    pub(crate) fn is_short(&self, index: usize, at: usize) -> bool {
        at < self.range(index).start + RESERVE
    }

    /// The addresses of all stacks and guards.
    pub(crate) fn all(&self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.count * (GUARD + STACK)
    }

    /// Prepares a stack so that the first switch to the returned pointer calls `body`, which must not return.
    pub(crate) fn prepare(&self, index: usize, body: extern "C" fn() -> !) -> *mut u8 {
        assert!(index < self.count);
        // SAFETY: the words lie at the end of the stack of this index, which is mapped; a fiber that is prepared does
        // not run.
        unsafe {
            let end = self.start.add(index * (GUARD + STACK) + GUARD + STACK).cast::<usize>();
            // At the first instruction of a function the stack pointer is 8 more than a multiple of 16. A zero where
            // the return address would be ends back traces.
            let top = end.sub(2);
            top.add(1).write(0);
            top.write(body as usize);
            // The six registers that a switch restores.
            for i in 1..=6 {
                top.sub(i).write(0);
            }
            top.sub(6).cast()
        }
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and no fiber runs when its machine is dropped.
        unsafe { libc::munmap(self.start.cast(), self.count * (GUARD + STACK)) };
    }
}

/// Saves the registers that a call preserves, leaves the stack pointer at `save`, and goes on where `to` was saved.
///
/// # Safety
/// `to` is a pointer that this function saved or [`Stacks::prepare`] returned, and was not resumed since.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch(save: *mut *mut u8, to: *mut u8) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "jmp {resume}",
        resume = sym resume,
    )
}

/// The second half of [`switch`], for a stack pointer that is already in place: a signal handler goes here to leave a
/// fiber for good.
///
/// # Safety
/// As for `switch`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn resume() {
    naked_asm!("pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret",)
}
