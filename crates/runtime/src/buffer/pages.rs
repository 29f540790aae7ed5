//! Whole pages and their providers.

use memmap2::{MmapMut, MmapRaw};
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, LazyLock};

/// Size of a page in bytes: the page size of Apple silicon, the largest of all devices, so that every device can map
/// it. The system's pages may be smaller or, on some ARM servers, larger.
pub const PAGE: usize = 16 << 10;

/// The source of a device's memory. Memory is unified: all devices can use what one device's provider allocates.
pub trait MemoryProvider: Send + Sync + fmt::Debug {
    /// Allocates `len` bytes, a multiple of [`PAGE`] other than 0; `None` if memory is insufficient.
    fn pages(&self, len: usize) -> Option<Pages>;

    /// Called with memory that was returned, before it is reused.
    fn recycle(&self, _bytes: &mut [u8]) {}
}

/// Memory from the system, which backs a page only once it is written.
#[derive(Clone, Copy, Debug)]
pub struct HostMemory;

impl HostMemory {
    /// The shared provider.
    pub fn provider() -> Arc<dyn MemoryProvider> {
        static PROVIDER: LazyLock<Arc<HostMemory>> = LazyLock::new(|| Arc::new(HostMemory));
        PROVIDER.clone()
    }
}

impl MemoryProvider for HostMemory {
    fn pages(&self, len: usize) -> Option<Pages> {
        if len == 0 || !len.is_multiple_of(PAGE) {
            return None;
        }
        // The system aligns to its own pages, which may be smaller.
        let mapped = MmapRaw::from(MmapMut::map_anon(len.checked_add(PAGE)?).ok()?);
        let start = mapped.as_mut_ptr();
        let skipped = start.addr().next_multiple_of(PAGE) - start.addr();
        // SAFETY: fewer bytes are skipped than were added.
        let ptr = NonNull::new(unsafe { start.add(skipped) })?;
        Some(Pages { ptr, len, memory: Memory::Mapped(mapped) })
    }
}

/// Whether the system takes back parts of a mapping, which must be whole pages of the system.
#[cfg(target_os = "linux")]
fn takes_parts() -> bool {
    PAGE.is_multiple_of(rustix::param::page_size())
}

/// Elsewhere bytes may change until they are written again, so they would not be initialised.
#[cfg(not(target_os = "linux"))]
fn takes_parts() -> bool {
    false
}

/// Pages with one owner, always initialised: safe code may read all of them.
pub struct Pages {
    ptr: NonNull<u8>,
    len: usize,
    memory: Memory,
}

/// The owner of pages, which releases them.
enum Memory {
    Mapped(#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "unmaps"))] MmapRaw),
    Other(Option<Box<dyn FnOnce() + Send>>),
}

// SAFETY: pages own their memory, which is not bound to a thread, and what releases it is `Send`.
unsafe impl Send for Pages {}
// SAFETY: nothing is accessed through shared pages, and only their owner releases them; buffers and arenas control
// who may read and write which part.
unsafe impl Sync for Pages {}

impl Pages {
    /// Device-specific pages, allocated by a provider other than the host's.
    ///
    /// # Safety
    ///
    /// `ptr` is aligned to [`PAGE`] and points to `len` initialised bytes, a multiple of [`PAGE`] other than 0. Until
    /// `release` is called nothing else accesses them, except launches of the device on buffers that lie there.
    pub unsafe fn from_raw(
        ptr: NonNull<u8>,
        len: usize,
        release: Box<dyn FnOnce() + Send>,
    ) -> Pages {
        assert!(ptr.addr().get().is_multiple_of(PAGE) && len > 0 && len.is_multiple_of(PAGE));
        Pages { ptr, len, memory: Memory::Other(Some(release)) }
    }

    /// Address of the first byte.
    pub fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    /// Size in bytes; never 0.
    #[allow(clippy::len_without_is_empty)] // pages are never empty
    pub fn len(&self) -> usize {
        self.len
    }
}

impl Pages {
    /// Whether parts of them can be returned to the system.
    pub(super) fn can_discard(&self) -> bool {
        matches!(self.memory, Memory::Mapped(_)) && takes_parts()
    }

    /// Returns the memory of these bytes, which are whole pages, to the system; the bytes become zero. False if that is
    /// not possible.
    ///
    /// # Safety
    ///
    /// The bytes are not in use, and are not handed out before this returns.
    pub(super) unsafe fn discard(&self, bytes: Range<usize>) -> bool {
        let whole = bytes.start.is_multiple_of(PAGE) && bytes.end.is_multiple_of(PAGE);
        assert!(whole && bytes.end <= self.len);
        #[cfg(target_os = "linux")]
        if let Memory::Mapped(mapped) = &self.memory
            && self.can_discard()
        {
            let skipped = self.ptr.addr().get() - mapped.as_ptr().addr();
            let (start, len) = (skipped + bytes.start, bytes.len());
            let advice = memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: nobody has the bytes, which lie in the mapping and are whole pages of the system: no others are
            // affected. The mapping has no file, so they become zero.
            return unsafe { mapped.unchecked_advise_range(advice, start, len) }.is_ok();
        }
        false
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if let Memory::Other(release) = &mut self.memory
            && let Some(release) = release.take()
        {
            release();
        }
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("ptr", &self.ptr).field("len", &self.len).finish()
    }
}
