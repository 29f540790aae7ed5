//! Launches of kernels.
//!
//! Large arguments are shared with the device in place, by the pages that hold them. Small ones, and those that the device
//! cannot share, are copied to buffers of the device, and back if the kernel may have written them.
// The memory of a launch is known by its addresses.
#![allow(unsafe_code)]

use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use trident_ir::Type;
use trident_runtime::{Extent, KernelLaunch, LaunchError, ProgramPoint};

use super::compile::{GpuKernel, Variant};
use crate::metal::{Batch, Buffer, Dispatch, MetalError};
use crate::msl::{Binding, Field};

/// The least length, in bytes, at which sharing pages costs less than copying.
const SHARED: usize = 64 << 10;

/// The memory of a parameter on the device.
struct Bound {
    buffer: Arc<dyn Buffer>,
    bytes: Range<usize>,
    /// The address to which the first bytes go after the launch, and their number.
    back: Option<(usize, usize)>,
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
        let first = self.first(launch);
        let variant = self.variant(&first).map_err(|declined| LaunchError::Device {
            kernel: self.name.clone(),
            reason: declined.to_string(),
        })?;
        self.separate(&variant, &first, launch)?;
        let program = &variant.program;
        let mut dispatch =
            Dispatch::new(Arc::clone(&variant.pipeline), grid, [program.threads, 1, 1]);
        let mut bound: Vec<Bound> = vec![];
        for (slot, binding) in (0u32..).zip(&program.bindings) {
            dispatch = match binding {
                Binding::Scalars { fields, size } => {
                    dispatch.bytes(slot, &scalars(fields, *size, launch.args()))
                }
                Binding::Buffer(param) => {
                    let extent = self.extent(*param, &first, launch)?;
                    let is_written = variant.written.get(*param).copied().unwrap_or(true);
                    let writable =
                        |e: &&Extent<'_>| first.get(e.param) == Some(param) && e.writable;
                    let writable = launch.extents().iter().filter(writable);
                    let back = writable.map(|e| e.bytes).max().filter(|_| is_written);
                    let memory = self.bind(extent, back)?;
                    let dispatch = dispatch.part(slot, &memory.buffer, memory.bytes.clone());
                    bound.push(memory);
                    dispatch
                }
            };
        }
        let queue = self.metal.queue().map_err(|error| self.failed(error))?;
        // SAFETY: the buffers are this launch's own, or its extents, and the kernel accesses no memory but theirs: a bounded
        // launch has a kernel whose accesses are checked, and whoever made another one promises it.
        let done = unsafe { queue.commit(Batch::from(dispatch)) };
        done.and_then(|done| done.wait()).map_err(|error| self.failed(error))?;
        for Bound { buffer, back, .. } in &bound {
            if let Some((address, bytes)) = back {
                let to = ptr::with_exposed_provenance_mut::<u8>(*address);
                // SAFETY: both are that long, do not overlap, and the launch may write the argument.
                unsafe {
                    ptr::copy_nonoverlapping(buffer.contents().as_ptr(), to, *bytes);
                }
            }
        }
        Ok(())
    }

    /// For each parameter, the first one of its type that points to the same memory.
    fn first(&self, launch: &KernelLaunch<'_>) -> Vec<usize> {
        let is_same = |i: usize, j: usize| {
            let args = launch.args();
            matches!(self.params[i], Type::Pointer(_))
                && self.params[i] == self.params[j]
                && args[i] == args[j]
        };
        let first = |i: usize| (0..i).find(|&j| is_same(i, j)).unwrap_or(i);
        (0..self.params.len()).map(first).collect()
    }

    /// Refuses buffers that overlap where one of them is written: Metal compilers take it for granted that none do.
    fn separate(
        &self,
        variant: &Variant,
        first: &[usize],
        launch: &KernelLaunch<'_>,
    ) -> Result<(), LaunchError> {
        let mut seen: Vec<(&Extent<'_>, bool)> = vec![];
        for binding in &variant.program.bindings {
            let Binding::Buffer(param) = binding else { continue };
            let extent = self.extent(*param, first, launch)?;
            let is_written = variant.written.get(*param).copied().unwrap_or(true);
            let meets = |other: &Extent<'_>| {
                extent.address < other.address + other.bytes
                    && other.address < extent.address + extent.bytes
            };
            let met = seen.iter().find(|(other, written)| (is_written || *written) && meets(other));
            if let Some((other, _)) = met {
                let name = other.name;
                let reason = format!(
                    "overlaps `{name}` without being the same, and one of both is written; pass a copy"
                );
                return Err(self.wrong(*param, reason));
            }
            seen.push((extent, is_written));
        }
        Ok(())
    }

    /// The memory of a parameter: the longest that a parameter of the same address has.
    fn extent<'a>(
        &self,
        param: usize,
        first: &[usize],
        launch: &KernelLaunch<'a>,
    ) -> Result<&'a Extent<'a>, LaunchError> {
        let same = launch.extents().iter().filter(|e| first.get(e.param) == Some(&param));
        let extent = same.max_by_key(|extent| extent.bytes).ok_or_else(|| {
            let reason = "is an address whose memory is not known; pass an array";
            self.wrong(param, reason.to_owned())
        })?;
        match launch.args().get(param) {
            Some(&address) if address == extent.address as u64 => Ok(extent),
            _ => Err(self.wrong(param, "does not point to the start of its array".to_owned())),
        }
    }

    /// Memory as the device sees it: in place if that is possible and cheaper, or a copy, of which `back` bytes are copied back.
    fn bind(&self, extent: &Extent<'_>, back: Option<usize>) -> Result<Bound, LaunchError> {
        if extent.bytes >= SHARED {
            let page = self.metal.limits().page_bytes;
            let start = extent.address / page * page;
            let end = (extent.address + extent.bytes).next_multiple_of(page);
            let first = NonNull::new(ptr::with_exposed_provenance_mut::<u8>(start));
            // SAFETY: the launch holds the extent until the batch has completed; kernels access only that part.
            let shared =
                first.map(|first| unsafe { self.metal.wrap(first, end - start, Box::new(())) });
            if let Some(Ok(buffer)) = shared {
                buffer.set_label(extent.name);
                let offset = extent.address - start;
                return Ok(Bound { buffer, bytes: offset..offset + extent.bytes, back: None });
            }
        }
        let buffer = self.metal.buffer(extent.bytes.max(1)).map_err(|error| self.failed(error))?;
        let from = ptr::with_exposed_provenance::<u8>(extent.address);
        // SAFETY: the launch may read the extent, and the buffer is as long and new.
        unsafe { ptr::copy_nonoverlapping(from, buffer.contents().as_ptr(), extent.bytes) };
        buffer.set_label(extent.name);
        let back = back.map(|bytes| (extent.address, bytes));
        Ok(Bound { bytes: 0..extent.bytes.max(1), buffer, back })
    }

    fn wrong(&self, param: usize, reason: String) -> LaunchError {
        LaunchError::Argument { kernel: self.name.clone(), index: param, reason }
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
fn scalars(fields: &[Field], size: usize, args: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for field in fields {
        let word = args.get(field.param).copied().unwrap_or(0).to_le_bytes();
        let len = field.dtype.size().min(word.len());
        bytes[field.offset..field.offset + len].copy_from_slice(&word[..len]);
    }
    bytes
}
