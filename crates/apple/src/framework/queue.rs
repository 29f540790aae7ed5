//! Queues: a batch is one command buffer with one encoder, whose dispatches run at the same time where they may.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use block2::RcBlock;
use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSError, NSString};
use objc2_metal::{
    MTLBarrierScope, MTLCommandBuffer, MTLCommandBufferError, MTLCommandBufferStatus,
    MTLCommandEncoder, MTLCommandQueue, MTLComputeCommandEncoder, MTLComputePipelineState,
    MTLDevice, MTLDispatchType, MTLResourceUsage, MTLSize,
};

use super::buffer::SharedBuffer;
use super::library::ComputePipeline;
use super::{Device, description};
use crate::metal::{
    Argument, Batch, Completion, Dispatch, GpuTimes, MetalBuffer, MetalError, Order, Pending, Queue,
};

/// A queue of the GPU.
#[derive(Debug)]
pub(super) struct CommandQueue {
    device: Arc<Device>,
    raw: Retained<ProtocolObject<dyn MTLCommandQueue>>,
}

type Encoder = ProtocolObject<dyn MTLComputeCommandEncoder>;

impl CommandQueue {
    pub(super) fn new(device: &Arc<Device>) -> Result<CommandQueue, MetalError> {
        let raw = autoreleasepool(|_| device.raw.newCommandQueue());
        let raw = raw.ok_or_else(|| missing("a queue"))?;
        device.residency.attach(&raw);
        Ok(CommandQueue { device: Arc::clone(device), raw })
    }

    /// Compares a dispatch with its kernel and this device.
    fn check<'a>(&self, dispatch: &'a Dispatch) -> Result<Checked<'a>, MetalError> {
        let name = &dispatch.pipeline.info().function;
        let foreign = |what: String| MetalError::Foreign { kernel: name.clone(), what };
        let known = dispatch.pipeline.downcast::<ComputePipeline>();
        let known = known.and_then(|known| Some((known, known.of(&self.device)?)));
        let Some((kernel, pipeline)) = known else {
            return Err(foreign("the pipeline".to_owned()));
        };
        dispatch.check(&self.device.limits)?;
        let mut buffers = Vec::new();
        for binding in &dispatch.bindings {
            if let Argument::Buffer { buffer, at, .. } = &binding.argument {
                let raw = self.raw_buffer(buffer);
                let raw =
                    raw.ok_or_else(|| foreign(format!("the buffer in slot {}", binding.slot)))?;
                buffers.push((raw, *at, binding.slot as usize));
            }
        }
        let resident = dispatch.resident.iter().map(|resident| self.raw_buffer(&resident.buffer));
        let resident: Option<Vec<_>> = resident.collect();
        let resident = resident.ok_or_else(|| foreign("a resident buffer".to_owned()))?;
        for parameter in &kernel.parameters {
            let wrong = |reason: String| {
                let (kernel, slot) = (name.clone(), parameter.slot);
                Err(MetalError::Binding { kernel, slot, reason })
            };
            let name = &parameter.name;
            let mut bindings = dispatch.bindings.iter();
            match bindings.find(|b| b.slot == parameter.slot).map(|binding| &binding.argument) {
                None => return wrong(format!("is not bound; hint: `{name}` needs an argument")),
                Some(Argument::Bytes(_)) if parameter.writes => {
                    return wrong(format!(
                        "has inline bytes, which the kernel may write through `{name}`; hint: use a buffer"
                    ));
                }
                _ => {}
            }
        }
        Ok(Checked { dispatch, kernel, pipeline, buffers, resident })
    }

    fn raw_buffer<'a>(
        &self,
        buffer: &'a Arc<dyn MetalBuffer>,
    ) -> Option<&'a ProtocolObject<dyn objc2_metal::MTLBuffer>> {
        buffer.downcast::<SharedBuffer>()?.of(&self.device)
    }
}

/// A dispatch and the framework's objects in it.
struct Checked<'a> {
    dispatch: &'a Dispatch,
    kernel: &'a ComputePipeline,
    pipeline: &'a ProtocolObject<dyn MTLComputePipelineState>,
    /// With offset and slot.
    buffers: Vec<(&'a ProtocolObject<dyn objc2_metal::MTLBuffer>, usize, usize)>,
    resident: Vec<&'a ProtocolObject<dyn objc2_metal::MTLBuffer>>,
}

impl Checked<'_> {
    fn encode(&self, encoder: &Encoder) {
        encoder.setComputePipelineState(self.pipeline);
        for (buffer, offset, slot) in &self.buffers {
            // SAFETY: `check` has compared the slot and the offset with their limits.
            unsafe { encoder.setBuffer_offset_atIndex(Some(*buffer), *offset, *slot) };
        }
        for binding in &self.dispatch.bindings {
            if let Argument::Bytes(bytes) = &binding.argument {
                let address = NonNull::from(&**bytes).cast::<c_void>();
                // SAFETY: there are that many bytes, within Metal's limit, and the method copies them.
                unsafe {
                    encoder.setBytes_length_atIndex(address, bytes.len(), binding.slot as usize);
                };
            }
        }
        for (index, bytes) in &self.dispatch.threadgroup_memory {
            // SAFETY: `check` has compared the length with the limit; Metal has an index for each that MSL has.
            unsafe {
                encoder.setThreadgroupMemoryLength_atIndex(*bytes as usize, *index as usize);
            };
        }
        for buffer in &self.resident {
            // Metal also orders command buffers by what is named here.
            let usage = MTLResourceUsage::Read | MTLResourceUsage::Write;
            encoder.useResource_usage((*buffer).as_ref(), usage);
        }
        let size = |sizes: [u32; 3]| MTLSize {
            width: sizes[0] as usize,
            height: sizes[1] as usize,
            depth: sizes[2] as usize,
        };
        let threads = size(self.dispatch.threads);
        match self.dispatch.grid {
            Some(grid) => encoder.dispatchThreads_threadsPerThreadgroup(size(grid), threads),
            None => {
                let groups = size(self.dispatch.groups);
                encoder.dispatchThreadgroups_threadsPerThreadgroup(groups, threads);
            }
        }
    }
}

fn missing(what: &str) -> MetalError {
    let reason = "Metal has made none".to_owned();
    MetalError::Memory { what: what.to_owned(), reason }
}

impl Queue for CommandQueue {
    unsafe fn commit(&self, batch: Batch) -> Result<Arc<dyn Completion>, MetalError> {
        let batch = Arc::new(batch);
        autoreleasepool(|_| {
            let checked = batch.dispatches.iter().map(|dispatch| self.check(dispatch));
            let checked = checked.collect::<Result<Vec<_>, _>>()?;
            let buffer = self.raw.commandBuffer().ok_or_else(|| missing("a batch"))?;
            let encoder = buffer.computeCommandEncoderWithDispatchType(MTLDispatchType::Concurrent);
            let encoder = encoder.ok_or_else(|| missing("a batch"))?;
            let mut names: Vec<&str> = vec![];
            let mut order = Order::default();
            for one in &checked {
                let name = one.dispatch.pipeline.info().function.as_str();
                if !names.contains(&name) {
                    names.push(name);
                }
                let writes = |slot| {
                    one.kernel.parameters.iter().any(|known| known.slot == slot && known.writes)
                };
                if order.add(one.dispatch, writes) {
                    encoder.memoryBarrierWithScope(MTLBarrierScope::Buffers);
                }
                one.encode(&encoder);
            }
            encoder.endEncoding();
            let names = names.join("`, `");
            buffer.setLabel(Some(&NSString::from_str(&names)));
            let pending = Arc::new(Pending::default());
            let done = Arc::clone(&pending);
            // The block holds what the kernels use until they have run.
            let held = Arc::clone(&batch);
            let handler =
                RcBlock::new(move |raw: NonNull<ProtocolObject<dyn MTLCommandBuffer>>| {
                    let _ = &held;
                    // SAFETY: Metal passes the command buffer, which lives while it calls the block.
                    done.finish(autoreleasepool(|_| result(unsafe { raw.as_ref() }, &names)));
                });
            // SAFETY: the block takes what Metal passes, and may be called on any thread: what it holds can be sent and
            // shared. Metal retains it.
            unsafe { buffer.addCompletedHandler(RcBlock::as_ptr(&handler)) };
            self.device.residency.update();
            buffer.commit();
            Ok(pending as Arc<dyn Completion>)
        })
    }
}

/// How a command buffer has ended, and when it ran.
fn result(
    buffer: &ProtocolObject<dyn MTLCommandBuffer>,
    kernels: &str,
) -> Result<GpuTimes, MetalError> {
    if buffer.status() != MTLCommandBufferStatus::Completed {
        return Err(failure(buffer.error().as_deref(), kernels));
    }
    // Seconds since the system's start.
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
    Ok(GpuTimes { start: time(buffer.GPUStartTime()), end: time(buffer.GPUEndTime()) })
}

fn failure(error: Option<&NSError>, kernels: &str) -> MetalError {
    let Some(error) = error else {
        let reason = "the GPU does not say why".to_owned();
        return MetalError::Execution { kernel: kernels.to_owned(), reason };
    };
    let message = description(error);
    let hint = match MTLCommandBufferError(error.code() as usize) {
        MTLCommandBufferError::OutOfMemory => {
            return MetalError::Memory { what: format!("kernel `{kernels}`"), reason: message };
        }
        MTLCommandBufferError::Timeout => {
            "; hint: threadgroups that wait for each other never finish on a GPU"
        }
        MTLCommandBufferError::PageFault | MTLCommandBufferError::InvalidResource => {
            "; hint: it accessed memory that is not bound; check its accesses on another device"
        }
        _ => "",
    };
    MetalError::Execution { kernel: kernels.to_owned(), reason: format!("{message}{hint}") }
}
