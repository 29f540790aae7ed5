//! The models that a server has.
//!
//! Names of models are names of folders. A model has versions, each with a state; the index shows them.

mod control;
mod ensembles;
mod entry;
mod fault;
mod folders;
mod index;
mod load;
mod look;
mod missing;
mod options;
mod remote;
mod room;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Acquire;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use trident_serving::{Fault, Hardware, Labels, LogLevel, ModelConfig, ResponseCache, Scheduler};

use crate::builtin::Alarm;
use crate::infer::HeldRequests;
use crate::model::{Backend, CachedModel, Evictable, HostedModel, LookupThread, ModelMetadata};
use crate::statistics::ModelStatistics;
use entry::Entry;
use look::Look;

pub use index::{IndexEntry, ModelState};
pub use missing::NoModel;
pub use options::{ControlMode, LoadOptions, OpenHardware, RepositoryLog, RepositoryOptions};
pub use remote::RemoteFolder;

/// The models in a number of folders.
pub struct Repository {
    options: RepositoryOptions,
    open: OpenHardware,
    /// The hardware that has been opened, by choices.
    opened: Mutex<HashMap<Option<String>, Hardware>>,
    scheduler: Scheduler,
    /// The answers that are kept.
    cache: Option<Arc<ResponseCache>>,
    lookups: Arc<LookupThread>,
    /// Gives the answers of built-in models.
    alarm: Arc<Alarm>,
    /// The requests that wait until their clients have read answers.
    held: HeldRequests,
    models: Arc<Mutex<BTreeMap<String, Entry>>>,
    /// Models that are being loaded or unloaded.
    busy: Mutex<BTreeSet<String>>,
    /// Notified when one of them no longer is.
    idle: Condvar,
    /// Whether the models of the start have been loaded.
    has_started: AtomicBool,
    /// Why remote repositories could not be read, by their positions.
    away: Mutex<BTreeMap<usize, String>>,
    /// Why a folder could not be read at the last poll.
    unread: Mutex<Option<String>>,
    /// Held while a model is given its share of the memory limit.
    room: Mutex<()>,
    /// Receives models that are asked for and were unloaded while idle.
    asked: Mutex<Receiver<Arc<Evictable>>>,
    wake: Sender<Arc<Evictable>>,
}

impl Repository {
    /// A repository without loaded models.
    pub fn new(options: RepositoryOptions, open: OpenHardware, scheduler: Scheduler) -> Repository {
        let (wake, asked) = mpsc::channel();
        let cache = options.response_cache.map(ResponseCache::new);
        Repository {
            options,
            open,
            opened: Mutex::default(),
            scheduler,
            cache,
            lookups: Arc::default(),
            alarm: Arc::default(),
            held: HeldRequests::default(),
            models: Arc::default(),
            busy: Mutex::default(),
            idle: Condvar::new(),
            has_started: AtomicBool::new(false),
            away: Mutex::default(),
            unread: Mutex::default(),
            room: Mutex::default(),
            asked: Mutex::new(asked),
            wake,
        }
    }

    /// The cores that the models share.
    pub fn cores(&self) -> usize {
        self.scheduler.cores()
    }

    /// How many runs of models are suspended, or wait until their clients have read answers.
    pub fn suspended_runs(&self) -> usize {
        self.scheduler.suspended_runs() + self.held.count()
    }

    /// Bytes of the answers that are kept; `None` if there is no cache.
    pub fn cached_bytes(&self) -> Option<usize> {
        self.cache.as_ref().map(|cache| cache.bytes())
    }

    /// A version that answers, with its part of the cache.
    fn hosted(
        &self,
        version: u64,
        config: ModelConfig,
        labels: Labels,
        backend: Backend,
    ) -> HostedModel {
        let answers = self.cache.as_ref().and_then(|cache| cache.of(&config));
        let thread = &self.lookups;
        let cache = answers.map(|answers| CachedModel { answers, thread: Arc::clone(thread) });
        let held = self.held.clone();
        HostedModel::new(version, config, labels, backend, (cache, held), &self.options.times)
    }

    /// Settings of the repository.
    pub fn options(&self) -> &RepositoryOptions {
        &self.options
    }

    /// A version of a model, without a number the highest that answers.
    ///
    /// # Errors
    /// A model or version that is unknown or not ready.
    pub fn model(&self, name: &str, version: Option<u64>) -> Result<Arc<HostedModel>, NoModel> {
        find(&self.lock(), name, version)
    }

    /// Name, versions and tensors of a model, as one of its versions has them.
    pub fn metadata(&self, model: &HostedModel) -> ModelMetadata {
        let models = self.lock();
        let entry = models.get(model.name()).into_iter();
        let versions = entry.flat_map(|entry| entry.ready().map(|(number, _)| number)).collect();
        ModelMetadata::of(model.config(), versions)
    }

    /// All versions of all models, or those that answer. Models of the folders that were never loaded have only a name. Models without
    /// a folder, whose files a client sent, leave the index when they are unloaded.
    pub fn index(&self, only_ready: bool) -> Vec<IndexEntry> {
        let names = if only_ready { BTreeSet::new() } else { self.names() };
        let models = self.lock();
        let mut index = vec![];
        for name in names.iter().chain(models.keys()).collect::<BTreeSet<_>>() {
            match models.get(name) {
                Some(entry) if entry.is_lost() && !names.contains(name) => {}
                Some(entry) => entry.index(name, only_ready, &mut index),
                None => index.push(IndexEntry { name: name.clone(), ..IndexEntry::default() }),
            }
        }
        index
    }

    /// Whether the models of the start have been loaded and are warm, or have failed.
    pub fn has_started(&self) -> bool {
        self.has_started.load(Acquire)
    }

    /// Whether a load has failed, and nothing answers in its place. Models that were unloaded do not count.
    pub fn has_failed(&self) -> bool {
        self.lock().values().any(Entry::has_failed)
    }

    /// The versions of a model that answer; without a name, those of all models.
    pub fn ready(&self, name: Option<&str>) -> Vec<Arc<HostedModel>> {
        let models = self.lock();
        let chosen = models.iter().filter(|(own, _)| name.is_none_or(|name| *own == name));
        chosen.flat_map(|(_, entry)| entry.ready().map(|(_, model)| Arc::clone(model))).collect()
    }

    /// Counters of the versions of a model that answer, or of one of them; without a name, those of all models.
    ///
    /// # Errors
    /// A model or version that does not answer.
    pub fn statistics(
        &self,
        name: Option<&str>,
        version: Option<u64>,
    ) -> Result<Vec<ModelStatistics>, Fault> {
        let ready = self.ready(name);
        if let Some(name) = name.filter(|_| ready.is_empty()) {
            return Err(Fault::invalid(format_args!("requested model '{name}' is not available")));
        }
        let wanted = ready.iter().filter(|model| version.is_none_or(|own| model.version() == own));
        let statistics: Vec<ModelStatistics> = wanted.map(|model| model.statistics()).collect();
        match (name, statistics.is_empty()) {
            (Some(name), true) => Err(Fault::invalid(format_args!(
                "requested model version is not available for model '{name}'"
            ))),
            _ => Ok(statistics),
        }
    }

    /// Answers the requests that wait with an error, and those that come later.
    pub fn close(&self) {
        self.scheduler.close();
        self.alarm.end();
        let models = self.ready(None);
        models.iter().filter_map(|model| model.evictable()).for_each(|model| model.close());
        self.options.remotes.iter().for_each(|remote| remote.close());
    }

    fn log(&self, level: LogLevel, line: &str) {
        (self.options.log)(level, line);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        lock(&self.models)
    }

    /// Waits until nobody else loads or unloads a model.
    fn turn(&self, name: &str) -> Turn<'_> {
        let mut busy = lock(&self.busy);
        while !busy.insert(name.to_owned()) {
            busy = self.idle.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        Turn { repository: self, name: name.to_owned() }
    }
}

/// A version of a model, without a number the highest that answers.
fn find(
    models: &BTreeMap<String, Entry>,
    name: &str,
    version: Option<u64>,
) -> Result<Arc<HostedModel>, NoModel> {
    let entry = models.get(name).ok_or_else(|| NoModel::Unknown(name.to_owned()))?;
    let mut ready = entry.ready().rev();
    let found = match version {
        Some(number) => ready.find(|(own, _)| *own == number),
        None => ready.next(),
    };
    found.map(|(_, model)| Arc::clone(model)).ok_or_else(|| match version {
        Some(version) if entry.versions.contains_key(&version) => {
            NoModel::NotReady { model: name.to_owned(), version }
        }
        Some(version) => NoModel::version(name, version),
        None => NoModel::Unavailable(name.to_owned()),
    })
}

/// Requests to built-in models own their model, so that they are ended by hand.
impl Drop for Repository {
    fn drop(&mut self) {
        self.alarm.end();
    }
}

/// The right to load or unload a model.
struct Turn<'a> {
    repository: &'a Repository,
    name: String,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.repository.busy).remove(&self.name);
        self.repository.idle.notify_all();
    }
}

/// Locks: what a thread that panicked has left is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
