//! Memory of models: unloading those that nobody asks for, and loading them again.
//!
//! A model whose requests belong to sequences stays loaded, because its states would be lost. So does one whose files have changed since
//! it was loaded: they may not load.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use trident_serving::{ErrorCode, Fault, LogLevel, ModelConfig, SchedulingChoice, Stamp};

use super::Repository;
use super::entry::Loaded;
use super::fault::LoadFault;
use crate::model::{Evictable, HostedModel, unloaded};

impl Repository {
    /// Loads a model that is asked for and was unloaded while idle, waiting for a request up to `most`. Then unloads models that
    /// have been idle for too long, or whose memory is needed. A server calls this again and again, on one thread.
    pub fn tend(&self, most: Duration) {
        let asked = super::lock(&self.asked).recv_timeout(most);
        if let Ok(model) = asked {
            self.load_again(&model);
        }
        if let Some(longest) = self.options.idle_unload {
            for model in self.ready(None) {
                let is_idle = model.evictable().is_some_and(|own| own.idle() >= longest);
                if is_idle && self.may_unload(&model) {
                    self.unload_idle(&model);
                }
            }
        }
        let _ = self.make_room(0, |_| true);
    }

    /// Whether models are unloaded while nobody asks for them.
    pub(super) fn evicts(&self, config: &ModelConfig) -> bool {
        let is_limited = self.options.memory_limit.is_some() || self.options.idle_unload.is_some();
        is_limited && !matches!(config.scheduling, SchedulingChoice::Sequence(_))
    }

    /// Makes room for versions that were loaded, beside the models of other names. Those that do not fit are dropped.
    pub(super) fn fit(
        &self,
        name: &str,
        kept: &BTreeMap<u64, Arc<HostedModel>>,
        loaded: &mut BTreeMap<u64, Loaded>,
    ) {
        let memory = loaded.values().flatten().map(|model| model.memory()).sum();
        let Err(fault) = self.make_room(memory, |other| other.name() != name) else { return };
        let fault = LoadFault::from(fault).with_code();
        for (number, result) in loaded {
            if !kept.contains_key(number) && result.is_ok() {
                let line = format!("failed to load '{name}' version {number}: {}", fault.full);
                self.log(LogLevel::Warning, &line);
                *result = Err(fault.clone());
            }
        }
    }

    /// Has the response cache forget answers, and then unloads the models that have been idle longest, until `needed` bytes are within
    /// the limit, beside all models that `counts` chooses. An answer is sooner made again than a model is loaded.
    fn make_room(&self, needed: u64, counts: impl Fn(&HostedModel) -> bool) -> Result<(), Fault> {
        let Some(limit) = self.options.memory_limit else { return Ok(()) };
        let mut others = self.ready(None);
        others.retain(|model| counts(model));
        let models: u64 = others.iter().map(|model| model.memory()).sum();
        let mut used = models + self.cached_bytes().unwrap_or(0) as u64;
        if let Some(cache) = &self.cache {
            let excess = used.saturating_add(needed).saturating_sub(limit);
            let given = cache.give_way(usize::try_from(excess).unwrap_or(usize::MAX));
            used = used.saturating_sub(given as u64);
        }
        if used.saturating_add(needed) > limit {
            others.retain(|model| self.may_unload(model));
            let freed: u64 = others.iter().map(|model| model.memory()).sum();
            // Models are not unloaded for one that does not fit even then.
            if needed > 0 && used.saturating_sub(freed).saturating_add(needed) > limit {
                others.clear();
            }
        }
        // Requests change the times meanwhile.
        others.sort_by_cached_key(|model| model.evictable().map(|own| own.idle()));
        while used.saturating_add(needed) > limit {
            let Some(model) = others.pop() else { break };
            used = used.saturating_sub(self.unload_idle(&model));
        }
        if used.saturating_add(needed) <= limit {
            return Ok(());
        }
        let text = format!(
            "it takes {needed} bytes of memory, and `--memory-limit` leaves {} of {limit}: models that answer requests, or have \
             sequences, take {used}; hint: raise the limit, or unload models",
            limit.saturating_sub(used)
        );
        Err(Fault { code: ErrorCode::Unavailable, text })
    }

    /// Whether a model takes memory, nobody waits for it, and its files would load it again.
    fn may_unload(&self, model: &HostedModel) -> bool {
        let Some(own) = model.evictable().filter(|own| own.is_idle()) else { return false };
        let stamp = || own.folder().stamp(model.version());
        let is_restorable = |stamp: &Stamp| {
            let models = self.lock();
            let entry = models.get(model.name());
            entry.is_some_and(|entry| entry.is_restorable(model.version(), stamp))
        };
        model.memory() > 0 && is_restorable(&stamp())
    }

    /// Unloads a model if nobody waits for it. Returns the bytes of memory that it had.
    fn unload_idle(&self, model: &HostedModel) -> u64 {
        let Some(own) = model.evictable() else { return 0 };
        let idle = own.idle();
        let memory = model.memory();
        let Some(unloaded) = own.unload() else { return 0 };
        drop(unloaded);
        let (name, version) = (model.name(), model.version());
        let line = format!(
            "unloaded '{name}' version {version}, idle for {:.1} s: {memory} bytes; the next request loads it again",
            idle.as_secs_f64()
        );
        self.log(LogLevel::Info, &line);
        memory
    }

    /// Loads a model that was unloaded while idle, from the files of its version.
    fn load_again(&self, model: &Arc<Evictable>) {
        let (folder, version) = (model.folder(), model.version());
        let name = folder.name();
        let loaded = self.scheduled(folder, version);
        model.set_lost(loaded.is_err());
        // Until it is settled, so that a load beside it counts its memory.
        let _room = super::lock(&self.room);
        let loaded = loaded.and_then(|(_, _, loaded)| {
            let memory = loaded.model().map_or(0, |model| model.memory().live as u64);
            let is_other = |other: &HostedModel| {
                other.evictable().is_none_or(|other| !Arc::ptr_eq(other, model))
            };
            self.make_room(memory, is_other)?;
            Ok(loaded)
        });
        let loaded = loaded.map_err(|fault| {
            let line = format!("failed to load '{name}' version {version} again: {}", fault.full);
            self.log(LogLevel::Warning, &line);
            unloaded(name, &fault.for_clients())
        });
        if loaded.is_ok() {
            self.log(LogLevel::Info, &format!("loaded '{name}' version {version} again"));
            let is_same = |own: &Arc<Evictable>| Arc::ptr_eq(own, model);
            for hosted in self.ready(Some(name)) {
                // Its files may have changed.
                if hosted.evictable().is_some_and(is_same) {
                    hosted.forget_answers();
                }
            }
        }
        model.settle(loaded);
    }
}
