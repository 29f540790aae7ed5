//! The GPU of a Mac.

use std::sync::Arc;
use trident_apple::framework;
use trident_apple::metal::Metal;
#[cfg(feature = "models")]
use trident_runtime::Device;
use trident_runtime::DeviceInfo;

#[cfg(feature = "models")]
use crate::OpenModels;
use crate::{DeviceEntry, DeviceError, DeviceSettings, ForKernels, METAL, OpenKernels, gpu};

/// The GPU of a Mac.
pub(crate) struct MacGpu;

impl DeviceEntry for MacGpu {
    fn name(&self) -> &'static str {
        METAL
    }

    fn is_gpu(&self) -> bool {
        true
    }

    fn kernels(&self) -> Option<OpenKernels> {
        Some(kernels)
    }

    #[cfg(feature = "models")]
    fn models(&self) -> Option<OpenModels> {
        Some(|choice| model(&choice.settings))
    }
}

fn open(settings: &DeviceSettings) -> Result<(DeviceInfo, Arc<dyn Metal>), DeviceError> {
    let metal = Arc::new(framework::Gpu::open()?);
    let info = gpu::info(METAL, metal.limits().name.clone(), settings, &*metal);
    Ok((info, metal))
}

fn kernels(settings: &DeviceSettings) -> Result<ForKernels, DeviceError> {
    let (info, metal) = open(settings)?;
    Ok(gpu::kernels(info, metal, None))
}

#[cfg(feature = "models")]
fn model(settings: &DeviceSettings) -> Result<Arc<dyn Device>, DeviceError> {
    let (info, metal) = open(settings)?;
    Ok(gpu::model(info, metal))
}
