//! The executor: the workers of a process, and the runs they work for.

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::admission::{Admission, MOST_RUNS, ThreadRequest};
use super::job::{Gate, MOST_MEMBERS, Slot};
use super::role::{HERE, Here, InJob, InRun, RUNS};
use super::stop::{Watched, Watcher};
use super::{Padded, fork};
use crate::sync::{
    self, AtomicBool, AtomicU64, AtomicUsize, Builder, JoinHandle, LOOKS, Mutex, Ordering,
    Patience, Thread,
};

/// The longest time that an idle worker spins before it parks: longer than Python takes between launches, because
/// waking a thread costs the waker about ten microseconds in the system.
const SPIN: Duration = Duration::from_micros(200);

/// The shortest such time, for a worker whose jobs arrive too rarely for spinning.
const LEAST_SPIN: Duration = Duration::from_micros(5);

/// Polling rounds between a spinning worker's checks whether callers have taken its core: that state is written by
/// every launch, so reading it often is expensive.
const ROUNDS: usize = 8;

/// The cost of waking, in nanoseconds: the caller's system call and the worker's delay until it joins the job.
const WAKE: u64 = 25_000;

/// The executor of this process, leaked; null before the first use.
static PROCESS: AtomicPtr<Arc<Executor>> = AtomicPtr::new(ptr::null_mut());

/// The most threads requested so far, in this process or in the processes that it was forked from.
static MOST_ASKED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

#[derive(Default)]
struct Worker {
    parked: AtomicBool,
    /// Set before the worker first parks.
    thread: OnceLock<Thread>,
}

/// Threads that work for the runs of a process, and the admission of those runs.
pub(super) struct Executor {
    pub(super) admission: Admission,
    pub(super) slots: [Slot; MOST_RUNS],
    missed: [Missed; MOST_RUNS],
    start: Instant,
    /// Counts the jobs of all runs except those in the first slot, which workers always check.
    announced: Padded<AtomicU64>,
    /// Capacity for as many workers as may be started; the first is worker 1.
    workers: Box<[Worker]>,
    started: AtomicUsize,
    /// Maximum number that the system lets start.
    most: AtomicUsize,
    handles: Mutex<Vec<JoinHandle<()>>>,
    stop: AtomicBool,
}

/// A run that is active on this thread; [`Threads::team`](super::Threads::team) then uses the run's workers.
pub struct RunGuard {
    executor: Arc<Executor>,
    /// Its number on this thread; `None` for a nested run, or inside a task.
    number: Option<u64>,
    /// The thread's role before.
    before: Here,
    /// Whether the run has to stop.
    _watched: Option<Watched>,
    /// It must be dropped on its thread.
    here: std::marker::PhantomData<*const ()>,
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        // A guard that is dropped inside a task, or before a run that began inside its own, keeps its slot forever,
        // because this thread may still open jobs there.
        if let Here::Run(run) = HERE.with(Cell::get)
            && run.executor == self.executor.address()
            && run.number == number
        {
            HERE.with(|here| here.set(self.before));
            if let Some(place) = run.place {
                self.executor.admission.leave(place);
            }
        }
    }
}

/// Time that a run's callers lost by not waking workers, since they last did.
struct Missed {
    /// When a caller was last here, in nanoseconds since the executor was made.
    last: AtomicU64,
    nanos: AtomicU64,
}

impl Missed {
    /// Adds the time about to be missed; returns whether the total justifies waking workers.
    fn add(&self, nanos: u64, start: Instant) -> bool {
        let now = start.elapsed().as_nanos() as u64;
        let pause = now.saturating_sub(self.last.swap(now, Ordering::Relaxed));
        // After a longer pause the workers would have parked again.
        let before =
            if pause < SPIN.as_nanos() as u64 { self.nanos.load(Ordering::Relaxed) } else { 0 };
        let missed = before.saturating_add(nanos);
        let enough = missed >= WAKE;
        self.nanos.store(if enough { 0 } else { missed }, Ordering::Relaxed);
        enough
    }
}

impl Executor {
    /// An executor for this many runs, and as many threads, including callers, with no worker started yet.
    pub(super) fn new(cores: usize) -> Arc<Executor> {
        Arc::new(Executor {
            admission: Admission::new(cores),
            slots: std::array::from_fn(|_| Slot::new()),
            missed: std::array::from_fn(|_| Missed {
                last: AtomicU64::new(0),
                nanos: AtomicU64::new(0),
            }),
            start: Instant::now(),
            announced: Padded(AtomicU64::new(0)),
            workers: (1..MOST_MEMBERS).map(|_| Worker::default()).collect(),
            started: AtomicUsize::new(0),
            most: AtomicUsize::new(MOST_MEMBERS - 1),
            handles: Mutex::default(),
            stop: AtomicBool::new(false),
        })
    }

    /// The executor of the process: for as many runs as the system grants it cores, and as many threads, or more on request.
    /// A forked child makes its own at first use.
    pub(super) fn of_process() -> &'static Arc<Executor> {
        let known = PROCESS.load(Ordering::Acquire);
        // SAFETY: the pointer is null or that of a box that is never freed.
        unsafe { known.as_ref() }.unwrap_or_else(Executor::make_of_process)
    }

    #[cold]
    fn make_of_process() -> &'static Arc<Executor> {
        fork::watch();
        let made = Executor::new(super::cores());
        made.admission.allow(MOST_ASKED.load(Ordering::Relaxed));
        let made = Box::into_raw(Box::new(made));
        let (null, order) = (ptr::null_mut(), Ordering::AcqRel);
        match PROCESS.compare_exchange(null, made, order, Ordering::Acquire) {
            // SAFETY: the box was leaked above and is never freed.
            Ok(_) => unsafe { &*made },
            Err(first) => {
                // SAFETY: no one else has seen this box. The other one is never freed.
                unsafe {
                    drop(Box::from_raw(made));
                    &*first
                }
            }
        }
    }

    /// Called in a forked child: the next run makes an executor, because the workers and the other runs of the parent's do
    /// not exist here. A run during which this thread forked goes on without a place in the parent's admission.
    pub(super) fn forget_of_process() {
        PROCESS.store(ptr::null_mut(), Ordering::Release);
        if let Here::Run(_) = HERE.with(Cell::get) {
            HERE.with(|here| here.set(Here::Outside));
        }
    }

    /// Ensures that `n` threads can compute, including the caller; returns how many can.
    pub(super) fn grow(self: &Arc<Self>, n: usize) -> usize {
        let n = n.clamp(1, MOST_MEMBERS);
        let n = self.start(n - 1).min(n - 1) + 1;
        self.admission.allow(n);
        n
    }

    /// [`grow`](Self::grow) for the executor of the process.
    pub(super) fn grow_of_process(n: usize) -> usize {
        let n = Executor::of_process().grow(n);
        MOST_ASKED.fetch_max(n, Ordering::Relaxed);
        n
    }

    /// Starts workers until there are `n`; returns how many there are, fewer if the system refuses.
    fn start(self: &Arc<Self>, n: usize) -> usize {
        let started = self.started.load(Ordering::Acquire);
        if started >= n.min(self.most.load(Ordering::Relaxed)) {
            return started;
        }
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        while handles.len() < n.min(self.workers.len()) {
            let (executor, i) = (Arc::clone(self), handles.len() + 1);
            let builder = Builder::new().name(format!("trident-cpu-{i}"));
            match builder.spawn(move || executor.work(i)) {
                Ok(handle) => handles.push(handle),
                Err(_) => {
                    self.most.store(handles.len(), Ordering::Relaxed);
                    break;
                }
            }
        }
        self.started.store(handles.len(), Ordering::Release);
        handles.len()
    }

    /// Ends all workers.
    pub(super) fn end(&self) {
        self.stop.store(true, Ordering::SeqCst);
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        (1..=handles.len()).for_each(|worker| _ = self.wake(worker));
        for handle in handles.drain(..) {
            // Workers catch the panics of their tasks, so joining cannot fail.
            let _ = handle.join();
        }
    }

    /// Begins a run on this thread once it is admitted; `None` if it gives up. Inside a run of this
    /// executor, or a task, it becomes part of that.
    pub(super) fn enter(self: &Arc<Self>, request: &ThreadRequest) -> Option<RunGuard> {
        let watcher = || Watcher::new(self, request);
        self.begin(|| self.admission.enter(request), watcher)
    }

    /// Like [`enter`](Self::enter), without waiting.
    pub(super) fn try_enter(self: &Arc<Self>) -> Option<RunGuard> {
        self.begin(|| self.admission.try_enter(false), Watcher::of_thread)
    }

    /// A run in a place, with a watcher of its own. A run that is part of another has the other's.
    fn begin(
        self: &Arc<Self>,
        place: impl FnOnce() -> Option<usize>,
        watcher: impl FnOnce() -> Option<Watcher>,
    ) -> Option<RunGuard> {
        let before = HERE.with(Cell::get);
        let number = match before {
            Here::Run(run) if run.executor == self.address() => None,
            Here::Job => None,
            Here::Run(_) | Here::Outside => {
                let place = Some(place()?);
                let number = RUNS.with(|runs| runs.replace(runs.get() + 1));
                let run = InRun { executor: self.address(), number, place };
                HERE.with(|here| here.set(Here::Run(run)));
                Some(number)
            }
        };
        let executor = Arc::clone(self);
        let watched = number.and_then(|_| watcher()).map(Watched::by);
        let here = std::marker::PhantomData;
        Some(RunGuard { executor, number, before, _watched: watched, here })
    }

    /// Gives the core of this thread's run to others until `wait` returns and a core is free. False if the run gives up meanwhile,
    /// as the request says: then it is without a core. Nothing happens while the run has a job open.
    pub(super) fn hand_over(&self, request: &ThreadRequest, wait: impl FnOnce()) -> bool {
        let Here::Run(run) = HERE.with(Cell::get) else { return true };
        let Some(place) = run.place.filter(|_| run.executor == self.address()) else { return true };
        let set = |place| HERE.with(|here| here.set(Here::Run(InRun { place, ..run })));
        // Whoever takes the place opens jobs in its slot, so this run must not open any.
        set(None);
        self.admission.leave(place);
        wait();
        let place = self.admission.enter(request);
        set(place);
        place.is_some()
    }

    /// The place of this thread's run, if it has no job open.
    pub(super) fn place(&self) -> Option<usize> {
        match HERE.with(Cell::get) {
            Here::Run(run) if run.executor == self.address() => run.place,
            _ => None,
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Calls `member(0)` on this thread and `member(i)` on each worker `i < size` of the run that arrives before it
    /// returns; `idle` from time to time while this thread waits for the workers. Returns whether there is a run (if
    /// necessary, one for this job alone) and it has workers; if not, nothing was called.
    pub(super) fn team(
        self: &Arc<Self>,
        size: usize,
        member: &(dyn Fn(usize) + Sync),
        idle: &(dyn Fn() + Sync),
    ) -> bool {
        match HERE.with(Cell::get) {
            Here::Job => false,
            Here::Run(InRun { executor, place, .. }) if executor == self.address() => {
                place.is_some_and(|place| self.team_of(place, size, member, idle))
            }
            Here::Run(_) | Here::Outside => {
                let _run = self.try_enter();
                self.place().is_some_and(|place| self.team_of(place, size, member, idle))
            }
        }
    }

    /// [`team`](Self::team) for the run in a place, which belongs to this thread.
    fn team_of(
        self: &Arc<Self>,
        place: usize,
        size: usize,
        member: &(dyn Fn(usize) + Sync),
        idle: &(dyn Fn() + Sync),
    ) -> bool {
        let deal = self.admission.deal(place);
        let size = size.min(deal.workers + 1).min(MOST_MEMBERS);
        if size <= 1 || self.start(deal.worker(size - 1)) == 0 {
            return false;
        }
        let slot = &self.slots[place];
        let process = fork::generation();
        // Until the job is closed, as the run must keep its place.
        let _in_job = InJob::enter();
        // SAFETY: the run owns the slot of its place; it opens jobs on its thread only and one after another, because
        // there is no run inside a task. Each job is closed before this function returns, as calls catch panics.
        let gate = unsafe { slot.open(member, size, deal) };
        if place != 0 {
            self.announced.0.fetch_add(1, Ordering::SeqCst);
        }
        self.take_part(slot, 0, gate);
        slot.close(process, idle);
        true
    }

    /// Whether waking workers for a team of this size pays off if it saves `nanos` nanoseconds.
    pub(super) fn worth_waking(&self, size: usize, nanos: u64) -> bool {
        let Some(place) = self.place() else { return false };
        let deal = self.admission.deal(place);
        let size = size.min(deal.workers + 1);
        let parked = |member| {
            let worker = self.workers.get(deal.worker(member) - 1);
            worker.is_none_or(|worker| worker.parked.load(Ordering::Relaxed))
        };
        size > 1 && (!(1..size).any(parked) || self.missed[place].add(nanos, self.start))
    }

    /// Performs the work of one member of the open job.
    fn take_part(&self, slot: &Slot, member: usize, gate: Gate) {
        // Each member wakes two more, because waking takes long.
        self.wake_below(member, gate);
        let _in_job = InJob::enter();
        // SAFETY: the caller has opened or joined the job.
        unsafe { slot.call(member) };
    }

    /// Wakes a worker if it is parked. Sequential consistency guarantees that either the worker sees what was written
    /// before this call before it parks, or this call sees that it is parked.
    fn wake(&self, worker: usize) -> bool {
        let Some(worker) = self.workers.get(worker - 1) else { return false };
        let parked =
            worker.parked.load(Ordering::SeqCst) && worker.parked.swap(false, Ordering::SeqCst);
        if parked && let Some(thread) = worker.thread.get() {
            thread.unpark();
        }
        parked
    }

    /// Wakes the two members below this one. Where one is awake it may be busy with another run's job, so those below it
    /// are woken here.
    fn wake_below(&self, member: usize, gate: Gate) {
        for other in 2 * member + 1..(2 * member + 3).min(gate.size()) {
            if !self.wake(gate.deal().worker(other)) {
                self.wake_below(other, gate);
            }
        }
    }

    /// The main loop of a worker.
    fn work(&self, worker: usize) {
        let _ = self.workers[worker - 1].thread.set(sync::current());
        let mut looker = Looker { executor: self, worker, announced: 0, seen: [0; MOST_RUNS] };
        let mut spin = SPIN;
        while let Some((place, gate)) = looker.next_job(&mut spin) {
            looker.seen[place] = gate.number();
            let slot = &self.slots[place];
            if let Some(member) = gate.member(worker)
                && slot.join(gate)
            {
                self.take_part(slot, member, gate);
                slot.leave();
            }
        }
    }
}

/// A worker's search for jobs.
struct Looker<'a> {
    executor: &'a Executor,
    worker: usize,
    /// The count of announced jobs when all places were last checked without success.
    announced: u64,
    /// The number of the last job seen in each place.
    seen: [u64; MOST_RUNS],
}

impl Looker<'_> {
    /// An open job that wants this worker and that it has not seen.
    fn look(&mut self) -> Option<(usize, Gate)> {
        let fresh = |place: usize| {
            let gate = self.executor.slots[place].gate(Ordering::SeqCst);
            let wants = gate.is_open()
                && gate.number() != self.seen[place]
                && gate.member(self.worker).is_some();
            wants.then_some((place, gate))
        };
        let announced = self.executor.announced.0.load(Ordering::SeqCst);
        let found = fresh(0);
        if found.is_some() || announced == self.announced {
            return found;
        }
        let found = (1..MOST_RUNS).find_map(fresh);
        if found.is_none() {
            self.announced = announced;
        }
        found
    }

    /// Waits for a job; `None` when the executor ends. A worker spins for up to `spin`, which grows when jobs follow
    /// one another closely and shrinks when they do not, and does not spin at all when callers have all cores.
    fn next_job(&mut self, spin: &mut Duration) -> Option<(usize, Gate)> {
        let executor = self.executor;
        let parked = &executor.workers[self.worker - 1].parked;
        let mut idle = Patience::of(SPIN);
        loop {
            let mut patience = Patience::of(*spin);
            let mut rounds = 0;
            while !patience.has_ended() {
                if rounds % ROUNDS == 0 && self.worker > executor.admission.workers() {
                    break;
                }
                rounds += 1;
                for _ in 0..LOOKS {
                    if let Some(job) = self.look() {
                        return Some(job);
                    }
                    sync::spin_loop();
                }
                if executor.stop.load(Ordering::SeqCst) {
                    return None;
                }
            }
            parked.store(true, Ordering::SeqCst);
            let mut job = None;
            // Whoever clears the flag wakes this thread; the thread clears it itself if a job arrived in the meantime.
            while parked.load(Ordering::SeqCst) {
                job = self.look();
                if job.is_some() || executor.stop.load(Ordering::SeqCst) {
                    parked.store(false, Ordering::SeqCst);
                } else {
                    sync::park();
                }
            }
            // A longer spin would have caught a job that arrived this soon.
            *spin = if idle.has_ended() { (*spin / 2).max(LEAST_SPIN) } else { SPIN };
            idle = Patience::of(SPIN);
            // Even if callers have all cores by now: the job began before.
            if job.is_some() || executor.stop.load(Ordering::SeqCst) {
                return job;
            }
        }
    }
}
