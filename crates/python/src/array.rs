//! Arrays of any library as addresses: PyTorch tensors and everything else with `data_ptr()`, NumPy arrays, and
//! objects with the buffer protocol, `__array_interface__` or DLPack.

use crate::exchange::Exchange;
use crate::host::{self, Holds};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTuple, PyType};
use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};
use trident_ir::DType;

/// How values of a type are taken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    /// No array.
    None,
    /// A tuple, which may hold any of the others.
    Tuple,
    /// A NumPy scalar.
    Scalar,
    /// Its `data_ptr()` gives the address.
    DataPtr(Gate),
    /// The buffer protocol, `__array_interface__` or DLPack gives the address.
    Foreign,
}

/// How an object with `data_ptr()` tells whether its memory is this machine's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gate {
    /// The attribute `is_cpu`; faster, where there is one, by DLPack's C interface.
    IsCpu(Option<Exchange>),
    /// The attribute `device`.
    Device,
    /// It does not.
    Open,
}

/// The access of each type seen, by the type's address; the type is kept so that the address stays its own.
type Types = HashMap<usize, (Py<PyType>, Access)>;

fn types() -> &'static RwLock<Types> {
    static TYPES: OnceLock<RwLock<Types>> = OnceLock::new();
    TYPES.get_or_init(RwLock::default)
}

impl Access {
    /// How this object is taken.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Access> {
        let ty = object.get_type();
        let key = ty.as_ptr() as usize;
        if let Some((_, access)) = types().read().unwrap_or_else(PoisonError::into_inner).get(&key)
        {
            return Ok(*access);
        }
        let access = Access::find(object)?;
        types().write().unwrap_or_else(PoisonError::into_inner).insert(key, (ty.unbind(), access));
        Ok(access)
    }

    fn find(object: &Bound<'_, PyAny>) -> PyResult<Access> {
        let py = object.py();
        let plain = object.is_none()
            || object.is_exact_instance_of::<PyInt>()
            || object.is_exact_instance_of::<PyFloat>()
            || object.is_exact_instance_of::<PyBool>()
            || object.is_instance_of::<PyString>()
            || object.is_instance_of::<PyBytes>();
        if plain {
            return Ok(Access::None);
        }
        if object.is_instance_of::<PyTuple>() {
            return Ok(Access::Tuple);
        }
        if object.hasattr(intern!(py, "data_ptr"))? {
            let gate = if object.hasattr(intern!(py, "is_cpu"))? {
                Gate::IsCpu(Exchange::of(&object.get_type()))
            } else if object.hasattr(intern!(py, "device"))? {
                Gate::Device
            } else {
                Gate::Open
            };
            return Ok(Access::DataPtr(gate));
        }
        let modules = py.import("sys")?.getattr("modules")?;
        if let Ok(numpy) = modules.get_item("numpy")
            && object.is_instance(&numpy.getattr("generic")?)?
        {
            return Ok(Access::Scalar);
        }
        if let Ok(masked) = modules.get_item("numpy.ma")
            && object.is_instance(&masked.getattr("MaskedArray")?)?
        {
            let text = "a kernel does not see the mask of a masked array: give its `data`";
            return Err(PyTypeError::new_err(text));
        }
        let foreign = object.hasattr(intern!(py, "__array_interface__"))?
            || object.hasattr(intern!(py, "__dlpack__"))?
            || PyUntypedBuffer::get(object).is_ok();
        Ok(if foreign { Access::Foreign } else { Access::None })
    }
}

/// The address of an array's first element. Integers are addresses, `None` is null. In a buffer of the GPU it is what launches take
/// for an address as long as the buffer is in `holds`.
pub(crate) fn address(object: &Bound<'_, PyAny>, holds: &mut Holds) -> PyResult<u64> {
    let py = object.py();
    match Access::of(object)? {
        Access::DataPtr(gate) => {
            let here = match gate {
                Gate::IsCpu(_) => object.getattr(intern!(py, "is_cpu"))?.is_truthy()?,
                Gate::Device => is_cpu(&object.getattr(intern!(py, "device"))?)?,
                Gate::Open => true,
            };
            if !here {
                return match host::place(object, holds)? {
                    Some(place) => Ok(place),
                    None => Err(elsewhere(object)?),
                };
            }
            match object.call_method0(intern!(py, "data_ptr"))?.extract()? {
                0 => without_memory(object),
                address => Ok(address),
            }
        }
        Access::Foreign => foreign(object, false, holds),
        Access::None if object.is_none() => Ok(0),
        Access::None | Access::Tuple | Access::Scalar => object.extract().map_err(|_: PyErr| {
            let name = object.get_type().name().map_or_else(|_| "?".to_owned(), |n| n.to_string());
            PyTypeError::new_err(format!(
                "expected an array (PyTorch, NumPy, DLPack, buffer or an object with `data_ptr()`), not `{name}`"
            ))
        }),
    }
}

/// The null address of an empty array; an array of elements has to have memory.
fn without_memory(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = object.py();
    let count = match object.call_method0(intern!(py, "numel")) {
        Ok(count) => count,
        Err(_) => object.getattr(intern!(py, "nbytes"))?,
    };
    if count.extract::<u64>().is_ok_and(|count| count == 0) {
        return Ok(0);
    }
    let name = object.get_type().name()?;
    Err(PyValueError::new_err(format!(
        "this `{name}` has no memory (its address is 0): its elements are elsewhere, or it was made for tracing only"
    )))
}

/// The address for a parameter that points to elements of type `to`, if the array suits it: its elements are of that type,
/// and it may be written to if the kernel does.
pub(crate) fn pointer(
    object: &Bound<'_, PyAny>,
    to: DType,
    written: bool,
    holds: &mut Holds,
) -> PyResult<u64> {
    let access = Access::of(object)?;
    // PyTorch has no read-only tensors. What the interface cannot tell, or does not suit, goes on to where the errors are.
    if let Access::DataPtr(Gate::IsCpu(Some(exchange))) = access
        && let Some((address, ty)) = exchange.look(object)
        && address != 0
        && fits(ty, to)
    {
        return Ok(address);
    }
    if let Access::DataPtr(_) | Access::Foreign = access
        && let Some(ty) = told_dtype(object)?
        && !fits(ty, to)
    {
        let ty = ty.replacen("fp", "f", 1);
        let text = format!("the kernel takes elements of type {to}, and the array has {ty}");
        return Err(PyTypeError::new_err(text));
    }
    match access {
        Access::Foreign => foreign(object, written, holds),
        Access::DataPtr(Gate::Device | Gate::Open) if written => {
            writable(spoken_readonly(object)?)?;
            address(object, holds)
        }
        _ => address(object, holds),
    }
}

/// Whether elements that Triton calls `ty` are what a parameter takes. Integers may be of either sign, and stand for floats
/// that an array library lacks.
fn fits(ty: &str, to: DType) -> bool {
    match ty {
        "fp16" => to == DType::F16,
        "bf16" => to == DType::BF16,
        "fp32" => to == DType::F32,
        "fp64" => to == DType::F64,
        "i16" | "u16" => to.size() == 2,
        "i32" | "u32" => to.size() == 4 && to.is_int(),
        "i64" | "u64" => to.size() == 8 && to.is_int(),
        _ => to.size() == 1,
    }
}

/// Whether an array says by other ways than the buffer protocol that it is not to be written to.
fn spoken_readonly(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let readonly = object.py().import("trident.arrays")?.getattr("is_readonly")?;
    readonly.call1((object,))?.extract()
}

fn writable(readonly: bool) -> PyResult<()> {
    if readonly {
        let text = "the array is read-only, and the kernel writes to it: give a copy";
        return Err(PyValueError::new_err(text));
    }
    Ok(())
}

/// The address by the buffer protocol, or where that has no name for the element type, by the array's own interface. An
/// array that has strides but cannot tell them must have none: no kernel could be told how to read it.
fn foreign(object: &Bound<'_, PyAny>, written: bool, holds: &mut Holds) -> PyResult<u64> {
    let py = object.py();
    if let Some(place) = host::place(object, holds)? {
        writable(written && spoken_readonly(object)?)?;
        return Ok(place);
    }
    if let Ok(buffer) = PyUntypedBuffer::get(object) {
        writable(written && buffer.readonly())?;
        if !buffer.is_c_contiguous() && !object.hasattr(intern!(py, "strides"))? {
            let name = object.get_type().name()?;
            return Err(PyValueError::new_err(format!(
                "the elements of this `{name}` are not one behind the other, and it does not tell its strides: make it contiguous first"
            )));
        }
        return Ok(buffer.buf_ptr() as u64);
    }
    writable(written && spoken_readonly(object)?)?;
    let address = py.import("trident.arrays")?.getattr("address")?;
    address.call1((object,))?.extract()
}

/// Whether a `device` attribute names this machine's memory: `cpu`, an object whose `type` is that, or an empty one.
fn is_cpu(device: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = device.getattr(intern!(device.py(), "type")).unwrap_or_else(|_| device.clone());
    let text = kind.str()?.to_string();
    Ok(device.is_none() || text.to_ascii_lowercase().starts_with("cpu"))
}

fn elsewhere(object: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let here = if host::is_gpu()? { "GPU, which does not reach it" } else { "CPU" };
    let device = object.getattr("device").and_then(|d| d.str().map(|s| s.to_string()));
    let device = device.unwrap_or_else(|_| "another device".into());
    Ok(PyValueError::new_err(format!(
        "the tensor is on `{device}`, and this kernel runs on the {here}: move it there first, for example by `.cpu()`"
    )))
}

/// Element types by the names that array libraries give them, and what Triton calls them.
const DTYPES: &[(&str, &str)] = &[
    ("float32", "fp32"),
    ("float64", "fp64"),
    ("float16", "fp16"),
    ("bfloat16", "bf16"),
    ("int8", "i8"),
    ("int16", "i16"),
    ("int32", "i32"),
    ("int64", "i64"),
    ("uint8", "u8"),
    ("uint16", "u16"),
    ("uint32", "u32"),
    ("uint64", "u64"),
    ("bool", "u1"),
    ("bool_", "u1"),
    ("float8_e4m3fn", "fp8e4nv"),
    ("float8_e5m2", "fp8e5"),
    ("float8_e4m3fnuz", "fp8e4b8"),
    ("float8_e5m2fnuz", "fp8e5b16"),
    // As Triton itself calls them, in tensors taken as another type.
    ("fp32", "fp32"),
    ("fp64", "fp64"),
    ("fp16", "fp16"),
    ("bf16", "bf16"),
    ("int1", "u1"),
    ("fp8e4nv", "fp8e4nv"),
    ("fp8e5", "fp8e5"),
    ("fp8e4b8", "fp8e4b8"),
    ("fp8e5b16", "fp8e5b16"),
    ("fp8e4b15", "fp8e4b15"),
];

/// Element types by the codes of Python's `struct`.
const FORMATS: &[(&str, &str)] = &[
    ("f", "fp32"),
    ("d", "fp64"),
    ("e", "fp16"),
    ("b", "i8"),
    ("h", "i16"),
    ("i", "i32"),
    ("q", "i64"),
    ("l", if cfg!(windows) { "i32" } else { "i64" }),
    ("B", "u8"),
    ("H", "u16"),
    ("I", "u32"),
    ("Q", "u64"),
    ("L", if cfg!(windows) { "u32" } else { "u64" }),
    ("?", "u1"),
];

fn find(table: &[(&str, &'static str)], key: &str) -> Option<&'static str> {
    table.iter().find(|(name, _)| *name == key).map(|(_, ty)| *ty)
}

/// Element types by the `dtype` objects seen, which libraries make once each; few, so that others cost no memory.
type DTypes = HashMap<usize, (Py<PyAny>, &'static str)>;
const MAX_DTYPES: usize = 64;

fn dtypes() -> &'static RwLock<DTypes> {
    static DTYPES: OnceLock<RwLock<DTypes>> = OnceLock::new();
    DTYPES.get_or_init(RwLock::default)
}

/// Triton's name for the element type of a foreign array.
pub(crate) fn dtype(object: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    match told_dtype(object)? {
        Some(ty) => Ok(ty),
        None => Err(unknown(&object.get_type().name()?.to_string())),
    }
}

/// The same; `None` if the array does not tell it.
fn told_dtype(object: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    let Ok(dtype) = object.getattr(intern!(object.py(), "dtype")) else {
        let Ok(buffer) = PyUntypedBuffer::get(object) else { return Ok(None) };
        let format = buffer.format().to_string_lossy().into_owned();
        let code = format.trim_start_matches(['@', '=', '<']);
        return find(FORMATS, code).map(Some).ok_or_else(|| unknown(&format));
    };
    let key = dtype.as_ptr() as usize;
    if let Some((_, ty)) = dtypes().read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(Some(ty));
    }
    let name = dtype.str()?.to_string();
    let short = name.rsplit('.').next().unwrap_or(&name);
    let ty = find(DTYPES, short).ok_or_else(|| unknown(&name))?;
    let mut known = dtypes().write().unwrap_or_else(PoisonError::into_inner);
    if known.len() < MAX_DTYPES {
        known.insert(key, (dtype.unbind(), ty));
    }
    Ok(Some(ty))
}

pub(crate) fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!("arrays of element type `{name}` cannot be kernel arguments"))
}
