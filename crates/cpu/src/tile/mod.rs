//! Kernels of blocks: native code for `tile` functions and the routines that it calls.

mod check;
pub mod routine;
