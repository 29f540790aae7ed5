//! Kernels as Metal programs, shown on machines that need not have a GPU.

use trident_apple::device::{GpuFigures, LISTINGS, Translation};
#[cfg(target_os = "macos")]
use trident_apple::framework;
#[cfg(target_os = "macos")]
use trident_apple::metal::Metal;
use trident_ir::Module;
use trident_runtime::{CompileError, Listing};

use crate::DeviceError;

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

/// The chip that kernels are shown for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetalChip(GpuFigures);

impl MetalChip {
    /// The names of all chips.
    pub const NAMES: [&str; 5] = GpuFigures::CHIPS;

    /// The texts of a kernel.
    pub const LISTINGS: &[Listing] = LISTINGS;

    /// The chip of this name, in any case. Without a name, this machine's GPU, or an M1 where there is none.
    ///
    /// # Errors
    /// [`DeviceError::UnknownChip`].
    pub fn named(name: Option<&str>) -> Result<MetalChip, DeviceError> {
        let names = MetalChip::NAMES;
        let found = match name {
            Some(name) => names.iter().find(|chip| chip.eq_ignore_ascii_case(name)).copied(),
            None => match here() {
                Some(figures) => return Ok(MetalChip(figures)),
                None => names.first().copied(),
            },
        };
        let unknown = || DeviceError::UnknownChip {
            name: name.unwrap_or_default().to_owned(),
            known: names.join(", "),
        };
        found.and_then(GpuFigures::chip).map(MetalChip).ok_or_else(unknown)
    }

    /// Translates the entry function of a module of level tile.
    ///
    /// # Errors
    /// The same errors as a GPU's compiler of kernels.
    pub fn translate(&self, module: &Module) -> Result<MetalTexts, CompileError> {
        Translation::of(module, &self.0).map(MetalTexts)
    }
}

/// A kernel as a Metal program, and the texts on the way to it.
#[derive(Debug)]
pub struct MetalTexts(Translation);

impl MetalTexts {
    /// The text of this name, one of [`MetalChip::LISTINGS`].
    pub fn listing(&self, name: &str) -> Option<&str> {
        self.0.listing(name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // what fails there fails the test
    use super::*;

    #[test]
    fn chips_have_figures_of_their_own() {
        let chip = MetalChip::named;
        for name in MetalChip::NAMES {
            assert_eq!(
                chip(Some(&name.to_uppercase())).unwrap().0,
                GpuFigures::chip(name).unwrap()
            );
            assert_eq!(chip(Some(name)).unwrap().0.tensors, name == "m5");
        }
        assert!(chip(Some("m1")).unwrap() != chip(Some("m2")).unwrap());
        if !has_metal() {
            assert_eq!(chip(None), chip(Some("m1")));
        }
        for wrong in ["m6", "", "apple m1", "m", "apple"] {
            let error = chip(Some(wrong)).unwrap_err();
            let is_named = matches!(&error, DeviceError::UnknownChip { name, .. } if name == wrong);
            assert!(
                is_named && error.to_string().ends_with("the chips are m1, m2, m3, m4, m5"),
                "{error}"
            );
        }
    }
}
