//! The device that kernels run on.

use crate::arguments;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};
use trident_devices::{DeviceError, DeviceSettings, ForKernels, MAX_THREADS, METAL};
use trident_runtime::{PoolSettings, SharedGpu};

/// Made at first use; kernels keep the one that they were compiled by.
static DEVICE: Mutex<Option<ForKernels>> = Mutex::new(None);

/// The device that the environment names, under one of the names in `trident/triton_backend/settings.py`, which refuses
/// others. Without a name, the machine's default device.
fn open(threads: usize) -> PyResult<ForKernels> {
    let named = |variable| std::env::var(variable).map(|name| name.trim().to_ascii_lowercase());
    let mut names = ["TRIDENT_DEVICE", "TRITON_BACKEND"].into_iter().flat_map(named);
    // Devices that were used before keep their settings.
    PoolSettings::from_environment()
        .map_err(|error| PyValueError::new_err(error.to_string()))?
        .install();
    let settings = DeviceSettings { threads };
    let named = names.find(|name| !name.is_empty());
    let choice = match named.as_deref() {
        Some("mps") => Some(METAL),
        name @ Some("cpu" | "metal" | "metal-emulated" | "metal-emulated-m5") => name,
        _ => None,
    };
    let opened = trident_devices::open(choice, &settings).and_then(|opened| opened.kernels());
    opened.map_err(|error| match error {
        DeviceError::Unavailable { reason, hint } => {
            let hint = hint.map(|hint| format!("; hint: {hint}")).unwrap_or_default();
            PyRuntimeError::new_err(reason + &hint)
        }
        other => PyValueError::new_err(other.to_string()),
    })
}

/// The number of threads that was set; `None` if the environment says it.
static THREADS: Mutex<Option<usize>> = Mutex::new(None);

/// The number of threads that was set, or else that `TRIDENT_THREADS` says; 0 is one for each core.
pub(crate) fn default_threads() -> PyResult<usize> {
    if let Some(threads) = *THREADS.lock().unwrap_or_else(PoisonError::into_inner) {
        return Ok(threads);
    }
    let given = std::env::var_os("TRIDENT_THREADS").unwrap_or_default();
    let text = given.to_string_lossy();
    if text.trim().is_empty() {
        return Ok(0);
    }
    let threads = text.trim().parse().ok().filter(|threads| *threads <= MAX_THREADS);
    threads.ok_or_else(|| {
        let range = format!("it is 0 (one for each core) to {MAX_THREADS}");
        PyValueError::new_err(format!("TRIDENT_THREADS is `{text}`: {range}"))
    })
}

/// The device, with as many threads as `TRIDENT_THREADS` says, by default one for each core.
pub(crate) fn current() -> PyResult<ForKernels> {
    let mut device = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = &*device {
        return Ok(device.clone());
    }
    Ok(device.insert(open(default_threads()?)?).clone())
}

/// The GPU that kernels run on; `None` if that is the CPU.
pub(crate) fn host() -> PyResult<Option<Arc<dyn SharedGpu>>> {
    // Called for arguments of launches, so nothing else of the device is copied.
    if let Some(device) = &*DEVICE.lock().unwrap_or_else(PoisonError::into_inner) {
        return Ok(device.gpu.as_ref().map(|gpu| Arc::clone(&gpu.host)));
    }
    Ok(current()?.gpu.map(|gpu| gpu.host))
}

/// The argument of `set_num_threads`.
fn number(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    arguments::threads_of("the number of threads", given)
}

/// Sets the number of threads for kernels compiled and models loaded from here on; 0 is one for each core. Results do not depend
/// on it.
#[pyfunction]
pub(crate) fn set_num_threads(#[pyo3(from_py_with = number)] threads: usize) -> PyResult<()> {
    let device = open(threads)?;
    *THREADS.lock().unwrap_or_else(PoisonError::into_inner) = Some(threads);
    *DEVICE.lock().unwrap_or_else(PoisonError::into_inner) = Some(device);
    Ok(())
}

/// The number of threads of the CPU for models loaded from here on.
#[pyfunction]
pub(crate) fn threads() -> PyResult<usize> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Some(default_threads()?).filter(|threads| *threads > 0).unwrap_or_else(cores))
}

/// Number of threads of kernels compiled from here on.
#[pyfunction]
pub(crate) fn num_threads() -> PyResult<usize> {
    Ok(current()?.info.threads)
}

/// Name and instruction sets of the processor: what compiled code depends on.
#[pyfunction]
pub(crate) fn machine() -> PyResult<String> {
    let info = current()?.info;
    Ok(format!("{} {} {}", std::env::consts::ARCH, info.description, info.features.join(" ")))
}

/// A GPU's limits for a program, by name; `None` if kernels run on the CPU.
#[pyfunction]
pub(crate) fn gpu(py: Python<'_>) -> PyResult<Option<Bound<'_, PyDict>>> {
    let Some(gpu) = current()?.gpu else { return Ok(None) };
    let facts = PyDict::new(py);
    facts.set_item("family", gpu.family)?;
    facts.set_item("cores", gpu.cores)?;
    facts.set_item("simd_width", gpu.simd_width)?;
    facts.set_item("threads", gpu.threads)?;
    facts.set_item("threadgroup_bytes", gpu.threadgroup_bytes)?;
    Ok(Some(facts))
}
