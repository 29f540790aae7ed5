//! The Python extension module `trident._trident`: compiling Triton IR, launching kernels, and the parts of the
//! Triton plug-in that run at every launch. Models and the command line are the feature `models`. Everything else of the package is Python, in
//! `python/trident`.

mod arguments;
mod array;
#[cfg(feature = "models")]
mod command;
mod device;
mod dlpack;
mod error;
mod exchange;
mod extent;
mod host;
mod interpret;
mod interpreter;
mod keep;
mod kernel;
mod launcher;
mod memory;
#[cfg(feature = "models")]
mod model;
mod scalar;
mod specialize;
mod unfit;

use pyo3::prelude::*;

#[pymodule]
mod _trident {
    #[cfg(feature = "models")]
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::device::{gpu, machine, num_threads, set_num_threads, threads};
    #[pymodule_export]
    use crate::host::{Buffer, Mark, reach};
    #[pymodule_export]
    use crate::keep::{KernelClaim, cache_clear, claim, keep, kept, load};
    #[pymodule_export]
    use crate::kernel::{Kernel, compile, switch};
    #[pymodule_export]
    use crate::launcher::{BoundLaunch, Launcher, hooked};
    #[pymodule_export]
    use crate::memory::{empty_cache, memory_statistics, reset_memory_peaks};
    #[cfg(feature = "models")]
    #[pymodule_export]
    use crate::model::{Model, Stop, ValueInfo, devices};
    #[pymodule_export]
    use crate::specialize::{address, specialize};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::interpreter::claim(module.py())
    }

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const UNWRITTEN: [u8; 8] = trident_runtime::UNWRITTEN;
}
