//! The memory that arrays of any library lie in.

use crate::array::{self, tells_strides};
use crate::host::{Holds, viewed};
use crate::unfit::{Result, Unfit};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

/// A stretch of memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// The memory that an array is part of, and whether it may be written, as far as its library says; no bytes for
/// Python's `None`.
pub(crate) fn memory(
    array: &Bound<'_, PyAny>,
    holds: &mut Holds,
) -> Result<Option<(Stretch, bool)>> {
    if array.is_none() {
        return Ok(Some((Stretch { address: 0, bytes: 0 }, false)));
    }
    let Some(stretch) = stretch(array, holds)? else { return Ok(None) };
    Ok(Some((stretch, !is_readonly(array, holds)?)))
}

/// The most views that are followed to find an array.
const MOST_VIEWS: usize = 64;

/// The memory alone. For a view it is the memory of the array that the view was made from: a kernel may access all of
/// it.
fn stretch(array: &Bound<'_, PyAny>, holds: &mut Holds) -> Result<Option<Stretch>> {
    stretch_of_view(array, holds, MOST_VIEWS)
}

/// [`stretch`] of an array below at most this many views. The memory of one below more, or of one that is a view of itself, is not
/// known.
fn stretch_of_view(
    array: &Bound<'_, PyAny>,
    holds: &mut Holds,
    most: usize,
) -> Result<Option<Stretch>> {
    let py = array.py();
    let Some(most) = most.checked_sub(1) else { return Ok(None) };
    if let Some(inner) = viewed(array)? {
        return stretch_of_view(&inner, holds, most);
    }
    let storage = array.getattr_opt(intern!(py, "untyped_storage"))?;
    let storage = storage.map(|storage| storage.call0()).transpose()?;
    let nbytes = |storage: &Bound<'_, PyAny>| -> PyResult<u64> {
        storage.call_method0(intern!(py, "nbytes"))?.extract()
    };
    if let Some(place) = holds.place(array)? {
        let mut buffer = place.buffer();
        if let Some(storage) = &storage {
            buffer.bytes = buffer.bytes.min(nbytes(storage)?);
        }
        return Ok(Some(buffer));
    }
    if let Some(storage) = &storage {
        let address = storage.call_method0(intern!(py, "data_ptr"))?.extract()?;
        return Ok(Some(Stretch { address, bytes: nbytes(storage)? }));
    }
    if array.is_instance_of::<PyMemoryView>()
        && !array.getattr(intern!(py, "c_contiguous"))?.is_truthy()?
    {
        let object = array.getattr(intern!(py, "obj"))?;
        return match object.hasattr(intern!(py, "__array_interface__"))? {
            true => stretch_of_view(&object, holds, most),
            false => Ok(None),
        };
    }
    let mut base = given(array, "base")?;
    if array.hasattr(intern!(py, "data_ptr"))? {
        if let Some(base) = base {
            return stretch_of_view(&base, holds, most);
        }
        let Some(bytes) = given(array, "nbytes")? else { return Ok(None) };
        let address = array.call_method0(intern!(py, "data_ptr"))?.extract()?;
        return Ok(Some(Stretch { address, bytes: bytes.extract()? }));
    }
    let mut owner = array.clone();
    for _ in 0..most {
        let Some(next) = base.take() else { break };
        if !next.hasattr(intern!(py, "__array_interface__"))? {
            break;
        }
        base = given(&next, "base")?;
        owner = next;
    }
    let bytes = match given(&owner, "nbytes")? {
        Some(bytes) => bytes.extract()?,
        None => match PyMemoryView::from(&owner) {
            Ok(view) => view.getattr(intern!(py, "nbytes"))?.extract()?,
            Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                return spoken_stretch(&owner, holds);
            }
            Err(error) => return Err(error.into()),
        },
    };
    Ok(Some(Stretch { address: array::address(&owner, holds)?, bytes }))
}

/// The memory by `__array_interface__` or DLPack, of arrays without strides.
fn spoken_stretch(array: &Bound<'_, PyAny>, holds: &mut Holds) -> Result<Option<Stretch>> {
    let py = array.py();
    let bytes = match given(array, "__array_interface__")? {
        Some(interface) => {
            let strides = interface.call_method1(intern!(py, "get"), (intern!(py, "strides"),))?;
            if !strides.is_none() {
                return Ok(None);
            }
            let element: String = interface.get_item(intern!(py, "typestr"))?.extract()?;
            let element = element.get(2..).and_then(|size| size.parse::<u64>().ok());
            let shape: Vec<u64> = interface.get_item(intern!(py, "shape"))?.extract()?;
            element.and_then(|size| shape.iter().try_fold(size, |n, size| n.checked_mul(*size)))
        }
        None if array.hasattr(intern!(py, "__dlpack__"))? => holds.export(array)?.bytes,
        None => None,
    };
    let Some(bytes) = bytes else { return Ok(None) };
    Ok(Some(Stretch { address: array::address(array, holds)?, bytes }))
}

/// Whether an array's library forbids to write to it.
pub(crate) fn is_readonly(array: &Bound<'_, PyAny>, holds: &mut Holds) -> PyResult<bool> {
    let py = array.py();
    let mut array = array.clone();
    for _ in 0..MOST_VIEWS {
        let Some(inner) = viewed(&array)? else { break };
        array = inner;
    }
    let array = &array;
    if let Some(data) = interface_data(array)? {
        return data.get_item(1)?.is_truthy();
    }
    if array.hasattr(intern!(py, "data_ptr"))? {
        return Ok(false);
    }
    if array.hasattr(intern!(py, "__dlpack__"))? {
        return Ok(holds.export(array)?.is_readonly);
    }
    match PyMemoryView::from(array) {
        Ok(view) => view.getattr(intern!(py, "readonly"))?.is_truthy(),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The address of the first element by `__array_interface__` or DLPack.
pub(crate) fn spoken_address(array: &Bound<'_, PyAny>, holds: &mut Holds) -> Result<u64> {
    let py = array.py();
    if let Some(data) = interface_data(array)? {
        return Ok(data.get_item(0)?.extract()?);
    }
    let unknown = || -> Result<u64> {
        let name = array.get_type().name()?;
        Err(Unfit::Type(format!("is a `{name}`, which does not give the address of its elements")))
    };
    if !array.hasattr(intern!(py, "__dlpack__"))? {
        return unknown();
    }
    let export = holds.export(array)?;
    if export.bytes.is_none() {
        tells_strides(array)?;
    }
    export.address().map_or_else(unknown, Ok)
}

/// The address and the flag of `__array_interface__`.
fn interface_data<'py>(array: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(interface) = given(array, "__array_interface__")? else { return Ok(None) };
    let data = interface.call_method1(intern!(array.py(), "get"), ("data",))?;
    Ok((!data.is_none()).then_some(data))
}

/// An attribute that is there and not `None`.
fn given<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(object.getattr_opt(name)?.filter(|value| !value.is_none()))
}
