//! What Triton's JIT asks of each argument: its type and whether its address is a multiple of 16.

use crate::array::{self, Access, Gate};
use crate::host::{self, Holds};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};
use pyo3::{IntoPyObjectExt, intern};

/// Triton's own function, which knows numbers, tuples, descriptors and objects with `data_ptr()`.
fn native(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static NATIVE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let native = NATIVE.get_or_try_init(py, || -> PyResult<_> {
        Ok(py.import("triton._C.libtriton")?.getattr("native_specialize_impl")?.unbind())
    })?;
    Ok(native.bind(py))
}

/// As `triton._C.libtriton.native_specialize_impl`, for arrays without `data_ptr()` and NumPy scalars as well.
///
/// Returns the type's name and a specialisation: `"D"` for an address divisible by 16, `""` for another one, `None` if
/// none is wanted.
#[pyfunction]
pub(crate) fn specialize<'py>(
    py: Python<'py>,
    backend: Bound<'py, PyAny>,
    arg: Bound<'py, PyAny>,
    is_const: bool,
    specialize: bool,
    align: bool,
) -> PyResult<Bound<'py, PyAny>> {
    match Access::of(&arg)? {
        Access::Foreign => {
            let address = if align && specialize { address(arg.clone())? } else { 0 };
            pointer(py, array::dtype(&arg)?, address, is_const, specialize, align)
        }
        // A NumPy 1 must not become a constant of the kernel's: the compiler knows Python's numbers only.
        Access::Scalar => {
            let number = arg.call_method0(intern!(py, "item"))?;
            native(py)?.call1((backend, number, is_const, false, align))
        }
        Access::Tuple if foreign_inside(&arg)? => {
            let views = py.import("trident.arrays")?.getattr("views")?.call1((arg,))?;
            native(py)?.call1((backend, views, is_const, specialize, align))
        }
        Access::DataPtr(gate) => {
            if let Gate::IsCpu(Some(exchange)) = gate
                && let Some((address, ty)) = exchange.look(&arg)
            {
                return pointer(py, ty, address, is_const, specialize, align);
            }
            // What `data_ptr()` gives there is no address.
            if let Some(place) = host::place(&arg, &mut Holds::new())? {
                return pointer(py, array::dtype(&arg)?, place, is_const, specialize, align);
            }
            let args = (backend, &arg, is_const, specialize, align);
            native(py)?.call1(args).map_err(|e| match arg.getattr(intern!(py, "dtype")) {
                Ok(dtype) if e.is_instance_of::<PyKeyError>(py) => {
                    array::unknown(&dtype.to_string())
                }
                _ => e,
            })
        }
        Access::None | Access::Tuple => {
            native(py)?.call1((backend, arg, is_const, specialize, align))
        }
    }
}

/// What the JIT is told of a pointer to elements of this type.
fn pointer<'py>(
    py: Python<'py>,
    ty: &str,
    address: u64,
    is_const: bool,
    specialize: bool,
    align: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let name = PyString::intern(py, &format!("{}{ty}", if is_const { "*k" } else { "*" }));
    let kind = match (specialize, align && address.is_multiple_of(16)) {
        (false, _) => py.None().into_bound(py),
        (true, true) => intern!(py, "D").clone().into_any(),
        (true, false) => intern!(py, "").clone().into_any(),
    };
    PyTuple::new(py, [name.into_any(), kind])?.into_bound_py_any(py)
}

/// Whether a tuple holds, at any depth, something that Triton's function does not know.
fn foreign_inside(arg: &Bound<'_, PyAny>) -> PyResult<bool> {
    for item in arg.cast::<PyTuple>()?.iter() {
        let foreign = match Access::of(&item)? {
            Access::Foreign | Access::Scalar => true,
            Access::Tuple => foreign_inside(&item)?,
            Access::None | Access::DataPtr(_) => false,
        };
        if foreign {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The address of an array's first element, whichever library made it.
#[pyfunction]
pub(crate) fn address(array: Bound<'_, PyAny>) -> PyResult<u64> {
    array::address(&array, &mut Holds::new())
}
