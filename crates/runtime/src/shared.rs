//! A GPU as the process sees it that launches kernels on it: buffers of other libraries, memory that kernels find addresses of, and
//! the GPU's time.
// Buffers of other libraries and host memory are taken on the caller's word.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Why a GPU cannot use memory or a buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SharedGpuError(pub String);

/// The state that all launches on a GPU share.
pub trait SharedGpu: fmt::Debug + Send + Sync {
    /// Holds a buffer of another library, by its handle, without copying it.
    ///
    /// # Errors
    /// The handle does not belong to a buffer of the GPU.
    ///
    /// # Safety
    /// The handle belongs to an object that lives until this returns. Launches access its memory while they
    /// use the result.
    unsafe fn hold(&self, handle: u64) -> Result<Arc<dyn HeldBuffer>, SharedGpuError>;

    /// A buffer that this process can give away by its handle.
    ///
    /// # Errors
    /// Too many bytes, or no memory.
    fn make(&self, bytes: usize) -> Result<Arc<dyn OwnBuffer>, SharedGpuError>;

    /// Makes memory reachable by its address for kernels: memory of held buffers, or of the host.
    ///
    /// # Errors
    /// Memory that the GPU cannot use.
    ///
    /// # Safety
    /// The memory may be read and written until the result is dropped.
    unsafe fn reach(&self, memory: Range<usize>) -> Result<Arc<dyn ReachedMemory>, SharedGpuError>;

    /// A point between the launches that have ended and the later ones.
    fn mark(&self) -> LaunchMark;
}

/// A buffer of another library: launches use it for arguments that lie in it as long as this lives.
pub trait HeldBuffer: fmt::Debug + Send + Sync {
    /// The number that stands for the address of its first byte in launches.
    fn place(&self) -> usize;
    /// Length in bytes.
    fn bytes(&self) -> usize;
}

/// Memory that kernels may reach by addresses that they read or compute, as long as this value lives.
pub trait ReachedMemory: fmt::Debug + Send + Sync {
    /// The address of its first byte in kernels.
    fn address(&self) -> u64;
}

/// A buffer that this process has made.
pub trait OwnBuffer: fmt::Debug + Send + Sync {
    /// The number by which other libraries of this process know the buffer.
    fn handle(&self) -> u64;
    /// The first byte, in the CPU's address space.
    fn contents(&self) -> NonNull<u8>;
}

/// A point between launches.
#[derive(Clone, Debug)]
pub struct LaunchMark {
    launches: u64,
    end: Duration,
    next: Arc<OnceLock<Duration>>,
}

impl LaunchMark {
    /// The point after `launches` launches, the last of which ended at `end`; `next` receives the beginning of the
    /// following launch.
    pub fn new(launches: u64, end: Duration, next: Arc<OnceLock<Duration>>) -> LaunchMark {
        LaunchMark { launches, end, next }
    }

    /// The GPU's time from the begin of the first launch after this mark to the end of the last one before `end`; `None` without
    /// a launch in between.
    pub fn until(&self, end: &LaunchMark) -> Option<Duration> {
        let start = *self.next.get()?;
        (end.launches > self.launches).then(|| end.end.saturating_sub(start))
    }
}
