//! Runs a dispatch: on several threads of the system, or on one that is checked.

use super::fault::{self, AlternateStack, Timer};
use super::fiber::KERNEL;
use super::hooks;
use super::image::Image;
use super::machine::{Launch, Machine, Stop};
use crate::check::{Checker, Raw, Region};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use trident_apple::metal::{BUFFER_SLOTS, MetalError};

/// Bytes between threadgroup variables, so that an overrun meets no other variable.
const RED_ZONE: usize = 64;

/// A kernel and its arguments.
pub(crate) struct Request<'a> {
    pub image: &'a Image,
    pub kernel: &'a str,
    pub groups: [u32; 3],
    pub threads: [u32; 3],
    /// Threads of the whole grid.
    pub grid: [u32; 3],
    pub buffers: [*mut u8; BUFFER_SLOTS as usize],
    /// Numbers of the kernel's threadgroup variables, with their names.
    pub variables: &'a [(usize, String)],
    /// `[[threadgroup(index)]]` parameters with their bytes.
    pub arguments: &'a [(u32, u32)],
    pub limit: Duration,
}

/// How a dispatch ended.
pub(crate) struct Outcome {
    pub stop: Option<Halt>,
    pub reports: Vec<Raw>,
    pub regions: Vec<Region>,
}

/// The reason why a dispatch stopped, in the caller's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// A report after which the kernel cannot go on.
    Checked,
    /// A fault at an offset of the image.
    Fault { reason: String, pc: u32 },
    /// A thread's variables and calls exceed its stack of this many bytes.
    Stack { bytes: usize },
    /// The time limit.
    Time,
}

/// Where threadgroup memory lies: offsets by the number of the variable, and of the arguments; all bytes.
struct Layout {
    variables: Vec<usize>,
    arguments: Vec<(u32, usize)>,
    bytes: usize,
}

fn layout(request: &Request<'_>) -> Layout {
    let extents = request.image.variables();
    let mut at = RED_ZONE;
    let mut variables = vec![0; extents.len()];
    for (number, _) in request.variables {
        let Some(extent) = extents.get(*number) else { continue };
        at = at.next_multiple_of(extent.align.max(16));
        variables[*number] = at;
        at += extent.bytes + RED_ZONE;
    }
    let mut arguments = Vec::new();
    for (index, bytes) in request.arguments {
        at = at.next_multiple_of(16);
        arguments.push((*index, at));
        at += *bytes as usize + RED_ZONE;
    }
    Layout { variables, arguments, bytes: at }
}

/// Machines that wait for their next dispatch.
static IDLE: Mutex<Vec<Idle>> = Mutex::new(Vec::new());

struct Idle(Box<Machine>);

// SAFETY: a machine in the list runs nothing, and its pointers are only followed after `begin` has set them.
unsafe impl Send for Idle {}

fn machine() -> Result<Box<Machine>, MetalError> {
    let idle = IDLE.lock().ok().and_then(|mut idle| idle.pop());
    idle.map_or_else(Machine::new, |idle| Ok(idle.0))
}

fn keep(machine: Box<Machine>) {
    if let Ok(mut idle) = IDLE.lock()
        && idle.len() < 16
    {
        idle.push(Idle(machine));
    }
}

struct Shared<'a>(&'a Launch<'a>);

// SAFETY: the launch is only read, and what its pointers lead to is the kernel's to access, from any thread.
unsafe impl Sync for Shared<'_> {}

/// Runs a dispatch on up to `workers` threads; with `regions` on one, checked, with threads in an order made from
/// `seed`.
///
/// # Errors
/// [`MetalError::Memory`] if there is none for stacks.
///
/// # Safety
/// The image is that of the kernel. Without `regions`, the kernel accesses only memory of its buffers, and all of its
/// buffers are bound. With them, they are valid memory and nothing else accesses it.
pub(crate) unsafe fn run(
    request: &Request<'_>,
    regions: Option<Vec<Region>>,
    seed: u64,
    workers: usize,
) -> Result<Outcome, MetalError> {
    fault::install();
    let Some(entry) = request.image.entry(request.kernel) else {
        let name = request.kernel.to_owned();
        return Err(MetalError::NoFunction { name, known: Vec::new() });
    };
    let layout = layout(request);
    let stopped = AtomicBool::new(false);
    let launch = Launch {
        entry,
        groups: request.groups,
        threads: request.threads,
        grid: request.grid,
        buffers: request.buffers,
        variables: &layout.variables,
        arguments: &layout.arguments,
        code: request.image.code(),
        seed,
        deadline: Instant::now() + request.limit,
        stopped: &stopped,
    };
    let groups = request.groups.iter().map(|n| u64::from(*n)).product::<u64>();
    let next = AtomicU64::new(0);
    if let Some(mut regions) = regions {
        let mut machine = machine()?;
        // SAFETY: the launch lives until the end of this function.
        unsafe { machine.begin(&launch, layout.bytes) };
        let memory = machine.memory.as_ptr() as usize;
        threadgroup_regions(request, &layout, memory, &mut regions);
        machine.checker = Some(Checker::new(regions));
        // SAFETY: the machine has begun this launch, and the caller promises that its buffers are valid and used by nothing else.
        let stop = unsafe { serve(&mut machine, &launch, &next, groups) };
        let (reports, regions) = machine.checker.take().map(Checker::finish).unwrap_or_default();
        keep(machine);
        return Ok(Outcome { stop: stop.and_then(|stop| words(stop, &launch)), reports, regions });
    }
    let workers = workers.min(groups.try_into().unwrap_or(usize::MAX)).max(1);
    let mut machines = Vec::new();
    for _ in 0..workers {
        let mut machine = machine()?;
        // SAFETY: the launch lives until the end of this function.
        unsafe { machine.begin(&launch, layout.bytes) };
        machines.push(Idle(machine));
    }
    let shared = Shared(&launch);
    let mut stops = Vec::new();
    std::thread::scope(|scope| {
        let (shared, next) = (&shared, &next);
        let mut machines = machines.iter_mut();
        let own = machines.next();
        let others: Vec<_> = machines
            .map(|machine| {
                scope.spawn(move || {
                    let machine = machine;
                    // SAFETY: the machine has begun this launch, which outlives the scope; the caller promises that the kernel
                    // stays in its buffers.
                    unsafe { serve(&mut machine.0, shared.0, next, groups) }
                })
            })
            .collect();
        if let Some(machine) = own {
            // SAFETY: the machine has begun this launch; the caller promises that the kernel accesses only memory of its buffers.
            stops.push(unsafe { serve(&mut machine.0, shared.0, next, groups) });
        }
        stops.extend(others.into_iter().filter_map(|other| other.join().ok()));
    });
    for machine in machines {
        keep(machine.0);
    }
    let stop = stops.into_iter().flatten().find_map(|stop| words(stop, &launch));
    Ok(Outcome { stop, reports: Vec::new(), regions: Vec::new() })
}

/// Runs threadgroups until there are none left or one stops.
///
/// # Safety
/// As for [`run`], and the machine has begun the launch.
unsafe fn serve(
    machine: &mut Box<Machine>,
    launch: &Launch<'_>,
    next: &AtomicU64,
    groups: u64,
) -> Option<Stop> {
    let _stack = AlternateStack::ensure();
    let _timer = Timer::until(launch.deadline);
    // A later signal must not find the machine, which other threads may use by then.
    let _entered = hooks::Entered;
    let [x, y, _] = launch.groups.map(u64::from);
    let this = &raw mut **machine;
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= groups {
            return None;
        }
        // Backwards in every other schedule: an order that no threadgroup may rely on.
        let index = if launch.seed & 1 != 0 { groups - 1 - index } else { index };
        let group = [index % x, index / x % y, index / x / y].map(|n| n as u32);
        // SAFETY: the machine is borrowed mutably, so only this thread uses it. The caller promises that it has begun this launch
        // and that the kernel's accesses are valid or checked.
        if let Err(stop) = unsafe { Machine::run(this, group) } {
            launch.stopped.store(true, Ordering::Relaxed);
            return Some(stop);
        }
    }
}

fn threadgroup_regions(
    request: &Request<'_>,
    layout: &Layout,
    memory: usize,
    regions: &mut Vec<Region>,
) {
    let extents = request.image.variables();
    let mut add = |name: String, offset: usize, bytes: usize| {
        let memory = memory + offset..memory + offset + bytes;
        regions.push(Region { memory, name, threadgroup: true, written: None });
    };
    for (number, name) in request.variables {
        if let Some(extent) = extents.get(*number) {
            add(name.clone(), layout.variables[*number], extent.bytes);
        }
    }
    for ((index, offset), (_, bytes)) in layout.arguments.iter().zip(request.arguments) {
        add(format!("threadgroup({index})"), *offset, *bytes as usize);
    }
}

fn words(stop: Stop, launch: &Launch<'_>) -> Option<Halt> {
    match stop {
        Stop::Checked => Some(Halt::Checked),
        Stop::Stack => Some(Halt::Stack { bytes: KERNEL }),
        Stop::Time => Some(Halt::Time),
        Stop::Other => None,
        Stop::Signal { number, pc, address } => {
            let reason = match number {
                libc::SIGFPE => {
                    "a division of integers by zero, or of the least integer by -1".into()
                }
                libc::SIGILL => "code that cannot be reached was reached".into(),
                _ => format!(
                    "an access at address {address:#x}, where there is no memory, or which is misaligned"
                ),
            };
            Some(Halt::Fault { reason, pc: pc.wrapping_sub(launch.code.start) as u32 })
        }
    }
}
