//! The devices that programs can be run on, by name: what the command line, the Python package and servers share.
//!
//! A device is an entry of the table `DEVICES`, with two optional abilities: it compiles kernels, and it runs models. What only
//! launches kernels, as the Python package does, leaves the feature `models` out and builds no ops of models. Apple's GPUs are
//! linked on macOS, for the emulator, and for the feature `texts`.

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
#[cfg(feature = "texts")]
mod texts;

#[cfg(feature = "models")]
pub use models::{
    ACCELERATORS, ForModels, accelerators, for_models, for_models_by_default, is_gpu,
    model_devices, names,
};

#[cfg(feature = "texts")]
pub use texts::{MetalChip, MetalTexts, has_metal};

#[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
use emulated::Chip;
use std::sync::Arc;
use trident_jit::Compiler;
use trident_runtime::{DeviceInfo, KernelCompiler, SharedGpu};

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
    /// A device that compiles kernels only.
    #[error("the device `{0}` runs no models, only kernels")]
    NoModels(String),
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
    #[error("kernels run on one device, and `{0}` names several")]
    Several(String),
}

impl DeviceError {
    fn unavailable(device: &str, reason: &str, hint: &str) -> DeviceError {
        let reason = format!("the device `{device}` is not available: {reason}");
        DeviceError::Unavailable { reason, hint: Some(hint.to_owned()) }
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

/// Opens a compiler of kernels.
type OpenKernels = fn(&Settings) -> Result<ForKernels, DeviceError>;

/// A device of the table: its name and its abilities.
pub struct DeviceEntry {
    /// As in `--device`.
    pub name: &'static str,
    /// Whether it is for tests only, and so left out of lists of what a machine offers.
    pub for_tests: bool,
    /// Whether it is a GPU, or stands for one.
    pub is_gpu: bool,
    /// Makes its compiler of kernels.
    kernels: Option<OpenKernels>,
    /// Makes the device that runs models, as part of a choice.
    #[cfg(feature = "models")]
    models: Option<models::Make>,
}

/// The devices there are.
const DEVICES: &[DeviceEntry] = &[
    DeviceEntry {
        name: CPU,
        for_tests: false,
        is_gpu: false,
        kernels: Some(cpu_kernels),
        #[cfg(feature = "models")]
        models: Some(models::cpu),
    },
    #[cfg(feature = "models")]
    DeviceEntry {
        name: "queued",
        for_tests: true,
        is_gpu: false,
        kernels: None,
        models: Some(models::queued),
    },
    #[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
    DeviceEntry {
        name: EMULATED,
        for_tests: true,
        is_gpu: true,
        kernels: Some(|settings| emulated::kernels(settings, Chip::M1)),
        #[cfg(feature = "models")]
        models: Some(|_, settings| emulated::model(settings)),
    },
    #[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
    DeviceEntry {
        name: EMULATED_M5,
        for_tests: true,
        is_gpu: true,
        kernels: Some(|settings| emulated::kernels(settings, Chip::M5)),
        #[cfg(feature = "models")]
        models: None,
    },
    #[cfg(target_os = "macos")]
    DeviceEntry {
        name: METAL,
        for_tests: false,
        is_gpu: true,
        kernels: Some(metal::kernels),
        #[cfg(feature = "models")]
        models: Some(|_, settings| metal::model(settings)),
    },
];

/// The entry of this name.
fn find(name: &str) -> Result<&'static DeviceEntry, DeviceError> {
    let found = DEVICES.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| absent(name).unwrap_or_else(|| DeviceError::Unknown(name.to_owned())))
}

fn cpu_kernels(settings: &Settings) -> Result<ForKernels, DeviceError> {
    let compiler = Compiler::for_machine(settings.threads);
    Ok(ForKernels { info: compiler.info(), compiler: Arc::new(compiler), gpu: None })
}

/// The compiler of kernels for the device of this name.
pub fn for_kernels(name: &str, settings: &Settings) -> Result<ForKernels, DeviceError> {
    if name.contains(',') {
        return Err(DeviceError::Several(name.to_owned()));
    }
    let none = || DeviceError::NoCompiler(name.to_owned());
    let entry = match find(name) {
        Err(DeviceError::Unknown(_)) => return Err(none()),
        found => found?,
    };
    (entry.kernels.ok_or_else(none)?)(settings)
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
