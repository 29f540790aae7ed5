//! The common part of the GPU of a Mac and the emulated one.

use std::sync::Arc;
use trident_apple::device::GpuCompiler;
#[cfg(feature = "models")]
use trident_apple::device::GpuDevice;
use trident_apple::metal::Metal;
#[cfg(feature = "models")]
use trident_runtime::Device;
use trident_runtime::DeviceInfo;

use crate::{DeviceSettings, ForKernels, GpuLimits};

/// Facts about a device.
pub(crate) fn info(
    name: &str,
    description: String,
    settings: &DeviceSettings,
    metal: &dyn Metal,
) -> DeviceInfo {
    DeviceInfo {
        name: name.to_owned(),
        description,
        threads: settings.threads,
        features: vec![format!("{:?}", metal.limits().family)],
    }
}

/// The compiler of kernels; kernels that check their accesses run on `checked`.
pub(crate) fn kernels(
    info: DeviceInfo,
    plain: Arc<dyn Metal>,
    checked: Option<Arc<dyn Metal>>,
) -> ForKernels {
    let compiler = GpuCompiler::new(Arc::clone(&plain), checked);
    let limits = plain.limits();
    let host = Arc::clone(compiler.host());
    let gpu = GpuLimits {
        family: format!("{:?}", limits.family).to_lowercase(),
        cores: limits.cores,
        simd_width: limits.simd_width,
        threads: limits.max_threads_per_threadgroup,
        threadgroup_bytes: limits.max_threadgroup_bytes,
        host,
    };
    ForKernels { info, compiler: Arc::new(compiler), gpu: Some(gpu) }
}

/// The device for models.
#[cfg(feature = "models")]
pub(crate) fn model(info: DeviceInfo, metal: Arc<dyn Metal>) -> Arc<dyn Device> {
    Arc::new(GpuDevice::new(info, metal))
}
