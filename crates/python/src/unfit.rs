//! Arguments that a kernel cannot take. The texts about values and element types are made by `trident.arguments`.

use pyo3::exceptions::{
    PyAttributeError, PyBufferError, PyNotImplementedError, PyOverflowError, PyRuntimeError,
    PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Why an argument is refused. The texts follow the argument's name: "is a list; pass an array". `{}` in them stands for the
/// Python expression of the argument.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// A `TypeError`.
    Type(String),
    /// A `ValueError`.
    Value(String),
    /// An `OverflowError`.
    Overflow(String),
    /// An exception of the argument's own code, or of its library.
    Raised(PyErr),
    /// A part of the argument is refused, such as `[0]` or `.base`.
    Part(String, Box<Unfit>),
}

pub(crate) type Result<T> = std::result::Result<T, Unfit>;

impl From<PyErr> for Unfit {
    fn from(error: PyErr) -> Unfit {
        Unfit::Raised(error)
    }
}

impl Unfit {
    /// The refusal of a part, as one of the whole.
    pub(crate) fn within(self, part: &str) -> Unfit {
        Unfit::Part(part.to_owned(), Box::new(self))
    }

    /// A value that no kernel takes.
    pub(crate) fn value(value: &Bound<'_, PyAny>) -> Unfit {
        Unfit::told(value.py(), Unfit::Type, "refused", (value,))
    }

    /// An array whose elements no kernel takes; `ty` is its own name for their type.
    pub(crate) fn elements(array: &Bound<'_, PyAny>, ty: &str) -> Unfit {
        Unfit::told(array.py(), Unfit::Type, "elements", (array, ty))
    }

    /// The error of a value where another kind, such as "an integer", is expected.
    pub(crate) fn mismatch(value: &Bound<'_, PyAny>, expected: &str) -> Unfit {
        Unfit::told(value.py(), Unfit::Type, "mismatch", (value, expected))
    }

    /// A number beyond the least and the greatest of a type.
    pub(crate) fn beyond(value: &Bound<'_, PyAny>, ty: &str, least: i128, most: i128) -> Unfit {
        Unfit::told(value.py(), Unfit::Overflow, "beyond", (value, ty, least, most))
    }

    /// The text that a function of `trident.arguments` makes.
    fn told<'py>(
        py: Python<'py>,
        kind: fn(String) -> Unfit,
        function: &str,
        args: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
    ) -> Unfit {
        let text = py.import("trident.arguments").and_then(|module| {
            module.getattr(function)?.call1(args.into_pyobject(py)?)?.extract::<String>()
        });
        text.map_or_else(Unfit::Raised, kind)
    }

    /// The exception about the argument of this name.
    pub(crate) fn about(self, py: Python<'_>, name: &str) -> PyErr {
        let text = |text: String| format!("argument `{name}` {}", text.replace("{}", name));
        match self {
            Unfit::Type(reason) => PyTypeError::new_err(text(reason)),
            Unfit::Value(reason) => PyValueError::new_err(text(reason)),
            Unfit::Overflow(reason) => PyOverflowError::new_err(text(reason)),
            Unfit::Raised(error) => raised(py, error, name),
            Unfit::Part(part, unfit) => unfit.about(py, &format!("{name}{part}")),
        }
    }
}

/// The same exception with the argument's name before its text. The name is added as a note if an exception of another
/// class may be constructed differently.
fn raised(py: Python<'_>, error: PyErr, name: &str) -> PyErr {
    let class = error.get_type(py);
    let plain = [
        py.get_type::<PyTypeError>(),
        py.get_type::<PyValueError>(),
        py.get_type::<PyOverflowError>(),
        py.get_type::<PyRuntimeError>(),
        py.get_type::<PyAttributeError>(),
        py.get_type::<PyBufferError>(),
        py.get_type::<PyNotImplementedError>(),
    ];
    if plain.iter().any(|each| each.is(&class)) {
        let text = format!("argument `{name}`: {}", error.value(py));
        let named = PyErr::from_type(class, text);
        named.set_cause(py, Some(error));
        return named;
    }
    // The exception itself says more than a failure to add a note.
    let _ = error.value(py).call_method1("add_note", (format!("argument `{name}`"),));
    error
}
