//! Arrays of any library as addresses: PyTorch tensors and everything else with `data_ptr()`, NumPy arrays, and
//! objects with the buffer protocol, `__array_interface__` or DLPack.

use crate::exchange::Exchange;
use crate::extent;
use crate::host::{self, Holds};
use crate::unfit::{Result, Unfit};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyAttributeError, PyOverflowError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyMemoryView, PyString, PyTuple, PyType};
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

/// The access of each type seen, by the type's address. The type is kept alive so that its address is not reused.
type Types = HashMap<usize, (Py<PyType>, Access)>;

fn types() -> &'static RwLock<Types> {
    static TYPES: OnceLock<RwLock<Types>> = OnceLock::new();
    TYPES.get_or_init(RwLock::default)
}

impl Access {
    /// How this object is taken.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> Result<Access> {
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

    fn find(object: &Bound<'_, PyAny>) -> Result<Access> {
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
            let text =
                "is a masked array, whose mask a kernel does not see; pass {}.data or {}.filled()";
            return Err(Unfit::Type(text.into()));
        }
        let foreign = object.hasattr(intern!(py, "__array_interface__"))?
            || object.hasattr(intern!(py, "__dlpack__"))?
            || buffer(object).is_some();
        Ok(if foreign { Access::Foreign } else { Access::None })
    }
}

/// The address of an array's first element. Integers are addresses, `None` is null. In a buffer of the GPU it is the
/// address that launches use while the buffer is in `holds`.
pub(crate) fn address(object: &Bound<'_, PyAny>, holds: &mut Holds) -> Result<u64> {
    let py = object.py();
    match Access::of(object)? {
        Access::DataPtr(gate) => {
            unnegated(object)?;
            let here = match gate {
                Gate::IsCpu(_) => object.getattr(intern!(py, "is_cpu"))?.is_truthy()?,
                Gate::Device => is_cpu(&object.getattr(intern!(py, "device"))?)?,
                Gate::Open => true,
            };
            if !here {
                return match holds.place(object)? {
                    Some(place) => Ok(place.address()),
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
        Access::None | Access::Tuple | Access::Scalar => {
            object.extract().map_err(|error: PyErr| {
                match error.is_instance_of::<PyOverflowError>(object.py()) {
                    true => Unfit::beyond(object, "an address", 0, u64::MAX.into()),
                    false => Unfit::mismatch(object, "an array"),
                }
            })
        }
    }
}

/// An error for a tensor of PyTorch that is a negated view, such as `x.conj().imag`: its memory has the opposite numbers, which a
/// kernel would read as they are. Conjugated views are complex, and kernels take no complex numbers.
fn unnegated(tensor: &Bound<'_, PyAny>) -> Result<()> {
    let py = tensor.py();
    match tensor.call_method0(intern!(py, "is_neg")) {
        Ok(answer) if answer.is_truthy()? => Err(Unfit::Value(
            "is a negated view, whose memory has the opposite numbers; pass a copy, {}.resolve_neg()".into(),
        )),
        // Arrays of other libraries do not have this question.
        Err(error) if !error.is_instance_of::<PyAttributeError>(py) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The null address of an empty array; an array of elements has to have memory.
fn without_memory(object: &Bound<'_, PyAny>) -> Result<u64> {
    let py = object.py();
    let count = match object.call_method0(intern!(py, "numel")) {
        Ok(count) => count,
        Err(_) => object.getattr(intern!(py, "nbytes"))?,
    };
    if count.extract::<u64>().is_ok_and(|count| count == 0) {
        return Ok(0);
    }
    let name = object.get_type().name()?;
    Err(Unfit::Value(format!(
        "is a `{name}` without memory (its address is 0): its elements are elsewhere, or it was made for tracing only"
    )))
}

/// The address for a parameter that points to elements of type `to`, if the array suits it: its elements are of that type,
/// and it may be written to if the kernel does.
pub(crate) fn pointer(
    object: &Bound<'_, PyAny>,
    to: DType,
    written: bool,
    holds: &mut Holds,
) -> Result<u64> {
    let access = Access::of(object)?;
    // PyTorch has no read-only tensors. Arrays that the interface cannot describe, or that do not fit, take the general
    // path, which reports errors.
    if let Access::DataPtr(Gate::IsCpu(Some(exchange))) = access
        && let Some((address, ty)) = exchange.look(object)
        && address != 0
        && fits(ty, to)
    {
        unnegated(object)?;
        return Ok(address);
    }
    if let Access::DataPtr(_) | Access::Foreign = access
        && let Some(ty) = told_dtype(object)?
        && !fits(ty, to)
    {
        let ty = ty.replacen("fp", "f", 1);
        return Err(Unfit::Type(format!(
            "has elements of type {ty}, and the kernel was compiled for {to}"
        )));
    }
    match access {
        Access::Foreign => foreign(object, written, holds),
        Access::DataPtr(Gate::Device | Gate::Open) if written => {
            writable(extent::is_readonly(object, holds)?)?;
            address(object, holds)
        }
        _ => address(object, holds),
    }
}

/// Whether elements that Triton calls `ty` are what a parameter takes. Integers may be of either sign, and may stand
/// for floats that an array library does not have.
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

fn writable(readonly: bool) -> Result<()> {
    match readonly {
        true => Err(Unfit::Value(
            "is read-only, and the kernel writes to it; pass a copy, such as np.array({})".into(),
        )),
        false => Ok(()),
    }
}

/// The address by the buffer protocol, or where that has no name for the element type, by the array's own interface.
fn foreign(object: &Bound<'_, PyAny>, written: bool, holds: &mut Holds) -> Result<u64> {
    if let Some(place) = holds.place(object)? {
        writable(written && extent::is_readonly(object, holds)?)?;
        return Ok(place.address());
    }
    if let Some(buffer) = buffer(object) {
        writable(written && buffer.readonly())?;
        if !buffer.is_c_contiguous() {
            tells_strides(object)?;
        }
        return Ok(buffer.buf_ptr() as u64);
    }
    writable(written && extent::is_readonly(object, holds)?)?;
    extent::spoken_address(object, holds)
}

/// An error for an array that has strides but does not give them: a kernel could not read it.
pub(crate) fn tells_strides(object: &Bound<'_, PyAny>) -> Result<()> {
    let py = object.py();
    if object.hasattr(intern!(py, "strides"))? || object.hasattr(intern!(py, "stride"))? {
        return Ok(());
    }
    let name = object.get_type().name()?;
    Err(Unfit::Value(format!(
        "is a `{name}` whose elements are not contiguous, and it does not give its strides: make it contiguous first"
    )))
}

/// The object's buffer. Arrays of `ctypes` leave out their strides; a view of them has strides.
fn buffer(object: &Bound<'_, PyAny>) -> Option<PyUntypedBuffer> {
    let viewed = || PyUntypedBuffer::get(PyMemoryView::from(object)?.as_any());
    PyUntypedBuffer::get(object).or_else(|_| viewed()).ok()
}

/// Whether a `device` attribute names this machine's memory: `cpu`, an object whose `type` is that, or an empty one.
fn is_cpu(device: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = device.getattr(intern!(device.py(), "type")).unwrap_or_else(|_| device.clone());
    let text = kind.str()?.to_string();
    Ok(device.is_none() || text.to_ascii_lowercase().starts_with("cpu"))
}

fn elsewhere(object: &Bound<'_, PyAny>) -> PyResult<Unfit> {
    let here = if host::is_gpu()? { "GPU, which does not reach it" } else { "CPU" };
    let device = object.getattr("device").and_then(|d| d.str().map(|s| s.to_string()));
    let device = device.unwrap_or_else(|_| "another device".into());
    Ok(Unfit::Value(match device.as_str() {
        "meta" => "is on `meta`, where tensors have no elements".into(),
        _ => format!(
            "is on `{device}`, and this kernel runs on the {here}: move it there first, such as by {{}}.cpu()"
        ),
    }))
}

/// Element types by the names of array libraries, with Triton's names.
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
    // Triton's own names, in tensors reinterpreted as another type.
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

/// The sign in formats of buffers that says the byte order of this machine.
const NATIVE: char = if cfg!(target_endian = "little") { '<' } else { '>' };

/// The element type of a buffer by its format, a code of Python's `struct`. The size of an integer follows from the
/// buffer: codes have other sizes with a sign of byte order, and `ctypes` gives one to integers that lack the code's.
fn of_format(format: &str, size: usize) -> Option<&'static str> {
    let code = format.trim_start_matches(['@', '=', NATIVE]);
    Some(match (code, size) {
        ("f", 4) => "fp32",
        ("d", 8) => "fp64",
        ("e", 2) => "fp16",
        ("?", 1) => "u1",
        ("b" | "h" | "i" | "l" | "q" | "n", 1) => "i8",
        ("b" | "h" | "i" | "l" | "q" | "n", 2) => "i16",
        ("b" | "h" | "i" | "l" | "q" | "n", 4) => "i32",
        ("b" | "h" | "i" | "l" | "q" | "n", 8) => "i64",
        ("B" | "H" | "I" | "L" | "Q" | "N", 1) => "u8",
        ("B" | "H" | "I" | "L" | "Q" | "N", 2) => "u16",
        ("B" | "H" | "I" | "L" | "Q" | "N", 4) => "u32",
        ("B" | "H" | "I" | "L" | "Q" | "N", 8) => "u64",
        _ => return None,
    })
}

fn find(name: &str) -> Option<&'static str> {
    DTYPES.iter().find(|(known, _)| *known == name).map(|(_, ty)| *ty)
}

/// Element types by the `dtype` objects seen, which libraries make once each. The number is limited, so that other
/// libraries' objects cost no memory.
type DTypes = HashMap<usize, (Py<PyAny>, &'static str)>;
const MAX_DTYPES: usize = 64;

fn dtypes() -> &'static RwLock<DTypes> {
    static DTYPES: OnceLock<RwLock<DTypes>> = OnceLock::new();
    DTYPES.get_or_init(RwLock::default)
}

/// Triton's name for the element type of a foreign array.
pub(crate) fn dtype(object: &Bound<'_, PyAny>) -> Result<&'static str> {
    let untold = || Unfit::Type("does not give the type of its elements: it has no `dtype`".into());
    told_dtype(object)?.ok_or_else(untold)
}

/// The same; `None` if the array does not tell it.
fn told_dtype(object: &Bound<'_, PyAny>) -> Result<Option<&'static str>> {
    let Ok(dtype) = object.getattr(intern!(object.py(), "dtype")) else {
        let Some(buffer) = buffer(object) else { return Ok(None) };
        let format = buffer.format().to_string_lossy().into_owned();
        let ty = of_format(&format, buffer.item_size());
        return ty.map(Some).ok_or_else(|| Unfit::elements(object, &format));
    };
    let key = dtype.as_ptr() as usize;
    if let Some((_, ty)) = dtypes().read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(Some(ty));
    }
    let name = dtype.str()?.to_string();
    let short = name.rsplit('.').next().unwrap_or(&name);
    let ty = find(short).ok_or_else(|| Unfit::elements(object, &name))?;
    let mut known = dtypes().write().unwrap_or_else(PoisonError::into_inner);
    if known.len() < MAX_DTYPES {
        known.insert(key, (dtype.unbind(), ty));
    }
    Ok(Some(ty))
}
