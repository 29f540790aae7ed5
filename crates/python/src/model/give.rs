//! Results as objects of Python: arrays of NumPy, lists, dictionaries, `None`.

use super::dtype;
use super::memory::Memory;
use crate::model::Copied;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use trident_ir::DType;
use trident_runtime::{KernelError, MapValue, Tensor, Value};

/// A value as an object. Arrays lie in the tensors' memory, which they keep.
pub(super) fn value<'py>(
    py: Python<'py>,
    value: Value,
    copied: &Copied,
) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Tensor(tensor) => array(py, tensor, copied),
        Value::Optional(None) => Ok(py.None().into_bound(py)),
        Value::Optional(Some(inner)) => self::value(py, Arc::unwrap_or_clone(inner), copied),
        Value::Seq(items) => {
            let items = Arc::unwrap_or_clone(items).into_iter();
            let items = items.map(|item| self::value(py, item, copied));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_bound_py_any(py)
        }
        Value::Map(map) => {
            let MapValue { keys, values } = Arc::unwrap_or_clone(map);
            let list = |tensor| -> PyResult<Vec<Bound<'py, PyAny>>> {
                array(py, tensor, copied)?.call_method0(intern!(py, "tolist"))?.extract()
            };
            let dict = PyDict::new(py);
            for (key, value) in list(keys)?.into_iter().zip(list(values)?) {
                dict.set_item(key, value)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}

fn array<'py>(py: Python<'py>, tensor: Tensor, copied: &Copied) -> PyResult<Bound<'py, PyAny>> {
    let dtype = tensor.dtype();
    if dtype == DType::Str {
        return strings(py, &tensor);
    }
    let shape = PyTuple::new(py, tensor.dims())?;
    let element = dtype::numpy(py, dtype)?;
    if tensor.is_empty() {
        return py.import("numpy")?.call_method1(intern!(py, "empty"), (shape, element));
    }
    let memory = match tensor.is_unique() {
        true => Memory::of(tensor),
        false => {
            copied.outputs.fetch_add(tensor.size() as u64, Relaxed);
            py.detach(|| Memory::of(tensor))
        }
    };
    let memory = memory.map_err(failed)?;
    dtype::ndarray(py)?.call1((shape, element, memory))
}

/// An array of objects.
fn strings<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let strings = tensor.strings().map_err(failed)?;
    let shape = PyTuple::new(py, tensor.dims())?;
    let made = py.import("numpy")?.call_method1(intern!(py, "empty"), (strings.len(), "O"))?;
    made.set_item(pyo3::types::PySlice::full(py), PyList::new(py, strings)?)?;
    made.call_method1(intern!(py, "reshape"), (shape,))
}

fn failed(error: KernelError) -> PyErr {
    PyMemoryError::new_err(error.to_string())
}
