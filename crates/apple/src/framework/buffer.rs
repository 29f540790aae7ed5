//! Buffers: memory of the framework's, or pages of the host's.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use trident_ir::counted;

use block2::RcBlock;
use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::{AnyObject, ProtocolObject};
use objc2::sel;
use objc2_foundation::{NSString, NSUInteger};
use objc2_metal::{MTLBuffer, MTLDevice, MTLResource, MTLResourceOptions, MTLStorageMode};

use super::Device;
use crate::metal::{MetalBuffer, MetalError, PRIVATE};

/// A buffer that the CPU and the GPU share, or a buffer of another library, which may be private to the GPU.
#[derive(Debug)]
pub(super) struct SharedBuffer {
    device: Arc<Device>,
    raw: Retained<ProtocolObject<dyn MTLBuffer>>,
    is_private: bool,
    /// Whether another library has made it. It is not in the device's set: dispatches name it.
    is_adopted: bool,
}

// SAFETY: Metal's buffers belong to no thread, and the methods that are called here only read what does not change, or set
// the label, which Metal allows from any thread. The memory is accessed under the contract of `Queue::commit`.
unsafe impl Send for SharedBuffer {}
// SAFETY: shared references call Metal's methods for properties that do not change, and `setLabel`, which Metal allows from
// several threads at a time.
unsafe impl Sync for SharedBuffer {}

impl SharedBuffer {
    /// Zeroed memory, `bytes` of it.
    pub(super) fn new(device: &Arc<Device>, bytes: usize) -> Result<SharedBuffer, MetalError> {
        autoreleasepool(|_| {
            let options = MTLResourceOptions::StorageModeShared;
            let raw = device.raw.newBufferWithLength_options(bytes, options);
            SharedBuffer::known(device, raw, bytes)
        })
    }

    /// The host's memory.
    ///
    /// # Safety
    /// As for [`crate::metal::Metal::wrap`], and the memory is whole pages.
    pub(super) unsafe fn wrap(
        device: &Arc<Device>,
        start: NonNull<u8>,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<SharedBuffer, MetalError> {
        // Metal calls the block when nothing uses the buffer any more, on any thread; if there is no buffer, the block
        // itself is dropped.
        let owner = Mutex::new(Some(owner));
        let release = RcBlock::new(move |_: NonNull<c_void>, _: NSUInteger| {
            drop(owner.lock().unwrap_or_else(PoisonError::into_inner).take());
        });
        autoreleasepool(|_| {
            // SAFETY: the memory is valid until the block drops its owner, and all that the block holds may be sent.
            let raw = unsafe {
                device.raw.newBufferWithBytesNoCopy_length_options_deallocator(
                    start.cast(),
                    bytes,
                    MTLResourceOptions::StorageModeShared,
                    Some(&release),
                )
            };
            SharedBuffer::known(device, raw, bytes)
        })
    }

    fn known(
        device: &Arc<Device>,
        raw: Option<Retained<ProtocolObject<dyn MTLBuffer>>>,
        bytes: usize,
    ) -> Result<SharedBuffer, MetalError> {
        let raw = raw.ok_or_else(|| MetalError::Memory {
            what: format!("a buffer of {}", counted(bytes, "byte")),
            reason: "Metal has made none".to_owned(),
        })?;
        device.residency.add(&raw);
        let device = Arc::clone(device);
        Ok(SharedBuffer { device, raw, is_private: false, is_adopted: false })
    }

    /// A buffer of another library.
    ///
    /// # Safety
    /// As for [`crate::metal::Metal::adopt`].
    pub(super) unsafe fn adopt(
        device: &Arc<Device>,
        handle: u64,
    ) -> Result<SharedBuffer, MetalError> {
        let foreign = |reason| MetalError::Handle { handle, reason };
        let object = std::ptr::with_exposed_provenance_mut::<AnyObject>(handle as usize);
        autoreleasepool(|_| {
            // SAFETY: the caller promises a living object.
            let object = unsafe { Retained::retain(object) };
            let object = object.ok_or_else(|| foreign("there is none"))?;
            // Nothing else in Metal answers to both.
            let class = object.class();
            if !class.responds_to(sel!(contents)) || !class.responds_to(sel!(gpuAddress)) {
                return Err(foreign("it is an object of another kind"));
            }
            // SAFETY: the object's class has the methods of a buffer.
            let raw: Retained<ProtocolObject<dyn MTLBuffer>> =
                unsafe { Retained::cast_unchecked(object) };
            if raw.device().registryID() != device.raw.registryID() {
                return Err(foreign("it belongs to another GPU"));
            }
            let is_private = raw.storageMode() == MTLStorageMode::Private;
            let device = Arc::clone(device);
            Ok(SharedBuffer { device, raw, is_private, is_adopted: true })
        })
    }

    /// The buffer, for queues of the device it belongs to.
    pub(super) fn of(&self, device: &Arc<Device>) -> Option<&ProtocolObject<dyn MTLBuffer>> {
        Arc::ptr_eq(&self.device, device).then_some(&*self.raw)
    }
}

impl MetalBuffer for SharedBuffer {
    fn bytes(&self) -> usize {
        self.raw.length()
    }

    fn contents(&self) -> NonNull<u8> {
        // Metal has no address for the CPU here.
        if self.is_private { NonNull::dangling() } else { self.raw.contents().cast() }
    }

    fn place(&self) -> usize {
        match self.is_private {
            true => self.raw.gpuAddress() as usize | PRIVATE,
            false => self.contents().as_ptr() as usize,
        }
    }

    fn handle(&self) -> u64 {
        Retained::as_ptr(&self.raw).expose_provenance() as u64
    }

    fn gpu_address(&self) -> u64 {
        self.raw.gpuAddress()
    }

    fn set_label(&self, label: &str) {
        // The label of another library's buffer is its own.
        if !self.is_adopted {
            autoreleasepool(|_| self.raw.setLabel(Some(&NSString::from_str(label))));
        }
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        if !self.is_adopted {
            self.device.residency.remove(&self.raw);
        }
    }
}
