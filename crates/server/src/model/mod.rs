//! Models that answer requests of the protocols.

mod check;
mod deferred;
mod infer;
mod metadata;
mod resident;
mod step;

use std::sync::{Arc, Weak};
use std::time::SystemTime;

use trident_serving::{
    CoreUse, Ensemble, Labels, LogLevel, ModelCache, ModelConfig, OpTotal, ScheduledModel,
    ServedModel, Timing,
};

use crate::builtin::BuiltIn;
use crate::infer::{HeldRequests, InferRequest, Replies, RunTicket};
use crate::memory::Regions;
use crate::repository::RepositoryLog;
use crate::statistics::{Counters, MemoryUse, ModelStatistics, TimeFamilies};

pub(crate) use deferred::LookupThread;
pub(crate) use infer::{fault, input};
pub use metadata::{ModelMetadata, TensorMetadata};
pub(crate) use resident::{Evictable, Resident, unloaded};
pub(crate) use step::StepOf;

/// One version of a model, ready to answer.
pub struct HostedModel {
    version: u64,
    config: ModelConfig,
    /// The configuration as clients see it.
    json: String,
    labels: Labels,
    backend: Backend,
    counters: Counters,
    loaded: SystemTime,
    /// Lives as long as the model.
    life: Arc<()>,
    /// Receives a line for each batch, if there are lines of batches.
    batches: Option<RepositoryLog>,
    /// Its answers that are kept, if its configuration and the server ask for it.
    cache: Option<CachedModel>,
    /// The requests of all models that wait until their clients have read answers.
    held: HeldRequests,
}

/// Properties of a model that was loaded, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSummary {
    /// Whether rows of a batch are independent; if not, the reason.
    pub rows: String,
    /// Its devices, and those that it asks for in vain.
    pub devices: String,
}

/// The part of the response cache that a model has.
pub(crate) struct CachedModel {
    pub(crate) answers: ModelCache,
    /// Looks for the answers of large requests.
    pub(crate) thread: Arc<LookupThread>,
}

/// The part of a model that computes.
pub(crate) enum Backend {
    /// A model that a scheduler runs.
    Scheduled(Resident),
    /// A model without a file, with decoupled answers.
    BuiltIn(Box<BuiltIn>),
    /// A model that is made of others.
    Ensemble(Arc<Ensemble>),
}

impl HostedModel {
    /// A version with its complete configuration.
    pub(crate) fn new(
        version: u64,
        config: ModelConfig,
        labels: Labels,
        backend: Backend,
        (cache, held): (Option<CachedModel>, HeldRequests),
        families: &TimeFamilies,
    ) -> HostedModel {
        let (json, counters) = (config.to_json(), Counters::new(&config, families));
        HostedModel {
            version,
            config,
            json,
            labels,
            backend,
            counters,
            loaded: SystemTime::now(),
            life: Arc::default(),
            batches: None,
            cache,
            held,
        }
    }

    /// The same, of which each batch has a line in the log.
    pub(crate) fn telling(self, batches: Option<RepositoryLog>) -> HostedModel {
        HostedModel { batches, ..self }
    }

    /// Writes the line of a batch, at the first of its answers.
    fn tell(&self, timing: Option<&Timing>) {
        if let (Some(log), Some(timing)) = (&self.batches, timing.filter(|timing| timing.leads)) {
            log(LogLevel::Info, &timing.line(self.name(), self.version));
        }
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// Tells whether the model still lives, without its memory.
    pub(crate) fn life(&self) -> Weak<()> {
        Arc::downgrade(&self.life)
    }

    /// The version.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The complete configuration.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The complete configuration as JSON, as the server shows it.
    pub fn config_json(&self) -> &str {
        &self.json
    }

    /// Labels of the outputs' indices.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// When it was loaded.
    pub(crate) fn loaded(&self) -> SystemTime {
        self.loaded
    }

    /// Its counters.
    pub fn statistics(&self) -> ModelStatistics {
        let (responses, batches) = self.counters.tables();
        ModelStatistics { responses, batches, ..self.totals() }
    }

    /// Its counters without the tables, which metrics do not show.
    pub(crate) fn totals(&self) -> ModelStatistics {
        let pending = match &self.backend {
            Backend::Scheduled(scheduled) => scheduled.waiting() as u64,
            Backend::BuiltIn(model) => model.waiting() as u64,
            Backend::Ensemble(_) => 0,
        };
        let statistics = self.counters.statistics(self.name().to_owned(), self.version, pending);
        ModelStatistics { memory: self.memory_use().into_iter().collect(), ..statistics }
    }

    /// The memory of a model that takes any.
    fn memory_use(&self) -> Option<MemoryUse> {
        let bytes = self.memory();
        (bytes > 0).then(|| MemoryUse { kind: "CPU".to_owned(), id: 0, bytes })
    }

    /// Whether answers are kept.
    pub(crate) fn caches(&self) -> bool {
        self.cache.is_some()
    }

    /// Forgets the answers that are kept.
    pub(crate) fn forget_answers(&self) {
        self.cache.iter().for_each(|cache| cache.answers.clear());
    }

    pub(crate) fn held_requests(&self) -> &HeldRequests {
        &self.held
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Bytes of its weights, and of all that is alive during its runs; 0 for a model that is unloaded while it is idle.
    pub fn memory(&self) -> u64 {
        self.own_memory().unwrap_or(0)
    }

    /// The same; `None` for a model that owns no memory, because it has no file.
    pub(crate) fn own_memory(&self) -> Option<u64> {
        match &self.backend {
            Backend::Scheduled(scheduled) => {
                let memory = |own: &ServedModel| own.memory().live as u64;
                scheduled.with(|scheduled| scheduled.model().map(memory)).unwrap_or(Some(0))
            }
            Backend::BuiltIn(_) | Backend::Ensemble(_) => None,
        }
    }

    /// Whether its rows are independent, and the devices that run it. `None` for a model that is not loaded, or has no file.
    pub fn summary(&self) -> Option<ModelSummary> {
        let Backend::Scheduled(scheduled) = &self.backend else { return None };
        let summary = |own: &ServedModel| ModelSummary {
            rows: match (own.has_batch(), own.dependent_rows()) {
                (false, _) => "no batch dimension".to_owned(),
                (true, None) => "independent".to_owned(),
                (true, Some(reason)) => format!("mixed: {reason}"),
            },
            devices: own.placement().to_string(),
        };
        scheduled.with(|scheduled| scheduled.model().map(summary)).flatten()
    }

    /// How long its operations took in the runs that were measured.
    pub(crate) fn operations(&self) -> Vec<OpTotal> {
        match &self.backend {
            Backend::Scheduled(scheduled) => {
                let operations = |own: &ScheduledModel| Some(own.model()?.operations());
                scheduled.with(operations).flatten().unwrap_or_default()
            }
            Backend::BuiltIn(_) | Backend::Ensemble(_) => vec![],
        }
    }

    /// Its share in the cores; `None` for a model that is not loaded, or that the scheduler does not run.
    pub(crate) fn core_use(&self) -> Option<CoreUse> {
        match &self.backend {
            Backend::Scheduled(scheduled) => scheduled.with(ScheduledModel::core_use).flatten(),
            Backend::BuiltIn(_) | Backend::Ensemble(_) => None,
        }
    }

    /// The part of it that may be unloaded while nobody asks for it.
    pub(crate) fn evictable(&self) -> Option<&Arc<Evictable>> {
        match &self.backend {
            Backend::Scheduled(Resident::Evictable(model)) => Some(model),
            _ => None,
        }
    }

    /// Whether it was unloaded while idle, and its files did not load again when it was asked for.
    pub(crate) fn is_lost(&self) -> bool {
        self.evictable().is_some_and(|model| model.is_lost())
    }

    /// Whether a request may have any number of answers.
    pub fn is_decoupled(&self) -> bool {
        self.config.model_transaction_policy.as_ref().is_some_and(|policy| policy.decoupled)
    }

    /// Answers a request. `replies` may be called before this returns. Elements for regions of shared memory are written there before
    /// the answer is given.
    pub fn infer(
        self: &Arc<Self>,
        request: InferRequest,
        regions: &Regions,
        replies: Replies,
    ) -> RunTicket {
        infer::submit(self, request, regions, replies)
    }
}
