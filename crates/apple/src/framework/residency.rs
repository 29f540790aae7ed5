//! Which buffers are kept where the GPU reaches them, from macOS 15 on.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_metal::{
    MTLBuffer, MTLCommandQueue, MTLDevice, MTLResidencySet, MTLResidencySetDescriptor,
};

use super::is_macos;

/// The set of all buffers of a device, which its queues use: dispatches need not name each buffer for the driver. Older
/// systems have none.
pub(super) struct Residency(Option<Mutex<Set>>);

struct Set {
    raw: Retained<ProtocolObject<dyn MTLResidencySet>>,
    /// Whether buffers were added or removed since the last commit.
    changed: bool,
}

// SAFETY: the set belongs to no thread, and the lock around it keeps its methods from being called at once.
unsafe impl Send for Set {}

impl fmt::Debug for Residency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Residency").field(&self.0.is_some()).finish()
    }
}

impl Residency {
    pub(super) fn new(device: &ProtocolObject<dyn MTLDevice>) -> Residency {
        if !is_macos(15) {
            return Residency(None);
        }
        // Without a set the driver finds out by itself, as on older systems.
        let made = device.newResidencySetWithDescriptor_error(&MTLResidencySetDescriptor::new());
        Residency(made.ok().map(|raw| Mutex::new(Set { raw, changed: false })))
    }

    fn set(&self) -> Option<MutexGuard<'_, Set>> {
        self.0.as_ref().map(|set| set.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a buffer.
    pub(super) fn add(&self, buffer: &ProtocolObject<dyn MTLBuffer>) {
        if let Some(mut set) = self.set() {
            set.raw.addAllocation(buffer.as_ref());
            set.changed = true;
        }
    }

    /// Removes a buffer, which would live as long as the set otherwise.
    pub(super) fn remove(&self, buffer: &ProtocolObject<dyn MTLBuffer>) {
        if let Some(mut set) = self.set() {
            set.raw.removeAllocation(buffer.as_ref());
            set.changed = true;
        }
    }

    /// Lets a queue use the set.
    pub(super) fn attach(&self, queue: &ProtocolObject<dyn MTLCommandQueue>) {
        if let Some(set) = self.set() {
            queue.addResidencySet(&set.raw);
        }
    }

    /// Makes changes known before a batch is committed.
    pub(super) fn update(&self) {
        if let Some(mut set) = self.set()
            && std::mem::take(&mut set.changed)
        {
            set.raw.commit();
        }
    }
}
