//! The CPU device: kernels for graph ops.
//!
//! [`CpuDevice`] compiles one op at a time. [`ops`] holds, by the op table's groups, how an op's attributes and operands
//! become a kernel; the numeric kernels below it work on slices and know nothing of tensors.
#![allow(unsafe_code)]

pub mod activation;
mod aligned;
pub mod conv;
mod device;
mod disjoint;
pub mod gemm;
pub mod kernel;
pub mod lrn;
mod machine;
mod ops;
pub mod pooling;
mod real;
pub mod rows;
mod sync;
#[cfg(test)]
mod test_data;
#[cfg(test)]
mod testing;
pub mod threads;
pub mod tile;

pub use activation::Activation;
pub use device::CpuDevice;
pub use threads::Threads;
pub use trident_simd::Isa;
