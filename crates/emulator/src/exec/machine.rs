//! Runs threadgroups on one thread of the system: their threads are fibers, and 32 fibers form a simdgroup.

use super::fiber::{Stacks, switch};
use super::hooks;
use crate::check::{Actor, Checker, FindingKind, Site};
use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use trident_apple::metal::MetalError;

/// Threads of a simdgroup.
pub(crate) const WIDTH: usize = 32;

/// The most threads of a threadgroup.
pub(crate) const MAX_THREADS: usize = 1024;

/// Slots for buffers.
const SLOTS: usize = trident_apple::metal::BUFFER_SLOTS as usize;

/// An entry point, as `text::rewrite` declares it.
pub(crate) type Entry = unsafe extern "C" fn(*const *mut u8, *const Position);

/// Where a thread is: `msl_thread` of `shim/entry.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    pub grid: [u32; 3],
    pub local: [u32; 3],
    pub group: [u32; 3],
    pub group_size: [u32; 3],
    pub dispatch_size: [u32; 3],
    pub groups: [u32; 3],
    pub grid_size: [u32; 3],
    pub index: u32,
    pub lane: u32,
    pub simdgroup: u32,
    pub simdgroups: u32,
}

/// The state that kernels may read besides their own memory.
#[repr(C)]
pub(crate) struct Shared {
    /// Values that lanes exchange, by parity of the exchange, simdgroup and lane.
    pub slots: [[[[u8; 16]; WIDTH]; MAX_THREADS / WIDTH]; 2],
    pub positions: [Position; MAX_THREADS],
    pub buffers: [*mut u8; SLOTS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// Waits for its simdgroup in a function.
    Simd,
    /// Waits for its simdgroup at a barrier.
    SimdBarrier,
    /// Waits for its threadgroup.
    Barrier,
    /// Has left the kernel by a `return` before its end.
    Returned,
    /// Has reached the end of the kernel.
    Done,
}

/// Why a thread waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub pc: usize,
    pub line: u32,
    pub file: *const c_char,
    pub name: *const c_char,
    /// The number that must be the same in all lanes, or `u32::MAX`.
    pub argument: u32,
    pub flags: u32,
}

pub(crate) struct Fiber {
    pub sp: *mut u8,
    pub state: State,
    pub wait: Wait,
    /// The lanes that took part in the last exchange.
    pub mask: u32,
    pub parity: usize,
    pub ended: bool,
}

/// Why a dispatch stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The checker has reported something after which the thread cannot go on.
    Checked,
    /// A signal, with the address of the code and of the access.
    Signal { number: i32, pc: usize, address: usize },
    /// A thread's variables and calls exceed its stack.
    Stack,
    /// The time has passed.
    Time,
    /// Another machine of the dispatch has stopped.
    Other,
}

/// The work of a machine: one kernel with its arguments.
pub(crate) struct Launch<'a> {
    pub entry: Entry,
    pub groups: [u32; 3],
    pub threads: [u32; 3],
    /// Threads of the whole grid.
    pub grid: [u32; 3],
    pub buffers: [*mut u8; SLOTS],
    /// Offsets of the threadgroup variables by their number in the text.
    pub variables: &'a [usize],
    /// Offsets of the `[[threadgroup(index)]]` parameters.
    pub arguments: &'a [(u32, usize)],
    /// Addresses of the kernel's code.
    pub code: std::ops::Range<usize>,
    /// Seed of the order in which threads run; 0 for their natural order.
    pub seed: u64,
    /// When the dispatch must have ended.
    pub deadline: Instant,
    /// Set when a machine stops.
    pub stopped: &'a AtomicBool,
}

pub(crate) struct Machine {
    pub fibers: Vec<Fiber>,
    pub stacks: Stacks,
    pub shared: Box<Shared>,
    pub scheduler: *mut u8,
    /// The fiber that runs, or null.
    pub current: *mut Fiber,
    /// Threadgroup memory, of 16-byte alignment.
    pub memory: Vec<u128>,
    pub launch: *const Launch<'static>,
    pub checker: Option<Checker>,
    pub stop: Option<Stop>,
    /// Whether the running code is the emulator's own, which a signal must not leave.
    pub inside: bool,
    group: [u32; 3],
    group_index: u32,
    random: u64,
}

/// The threads of a threadgroup in x, y and z: at the ends of the grid those that are left.
pub(crate) fn size_of_group(group: [u32; 3], threads: [u32; 3], grid: [u32; 3]) -> [u32; 3] {
    std::array::from_fn(|d| {
        threads[d].min(grid[d].saturating_sub(group[d].saturating_mul(threads[d])))
    })
}

impl Machine {
    pub(crate) fn new() -> Result<Box<Machine>, MetalError> {
        let idle = || Fiber {
            sp: ptr::null_mut(),
            state: State::Done,
            wait: Wait {
                pc: 0,
                line: 0,
                file: ptr::null(),
                name: ptr::null(),
                argument: 0,
                flags: 0,
            },
            mask: 0,
            parity: 0,
            ended: false,
        };
        Ok(Box::new(Machine {
            fibers: (0..MAX_THREADS).map(|_| idle()).collect(),
            stacks: Stacks::new(MAX_THREADS)?,
            shared: Box::new(Shared {
                slots: [[[[0; 16]; WIDTH]; MAX_THREADS / WIDTH]; 2],
                positions: [Position::default(); MAX_THREADS],
                buffers: [ptr::null_mut(); SLOTS],
            }),
            scheduler: ptr::null_mut(),
            current: ptr::null_mut(),
            memory: Vec::new(),
            launch: ptr::null(),
            checker: None,
            stop: None,
            inside: false,
            group: [0; 3],
            group_index: 0,
            random: 0,
        }))
    }

    /// Gets ready for a launch with `bytes` bytes of threadgroup memory.
    ///
    /// # Safety
    /// The launch outlives the calls of [`Machine::run`] that follow, and its entry point, offsets and buffers fit
    /// each other.
    pub(crate) unsafe fn begin(&mut self, launch: &Launch<'_>, bytes: usize) {
        self.memory.resize(bytes.div_ceil(16), u128::MAX);
        self.shared.buffers = launch.buffers;
        self.launch = ptr::from_ref(launch).cast();
        self.stop = None;
        self.random = launch.seed;
    }

    fn launch(&self) -> &Launch<'static> {
        // SAFETY: `begin` was called with a launch that outlives the calls of `run`.
        unsafe { &*self.launch }
    }

    /// The thread of an index, for reports.
    pub(crate) fn actor(&self, thread: u32) -> Actor {
        Actor { group: self.group, group_index: self.group_index, thread }
    }

    pub(crate) fn index(&self, fiber: *const Fiber) -> usize {
        (fiber as usize - self.fibers.as_ptr() as usize) / size_of::<Fiber>()
    }

    /// A number below `n`, at random if there is a seed, else 0.
    fn choose(&mut self, n: usize) -> usize {
        if self.launch().seed == 0 {
            return 0;
        }
        // xorshift64*, Vigna 2016.
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    /// 0 to n - 1, shuffled if there is a seed.
    fn order<const N: usize>(&mut self, n: usize) -> [u16; N] {
        let mut order = std::array::from_fn(|i| i as u16);
        if self.launch().seed != 0 {
            for i in (1..n).rev() {
                order.swap(i, self.choose(i + 1));
            }
        }
        order
    }

    /// Runs a threadgroup.
    ///
    /// # Safety
    /// The machine is alive, and only this thread uses it. Its launch, from [`Machine::begin`], is alive too, and the
    /// kernel accesses only memory that is its own, or the machine checks it.
    pub(crate) unsafe fn run(this: *mut Machine, group: [u32; 3]) -> Result<(), Stop> {
        hooks::enter(this);
        // SAFETY: nothing else uses the machine until a fiber runs.
        let (count, simdgroups) = unsafe { &mut *this }.prepare(group);
        loop {
            // SAFETY: no fiber runs.
            let order = unsafe { &mut *this }.order::<{ MAX_THREADS / WIDTH }>(simdgroups);
            for &simdgroup in &order[..simdgroups] {
                let first = usize::from(simdgroup) * WIDTH;
                // SAFETY: the caller promises a live machine that only this thread uses; none of its fibers runs, and `prepare`
                // made `count`.
                unsafe { Machine::run_simdgroup(this, first, WIDTH.min(count - first))? };
            }
            // SAFETY: no fiber runs.
            if !unsafe { &mut *this }.pass_barrier(count) {
                return Ok(());
            }
        }
    }

    /// Lets the threads go on that wait for the threadgroup; returns whether there are any.
    fn pass_barrier(&mut self, count: usize) -> bool {
        let waits = |f: &Fiber| f.state == State::Barrier;
        let Some(waiting) = self.fibers[..count].iter().position(waits) else { return false };
        let flags = self.meet(0, count, waiting, FindingKind::DivergentBarrier);
        if let Some(checker) = &mut self.checker {
            checker.barrier(flags);
        }
        for fiber in self.fibers[..count].iter_mut().filter(|f| waits(f)) {
            fiber.state = State::Ready;
        }
        true
    }

    /// Sets the threads of a threadgroup to the kernel's start. Returns how many threads and simdgroups there are.
    fn prepare(&mut self, group: [u32; 3]) -> (usize, usize) {
        let Launch { groups, threads: whole, grid, .. } = *self.launch();
        let threads = size_of_group(group, whole, grid);
        let count = threads.iter().product::<u32>() as usize;
        let simdgroups = count.div_ceil(WIDTH);
        self.group = group;
        // A grid of more than 2^32 threadgroups does not end anyway.
        let plane = group[2].wrapping_mul(groups[1]).wrapping_add(group[1]);
        self.group_index = plane.wrapping_mul(groups[0]).wrapping_add(group[0]);
        self.memory.fill(u128::MAX);
        if let Some(checker) = &mut self.checker {
            checker.begin_group();
        }
        for t in 0..count {
            let i = t as u32;
            let local = [i % threads[0], i / threads[0] % threads[1], i / threads[0] / threads[1]];
            self.shared.positions[t] = Position {
                grid: std::array::from_fn(|d| group[d] * whole[d] + local[d]),
                local,
                group,
                group_size: threads,
                dispatch_size: whole,
                groups,
                grid_size: grid,
                index: i,
                lane: i % WIDTH as u32,
                simdgroup: i / WIDTH as u32,
                simdgroups: simdgroups as u32,
            };
            let fiber = &mut self.fibers[t];
            fiber.sp = self.stacks.prepare(t, hooks::body);
            fiber.state = State::Ready;
            fiber.parity = 0;
            fiber.ended = false;
        }
        (count, simdgroups)
    }

    /// Reports threads of a group that do not wait where `waiting` does; returns the flags of the barrier there.
    fn meet(&mut self, first: usize, count: usize, waiting: usize, kind: FindingKind) -> u32 {
        let Wait { pc, line, file, flags, argument, name } = self.fibers[waiting].wait;
        let state = self.fibers[waiting].state;
        let members = &self.fibers[first..first + count];
        let here = |f: &Fiber| f.state == state && f.wait.pc == pc;
        let missing = members.iter().filter(|f| !here(f) && f.state != State::Returned).count();
        let returned = members.iter().filter(|f| f.state == State::Returned).count();
        let uniform = members.iter().filter(|f| here(f)).all(|f| f.wait.argument == argument);
        if missing == 0 && returned == 0 && uniform {
            return flags;
        }
        let what = match state {
            State::Barrier => "threadgroup_barrier".to_owned(),
            State::SimdBarrier => "simdgroup_barrier".to_owned(),
            _ => string(name),
        };
        let site = Site::Line(string(file), line);
        let actor = self.actor(waiting as u32);
        let Some(checker) = &mut self.checker else { return flags };
        let mut report =
            |kind, detail| checker.report(kind, site.clone(), what.clone(), &actor, detail);
        if missing > 0 {
            report(kind, format!("{missing} of {count} threads are not at this `{what}`"));
        } else if returned > 0 {
            let detail = format!("{returned} of {count} threads have returned before `{what}`");
            report(FindingKind::EarlyReturn, detail);
        }
        if !uniform {
            let detail = format!("the lane or distance of `{what}` differs between lanes");
            report(FindingKind::NotUniform, detail);
        }
        flags
    }

    /// Runs the lanes of a simdgroup until all of them have ended or wait for the threadgroup.
    ///
    /// # Safety
    /// As for [`Machine::run`].
    unsafe fn run_simdgroup(this: *mut Machine, first: usize, count: usize) -> Result<(), Stop> {
        loop {
            // SAFETY: no fiber runs.
            let order = unsafe { &mut *this }.order::<WIDTH>(count);
            for &lane in &order[..count] {
                // SAFETY: the caller promises a live machine that only this thread uses; no other of its fibers runs.
                unsafe { Machine::run_thread(this, first + usize::from(lane))? };
            }
            // SAFETY: no fiber runs.
            if !unsafe { &mut *this }.exchange(first, count) {
                return Ok(());
            }
        }
    }

    /// Runs a thread until it waits or has ended, if it can run.
    ///
    /// # Safety
    /// As for [`Machine::run`].
    unsafe fn run_thread(this: *mut Machine, index: usize) -> Result<(), Stop> {
        // SAFETY: no fiber runs.
        let machine = unsafe { &mut *this };
        if machine.fibers[index].state != State::Ready {
            return Ok(());
        }
        if machine.launch().stopped.load(Ordering::Relaxed) {
            return Err(Stop::Other);
        }
        let fiber = &raw mut machine.fibers[index];
        machine.current = fiber;
        // SAFETY: the fiber is ready: it was prepared, or has switched to the scheduler. While it runs, only the
        // functions that it calls use the machine, through the pointer given to `hooks::enter`.
        unsafe { switch(&raw mut (*this).scheduler, (*fiber).sp) };
        // SAFETY: the fiber has switched back.
        let machine = unsafe { &mut *this };
        machine.current = ptr::null_mut();
        machine.stop.map_or(Ok(()), Err)
    }

    /// Lets the lanes go on that wait for their simdgroup; returns whether there are any.
    fn exchange(&mut self, first: usize, count: usize) -> bool {
        let simd = |f: &Fiber| matches!(f.state, State::Simd | State::SimdBarrier);
        let members = &self.fibers[first..first + count];
        let Some(waiting) = members.iter().position(simd) else { return false };
        let (state, pc) = (members[waiting].state, members[waiting].wait.pc);
        let flags = self.meet(first, count, first + waiting, FindingKind::DivergentSimd);
        if state == State::SimdBarrier
            && let Some(checker) = &mut self.checker
        {
            checker.simd_barrier(first / WIDTH, flags);
        }
        let members = &mut self.fibers[first..first + count];
        let here = |f: &Fiber| f.state == state && f.wait.pc == pc;
        let lanes = members.iter().enumerate().filter(|(_, f)| here(f));
        let mask = lanes.fold(0, |mask, (lane, _)| mask | 1 << lane);
        for fiber in members.iter_mut().filter(|f| here(f)) {
            fiber.mask = mask;
            fiber.state = State::Ready;
        }
        true
    }
}

/// The text at an address that compiled code has passed.
pub(crate) fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: compiled code passes literals: `__builtin_FILE()` and names of functions.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
