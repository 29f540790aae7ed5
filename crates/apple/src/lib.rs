//! Apple GPUs: [`msl`] prints kernels as Metal programs, and [`metal`] is the seam behind which a GPU, or what emulates one,
//! runs them.

pub mod metal;
pub mod msl;
