//! How a device offers its abilities: it compiles kernels, runs models, or does both.

use crate::{Device, DeviceInfo, KernelCompiler, SharedGpu};
use std::fmt;
use std::sync::Arc;

/// Settings of devices.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceSettings {
    /// Threads of the CPU; 0 means one for each core.
    pub threads: usize,
}

/// A compiler of kernels, for a device.
#[derive(Clone)]
pub struct ForKernels {
    /// Facts about the device.
    pub info: DeviceInfo,
    /// The compiler.
    pub compiler: Arc<dyn KernelCompiler>,
    /// Limits of a kernel's program on a GPU.
    pub gpu: Option<GpuLimits>,
}

/// A GPU's limits for a program, which is a threadgroup, and its interface to the process that launches it.
#[derive(Clone, Debug)]
pub struct GpuLimits {
    /// The generation: `apple7`.
    pub family: String,
    /// Cores, each of which runs programs.
    pub cores: u32,
    /// Threads of a simdgroup.
    pub simd_width: u32,
    /// Most threads of a program.
    pub threads: u32,
    /// Bytes of threadgroup memory of a program.
    pub threadgroup_bytes: u32,
    /// The state that all its launches share.
    pub host: Arc<dyn SharedGpu>,
}

/// Makes a device's compiler of kernels.
pub type OpenKernels = fn(&DeviceSettings) -> Result<ForKernels, DeviceError>;

/// Makes the device of an entry, as one of a choice.
pub type OpenModels = fn(&ModelChoice) -> Result<Arc<dyn Device>, DeviceError>;

/// A choice of devices while they are made.
pub struct ModelChoice {
    /// The number of its devices.
    pub devices: usize,
    /// One CPU device for all devices that wrap it, so that they share its threads.
    pub cpu: Arc<dyn Device>,
    /// Settings of the devices.
    pub settings: DeviceSettings,
}

/// A device by its name, with the abilities that it has. The table of `trident-devices` lists them.
pub trait DeviceEntry: Sync {
    /// The name, as in `--device`.
    fn name(&self) -> &'static str;

    /// Whether it is for tests only, and therefore not listed among a machine's devices.
    fn is_for_tests(&self) -> bool {
        false
    }

    /// Whether it is a GPU, or stands for one.
    fn is_gpu(&self) -> bool {
        false
    }

    /// The ability to compile kernels.
    fn kernels(&self) -> Option<OpenKernels> {
        None
    }

    /// The ability to run models.
    fn models(&self) -> Option<OpenModels> {
        None
    }
}

/// An ability that a device has or lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// It runs models.
    Models,
    /// It compiles kernels.
    Kernels,
}

impl fmt::Display for Ability {
    /// Names the ability of a device that lacks it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ability::Models => "runs no models",
            Ability::Kernels => "compiles no kernels",
        })
    }
}

/// A choice of devices that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A name that no device has.
    #[error("there is no device `{0}`")]
    Unknown(String),
    /// A name given twice.
    #[error("device `{0}` is named twice")]
    Twice(String),
    /// A device without the ability that is asked for.
    #[error("the device `{device}` {ability}; devices that do: {able}")]
    Lacks {
        /// The device.
        device: &'static str,
        /// The ability that it lacks.
        ability: Ability,
        /// The names of the devices that have it.
        able: String,
    },
    /// A device that is not there, or lacks something.
    #[error("{reason}")]
    Unavailable {
        /// The device, and what is missing.
        reason: String,
        /// A hint on what to do.
        hint: Option<String>,
    },
    /// A chip whose figures are not known.
    #[error("there is no chip `{name}`; the chips are {known}")]
    UnknownChip {
        /// The name given.
        name: String,
        /// The names of all chips.
        known: String,
    },
    /// Kernels run on one device.
    #[error("a kernel runs on one device, and `{0}` names several; name one")]
    Several(String),
}

impl DeviceError {
    /// The error that a device is not available, with the reason and a hint on what to do.
    pub fn unavailable(device: &str, reason: &str, hint: &str) -> DeviceError {
        let reason = format!("the device `{device}` is not available: {reason}");
        DeviceError::Unavailable { reason, hint: Some(hint.to_owned()) }
    }
}
