//! The CPU device: kernels for graph ops.
//!
//! [`CpuDevice`] compiles one op at a time. [`ops`] holds, by the op table's groups, how an op's attributes and operands
//! become a kernel; the numeric kernels below it work on slices and know nothing of tensors.
#![allow(unsafe_code)]

mod device;
pub mod kernel;
mod ops;
#[cfg(test)]
mod testing;
pub mod threads;

pub use device::CpuDevice;
