//! The devices that run models.
//!
//! A choice of devices is written as their names with commas between them, such as `queued,cpu`: each op goes to the one that
//! claims it at the least cost, and of equal ones to the first.

use crate::{CPU, DEVICES, DeviceEntry, DeviceError, METAL, Settings, find};
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_runtime::{Device, Queued, QueuedOptions};

/// Makes the device of an entry.
pub(crate) type Make = fn(&Choice<'_>, &Settings) -> Opened;

type Opened = Result<Arc<dyn Device>, DeviceError>;

/// The devices that run models.
pub fn model_devices() -> impl Iterator<Item = &'static DeviceEntry> {
    DEVICES.iter().filter(|entry| entry.models.is_some())
}

/// Whether the device of this name is a GPU. The emulated one stands for that of a Mac, and counts as one.
pub fn is_gpu(name: &str) -> bool {
    model_devices().any(|entry| entry.is_gpu && entry.name == name)
}

/// A choice of devices while it is opened.
pub(crate) struct Choice<'a> {
    names: &'a [&'a str],
    /// One for all that are made of it, so that they share its threads.
    cpu: Arc<CpuDevice>,
}

pub(crate) fn cpu(choice: &Choice<'_>, _: &Settings) -> Opened {
    Ok(choice.cpu.clone())
}

/// The CPU behind a queue. Beside other devices it claims half of all ops, so that values cross between them.
pub(crate) fn queued(choice: &Choice<'_>, _: &Settings) -> Opened {
    let share = if choice.names.len() > 1 { 50 } else { 100 };
    let options = QueuedOptions { share, ..QueuedOptions::default() };
    Ok(Arc::new(Queued::new(choice.cpu.clone(), options)))
}

/// The devices of a session.
pub struct ForModels {
    /// Those of the choice, in its order.
    pub devices: Vec<Arc<dyn Device>>,
    /// The one that folds constants: the CPU, whatever the choice. It is always there and has every op.
    pub folder: Arc<dyn Device>,
}

/// The names in a choice.
pub fn names(choice: &str) -> Vec<&str> {
    choice.split(',').map(str::trim).collect()
}

/// The devices of a choice such as `cpu` or `queued,cpu`, for a session.
pub fn for_models(choice: &str, settings: &Settings) -> Result<ForModels, DeviceError> {
    let names = names(choice);
    let entry = |(i, name): (usize, &&str)| {
        if names[..i].contains(name) {
            return Err(DeviceError::Twice((*name).to_owned()));
        }
        find(name)?.models.ok_or_else(|| DeviceError::NoModels((*name).to_owned()))
    };
    let makers = names.iter().enumerate().map(entry).collect::<Result<Vec<_>, _>>()?;
    let cpu = Arc::new(CpuDevice::new(settings.threads));
    let choice = Choice { names: &names, cpu };
    let devices = makers.into_iter().map(|make| make(&choice, settings));
    let devices = devices.collect::<Result<_, _>>()?;
    Ok(ForModels { devices, folder: choice.cpu })
}

/// The devices of a session where none is named: the GPU of a Mac and its CPU, elsewhere the CPU.
pub fn for_models_by_default(settings: &Settings) -> Result<ForModels, DeviceError> {
    match for_models(&format!("{METAL},{CPU}"), settings) {
        Err(DeviceError::Unavailable { .. }) => for_models(CPU, settings),
        opened => opened,
    }
}

/// Devices that accelerators of a server's configurations stand for, by the accelerator's name.
pub const ACCELERATORS: &[(&str, &str)] = &[(METAL, METAL)];

/// The devices of those accelerators that are there, by the accelerator's name; the opened ones, where they are among them.
pub fn accelerators(opened: &ForModels, settings: &Settings) -> Vec<(String, Arc<dyn Device>)> {
    let device = |&(accelerator, name): &(&str, &str)| {
        let device = match opened.devices.iter().find(|device| device.info().name == name) {
            Some(device) => Arc::clone(device),
            None => for_models(name, settings).ok()?.devices.pop()?,
        };
        Some((accelerator.to_owned(), device))
    };
    ACCELERATORS.iter().filter_map(device).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    const ONE: Settings = Settings { threads: 1 };

    fn opened(choice: &str) -> Vec<String> {
        let ForModels { devices, folder } = for_models(choice, &ONE).unwrap();
        assert_eq!(folder.info().name, "cpu");
        devices.iter().map(|device| device.info().name.clone()).collect()
    }

    #[test]
    fn choices_keep_their_order() {
        assert_eq!(opened("cpu"), ["cpu"]);
        assert_eq!(opened("queued, cpu"), ["queued", "cpu"]);
        assert_eq!(names(" queued,cpu "), ["queued", "cpu"]);
        // Others need what not every machine has.
        for entry in model_devices().filter(|entry| ["cpu", "queued"].contains(&entry.name)) {
            assert_eq!(opened(entry.name), [entry.name]);
        }
    }

    #[test]
    fn the_devices_of_a_mac_and_of_the_emulator_are_gpus() {
        assert!(!is_gpu("cpu") && !is_gpu("queued"));
        for name in ["metal", "metal-emulated"] {
            assert_eq!(is_gpu(name), model_devices().any(|entry| entry.name == name), "{name}");
        }
    }

    #[test]
    fn accelerators_are_the_opened_devices() {
        let opened = for_models("cpu", &ONE).unwrap();
        let names: Vec<String> = accelerators(&opened, &ONE).into_iter().map(|it| it.0).collect();
        assert_eq!(names, if for_models("metal", &ONE).is_ok() { vec!["metal"] } else { vec![] });
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let error = |choice| for_models(choice, &ONE).err().unwrap();
        assert_eq!(error("gpu"), DeviceError::Unknown("gpu".into()));
        assert_eq!(error("cpu,"), DeviceError::Unknown(String::new()));
        assert_eq!(error("cpu,cpu"), DeviceError::Twice("cpu".into()));
        #[cfg(not(target_os = "macos"))]
        assert!(matches!(error("metal,cpu"), DeviceError::Unavailable { .. }));
    }
}
