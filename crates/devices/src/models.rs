//! The devices that run models.
//!
//! A choice of devices is a list of names separated by commas, such as `queued,cpu`. Each op goes to the device that
//! claims it at the least cost, and to the first of equal ones.

use crate::{
    Ability, CPU, DEVICES, DeviceEntry, DeviceError, DeviceSettings, METAL, ModelChoice,
    OpenedDevices, find, lacks, open,
};
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_runtime::Device;

/// The devices that run models.
pub fn model_devices() -> impl Iterator<Item = &'static dyn DeviceEntry> {
    DEVICES.iter().copied().filter(|entry| entry.models().is_some())
}

/// Whether the device of this name is a GPU. The emulated GPU counts as one.
pub fn is_gpu(name: &str) -> bool {
    model_devices().any(|entry| entry.is_gpu() && entry.name() == name)
}

/// The devices of a session.
pub struct ForModels {
    /// The chosen devices, in the order of the choice.
    pub devices: Vec<Arc<dyn Device>>,
    /// The one that folds constants: the CPU, whatever the choice. It is always there and has every op.
    pub folder: Arc<dyn Device>,
}

impl OpenedDevices {
    /// The devices of a session. Where none is named they are the GPU of a Mac and its CPU, elsewhere the CPU.
    ///
    /// # Errors
    /// If one of them runs no models or is not available.
    pub fn models(&self) -> Result<ForModels, DeviceError> {
        if !self.entries.is_empty() {
            return self.made(&self.entries);
        }
        let cpu = find(CPU)?;
        match find(METAL).and_then(|metal| self.made(&[metal, cpu])) {
            Err(DeviceError::Unavailable { .. }) => self.made(&[cpu]),
            opened => opened,
        }
    }

    fn made(&self, entries: &[&'static dyn DeviceEntry]) -> Result<ForModels, DeviceError> {
        let able = |entry: &&'static dyn DeviceEntry| {
            entry.models().ok_or_else(|| lacks(*entry, Ability::Models))
        };
        let makers = entries.iter().map(able).collect::<Result<Vec<_>, _>>()?;
        let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(self.settings.threads));
        let choice = ModelChoice { devices: entries.len(), cpu, settings: self.settings };
        let devices = makers.into_iter().map(|make| make(&choice)).collect::<Result<_, _>>()?;
        Ok(ForModels { devices, folder: choice.cpu })
    }
}

/// Devices that accelerators of a server's configurations stand for, by the accelerator's name.
pub const ACCELERATORS: &[(&str, &str)] = &[(METAL, METAL)];

/// The devices of the available accelerators, by the accelerator's name. Opened devices are reused.
pub fn accelerators(
    opened: &ForModels,
    settings: &DeviceSettings,
) -> Vec<(String, Arc<dyn Device>)> {
    let device = |&(accelerator, name): &(&str, &str)| {
        let device = match opened.devices.iter().find(|device| device.info().name == name) {
            Some(device) => Arc::clone(device),
            None => open(Some(name), settings).ok()?.models().ok()?.devices.pop()?,
        };
        Some((accelerator.to_owned(), device))
    };
    ACCELERATORS.iter().filter_map(device).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    const ONE: DeviceSettings = DeviceSettings { threads: 1 };

    fn models(choice: &str) -> Result<ForModels, DeviceError> {
        open(Some(choice), &ONE)?.models()
    }

    fn opened(choice: &str) -> Vec<String> {
        let ForModels { devices, folder } = models(choice).unwrap();
        assert_eq!(folder.info().name, "cpu");
        devices.iter().map(|device| device.info().name.clone()).collect()
    }

    #[test]
    fn choices_keep_their_order() {
        assert_eq!(opened("cpu"), ["cpu"]);
        assert_eq!(opened("queued, cpu"), ["queued", "cpu"]);
        assert_eq!(crate::names(" queued,cpu "), ["queued", "cpu"]);
        // Others need what not every machine has.
        for entry in model_devices().filter(|entry| ["cpu", "queued"].contains(&entry.name())) {
            assert_eq!(opened(entry.name()), [entry.name()]);
        }
    }

    #[test]
    fn the_devices_of_a_mac_and_of_the_emulator_are_gpus() {
        assert!(!is_gpu("cpu") && !is_gpu("queued"));
        for name in ["metal", "metal-emulated"] {
            assert_eq!(is_gpu(name), model_devices().any(|entry| entry.name() == name), "{name}");
        }
    }

    #[test]
    fn accelerators_are_the_opened_devices() {
        let opened = models("cpu").unwrap();
        let names: Vec<String> = accelerators(&opened, &ONE).into_iter().map(|it| it.0).collect();
        assert_eq!(names, if models("metal").is_ok() { vec!["metal"] } else { vec![] });
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let error = |choice| models(choice).err().unwrap();
        assert_eq!(error("gpu"), DeviceError::Unknown("gpu".into()));
        assert_eq!(error("cpu,"), DeviceError::Unknown(String::new()));
        assert_eq!(error("cpu,cpu"), DeviceError::Twice("cpu".into()));
        #[cfg(not(target_os = "macos"))]
        assert!(matches!(error("metal,cpu"), DeviceError::Unavailable { .. }));
    }
}
