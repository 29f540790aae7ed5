//! The GPU as launches share it: arrays that lie in its buffers, memory that kernels find addresses of, and its time.
// Handles and addresses of arrays are taken on their libraries' word.
#![allow(unsafe_code)]

use crate::device;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::Arc;
use trident_devices::{GpuHost, Held};

/// Buffers of other libraries that a launch uses.
pub(crate) type Holds = Vec<Arc<Held>>;

fn gpu() -> PyResult<Arc<GpuHost>> {
    device::host()?.ok_or_else(|| PyRuntimeError::new_err("kernels run on the CPU"))
}

pub(crate) fn is_gpu() -> PyResult<bool> {
    Ok(device::host()?.is_some())
}

/// What stands for the address of an array in a buffer of the GPU; `None` for other arrays, and where kernels run on the CPU. What
/// its library has queued for the array is done then.
pub(crate) fn place(array: &Bound<'_, PyAny>, holds: &mut Holds) -> PyResult<Option<u64>> {
    let Some(gpu) = device::host()? else { return Ok(None) };
    let py = array.py();
    // NumPy's interface is for memory of the CPU.
    if array.hasattr(intern!(py, "__array_interface__"))? {
        return Ok(None);
    }
    let found = py.import("trident.arrays")?.getattr("metal")?.call1((array,))?;
    let Some((handle, offset)) = found.extract::<Option<(u64, u64)>>()? else { return Ok(None) };
    // SAFETY: the array's library says that this is the handle of its buffer, and the caller holds the array.
    let held = unsafe { gpu.hold(handle) };
    let held = held.map_err(|error| PyValueError::new_err(error.to_string()))?;
    if offset > held.bytes() as u64 {
        let bytes = held.bytes();
        let text = format!("the array begins at byte {offset} of a buffer of {bytes}");
        return Err(PyValueError::new_err(text));
    }
    let place = held.place() as u64 + offset;
    holds.push(held);
    Ok(Some(place))
}

/// What stands for the address of a buffer of the GPU, and its bytes.
#[pyfunction]
pub(crate) fn metal_place(handle: u64) -> PyResult<(usize, usize)> {
    // SAFETY: the caller has the handle from an array whose library holds the buffer.
    let held = unsafe { gpu()?.hold(handle) };
    let held = held.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((held.place(), held.bytes()))
}

/// Memory that kernels may reach by addresses which they read, as long as this lives.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Reached {
    reached: Arc<trident_devices::Reached>,
    _holds: Holds,
}

#[pymethods]
impl Reached {
    /// Of the memory of an array, `bytes` bytes from `start`.
    #[new]
    fn new(array: &Bound<'_, PyAny>, start: usize, bytes: usize) -> PyResult<Reached> {
        let mut holds = Holds::new();
        place(array, &mut holds)?;
        // SAFETY: the caller drops this before the array.
        let reached = unsafe { gpu()?.reach(start..start + bytes) };
        let reached = reached.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Reached { reached, _holds: holds })
    }

    /// Where it begins for kernels.
    #[getter]
    fn address(&self) -> u64 {
        self.reached.address()
    }
}

/// A buffer of the GPU, for tests and for libraries that have none of their own.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Buffer(Arc<dyn trident_devices::Buffer>);

#[pymethods]
impl Buffer {
    #[new]
    fn new(bytes: usize) -> PyResult<Buffer> {
        let made = gpu()?.buffer(bytes);
        made.map(Buffer).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// What DLPack calls its data: an object, no address.
    #[getter]
    fn handle(&self) -> u64 {
        self.0.handle()
    }

    /// Where the CPU sees its first byte.
    #[getter]
    fn contents(&self) -> usize {
        self.0.contents().as_ptr() as usize
    }
}

/// A point between launches on the GPU.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Mark(trident_devices::Mark);

#[pymethods]
impl Mark {
    /// After the launches that have returned. There is none where kernels run on the CPU.
    #[staticmethod]
    fn now() -> PyResult<Option<Mark>> {
        Ok(device::host()?.map(|gpu| Mark(gpu.mark())))
    }

    /// Nanoseconds of the GPU from the begin of the first launch after this mark to the end of the last one before `end`.
    fn until(&self, end: &Mark) -> Option<u64> {
        let time = self.0.until(&end.0)?;
        Some(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }
}
