//! Launches of kernels.
//!
//! Arguments are shared with the device in place, as buffers of other libraries or by the pages that hold them. Small
//! read-only arguments, and arguments that the device cannot share, are copied to buffers of the device, and back if
//! the kernel may have written them.
// The memory of a launch is known by its addresses.
#![allow(unsafe_code)]

use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use trident_ir::Type;
use trident_runtime::{KernelLaunch, LaunchError, ProgramPoint};

use super::alias::{Pointer, Shared, aliases, share};
use super::compile::{Compiled, GpuKernel};
use super::host::wrap;
use super::report;
use crate::metal::{Batch, MetalBuffer, MetalError, PRIVATE};
use crate::msl::{Binding, Field};

/// Bytes of what short elements are exchanged with.
const WORD: usize = 4;

/// The least number of bytes at which sharing pages costs less than a copy.
const SHARED: usize = 16 << 10;

/// The place that checkers report for an address outside of all memory that a kernel may access.
const NOWHERE: &str = "where nothing is bound";

/// A hint about such an address that was read from memory.
const FOLLOWS: &str = "\nhint: the kernel follows addresses that it reads or computes; \
    take them by `trident.address(array)`, and keep the array while kernels run";

/// Memory of a launch on the device.
struct Bound {
    buffer: Arc<dyn MetalBuffer>,
    /// Where the memory starts in the buffer.
    start: usize,
    /// Whether the buffer is a copy, whose content goes back.
    is_back: bool,
}

/// The memory of an argument.
struct Part {
    bound: Bound,
    /// The bytes of the buffer that the kernel may access.
    bytes: Range<usize>,
    /// Where it points to in the buffer.
    at: usize,
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
        let shared = share(self.pointers(launch)?.into_iter());
        let (aliases, offsets) = aliases(&self.params, &shared);
        let variant = self.variant(&aliases).map_err(|error| LaunchError::Device {
            kernel: self.name.clone(),
            reason: error.to_string(),
        })?;
        let args = [launch.args(), &offsets].concat();
        let program = variant.translation.program();
        let mut dispatch =
            variant.dispatch(grid, self.side.metal.limits()).map_err(|error| self.failed(error))?;
        let mut bound: Vec<(&Shared, Bound)> = vec![];
        let mut told = None;
        for (slot, binding) in (0u32..).zip(&program.bindings) {
            dispatch = match binding {
                Binding::Scalars { fields, size } => {
                    dispatch.bytes(slot, &scalars(fields, *size, &args))
                }
                Binding::Report => {
                    let made = self.buffer(4 * report::WORDS)?;
                    // SAFETY: the buffer is new and longer.
                    unsafe { made.contents().cast().write(report::START) };
                    made.set_label("report");
                    let dispatch = dispatch.buffer(slot, &made, 0);
                    told = Some(made);
                    dispatch
                }
                Binding::Buffer(param) => {
                    let (shared, part) = self.argument(launch, &shared, *param, &variant)?;
                    let dispatch = dispatch.inside(slot, &part.bound.buffer, part.bytes, part.at);
                    bound.push((shared, part.bound));
                    dispatch
                }
                Binding::Table(params) => {
                    let table = self.buffer(8 * params.len())?;
                    table.set_label("table of arguments");
                    let mut addresses = vec![];
                    for &param in params {
                        let (shared, part) = self.argument(launch, &shared, param, &variant)?;
                        let buffer = &part.bound.buffer;
                        addresses.push(buffer.gpu_address() + part.at as u64);
                        dispatch = dispatch.reaching(buffer, part.bytes);
                        bound.push((shared, part.bound));
                    }
                    let to = table.contents().cast::<u64>().as_ptr();
                    // SAFETY: the buffer is new and has a word for each address.
                    unsafe { ptr::copy_nonoverlapping(addresses.as_ptr(), to, addresses.len()) };
                    dispatch.buffer(slot, &table, 0)
                }
            };
        }
        if variant.follows {
            dispatch.resident.extend(self.host.reached());
        }
        let queue = self.side.queue.get(&*self.side.metal).map_err(|error| self.failed(error))?;
        // SAFETY: the buffers are this launch's own, its extents, or memory that addresses were taken of, and the kernel accesses
        // no memory but theirs: a bounded launch has a kernel whose accesses are checked, and whoever made another one
        // promises it.
        let done = unsafe { queue.commit(Batch::from(dispatch)) };
        let times = done.and_then(|done| done.wait()).map_err(|error| self.failed(error))?;
        self.host.ran(times);
        for (shared, Bound { buffer, .. }) in bound.iter().filter(|(_, bound)| bound.is_back) {
            let to = ptr::with_exposed_provenance_mut::<u8>(shared.memory.start);
            let from = buffer.contents().as_ptr();
            // SAFETY: both are that long, do not overlap, and the launch may write the memory.
            unsafe { ptr::copy_nonoverlapping(from, to, shared.memory.len()) };
        }
        let Some(told) = told else { return Ok(()) };
        let mut words = vec![0u32; report::WORDS];
        // SAFETY: the buffer has as many words, and the kernel is done.
        unsafe {
            let from = told.contents().cast::<u32>().as_ptr();
            ptr::copy_nonoverlapping(from, words.as_mut_ptr(), words.len());
        }
        report::print(&words, &program.messages)
    }

    fn buffer(&self, bytes: usize) -> Result<Arc<dyn MetalBuffer>, LaunchError> {
        self.side.metal.buffer(bytes).map_err(|error| self.failed(error))
    }

    /// The memory of a pointer on the device.
    fn argument<'s>(
        &self,
        launch: &KernelLaunch<'_>,
        shared: &'s [Shared],
        param: usize,
        variant: &Compiled,
    ) -> Result<(&'s Shared, Part), LaunchError> {
        let found = shared.iter().find_map(|shared| {
            let first = shared.pointers.first()?;
            (first.param == param).then_some((shared, first))
        });
        let Some((shared, first)) = found else {
            let reason = "is an address whose memory is not known; pass an array";
            return Err(self.wrong(param, reason.to_owned()));
        };
        let bound = self.bind(shared)?;
        let mut bytes = bound.start..bound.start + shared.memory.len().max(1);
        if variant.translation.exchanges_words() {
            bytes = bytes.start / WORD * WORD..bytes.end.next_multiple_of(WORD);
        }
        let at = bound.start + (first.address - shared.memory.start);
        if let Some(extent) = launch.extents().iter().find(|extent| extent.param == param) {
            bound.buffer.set_label(extent.name);
        }
        Ok((shared, Part { bound, bytes, at }))
    }

    /// The pointers that the kernel uses and whose memory is known.
    fn pointers(&self, launch: &KernelLaunch<'_>) -> Result<Vec<Pointer>, LaunchError> {
        let mut pointers = vec![];
        for extent in launch.extents() {
            let param = extent.param;
            let Some(&address) = launch.args().get(param) else { continue };
            if !self.uses(param) || !matches!(self.params[param], Type::Pointer(_)) {
                continue;
            }
            let address = address as usize;
            let memory = extent.address..extent.address + extent.bytes;
            if address < memory.start || address > memory.end {
                return Err(self.wrong(param, "points outside of its array".to_owned()));
            }
            let is_written = extent.writable && self.writes(param);
            pointers.push(Pointer { param, address, memory, is_written });
        }
        Ok(pointers)
    }

    /// Memory as the device sees it: in place if that is possible, or a copy.
    fn bind(&self, shared: &Shared) -> Result<Bound, LaunchError> {
        let memory = &shared.memory;
        if let Some(buffer) = self.host.holder(memory) {
            let start = memory.start - buffer.place();
            return Ok(Bound { buffer, start, is_back: false });
        }
        if memory.start & PRIVATE != 0 {
            let param = shared.pointers.first().map_or(0, |pointer| pointer.param);
            let reason = "lies in memory of the GPU that no array holds any more";
            return Err(self.wrong(param, reason.to_owned()));
        }
        let is_written = shared.is_written() && !memory.is_empty();
        if is_written || memory.len() >= SHARED {
            // SAFETY: the launch holds the memory until the batch has completed; kernels access only that part of the pages.
            let wrapped = unsafe { wrap(&*self.side.metal, memory) };
            if let Ok((buffer, start)) = wrapped {
                return Ok(Bound { buffer, start, is_back: false });
            }
        }
        let bytes = memory.len().max(1).next_multiple_of(WORD);
        let buffer = self.buffer(bytes)?;
        let from = ptr::with_exposed_provenance::<u8>(memory.start);
        // SAFETY: the launch may read the memory, and the buffer is as long and new.
        unsafe { ptr::copy_nonoverlapping(from, buffer.contents().as_ptr(), memory.len()) };
        Ok(Bound { buffer, start: 0, is_back: is_written })
    }

    fn wrong(&self, param: usize, reason: String) -> LaunchError {
        LaunchError::Argument { kernel: self.name.clone(), index: param, reason }
    }

    fn failed(&self, error: MetalError) -> LaunchError {
        let at = ProgramPoint { program: [0; 3], loc: None };
        match error {
            MetalError::Check { reports, .. } => {
                let mut access = reports.join("\n");
                if self.separate.follows && access.contains(NOWHERE) {
                    access.push_str(FOLLOWS);
                }
                LaunchError::Access { at, access }
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
