//! Models that may be unloaded while nobody asks for them.
//!
//! A request that finds its model unloaded waits until the repository has loaded it again; the thread that read the request does
//! not. Everything else about a model, its configuration and its counters, stays.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use trident_serving::{
    Fault, InferenceRequest, ModelFolder, RequestError, Response, ScheduledModel,
};

use super::waiting::{WaitTicket, Waiting};
use crate::infer::RunTicket;

/// The part of a model that a scheduler runs.
pub(crate) enum Resident {
    /// It stays loaded.
    Fixed(Box<ScheduledModel>),
    /// It is unloaded and loaded again.
    Evictable(Arc<Evictable>),
}

/// A model that is unloaded while nobody asks for it.
pub(crate) struct Evictable {
    /// The folder that it is loaded from.
    folder: ModelFolder,
    version: u64,
    place: Mutex<Place>,
    /// Requests without an answer.
    asked: AtomicUsize,
    created: Instant,
    /// Milliseconds from its creation to the last request or answer.
    used: AtomicU64,
    /// Tells the repository that the model is asked for.
    wake: Sender<Arc<Evictable>>,
}

enum Place {
    Loaded(Arc<ScheduledModel>),
    Unloaded,
    /// Requests wait for it to be loaded.
    Awaited(Vec<Arc<Waiting>>),
}

impl Resident {
    /// Submits a request, or runs it on this thread if that is brief.
    pub(crate) fn submit(
        &self,
        request: InferenceRequest<'static>,
        reply: impl FnOnce(Result<Response, RequestError>) + Send + 'static,
    ) -> RunTicket {
        match self {
            Resident::Fixed(model) => RunTicket::Scheduled(model.submit_or_run(request, reply)),
            Resident::Evictable(model) => model.submit(request, reply),
        }
    }

    /// The number of requests that wait to be run.
    pub(crate) fn waiting(&self) -> usize {
        match self {
            Resident::Fixed(model) => model.waiting(),
            Resident::Evictable(model) => match &*model.place() {
                Place::Loaded(model) => model.waiting(),
                Place::Unloaded => 0,
                Place::Awaited(waiting) => waiting.iter().filter(|own| own.is_here()).count(),
            },
        }
    }

    /// The model, if it is loaded now.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&ScheduledModel) -> T) -> Option<T> {
        match self {
            Resident::Fixed(model) => Some(read(model)),
            Resident::Evictable(model) => match &*model.place() {
                Place::Loaded(model) => Some(read(model)),
                Place::Unloaded | Place::Awaited(_) => None,
            },
        }
    }
}

impl Evictable {
    /// A model that is loaded from a folder's version. `wake` is told when it is asked for while it is unloaded.
    pub(crate) fn new(
        folder: ModelFolder,
        version: u64,
        model: ScheduledModel,
        wake: Sender<Arc<Evictable>>,
    ) -> Arc<Evictable> {
        Arc::new(Evictable {
            folder,
            version,
            place: Mutex::new(Place::Loaded(Arc::new(model))),
            asked: AtomicUsize::new(0),
            created: Instant::now(),
            used: AtomicU64::new(0),
            wake,
        })
    }

    pub(crate) fn folder(&self) -> &ModelFolder {
        &self.folder
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// How long nobody has asked for it.
    pub(crate) fn idle(&self) -> Duration {
        let used = Duration::from_millis(self.used.load(Relaxed));
        self.created.elapsed().saturating_sub(used)
    }

    /// Unloads the model unless it is unloaded, or a request has no answer yet. Returns what it owned, for its owner to drop.
    pub(crate) fn unload(&self) -> Option<Arc<ScheduledModel>> {
        let mut place = self.place();
        // A request is counted before it looks for the model.
        if self.asked.load(Relaxed) > 0 || !matches!(*place, Place::Loaded(_)) {
            return None;
        }
        match std::mem::replace(&mut *place, Place::Unloaded) {
            Place::Loaded(model) => Some(model),
            Place::Unloaded | Place::Awaited(_) => None,
        }
    }

    /// Ends a wait: submits the requests to the model, or answers them with the cause of its absence.
    pub(crate) fn settle(&self, loaded: Result<ScheduledModel, RequestError>) {
        let loaded = loaded.map(Arc::new);
        let next = match &loaded {
            Ok(model) => Place::Loaded(Arc::clone(model)),
            Err(_) => Place::Unloaded,
        };
        let mut place = self.place();
        if matches!(*place, Place::Loaded(_)) {
            return;
        }
        let before = std::mem::replace(&mut *place, next);
        drop(place);
        let Place::Awaited(waiting) = before else { return };
        waiting.iter().for_each(|own| own.settle(loaded.as_ref()));
    }

    /// Answers the requests that wait, as the server ends.
    pub(crate) fn close(&self) {
        self.settle(Err(RequestError::Closing));
    }

    fn submit(
        self: &Arc<Self>,
        request: InferenceRequest<'static>,
        reply: impl FnOnce(Result<Response, RequestError>) + Send + 'static,
    ) -> RunTicket {
        let own = Arc::clone(self);
        self.asked.fetch_add(1, Relaxed);
        self.touch();
        let reply = move |result| {
            own.touch();
            own.asked.fetch_sub(1, Relaxed);
            reply(result);
        };
        let mut place = self.place();
        if let Place::Loaded(model) = &*place {
            let model = Arc::clone(model);
            drop(place);
            return RunTicket::Scheduled(model.submit_or_run(request, reply));
        }
        let waiting = Waiting::new(request, Box::new(reply));
        let ticket = RunTicket::Waiting(WaitTicket::of(&waiting));
        if let Place::Awaited(others) = &mut *place {
            others.push(waiting);
            return ticket;
        }
        *place = Place::Awaited(vec![waiting]);
        drop(place);
        if self.wake.send(Arc::clone(self)).is_err() {
            // The repository is gone.
            self.close();
        }
        ticket
    }

    fn touch(&self) {
        let now = u64::try_from(self.created.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.fetch_max(now, Relaxed);
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of requests whose model does not load again.
pub(crate) fn unloaded(model: &str, cause: &Fault) -> RequestError {
    RequestError::Unloaded { model: model.to_owned(), cause: cause.text.clone() }
}
