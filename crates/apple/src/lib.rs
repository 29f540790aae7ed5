//! Apple GPUs: [`device`] compiles and launches kernels, [`msl`] prints kernels as Metal programs, and [`metal`] is the
//! interface of a GPU or its emulator, which runs them. On a Mac, `framework` implements it for the machine's GPU.

pub mod device;
#[cfg(any(target_os = "macos", trident_mock))]
pub mod framework;
pub mod metal;
pub mod msl;
