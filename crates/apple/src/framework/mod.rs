//! The seam [`crate::metal`] on a Mac: Apple's framework, by the crate `objc2-metal`.
//!
//! Objects of the framework are thread-safe where Apple says so; the others are behind locks. Objects that a batch uses
//! are held until its completion handler has run. Memory is shared with the CPU, so nothing is ever copied.
// Objective-C methods that take addresses, or are safe for some arguments only, are unsafe to call.
#![allow(unsafe_code)]

mod archive;
mod buffer;
mod figures;
mod library;
mod queue;
mod residency;

use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;

use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSError, NSOperatingSystemVersion, NSProcessInfo};
use objc2_metal::{MTLCreateSystemDefaultDevice, MTLDevice};

use crate::metal::{CompileOptions, Library, Limits, Metal, MetalBuffer, MetalError, Queue};
use archive::Archives;
use buffer::SharedBuffer;
use library::SourceLibrary;
use queue::CommandQueue;
use residency::Residency;

/// The name of the device, in errors.
const DEVICE: &str = "metal";

/// The Mac's GPU.
#[derive(Clone, Debug)]
pub struct Gpu(Arc<Device>);

/// The state that buffers, libraries, pipelines and queues share.
#[derive(Debug)]
struct Device {
    raw: Retained<ProtocolObject<dyn MTLDevice>>,
    limits: Limits,
    residency: Residency,
    archives: Archives,
}

// Without this framework the system has no default GPU for programs without windows.
#[cfg_attr(target_os = "macos", link(name = "CoreGraphics", kind = "framework"))]
unsafe extern "C" {}

impl Gpu {
    /// Opens the system's GPU.
    ///
    /// # Errors
    /// [`MetalError::Unavailable`] without a GPU of Apple silicon.
    pub fn open() -> Result<Gpu, MetalError> {
        autoreleasepool(|_| {
            let raw = MTLCreateSystemDefaultDevice().ok_or_else(|| MetalError::Unavailable {
                device: DEVICE,
                reason: "the system has no GPU for Metal".to_owned(),
                hint: "run on a Mac with Apple silicon, and not in a virtual machine without a GPU"
                    .to_owned(),
            })?;
            let limits = figures::of(&raw)?;
            let residency = Residency::new(&raw);
            let archives = Archives::new(&limits.name);
            Ok(Gpu(Arc::new(Device { raw, limits, residency, archives })))
        })
    }
}

impl Device {
    fn check_length(&self, bytes: usize) -> Result<(), MetalError> {
        if bytes == 0 {
            let (what, reason) = ("a buffer".to_owned(), "it has no bytes".to_owned());
            return Err(MetalError::Memory { what, reason });
        }
        if bytes > self.limits.max_buffer_bytes {
            return Err(MetalError::Limit {
                what: "the length of a buffer in bytes".to_owned(),
                asked: bytes as u64,
                limit: self.limits.max_buffer_bytes as u64,
                hint: "split the tensor",
            });
        }
        Ok(())
    }
}

/// Whether the system is this version of macOS or a later one.
fn is_macos(major: isize) -> bool {
    let version =
        NSOperatingSystemVersion { majorVersion: major, minorVersion: 0, patchVersion: 0 };
    NSProcessInfo::processInfo().isOperatingSystemAtLeastVersion(version)
}

/// The framework's text for an error.
fn description(error: &NSError) -> String {
    error.localizedDescription().to_string()
}

impl Metal for Gpu {
    fn limits(&self) -> &Limits {
        &self.0.limits
    }

    fn buffer(&self, bytes: usize) -> Result<Arc<dyn MetalBuffer>, MetalError> {
        self.0.check_length(bytes)?;
        Ok(Arc::new(SharedBuffer::new(&self.0, bytes)?))
    }

    unsafe fn wrap(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<dyn MetalBuffer>, MetalError> {
        self.0.check_length(bytes)?;
        let page = self.0.limits.page_bytes;
        for (what, value) in [("the address", start.as_ptr() as usize), ("the length", bytes)] {
            if !value.is_multiple_of(page) {
                return Err(MetalError::Alignment {
                    what: format!("{what} of host memory for a buffer"),
                    value: value as u64,
                    multiple: page as u64,
                    hint: "allocate whole pages, or copy into a buffer",
                });
            }
        }
        // SAFETY: the caller promises that the memory is valid until `owner` is dropped; it was just checked to be whole pages.
        Ok(Arc::new(unsafe { SharedBuffer::wrap(&self.0, start, bytes, owner) }?))
    }

    unsafe fn adopt(&self, handle: u64) -> Result<Arc<dyn MetalBuffer>, MetalError> {
        // SAFETY: the caller promises that the object of the handle lives until this returns.
        Ok(Arc::new(unsafe { SharedBuffer::adopt(&self.0, handle) }?))
    }

    fn library(
        &self,
        source: &str,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Library>, MetalError> {
        Ok(Arc::new(SourceLibrary::new(&self.0, source, options)?))
    }

    fn queue(&self) -> Result<Arc<dyn Queue>, MetalError> {
        Ok(Arc::new(CommandQueue::new(&self.0)?))
    }
}
