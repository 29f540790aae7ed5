//! Answers that are kept, so that a request which equals an earlier one needs no run.
//!
//! A request equals another one to the same version of a model if it has the same inputs (names, types, shapes and bytes) and asks for
//! the same outputs. Ids, priorities and timeouts do not count. The Triton Inference Server compares less: only the names and the bytes of
//! inputs, by a hash of 64 bits.
//!
//! - Only successes are kept. The server keeps failures too, and gives an answer without outputs the next time.
//! - Answers own their bytes, and are counted. Those that were used longest ago make room for new ones.
//! - A version of a model that is unloaded or replaced takes its answers with it.
//! - Requests in a sequence pass by, because their answers depend on those before; only ensembles with such a step get them.

mod entries;
mod key;
#[cfg(test)]
mod tests;

use crate::batch::{InferenceRequest, Part, Response};
use crate::config::{ModelConfig, SchedulingChoice};
use crate::failure::RequestError;
use crate::sequence::Sequence;
use entries::{Entries, Key, copy, size};
use key::digest;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The answers of all models whose configurations have `response_cache`.
pub struct ResponseCache(Mutex<Entries>);

/// The part of a cache that one version of a model has. Its answers are forgotten when this is dropped.
pub struct ModelCache {
    cache: Arc<ResponseCache>,
    model: u64,
    /// The names of the model's outputs.
    outputs: Vec<String>,
    /// For models that answer in the order of requests: shared with the requests that have no answer yet.
    order: Option<Arc<()>>,
}

/// The outcome of a search.
pub enum CacheLookup {
    /// An answer, and how long the search took.
    Hit(Response, Duration),
    /// There is none.
    Miss(Box<CacheMiss>),
}

/// A request whose answer may be kept.
pub struct CacheMiss {
    cache: Arc<ResponseCache>,
    key: Key,
    /// How long the search took.
    time: Duration,
    _order: Option<Arc<()>>,
}

impl ResponseCache {
    /// A cache of at most so many bytes.
    pub fn new(bytes: usize) -> Arc<ResponseCache> {
        Arc::new(ResponseCache(Mutex::new(Entries::new(bytes))))
    }

    /// The part for a version of a model; `None` unless its configuration asks for one.
    pub fn of(self: &Arc<Self>, config: &ModelConfig) -> Option<ModelCache> {
        if !config.caches_responses() {
            return None;
        }
        let is_ordered = match &config.scheduling {
            SchedulingChoice::Dynamic(dynamic) => dynamic.preserve_ordering,
            _ => false,
        };
        let model = self.lock().add_model();
        let outputs = config.output.iter().map(|output| output.name.clone()).collect();
        let (cache, order) = (Arc::clone(self), is_ordered.then(Arc::default));
        Some(ModelCache { cache, model, outputs, order })
    }

    /// The bytes of all answers. Answers that were removed and are still being sent do not count.
    pub fn bytes(&self) -> usize {
        self.lock().used()
    }

    /// Forgets the answers that were used longest ago, until at least so many bytes are free or there are none. Returns the bytes of
    /// those that it forgets.
    pub fn give_way(&self, bytes: usize) -> usize {
        let mut entries = self.lock();
        let before = entries.used();
        let removed = entries.shrink(before.saturating_sub(bytes));
        let given = before - entries.used();
        drop(entries);
        drop(removed);
        given
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ModelCache {
    /// Forgets the answers so far.
    pub fn clear(&self) {
        let removed = self.cache.lock().clear(self.model);
        drop(removed);
    }

    /// Whether [`ModelCache::find`] reads more than so many bytes, and may be called later than for requests that come after: it does
    /// not matter which one is first.
    pub fn takes_long(&self, request: &InferenceRequest<'_>, most: usize) -> bool {
        let sizes = request.inputs.iter().flat_map(|input| &input.data).map(Part::size);
        self.order.is_none()
            && request.sequence == Sequence::default()
            && sizes.fold(0, usize::saturating_add) > most
    }

    /// Looks for the answer to a request, whose inputs may become bytes meanwhile. `None` for requests whose answers are not kept.
    pub fn find(&self, request: &mut InferenceRequest<'static>) -> Option<CacheLookup> {
        if request.sequence != Sequence::default() {
            return None;
        }
        let start = Instant::now();
        // The run finds the same fault, and says which input has it.
        let key = (self.model, digest(request, &self.outputs).ok()?);
        // An answer must not overtake those of earlier requests, whose misses are still alive.
        let is_next = self.order.as_ref().is_none_or(|order| Arc::strong_count(order) == 1);
        let found = if is_next { self.cache.lock().find(&key) } else { None };
        Some(match found {
            Some(outputs) => {
                let response = Response { outputs: outputs.to_vec(), timing: None };
                CacheLookup::Hit(response, start.elapsed())
            }
            None => {
                let (cache, time) = (Arc::clone(&self.cache), start.elapsed());
                let _order = self.order.clone();
                CacheLookup::Miss(Box::new(CacheMiss { cache, key, time, _order }))
            }
        })
    }
}

impl Drop for ModelCache {
    fn drop(&mut self) {
        let removed = self.cache.lock().remove_model(self.model);
        drop(removed);
    }
}

impl CacheMiss {
    /// Keeps the answer, unless it is a failure or larger than the cache. How long that and the search took.
    pub fn keep(&self, answer: &Result<Response, RequestError>) -> Duration {
        let start = Instant::now();
        if let Ok(Response { outputs, .. }) = answer {
            let bytes = size(outputs);
            let is_wanted = self.cache.lock().lacks(&self.key, bytes);
            if is_wanted {
                // Copied where no lock is held.
                let copy = copy(outputs);
                let removed = self.cache.lock().insert(self.key, copy, bytes);
                drop(removed);
            }
        }
        self.time + start.elapsed()
    }
}
