//! What the models of this library share: settings, devices, metrics.

use crate::measures::{Families, Sampler};
use crate::served::Served;
use crate::server::log::log;
use crate::server::{Error, Result};
use crate::settings::Settings;
use crate::verbosity::Verbosity;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use trident_devices::{
    ACCELERATORS, DEVICES, ForModels, accelerators, for_models, for_models_by_default,
};
use trident_runtime::{DeviceInfo, PoolSettings};
use trident_serving::Hardware;

/// The key under which the devices lie that models use without naming one.
const DEFAULT: &str = "";

/// Devices, opened at their first use, by the choice and the number of threads. Their models share threads, memory and the number of
/// runs at a time.
type Opened = Mutex<HashMap<(String, usize), Hardware>>;

/// Those of this library, which may be loaded under several names, until the last is unloaded.
static OPENED: Mutex<Weak<Opened>> = Mutex::new(Weak::new());

fn opened() -> Arc<Opened> {
    let mut shared = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let opened = Arc::default();
        *shared = Arc::downgrade(&opened);
        opened
    })
}

/// This library, loaded under a name.
pub(crate) struct Library {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(crate) verbosity: Verbosity,
    devices: Arc<Opened>,
    sampler: Option<Sampler>,
}

impl Library {
    /// Reads the settings and opens the devices of models that name none.
    pub(crate) fn new(name: String, config: &str) -> Result<Library> {
        let settings = Settings::of(&name, config)?;
        for key in &settings.unknown {
            log!(Warn, "backend '{name}' has no setting '{key}', which is ignored");
        }
        let pools = PoolSettings::from_environment().map_err(|e| Error::invalid(e.to_string()))?;
        pools.install();
        let families = settings.metrics.then(Families::new).and_then(|made| {
            made.inspect_err(|error| log!(Warn, "backend '{name}' shows no metrics: {error}")).ok()
        });
        let sampler = families.map(|families| Sampler::start(&name, families)).transpose()?;
        let verbosity = Verbosity::from_environment();
        let library = Library { name, settings, verbosity, devices: opened(), sampler };
        let hardware = library.hardware(None)?;
        if verbosity.devices {
            for device in &hardware.devices {
                let DeviceInfo { name, description, threads, features } = device.info();
                let (backend, features) = (&library.name, features.join(", "));
                log!(
                    Info,
                    "backend '{backend}': device {name}, {description}, {threads} threads, {features}"
                );
            }
            for (accelerator, device) in ACCELERATORS {
                match hardware.accelerators.iter().any(|(known, _)| known == accelerator) {
                    true => log!(Info, "accelerator '{accelerator}' is device '{device}'"),
                    false => log!(Info, "accelerator '{accelerator}' is not available here"),
                }
            }
        }
        Ok(library)
    }

    /// The devices of the choice of a model, such as `metal,cpu`, or of the settings if it has none.
    pub(crate) fn hardware(&self, of_model: Option<(&str, &str)>) -> Result<Hardware> {
        let choice = of_model.map(|(_, choice)| choice).or(self.settings.device.as_deref());
        let choice = choice.unwrap_or(DEFAULT);
        let mut opened = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (choice.to_owned(), self.settings.threads);
        if let Some(hardware) = opened.get(&key) {
            return Ok(hardware.clone());
        }
        let settings = trident_devices::Settings { threads: self.settings.threads };
        let found = match choice {
            DEFAULT => for_models_by_default(&settings),
            choice => for_models(choice, &settings),
        };
        let opened_now = found.map_err(|error| {
            let place = match of_model {
                Some((model, _)) => format!("parameter 'device' of model '{model}'"),
                None => format!("--backend-config={},device={choice}", self.name),
            };
            let known = DEVICES.iter().filter(|entry| !entry.for_tests).map(|entry| entry.name);
            let known: Vec<&str> = known.collect();
            Error::invalid(format!("{place}: {error}; hint: there is {}", known.join(", ")))
        })?;
        let accelerators = accelerators(&opened_now, &settings);
        let ForModels { devices, folder } = opened_now;
        let hardware = Hardware { devices, folder, accelerators };
        if let Some(sampler) = &self.sampler {
            let accelerators = hardware.accelerators.iter().map(|(_, device)| device);
            hardware.devices.iter().chain(accelerators).for_each(|device| sampler.device(device));
        }
        opened.insert(key, hardware.clone());
        Ok(hardware)
    }

    /// Shows a model's measures no longer. From then on only its caller has the model.
    pub(crate) fn hide(&self, served: &Arc<Served>) {
        if let Some(sampler) = &self.sampler {
            sampler.forget(served);
        }
    }

    /// Shows a model's measures until it is hidden.
    pub(crate) fn show(&self, served: &Arc<Served>) {
        if let Some(sampler) = &self.sampler {
            sampler.model(served);
        }
    }
}
