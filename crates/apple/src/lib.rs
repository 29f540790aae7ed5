//! Apple GPUs: [`device`] compiles and launches kernels, [`msl`] prints kernels as Metal programs, and [`metal`] is the seam behind which a GPU, or what emulates one,
//! runs them. On a Mac, `framework` is what runs them on its GPU.

pub mod device;
#[cfg(any(target_os = "macos", trident_mock))]
pub mod framework;
pub mod metal;
pub mod msl;
