//! Apple GPUs: [`device`] compiles and launches kernels, [`msl`] prints kernels as Metal programs, and [`metal`] is the seam behind which a GPU, or what emulates one,
//! runs them.

pub mod device;
pub mod metal;
pub mod msl;
