//! The functions that compiled kernels call, on the stack of a fiber: `struct table` of `shim/hooks.c`.

use super::fiber::switch;
use super::machine::{Launch, Machine, State, Stop, Wait, string};
use crate::check::{Access, FindingKind, Site};
use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::ptr;

thread_local! {
    /// The machine that runs on this thread, or null.
    static MACHINE: Cell<*mut Machine> = const { Cell::new(ptr::null_mut()) };
}

/// Makes the functions below act on this machine from now on.
pub(crate) fn enter(machine: *mut Machine) {
    MACHINE.set(machine);
}

/// Forgets the machine of this thread when dropped.
pub(crate) struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        MACHINE.set(ptr::null_mut());
    }
}

/// The machine of this thread; null while it serves no dispatch.
pub(crate) fn machine() -> *mut Machine {
    MACHINE.get()
}

/// The result of an exchange: `struct exchange`.
#[repr(C)]
pub(crate) struct Exchange {
    slots: *const u8,
    mask: u32,
    lane: u32,
}

type SimdHook =
    extern "C" fn(*const u8, u32, u32, u32, *const c_char, *const c_char, usize, usize) -> Exchange;

/// `struct table`.
#[repr(C)]
pub(crate) struct Table {
    access: extern "C" fn(*const c_void, u64, u32, *const c_void),
    simd: SimdHook,
    barrier: extern "C" fn(u32, u32, u32, *const c_char, usize, usize),
    bad_lane: extern "C" fn(u32, u32, *const c_char, *const c_char),
    threadgroup: extern "C" fn(u32) -> *mut c_void,
    threadgroup_argument: extern "C" fn(u32) -> *mut c_void,
    reached_end: extern "C" fn(),
    bad_index: extern "C" fn(i64, u64, u32, *const c_char),
    lane: extern "C" fn() -> u32,
    fence: extern "C" fn(),
    checked: u32,
}

/// The table for checked or unchecked kernels.
pub(crate) fn table(checked: bool) -> &'static Table {
    const fn table(checked: u32) -> Table {
        Table {
            access,
            simd,
            barrier,
            bad_lane,
            threadgroup,
            threadgroup_argument,
            reached_end,
            bad_index,
            lane,
            fence,
            checked,
        }
    }
    static PLAIN: Table = table(0);
    static CHECKED: Table = table(1);
    if checked { &CHECKED } else { &PLAIN }
}

const WRITE: u32 = 1;
const ATOMIC: u32 = 2;
const UNALIGNED: u32 = 4;
const READ: u32 = 8;

/// Runs `f` on the machine whose fiber called. Signals wait meanwhile, so a stack that may end in `f` stops the dispatch before.
fn with<T>(f: impl FnOnce(&mut Machine, usize) -> T) -> T {
    let this = MACHINE.get();
    // SAFETY: a fiber runs, so its machine is alive, and the scheduler does not use it until the fiber switches.
    let machine = unsafe { &mut *this };
    let index = machine.index(machine.current);
    if machine.stacks.is_short(index, (&raw const this).addr()) {
        machine.stop.get_or_insert(Stop::Stack);
        loop {
            pause();
        }
    }
    machine.inside = true;
    let result = f(machine, index);
    machine.inside = false;
    result
}

/// Leaves the fiber until the scheduler resumes it.
fn pause() {
    let this = MACHINE.get();
    // SAFETY: a fiber runs, so the machine is alive and the scheduler waits in a switch to this fiber.
    unsafe { switch(&raw mut (*(*this).current).sp, (*this).scheduler) };
}

/// Leaves the fiber for good: the dispatch has stopped.
fn stop(reason: Stop) {
    with(|machine, _| machine.stop = Some(reason));
    pause();
}

/// The function of each fiber, which runs the kernel.
pub(crate) extern "C" fn body() -> ! {
    let this = MACHINE.get();
    // SAFETY: a fiber runs, so the machine and its launch are alive; the fiber was prepared for this launch, whose
    // entry point takes these arguments.
    unsafe {
        let index = (*this).index((*this).current);
        let launch: *const Launch<'static> = (*this).launch;
        let buffers = &raw const (*this).shared.buffers;
        let position = &raw const (&(*this).shared.positions)[index];
        ((*launch).entry)(buffers.cast(), position);
        let fiber = (*this).current;
        (*fiber).state = if (*fiber).ended { State::Done } else { State::Returned };
    }
    loop {
        pause();
    }
}

/// A number for the place of a call: a combination of its address and, from the frame of the called function, the
/// addresses of the calls that led there. Without a frame it is the address.
fn trail(machine: &Machine, index: usize, pc: usize, mut frame: usize) -> usize {
    let stack = machine.stacks.range(index);
    // SAFETY: the launch is alive while a fiber runs.
    let code = unsafe { &(*machine.launch).code };
    let mut place = pc;
    while stack.contains(&frame) && frame + 16 <= stack.end && frame.is_multiple_of(8) {
        // SAFETY: the two words lie in the stack of the fiber that called, above its stack pointer.
        let [next, address] = unsafe { *(frame as *const [usize; 2]) };
        if !code.contains(&address) || next <= frame {
            break;
        }
        place = place.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ address;
        frame = next;
    }
    place
}

extern "C" fn simd(
    input: *const u8,
    bytes: u32,
    argument: u32,
    line: u32,
    file: *const c_char,
    name: *const c_char,
    pc: usize,
    frame: usize,
) -> Exchange {
    let (slots, lane) = with(|machine, index| {
        let pc = trail(machine, index, pc, frame);
        let fiber = &mut machine.fibers[index];
        fiber.parity ^= 1;
        fiber.wait = Wait { pc, line, file, name, argument, flags: 0 };
        fiber.state = State::Simd;
        let slots = &mut machine.shared.slots[fiber.parity][index / 32];
        let slot = &mut slots[index % 32];
        let bytes = (bytes as usize).min(slot.len());
        // SAFETY: the caller passes a value of this many bytes; the slot has room.
        unsafe { ptr::copy_nonoverlapping(input, slot.as_mut_ptr(), bytes) };
        (slots.as_ptr().cast::<u8>(), index as u32 % 32)
    });
    pause();
    Exchange { slots, mask: with(|machine, index| machine.fibers[index].mask), lane }
}

extern "C" fn barrier(
    flags: u32,
    of_simdgroup: u32,
    line: u32,
    file: *const c_char,
    pc: usize,
    frame: usize,
) {
    with(|machine, index| {
        let pc = trail(machine, index, pc, frame);
        let fiber = &mut machine.fibers[index];
        fiber.wait = Wait { pc, line, file, name: ptr::null(), argument: 0, flags };
        fiber.state = if of_simdgroup == 0 { State::Barrier } else { State::SimdBarrier };
    });
    pause();
}

extern "C" fn lane() -> u32 {
    with(|_, index| index as u32 % 32)
}

extern "C" fn fence() {
    with(|machine, _| {
        if let Some(checker) = &mut machine.checker {
            checker.fence();
        }
    });
}

extern "C" fn reached_end() {
    with(|machine, index| machine.fibers[index].ended = true);
}

extern "C" fn bad_lane(lane: u32, line: u32, file: *const c_char, name: *const c_char) {
    with(|machine, index| {
        let actor = machine.actor(index as u32);
        if let Some(checker) = &mut machine.checker {
            let name = string(name);
            let lane =
                if lane < 32 { format!("lane {lane}") } else { "a lane past the last".into() };
            let detail = format!("`{name}` reads {lane}, which does not take part");
            checker.report(
                FindingKind::BadLane,
                Site::Line(string(file), line),
                name,
                &actor,
                detail,
            );
        }
    });
}

extern "C" fn bad_index(index: i64, _count: u64, line: u32, file: *const c_char) {
    with(|machine, thread| {
        let actor = machine.actor(thread as u32);
        if let Some(checker) = &mut machine.checker {
            let site = Site::Line(string(file), line);
            let detail = format!("index {index} lies outside of its array");
            checker.report(FindingKind::OutOfBounds, site, String::new(), &actor, detail);
        }
    });
    stop(Stop::Checked);
}

extern "C" fn threadgroup(variable: u32) -> *mut c_void {
    with(|machine, _| {
        // SAFETY: the launch is alive while a fiber runs.
        let launch = unsafe { &*machine.launch };
        let offset = launch.variables.get(variable as usize).copied();
        address(machine, offset)
    })
}

extern "C" fn threadgroup_argument(index: u32) -> *mut c_void {
    with(|machine, _| {
        // SAFETY: the launch is alive while a fiber runs.
        let launch = unsafe { &*machine.launch };
        let argument = launch.arguments.iter().find(|(known, _)| *known == index);
        address(machine, argument.map(|(_, offset)| *offset))
    })
}

/// The address at an offset in threadgroup memory, or null, which faults.
fn address(machine: &mut Machine, offset: Option<usize>) -> *mut c_void {
    let memory = machine.memory.as_mut_ptr().cast::<u8>();
    offset.map_or(ptr::null_mut(), |offset| memory.wrapping_add(offset).cast())
}

extern "C" fn access(p: *const c_void, bytes: u64, flags: u32, pc: *const c_void) {
    let (start, bytes) = (p as usize, bytes as usize);
    let allowed = with(|machine, index| {
        let stack = machine.stacks.range(index);
        if stack.contains(&start) && start + bytes <= stack.end {
            return true;
        }
        let shared = ptr::from_ref(&*machine.shared) as usize;
        let after = shared + size_of_val(&*machine.shared);
        if start >= shared && start + bytes <= after {
            return true;
        }
        let actor = machine.actor(index as u32);
        // SAFETY: the launch is alive while a fiber runs.
        let code = unsafe { &(*machine.launch).code };
        let pc = (pc as usize).wrapping_sub(code.start) as u32;
        let foreign = machine.stacks.all().contains(&start);
        let constant = code.contains(&start) && start + bytes <= code.end;
        let Some(checker) = &mut machine.checker else { return true };
        if foreign {
            let detail = format!("access to {bytes} bytes of another thread's variables");
            checker.report(FindingKind::OutOfBounds, Site::Code(pc), String::new(), &actor, detail);
            return false;
        }
        if constant && flags & WRITE == 0 {
            return true;
        }
        let access = Access {
            read: flags & READ != 0,
            write: flags & WRITE != 0,
            atomic: flags & ATOMIC != 0,
        };
        checker.access(start, bytes, access, flags & UNALIGNED == 0, &actor, pc)
    });
    if !allowed {
        stop(Stop::Checked);
    }
}
