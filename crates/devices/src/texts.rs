//! Kernels as Metal programs, shown on machines that need not have a GPU.

use trident_apple::device::GpuFigures;
#[cfg(target_os = "macos")]
use trident_apple::framework;
#[cfg(target_os = "macos")]
use trident_apple::metal::Metal;

use crate::DeviceError;

pub use trident_apple::device::{LISTINGS as METAL_TEXTS, Translation as MetalTexts};

/// The chips that kernels can be shown for.
pub const CHIPS: [&str; 5] = GpuFigures::CHIPS;

/// The figures of this machine's GPU, if it has one for Metal.
#[cfg(target_os = "macos")]
fn here() -> Option<GpuFigures> {
    let gpu = framework::Gpu::open().ok()?;
    Some(trident_apple::device::figures(gpu.limits()))
}

#[cfg(not(target_os = "macos"))]
fn here() -> Option<GpuFigures> {
    None
}

/// Whether this machine has a GPU for Metal.
pub fn has_metal() -> bool {
    here().is_some()
}

/// The figures of a chip by its name, one of [`CHIPS`] in any case. Without a name, the figures of this machine's GPU, or of an M1
/// where there is none.
///
/// # Errors
/// [`DeviceError::UnknownChip`].
pub fn chip(name: Option<&str>) -> Result<GpuFigures, DeviceError> {
    let found = match name {
        Some(name) => CHIPS.iter().find(|chip| chip.eq_ignore_ascii_case(name)).copied(),
        None => match here() {
            Some(figures) => return Ok(figures),
            None => CHIPS.first().copied(),
        },
    };
    let unknown = || DeviceError::UnknownChip(name.unwrap_or_default().to_owned());
    found.and_then(GpuFigures::chip).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    #[test]
    fn chips_have_figures_of_their_own() {
        for name in CHIPS {
            assert_eq!(chip(Some(&name.to_uppercase())).unwrap(), GpuFigures::chip(name).unwrap());
            assert_eq!(chip(Some(name)).unwrap().tensors, name == "m5");
        }
        assert!(chip(Some("m1")).unwrap() != chip(Some("m2")).unwrap());
        if !has_metal() {
            assert_eq!(chip(None), chip(Some("m1")));
        }
        for wrong in ["m6", "", "apple m1", "m", "apple"] {
            let error = chip(Some(wrong)).unwrap_err();
            assert_eq!(error, DeviceError::UnknownChip(wrong.to_owned()));
            assert!(error.to_string().ends_with("the chips are m1, m2, m3, m4, m5"), "{error}");
        }
    }
}
