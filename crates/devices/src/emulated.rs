//! The emulated Metal device, for development: it runs Metal programs on this machine's CPU and checks what they do.

use std::sync::Arc;
use trident_apple::device::GpuCompiler;
#[cfg(feature = "models")]
use trident_apple::device::GpuDevice;
use trident_apple::metal::{Limits, Metal};
use trident_emulator::{Check, Emulator, Options};
#[cfg(feature = "models")]
use trident_runtime::Device;
use trident_runtime::DeviceInfo;

use crate::{DeviceError, ForKernels, Gpu, Settings};

pub(crate) const NAME: &str = "metal-emulated";

/// The emulator, which runs Metal programs checked or not.
fn emulator(settings: &Settings, check: Option<Check>) -> Result<Arc<Emulator>, DeviceError> {
    let mut options = Options { check, ..Options::default() };
    if settings.threads > 0 {
        options.workers = settings.threads;
    }
    let made = Emulator::new(options).map_err(|e| DeviceError::Unavailable(e.to_string()))?;
    Ok(Arc::new(made))
}

fn info(settings: &Settings, limits: &Limits) -> DeviceInfo {
    DeviceInfo {
        name: NAME.to_owned(),
        description: format!("{}, on the CPU, for development", limits.name),
        threads: settings.threads,
        features: vec![format!("{:?}", limits.family)],
    }
}

pub(crate) fn kernels(settings: &Settings) -> Result<ForKernels, DeviceError> {
    let plain = emulator(settings, None)?;
    let checked = emulator(settings, Some(Check::default()))?;
    let limits = plain.limits();
    let info = info(settings, limits);
    let gpu = Gpu {
        family: format!("{:?}", limits.family).to_lowercase(),
        cores: limits.cores,
        simd_width: limits.simd_width,
        threads: limits.max_threads_per_threadgroup,
        threadgroup_bytes: limits.max_threadgroup_bytes,
    };
    let compiler = Arc::new(GpuCompiler::new(plain, Some(checked)));
    Ok(ForKernels { info, compiler, gpu: Some(gpu) })
}

#[cfg(feature = "models")]
pub(crate) fn model(settings: &Settings) -> Result<Arc<dyn Device>, DeviceError> {
    let metal = emulator(settings, None)?;
    Ok(Arc::new(GpuDevice::new(info(settings, metal.limits()), metal)))
}
