//! The devices that programs can be run on, by name: what the command line, the Python package and servers share.
//!
//! A device is an entry of a table: `DEVICES` for those that run models, `COMPILERS` for those that compile kernels. What only
//! launches kernels, as the Python package does, leaves the feature `models` out and builds no ops of models.

#[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
mod emulated;
#[cfg(any(
    target_os = "macos",
    all(feature = "emulator", target_os = "linux", target_arch = "x86_64")
))]
mod gpu;
#[cfg(target_os = "macos")]
mod metal;
#[cfg(feature = "models")]
mod models;
mod texts;

#[cfg(feature = "models")]
pub use models::{
    ACCELERATORS, DEVICES, Entry, ForModels, accelerators, for_models, for_models_by_default,
    is_gpu, names,
};

pub use texts::{CHIPS, METAL_TEXTS, MetalTexts, chip, has_metal};
pub use trident_apple::device::{GpuHost, Held, Mark, Reached};
pub use trident_apple::metal::Buffer;

#[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
use emulated::Chip;
use std::sync::Arc;
use trident_apple::metal::MetalError;
use trident_jit::Compiler;
use trident_runtime::{DeviceInfo, KernelCompiler};

/// Names of devices.
const CPU: &str = "cpu";
/// The GPU of a Mac.
pub const METAL: &str = "metal";
const EMULATED: &str = "metal-emulated";
const EMULATED_M5: &str = "metal-emulated-m5";

/// Settings of devices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Threads of the CPU; 0 means one for each core.
    pub threads: usize,
}

/// Most threads that may be asked for: far more than any machine has, far fewer than a system refuses.
pub const MAX_THREADS: usize = 1024;

/// A choice of devices that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A name that no device has.
    #[error("there is no device `{0}`")]
    Unknown(String),
    /// A name given twice.
    #[error("device `{0}` is named twice")]
    Twice(String),
    /// No device, or one that runs models only.
    #[error("there is no device `{0}` that compiles kernels")]
    NoCompiler(String),
    /// A device that is not there, or lacks something.
    #[error("{reason}")]
    Unavailable {
        /// The device, and what is missing.
        reason: String,
        /// A hint on what to do.
        hint: Option<String>,
    },
    /// A chip whose figures are not known.
    #[error("there is no chip `{0}`; the chips are {known}", known = CHIPS.join(", "))]
    UnknownChip(String),
    /// Kernels run on one device.
    #[error("kernels run on one device, and `{0}` names several")]
    Several(String),
}

impl DeviceError {
    fn unavailable(device: &str, reason: &str, hint: &str) -> DeviceError {
        let reason = format!("the device `{device}` is not available: {reason}");
        DeviceError::Unavailable { reason, hint: Some(hint.to_owned()) }
    }
}

impl From<MetalError> for DeviceError {
    fn from(error: MetalError) -> DeviceError {
        match error {
            MetalError::Unavailable { device, reason, hint } => {
                DeviceError::unavailable(device, &reason, &hint)
            }
            other => DeviceError::Unavailable { reason: other.to_string(), hint: None },
        }
    }
}

/// A compiler of kernels, for a device.
#[derive(Clone)]
pub struct ForKernels {
    /// Facts about the device.
    pub info: DeviceInfo,
    /// The compiler.
    pub compiler: Arc<dyn KernelCompiler>,
    /// Limits of a kernel's program on a GPU.
    pub gpu: Option<Gpu>,
}

/// A GPU's limits for a program, which is a threadgroup, and its interface to the process that launches it.
#[derive(Clone, Debug)]
pub struct Gpu {
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
    pub host: Arc<GpuHost>,
}

/// A device that compiles kernels.
struct KernelEntry {
    name: &'static str,
    open: fn(&Settings) -> Result<ForKernels, DeviceError>,
}

/// The devices that compile kernels.
const COMPILERS: &[KernelEntry] = &[
    KernelEntry { name: CPU, open: cpu_kernels },
    #[cfg(target_os = "macos")]
    KernelEntry { name: METAL, open: metal::kernels },
    #[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
    KernelEntry { name: EMULATED, open: |settings| emulated::kernels(settings, Chip::M1) },
    #[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
    KernelEntry { name: EMULATED_M5, open: |settings| emulated::kernels(settings, Chip::M5) },
];

fn cpu_kernels(settings: &Settings) -> Result<ForKernels, DeviceError> {
    let compiler = Compiler::for_machine(settings.threads);
    Ok(ForKernels { info: compiler.info(), compiler: Arc::new(compiler), gpu: None })
}

/// The compiler of kernels for the device of this name.
pub fn for_kernels(name: &str, settings: &Settings) -> Result<ForKernels, DeviceError> {
    if name.contains(',') {
        return Err(DeviceError::Several(name.to_owned()));
    }
    let entry = COMPILERS.iter().find(|entry| entry.name == name);
    let missing = || absent(name).unwrap_or_else(|| DeviceError::NoCompiler(name.to_owned()));
    (entry.ok_or_else(missing)?.open)(settings)
}

/// The compiler of kernels where no device is named: that of the GPU on a Mac, elsewhere that of the CPU.
pub fn for_kernels_by_default(settings: &Settings) -> Result<ForKernels, DeviceError> {
    match for_kernels(METAL, settings) {
        Err(DeviceError::Unavailable { .. }) => for_kernels(CPU, settings),
        opened => opened,
    }
}

/// Whether the device of this name is a GPU in emulation, whether or not this build has it.
pub fn is_emulated(name: &str) -> bool {
    [EMULATED, EMULATED_M5].contains(&name)
}

/// Why there is no device of this name here, if there is one elsewhere.
fn absent(name: &str) -> Option<DeviceError> {
    let (reason, hint) = match name {
        METAL => ("it needs macOS and a GPU of Apple silicon", "choose `cpu`"),
        name if is_emulated(name) => (
            "this build of Trident does not have it",
            "it is for development, on 64-bit x86 Linux: build with the feature `emulator`",
        ),
        _ => return None,
    };
    Some(DeviceError::unavailable(name, reason, hint))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    const ONE: Settings = Settings { threads: 1 };

    #[test]
    fn what_cannot_be_opened_is_named() {
        let error = |choice| for_kernels(choice, &ONE).err().unwrap();
        assert_eq!(error("queued"), DeviceError::NoCompiler("queued".into()));
        assert_eq!(error("cpu,queued"), DeviceError::Several("cpu,queued".into()));
        assert!(for_kernels("cpu", &ONE).is_ok());
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn a_machine_without_metal_says_so_and_takes_its_cpu() {
        let said = for_kernels("metal", &ONE).err().unwrap().to_string();
        assert!(said.contains("`metal` is not available: it needs macOS"), "{said}");
        assert_eq!(for_kernels_by_default(&ONE).unwrap().info.name, "cpu");
    }
}
