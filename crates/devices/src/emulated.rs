//! The emulated Metal device, for development: it runs Metal programs on this machine's CPU and checks what they do.

use std::sync::Arc;
use trident_apple::metal::Metal;
use trident_emulator::{Check, Emulator, Options};

use crate::{DeviceError, EMULATED, ForKernels, Settings, gpu};

pub(crate) fn kernels(settings: &Settings) -> Result<ForKernels, DeviceError> {
    let emulator = |check| {
        let mut options = Options { check, ..Options::default() };
        if settings.threads > 0 {
            options.workers = settings.threads;
        }
        let made = Emulator::new(options).map_err(|e| DeviceError::Unavailable(e.to_string()))?;
        Ok(Arc::new(made))
    };
    let (plain, checked) = (emulator(None)?, emulator(Some(Check::default()))?);
    let description = format!("{}, on the CPU, for development", plain.limits().name);
    let info = gpu::info(EMULATED, description, settings, &*plain);
    Ok(gpu::kernels(info, plain, Some(checked)))
}
