//! Launches of kernels.
//!
//! Arguments are copied to buffers of the device, and what the kernel may have written is copied back.
// The memory of a launch is known by its addresses.
#![allow(unsafe_code)]

use std::sync::Arc;

use trident_runtime::{Extent, KernelLaunch, LaunchError, ProgramPoint};

use super::compile::GpuKernel;
use crate::metal::{Batch, Buffer, Dispatch, MetalError};
use crate::msl::{Binding, Field};

/// The memory of a parameter and its copy.
struct Bound<'a> {
    extent: &'a Extent<'a>,
    buffer: Arc<dyn Buffer>,
    is_written: bool,
}

impl GpuKernel {
    pub(super) fn run(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError> {
        let (expected, actual) = (self.params.len(), launch.args().len());
        if expected != actual {
            return Err(LaunchError::Arguments { kernel: self.name.clone(), expected, actual });
        }
        if launch.is_bounded() && !self.is_checked {
            return Err(LaunchError::Unchecked { kernel: self.name.clone() });
        }
        let grid = launch.grid();
        if grid.contains(&0) {
            return Ok(());
        }
        let mut dispatch =
            Dispatch::new(Arc::clone(&self.pipeline), grid, [self.program.threads, 1, 1]);
        let mut bound: Vec<Bound<'_>> = vec![];
        for (slot, binding) in (0u32..).zip(&self.program.bindings) {
            dispatch = match binding {
                Binding::Scalars { fields, size } => {
                    dispatch.bytes(slot, &scalars(fields, *size, launch.args()))
                }
                Binding::Buffer(param) => {
                    let memory = self.copied(*param, launch, &bound)?;
                    let dispatch = dispatch.buffer(slot, &memory.buffer, 0);
                    bound.push(memory);
                    dispatch
                }
            };
        }
        let queue = self.metal.queue().map_err(|error| self.failed(error))?;
        // SAFETY: the buffers are this launch's own, and the kernel accesses no memory but theirs: a bounded launch has a
        // kernel whose accesses are checked, and whoever made another one promises it.
        let done = unsafe { queue.commit(Batch::from(dispatch)) };
        done.and_then(|done| done.wait()).map_err(|error| self.failed(error))?;
        for Bound { extent, buffer, is_written } in &bound {
            if *is_written && extent.writable {
                let to = std::ptr::with_exposed_provenance_mut::<u8>(extent.address);
                // SAFETY: both have the extent's length, do not overlap, and the launch may write the extent.
                unsafe {
                    std::ptr::copy_nonoverlapping(buffer.contents().as_ptr(), to, extent.bytes)
                };
            }
        }
        Ok(())
    }

    /// A copy of a parameter's memory.
    fn copied<'a>(
        &self,
        param: usize,
        launch: &KernelLaunch<'a>,
        others: &[Bound<'_>],
    ) -> Result<Bound<'a>, LaunchError> {
        let wrong = |reason: String| LaunchError::Argument {
            kernel: self.name.clone(),
            index: param,
            reason,
        };
        let extent = launch.extents().iter().find(|extent| extent.param == param);
        let extent = extent.ok_or_else(|| {
            wrong("is an address whose memory is not known; pass an array".to_owned())
        })?;
        if launch.args().get(param) != Some(&(extent.address as u64)) {
            return Err(wrong("does not point to the start of its array".to_owned()));
        }
        let is_written = self.written.get(param).copied().unwrap_or(true);
        let meets = |other: &&Bound<'_>| {
            let (a, b) = (extent, other.extent);
            a.address < b.address + b.bytes && b.address < a.address + a.bytes
        };
        if let Some(other) =
            others.iter().filter(|other| is_written || other.is_written).find(meets)
        {
            // Metal compilers take it for granted that buffers do not overlap.
            let name = other.extent.name;
            return Err(wrong(format!(
                "overlaps `{name}`, and one of both is written; pass a copy"
            )));
        }
        let buffer = self.metal.buffer(extent.bytes.max(1)).map_err(|error| self.failed(error))?;
        let from = std::ptr::with_exposed_provenance::<u8>(extent.address);
        // SAFETY: the launch may read the extent, and the buffer is as long and new.
        unsafe { std::ptr::copy_nonoverlapping(from, buffer.contents().as_ptr(), extent.bytes) };
        buffer.set_label(extent.name);
        Ok(Bound { extent, buffer, is_written })
    }

    fn failed(&self, error: MetalError) -> LaunchError {
        let at = ProgramPoint { program: [0; 3], loc: None };
        match error {
            MetalError::Check { reports, .. } => {
                LaunchError::Access { at, access: reports.join("\n") }
            }
            other => LaunchError::Device { kernel: self.name.clone(), reason: other.to_string() },
        }
    }
}

/// The bytes of scalar arguments.
pub(super) fn scalars(fields: &[Field], size: usize, args: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for field in fields {
        let word = args.get(field.param).copied().unwrap_or(0).to_le_bytes();
        let len = field.dtype.size().min(word.len());
        bytes[field.offset..field.offset + len].copy_from_slice(&word[..len]);
    }
    bytes
}
