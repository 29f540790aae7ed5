//! Execution: fibers, the functions that kernels call, faults, and loaded code. All `unsafe` code of the crate that runs
//! kernels is here.
#![allow(unsafe_code)] // compiled kernels are machine code that runs on stacks of its own

mod fault;
mod fiber;
mod hooks;
mod image;
mod machine;
mod run;

pub(crate) use image::Image;
pub(crate) use machine::{MAX_THREADS, size_of_group};
pub(crate) use run::{Halt, Outcome, Request, run};
