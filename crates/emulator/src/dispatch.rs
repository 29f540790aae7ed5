//! Runs one dispatch: its arguments in memory, its schedules, and the reports in words.
#![allow(unsafe_code)] // runs kernels, and saves and restores the memory that they write

use crate::buffer::HostBuffer;
use crate::check::{AccessPlace, CheckReport, FindingKind, Raw, Region, Site};
use crate::clang::{is_header, strip};
use crate::device::Device;
use crate::exec::{Halt, Image, Outcome, Request, run as execute, size_of_group};
use crate::library::HostPipeline;
use std::ops::Range;
use std::ptr;
use trident_apple::metal::{Argument, BUFFER_SLOTS, Dispatch, MetalBuffer, MetalError, Resident};

type Result<T> = std::result::Result<T, MetalError>;

/// A block of the size of the largest alignment, for inline bytes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Block([u64; 4]);

/// The arguments of a dispatch in memory.
struct Arguments<'a> {
    buffers: [*mut u8; BUFFER_SLOTS as usize],
    /// Copies of inline bytes, with blocks around that belong to nothing.
    inline: Vec<(u32, usize, Vec<Block>)>,
    /// The parts of buffers that the kernel may access, with the slot of the first binding.
    parts: Vec<Part<'a>>,
}

struct Part<'a> {
    buffer: &'a HostBuffer,
    bytes: Range<usize>,
    name: String,
    writable: bool,
    /// Whether several bindings share it.
    shared: bool,
    /// Whether the kernel reaches it by addresses in memory, which may lead to bound memory too.
    resident: bool,
}

impl Part<'_> {
    fn memory(&self) -> Range<usize> {
        let start = self.buffer.contents().as_ptr() as usize;
        start + self.bytes.start..start + self.bytes.end
    }
}

/// Runs a dispatch.
///
/// # Errors
/// [`MetalError::Check`], [`MetalError::Execution`], [`MetalError::Timeout`] and [`MetalError::Memory`].
///
/// # Safety
/// As for `Queue::commit`, with a dispatch that was checked.
pub(crate) unsafe fn run(device: &Device, dispatch: &Dispatch) -> Result<()> {
    let kernel = dispatch.pipeline.info().function.clone();
    let Some(pipeline) = dispatch.pipeline.downcast::<HostPipeline>() else {
        let what = "the pipeline".to_owned();
        return Err(MetalError::Foreign { kernel, what });
    };
    let arguments = arguments(dispatch, pipeline);
    let request = Request {
        image: &pipeline.image,
        kernel: &kernel,
        groups: dispatch.groups,
        threads: dispatch.threads,
        grid: dispatch.threads_of_grid(),
        buffers: arguments.buffers,
        variables: &pipeline.kernel.variables,
        arguments: &dispatch.threadgroup_memory,
        // A checked dispatch takes 10 to 50 times as long.
        limit: device.options.time_limit * if device.options.check.is_some() { 5 } else { 1 },
    };
    let Some(check) = device.options.check else {
        // SAFETY: the image is that of the dispatch's pipeline. The caller promises that the kernel stays inside of its buffers;
        // that all are bound was checked.
        let outcome = unsafe { execute(&request, None, 0, device.options.workers)? };
        return outcome.stop.map_or(Ok(()), |stop| Err(halted(stop, &request)));
    };
    let mut reports: Vec<CheckReport> = overlaps(&arguments, &kernel);
    // SAFETY: the parts lie in buffers that the dispatch holds and that nothing else uses.
    let before = unsafe { save(&arguments.parts, check.schedules > 1) };
    let mut after = Vec::new();
    let mut stop = None;
    for schedule in 0..check.schedules.max(1) {
        if schedule > 0 {
            // SAFETY: `before` has copies of parts of buffers that the dispatch holds and that nothing else uses.
            unsafe { restore(&before) };
        }
        let seed = u64::from(schedule) * 0x9e37_79b9_7f4a_7c15;
        // SAFETY: the image is that of the dispatch's pipeline. The regions are those of its arguments, which it holds and
        // nothing else uses.
        let outcome = unsafe { execute(&request, Some(arguments.regions(pipeline)), seed, 1)? };
        let Outcome { stop: stopped, reports: raw, regions } = outcome;
        let resolver = Resolver::new(&pipeline.image);
        let new = raw.into_iter().map(|raw| resolver.report(raw, &request));
        let new: Vec<CheckReport> =
            new.filter(|new| !reports.iter().any(|old| same(old, new))).collect();
        reports.extend(new);
        if schedule == 0 {
            for (part, region) in arguments.parts.iter().zip(&regions) {
                if let Some(written) = &region.written {
                    part.buffer.add_known(part.bytes.start, written);
                }
            }
            // SAFETY: the parts lie in buffers that the dispatch holds, and no kernel runs between two schedules.
            after = unsafe { save(&arguments.parts, check.schedules > 1) };
        }
        stop = stopped;
        if stop.is_some() || reports.iter().any(|report| !report.kind.is_warning()) {
            break;
        }
    }
    // SAFETY: `after` has copies of parts of buffers that the dispatch holds; the last schedule has ended.
    unsafe { restore(&after) };
    device.add_reports(&reports);
    let errors = reports.iter().filter(|report| !report.kind.is_warning());
    let errors: Vec<String> = errors.map(CheckReport::to_string).collect();
    if !errors.is_empty() {
        return Err(MetalError::Check { kernel, reports: errors });
    }
    stop.map_or(Ok(()), |stop| Err(halted(stop, &request)))
}

fn same(a: &CheckReport, b: &CheckReport) -> bool {
    (a.kind, &a.place, &a.variable) == (b.kind, &b.place, &b.variable)
}

fn arguments<'a>(dispatch: &'a Dispatch, pipeline: &HostPipeline) -> Arguments<'a> {
    let mut buffers = [ptr::null_mut(); BUFFER_SLOTS as usize];
    let (mut inline, mut parts): (Vec<_>, Vec<Part<'a>>) = (Vec::new(), Vec::new());
    for binding in &dispatch.bindings {
        let parameter = pipeline.kernel.buffers.iter().find(|(slot, ..)| *slot == binding.slot);
        let Some((_, name, writable)) = parameter else { continue };
        match &binding.argument {
            Argument::Bytes(bytes) => {
                let blocks = bytes.len().div_ceil(size_of::<Block>());
                let mut copy: Vec<Block> = vec![Block([0; 4]); blocks + 2];
                for (i, byte) in bytes.iter().enumerate() {
                    let word = &mut copy[1 + i / 32].0[i % 32 / 8];
                    *word |= u64::from(*byte) << (i % 8 * 8);
                }
                inline.push((binding.slot, bytes.len(), copy));
            }
            Argument::Buffer { buffer, bytes, at } => {
                let Some(buffer) = buffer.downcast::<HostBuffer>() else { continue };
                let start = buffer.contents().as_ptr().wrapping_add(*at);
                buffers[binding.slot as usize] = start;
                let (bytes, name, writable) = (bytes.clone(), name.clone(), *writable);
                let part = Part { buffer, bytes, name, writable, shared: false, resident: false };
                add(&mut parts, part);
            }
        }
    }
    for Resident { buffer, bytes } in &dispatch.resident {
        let Some(buffer) = buffer.downcast::<HostBuffer>() else { continue };
        let label = buffer.label();
        let name = if label.is_empty() { "resident buffer".to_owned() } else { label };
        let bytes = bytes.clone();
        parts.push(Part { buffer, bytes, name, writable: true, shared: false, resident: true });
    }
    for (slot, _, copy) in &mut inline {
        buffers[*slot as usize] = copy.as_mut_ptr().wrapping_add(1).cast();
    }
    Arguments { buffers, inline, parts }
}

/// Adds a part, to one of the same buffer if they share bytes.
fn add<'a>(parts: &mut Vec<Part<'a>>, new: Part<'a>) {
    let meets = |part: &&mut Part<'_>| {
        ptr::eq(part.buffer, new.buffer)
            && part.bytes.start < new.bytes.end
            && new.bytes.start < part.bytes.end
    };
    let Some(part) = parts.iter_mut().find(meets) else {
        parts.push(new);
        return;
    };
    part.bytes = part.bytes.start.min(new.bytes.start)..part.bytes.end.max(new.bytes.end);
    part.shared = true;
    part.writable |= new.writable;
    part.name = format!("{}, {}", part.name, new.name);
}

impl Arguments<'_> {
    /// The memory that the kernel may access: the parts first, in their order.
    fn regions(&self, pipeline: &HostPipeline) -> Vec<Region> {
        let parts = self.parts.iter().map(|part| Region {
            memory: part.memory(),
            name: part.name.clone(),
            threadgroup: false,
            written: part.buffer.known(part.bytes.clone()),
        });
        let inline = self.inline.iter().map(|(slot, bytes, _)| {
            let start = self.buffers[*slot as usize] as usize;
            let parameter = pipeline.kernel.buffers.iter().find(|(known, ..)| known == slot);
            let name = parameter.map(|(_, name, _)| name.clone()).unwrap_or_default();
            Region { memory: start..start + bytes, name, threadgroup: false, written: None }
        });
        parts.chain(inline).collect()
    }
}

/// Reports buffers that are bound twice and may be written.
fn overlaps(arguments: &Arguments<'_>, kernel: &str) -> Vec<CheckReport> {
    let parts = arguments.parts.iter();
    let meets = |part: &Part<'_>| {
        arguments.parts.iter().any(|other| {
            let (a, b) = (part.memory(), other.memory());
            let separate = !ptr::eq(part.buffer, other.buffer) && !other.resident;
            separate && a.start < b.end && b.start < a.end
        })
    };
    let shared =
        parts.filter(|part| !part.resident && part.writable && (part.shared || meets(part)));
    let report = |part: &Part<'_>| CheckReport {
        kind: FindingKind::Overlap,
        kernel: kernel.to_owned(),
        place: AccessPlace::default(),
        other: None,
        variable: part.name.clone(),
        group: [0; 3],
        thread: [0; 3],
        detail: format!("`{}` shares memory with another slot and may be written", part.name),
    };
    shared.map(report).collect()
}

/// Copies what the kernel may write, if `wanted`.
///
/// # Safety
/// Nothing writes the parts meanwhile.
unsafe fn save(parts: &[Part<'_>], wanted: bool) -> Vec<(*mut u8, Vec<u8>)> {
    let parts = parts.iter().filter(|part| wanted && part.writable);
    let copy = |part: &Part<'_>| {
        let range = part.memory();
        let start = range.start as *mut u8;
        // SAFETY: the part lies in a buffer that is alive, and nothing writes it.
        let bytes = unsafe { std::slice::from_raw_parts(start, range.len()) };
        (start, bytes.to_vec())
    };
    parts.map(copy).collect()
}

/// Copies back what [`save`] has copied.
///
/// # Safety
/// The buffers are alive and nothing else uses them.
unsafe fn restore(saved: &[(*mut u8, Vec<u8>)]) {
    for (start, bytes) in saved {
        // SAFETY: the address and the length are those of the copy.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), *start, bytes.len()) };
    }
}

fn halted(stop: Halt, request: &Request<'_>) -> MetalError {
    let kernel = request.kernel.to_owned();
    match stop {
        Halt::Time => MetalError::Timeout { kernel, limit: request.limit },
        Halt::Stack { bytes } => {
            let reason = format!(
                "the variables and calls of a thread need more than the emulator's {} KiB of stack; \
                 hint: use smaller blocks",
                bytes >> 10
            );
            MetalError::Execution { kernel, reason }
        }
        Halt::Fault { reason, pc } => {
            // The address is that of the instruction, not of the one after a call.
            let place = Resolver::new(request.image).code(pc.wrapping_add(1));
            let reason =
                format!("{place}: {reason}; hint: run it on an emulator that checks kernels");
            MetalError::Execution { kernel, reason }
        }
        Halt::Checked => {
            let reason = "the checker stopped it; hint: see its reports".to_owned();
            MetalError::Execution { kernel, reason }
        }
    }
}

/// Finds the lines of addresses.
struct Resolver(Option<addr2line::Loader>);

impl Resolver {
    fn new(image: &Image) -> Resolver {
        Resolver(addr2line::Loader::new(image.path()).ok())
    }

    /// The line of the text that led to a return address.
    fn code(&self, pc: u32) -> AccessPlace {
        let frames = self
            .0
            .as_ref()
            .and_then(|loader| loader.find_frames(u64::from(pc).saturating_sub(1)).ok());
        let Some(mut frames) = frames else { return AccessPlace::default() };
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            let file = location.file.unwrap_or_default();
            if !is_header(file) {
                let line = location.line.unwrap_or(0);
                return AccessPlace { file: strip(file.to_owned()), line };
            }
        }
        AccessPlace::default()
    }

    fn place(&self, site: Site) -> AccessPlace {
        match site {
            Site::Code(pc) => self.code(pc),
            Site::Line(file, line) => AccessPlace { file: strip(file), line },
        }
    }

    fn report(&self, raw: Raw, request: &Request<'_>) -> CheckReport {
        let Raw { kind, site, other, variable, group, thread, detail } = raw;
        let [x, y, _] = size_of_group(group, request.threads, request.grid);
        CheckReport {
            kind,
            kernel: request.kernel.to_owned(),
            place: self.place(site),
            other: other.map(|other| self.place(other)),
            variable,
            group,
            thread: [thread % x, thread / x % y, thread / x / y],
            detail,
        }
    }
}
