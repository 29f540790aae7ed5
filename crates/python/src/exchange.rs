//! DLPack's C interface for arrays (`__dlpack_c_exchange_api__`, from DLPack 1.2 on): a look at an array without a call of Python.
#![allow(unsafe_code)]

use crate::dlpack::{CPU, Device, Element, MAJOR, Tensor};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyType};
use std::ffi::{CStr, c_int, c_void};

const CAPSULE: &CStr = c"dlpack_exchange_api";
const ATTRIBUTE: &str = "__dlpack_c_exchange_api__";

#[repr(C)]
struct Header {
    major: u32,
    minor: u32,
    /// The table of an older version, or null.
    previous: *const Header,
}

#[repr(C)]
struct Table {
    header: Header,
    managed_tensor_allocator: *const c_void,
    managed_tensor_from_py_object: *const c_void,
    managed_tensor_to_py_object: *const c_void,
    tensor_from_py_object: Option<Look>,
    current_work_stream: *const c_void,
}

/// Describes an object's array, which keeps the ownership of its memory. -1 with an exception set if that fails.
type Look = unsafe extern "C" fn(*mut c_void, *mut Tensor) -> c_int;

impl Element {
    /// Triton's name for it.
    fn name(&self) -> Option<&'static str> {
        if self.lanes != 1 {
            return None;
        }
        Some(match (self.code, self.bits) {
            (0, 8) => "i8",
            (0, 16) => "i16",
            (0, 32) => "i32",
            (0, 64) => "i64",
            (1, 8) => "u8",
            (1, 16) => "u16",
            (1, 32) => "u32",
            (1, 64) => "u64",
            (2, 16) => "fp16",
            (2, 32) => "fp32",
            (2, 64) => "fp64",
            (4, 16) => "bf16",
            (6, 8) => "u1",
            (10, 8) => "fp8e4nv",
            (11, 8) => "fp8e4b8",
            (12, 8) => "fp8e5",
            (13, 8) => "fp8e5b16",
            _ => return None,
        })
    }
}

/// The interface of one type of arrays, which has to outlive it: types that have been asked for are kept (`array.rs`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    look: Look,
    /// Address of the type.
    ty: usize,
}

impl Exchange {
    /// The exchange interface of a type that defines it itself: a derived type may override the answers in Python.
    pub(crate) fn of(ty: &Bound<'_, PyType>) -> Option<Exchange> {
        let own = ty.getattr(intern!(ty.py(), "__dict__")).ok()?.get_item(ATTRIBUTE).ok()?;
        let capsule = own.cast::<PyCapsule>().ok()?;
        let mut header = capsule.pointer_checked(Some(CAPSULE)).ok()?.as_ptr() as *const Header;
        // SAFETY: DLPack says that a capsule of this name holds such a table, which lives as long as the process, that
        // all versions have this header, and that the table is as declared where the version is the one named here.
        unsafe {
            while !header.is_null() && (*header).major != MAJOR {
                header = (*header).previous;
            }
            let table = header.cast::<Table>().as_ref()?;
            table.tensor_from_py_object.map(|look| Exchange { look, ty: ty.as_ptr() as usize })
        }
    }

    /// The address of the first element of an array in this machine's memory, and Triton's name of its element type.
    /// `None` if it is elsewhere, has another type, or the interface cannot describe it.
    pub(crate) fn look(self, array: &Bound<'_, PyAny>) -> Option<(u64, &'static str)> {
        let mut tensor = Tensor {
            data: std::ptr::null_mut(),
            device: Device { kind: 0, number: 0 },
            dimensions: 0,
            element: Element { code: 0, bits: 0, lanes: 0 },
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        };
        if array.get_type_ptr() as usize != self.ty {
            return None;
        }
        // SAFETY: the interpreter is held, the object is of the type whose table this is of, and the function fills
        // the structure or fails.
        let failed = unsafe { (self.look)(array.as_ptr().cast(), &mut tensor) } != 0;
        if failed {
            drop(PyErr::take(array.py()));
            return None;
        }
        if tensor.device.kind != CPU {
            return None;
        }
        Some(((tensor.data as u64).wrapping_add(tensor.byte_offset), tensor.element.name()?))
    }
}
