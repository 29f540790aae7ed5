//! The one interpreter of a process that uses the module: caches of types are shared by the whole process.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An error in an interpreter other than the first that imports the module. Python before 3.12 does not check that itself.
pub(crate) fn claim(py: Python<'_>) -> PyResult<()> {
    static FIRST: AtomicUsize = AtomicUsize::new(0);
    // Every interpreter has a table of modules of its own, for as long as it lives.
    let modules = py.import("sys")?.getattr("modules")?.as_ptr() as usize;
    match FIRST.compare_exchange(0, modules, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != modules => Err(PyImportError::new_err(
            "trident is used by another interpreter of this process, and does not support sub-interpreters",
        )),
        _ => Ok(()),
    }
}
