//! Settings of traces: those of the server, and those of single models that differ from them; and the choice of requests by them.
//!
//! Without a file or a collector, a level other than `OFF` is refused, as by the Triton Inference Server.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use trident_serving::Fault;

use super::trace_changes::{Changed, TraceChange};
use super::trace_options::TraceOptions;

/// The contents of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceLevel {
    /// When a request passed the parts of the server.
    Timestamps,
    /// Inputs and outputs.
    Tensors,
}

/// The form and place of traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceMode {
    /// Files in the form of the Triton Inference Server.
    #[default]
    Triton,
    /// A collector of OpenTelemetry.
    OpenTelemetry,
}

/// The settings that apply to a model or to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSettings {
    /// The contents; none for no traces.
    pub levels: Vec<TraceLevel>,
    /// One request of so many is traced.
    pub rate: u32,
    /// How many more requests are traced; -1 for no limit.
    pub count: i32,
    /// After so many traces a file begins; 0 for one file.
    pub frequency: u32,
}

impl Default for TraceSettings {
    fn default() -> TraceSettings {
        TraceSettings { levels: vec![], rate: 1000, count: -1, frequency: 0 }
    }
}

/// The settings of the server and of its models.
#[derive(Debug, Default)]
pub struct Traces {
    /// The options of the start.
    start: TraceOptions,
    /// Whether anything may be traced.
    is_on: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By model; the name of the server's own settings is empty.
    changed: BTreeMap<String, Changed>,
    /// By the same names.
    samplers: BTreeMap<String, Sampler>,
    /// The number of the last trace.
    last: u64,
}

/// Chooses some of the requests for the models that share settings.
#[derive(Debug)]
struct Sampler {
    /// The requests that have come.
    seen: u32,
    /// How many more are traced; -1 for no limit.
    left: i32,
}

/// A request that is to be traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sampled {
    /// The number of the trace.
    pub(crate) id: u64,
    /// The contents.
    pub(crate) levels: Vec<TraceLevel>,
    /// After so many traces a file begins; 0 for one file.
    pub(crate) frequency: u32,
}

impl Traces {
    /// The settings of a server's start.
    pub fn new(start: TraceOptions) -> Traces {
        let is_on = AtomicBool::new(!start.settings.levels.is_empty());
        Traces { start, is_on, state: Mutex::default() }
    }

    /// The options of the start.
    pub(crate) fn options(&self) -> &TraceOptions {
        &self.start
    }

    /// Whether requests of any model may be traced.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Relaxed)
    }

    /// The trace of the next request for a model, if it is traced: that is one request of so many. In mode
    /// [`TraceMode::OpenTelemetry`], a client that has a trace of its own decides (`asked`).
    pub(crate) fn sample(&self, model: &str, asked: Option<bool>) -> Option<Sampled> {
        if !self.is_on() {
            return None;
        }
        let mut state = self.lock();
        let TraceSettings { mut levels, rate, count, frequency } =
            self.effective(&state.changed, model);
        if levels.is_empty() {
            return None;
        }
        let is_taken = match asked.filter(|_| self.start.mode == TraceMode::OpenTelemetry) {
            Some(asked) => asked,
            None => {
                let sampler = Sampler { seen: 0, left: count };
                let scope = state.scope(model).to_owned();
                state.samplers.entry(scope).or_insert(sampler).takes(rate)
            }
        };
        if !is_taken {
            return None;
        }
        if self.start.mode == TraceMode::OpenTelemetry {
            // Spans do not have them.
            levels.retain(|level| *level != TraceLevel::Tensors);
        }
        state.last += 1;
        Some(Sampled { id: state.last, levels, frequency })
    }

    /// The number of a further trace, of a step of a request that is traced.
    pub(crate) fn next(&self) -> u64 {
        let mut state = self.lock();
        state.last += 1;
        state.last
    }

    /// The settings of a model; of the server if the name is empty. The count is that of traces that are left.
    pub fn get(&self, model: &str) -> TraceSettings {
        self.shown(&self.lock(), model)
    }

    /// Changes settings of a model; of the server if the name is empty. Each change is a name with its values, or `None` for the
    /// default: a model's default are the server's settings. Unknown names are ignored. Returns the settings that apply now.
    ///
    /// # Errors
    /// A value that cannot be set. Then nothing is changed.
    pub fn change(&self, model: &str, changes: &[TraceChange]) -> Result<TraceSettings, Fault> {
        let mut state = self.lock();
        let mut changed = state.changed.get(model).cloned().unwrap_or_default();
        for (name, values) in changes {
            changed.set(name, values.as_deref())?;
        }
        let sets_levels = changed.levels.as_ref().is_some_and(|levels| !levels.is_empty());
        if sets_levels && !self.start.has_place() {
            return Err(Fault::invalid(
                "Attempting to set invalid trace setting :trace file name is not given",
            ));
        }
        let counts_anew = changes.iter().any(|(name, _)| name == "trace_count");
        state.put(model, changed, counts_anew);
        let mut set = state.changed.values().filter_map(|changed| changed.levels.as_ref());
        let is_on = !self.start.settings.levels.is_empty() || set.any(|own| !own.is_empty());
        self.is_on.store(is_on, Relaxed);
        Ok(self.shown(&state, model))
    }

    /// The settings as clients see them.
    fn shown(&self, state: &State, model: &str) -> TraceSettings {
        let settings = self.effective(&state.changed, model);
        let left = state.samplers.get(state.scope(model)).map(|sampler| sampler.left);
        TraceSettings { count: left.unwrap_or(settings.count), ..settings }
    }

    fn effective(&self, changed: &BTreeMap<String, Changed>, model: &str) -> TraceSettings {
        let mut settings = self.start.settings.clone();
        for name in ["", model] {
            let Some(changed) = changed.get(name) else { continue };
            if let Some(levels) = &changed.levels {
                settings.levels.clone_from(levels);
            }
            settings.rate = changed.rate.unwrap_or(settings.rate);
            settings.count = changed.count.unwrap_or(settings.count);
            settings.frequency = changed.frequency.unwrap_or(settings.frequency);
        }
        settings
    }

    /// Names and values of settings as the protocols show them. Only the first one may have several values.
    pub fn texts(&self, settings: &TraceSettings) -> Vec<(&'static str, Vec<String>)> {
        let name = |level: &TraceLevel| match level {
            TraceLevel::Timestamps => "TIMESTAMPS".to_owned(),
            TraceLevel::Tensors => "TENSORS".to_owned(),
        };
        let mut levels: Vec<String> = settings.levels.iter().map(name).collect();
        if levels.is_empty() {
            levels.push("OFF".to_owned());
        }
        let mut texts = vec![
            ("trace_level", levels),
            ("trace_rate", vec![settings.rate.to_string()]),
            ("trace_count", vec![settings.count.to_string()]),
        ];
        texts.extend(self.start.texts(settings.frequency));
        texts
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The name of the settings that a model's requests are counted by: the model's own, or the server's.
    fn scope<'a>(&self, model: &'a str) -> &'a str {
        if self.changed.contains_key(model) { model } else { "" }
    }

    /// Replaces the changes of a model, or of the server. Its requests are counted from here on.
    fn put(&mut self, model: &str, changed: Changed, counts_anew: bool) {
        let left = self.samplers.remove(model).map(|sampler| sampler.left);
        if !model.is_empty() && changed.is_empty() {
            self.changed.remove(model);
            return;
        }
        self.changed.insert(model.to_owned(), changed);
        if let Some(left) = left.filter(|_| !counts_anew) {
            self.samplers.insert(model.to_owned(), Sampler { seen: 0, left });
        }
    }
}

impl Sampler {
    /// Whether the next request is traced, one of `rate`.
    fn takes(&mut self, rate: u32) -> bool {
        self.seen = self.seen.wrapping_add(1);
        let is_turn = rate > 0 && self.seen.is_multiple_of(rate);
        if !is_turn || self.left == 0 {
            return false;
        }
        self.left = if self.left > 0 { self.left - 1 } else { self.left };
        true
    }
}

#[cfg(test)]
mod tests;
