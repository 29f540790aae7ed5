//! The state that the models of this library share: settings, devices, metrics.

use crate::measures::{Families, Sampler};
use crate::served::Served;
use crate::server::log::log;
use crate::server::{Error, Result};
use crate::settings::Settings;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use trident_devices::{ACCELERATORS, ForModels, accelerators, model_devices, names};
use trident_runtime::{DeviceInfo, PoolSettings};
use trident_serving::{Hardware, Verbosity};

/// The names of devices in order, empty for the default devices, and the number of threads.
type Choice = (Vec<String>, usize);

/// Devices, opened at their first use. Their models share threads, memory and the number of runs at a time.
type Opened = Mutex<HashMap<Choice, Hardware>>;

/// The devices that all backends of this file share, as the server may load it under several names. They are closed when the last
/// of these backends is unloaded.
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

    /// The devices that a model chooses, such as `metal,cpu`, or those of the settings.
    pub(crate) fn hardware(&self, of_model: Option<(&str, &str)>) -> Result<Hardware> {
        let choice = of_model.map(|(_, choice)| choice).or(self.settings.device.as_deref());
        let settings = trident_devices::DeviceSettings { threads: self.settings.threads };
        let key = |names: Vec<&str>| -> Choice {
            (names.into_iter().map(str::to_owned).collect(), settings.threads)
        };
        let asked = key(choice.map(names).unwrap_or_default());
        let mut opened = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hardware) = opened.get(&asked) {
            return Ok(hardware.clone());
        }
        let found = trident_devices::open(choice, &settings).and_then(|opened| opened.models());
        let found = found.map_err(|error| {
            let choice = choice.unwrap_or_default();
            let place = match of_model {
                Some((model, _)) => format!("parameter 'device' of model '{model}'"),
                None => format!("--backend-config={},device={choice}", self.name),
            };
            let known = model_devices().filter(|entry| !entry.is_for_tests());
            let known: Vec<&str> = known.map(|entry| entry.name()).collect();
            Error::invalid(format!("{place}: {error}; hint: there is {}", known.join(", ")))
        })?;
        // The default devices and the same devices asked for by name are two keys, but must not be opened twice.
        let resolved = key(found.devices.iter().map(|device| &*device.info().name).collect());
        let hardware = match opened.get(&resolved) {
            Some(hardware) => hardware.clone(),
            None => self.open(found, &settings),
        };
        opened.extend([asked, resolved].map(|key| (key, hardware.clone())));
        Ok(hardware)
    }

    fn open(&self, found: ForModels, settings: &trident_devices::DeviceSettings) -> Hardware {
        let accelerators = accelerators(&found, settings);
        let ForModels { devices, folder } = found;
        let names: Vec<&str> = devices.iter().map(|device| &*device.info().name).collect();
        log!(Verbose, "backend '{}' opens the devices [{}]", self.name, names.join(", "));
        if let Some(sampler) = &self.sampler {
            let accelerators = accelerators.iter().map(|(_, device)| device);
            devices.iter().chain(accelerators).for_each(|device| sampler.device(device));
        }
        Hardware { devices, folder, accelerators, is_gpu: trident_devices::is_gpu }
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
