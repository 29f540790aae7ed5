//! The emulated Metal device, for development: it runs Metal programs on this machine's CPU and checks what they do.

use std::sync::Arc;
use trident_apple::device::GpuCompiler;
use trident_apple::metal::Metal;
use trident_emulator::{Check, Emulator, Options};
use trident_runtime::DeviceInfo;

use crate::{DeviceError, ForKernels, Gpu, Settings};

pub(crate) const NAME: &str = "metal-emulated";

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
    let limits = plain.limits();
    let info = DeviceInfo {
        name: NAME.to_owned(),
        description: format!("{}, on the CPU, for development", limits.name),
        threads: settings.threads,
        features: vec![format!("{:?}", limits.family)],
    };
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
