//! Paddle's C interface: the plug-in's entry point, the device's callbacks, and the entries of kernels.
//!
//! Paddle's pointers are wrapped here, and nowhere else. Its functions may throw C++ exceptions, which pass through our frames but
//! not through `catch_unwind`. So they are called outside of it: a call reads its arguments, then compiles, then allocates its
//! results, then runs (module `call`).
#![allow(unsafe_code)]

mod attribute;
pub(crate) mod call;
mod direct;
mod drawn;
pub(crate) mod entries;
mod fallbacks;
mod interface;
mod library;
mod made;
pub(crate) mod memory;
mod moved;
mod plugin;
mod raw;
mod read;
pub(crate) mod signatures;
mod statistics;
pub(crate) mod system;
mod tensor;
mod throw;

use std::ffi::c_void;

/// A pointer to an object of Paddle.
type Ptr = *mut c_void;
