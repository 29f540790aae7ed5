//! Arrays of other libraries as tensors that lie in their memory.
// Addresses of arrays are taken on their libraries' word.
#![allow(unsafe_code)]

use super::dtype;
use super::refusal::{Refusal, Result};
use crate::dlpack::{Export, Layout};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PyWeakrefReference};
use std::ptr::NonNull;
use std::sync::Arc;
use trident_engine::Session;
use trident_ir::DType;
use trident_ir::dtype::Class;
use trident_runtime::{AliasGroup, ForeignMemory, Owner, Tensor};

/// Memory of an array: contiguous elements, and their owner.
pub(super) struct Lent {
    start: NonNull<u8>,
    bytes: usize,
    dtype: DType,
    dims: Vec<usize>,
    owner: Owner,
    pub(super) is_readonly: bool,
}

impl Lent {
    /// The memory of a NumPy array whose elements are of this type; `None` unless they are contiguous. `dims` differ from the
    /// buffer's own for an array without dimensions.
    pub(super) fn of_array(
        array: &Bound<'_, PyAny>,
        dtype: DType,
        dims: Option<Vec<usize>>,
    ) -> PyResult<Option<Lent>> {
        // Before the address is read: another thread must not move the memory afterwards.
        let resizing = no_resizing(array)?;
        let buffer = PyUntypedBuffer::get(array)?;
        if !buffer.is_c_contiguous() || buffer.item_size() != dtype.size() {
            return Ok(None);
        }
        let bytes = buffer.len_bytes();
        let start = NonNull::new(buffer.buf_ptr().cast()).unwrap_or(NonNull::dangling());
        let dims = dims.unwrap_or_else(|| buffer.shape().to_vec());
        let is_readonly = buffer.readonly();
        let owner = Arc::new((buffer, resizing));
        Ok(Some(Lent { start, bytes, dtype, dims, owner, is_readonly }))
    }

    /// The memory of a DLPack export, contiguous or not: then its elements are copied, and the second value is true.
    pub(super) fn of_export(
        py: Python<'_>,
        export: Export,
        session: &Session,
    ) -> Result<(Tensor, bool)> {
        let Layout { dims, strides, element } = export.layout(py)?;
        let dtype = element_type(element)?;
        let Some(address) = export.address() else {
            return Err(Refusal::text("its library gives no address of its elements"));
        };
        if dims.contains(&0) {
            return Ok((Tensor::alloc(session.pool(), dtype, &dims)?, false));
        }
        let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        let Some(start) = NonNull::new(start) else {
            return Err(Refusal::text("it has elements and no memory"));
        };
        let Some(bytes) = export.bytes else {
            let mut tensor = Tensor::alloc(session.pool(), dtype, &dims)?;
            // SAFETY: DLPack says that the elements lie at these strides from the address, as long as the export lives.
            unsafe { gather(start.as_ptr(), &dims, &strides, dtype.size(), tensor.bytes_mut()?) };
            return Ok((tensor, true));
        };
        let (bytes, is_readonly) = (bytes as usize, export.is_readonly);
        let owner = Arc::new(export.into_capsule());
        let lent = Lent { start, bytes, dtype, dims, owner, is_readonly };
        lent.read(session, None)
    }

    /// The memory of a DLPack export, to be written.
    pub(super) fn to_write(py: Python<'_>, export: Export) -> Result<Lent> {
        let Layout { dims, element, .. } = export.layout(py)?;
        let dtype = element_type(element)?;
        let (Some(address), Some(bytes)) = (export.address(), export.bytes) else {
            return Err(Refusal::text("its elements are not contiguous, and results are"));
        };
        let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        let start = NonNull::new(start).unwrap_or(NonNull::dangling());
        let (bytes, is_readonly) = (bytes as usize, export.is_readonly);
        let owner = Arc::new(export.into_capsule());
        Ok(Lent { start, bytes, dtype, dims, owner, is_readonly })
    }

    /// A tensor that is read there, and whether its elements had to be copied: because they are misaligned, or because a type narrower
    /// than a byte fills its bytes in another way than ours.
    pub(super) fn read(
        self,
        session: &Session,
        group: Option<&AliasGroup>,
    ) -> Result<(Tensor, bool)> {
        let Lent { start, bytes, dtype, dims, owner, .. } = self;
        // SAFETY: the owner, a buffer of Python or a capsule of DLPack, keeps the bytes. Their libraries neither move nor free them
        // meanwhile; that no thread writes to them while a run reads them is the caller's word, as for kernels.
        let memory = unsafe { ForeignMemory::readable(start, bytes, owner) };
        let memory = match group {
            Some(group) => memory.in_group(group),
            None => memory,
        };
        let tensor = session.of_foreign(dtype, &dims, memory)?;
        if dtype.bits() < 8 && tensor.bytes()?.iter().any(|byte| widened(*byte, dtype) != *byte) {
            let mut own = Tensor::alloc(session.pool(), dtype, &dims)?;
            for (to, from) in own.bytes_mut()?.iter_mut().zip(tensor.bytes()?) {
                *to = widened(*from, dtype);
            }
            return Ok((own, true));
        }
        let is_copied = bytes > 0 && tensor.bytes()?.as_ptr() != start.as_ptr().cast_const();
        Ok((tensor, is_copied))
    }

    /// A tensor that a run writes there.
    pub(super) fn write(self, session: &Session, group: &AliasGroup) -> Result<Tensor> {
        let Lent { start, bytes, dtype, dims, owner, is_readonly } = self;
        if is_readonly {
            return Err(Refusal::text("the array is read-only, and a result is written there"));
        }
        // SAFETY: the owner, a buffer of Python or a capsule of DLPack, keeps the bytes, which its library says may be written. That no
        // thread accesses them while a run writes is the caller's word; memory of the same run that overlaps them is in the same group.
        let memory = unsafe { ForeignMemory::writable(start, bytes, owner) }.in_group(group);
        Ok(session.in_foreign(dtype, &dims, memory)?)
    }
}

/// A weak reference to the NumPy array that has the memory of this one. As long as an array has any, NumPy does not resize it:
/// `resize(refcheck=False)` would free the memory, as it looks at neither references nor buffers.
fn no_resizing(array: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyWeakrefReference>>> {
    let py = array.py();
    let ndarray = dtype::ndarray(py)?;
    let mut owner = array.clone();
    // A view refers to its owner; more views than one follow each other only where other libraries made them.
    for _ in 0..8 {
        let is_array = owner.is_instance(ndarray)?;
        let next = match is_array {
            true => owner.getattr(intern!(py, "base"))?,
            false if owner.is_instance_of::<PyMemoryView>() => owner.getattr(intern!(py, "obj"))?,
            false => return Ok(None),
        };
        if next.is_none() {
            return match is_array {
                true => Ok(Some(PyWeakrefReference::new(&owner)?.unbind())),
                false => Ok(None),
            };
        }
        owner = next;
    }
    Ok(None)
}

fn element_type(element: (u8, u8, u16)) -> Result<DType> {
    dtype::by_dlpack(element).ok_or_else(|| {
        let (code, bits, lanes) = element;
        Refusal::text(format!(
            "its elements have DLPack's type code {code} with {bits} bits and {lanes} lanes, which models do not take"
        ))
    })
}

/// The byte of an element narrower than a byte, from its low bits.
fn widened(byte: u8, dtype: DType) -> u8 {
    let unused = 8 - dtype.bits();
    match dtype.class() {
        Class::Int => ((byte << unused).cast_signed() >> unused).cast_unsigned(),
        _ => byte << unused >> unused,
    }
}

/// Copies elements of so many bytes that lie at strides from `start` to `to`, in row-major order.
///
/// # Safety
/// The elements can be read.
unsafe fn gather(start: *const u8, dims: &[usize], strides: &[isize], size: usize, to: &mut [u8]) {
    let ([length, dims @ ..], [stride, strides @ ..]) = (dims, strides) else {
        // SAFETY: the caller says that the element can be read; `to` has the room of one.
        to.copy_from_slice(unsafe { std::slice::from_raw_parts(start, size) });
        return;
    };
    let part = to.len() / (*length).max(1);
    for (i, to) in to.chunks_exact_mut(part.max(1)).enumerate() {
        // SAFETY: an element along this dimension is one that the caller speaks of.
        unsafe { gather(start.offset(*stride * i as isize), dims, strides, size, to) };
    }
}
