//! Buffers: pages of their own between pages that fault, or the host's memory.
#![allow(unsafe_code)] // maps pages

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use trident_apple::metal::{MetalBuffer, MetalError};

/// Bytes without access before and after each buffer.
const GUARD: usize = 64 << 10;

/// Bytes of a page of an Apple GPU.
pub(crate) const PAGE: usize = 16 << 10;

enum Memory {
    /// A mapping: its start and all of its bytes, guards included.
    Own(NonNull<u8>, usize),
    /// The host's, as long as the owner lives.
    Wrapped { _owner: Box<dyn Any + Send + Sync> },
}

/// A buffer of the emulator.
pub(crate) struct HostBuffer {
    start: NonNull<u8>,
    bytes: usize,
    _memory: Memory,
    state: Mutex<State>,
    handle: OnceLock<u64>,
    /// The buffer itself, for the table of handles.
    this: Weak<HostBuffer>,
}

/// Buffers of this process that were shared with other libraries, by their handles.
static HANDLES: Mutex<Option<HashMap<u64, Weak<HostBuffer>>>> = Mutex::new(None);

/// The next handle. It cannot be confused with an address, because no processor has such addresses.
static NEXT: AtomicU64 = AtomicU64::new(0x4d54_4c00_0000_0000);

#[derive(Default)]
struct State {
    label: String,
    /// Which bytes have a value, after `discard`.
    written: Option<Vec<bool>>,
}

// SAFETY: the memory is plain bytes, which kernels and the host access under the contract of `Queue::commit`; the rest is
// behind a lock or sendable.
unsafe impl Send for HostBuffer {}
// SAFETY: a shared buffer gives out pointers to its memory, never references; the state is behind a lock, and the handle is
// set once.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Zeroed memory.
    pub(crate) fn new(bytes: usize) -> Result<Arc<HostBuffer>, MetalError> {
        let room = bytes.next_multiple_of(PAGE);
        let all = room + 2 * GUARD;
        let failed = || MetalError::Memory {
            what: format!("a buffer of {bytes} bytes"),
            reason: std::io::Error::last_os_error().to_string(),
        };
        // Some pages more, as the system's are smaller than a GPU's.
        let mapped = all + PAGE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the system chooses.
        let base = unsafe { libc::mmap(ptr::null_mut(), mapped, libc::PROT_NONE, flags, -1, 0) };
        let base = NonNull::new(base.cast::<u8>()).filter(|_| base != libc::MAP_FAILED);
        let Some(base) = base else { return Err(failed()) };
        let memory = Memory::Own(base, mapped);
        let padding =
            (base.as_ptr() as usize + GUARD).next_multiple_of(PAGE) - base.as_ptr() as usize;
        // SAFETY: GUARD <= padding < GUARD + PAGE, so padding + room + GUARD <= mapped.
        let start = unsafe { base.add(padding) };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the pages lie in the new mapping.
        let opened = unsafe { libc::mprotect(start.as_ptr().cast(), room, access) };
        if opened == 0 { Ok(HostBuffer::shared(start, bytes, memory)) } else { Err(failed()) }
    }

    fn shared(start: NonNull<u8>, bytes: usize, memory: Memory) -> Arc<HostBuffer> {
        Arc::new_cyclic(|this| HostBuffer {
            start,
            bytes,
            _memory: memory,
            state: Mutex::default(),
            handle: OnceLock::new(),
            this: this.clone(),
        })
    }

    /// The buffer that a handle stands for, if one of this process does.
    pub(crate) fn of_handle(handle: u64) -> Option<Arc<HostBuffer>> {
        let known = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref()?.get(&handle)?.upgrade()
    }

    /// The host's memory.
    pub(crate) fn wrap(
        start: NonNull<u8>,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Arc<HostBuffer> {
        HostBuffer::shared(start, bytes, Memory::Wrapped { _owner: owner })
    }

    fn state<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The name given to it, or an empty one.
    pub(crate) fn label(&self) -> String {
        self.state(|state| state.label.clone())
    }

    /// Which of some bytes have a value, if that is known.
    pub(crate) fn known(&self, bytes: Range<usize>) -> Option<Vec<bool>> {
        self.state(|state| state.written.as_ref().map(|written| written[bytes].to_vec()))
    }

    /// Marks bytes from `offset` on as having a value.
    pub(crate) fn add_known(&self, offset: usize, known: &[bool]) {
        self.state(|state| {
            if let Some(written) = &mut state.written {
                for (written, known) in written[offset..].iter_mut().zip(known) {
                    *written |= known;
                }
            }
        });
    }
}

impl MetalBuffer for HostBuffer {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn contents(&self) -> NonNull<u8> {
        self.start
    }

    fn gpu_address(&self) -> u64 {
        self.start.as_ptr() as u64
    }

    fn handle(&self) -> u64 {
        *self.handle.get_or_init(|| {
            let mut known = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
            let known = known.get_or_insert_default();
            known.retain(|_, buffer| buffer.strong_count() > 0);
            let handle = NEXT.fetch_add(1, Ordering::Relaxed);
            known.insert(handle, Weak::clone(&self.this));
            handle
        })
    }

    fn set_label(&self, label: &str) {
        self.state(|state| label.clone_into(&mut state.label));
    }

    fn discard(&self) {
        self.state(|state| state.written = Some(vec![false; self.bytes]));
    }

    fn written(&self, offset: usize, bytes: usize) {
        let offset = offset.min(self.bytes);
        let known = vec![true; bytes.min(self.bytes - offset)];
        self.add_known(offset, &known);
    }
}

impl fmt::Debug for HostBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuffer")
            .field("label", &self.label())
            .field("bytes", &self.bytes)
            .finish()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Memory::Own(base, bytes) = self {
            // SAFETY: the mapping is this value's own; batches that use the buffer hold it.
            unsafe { libc::munmap(base.as_ptr().cast(), *bytes) };
        }
    }
}
