//! The devices that models run on.

use super::failure::{Failure, FailureKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trident_devices::{DeviceSettings, ForModels};
use trident_engine::{CancelFlag, Options};
use trident_runtime::PoolSettings;

/// Devices to run on, and their options.
pub(super) fn open(choice: Option<&str>, threads: usize) -> Result<ForModels, Failure> {
    // Devices that were used before keep their settings.
    let settings = PoolSettings::from_environment();
    settings.map_err(|e| Failure::new(FailureKind::Device, e.to_string()))?.install();
    let settings = DeviceSettings { threads };
    Ok(trident_devices::open(choice, &settings)?.models()?)
}

/// The options of a session on opened devices, whose preparation `cancel` ends.
pub(super) fn options(opened: &ForModels, memory_limit: usize, cancel: CancelFlag) -> Options {
    let (folder, cancel) = (Some(opened.folder.clone()), Some(cancel));
    Options { memory_limit, folder, cancel, ..Options::default() }
}

/// Facts about each device of this machine that runs models.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entries = trident_devices::model_devices().filter(|entry| !entry.is_for_tests());
    let mut found = Vec::new();
    for entry in entries {
        // A device that this machine lacks is not listed.
        let Ok(opened) = open(Some(entry.name()), 0) else { continue };
        for device in opened.devices {
            let info = device.info();
            let facts = PyDict::new(py);
            facts.set_item("name", &info.name)?;
            facts.set_item("description", &info.description)?;
            facts.set_item("threads", info.threads)?;
            facts.set_item("features", &info.features)?;
            found.push(facts);
        }
    }
    Ok(found)
}
