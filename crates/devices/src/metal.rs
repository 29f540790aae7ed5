//! The GPU of a Mac.

use std::sync::Arc;
use trident_apple::framework;
use trident_apple::metal::Metal;

use crate::{DeviceError, ForKernels, METAL, Settings, gpu};

pub(crate) fn kernels(settings: &Settings) -> Result<ForKernels, DeviceError> {
    let metal = framework::Gpu::open();
    let metal = Arc::new(metal.map_err(|error| DeviceError::Unavailable(error.to_string()))?);
    let info = gpu::info(METAL, metal.limits().name.clone(), settings, &*metal);
    Ok(gpu::kernels(info, metal, None))
}
