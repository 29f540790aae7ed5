//! The emulated Metal device, for development: it runs Metal programs on this machine's CPU and checks what they do.

use std::sync::Arc;
use trident_apple::metal::Metal;
use trident_emulator::{Check, Emulator, Options};
#[cfg(feature = "models")]
use trident_runtime::Device;
use trident_runtime::DeviceInfo;

use crate::{DeviceError, EMULATED, ForKernels, Settings, gpu};

/// The emulator, which runs Metal programs checked or not.
fn emulator(settings: &Settings, check: Option<Check>) -> Result<Arc<Emulator>, DeviceError> {
    let mut options = Options { check, ..Options::default() };
    if settings.threads > 0 {
        options.workers = settings.threads;
    }
    let made = Emulator::new(options).map_err(|e| DeviceError::Unavailable(e.to_string()))?;
    Ok(Arc::new(made))
}

fn info(settings: &Settings, metal: &dyn Metal) -> DeviceInfo {
    let description = format!("{}, on the CPU, for development", metal.limits().name);
    gpu::info(EMULATED, description, settings, metal)
}

pub(crate) fn kernels(settings: &Settings) -> Result<ForKernels, DeviceError> {
    let plain = emulator(settings, None)?;
    let checked = emulator(settings, Some(Check::default()))?;
    Ok(gpu::kernels(info(settings, &*plain), plain, Some(checked)))
}

#[cfg(feature = "models")]
pub(crate) fn model(settings: &Settings) -> Result<Arc<dyn Device>, DeviceError> {
    let metal = emulator(settings, None)?;
    Ok(gpu::model(info(settings, &*metal), metal))
}
