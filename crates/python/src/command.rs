//! The command line, for `python/trident/__main__.py`.

use pyo3::prelude::*;
use std::ffi::OsString;

/// The exit status of a program that panicked, as for programs in Rust.
const PANICKED: u8 = 101;

/// Runs the command line, whose first word is the program's name, and returns the exit status.
///
/// A command may end the process itself, and expects that Ctrl-C does.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| std::panic::catch_unwind(|| trident_cli::run(words)).unwrap_or(PANICKED))
}
