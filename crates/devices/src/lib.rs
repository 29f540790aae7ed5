//! The available devices, by name. The command line, the Python package and servers share this list.
//!
//! The table `DEVICES` lists them. Each is a [`DeviceEntry`] with two abilities, of which it may lack one: it compiles kernels,
//! and it runs models. [`open()`] finds the devices of a choice, and what it gives makes one ability of theirs. Programs that only
//! launch kernels, as the Python package does, leave the feature `models` out and build no ops of models. Apple's GPUs are
//! linked on macOS, for the emulator, and for the feature `texts`.

mod cpu;
#[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
mod emulated;
mod error;
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

pub use error::{Ability, DeviceError};

#[cfg(feature = "models")]
pub use models::{
    ACCELERATORS, ForModels, ModelChoice, OpenModels, accelerators, is_gpu, model_devices,
};

#[cfg(feature = "texts")]
pub use texts::{MetalChip, MetalTexts, has_metal};

use std::sync::Arc;
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
pub type OpenKernels = fn(&Settings) -> Result<ForKernels, DeviceError>;

/// A device of the table: its name and its abilities.
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
    #[cfg(feature = "models")]
    fn models(&self) -> Option<models::OpenModels> {
        None
    }
}

/// The devices there are.
const DEVICES: &[&dyn DeviceEntry] = &[
    &cpu::Cpu,
    #[cfg(feature = "models")]
    &cpu::QueuedCpu,
    #[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
    &emulated::EmulatedGpu(emulated::Chip::M1),
    #[cfg(all(feature = "emulator", target_os = "linux", target_arch = "x86_64"))]
    &emulated::EmulatedGpu(emulated::Chip::M5),
    #[cfg(target_os = "macos")]
    &metal::MacGpu,
];

/// The devices of a choice. Neither ability of theirs is made yet.
pub struct OpenedDevices {
    /// As it was written.
    choice: String,
    /// Those of the choice, in its order; none where no device is named.
    entries: Vec<&'static dyn DeviceEntry>,
    settings: Settings,
}

/// The devices of a choice such as `cpu` or `queued,cpu`, or those of the machine where none is named.
///
/// # Errors
/// If a name is unknown, is given twice, or is that of a device which another system or build has.
pub fn open(choice: Option<&str>, settings: &Settings) -> Result<OpenedDevices, DeviceError> {
    let names = choice.map(names).unwrap_or_default();
    let entry = |(i, name): (usize, &&str)| match names[..i].contains(name) {
        true => Err(DeviceError::Twice((*name).to_owned())),
        false => find(name),
    };
    let entries = names.iter().enumerate().map(entry).collect::<Result<_, _>>()?;
    Ok(OpenedDevices {
        choice: choice.unwrap_or_default().to_owned(),
        entries,
        settings: *settings,
    })
}

impl OpenedDevices {
    /// The compiler of kernels. Where no device is named it is that of the GPU on a Mac, elsewhere that of the CPU.
    ///
    /// # Errors
    /// If there are several devices, or the device compiles no kernels or is not available.
    pub fn kernels(&self) -> Result<ForKernels, DeviceError> {
        let open = |entry: &'static dyn DeviceEntry| {
            let open = entry.kernels().ok_or_else(|| lacks(entry, Ability::Kernels))?;
            open(&self.settings)
        };
        match self.entries[..] {
            [] => match find(METAL).and_then(open) {
                Err(DeviceError::Unavailable { .. }) => find(CPU).and_then(open),
                opened => opened,
            },
            [entry] => open(entry),
            _ => Err(DeviceError::Several(self.choice.clone())),
        }
    }
}

/// The names in a choice.
pub fn names(choice: &str) -> Vec<&str> {
    choice.split(',').map(str::trim).collect()
}

/// The entry of this name.
fn find(name: &str) -> Result<&'static dyn DeviceEntry, DeviceError> {
    let found = DEVICES.iter().copied().find(|entry| entry.name() == name);
    found.ok_or_else(|| absent(name).unwrap_or_else(|| DeviceError::Unknown(name.to_owned())))
}

/// The error that a device lacks an ability.
fn lacks(entry: &dyn DeviceEntry, ability: Ability) -> DeviceError {
    let has = |entry: &dyn DeviceEntry| match ability {
        Ability::Kernels => entry.kernels().is_some(),
        #[cfg(feature = "models")]
        Ability::Models => entry.models().is_some(),
        #[cfg(not(feature = "models"))]
        Ability::Models => false,
    };
    let able = DEVICES.iter().filter(|entry| has(**entry)).map(|entry| entry.name());
    DeviceError::Lacks { device: entry.name(), ability, able: able.collect::<Vec<_>>().join(", ") }
}

/// Whether the device of this name is a GPU in emulation, whether or not this build has it.
pub fn is_emulated(name: &str) -> bool {
    [EMULATED, EMULATED_M5].contains(&name)
}

/// The reason why a known device is not available here; `None` for unknown names.
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

    fn kernels(choice: Option<&str>) -> Result<ForKernels, DeviceError> {
        open(choice, &ONE)?.kernels()
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let error = |choice| kernels(Some(choice)).err().unwrap();
        assert_eq!(error("gpu"), DeviceError::Unknown("gpu".into()));
        assert!(kernels(Some("cpu")).is_ok());
    }

    #[test]
    #[cfg(feature = "models")]
    fn the_ability_that_a_device_lacks_is_named() {
        let error = |choice| kernels(Some(choice)).err().unwrap();
        let said = error("queued").to_string();
        assert!(
            said.starts_with("the device `queued` compiles no kernels; devices that do: cpu"),
            "{said}"
        );
        assert_eq!(error("cpu,queued"), DeviceError::Several("cpu,queued".into()));
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn a_machine_without_metal_says_so_and_takes_its_cpu() {
        let said = kernels(Some("metal")).err().unwrap().to_string();
        assert!(said.contains("`metal` is not available: it needs macOS"), "{said}");
        assert_eq!(kernels(None).unwrap().info.name, "cpu");
    }

    #[test]
    fn each_device_has_an_ability() {
        for entry in DEVICES {
            #[cfg(feature = "models")]
            let runs_models = entry.models().is_some();
            #[cfg(not(feature = "models"))]
            let runs_models = false;
            assert!(entry.kernels().is_some() || runs_models, "{}", entry.name());
        }
    }
}
