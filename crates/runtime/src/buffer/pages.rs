//! Whole pages and their providers.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, LazyLock};

/// Size of a page in bytes: the largest in use (Apple silicon has 16 KiB), so that every device can map it.
pub const PAGE: usize = 16 << 10;

/// The source of a device's memory. Memory is unified: all devices can use what one device's provider allocates.
pub trait MemoryProvider: Send + Sync + fmt::Debug {
    /// Allocates `len` bytes, a multiple of [`PAGE`] other than 0; `None` if memory is insufficient.
    fn pages(&self, len: usize) -> Option<Pages>;

    /// Called with memory that was returned, before it is reused.
    fn recycle(&self, _bytes: &mut [u8]) {}
}

/// Memory from the system's allocator.
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
        let layout = Layout::from_size_align(len, PAGE).ok()?;
        // SAFETY: the layout's size is not 0.
        let ptr = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Pages { ptr, len, release: None })
    }
}

/// Pages with one owner, always initialised: safe code may read all of them.
pub struct Pages {
    ptr: NonNull<u8>,
    len: usize,
    /// Releases memory that does not come from the system's allocator.
    release: Option<Box<dyn FnOnce() + Send>>,
}

// SAFETY: pages own their memory, which is not bound to a thread, and `release` is `Send`.
unsafe impl Send for Pages {}
// SAFETY: nothing is accessed through shared pages, and only their owner calls `release`; buffers and arenas control
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
        Pages { ptr, len, release: Some(release) }
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

impl Drop for Pages {
    fn drop(&mut self) {
        match self.release.take() {
            Some(release) => release(),
            None => {
                if let Ok(layout) = Layout::from_size_align(self.len, PAGE) {
                    // SAFETY: allocated in `HostMemory::pages` with this layout.
                    unsafe { dealloc(self.ptr.as_ptr(), layout) }
                }
            }
        }
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("ptr", &self.ptr).field("len", &self.len).finish()
    }
}
