//! Models that may be unloaded while nobody asks for them.
//!
//! A request that finds its model unloaded waits until the repository has loaded it again, by the rules of the model's queue; the
//! thread that read the request does not. Everything else about a model, its configuration and its counters, stays.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use trident_serving::{
    AbsentQueue, Fault, InferenceRequest, ModelFolder, RequestError, Response, ScheduledModel,
};

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
    /// Requests that wait for it to be loaded.
    absent: AbsentQueue,
    /// Requests without an answer.
    asked: AtomicUsize,
    created: Instant,
    /// Milliseconds from its creation to the last request or answer.
    used: AtomicU64,
    /// Whether its files did not load again at the last try.
    is_lost: AtomicBool,
    /// Tells the repository that the model is asked for.
    wake: Sender<Arc<Evictable>>,
}

enum Place {
    Loaded(Arc<ScheduledModel>),
    Unloaded,
    /// The repository has been told to load it.
    Awaited,
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
                Place::Loaded(own) => own.waiting() + model.absent.waiting(),
                Place::Unloaded | Place::Awaited => model.absent.waiting(),
            },
        }
    }

    /// The model, if it is loaded now.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&ScheduledModel) -> T) -> Option<T> {
        match self {
            Resident::Fixed(model) => Some(read(model)),
            Resident::Evictable(model) => match &*model.place() {
                Place::Loaded(model) => Some(read(model)),
                Place::Unloaded | Place::Awaited => None,
            },
        }
    }
}

impl Evictable {
    /// A model that is loaded from a folder's version. While it is unloaded, requests wait in `absent`, and `wake` is told.
    pub(crate) fn new(
        folder: ModelFolder,
        version: u64,
        model: ScheduledModel,
        absent: AbsentQueue,
        wake: Sender<Arc<Evictable>>,
    ) -> Arc<Evictable> {
        Arc::new(Evictable {
            folder,
            version,
            place: Mutex::new(Place::Loaded(Arc::new(model))),
            absent,
            asked: AtomicUsize::new(0),
            created: Instant::now(),
            used: AtomicU64::new(0),
            is_lost: AtomicBool::new(false),
            wake,
        })
    }

    pub(crate) fn folder(&self) -> &ModelFolder {
        &self.folder
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Whether its files did not load again at the last try. The next request tries once more.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Relaxed)
    }

    /// Whether no request is without an answer.
    pub(crate) fn is_idle(&self) -> bool {
        self.asked.load(Relaxed) == 0
    }

    /// Notes whether its files loaded again.
    pub(crate) fn set_lost(&self, is_lost: bool) {
        self.is_lost.store(is_lost, Relaxed);
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
            Place::Unloaded | Place::Awaited => None,
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
        *place = next;
        drop(place);
        match &loaded {
            Ok(model) => self.absent.move_to(model),
            Err(error) => self.absent.refuse(error),
        }
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
        let place = self.place();
        if let Place::Loaded(model) = &*place {
            let model = Arc::clone(model);
            drop(place);
            return RunTicket::Scheduled(model.submit_or_run(request, reply));
        }
        drop(place);
        let ticket = self.absent.submit(request, reply);
        self.ask();
        RunTicket::Absent(ticket)
    }

    /// Has the repository load the model for requests that wait, unless it has been told. If the model has come meanwhile, they move.
    fn ask(self: &Arc<Self>) {
        let mut place = self.place();
        match &*place {
            Place::Loaded(model) => {
                let model = Arc::clone(model);
                drop(place);
                return self.absent.move_to(&model);
            }
            // The queue may have refused the request.
            Place::Unloaded if self.absent.waiting() > 0 => *place = Place::Awaited,
            Place::Unloaded | Place::Awaited => return,
        }
        drop(place);
        if self.wake.send(Arc::clone(self)).is_err() {
            // The repository is gone.
            self.close();
        }
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
