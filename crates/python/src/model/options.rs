//! Options of models and runs as objects of Python, with errors that name the option.

use crate::arguments::{shown, threads_of, whole};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

/// The number of threads; 0 for the default.
pub(super) fn threads(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    threads_of("threads", value)
}

/// The limit in bytes; `None` for no limit.
pub(super) fn memory_limit(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_none() {
        return Ok(None);
    }
    let bytes = whole(value, "memory_limit", "a number of bytes above 0, or None", |n| n > 0);
    bytes.map(Some)
}

/// The name of a device, or several in one text; `None` for the default.
pub(super) fn device(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_none() {
        return Ok(None);
    }
    let Ok(text) = value.cast::<PyString>() else {
        let meaning = "a name, or several in one str with commas between them";
        let text = format!("device must be {meaning}, not {}", shown(value));
        return Err(PyTypeError::new_err(text));
    };
    Ok(Some(text.to_str()?.to_owned()))
}

/// The limit in seconds; `None` for no limit.
pub(super) fn time_limit(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if value.is_none() {
        return Ok(None);
    }
    value.extract().map(Some).map_err(|_: PyErr| {
        let meaning = "a number of seconds above 0, or None";
        PyTypeError::new_err(format!("time_limit must be {meaning}, not {}", shown(value)))
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
