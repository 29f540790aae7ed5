//! The emulated Metal device, for development: it runs Metal programs on this machine's CPU and checks what they do.

use std::sync::Arc;
use trident_apple::metal::{Family, Metal};
use trident_emulator::{Check, Emulator, EmulatorOptions};
#[cfg(feature = "models")]
use trident_runtime::Device;
use trident_runtime::DeviceInfo;

use crate::{DeviceError, EMULATED, EMULATED_M5, ForKernels, Settings, gpu};

/// The chip whose figures the emulated device has: what is compiled for it differs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chip {
    M1,
    /// The first with units for tensor operations.
    M5,
}

/// The emulator, which runs Metal programs checked or not.
fn emulator(
    settings: &Settings,
    chip: Chip,
    check: Option<Check>,
) -> Result<Arc<Emulator>, DeviceError> {
    let mut options = EmulatorOptions { check, ..EmulatorOptions::default() };
    if chip == Chip::M5 {
        options.limits.family = Family::Apple10;
    }
    if settings.threads > 0 {
        options.workers = settings.threads;
    }
    Ok(Arc::new(Emulator::new(options)?))
}

fn info(name: &str, settings: &Settings, metal: &dyn Metal) -> DeviceInfo {
    let description = format!("{}, on the CPU, for development", metal.limits().name);
    gpu::info(name, description, settings, metal)
}

pub(crate) fn kernels(settings: &Settings, chip: Chip) -> Result<ForKernels, DeviceError> {
    let plain = emulator(settings, chip, None)?;
    let checked = emulator(settings, chip, Some(Check::default()))?;
    let name = if chip == Chip::M5 { EMULATED_M5 } else { EMULATED };
    Ok(gpu::kernels(info(name, settings, &*plain), plain, Some(checked)))
}

#[cfg(feature = "models")]
pub(crate) fn model(settings: &Settings) -> Result<Arc<dyn Device>, DeviceError> {
    let metal = emulator(settings, Chip::M1, None)?;
    Ok(gpu::model(info(EMULATED, settings, &*metal), metal))
}
