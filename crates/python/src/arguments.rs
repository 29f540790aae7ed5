//! Arguments that several functions take, and errors that name them.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use trident_devices::MAX_THREADS;

/// A number of threads for the argument `argument`.
pub(crate) fn threads_of(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let meaning = format!("0 (one for each core) to {MAX_THREADS}");
    whole(value, argument, &meaning, |threads| threads <= MAX_THREADS)
}

/// An integer of Python, or an object that is one, such as NumPy's.
pub(crate) fn whole(
    value: &Bound<'_, PyAny>,
    argument: &str,
    meaning: &str,
    fits: impl FnOnce(usize) -> bool,
) -> PyResult<usize> {
    let number = value.extract::<usize>().ok();
    let is_integer = number.is_some() || value.is_instance_of::<PyInt>();
    number.filter(|number| fits(*number)).ok_or_else(|| {
        let text = format!("{argument} must be {meaning}, not {}", shown(value));
        match is_integer {
            true => PyValueError::new_err(text),
            false => PyTypeError::new_err(text),
        }
    })
}

/// A value in an error: numbers, texts and lists as Python writes them.
pub(crate) fn shown(given: &Bound<'_, PyAny>) -> String {
    let short = |text: &String| text.len() <= 80;
    given.repr().ok().map(|text| text.to_string()).filter(short).unwrap_or_else(|| {
        given.get_type().name().map_or_else(|_| "an object".into(), |name| format!("a `{name}`"))
    })
}
