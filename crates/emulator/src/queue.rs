//! Queues: a thread each, which runs batches in their order.
#![allow(unsafe_code)] // the seam makes `commit` unsafe, as kernels access memory by address

use crate::buffer::HostBuffer;
use crate::device::Device;
use crate::dispatch;
use crate::library::HostPipeline;
use std::fmt;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;
use trident_apple::metal::{
    Argument, Batch, Completion, Dispatch, GpuTimes, MetalError, Pending, Queue, Resident,
};

type Result<T> = std::result::Result<T, MetalError>;

/// A queue of the emulator. Its thread ends when it is dropped, after the batches that were committed.
pub(crate) struct HostQueue {
    device: Arc<Device>,
    sender: Mutex<Sender<(Batch, Arc<Pending>)>>,
}

impl fmt::Debug for HostQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostQueue").finish_non_exhaustive()
    }
}

impl HostQueue {
    pub(crate) fn new(device: Arc<Device>) -> Result<HostQueue> {
        let (sender, receiver) = channel::<(Batch, Arc<Pending>)>();
        let owner = Arc::clone(&device);
        let run = move || {
            for (batch, state) in receiver {
                // SAFETY: `commit` has checked the batch, and its caller promises the rest.
                let result = unsafe { run(&owner, &batch) };
                drop(batch);
                state.finish(result);
            }
        };
        let thread = std::thread::Builder::new().name("metal-emulated".to_owned()).spawn(run);
        thread.map_err(|error| MetalError::Memory {
            what: "a queue".to_owned(),
            reason: error.to_string(),
        })?;
        Ok(HostQueue { device, sender: Mutex::new(sender) })
    }
}

/// Runs the dispatches of a batch.
///
/// # Safety
/// As for [`Queue::commit`], with a batch that `HostQueue::check` has passed.
unsafe fn run(device: &Device, batch: &Batch) -> Result<GpuTimes> {
    // One for all devices of a process, which are one GPU's.
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let start = START.elapsed();
    for one in &batch.dispatches {
        // SAFETY: the dispatch is of a batch that was checked; the caller promises that nothing else uses its memory until the
        // batch is done.
        unsafe { dispatch::run(device, one)? };
    }
    Ok(GpuTimes { start, end: START.elapsed() })
}

impl HostQueue {
    /// Whether a dispatch fits its kernel and this device.
    fn check(&self, dispatch: &Dispatch) -> Result<()> {
        let name = &dispatch.pipeline.info().function;
        let foreign = |what: String| MetalError::Foreign { kernel: name.clone(), what };
        let pipeline = dispatch.pipeline.downcast::<HostPipeline>();
        let pipeline = pipeline.filter(|pipeline| Arc::ptr_eq(&pipeline.device, &self.device));
        let Some(pipeline) = pipeline else { return Err(foreign("the pipeline".to_owned())) };
        dispatch.check(&self.device.options.limits)?;
        for binding in &dispatch.bindings {
            if let Argument::Buffer { buffer, .. } = &binding.argument
                && buffer.downcast::<HostBuffer>().is_none()
            {
                return Err(foreign(format!("the buffer in slot {}", binding.slot)));
            }
        }
        let foreign_buffer = |one: &Resident| one.buffer.downcast::<HostBuffer>().is_none();
        if dispatch.resident.iter().any(foreign_buffer) {
            return Err(foreign("a resident buffer".to_owned()));
        }
        for (slot, parameter, writes) in &pipeline.kernel.buffers {
            let wrong = |reason: String| {
                Err(MetalError::Binding { kernel: name.clone(), slot: *slot, reason })
            };
            let binding = dispatch.bindings.iter().find(|binding| binding.slot == *slot);
            match binding.map(|binding| &binding.argument) {
                None => {
                    return wrong(format!("is not bound; hint: `{parameter}` needs an argument"));
                }
                Some(Argument::Bytes(_)) if *writes => {
                    return wrong(format!(
                        "has inline bytes, which the kernel may write through `{parameter}`; hint: use a buffer"
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Queue for HostQueue {
    unsafe fn commit(&self, batch: Batch) -> Result<Arc<dyn Completion>> {
        for dispatch in &batch.dispatches {
            self.check(dispatch)?;
        }
        let state = Arc::new(Pending::default());
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = |_| MetalError::Memory {
            what: "a batch".to_owned(),
            reason: "the thread of the queue has ended".to_owned(),
        };
        sender.send((batch, Arc::clone(&state))).map_err(lost)?;
        Ok(state)
    }
}
