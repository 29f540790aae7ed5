//! Loading and unloading of models.
//!
//! A model is loaded beside the versions that it replaces, which answer requests until it is ready. If it fails, they stay.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use trident_serving::{ErrorCode, Fault, LogLevel, ModelFolder};

use super::ensembles::{EnsembleSource, is_ensemble};
use super::entry::{Entry, Loaded, Origin, Version};
use super::fault::LoadFault;
use super::folders::{check_name, sent};
use super::{ControlMode, LoadOptions, Look, Repository};
use crate::model::HostedModel;

impl Repository {
    /// Loads the models of the start, and returns those that failed.
    pub fn start(&self) -> Vec<(String, Fault)> {
        let chosen = self.options.mode == ControlMode::Explicit
            && !self.options.load.iter().any(|name| name == "*");
        let refreshed = self.fetch(chosen.then_some(&self.options.load));
        let look = self.look();
        for line in &look.empty {
            self.log(LogLevel::Warning, line);
        }
        let names = match chosen {
            true => self.options.load.clone(),
            false => look.names.into_iter().collect(),
        };
        let mut failed = self.load_each(&names);
        let unread = refreshed.err().or_else(|| look.unread.map(Fault::internal));
        failed.extend(unread.map(|fault| ("repository".to_owned(), fault)));
        // Models are loaded on several threads.
        failed.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.has_started.store(true, Release);
        failed
    }

    /// Tells for each folder of the repository that has no models which layout is expected.
    pub fn empty_folders(&self) -> Vec<String> {
        self.look().empty
    }

    /// Looks for folders that are new, have changed or are gone, and loads or unloads their models. While a folder of the repository
    /// cannot be read, nothing is unloaded.
    pub fn poll(&self) {
        self.refresh_all();
        let Look { names, unread, .. } = self.look();
        let is_whole = unread.is_none();
        self.note_unread(unread);
        let gone: Vec<String> = {
            let models = self.lock();
            // Models that earlier polls have unloaded stay so.
            let is_left = |entry: &Entry| entry.is_known() || entry.fault.is_some();
            let left = models.iter().filter(|(_, entry)| is_left(entry));
            let gone = left.filter(|(name, _)| is_whole && !names.contains(*name));
            gone.map(|(name, _)| name.clone()).collect()
        };
        for name in gone {
            let line = format!("unloading model '{name}', whose folder is gone");
            self.log(LogLevel::Info, &line);
            self.forget(&name);
            self.refresh_dependents(&name);
        }
        let changed: Vec<String> =
            names.into_iter().filter(|name| self.has_changed(name)).collect();
        self.load_each(&changed);
    }

    /// Loads a model, and returns once it answers requests. A model that is loaded and whose files are unchanged stays as it is.
    ///
    /// # Errors
    /// Another mode than explicit, and a model that cannot be loaded. What answered before answers still.
    pub fn load(&self, name: &str, options: LoadOptions) -> Result<(), Fault> {
        self.check_mode()?;
        // A client that sends files needs no others.
        if options.files.is_empty()
            && let Err(fault) = self.fetch(Some(&[name.to_owned()]))
        {
            let text = format!("failed to load '{name}', failed to poll from model repository");
            self.log(LogLevel::Warning, &format!("{text}: {}", fault.text));
            return Err(Fault::internal(format_args!("{text}: {}", fault.text)));
        }
        let loaded = self.load_model(name, options, true);
        self.set_explicit(name);
        loaded.map_err(LoadFault::for_clients)
    }

    /// Unloads a model, if there is one of this name, and returns at once. Requests that were accepted are still answered.
    /// Ensembles of which it is a step are unloaded, too. With `dependents`, the models of its own steps are, unless they were loaded by
    /// their names or are steps of other ensembles.
    ///
    /// # Errors
    /// Another mode than explicit.
    pub fn unload(&self, name: &str, dependents: bool) -> Result<(), Fault> {
        self.check_mode()?;
        let steps = if dependents { self.steps_of(name) } else { vec![] };
        if self.forget(name) {
            self.log(LogLevel::Info, &format!("unloading model '{name}'"));
            self.refresh_dependents(name);
        }
        self.unload_steps(steps);
        Ok(())
    }

    /// Unloads all versions of a model. Returns whether a model of this name is known.
    pub(super) fn forget(&self, name: &str) -> bool {
        let _turn = self.turn(name);
        let unloaded = self.lock().get_mut(name).map(Entry::forget);
        // Memory of models is returned here, where the models are not locked.
        unloaded.is_some()
    }

    fn check_mode(&self) -> Result<(), Fault> {
        match self.options.mode {
            ControlMode::Explicit => Ok(()),
            ControlMode::None | ControlMode::Poll => {
                let text = "explicit model load / unload is not allowed if polling is enabled";
                Err(Fault { code: ErrorCode::Unavailable, text: text.to_owned() })
            }
        }
    }

    /// Notes that a model was asked for by its name.
    fn set_explicit(&self, name: &str) {
        if let Some(entry) = self.lock().get_mut(name) {
            entry.is_explicit = true;
        }
    }

    /// Loads models, ensembles after the others. Returns those that failed.
    fn load_each(&self, names: &[String]) -> Vec<(String, Fault)> {
        let is_above = |name: &&String| {
            let folder = self.folder(name);
            folder.is_ok_and(|folder| folder.is_some_and(|folder| is_ensemble(folder.config())))
        };
        let (above, below): (Vec<&String>, Vec<&String>) = names.iter().partition(is_above);
        let mut failed = self.load_side_by_side(&below);
        failed.extend(self.load_side_by_side(&above));
        names.iter().for_each(|name| self.set_explicit(name));
        failed
    }

    /// Loads models on several threads. Returns those that failed.
    fn load_side_by_side(&self, names: &[&String]) -> Vec<(String, Fault)> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(vec![]));
        let work = || {
            while let Some(name) = names.get(next.fetch_add(1, Relaxed)) {
                if let Err(fault) = self.load_model(name, LoadOptions::default(), false) {
                    super::lock(&failed).push(((*name).clone(), fault.in_full()));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.options.threads.min(names.len()) {
                // Without a further thread, loading takes longer.
                let _ = thread::Builder::new().name("model load".into()).spawn_scoped(scope, work);
            }
            work();
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads a model. With `again`, the models of an ensemble's steps are tried again that have failed.
    pub(super) fn load_model(
        &self,
        name: &str,
        options: LoadOptions,
        again: bool,
    ) -> Result<(), LoadFault> {
        let has_changed = self.load_alone(name, options, again)?;
        if has_changed {
            self.refresh_dependents(name);
        }
        Ok(())
    }

    /// Loads a model without a look at ensembles of which it is a step. Returns whether it has changed.
    fn load_alone(&self, name: &str, options: LoadOptions, again: bool) -> Result<bool, LoadFault> {
        let mut turn = self.turn(name);
        let is_plain = options.config.is_none() && options.files.is_empty();
        let unread = |cause: &str| {
            let text = format!("failed to load '{name}', failed to poll from model repository");
            let full = format!("{text}: {cause}");
            self.log(LogLevel::Warning, &full);
            LoadFault { full, ..LoadFault::from(Fault::internal(text)) }
        };
        check_name(name).map_err(|cause| unread(&cause))?;
        let on_disk = self.folder(name);
        let origin = on_disk.as_ref().ok().and_then(Option::as_ref).and_then(Origin::of);
        let folder = match (is_plain, on_disk) {
            (true, Ok(Some(folder))) => folder,
            (true, Ok(None)) => return Err(unread("the repository has no folder of this name")),
            (true, Err(fault)) => {
                let unread = unread(&fault.text).told_in_full();
                self.lock().entry(name.to_owned()).or_default().refuse(&fault.into(), None);
                return Err(unread);
            }
            (false, on_disk) => sent(name, options, on_disk).map_err(|cause| unread(&cause))?,
        };
        let is_ensemble = is_ensemble(folder.config());
        if is_ensemble && self.check_circle(&folder).is_ok() {
            drop(turn);
            self.load_steps(&folder, again);
            turn = self.turn(name);
        }
        if is_plain && self.is_loaded(name, origin.as_ref()) {
            return Ok(false);
        }
        let versions = folder.served().and_then(|versions| {
            match versions.first() {
                Some(first) if is_ensemble => self.settled(&folder, *first)?,
                first => folder.named(first.copied())?,
            };
            Ok(versions)
        });
        let versions = match versions {
            Ok(versions) => versions,
            Err(error) => {
                let fault = LoadFault::from(error);
                let mut unread = unread(&fault.full);
                if is_plain {
                    unread = unread.told_in_full();
                    self.lock().entry(name.to_owned()).or_default().refuse(&fault, origin);
                }
                return Err(unread);
            }
        };
        let loaded = match is_ensemble {
            true => self.load_ensemble(EnsembleSource::new(folder, versions, origin, is_plain)),
            false => self.load_versions(&folder, &versions, origin, is_plain),
        };
        drop(turn);
        loaded.map(|()| true)
    }

    /// Loads versions beside those that answer, and lets them take over.
    fn load_versions(
        &self,
        folder: &ModelFolder,
        numbers: &[u64],
        origin: Option<Origin>,
        is_plain: bool,
    ) -> Result<(), LoadFault> {
        let name = folder.name();
        let kept = self.begin(name, numbers, origin.as_ref().filter(|_| is_plain));
        let mut loaded: BTreeMap<u64, Loaded> = BTreeMap::new();
        for &number in numbers {
            let result = match kept.get(&number) {
                Some(model) => Ok(Arc::clone(model)),
                None => self.try_version(folder, number),
            };
            loaded.insert(number, result);
        }
        let room = self.options.memory_limit.map(|_| super::lock(&self.room));
        self.fit(name, &kept, &mut loaded);
        let failure = failure(name, &loaded);
        let mut models = self.lock();
        let entry = models.entry(name.to_owned()).or_default();
        let replaced = entry.commit(loaded, origin);
        (entry.is_overridden, entry.ensemble) = (!is_plain, None);
        drop(models);
        drop(room);
        // Memory of models is returned where the models are not locked.
        drop(replaced);
        failure.map_or(Ok(()), Err)
    }

    /// Shows versions that do not answer yet as loading. Returns those that need not be loaded again.
    fn begin(
        &self,
        name: &str,
        numbers: &[u64],
        origin: Option<&Origin>,
    ) -> BTreeMap<u64, Arc<HostedModel>> {
        let mut models = self.lock();
        let entry = models.entry(name.to_owned()).or_default();
        (entry.fault, entry.refused) = (None, None);
        let mut kept = BTreeMap::new();
        for &number in numbers {
            let is_kept = entry.is_same(number, origin);
            match entry.versions.get(&number).and_then(Version::model) {
                Some(model) if is_kept => drop(kept.insert(number, Arc::clone(model))),
                Some(_) => {}
                None => drop(entry.versions.insert(number, Version::loading())),
            }
        }
        kept
    }

    fn try_version(&self, folder: &ModelFolder, number: u64) -> Loaded {
        let name = folder.name();
        self.log(LogLevel::Info, &format!("loading: {name}:{number}"));
        let mut tries = 0;
        loop {
            let fault = match self.load_version(folder, number) {
                Ok(model) => {
                    self.log(
                        LogLevel::Info,
                        &format!("successfully loaded '{name}' version {number}"),
                    );
                    return Ok(Arc::new(model));
                }
                Err(fault) => fault,
            };
            let fault = fault.with_code();
            let line = format!("failed to load '{name}' version {number}: {}", fault.full);
            self.log(LogLevel::Warning, &line);
            if tries == self.options.retries {
                return Err(fault);
            }
            tries += 1;
        }
    }

    /// Whether all versions of a model answer, from files that are still the same.
    fn is_loaded(&self, name: &str, origin: Option<&Origin>) -> bool {
        let models = self.lock();
        let entry = models.get(name).filter(|entry| entry.is_whole());
        origin.is_some() && entry.is_some_and(|entry| entry.origin.as_ref() == origin)
    }

    /// Whether a folder has changed since its model was loaded, or was to be.
    pub(super) fn has_changed(&self, name: &str) -> bool {
        let folder = self.folder(name);
        let origin = folder.as_ref().ok().and_then(Option::as_ref).and_then(Origin::of);
        let models = self.lock();
        models.get(name).is_none_or(|entry| match &folder {
            Err(fault) => entry.refused.as_ref() != Some(&fault.text),
            Ok(_) => entry.origin != origin,
        })
    }
}

/// The fault of the versions of a model that do not load, if there are any.
fn failure(name: &str, loaded: &BTreeMap<u64, Loaded>) -> Option<LoadFault> {
    let (mut full, mut told) = (String::new(), String::new());
    for (number, fault) in
        loaded.iter().filter_map(|(number, own)| Some((number, own.as_ref().err()?)))
    {
        let line = |cause: &str| format!("version {number} is at UNAVAILABLE state: {cause};\n");
        full += &line(&fault.full);
        told += &line(&fault.told);
    }
    let fault = LoadFault { code: ErrorCode::InvalidArg, full, told };
    (!fault.full.is_empty())
        .then(|| fault.map(|causes| format!("load failed for model '{name}': {causes}")))
}
