//! The available devices, by name. The command line, the Python package and servers share this list.
//!
//! The table `DEVICES` lists them. A [`DeviceEntry`] has two abilities, and may lack one of them: it compiles kernels, and it
//! runs models. [`open()`] finds the devices of a choice; [`OpenedDevices`] makes one of the abilities. Programs that only
//! launch kernels, such as a Python package without models, leave the feature `models` out and build no ops of models. Apple's
//! GPUs are linked on macOS, for the emulator, and for the feature `texts`, which the program `trident` has.

mod cpu;
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

pub use trident_runtime::{
    Ability, DeviceEntry, DeviceError, DeviceSettings, ForKernels, GpuLimits, ModelChoice,
    OpenKernels, OpenModels,
};

#[cfg(feature = "models")]
pub use models::{ACCELERATORS, ForModels, accelerators, is_gpu, model_devices};

#[cfg(feature = "texts")]
pub use texts::{MetalChip, MetalTexts, has_metal};

/// Names of devices.
const CPU: &str = "cpu";
/// The GPU of a Mac.
pub const METAL: &str = "metal";
const EMULATED: &str = "metal-emulated";
const EMULATED_M5: &str = "metal-emulated-m5";

/// Most threads that may be asked for: far more than any machine has, far fewer than a system refuses.
pub const MAX_THREADS: usize = 1024;

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

/// The devices of a choice, found but not opened yet.
pub struct OpenedDevices {
    /// The choice as the user wrote it.
    choice: String,
    /// The entries of the devices, in the order of the choice; empty if no device was named.
    entries: Vec<&'static dyn DeviceEntry>,
    settings: DeviceSettings,
}

/// Finds the devices of a choice, such as `cpu` or `queued,cpu`. Without a choice, they are the machine's devices.
///
/// # Errors
/// If a name is unknown, is given twice, or is that of a device which another system or build has.
pub fn open(choice: Option<&str>, settings: &DeviceSettings) -> Result<OpenedDevices, DeviceError> {
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
        Ability::Models => entry.models().is_some(),
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

    const ONE: DeviceSettings = DeviceSettings { threads: 1 };

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
            assert!(entry.kernels().is_some() || entry.models().is_some(), "{}", entry.name());
        }
    }
}
