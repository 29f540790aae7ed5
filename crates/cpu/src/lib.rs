//! The CPU device: kernels for graph ops.
//!
//! [`CpuDevice`] compiles one op at a time. [`ops`] makes kernels from the attributes and operands of ops, by the op
//! table's groups; the numeric kernels are in `trident_kernels`. [`tile`] runs ops without a kernel as tile functions
//! that `trident_jit` compiles.

mod device;
mod kernel;
mod layouts;
mod ops;
mod picks;
mod real;
mod rewrites;
#[cfg(test)]
#[allow(dead_code, reason = "the tests of `trident-kernels` use the rest")]
#[path = "../../kernels/src/test_data.rs"]
mod test_data;
#[cfg(test)]
mod testing;
mod tile;

pub use device::CpuDevice;
