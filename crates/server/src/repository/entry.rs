//! Versions of a model, as the repository has them.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use trident_serving::{ModelConfig, ModelFolder, Stamp};

use super::ensembles::EnsembleSource;
use super::fault::LoadFault;
use super::{IndexEntry, ModelState};
use crate::model::HostedModel;

/// The reason of versions that were unloaded.
const UNLOADED: &str = "unloaded";

/// A model that was loaded, or was to be.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) versions: BTreeMap<u64, Version>,
    /// The origin of the last load.
    pub(super) origin: Option<Origin>,
    /// Whether a client has sent parts of it.
    pub(super) is_overridden: bool,
    /// Why the folder could not be read, or the ensemble not be loaded, if nothing of it answers.
    pub(super) fault: Option<LoadFault>,
    /// Why the folder could not be read at the last load.
    pub(super) refused: Option<String>,
    /// An ensemble that is loaded, or is to be once the models of its steps are.
    pub(super) ensemble: Option<EnsembleSource>,
    /// Whether it was loaded by its name, not only as a step.
    pub(super) is_explicit: bool,
}

/// The state of the folder from which a model was loaded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    /// The configuration in the folder. It is large.
    pub(super) config: Box<ModelConfig>,
    /// The files of each version that it selects.
    pub(super) stamps: BTreeMap<u64, Stamp>,
}

impl Origin {
    /// The state of a folder; `None` if it has no version to serve.
    pub(super) fn of(folder: &ModelFolder) -> Option<Origin> {
        let versions = folder.served().ok()?;
        let stamps = versions.into_iter().map(|number| (number, folder.stamp(number))).collect();
        Some(Origin { config: Box::new(folder.config().clone()), stamps })
    }
}

/// The outcome of loading a version: the model, or why it failed.
pub(super) type Loaded = Result<Arc<HostedModel>, LoadFault>;

/// A version of a model.
pub(super) struct Version {
    pub(super) state: State,
    /// Why it is in this state; empty for no reason. A version that is ready has one if it could not be replaced.
    pub(super) reason: String,
}

pub(super) enum State {
    Loading,
    Ready(Arc<HostedModel>),
    /// It failed to load; the reason as clients see it.
    Unavailable(String),
    /// Unloaded; requests that have not been answered yet own it, and its life.
    Unloading(Weak<()>),
}

impl Version {
    pub(super) fn loading() -> Version {
        Version { state: State::Loading, reason: String::new() }
    }

    pub(super) fn ready(model: Arc<HostedModel>) -> Version {
        Version { state: State::Ready(model), reason: String::new() }
    }

    fn unavailable(fault: LoadFault) -> Version {
        Version { state: State::Unavailable(fault.told), reason: fault.full }
    }

    pub(super) fn model(&self) -> Option<&Arc<HostedModel>> {
        match &self.state {
            State::Ready(model) => Some(model),
            State::Loading | State::Unavailable(_) | State::Unloading(_) => None,
        }
    }

    /// Takes the model away from later requests, and returns it.
    pub(super) fn unload(&mut self) -> Option<Arc<HostedModel>> {
        if matches!(self.state, State::Unloading(_)) {
            return None;
        }
        let model = self.model().cloned();
        let left = model.as_ref().map(|model| model.life()).unwrap_or_default();
        *self = Version { state: State::Unloading(left), reason: UNLOADED.to_owned() };
        model
    }

    /// Whether it failed to load, and nothing serves in its place.
    fn has_failed(&self) -> bool {
        self.failure().is_some() || self.model().is_some_and(|model| model.is_lost())
    }

    /// Why it failed to load, as clients see it.
    fn failure(&self) -> Option<&str> {
        match &self.state {
            State::Unavailable(told) => Some(told),
            State::Loading | State::Ready(_) | State::Unloading(_) => None,
        }
    }

    fn state(&self) -> (ModelState, &str) {
        match &self.state {
            State::Loading => (ModelState::Loading, &self.reason),
            State::Ready(model) if model.is_lost() => (
                ModelState::Unavailable,
                "its files did not load again after it was unloaded while idle",
            ),
            State::Ready(_) => (ModelState::Ready, &self.reason),
            State::Unloading(life) if life.strong_count() > 0 => (ModelState::Unloading, ""),
            State::Unavailable(_) | State::Unloading(_) => (ModelState::Unavailable, &self.reason),
        }
    }
}

impl Entry {
    /// Whether the model, or a version of it, failed to load.
    pub(super) fn has_failed(&self) -> bool {
        self.fault.is_some() || self.versions.values().any(Version::has_failed)
    }

    /// Whether it was loaded, or was to be, and has not been unloaded since.
    pub(super) fn is_known(&self) -> bool {
        let is_loaded = |version: &Version| !matches!(version.state, State::Unloading(_));
        self.ensemble.is_some() || self.versions.values().any(is_loaded)
    }

    /// Whether it was loaded from parts that a client sent, and has been unloaded since. Without a folder, it cannot be loaded again.
    pub(super) fn is_lost(&self) -> bool {
        self.is_overridden && !self.is_known()
    }

    /// Why its versions are not loaded, as clients see it.
    pub(super) fn failures(&self) -> String {
        let failed = self.versions.iter();
        let failed = failed.filter_map(|(number, version)| Some((number, version.failure()?)));
        let text = failed
            .map(|(number, told)| format!("version {number} is at UNAVAILABLE state: {told};\n"));
        text.collect()
    }

    /// Whether all that was loaded last answers. A version that stays because the files after it failed has a reason.
    pub(super) fn is_whole(&self) -> bool {
        let mut ready = self.versions.values().filter(|version| version.model().is_some());
        !self.has_failed()
            && self.refused.is_none()
            && ready.next().is_some_and(|first| first.reason.is_empty())
            && ready.all(|version| version.reason.is_empty())
    }

    /// The versions that answer.
    pub(super) fn ready(&self) -> impl DoubleEndedIterator<Item = (u64, &Arc<HostedModel>)> {
        self.versions.iter().filter_map(|(number, version)| Some((*number, version.model()?)))
    }

    /// Adds the model's lines to the index.
    pub(super) fn index(&self, name: &str, only_ready: bool, index: &mut Vec<IndexEntry>) {
        if let Some(fault) = self.fault.as_ref().filter(|_| !only_ready) {
            let (name, state) = (name.to_owned(), Some(ModelState::Unavailable));
            index.push(IndexEntry { name, version: None, state, reason: fault.full.clone() });
        }
        for (number, version) in &self.versions {
            let (state, reason) = version.state();
            if state == ModelState::Ready || !only_ready {
                let (name, version) = (name.to_owned(), Some(*number));
                let (state, reason) = (Some(state), reason.to_owned());
                index.push(IndexEntry { name, version, state, reason });
            }
        }
    }

    /// Whether a version was loaded from a folder of this state.
    pub(super) fn is_same(&self, number: u64, origin: Option<&Origin>) -> bool {
        let (Some(own), Some(origin)) = (&self.origin, origin) else { return false };
        // The policy chooses among versions, and changes none of them.
        let config = |origin: &Origin| {
            let mut config = origin.config.clone();
            config.version_policy = None;
            config
        };
        // A version with a reason is an older one, which stays because these files did not load.
        !self.is_overridden
            && self.versions.get(&number).is_some_and(|version| version.reason.is_empty())
            && config(own) == config(origin)
            && own.stamps.contains_key(&number)
            && own.stamps.get(&number) == origin.stamps.get(&number)
    }

    /// Whether a version can be loaded again from its files, whose stamp is this one: they are those that it was loaded from.
    pub(super) fn is_restorable(&self, number: u64, stamp: &Stamp) -> bool {
        let is_current = self.versions.get(&number).is_some_and(|own| own.reason.is_empty());
        let loaded_from = self.origin.as_ref().and_then(|own| own.stamps.get(&number));
        // Files that a client has sent stay in memory.
        let is_in_memory = self.is_overridden && *stamp == Stamp::default();
        is_current && (is_in_memory || loaded_from == Some(stamp))
    }

    /// Takes versions that were loaded. Returns those that they replace, which requests may still own.
    pub(super) fn commit(
        &mut self,
        loaded: BTreeMap<u64, Loaded>,
        origin: Option<Origin>,
    ) -> Vec<Arc<HostedModel>> {
        let mut replaced = vec![];
        let has_failed = loaded.values().any(Result::is_err);
        if !has_failed {
            let others =
                self.versions.iter_mut().filter(|(number, _)| !loaded.contains_key(number));
            replaced.extend(others.filter_map(|(_, version)| version.unload()));
        }
        for (number, result) in loaded {
            match (result, self.versions.get_mut(&number)) {
                (Ok(model), _) => {
                    let old = self.versions.insert(number, Version::ready(model));
                    replaced.extend(old.and_then(|old| old.model().cloned()));
                }
                // The version that answers stays.
                (Err(fault), Some(version)) if version.model().is_some() => {
                    version.reason = fault.full;
                }
                (Err(fault), _) => {
                    drop(self.versions.insert(number, Version::unavailable(fault)));
                }
            }
        }
        self.origin = origin;
        replaced
    }

    /// Notes that a folder of this state cannot be read. Versions that answer stay.
    pub(super) fn refuse(&mut self, fault: &LoadFault, origin: Option<Origin>) {
        let mut answering = self.versions.values_mut().filter(|version| version.model().is_some());
        match answering.next() {
            Some(version) => version.reason = fault.full.clone(),
            None => self.fault = Some(fault.clone()),
        }
        self.refused = Some(fault.full.clone());
        self.origin = origin;
    }

    /// Unloads all versions. Returns their models, which requests may still own.
    pub(super) fn forget(&mut self) -> Vec<Arc<HostedModel>> {
        (self.origin, self.ensemble, self.is_explicit) = (None, None, false);
        self.suspend()
    }

    /// Unloads all versions of an ensemble until the models of its steps are there again. Returns their models.
    pub(super) fn suspend(&mut self) -> Vec<Arc<HostedModel>> {
        (self.fault, self.refused) = (None, None);
        self.versions.values_mut().filter_map(Version::unload).collect()
    }
}
