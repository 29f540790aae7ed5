//! Whole pages, and who makes them.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, LazyLock};

/// Size of a page: the largest in use (Apple silicon has 16 KiB), so that every device can map it.
pub const PAGE: usize = 16 << 10;

/// Where a device's memory comes from. Memory is unified: what one device's provider makes, all devices can use.
pub trait MemoryProvider: Send + Sync + fmt::Debug {
    /// `len` bytes, a multiple of [`PAGE`] other than 0, or `None` where there is not enough.
    fn pages(&self, len: usize) -> Option<Pages>;

    /// Looks at memory that is given back, before anybody uses it again.
    fn recycle(&self, _bytes: &mut [u8]) {}
}

/// Memory of the system's allocator.
#[derive(Clone, Copy, Debug)]
pub struct HostMemory;

impl HostMemory {
    /// The provider, made once for all.
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

/// Pages with one owner, initialised from the start: safe code may read all of them.
pub struct Pages {
    ptr: NonNull<u8>,
    len: usize,
    /// Gives back memory that is not the system allocator's.
    release: Option<Box<dyn FnOnce() + Send>>,
}

// SAFETY: pages own their memory, which is not bound to a thread, and what releases them may be sent.
unsafe impl Send for Pages {}
// SAFETY: through shared pages nothing is accessed, and what releases them is called by their owner only; buffers and
// arenas see to who may read and write which part.
unsafe impl Sync for Pages {}

impl Pages {
    /// Pages of a device's own: a provider other than the host's makes them.
    ///
    /// # Safety
    ///
    /// `ptr` is aligned to [`PAGE`] and has `len` initialised bytes, a multiple of [`PAGE`] other than 0, which until
    /// `release` is called nobody else accesses, but for launches of the device on buffers that lie there.
    pub unsafe fn from_raw(
        ptr: NonNull<u8>,
        len: usize,
        release: Box<dyn FnOnce() + Send>,
    ) -> Pages {
        assert!(ptr.addr().get().is_multiple_of(PAGE) && len > 0 && len.is_multiple_of(PAGE));
        Pages { ptr, len, release: Some(release) }
    }

    /// Where they begin.
    pub fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    /// Size in bytes; never 0.
    #[allow(clippy::len_without_is_empty)] // there are no empty ones
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
