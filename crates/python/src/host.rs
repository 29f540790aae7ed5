//! The GPU as launches share it: arrays that lie in its buffers, memory that kernels find addresses of, and its time.
// Handles and addresses of arrays are taken on their libraries' word.
#![allow(unsafe_code)]

use crate::array::{self, Access, tells_strides};
use crate::device;
use crate::dlpack::{self, Export, METAL};
use crate::extent::{self, Stretch};
use crate::unfit::{Result, Unfit};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyTuple, PyType, PyWeakrefReference};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trident_runtime::{HeldBuffer, LaunchMark, OwnBuffer, ReachedMemory, SharedGpu};

fn gpu() -> PyResult<Arc<dyn SharedGpu>> {
    device::host()?.ok_or_else(|| PyRuntimeError::new_err("kernels run on the CPU"))
}

pub(crate) fn is_gpu() -> PyResult<bool> {
    Ok(device::host()?.is_some())
}

/// Where an array lies in a buffer of the GPU.
#[derive(Clone)]
pub(crate) struct Place {
    held: Arc<dyn HeldBuffer>,
    offset: u64,
}

impl Place {
    /// The address that launches use for the array while the buffer is held.
    pub(crate) fn address(&self) -> u64 {
        self.held.place() as u64 + self.offset
    }

    /// The whole buffer.
    pub(crate) fn buffer(&self) -> Stretch {
        Stretch { address: self.held.place() as u64, bytes: self.held.bytes() as u64 }
    }
}

/// The arrays of one launch. Each is exported once and held until the launch ends.
#[derive(Default)]
pub(crate) struct Holds {
    places: Vec<(Py<PyAny>, Place)>,
    exports: Vec<(Py<PyAny>, Export)>,
}

impl Holds {
    /// The array's DLPack export.
    pub(crate) fn export(&mut self, array: &Bound<'_, PyAny>) -> PyResult<&Export> {
        let known = self.exports.iter().position(|(known, _)| known.is(array));
        if known.is_none() {
            self.exports.push((array.clone().unbind(), Export::of(array)?));
        }
        Ok(&self.exports[known.unwrap_or(self.exports.len() - 1)].1)
    }

    /// The place of an array in a buffer of the GPU; `None` for other arrays, and where kernels run on the CPU.
    /// Afterwards, work that its library has queued for the array is complete.
    pub(crate) fn place(&mut self, array: &Bound<'_, PyAny>) -> Result<Option<Place>> {
        let Some(gpu) = device::host()? else { return Ok(None) };
        if let Some(inner) = viewed(array)? {
            return self.place(&inner);
        }
        // NumPy's interface is for memory of the CPU.
        if array.hasattr(intern!(array.py(), "__array_interface__"))? {
            return Ok(None);
        }
        if let Some((_, place)) = self.places.iter().find(|(known, _)| known.is(array)) {
            return Ok(Some(place.clone()));
        }
        let Some((handle, offset)) = self.handle(array)? else { return Ok(None) };
        // SAFETY: the handle is not a number of the caller's, but what the array's library tells: PyTorch, or a capsule of DLPack. The
        // buffer lives now, as the caller has the array, and `self` the capsule.
        let held = unsafe { gpu.hold(handle) };
        let held = held.map_err(|error| PyValueError::new_err(error.to_string()))?;
        if offset > held.bytes() as u64 {
            let bytes = held.bytes();
            return Err(Unfit::Value(format!("begins at byte {offset} of a buffer of {bytes}")));
        }
        let place = Place { held, offset };
        self.places.push((array.clone().unbind(), place.clone()));
        Ok(Some(place))
    }

    /// The handle of the Metal buffer that an array lies in, and the byte where it begins.
    fn handle(&mut self, array: &Bound<'_, PyAny>) -> Result<Option<(u64, u64)>> {
        let py = array.py();
        let modules = py.import("sys")?.getattr("modules")?;
        let loaded = |name: &str| modules.get_item(name).ok().filter(|module| !module.is_none());
        if let Some(torch) = loaded("torch")
            && array.is_instance(&torch.getattr(intern!(py, "Tensor"))?)?
        {
            let device = array.getattr(intern!(py, "device"))?.getattr(intern!(py, "type"))?;
            if !device.eq(intern!(py, "mps"))? {
                return Ok(None);
            }
            torch.getattr(intern!(py, "mps"))?.call_method0(intern!(py, "synchronize"))?;
            // Its DLPack has taken a view's offset for part of the handle, or left such arrays out, depending on the version.
            let offset: u64 = array.call_method0(intern!(py, "storage_offset"))?.extract()?;
            let size: u64 = array.call_method0(intern!(py, "element_size"))?.extract()?;
            let storage = array.call_method0(intern!(py, "untyped_storage"))?;
            let handle = storage.call_method0(intern!(py, "data_ptr"))?.extract()?;
            return Ok(Some((handle, offset.saturating_mul(size))));
        }
        if !array.hasattr(intern!(py, "__dlpack_device__"))? || dlpack::device(array)? != METAL {
            return Ok(None);
        }
        if let Some(mlx) = loaded("mlx.core")
            && array.is_instance(&mlx.getattr(intern!(py, "array"))?)?
        {
            mlx.call_method1(intern!(py, "eval"), (array,))?;
        }
        let export = self.export(array)?;
        if export.bytes.is_none() {
            tells_strides(array)?;
        }
        Ok(export.handle())
    }
}

/// The array in a view that stands for it, `trident.arrays.View`.
pub(crate) fn viewed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static VIEW: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = object.py();
    match object.is_instance(VIEW.import(py, "trident.arrays", "View")?)? {
        true => object.getattr(intern!(py, "array")).map(Some),
        false => Ok(None),
    }
}

/// Memory that an array lies in, within reach of kernels that read its address.
struct Reached {
    memory: Stretch,
    reached: Arc<dyn ReachedMemory>,
    _places: Vec<Place>,
    /// Calls [`forget`] before the array is gone, and its memory with it.
    _watch: Py<PyWeakrefReference>,
}

/// By the arrays' identities.
fn table() -> MutexGuard<'static, BTreeMap<usize, Reached>> {
    static TABLE: Mutex<BTreeMap<usize, Reached>> = Mutex::new(BTreeMap::new());
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(array: usize) {
    let gone = table().remove(&array);
    // Only now, without the lock: it may run code of Python.
    drop(gone);
}

/// Where an array's first element lies for a kernel that reads the address from memory. On a GPU it is within reach of launches as long
/// as the array lives, which is not kept alive by this.
#[pyfunction]
pub(crate) fn reach(array: &Bound<'_, PyAny>) -> PyResult<u64> {
    let mut holds = Holds::default();
    within_reach(array, &mut holds).map_err(|refused| refused.about(array.py(), "array"))
}

fn within_reach(array: &Bound<'_, PyAny>, holds: &mut Holds) -> Result<u64> {
    let py = array.py();
    if let Some(inner) = viewed(array)? {
        return within_reach(&inner, holds);
    }
    let place = array::address(array, holds)?;
    let is_array = matches!(Access::of(array)?, Access::DataPtr(_) | Access::Foreign);
    if place == 0 || !is_array || !is_gpu()? {
        return Ok(place);
    }
    let Some((memory, is_writable)) = extent::memory(array, holds)? else {
        let name = array.get_type().name()?;
        return Err(Unfit::Value(format!("is a `{name}`, which does not say where its memory is")));
    };
    if !is_writable {
        let text = "is read-only, and a kernel may write wherever it has an address; pass a copy";
        return Err(Unfit::Value(text.into()));
    }
    let id = array.as_ptr() as usize;
    let known = |table: &BTreeMap<usize, Reached>| {
        let reached = table.get(&id).filter(|reached| reached.memory == memory)?;
        Some(reached.reached.address().wrapping_add(place.wrapping_sub(memory.address)))
    };
    if let Some(address) = known(&table()) {
        return Ok(address);
    }
    let end = PyCFunction::new_closure(
        py,
        None,
        None,
        move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| forget(id),
    )?;
    let watch = PyWeakrefReference::new_with(array, end).map_err(|error| {
        let name = array.get_type().name();
        match name {
            Ok(name) if error.is_instance_of::<PyTypeError>(py) => Unfit::Type(format!(
                "is a `{name}`, which does not say when its memory is freed; pass an array of NumPy or PyTorch"
            )),
            _ => error.into(),
        }
    })?;
    let (start, bytes) = (memory.address as usize, memory.bytes as usize);
    // SAFETY: the array's library says that it lies in this memory, which may be written. What is returned is in the table until the
    // weak reference tells that the array is about to go, so the memory outlives it.
    let reached = unsafe { gpu()?.reach(start..start.saturating_add(bytes)) };
    let reached = reached.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let address = reached.address().wrapping_add(place.wrapping_sub(memory.address));
    // Exports of DLPack may keep the array, which would then never go.
    let _places = holds.places.drain(..).map(|(_, place)| place).collect();
    let new = Reached { memory, reached, _places, _watch: watch.unbind() };
    let former = table().insert(id, new);
    drop(former);
    Ok(address)
}

/// A buffer of the GPU, for tests and for libraries that have none of their own.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Buffer(Arc<dyn OwnBuffer>);

#[pymethods]
impl Buffer {
    #[new]
    fn new(bytes: usize) -> PyResult<Buffer> {
        let made = gpu()?.make(bytes);
        made.map(Buffer).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// DLPack's data pointer: an object, not an address.
    #[getter]
    fn handle(&self) -> u64 {
        self.0.handle()
    }

    /// Where the CPU sees its first byte.
    #[getter]
    fn contents(&self) -> usize {
        self.0.contents().as_ptr() as usize
    }
}

/// A point between launches on the GPU.
#[pyclass(frozen, module = "trident._trident")]
pub(crate) struct Mark(LaunchMark);

#[pymethods]
impl Mark {
    /// After the launches that have returned. There is none where kernels run on the CPU.
    #[staticmethod]
    fn now() -> PyResult<Option<Mark>> {
        Ok(device::host()?.map(|gpu| Mark(gpu.mark())))
    }

    /// Nanoseconds of the GPU from the begin of the first launch after this mark to the end of the last one before `end`.
    fn until(&self, end: &Mark) -> Option<u64> {
        let time = self.0.until(&end.0)?;
        Some(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }
}
