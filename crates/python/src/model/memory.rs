//! Memory of results, which NumPy's arrays lie in.
#![allow(unsafe_code)]

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;
use trident_runtime::{KernelError, Tensor};

/// The memory of a tensor that nobody else has, by the buffer protocol: bytes that may be written.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Memory {
    /// Keeps the memory; never accessed.
    _tensor: Tensor,
    /// An exposed address.
    start: usize,
    bytes: usize,
}

impl Memory {
    /// The memory of a tensor. If the elements are shared, with other results, an input or the model, they are copied.
    pub(super) fn of(mut tensor: Tensor) -> Result<Memory, KernelError> {
        let elements = tensor.bytes_mut()?;
        let (start, bytes) = (elements.as_mut_ptr().expose_provenance(), elements.len());
        Ok(Memory { _tensor: tensor, start, bytes })
    }
}

#[pymethods]
impl Memory {
    /// # Safety
    /// Called by the interpreter, with a structure to fill.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let Memory { start, bytes, .. } = *slf.get();
        let length = ffi::Py_ssize_t::try_from(bytes)
            .map_err(|_| PyBufferError::new_err("more bytes than a buffer can have"))?;
        let start = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: `view` is the interpreter's. The bytes live as long as the object, which the view refers to; its tensor, which nobody
        // else has, is never accessed, so whoever has a view may write to them.
        match unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, length, 0, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}
