//! Runs and checks Metal kernels on Linux: an implementation of [`trident_apple::metal::Metal`] without a Mac, for
//! development.
//!
//! A text in the Metal Shading Language is linted, compiled as it is by stock clang against our own headers (`shim`), loaded,
//! and run: a fiber for each thread, simdgroups of 32. An [`Emulator`] with [`EmulatorOptions::check`] instruments each access and
//! compares it with the rules of Metal: see [`FindingKind`]. A batch in which it finds an error completes with
//! [`trident_apple::metal::MetalError::Check`], and [`Emulator::take_reports`] has the details:
//!
//! ```no_run
//! use trident_apple::metal::{Batch, CompileOptions, Dispatch, Metal};
//! use trident_emulator::{Check, Emulator, EmulatorOptions};
//!
//! # fn main() -> Result<(), trident_apple::metal::MetalError> {
//! # let source = "";
//! let emulator = Emulator::new(EmulatorOptions { check: Some(Check::default()), ..EmulatorOptions::default() })?;
//! let kernel = emulator.library(source, &CompileOptions::default())?.pipeline("add", &[])?;
//! let buffer = emulator.buffer(4096)?;
//! let dispatch = Dispatch::new(kernel, [4, 1, 1], [256, 1, 1]).buffer(0, &buffer, 0);
//! // SAFETY: an emulator that checks lets kernels access only what is bound, and nothing else uses the buffer.
//! let done = unsafe { emulator.queue()?.commit(Batch::from(dispatch)) }?;
//! let result = done.wait();
//! for report in emulator.take_reports() {
//!     println!("{report}");
//! }
//! # result.map(|_| ())
//! # }
//! ```
//!
//! x86-64 only.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod buffer;
mod check;
mod clang;
mod device;
mod dispatch;
mod exec;
mod library;
mod lint;
#[cfg(trident_mock)]
mod mock;
mod ptx;
mod queue;
mod text;

pub use check::{AccessPlace, CheckReport, FindingKind};
pub use device::{Check, Emulator, EmulatorOptions};
pub use lint::{LintRule, RULES, lint};
pub use ptx::ptx;
