//! The emulated Metal device, for development: it runs Metal programs on this machine's CPU and checks what they do.

use std::sync::Arc;
use trident_apple::metal::{Family, Metal};
use trident_emulator::{Check, Emulator, EmulatorOptions};
#[cfg(feature = "models")]
use trident_runtime::Device;
use trident_runtime::DeviceInfo;

#[cfg(feature = "models")]
use crate::OpenModels;
use crate::{
    DeviceEntry, DeviceError, DeviceSettings, EMULATED, EMULATED_M5, ForKernels, OpenKernels, gpu,
};

/// The chip whose figures the emulated device has: what is compiled for it differs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chip {
    M1,
    /// The first with units for tensor operations.
    M5,
}

/// The emulator as a GPU of this chip.
pub(crate) struct EmulatedGpu(pub(crate) Chip);

impl DeviceEntry for EmulatedGpu {
    fn name(&self) -> &'static str {
        match self.0 {
            Chip::M1 => EMULATED,
            Chip::M5 => EMULATED_M5,
        }
    }

    fn is_for_tests(&self) -> bool {
        true
    }

    fn is_gpu(&self) -> bool {
        true
    }

    fn kernels(&self) -> Option<OpenKernels> {
        Some(match self.0 {
            Chip::M1 => |settings| kernels(settings, &EmulatedGpu(Chip::M1)),
            Chip::M5 => |settings| kernels(settings, &EmulatedGpu(Chip::M5)),
        })
    }

    #[cfg(feature = "models")]
    fn models(&self) -> Option<OpenModels> {
        match self.0 {
            Chip::M1 => Some(|choice| model(&choice.settings)),
            Chip::M5 => None,
        }
    }
}

/// The emulator, which runs Metal programs checked or not.
fn emulator(
    settings: &DeviceSettings,
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

fn info(name: &str, settings: &DeviceSettings, metal: &dyn Metal) -> DeviceInfo {
    let description = format!("{}, on the CPU, for development", metal.limits().name);
    gpu::info(name, description, settings, metal)
}

fn kernels(settings: &DeviceSettings, gpu: &EmulatedGpu) -> Result<ForKernels, DeviceError> {
    let plain = emulator(settings, gpu.0, None)?;
    let checked = emulator(settings, gpu.0, Some(Check::default()))?;
    Ok(gpu::kernels(info(gpu.name(), settings, &*plain), plain, Some(checked)))
}

#[cfg(feature = "models")]
fn model(settings: &DeviceSettings) -> Result<Arc<dyn Device>, DeviceError> {
    let metal = emulator(settings, Chip::M1, None)?;
    Ok(gpu::model(info(EMULATED, settings, &*metal), metal))
}
