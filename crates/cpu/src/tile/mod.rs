//! Kernels of blocks: native code for `tile` functions and the routines that it calls.

mod abi;
mod check;
mod code;
mod emit;
mod fold;
mod image;
pub(crate) mod kernel;
mod loops;
pub mod routine;
mod spread;
mod target;
#[cfg(test)]
mod tests;
