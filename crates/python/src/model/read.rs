//! Objects of Python as values of a model: arrays of any library, strings, lists, dictionaries, `None`.

use super::dtype;
use super::lend::Lent;
use super::refusal::{Refusal, Result};
use super::torch;
use crate::dlpack::Export;
use crate::model::Copied;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple,
};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use trident_engine::Session;
use trident_ir::dtype::Class;
use trident_ir::{DType, Type};
use trident_runtime::{AliasGroup, MapValue, Tensor, Value};

/// Reads the arguments of one run.
pub(super) struct Reader<'a> {
    pub(super) session: &'a Session,
    pub(super) copied: &'a Copied,
    /// The group of all memory that a run has, if it writes results to arrays of the caller.
    pub(super) group: Option<&'a AliasGroup>,
}

impl Reader<'_> {
    /// The value for an input of this type. Element type and dimensions are compared with it later, by the engine.
    pub(super) fn value(&self, object: &Bound<'_, PyAny>, ty: &Type) -> Result<Value> {
        match ty {
            Type::Optional(_) if object.is_none() => Ok(Value::Optional(None)),
            Type::Optional(inner) => {
                Ok(Value::Optional(Some(Arc::new(self.value(object, inner)?))))
            }
            Type::Seq(item) => {
                let is_list = object.is_instance_of::<PyList>();
                if !is_list && !object.is_instance_of::<PyTuple>() {
                    return Err(mismatch(object, "a list"));
                }
                let items = object.try_iter()?.enumerate().map(|(i, object)| {
                    self.value(&object?, item).map_err(|refusal| match refusal {
                        Refusal::Text(text) => {
                            Refusal::Text(format!("item {i} of the list: {text}"))
                        }
                        raised => raised,
                    })
                });
                Ok(Value::seq(items.collect::<Result<_>>()?))
            }
            Type::Map(key, value) => {
                let Ok(dict) = object.cast::<PyDict>() else {
                    return Err(mismatch(object, "a dict"));
                };
                // A copy, since the code of keys and other threads may change the dict.
                let dict = dict.copy()?;
                let (keys, values) = (dict.keys(), dict.values());
                let keys = self.tensor(keys.as_any(), Some(*key))?;
                let values = self.tensor(values.as_any(), value.dtype())?;
                Ok(Value::Map(Arc::new(MapValue { keys, values })))
            }
            ty => Ok(Value::Tensor(self.tensor(object, ty.dtype())?)),
        }
    }

    /// A tensor of an array's elements, in its memory where that is possible.
    fn tensor(&self, object: &Bound<'_, PyAny>, wanted: Option<DType>) -> Result<Tensor> {
        let py = object.py();
        if wanted == Some(DType::Str) {
            return self.strings(object);
        }
        // The usual array, without a look at names.
        if let Some(wanted) = wanted
            && !dtype::is_extension(wanted)
            && object.get_type().is(dtype::ndarray(py)?)
            && object.getattr(intern!(py, "dtype"))?.is(dtype::numpy(py, wanted)?)
            && let Ok(Some(lent)) = Lent::of_array(object, wanted, None)
        {
            return self.lend(lent);
        }
        if object.is_instance(dtype::ndarray(py)?)? {
            return self.array(object, wanted);
        }
        if object.hasattr(intern!(py, "__dlpack__"))? {
            let (own, is_resolved) = torch::resolved(object)?;
            let export = Export::of_host(&own).map_err(|error| torch::refusal(&own, error))?;
            let (tensor, is_copied) = Lent::of_export(py, export, self.session)?;
            self.count(&tensor, is_resolved || is_copied);
            return Ok(tensor);
        }
        match as_array(object)? {
            Some(array) => self.array(&array, wanted),
            None => self.plain(object, wanted),
        }
    }

    fn lend(&self, lent: Lent) -> Result<Tensor> {
        let (tensor, is_copied) = lent.read(self.session, self.group)?;
        self.count(&tensor, is_copied);
        Ok(tensor)
    }

    fn count(&self, tensor: &Tensor, is_copied: bool) {
        if is_copied {
            self.copied.inputs.fetch_add(tensor.size() as u64, Relaxed);
        }
    }

    /// A tensor of a NumPy array, which is copied once if its elements are not contiguous, or in another byte order.
    fn array(&self, array: &Bound<'_, PyAny>, wanted: Option<DType>) -> Result<Tensor> {
        let py = array.py();
        let element = array.getattr(intern!(py, "dtype"))?;
        let kind: char = element.getattr(intern!(py, "kind"))?.extract()?;
        if let ('O', Some(wanted)) = (kind, wanted) {
            let name = dtype::name(wanted);
            return Err(Refusal::text(format!(
                "it is an array of objects: convert it by `.astype(\"{name}\")`"
            )));
        }
        if "OUST".contains(kind) {
            return self.strings(array);
        }
        let dtype = element_type(array)?;
        let native = match element.getattr(intern!(py, "isnative"))?.is_truthy()? {
            true => element,
            false => element.call_method1(intern!(py, "newbyteorder"), ("=",))?,
        };
        let options = PyDict::new(py);
        options.set_item(intern!(py, "order"), "C")?;
        options.set_item(intern!(py, "copy"), false)?;
        let dense = array.call_method(intern!(py, "astype"), (native,), Some(&options))?;
        let lent = dense_memory(&dense, dtype)?;
        if dense.is(array) {
            return self.lend(lent);
        }
        let (tensor, _) = lent.read(self.session, self.group)?;
        self.count(&tensor, true);
        Ok(tensor)
    }

    /// A tensor of Python's numbers, of which none is rounded to an integer, and none is beyond the type's range.
    fn plain(&self, object: &Bound<'_, PyAny>, wanted: Option<DType>) -> Result<Tensor> {
        let py = object.py();
        let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        let is_number = object.is_instance_of::<PyInt>()
            || object.is_instance_of::<PyFloat>()
            || object.is_instance_of::<PyBool>()
            || object.is_instance_of::<PyComplex>();
        if !is_list && !is_number {
            return Err(mismatch(object, "an array"));
        }
        let made = py.import("numpy")?.call_method1(intern!(py, "asarray"), (object,));
        let made = made.map_err(|error| as_text(py, error))?;
        let Some(wanted) = wanted else { return self.array(&made, None) };
        let name = dtype::name(wanted);
        if wanted.bits() < 8 {
            return Err(Refusal::text(format!("{name} is expected: pass an array of ml_dtypes")));
        }
        // Python's numbers have no width: another kind of number is an error, and so is a number that the type cannot have.
        let kinds = "biufc";
        let most = match wanted.class() {
            Class::Bool => 'b',
            Class::Int | Class::UInt => 'u',
            Class::Complex => 'c',
            Class::Float | Class::Str => 'f',
        };
        let given = made.getattr(intern!(py, "dtype"))?;
        let kind: char = given.getattr(intern!(py, "kind"))?.extract()?;
        let fits = kinds.find(kind).is_some_and(|kind| Some(kind) <= kinds.find(most));
        if !fits && made.getattr(intern!(py, "size"))?.extract::<usize>()? > 0 {
            let given = match kind {
                'O' => "not all numbers, or too large".to_owned(),
                _ => given.str()?.to_string(),
            };
            return Err(Refusal::text(format!("its numbers are {given}, and {name} is expected")));
        }
        let element = dtype::numpy(py, wanted)?;
        let convert = py.import("trident.numbers")?.getattr("converted")?;
        let array = convert.call1((made, element)).map_err(|error| as_text(py, error))?;
        let (tensor, _) = dense_memory(&array, wanted)?.read(self.session, None)?;
        self.count(&tensor, true);
        Ok(tensor)
    }

    /// A tensor of strings: of an array or list of them, or of one. Bytes are read as UTF-8.
    fn strings(&self, object: &Bound<'_, PyAny>) -> Result<Tensor> {
        let py = object.py();
        let options = PyDict::new(py);
        if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            // NumPy would make texts of numbers among texts.
            options.set_item(intern!(py, "dtype"), "object")?;
        }
        let numpy = py.import("numpy")?;
        let array = numpy.call_method(intern!(py, "asarray"), (object,), Some(&options));
        let array = array.map_err(|error| as_text(py, error))?;
        let dims: Vec<usize> = array.getattr(intern!(py, "shape"))?.extract()?;
        let flat = array.call_method0(intern!(py, "ravel"))?;
        let items: Vec<Bound<'_, PyAny>> = flat.call_method0(intern!(py, "tolist"))?.extract()?;
        let read = |(i, item): (usize, &Bound<'_, PyAny>)| -> Result<String> {
            if let Ok(text) = item.cast::<PyString>() {
                let text = text.to_str().map_err(|_| {
                    Refusal::text(format!("element {i} has a surrogate, which UTF-8 cannot encode"))
                })?;
                return Ok(text.to_owned());
            }
            let Ok(bytes) = item.cast::<PyBytes>() else {
                return Err(Refusal::text(format!(
                    "element {i} is {}, and strings are expected",
                    kind(item)
                )));
            };
            let text = std::str::from_utf8(bytes.as_bytes());
            let text = text.map_err(|_| Refusal::text(format!("element {i} is not UTF-8")))?;
            Ok(text.to_owned())
        };
        let strings = items.iter().enumerate().map(read).collect::<Result<Vec<String>>>()?;
        Ok(self.session.strings(&dims, strings.iter().map(String::as_str))?)
    }

    /// A tensor in the memory of an array of the caller, for a result.
    pub(super) fn output(&self, object: &Bound<'_, PyAny>, group: &AliasGroup) -> Result<Tensor> {
        let py = object.py();
        let is_array = object.is_instance(dtype::ndarray(py)?)?;
        if !is_array && object.hasattr(intern!(py, "__dlpack__"))? {
            torch::check_output(object)?;
            let export = Export::of_host(object).map_err(|error| torch::refusal(object, error))?;
            let lent = Lent::to_write(py, export)?;
            return lent.write(self.session, group);
        }
        let array = match is_array {
            true => object.clone(),
            false => as_array(object)?.ok_or_else(|| mismatch(object, "an array"))?,
        };
        if !array.getattr("dtype")?.getattr("isnative")?.is_truthy()? {
            return Err(Refusal::text("its byte order is not that of this machine"));
        }
        dense_memory(&array, element_type(&array)?)?.write(self.session, group)
    }
}

/// The element type of a NumPy array.
fn element_type(array: &Bound<'_, PyAny>) -> Result<DType> {
    let py = array.py();
    let modules = py.import("sys")?.getattr("modules")?;
    if let Ok(masked) = modules.get_item("numpy.ma")
        && array.is_instance(&masked.getattr("MaskedArray")?)?
    {
        let text = "it is a masked array, whose mask a model does not see: pass its `.data` or `.filled()`";
        return Err(Refusal::text(text));
    }
    let name: String = array.getattr("dtype")?.getattr("name")?.extract()?;
    dtype::by_name(&name).ok_or_else(|| Refusal::text(format!("models take no arrays of `{name}`")))
}

/// The memory of a NumPy array with contiguous elements in the machine's byte order.
fn dense_memory(array: &Bound<'_, PyAny>, dtype: DType) -> Result<Lent> {
    let py = array.py();
    let shape: Vec<usize> = array.getattr(intern!(py, "shape"))?.extract()?;
    let mut bytes = array.clone();
    if shape.is_empty() {
        bytes = bytes.call_method1(intern!(py, "reshape"), (1,))?;
    }
    // NumPy gives no buffers of elements that it does not know.
    if dtype::is_extension(dtype) {
        let same = if dtype.size() == 2 { DType::U16 } else { DType::U8 };
        bytes = bytes.call_method1(intern!(py, "view"), (dtype::numpy(py, same)?,))?;
    }
    let lent = Lent::of_array(&bytes, dtype, Some(shape))?;
    lent.ok_or_else(|| Refusal::text("its elements are not contiguous, and results are"))
}

/// A NumPy array over the memory of an object with the buffer protocol, or with NumPy's own interface; `None` for other objects.
fn as_array<'py>(object: &Bound<'py, PyAny>) -> Result<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let numpy = py.import("numpy")?;
    let asarray =
        |object: &Bound<'py, PyAny>| numpy.call_method1(intern!(py, "asarray"), (object,));
    if let Ok(view) = PyMemoryView::from(object) {
        return Ok(Some(asarray(view.as_any())?));
    }
    let known = object.hasattr(intern!(py, "__array_interface__"))?
        || object.hasattr(intern!(py, "__array__"))?;
    Ok(if known { Some(asarray(object)?) } else { None })
}

/// A `ValueError` as the reason of a refusal; other exceptions stay as they are.
fn as_text(py: Python<'_>, error: PyErr) -> Refusal {
    match error.is_instance_of::<PyValueError>(py) {
        true => Refusal::text(error.value(py).to_string()),
        false => Refusal::Raised(error),
    }
}

fn kind(object: &Bound<'_, PyAny>) -> String {
    match object.get_type().name() {
        Ok(name) => format!("a `{name}`"),
        Err(_) => "an object".into(),
    }
}

fn mismatch(object: &Bound<'_, PyAny>, expected: &str) -> Refusal {
    Refusal::text(format!("it is {}, and {expected} is expected", kind(object)))
}
