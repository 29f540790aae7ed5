//! DLPack: the structures of `dlpack.h`, and exports of arrays.
#![allow(unsafe_code)]

use crate::host;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyInt};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// The version of DLPack whose structures are declared here.
pub(crate) const MAJOR: u32 = 1;
pub(crate) const CPU: i32 = 1;
/// The data pointer is the handle of a buffer of the GPU.
pub(crate) const METAL: i32 = 8;
/// Devices whose memory the CPU sees: its own, the host memory of CUDA and of ROCm, and CUDA's managed memory.
const HOST: [i32; 4] = [CPU, 3, 11, 13];

const VERSIONED: &CStr = c"dltensor_versioned";
const PLAIN: &CStr = c"dltensor";
/// As many as NumPy's arrays have.
const MOST_DIMENSIONS: i32 = 64;
const READ_ONLY: u64 = 1;
/// The capsule has a copy of the array, to which kernels must not write.
const IS_COPIED: u64 = 2;

/// `DLTensor`.
#[repr(C)]
pub(crate) struct Tensor {
    pub(crate) data: *mut c_void,
    pub(crate) device: Device,
    pub(crate) dimensions: i32,
    pub(crate) element: Element,
    pub(crate) shape: *mut i64,
    pub(crate) strides: *mut i64,
    pub(crate) byte_offset: u64,
}

/// `DLDevice`.
#[repr(C)]
pub(crate) struct Device {
    pub(crate) kind: i32,
    pub(crate) number: i32,
}

/// `DLDataType`.
#[repr(C)]
pub(crate) struct Element {
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
}

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Version {
    major: u32,
    minor: u32,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct Managed {
    version: Version,
    manager: *mut c_void,
    deleter: *const c_void,
    flags: u64,
    tensor: Tensor,
}

/// A DLPack export of an array, with its capsule. It keeps the memory, as long as its library keeps to the protocol.
pub(crate) struct Export {
    device: i32,
    data: u64,
    offset: u64,
    /// The length of the memory in bytes; `None` if the elements are not contiguous.
    pub(crate) bytes: Option<u64>,
    pub(crate) is_readonly: bool,
    // Kernels keep the whole export.
    #[cfg_attr(not(feature = "models"), allow(dead_code))]
    capsule: Py<PyCapsule>,
}

/// The elements of an export, for those who read them by themselves.
#[cfg(feature = "models")]
pub(crate) struct Layout {
    /// The lengths of the dimensions, outermost first.
    pub(crate) dims: Vec<usize>,
    /// Bytes from an element to the next, for each dimension.
    pub(crate) strides: Vec<isize>,
    /// Code, bits and lanes of DLPack's element type.
    pub(crate) element: (u8, u8, u16),
}

impl Export {
    /// Asks the array's library, once, for a kernel.
    pub(crate) fn of(array: &Bound<'_, PyAny>) -> PyResult<Export> {
        let device = device(array)?;
        let is_gpu = host::is_gpu()?;
        if !(HOST.contains(&device) || is_gpu && device == METAL) {
            let here = if is_gpu { "GPU" } else { "CPU" };
            return Err(PyValueError::new_err(format!(
                "the array is on another device (DLPack type {device}); this kernel runs on the {here}"
            )));
        }
        Export::on(array, device)
    }

    /// Asks the array's library, once, for a model, which reads memory that the CPU sees.
    #[cfg(feature = "models")]
    pub(crate) fn of_host(array: &Bound<'_, PyAny>) -> PyResult<Export> {
        let device = device(array)?;
        if !HOST.contains(&device) {
            let text =
                format!("it is on another device (DLPack type {device}): move it to the CPU first");
            return Err(PyValueError::new_err(text));
        }
        Export::on(array, device)
    }

    fn on(array: &Bound<'_, PyAny>, device: i32) -> PyResult<Export> {
        let capsule = capsule(array)?;
        let (tensor, flags) = tensor(&capsule)?;
        // SAFETY: the capsule, which is kept, has the tensor, and DLPack says that its shape and strides have these lengths.
        let (tensor, shape, strides) = unsafe { parts(&tensor) };
        if tensor.device.kind != device {
            let other = tensor.device.kind;
            return Err(PyValueError::new_err(format!(
                "the array is on device type {device} by `__dlpack_device__()`, and on {other} by `__dlpack__()`"
            )));
        }
        Ok(Export {
            device,
            data: tensor.data as u64,
            offset: tensor.byte_offset,
            bytes: is_contiguous(shape, strides).then(|| bytes(shape, &tensor.element)).flatten(),
            is_readonly: flags & (READ_ONLY | IS_COPIED) != 0,
            capsule: capsule.unbind(),
        })
    }

    /// The dimensions, strides and type of the elements.
    #[cfg(feature = "models")]
    pub(crate) fn layout(&self, py: Python<'_>) -> PyResult<Layout> {
        let (tensor, _) = tensor(self.capsule.bind(py))?;
        // SAFETY: the capsule, which is kept, has the tensor, and DLPack says that its shape and strides have these lengths.
        let (tensor, shape, strides) = unsafe { parts(&tensor) };
        let negative = || PyValueError::new_err("a length or stride by DLPack is no number");
        let dims: Vec<usize> = shape
            .iter()
            .map(|size| usize::try_from(*size).map_err(|_| negative()))
            .collect::<PyResult<_>>()?;
        let Element { code, bits, lanes } = tensor.element;
        let size = i64::from(bits) * i64::from(lanes) / 8;
        let mut step = size;
        let dense = dims.iter().rev().map(|length| {
            let stride = step;
            step = step.saturating_mul(*length as i64);
            stride
        });
        let bytes: Vec<i64> = match strides {
            Some(strides) => strides.iter().map(|stride| stride.saturating_mul(size)).collect(),
            None => {
                let mut dense: Vec<i64> = dense.collect();
                dense.reverse();
                dense
            }
        };
        let strides = bytes.iter().map(|stride| isize::try_from(*stride).map_err(|_| negative()));
        Ok(Layout {
            dims,
            strides: strides.collect::<PyResult<_>>()?,
            element: (code, bits, lanes),
        })
    }

    /// The capsule, which keeps the memory.
    #[cfg(feature = "models")]
    pub(crate) fn into_capsule(self) -> Py<PyCapsule> {
        self.capsule
    }

    /// The address of the first element, if the CPU sees it.
    pub(crate) fn address(&self) -> Option<u64> {
        (self.device != METAL).then(|| self.data.wrapping_add(self.offset))
    }

    /// The handle of the Metal buffer that the array lies in, and the byte where it begins.
    pub(crate) fn handle(&self) -> Option<(u64, u64)> {
        (self.device == METAL).then_some((self.data, self.offset))
    }
}

/// The type of the device that an array lies on.
pub(crate) fn device(array: &Bound<'_, PyAny>) -> PyResult<i32> {
    let py = array.py();
    let device = array.call_method0(intern!(py, "__dlpack_device__"))?.get_item(0)?;
    // Enumerations of some libraries are not integers, but convert to one.
    py.get_type::<PyInt>().call1((device,))?.extract()
}

/// A fresh capsule.
fn capsule<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    let py = array.py();
    let export = array.getattr(intern!(py, "__dlpack__"))?;
    let options = PyDict::new(py);
    options.set_item(intern!(py, "max_version"), (MAJOR, 0))?;
    let exported = match export.call((), Some(&options)) {
        // Libraries from before versions know no such argument.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => export.call0()?,
        exported => exported?,
    };
    Ok(exported.cast_into::<PyCapsule>()?)
}

/// The tensor in a capsule, which lives as long as the capsule, and its flags.
fn tensor(capsule: &Bound<'_, PyCapsule>) -> PyResult<(NonNull<Tensor>, u64)> {
    let (tensor, flags) = match capsule.is_valid_checked(Some(VERSIONED)) {
        true => versioned(capsule)?,
        false => (capsule.pointer_checked(Some(PLAIN))?.cast::<Tensor>(), 0),
    };
    // SAFETY: a capsule of either name, which is not used up, has a tensor.
    let Tensor { dimensions, shape, .. } = unsafe { tensor.as_ref() };
    if !(0..=MOST_DIMENSIONS).contains(dimensions) || *dimensions > 0 && shape.is_null() {
        let lengths = if shape.is_null() { ", and no lengths of them" } else { "" };
        return Err(PyValueError::new_err(format!(
            "the array has {dimensions} dimensions by DLPack{lengths}: 0 to {MOST_DIMENSIONS} are possible"
        )));
    }
    Ok((tensor, flags))
}

/// The tensor and the flags in a capsule of this name.
fn versioned(capsule: &Bound<'_, PyCapsule>) -> PyResult<(NonNull<Tensor>, u64)> {
    let managed = capsule.pointer_checked(Some(VERSIONED))?;
    // SAFETY: a capsule of this name holds a structure that begins with its version.
    let Version { major, minor } = unsafe { managed.cast::<Version>().read() };
    if major != MAJOR {
        let text = format!("the array gives DLPack {major}.{minor}, and only {MAJOR} is known");
        return Err(PyValueError::new_err(text));
    }
    let managed = managed.cast::<Managed>();
    // SAFETY: the structure is the declared one, as the version is.
    unsafe { Ok((NonNull::from(&managed.as_ref().tensor), managed.as_ref().flags)) }
}

/// A tensor with its shape and, where it has them, its strides in elements.
///
/// # Safety
/// The tensor lives as long as it is borrowed, and its shape and strides have as many numbers as it has dimensions.
unsafe fn parts(tensor: &NonNull<Tensor>) -> (&Tensor, &[i64], Option<&[i64]>) {
    // SAFETY: the caller says that the tensor lives.
    let tensor = unsafe { tensor.as_ref() };
    let rank = usize::try_from(tensor.dimensions).unwrap_or(0);
    let sizes = |start: *mut i64| {
        // SAFETY: the caller says that there are as many numbers.
        (!start.is_null()).then(|| unsafe { std::slice::from_raw_parts(start.cast_const(), rank) })
    };
    (tensor, sizes(tensor.shape).unwrap_or_default(), sizes(tensor.strides))
}

/// Whether elements lie in row-major order without gaps.
fn is_contiguous(shape: &[i64], strides: Option<&[i64]>) -> bool {
    let Some(strides) = strides.filter(|_| !shape.contains(&0)) else { return true };
    let mut step = 1i64;
    shape.iter().zip(strides).rev().all(|(length, stride)| {
        let fits = *length == 1 || *stride == step;
        step = step.saturating_mul(*length);
        fits
    })
}

/// The bytes of contiguous elements.
fn bytes(shape: &[i64], element: &Element) -> Option<u64> {
    let count = shape.iter().try_fold(1u64, |n, size| n.checked_mul(u64::try_from(*size).ok()?))?;
    let bits = count.checked_mul(u64::from(element.bits) * u64::from(element.lanes))?;
    Some(bits.div_ceil(8))
}
