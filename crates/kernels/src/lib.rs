//! Dense kernels on slices, independent of tensors: products of matrices, convolutions, pooling, functions of rows,
//! Fourier transforms. Also the thread pool and the buffers that they use.
//!
//! A kernel takes the instruction set ([`trident_simd::Isa`]) and the threads that it may use. Results do not depend on the
//! number of threads.
#![allow(unsafe_code)]

pub mod aligned;
pub mod blocked;
pub mod conv;
pub mod disjoint;
pub mod fft;
pub mod gemm;
pub mod lrn;
pub mod parallel;
pub mod pooling;
pub mod rows;
pub mod select;
mod sync;
#[cfg(test)]
mod test_data;
pub mod threads;
pub mod unary;

pub use threads::Threads;
pub use unary::UnaryFunction;
