//! Options of models and runs as objects of Python, with errors that name the option.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyString};
use trident_devices::MAX_THREADS;

/// The number of threads; 0 for the default.
pub(super) fn threads(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let meaning = format!("0 (one for each core) to {MAX_THREADS}");
    whole(value, "threads", &meaning)
}

/// The limit in bytes; `None` for no limit.
pub(super) fn memory_limit(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    match value.is_none() {
        true => Ok(None),
        false => whole(value, "memory_limit", "a number of bytes, or None").map(Some),
    }
}

/// An integer of Python, or an object that is one, such as NumPy's.
fn whole(value: &Bound<'_, PyAny>, option: &str, meaning: &str) -> PyResult<usize> {
    value.extract().map_err(|_: PyErr| {
        let text = match value.repr() {
            Ok(shown) => format!("{option} must be {meaning}, not {shown}"),
            Err(error) => return error,
        };
        match value.is_instance_of::<PyInt>() {
            true => PyValueError::new_err(text),
            false => PyTypeError::new_err(text),
        }
    })
}

/// The names of the outputs that are wanted; `None` for all. `inputs` are looked at because ONNX Runtime takes them second.
pub(super) fn outputs(
    inputs: &Bound<'_, PyAny>,
    outputs: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Vec<String>>> {
    let Some(outputs) = outputs else { return Ok(None) };
    if outputs.is_instance_of::<PyDict>() && !inputs.is_instance_of::<PyDict>() {
        return Err(PyTypeError::new_err(
            "run takes the inputs first: run({name: array}, outputs=[name]). \
             trident.onnxruntime has ONNX Runtime's order",
        ));
    }
    let is_text = outputs.is_instance_of::<PyString>() || outputs.is_instance_of::<PyBytes>();
    let names = (!is_text).then(|| outputs.try_iter()?.map(|name| name?.extract()).collect());
    let names: Option<PyResult<Vec<String>>> = names;
    names.and_then(Result::ok).map(Some).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "outputs takes a list of names, such as [\"y\"], not {}",
            outputs
                .get_type()
                .name()
                .map_or_else(|_| "this object".into(), |name| format!("a `{name}`"))
        ))
    })
}
