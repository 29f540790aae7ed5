//! Apple GPUs.

pub mod metal;
