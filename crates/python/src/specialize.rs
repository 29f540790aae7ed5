//! Answers to the questions of Triton's JIT about each argument: its type, and whether its address is a multiple of 16.

use crate::array::{self, Access, Gate};
use crate::host::Holds;
use crate::unfit::{Result, Unfit};
use pyo3::exceptions::{PyKeyError, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFloat, PyInt, PyString, PyTuple};
use pyo3::{IntoPyObjectExt, intern};

/// Triton's own function, which supports numbers, tuples, descriptors and objects with `data_ptr()`.
fn native(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static NATIVE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let native = NATIVE.get_or_try_init(py, || -> PyResult<_> {
        Ok(py.import("triton._C.libtriton")?.getattr("native_specialize_impl")?.unbind())
    })?;
    Ok(native.bind(py))
}

/// How Triton asks for one argument: its back end, whether the memory is constant, whether the kernel is specialised for the
/// value, and whether for the address.
struct Request<'py> {
    backend: Bound<'py, PyAny>,
    is_const: bool,
    specialize: bool,
    align: bool,
}

/// Like `triton._C.libtriton.native_specialize_impl`, but also for arrays without `data_ptr()` and NumPy scalars.
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
    let request = Request { backend, is_const, specialize, align };
    request.answer(&arg).map_err(|refused| refused.about(py, &parameter(&arg)))
}

/// The parameter that an argument is given for. Triton calls this from a function made from the kernel's signature,
/// whose variables are the kernel's parameters. In other callers it is called `argument`.
fn parameter(arg: &Bound<'_, PyAny>) -> String {
    let named = || -> PyResult<Option<String>> {
        let frame = arg.py().import("sys")?.call_method0("_getframe")?;
        if frame.getattr("f_code")?.getattr("co_name")?.extract::<String>()? != "dynamic_func" {
            return Ok(None);
        }
        for item in frame.getattr("f_locals")?.call_method0("items")?.try_iter()? {
            let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
            if value.is(arg) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    };
    named().ok().flatten().unwrap_or_else(|| "argument".into())
}

impl<'py> Request<'py> {
    fn answer(&self, arg: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let py = arg.py();
        match Access::of(arg)? {
            Access::Foreign => {
                let wanted = self.align && self.specialize;
                let address = if wanted { array::address(arg, &mut Holds::default())? } else { 0 };
                Ok(self.pointer(py, array::dtype(arg)?, address)?)
            }
            // A NumPy 1 must not become a constant of the kernel's: the compiler knows Python's numbers only.
            Access::Scalar => {
                let number = arg.call_method0(intern!(py, "item")).and_then(|number| {
                    let is_number = number.is_instance_of::<PyInt>() // bools included
                        || number.is_instance_of::<PyFloat>();
                    let kind = arg.getattr("dtype")?.getattr("kind")?;
                    // The numbers of dates and times have different units.
                    let is_time = kind.eq("m")? || kind.eq("M")?;
                    match is_number && !is_time {
                        true => self.ask_with(&number, false),
                        false => Err(PyTypeError::new_err("not a number")),
                    }
                });
                number.map_err(|_| Unfit::value(arg))
            }
            Access::DataPtr(gate) => {
                if let Gate::IsCpu(Some(exchange)) = gate
                    && let Some((address, ty)) = exchange.look(arg)
                {
                    return Ok(self.pointer(py, ty, address)?);
                }
                // The result of `data_ptr()` is not an address there.
                if let Some(place) = Holds::default().place(arg)?.map(|place| place.address()) {
                    return Ok(self.pointer(py, array::dtype(arg)?, place)?);
                }
                self.ask(arg).map_err(|e| match arg.getattr(intern!(py, "dtype")) {
                    Ok(dtype) if e.is_instance_of::<PyKeyError>(py) => {
                        Unfit::elements(arg, &dtype.to_string())
                    }
                    _ => e.into(),
                })
            }
            Access::Tuple => {
                let items = arg.cast::<PyTuple>().map_err(PyErr::from)?;
                let answer = foreign_inside(items).and_then(|foreign| match foreign {
                    true => {
                        let views = py.import("trident.arrays")?.getattr("views")?;
                        Ok(self.ask(&views.call1((arg,))?)?)
                    }
                    false => Ok(self.ask(arg)?),
                });
                answer.map_err(|refused| self.wrong_item(items).unwrap_or(refused))
            }
            Access::None => self.ask(arg).map_err(|error| {
                if error.is_instance_of::<PyOverflowError>(py) {
                    return Unfit::beyond(arg, "an integer", i64::MIN.into(), u64::MAX.into());
                }
                if error.is_instance_of::<PyTypeError>(py) {
                    return Unfit::value(arg);
                }
                // For a descriptor, Triton requests the name of its element type.
                match arg.getattr(intern!(py, "base")).map(|base| self.answer(&base)) {
                    Ok(Err(refused)) => refused.within(".base"),
                    _ => error.into(),
                }
            }),
        }
    }

    /// Triton's own answer.
    fn ask(&self, arg: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.ask_with(arg, self.specialize)
    }

    fn ask_with(&self, arg: &Bound<'py, PyAny>, specialize: bool) -> PyResult<Bound<'py, PyAny>> {
        let args = (&self.backend, arg, self.is_const, specialize, self.align);
        native(arg.py())?.call1(args)
    }

    /// The first item of a tuple that is refused.
    fn wrong_item(&self, items: &Bound<'py, PyTuple>) -> Option<Unfit> {
        let answers = items.iter().map(|item| self.answer(&item));
        let mut refused = answers.enumerate().filter_map(|(i, answer)| Some((i, answer.err()?)));
        refused.next().map(|(i, refused)| refused.within(&format!("[{i}]")))
    }

    /// The answer for a pointer to elements of this type.
    fn pointer(&self, py: Python<'py>, ty: &str, address: u64) -> PyResult<Bound<'py, PyAny>> {
        let mark = if self.is_const { "*k" } else { "*" };
        let name = PyString::intern(py, &format!("{mark}{ty}"));
        let kind = match (self.specialize, self.align && address.is_multiple_of(16)) {
            (false, _) => py.None().into_bound(py),
            (true, true) => intern!(py, "D").clone().into_any(),
            (true, false) => intern!(py, "").clone().into_any(),
        };
        PyTuple::new(py, [name.into_any(), kind])?.into_bound_py_any(py)
    }
}

/// Whether a tuple holds, at any depth, something that Triton's function does not know.
fn foreign_inside(items: &Bound<'_, PyTuple>) -> Result<bool> {
    for item in items.iter() {
        let foreign = match Access::of(&item)? {
            Access::Foreign | Access::Scalar => true,
            Access::Tuple => foreign_inside(item.cast().map_err(PyErr::from)?)?,
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
    let found = array::address(&array, &mut Holds::default());
    found.map_err(|refused| refused.about(array.py(), "array"))
}
