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
//! - A request that lacks memory goes back to its model, and runs again once no other run of the model is under way. No
//!   thread waits for that.
//!
//! `State` decides, `Shared` has the lock and the loops, [`Scheduler`] the threads. The state knows neither models nor threads: tests
//! advance its clock, and `shuttle` explores the orders of its threads (`models.rs`).

mod batching;
mod clock;
mod model;
mod pending;
mod priority;
mod queue;
mod shared;
mod shares;
mod state;

#[cfg(all(test, feature = "models"))]
mod models;
#[cfg(test)]
mod testing;
#[cfg(all(test, not(feature = "models")))]
mod tests;

pub use clock::{Clock, ManualClock, SystemClock};
pub use priority::Priority;

use crate::batch::{Answers, InferenceRequest, Prepared, Response, RunSpan};
use crate::config::{ModelConfig, SchedulingChoice};
use crate::failure::{RequestError, ServeError};
use crate::model::ServedModel;
use batching::{Batching, Item};
use model::{Schedule, Turn};
use pending::{Pending, Reply};
use queue::Levels;
use shared::{Ran, Runner, Shared};
use state::Joining;
use std::io;
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use trident_engine::CancelFlag;

type SharedModels = Shared<Arc<ServedModel>>;

/// Runs the requests of models on a number of cores.
pub struct Scheduler {
    shared: Arc<SharedModels>,
    threads: Vec<JoinHandle<()>>,
}

/// A model of a [`Scheduler`]. When this is dropped, its requests are still answered; then the scheduler drops the model.
pub struct ScheduledModel {
    model: Arc<ServedModel>,
    id: u64,
    shared: Arc<SharedModels>,
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
        let mut spawn = |name: String, body: fn(&SharedModels)| {
            let shared = Arc::clone(&scheduler.shared);
            let thread = thread::Builder::new().name(name).spawn(move || body(&shared));
            thread.map(|thread| scheduler.threads.push(thread))
        };
        spawn("serving timers".into(), Shared::keep_time)?;
        (0..cores.max(1)).try_for_each(|core| spawn(format!("serving {core}"), Shared::work))?;
        Ok(scheduler)
    }

    /// A scheduler without threads: its caller runs batches ([`Scheduler::run_next`]) and applies timeouts ([`Scheduler::expire`]).
    pub fn new(cores: usize, clock: Arc<dyn Clock>) -> Scheduler {
        Scheduler { shared: Arc::new(Shared::new(cores, clock)), threads: vec![] }
    }

    /// Adds a model, scheduled as its configuration says: `dynamic_batching`, the instances of `instance_group` as the most runs
    /// at a time, and the weight of its share in the cores: the parameter `share`, 1 to 10000, or else
    /// `optimization.priority`, which stands for 400 (`PRIORITY_MAX`), 100 or 25 (`PRIORITY_MIN`).
    pub fn add(
        &self,
        model: Arc<ServedModel>,
        config: &ModelConfig,
    ) -> Result<ScheduledModel, ServeError> {
        let schedule = schedule(&model, config)?;
        let id = self.shared.add(Arc::clone(&model), schedule);
        Ok(ScheduledModel { model, id, shared: Arc::clone(&self.shared) })
    }

    /// Runs the next batch on this thread, if one is ready and a core is free; whether it did.
    pub fn run_next(&self) -> bool {
        self.shared.run_next()
    }

    /// Answers the requests whose time is over.
    pub fn expire(&self) {
        self.shared.expire();
    }

    /// Answers the requests that wait with [`RequestError::Closing`], and all that are submitted later. Those that run are answered
    /// when their runs end.
    pub fn close(&self) {
        self.shared.close();
    }
}

/// Closes the scheduler, and waits for its runs.
impl Drop for Scheduler {
    fn drop(&mut self) {
        self.close();
        let own = thread::current().id();
        for thread in self.threads.drain(..) {
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
        let shared = Arc::downgrade(&self.shared);
        let InferenceRequest { priority, timeout, deadline, .. } = request;
        let mut item = match self.model.prepare(0, request) {
            // A request for no outputs does not run.
            Ok(item) if item.outputs.is_empty() => {
                reply(Ok(Response::default()));
                return Ticket { pending: Weak::new(), shared };
            }
            Ok(item) => item,
            Err(error) => {
                reply(Err(error));
                return Ticket { pending: Weak::new(), shared };
            }
        };
        // A flag of its own: the client's may belong to other requests, too.
        let cancel = match item.cancel.take() {
            Some(asked) => CancelFlag::when(move || asked.is_cancelled()),
            None => CancelFlag::new(),
        };
        (item.cancel, item.deadline) = (Some(cancel.clone()), None);
        let reply: Reply = Box::new(reply);
        let joining = Joining { priority, timeout, item };
        let pending = self.shared.submit(self.id, deadline, cancel, reply, joining);
        Ticket { pending: Arc::downgrade(&pending), shared }
    }

    /// How many requests wait for a batch.
    pub fn waiting(&self) -> usize {
        self.shared.waiting(self.id)
    }

    /// The model.
    pub fn model(&self) -> &ServedModel {
        &self.model
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

/// How a configuration has a model scheduled.
fn schedule(model: &ServedModel, config: &ModelConfig) -> Result<Schedule, ServeError> {
    let unsupported = |field| Err(ServeError::Unsupported { model: config.name.clone(), field });
    let weight = shares::weight(config)?;
    let groups = config.instance_group.iter();
    let counts = groups.map(|group| usize::try_from(group.count).unwrap_or(0));
    let instances = counts.fold(0, usize::saturating_add).max(1);
    let (levels, batching) = match &config.scheduling {
        SchedulingChoice::Unset => (Levels::default(), Batching::default()),
        SchedulingChoice::Dynamic(dynamic) => {
            let most = model.largest_batch.filter(|_| model.merges).unwrap_or(0);
            (Levels::of(dynamic), Batching::of(dynamic, most))
        }
        SchedulingChoice::Sequence(_) => return unsupported("sequence_batching"),
        SchedulingChoice::Ensemble(_) => return unsupported("ensemble_scheduling"),
    };
    // Answers have the order of requests if one batch runs at a time.
    let instances = if batching.ordered { 1 } else { instances };
    Ok(Schedule { levels, batching, instances, weight })
}

impl Item for Prepared<'static> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn joins(&self, other: &Self) -> bool {
        Prepared::joins(self, other)
    }
}

impl Runner for Arc<ServedModel> {
    type Item = Prepared<'static>;

    fn run(&self, batch: &mut [Prepared<'static>], turn: Turn) -> Ran {
        let (mut answers, mut span) = (Answers::default(), RunSpan::default());
        for (at, request) in batch.iter_mut().enumerate() {
            request.at = at;
            answers.push(Ok(Response::default()));
        }
        let mut lacking = match turn {
            Turn::Again => batch.iter().collect(),
            Turn::Shared | Turn::Only => self.serve(batch, &mut answers, &mut span),
        };
        if turn != Turn::Shared {
            for request in lacking.drain(..) {
                self.serve_alone(request, &mut answers, &mut span);
            }
        }
        let lacking = lacking.iter().map(|request| request.at).collect();
        Ran { answers: answers.into_vec(), lacking }
    }
}
