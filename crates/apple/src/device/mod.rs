//! Kernels on a Metal device: tile functions are lowered to level lane, printed as Metal programs and launched through the
//! seam [`crate::metal`].

mod alias;
mod compile;
mod launch;

pub use self::compile::GpuCompiler;
