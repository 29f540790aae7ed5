//! Why an object is not taken for an input or an output.

use pyo3::prelude::*;
use trident_runtime::KernelError;

/// A reason, or an exception of Python.
#[derive(Debug)]
pub(super) enum Refusal {
    /// A reason, as it follows the name of the input or output.
    Text(String),
    /// An exception of the object's library, or of its code.
    Raised(PyErr),
}

pub(super) type Result<T> = std::result::Result<T, Refusal>;

impl Refusal {
    pub(super) fn text(text: impl Into<String>) -> Refusal {
        Refusal::Text(text.into())
    }
}

impl From<PyErr> for Refusal {
    fn from(error: PyErr) -> Refusal {
        Refusal::Raised(error)
    }
}

impl From<KernelError> for Refusal {
    fn from(error: KernelError) -> Refusal {
        Refusal::Text(error.to_string())
    }
}
