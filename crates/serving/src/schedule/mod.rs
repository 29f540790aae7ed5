//! Scheduling of requests: queues, timers, batches and the shares of models, without sockets or an async runtime.
//!
//! ```text
//! submit ─► queue of the model ─► batch ─► run ─► answer
//!               │  timer: its time is over ──────► answer
//!               └─ cancel: its client leaves ────► answer
//! ```
//!
//! - A request is owned, and answered once: when its batch ends, when its time is over, or when its client leaves, whichever is
//!   first. A thread of its own keeps time, so that timeouts do not wait for runs. A run whose requests are all answered stops.
//! - Priorities sort the queue of one model. Among models, the one furthest behind its share of the cores goes next (`shares.rs`).
//! - A batch closes when a core is free, not before: under load batches grow by themselves. The rules of
//!   `dynamic_batching` apply (`batching.rs`).
//! - A run whose model is ahead of one that waits is suspended in the middle, and goes on later on its thread (`handover.rs`). The
//!   other one runs on a further thread: there are as many threads as cores and suspended runs.
//! - A request that lacks memory goes back to its model, and runs again once no other run of the model is under way. No
//!   thread waits for that.
//! - A request to a model that is not loaded waits by the same rules (`absent.rs`).
//!
//! `State` decides, `Shared` has the lock and the loops, [`Scheduler`] the threads. The state knows neither models nor threads: tests
//! advance its clock, and `shuttle` explores the orders of its threads (`models.rs`).

mod absent;
mod alone;
mod batching;
mod brief;
mod clock;
mod contest;
mod cores;
mod handover;
mod limits;
mod model;
mod pending;
mod priority;
mod queue;
mod resting;
mod sequences;
mod sequencing;
mod served;
mod shared;
mod shares;
mod state;

#[cfg(all(test, feature = "models"))]
mod models;
#[cfg(test)]
mod testing;
#[cfg(all(test, not(feature = "models")))]
mod tests;

pub use absent::{AbsentQueue, AbsentTicket};
pub use clock::{Clock, ManualClock, SystemClock};
pub use limits::{RateLimits, ResourceFault};
pub use priority::Priority;
pub use shares::CoreUse;

use crate::batch::{InferenceRequest, Response, own_flag};
use crate::config::{ModelConfig, SchedulingChoice};
use crate::failure::{RequestError, ServeError};
use crate::model::ServedModel;
use crate::native::{Native, NativeModel};
use crate::sequence::{InitialStates, StateSpec};
use absent::AbsentModels;
use alone::Alone;
use batching::Batching;
use limits::Group;
use model::Schedule;
use pending::{Pending, Reply};
use queue::Levels;
use sequencing::Sequencing;
use served::Served;
use shared::{Runner, Shared};
use state::Joining;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Instant;

type SharedModels = Shared<Served>;

/// Runs the requests of models on a number of cores.
pub struct Scheduler {
    cores: usize,
    shared: Arc<SharedModels>,
    /// The queues of models that are not loaded.
    absent: Arc<AbsentModels>,
    /// Starts the thread that keeps their time, when there is a first one; `None` if there is one, or threads are not this
    /// scheduler's.
    absent_time: Mutex<Option<StartThread>>,
    /// They grow with the number of suspended runs.
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

type StartThread = fn(&Scheduler) -> io::Result<()>;

/// A model of a [`Scheduler`]. When this is dropped, its requests are still answered; then the scheduler drops the model.
pub struct ScheduledModel {
    model: Served,
    id: u64,
    shared: Arc<SharedModels>,
    /// For models with sequences.
    sequencing: Option<Sequencing>,
}

/// A request that was submitted. Dropping it changes nothing.
pub struct Ticket {
    pending: Weak<Pending>,
    shared: Weak<SharedModels>,
}

impl Scheduler {
    /// A scheduler with a thread for each core, and one that keeps time.
    pub fn start(cores: usize) -> io::Result<Scheduler> {
        let mut scheduler = Scheduler::new(cores, Arc::new(SystemClock));
        scheduler.absent_time = Mutex::new(Some(|own| {
            spawn(&own.threads, &own.absent, "absent models", |shared| shared.keep_time())
        }));
        let Scheduler { shared, threads, .. } = &scheduler;
        spawn(threads, shared, "serving timers", |shared| shared.keep_time())?;
        let cores = cores.max(1);
        (0..cores).try_for_each(|_| spawn(threads, shared, "serving", Shared::work))?;
        let (weak, own) = (Arc::downgrade(shared), Arc::downgrade(threads));
        let add_thread = move || match (weak.upgrade(), own.upgrade()) {
            (Some(shared), Some(threads)) => {
                spawn(&threads, &shared, "serving", Shared::work).is_ok()
            }
            _ => false,
        };
        shared.suspend_runs(cores, Box::new(add_thread));
        Ok(scheduler)
    }

    /// A scheduler without threads: its caller runs batches ([`Scheduler::run_next`]) and applies timeouts ([`Scheduler::expire`]).
    /// Its runs are not suspended.
    pub fn new(cores: usize, clock: Arc<dyn Clock>) -> Scheduler {
        let absent = Arc::new(absent::queues(Arc::clone(&clock)));
        let (shared, threads) = (Arc::new(Shared::new(cores, clock)), Arc::default());
        Scheduler { cores: cores.max(1), shared, absent, absent_time: Mutex::new(None), threads }
    }

    /// Adds a model, scheduled as its configuration says: `dynamic_batching` or `sequence_batching`, the instances of `instance_group` as the most runs
    /// at a time, and the weight of its share in the cores: the parameter `share`, 1 to 10000, or else
    /// `optimization.priority`, which stands for 400 (`PRIORITY_MAX`), 100 or 25 (`PRIORITY_MIN`).
    pub fn add(
        &self,
        model: Arc<ServedModel>,
        config: &ModelConfig,
    ) -> Result<ScheduledModel, ServeError> {
        let unread = "the model was added without its folder";
        self.add_with(model, config, |_| Err(io::Error::new(io::ErrorKind::Unsupported, unread)))
    }

    /// The same for a model that may have files with the first values of its states. `read` gives the content of a file in the
    /// model's folder.
    pub fn add_with(
        &self,
        model: Arc<ServedModel>,
        config: &ModelConfig,
        read: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> Result<ScheduledModel, ServeError> {
        let states = match config.sequences() {
            Some(_) => StateSpec::of(&model, InitialStates::read(config, read)?),
            None => Arc::default(),
        };
        let states = (!states.is_empty()).then_some(states);
        self.add_served(Served::Loaded(model), config, states)
    }

    /// The same for a model that is the program's own code. It has no weights and no states that a configuration declares.
    pub fn add_native(
        &self,
        model: Arc<dyn NativeModel>,
        config: &ModelConfig,
    ) -> Result<ScheduledModel, ServeError> {
        let model = Served::Native(Arc::new(Native::new(model, config)?));
        self.add_served(model, config, Some(Arc::default()))
    }

    /// A queue for the requests to a model of this configuration while it is not loaded.
    ///
    /// # Errors
    /// The thread that keeps the time of such queues cannot be started.
    pub fn absent(&self, config: &ModelConfig) -> io::Result<AbsentQueue> {
        let mut start = self.absent_time.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(start_thread) = *start {
            start_thread(self)?;
            *start = None;
        }
        drop(start);
        AbsentQueue::of(&self.absent, config)
    }

    fn add_served(
        &self,
        model: Served,
        config: &ModelConfig,
        states: Option<Arc<[StateSpec]>>,
    ) -> Result<ScheduledModel, ServeError> {
        let schedule = schedule(&model, config)?;
        let sequencing =
            config.sequences().map(|own| Sequencing::of(model.interface(), own, states));
        let id = self.shared.add(model.clone(), schedule)?;
        Ok(ScheduledModel { model, id, shared: Arc::clone(&self.shared), sequencing })
    }

    /// Runs instances only while the resources are free that their groups name (`rate_limiter`). It is called before models are added;
    /// otherwise these fields have no effect.
    pub fn limit(&self, limits: RateLimits) {
        self.shared.limit(limits);
    }

    /// Runs the next batch on this thread, if one is ready and a core is free; whether it did.
    pub fn run_next(&self) -> bool {
        self.shared.run_next()
    }

    /// Answers the requests whose time is over.
    pub fn expire(&self) {
        self.shared.expire();
        self.absent.expire();
    }

    /// The cores that runs share.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// How many runs are suspended: they have handed their cores to runs of models that were behind their share.
    pub fn suspended_runs(&self) -> usize {
        self.shared.suspended()
    }

    /// Answers the requests that wait with [`RequestError::Closing`], and all that are submitted later. Those that run are answered
    /// when their runs end.
    pub fn close(&self) {
        self.shared.close();
        self.absent.close();
    }
}

/// Closes the scheduler, and waits for its runs.
impl Drop for Scheduler {
    fn drop(&mut self) {
        self.close();
        let own = thread::current().id();
        // One at a time: those that are left may start others, and end.
        let next = || self.threads.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some(thread) = next() {
            // The last owner may be a reply, on one of the threads. A thread that ended by a panic has nothing to tell.
            if thread.thread().id() != own {
                let _ = thread.join();
            }
        }
    }
}

impl ScheduledModel {
    /// Submits a request. `reply` is called once: on this thread if the request does not fit the model or cannot wait, else on the
    /// thread that runs it, keeps time or cancels it. It must not wait for other requests.
    pub fn submit(
        &self,
        request: InferenceRequest<'static>,
        reply: impl FnOnce(Result<Response, RequestError>) + Send + 'static,
    ) -> Ticket {
        self.enter(request, None, false, reply)
    }

    /// The same for a thread that would only wait for the answer, or that has other short work: it runs the request itself if a core
    /// is free, nothing else is next, and the run is known to take less time than a change of threads.
    pub fn submit_or_run(
        &self,
        request: InferenceRequest<'static>,
        reply: impl FnOnce(Result<Response, RequestError>) + Send + 'static,
    ) -> Ticket {
        self.enter(request, None, true, reply)
    }

    /// The same as [`ScheduledModel::submit`] for a request that has waited since a time for the model to be loaded.
    fn resubmit(&self, request: InferenceRequest<'static>, since: Instant, reply: Reply) -> Ticket {
        self.enter(request, Some(since), false, reply)
    }

    fn enter(
        &self,
        request: InferenceRequest<'static>,
        since: Option<Instant>,
        may_run_here: bool,
        reply: impl FnOnce(Result<Response, RequestError>) + Send + 'static,
    ) -> Ticket {
        let answered = || Ticket { pending: Weak::new(), shared: Weak::new() };
        let InferenceRequest { priority, timeout, deadline, .. } = request;
        let prepared = match &self.sequencing {
            Some(sequencing) => sequencing.prepare(self.model.interface(), request),
            None => self.model.interface().prepare_beside(0, request, &[]).map(|item| (item, None)),
        };
        let (mut item, step) = match prepared {
            // A request for no outputs does not run, unless it moves its sequence on.
            Ok((item, None)) if item.outputs.is_empty() => {
                reply(Ok(Response::default()));
                return answered();
            }
            Ok(prepared) => prepared,
            Err(error) => {
                reply(Err(error));
                return answered();
            }
        };
        if may_run_here
            && step.is_none()
            && let Some(Alone { answer, next }) =
                self.shared.run_alone(self.id, &mut item, deadline)
        {
            reply(answer);
            next.into_iter().for_each(|job| self.shared.run(job));
            return answered();
        }
        let cancel = own_flag(item.cancel.take());
        (item.cancel, item.deadline) = (Some(cancel.clone()), None);
        let joining = Joining { priority, timeout, since, step, may_run_here, item };
        let pending = self.shared.submit(self.id, deadline, cancel, Box::new(reply), joining);
        Ticket { pending: Arc::downgrade(&pending), shared: Arc::downgrade(&self.shared) }
    }

    /// How many requests wait for a batch.
    pub fn waiting(&self) -> usize {
        self.shared.waiting(self.id)
    }

    /// Its share in the cores; `None` once the scheduler has dropped it.
    pub fn core_use(&self) -> Option<CoreUse> {
        self.shared.core_use(self.id)
    }

    /// The model; `None` if it is native.
    pub fn model(&self) -> Option<&ServedModel> {
        match &self.model {
            Served::Loaded(model) => Some(model),
            Served::Native(_) => None,
        }
    }
}

impl Drop for ScheduledModel {
    fn drop(&mut self) {
        self.shared.retire(self.id);
    }
}

impl Ticket {
    /// Answers the request with [`RequestError::Cancelled`], unless it is answered. Its run stops if nobody else waits for it.
    pub fn cancel(&self) {
        if let (Some(pending), Some(shared)) = (self.pending.upgrade(), self.shared.upgrade()) {
            shared.cancel(&pending);
        }
    }
}

/// Starts a thread of a scheduler.
fn spawn<R: Runner>(
    threads: &Mutex<Vec<JoinHandle<()>>>,
    shared: &Arc<Shared<R>>,
    name: &str,
    body: fn(&Arc<Shared<R>>),
) -> io::Result<()> {
    let shared = Arc::clone(shared);
    let thread = thread::Builder::new().name(name.into()).spawn(move || body(&shared))?;
    threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
    Ok(())
}

/// How a configuration has a model scheduled.
fn schedule(model: &Served, config: &ModelConfig) -> Result<Schedule, ServeError> {
    let unsupported = |field| Err(ServeError::Unsupported { model: config.name.clone(), field });
    let weight = shares::weight(config)?;
    let groups = config.instance_group.iter();
    let counts = groups.map(|group| usize::try_from(group.count).unwrap_or(0));
    let instances = counts.fold(0, usize::saturating_add).max(1);
    let most = model.interface().largest_batch.filter(|_| model.merges()).unwrap_or(0);
    let (levels, batching, sequences) = match &config.scheduling {
        SchedulingChoice::Unset => (Levels::default(), Batching::default(), None),
        SchedulingChoice::Dynamic(dynamic) => {
            (Levels::of(dynamic), Batching::of(dynamic, most), None)
        }
        SchedulingChoice::Sequence(sequences) => {
            let rules = sequencing::rules(config, sequences, instances);
            (Levels::default(), sequencing::batching(sequences, most), Some(rules))
        }
        SchedulingChoice::Ensemble(_) => return unsupported("ensemble_scheduling"),
    };
    // Answers have the order of requests if one batch runs at a time.
    let instances = if batching.ordered { 1 } else { instances };
    let (is_steady, runs_alone) = (model.is_steady(), model.runs_alone());
    let groups = Group::of(config);
    Ok(Schedule { levels, batching, instances, groups, weight, is_steady, runs_alone, sequences })
}
