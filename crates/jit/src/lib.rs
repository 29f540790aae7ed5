//! Native code for `tile` functions, and the routines that it calls.
//!
//! A [`Compiler`] compiles modules to kernels: [`emit`] generates Cranelift IR from the decisions of
//! `trident_tile_analysis`, and [`loops`] the code of loops in the widest vectors.
#![allow(unsafe_code)]

mod abi;
mod check;
mod code;
mod emit;
mod image;
mod kernel;
mod loops;
mod machine;
mod reduction;
pub mod routine;
mod spread;
mod stop;
mod target;
#[cfg(test)]
mod tests;

pub use kernel::Compiler;
