//! Ensembles: models that need others.
//!
//! The models of an ensemble's steps are loaded before it. When one of them is replaced, the ensemble is checked anew; when one is
//! unloaded, the ensemble is unloaded, and loaded again with it. No thread holds the right to load a model while it waits for another
//! one, so that ensembles of ensembles cannot block each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, Weak};

use trident_serving::{
    Ensemble, EnsembleStep, ErrorCode, Fault, FolderError, Host, Labels, LogLevel, ModelConfig,
    ModelFolder, SchedulingChoice, StepModel, StepModels,
};

use super::entry::{Entry, Loaded, Origin};
use super::fault::LoadFault;
use super::load::takes_part;
use super::{LoadOptions, Repository, find};
use crate::model::{Backend, StepOf};

/// An ensemble as it is to be loaded, now or once its steps' models are there.
#[derive(Clone)]
pub(super) struct EnsembleSource {
    folder: Arc<ModelFolder>,
    numbers: Vec<u64>,
    origin: Option<Origin>,
    is_plain: bool,
}

impl EnsembleSource {
    pub(super) fn new(
        folder: ModelFolder,
        numbers: Vec<u64>,
        origin: Option<Origin>,
        is_plain: bool,
    ) -> EnsembleSource {
        EnsembleSource { folder: Arc::new(folder), numbers, origin, is_plain }
    }

    /// The names of the models of its steps, each once.
    fn steps(&self) -> BTreeSet<&str> {
        names(self.folder.config())
    }
}

/// The steps of a configuration; `None` if it is not that of an ensemble.
fn steps(config: &ModelConfig) -> Option<&[EnsembleStep]> {
    match &config.scheduling {
        SchedulingChoice::Ensemble(ensembling) => Some(&ensembling.step),
        _ => None,
    }
}

fn names(config: &ModelConfig) -> BTreeSet<&str> {
    steps(config).into_iter().flatten().map(|step| &*step.model_name).collect()
}

/// Whether a configuration is that of an ensemble.
pub(super) fn is_ensemble(config: &ModelConfig) -> bool {
    config.platform == "ensemble" || steps(config).is_some()
}

/// Finds the models of steps in the repository.
pub(super) struct Models(pub(super) Weak<Mutex<BTreeMap<String, Entry>>>);

impl StepModels for Models {
    fn find(&self, name: &str, version: i64) -> Result<Arc<dyn StepModel>, Fault> {
        let gone = || Fault::internal("the repository of the ensemble is closed");
        let models = self.0.upgrade().ok_or_else(gone)?;
        let model = find(&super::lock(&models), name, u64::try_from(version).ok())?;
        Ok(Arc::new(StepOf(model)))
    }
}

impl Repository {
    /// Loads the models of an ensemble's steps. Those whose files are unchanged stay, and with `again` those that failed are tried
    /// again. Their errors are found when the ensemble itself is loaded.
    pub(super) fn load_steps(&self, folder: &ModelFolder, again: bool) {
        if self.options.mode == super::ControlMode::Explicit {
            let steps = names(folder.config()).into_iter().map(str::to_owned);
            // A copy of a repository has only models that were asked for. A step that cannot be fetched does not load.
            let _ = self.fetch(Some(&steps.collect::<Vec<_>>()));
        }
        for name in names(folder.config()) {
            if again || self.has_changed(name) {
                // The step's entry keeps the error.
                let _ = self.load_model(name, LoadOptions::default(), again);
            }
        }
    }

    /// An error if an ensemble is, by way of other ensembles, a step of its own.
    pub(super) fn check_circle(&self, folder: &ModelFolder) -> Result<(), String> {
        let start = folder.name();
        let mut seen = BTreeSet::new();
        let own = names(folder.config()).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let mut next: Vec<(String, Vec<String>)> = vec![(start.to_owned(), own)];
        while let Some((name, steps)) = next.pop() {
            if steps.iter().any(|step| step == start) {
                return Err(format!(
                    "circular dependency between ensembles: {start} -> ... -> {name} -> {start}"
                ));
            }
            for step in steps.into_iter().filter(|step| seen.insert(step.clone())) {
                let own = self.lock().get(&step).and_then(|entry| entry.ensemble.clone());
                let inner = match own {
                    Some(source) => source.steps().into_iter().map(str::to_owned).collect(),
                    None => match self.folder(&step) {
                        Ok(Some(folder)) => {
                            names(folder.config()).into_iter().map(str::to_owned).collect()
                        }
                        _ => vec![],
                    },
                };
                next.push((step, inner));
            }
        }
        Ok(())
    }

    /// The complete configuration of a version of an ensemble.
    pub(super) fn settled(
        &self,
        folder: &ModelFolder,
        number: u64,
    ) -> Result<ModelConfig, FolderError> {
        let mut config = folder.named(Some(number))?;
        folder.settle(&mut config, &Host::default(), &self.options.read)?;
        Ok(config)
    }

    /// Loads an ensemble whose steps' models have been loaded. Its caller has the right to load it.
    pub(super) fn load_ensemble(&self, source: EnsembleSource) -> Result<(), LoadFault> {
        let name = source.folder.name();
        self.lock().entry(name.to_owned()).or_default().ensemble = Some(source.clone());
        self.log(LogLevel::Info, &format!("loading: {name}"));
        match self.obeys(&source.folder).and_then(|()| self.build(&source)) {
            Ok(loaded) => {
                self.commit_ensemble(&source, loaded);
                Ok(())
            }
            Err(fault) => {
                self.log(LogLevel::Warning, &format!("failed to load '{name}': {}", fault.full));
                let mut models = self.lock();
                let entry = models.entry(name.to_owned()).or_default();
                entry.refuse(&fault, source.origin.clone());
                let text = |cause: &str| format!("load failed for model '{name}': {cause}\n");
                Err(LoadFault { code: ErrorCode::InvalidArg, ..fault.map(text) })
            }
        }
    }

    fn commit_ensemble(&self, source: &EnsembleSource, loaded: BTreeMap<u64, Loaded>) {
        let name = source.folder.name();
        let mut models = self.lock();
        let entry = models.entry(name.to_owned()).or_default();
        let replaced = entry.commit(loaded, source.origin.clone());
        (entry.is_overridden, entry.fault, entry.refused) = (!source.is_plain, None, None);
        drop(models);
        drop(replaced);
        self.log(LogLevel::Info, &format!("successfully loaded '{name}'"));
    }

    /// The versions of an ensemble, or why it cannot be loaded.
    fn build(&self, source: &EnsembleSource) -> Result<BTreeMap<u64, Loaded>, LoadFault> {
        let folder = &source.folder;
        let fault = |step: &str, text| {
            let place = folder.place_of(&format!("ensemble_scheduling.step{step}"));
            LoadFault::at(&place, Fault::invalid(text))
        };
        self.check_circle(folder).map_err(|text| fault("", text))?;
        let checked = self.check_steps(folder);
        checked.map_err(|(at, text)| fault(&format!("[{at}].model_name"), text))?;
        let mut loaded = BTreeMap::new();
        for &number in &source.numbers {
            let config = self.settled(folder, number)?;
            let mut labels = folder.labels(&config)?;
            self.inherit_labels(&config, &mut labels);
            let models = Arc::new(Models(Arc::downgrade(&self.models)));
            let ensemble = Ensemble::new(config, models).map_err(|error| folder.fault(error))?;
            let config = ensemble.config().clone();
            takes_part(folder, &config)?;
            let backend = Backend::Ensemble(Arc::new(ensemble));
            let model = self.hosted(number, config, labels, backend);
            loaded.insert(number, Ok(Arc::new(model)));
        }
        Ok(loaded)
    }

    /// Gives the outputs of an ensemble that have no labels those of the steps' models.
    fn inherit_labels(&self, config: &ModelConfig, labels: &mut Labels) {
        let models = self.lock();
        for step in steps(config).into_iter().flatten() {
            let version = u64::try_from(step.model_version).ok();
            // A model that is not there is an error of the ensemble itself.
            let Ok(model) = find(&models, &step.model_name, version) else { continue };
            let is_output = |tensor: &str| config.output.iter().any(|own| own.name == tensor);
            for (output, tensor) in step.output_map.iter().filter(|(_, to)| is_output(to)) {
                labels.inherit(tensor, model.labels(), output);
            }
        }
    }

    /// An error, with the position of a step, unless the models of an ensemble's steps answer.
    fn check_steps(&self, folder: &ModelFolder) -> Result<(), (usize, String)> {
        let name = folder.name();
        let models = self.lock();
        let known = |step: &str| models.get(step).filter(|entry| entry.is_known());
        let missing = names(folder.config()).into_iter().filter(|step| known(step).is_none());
        let missing: Vec<&str> = missing.collect();
        if let Some(first) = missing.first() {
            let mut all = steps(folder.config()).into_iter().flatten();
            let at = all.position(|step| step.model_name == *first).unwrap_or_default();
            let text = format!(
                "ensemble {name} contains models that are not available or ambiguous: {}",
                missing.join(", ")
            );
            return Err((at, text));
        }
        for (at, step) in steps(folder.config()).into_iter().flatten().enumerate() {
            let Some(entry) = known(&step.model_name) else { continue };
            let model = &step.model_name;
            let before = format!("ensemble '{name}' depends on '{model}'");
            match (&entry.fault, &entry.ensemble, entry.ready().next()) {
                (_, _, Some(_)) => {}
                (Some(fault), Some(_), None) => {
                    let cause = &fault.told;
                    let text = format!(
                        "{before} which is not valid. Model '{model}' failed with error: {cause}"
                    );
                    return Err((at, text));
                }
                (_, _, None) => {
                    let cause = entry.failures();
                    let text = format!(
                        "{before} which has no loaded version. Model '{model}' loading failed with error: {cause}"
                    );
                    return Err((at, text));
                }
            }
            let wanted = u64::try_from(step.model_version).ok().filter(|version| *version > 0);
            if let Some(version) = wanted
                && !entry.ready().any(|(number, _)| number == version)
            {
                let text = format!("{before} whose required version {version} is not loaded.");
                return Err((at, text));
            }
        }
        Ok(())
    }

    /// Checks the ensembles anew of which a model is a step, after it has changed. Those that do not fit any more are unloaded.
    pub(super) fn refresh_dependents(&self, name: &str) {
        let mut changed = vec![name.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(step) = changed.pop() {
            let is_above = |entry: &Entry| {
                entry.ensemble.as_ref().is_some_and(|source| source.steps().contains(&*step))
            };
            let above: Vec<String> = {
                let models = self.lock();
                let above = models.iter().filter(|(_, entry)| is_above(entry));
                above.map(|(name, _)| name.clone()).collect()
            };
            for name in above {
                if seen.insert(name.clone()) {
                    self.refresh(&name);
                    changed.push(name);
                }
            }
        }
    }

    fn refresh(&self, name: &str) {
        let _turn = self.turn(name);
        let Some(source) = self.lock().get(name).and_then(|entry| entry.ensemble.clone()) else {
            return;
        };
        match self.build(&source) {
            Ok(loaded) => self.commit_ensemble(&source, loaded),
            Err(fault) => {
                let line = format!("unloading ensemble '{name}': {}", fault.full);
                self.log(LogLevel::Warning, &line);
                let unloaded = self.lock().get_mut(name).map(Entry::suspend);
                // Memory of models is returned here, where the models are not locked.
                drop(unloaded);
            }
        }
    }

    /// Unloads the models that were loaded as steps of these ensembles only, and not by their own names.
    pub(super) fn unload_steps(&self, steps: Vec<String>) {
        let mut steps = steps;
        while let Some(name) = steps.pop() {
            let is_needed = {
                let models = self.lock();
                let mut sources = models.values().filter_map(|entry| entry.ensemble.as_ref());
                sources.any(|source| source.steps().contains(&*name))
                    || models.get(&name).is_none_or(|entry| entry.is_explicit)
            };
            if !is_needed {
                steps.extend(self.steps_of(&name));
                self.forget(&name);
            }
        }
    }

    /// The models of an ensemble's steps; none for another model.
    pub(super) fn steps_of(&self, name: &str) -> Vec<String> {
        let models = self.lock();
        let source = models.get(name).and_then(|entry| entry.ensemble.as_ref());
        let steps = source.into_iter().flat_map(EnsembleSource::steps);
        steps.map(str::to_owned).collect()
    }
}
