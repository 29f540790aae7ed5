//! The GPU of a Mac.

use std::sync::Arc;
use trident_apple::framework;
use trident_apple::metal::Metal;
#[cfg(feature = "models")]
use trident_runtime::Device;
use trident_runtime::DeviceInfo;

use crate::{DeviceError, ForKernels, METAL, Settings, gpu};

fn open(settings: &Settings) -> Result<(DeviceInfo, Arc<dyn Metal>), DeviceError> {
    let metal = Arc::new(framework::Gpu::open()?);
    let info = gpu::info(METAL, metal.limits().name.clone(), settings, &*metal);
    Ok((info, metal))
}

pub(crate) fn kernels(settings: &Settings) -> Result<ForKernels, DeviceError> {
    let (info, metal) = open(settings)?;
    Ok(gpu::kernels(info, metal, None))
}

#[cfg(feature = "models")]
pub(crate) fn model(settings: &Settings) -> Result<Arc<dyn Device>, DeviceError> {
    let (info, metal) = open(settings)?;
    Ok(gpu::model(info, metal))
}
