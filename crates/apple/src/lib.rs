//! Apple GPUs.

pub mod msl;
