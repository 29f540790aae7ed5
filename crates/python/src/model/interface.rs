//! Inputs and outputs of a model, as Python sees them.

use super::dtype;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use trident_ir::{Dim, Type, ValueInfo as Info};

/// An input or an output of a model.
#[pyclass(frozen, module = "trident")]
pub(crate) struct ValueInfo {
    info: Info,
    is_optional: bool,
}

impl ValueInfo {
    pub(super) fn new(info: &Info, has_default: bool) -> ValueInfo {
        let is_optional = has_default || matches!(info.ty, Type::Optional(_));
        ValueInfo { info: info.clone(), is_optional }
    }

    /// An output. Dimensions that are not known to be numbers are named as the model's file declares. A declared number is left out where
    /// the dimension follows from the inputs: a run may contradict it.
    pub(super) fn output(info: &Info, declared: Option<&Type>) -> ValueInfo {
        let mut own = ValueInfo::new(info, false);
        if let (Type::Tensor(own), Some(Type::Tensor(declared))) = (&mut own.info.ty, declared) {
            match (&mut own.shape, &declared.shape) {
                (Some(own), Some(declared)) if own.len() == declared.len() => {
                    let open =
                        own.iter_mut().zip(declared.iter()).filter(
                            |(own, declared)| match declared {
                                Dim::Sym(_) => own.fixed().is_none(),
                                Dim::Fixed(_) => matches!(own, Dim::Unknown),
                                Dim::Unknown => false,
                            },
                        );
                    open.for_each(|(own, declared)| own.clone_from(declared));
                }
                (own @ None, declared) => own.clone_from(declared),
                _ => {}
            }
        }
        own
    }
}

#[pymethods]
impl ValueInfo {
    /// Its name in the model.
    #[getter]
    fn name(&self) -> &str {
        &self.info.name
    }

    /// Its whole type, as errors show it: `f32[N, 3, 224, 224]`.
    #[getter]
    fn r#type(&self) -> String {
        self.info.ty.to_string()
    }

    /// The element type of a tensor as NumPy or ml_dtypes calls it; `None` for other values.
    #[getter]
    fn dtype(&self) -> Option<&'static str> {
        match &self.info.ty {
            Type::Tensor(ty) => Some(dtype::name(ty.dtype)),
            _ => None,
        }
    }

    /// The dimensions of a tensor: numbers, names of symbols, and `None` where nothing is known; `None` if their number is not known.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(shape) = self.info.ty.shape() else { return Ok(None) };
        let dims = shape.iter().map(|dim| match dim {
            Dim::Fixed(size) => size.into_bound_py_any(py),
            Dim::Sym(name) => name.as_ref().into_bound_py_any(py),
            Dim::Unknown => Ok(py.None().into_bound(py)),
        });
        PyTuple::new(py, dims.collect::<PyResult<Vec<_>>>()?).map(Some)
    }

    /// Whether a run can do without it: an input with a default, or of optional type.
    #[getter]
    fn is_optional(&self) -> bool {
        self.is_optional
    }

    fn __repr__(&self) -> String {
        format!("<{}: {}>", self.info.name, self.info.ty)
    }
}
