//! Paddle's tensors.

use std::ffi::c_int;
use std::slice::from_raw_parts;

use super::Ptr;
use super::library::Api;
use super::memory::TensorMemory;
use crate::argument::{Argument, Operand};
use crate::element::Element;
use crate::extents::Extents;
use crate::failure::Failure;
use crate::moves::{element_number, is_row_major, row_major, span};
use trident_ir::DType;

/// A tensor of Paddle, valid during the call of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Tensor<'a> {
    api: &'a Api,
    tensor: Ptr,
}

impl<'a> Tensor<'a> {
    /// A tensor; `None` for a null pointer.
    ///
    /// # Safety
    /// The pointer is null, or a `DenseTensor` of Paddle that lives until the kernel's call ends.
    pub(super) unsafe fn new(api: &'a Api, tensor: Ptr) -> Option<Tensor<'a>> {
        (!tensor.is_null()).then_some(Tensor { api, tensor })
    }

    /// Type, dimensions, and memory as far as there is any, of a tensor whose elements lie row by row.
    ///
    /// # Errors
    /// If the tensor is a view with other strides, or has more bytes than can be counted.
    pub(super) fn operand(self) -> Result<Operand, Failure> {
        let result = self.result()?;
        self.row_major(result)
    }

    /// The operand, whose elements must lie row by row.
    fn row_major(self, operand: Operand) -> Result<Operand, Failure> {
        let sizes = operand.dims.sizes().filter(|sizes| sizes.count > 0);
        let Some(sizes) = sizes else { return Ok(operand) };
        let strides = self.strides()?;
        if !is_row_major(sizes.dims(), strides.as_slice()) {
            return Err(Failure::unimplemented(format!(
                "{operand} is a view with strides {strides:?}; copy it with `contiguous()` first"
            )));
        }
        Ok(operand)
    }

    /// Element type and dimensions of a result that has no memory yet. One whose axes Paddle does not know is a vector of unknown
    /// length, until the kernel has run.
    ///
    /// # Errors
    /// If it has more axes than Paddle's tensors have.
    pub(super) fn declared(self) -> Result<Operand, Failure> {
        let dims = match Extents::new(1, |_| -1) {
            Some(open) if self.rank() < 0 => open,
            _ => self.dims()?,
        };
        Ok(Operand { element: self.element(), dims, memory: TensorMemory::NONE })
    }

    /// The same for a result, which may have strides of an earlier use until it is allocated.
    ///
    /// # Errors
    /// If the tensor has more bytes than can be counted.
    pub(super) fn result(self) -> Result<Operand, Failure> {
        let (element, dims) = (self.element(), self.dims()?);
        let count = dims.sizes().map_or(0, |sizes| sizes.count);
        let bytes = count.checked_mul(element.size());
        let bytes = bytes.ok_or_else(|| Failure::exhausted(format!("{element}{dims:?}")))?;
        Ok(Operand { element, dims, memory: self.memory(bytes) })
    }

    fn strides(self) -> Result<Extents, Failure> {
        // SAFETY: the constructor's caller promised a tensor.
        let (rank, stride) = unsafe {
            let rank = (self.api.tensor_strides)(self.tensor, &mut 0);
            let stride = |i| (self.api.tensor_stride)(self.tensor, i, &mut 0);
            (rank, stride)
        };
        Extents::new(rank, stride).ok_or_else(too_many_axes)
    }

    /// The same, with the memory of all elements where they lie by their strides, and these strides.
    pub(super) fn strided(self) -> Result<(Operand, Extents), Failure> {
        let (element, dims) = (self.element(), self.dims()?);
        let strides = self.strides()?;
        let sizes = dims.sizes().filter(|_| strides.as_slice().len() == dims.as_slice().len());
        let span = sizes.and_then(|sizes| span(sizes.dims(), strides.as_slice()));
        let size = element.size();
        let bytes = span.and_then(|it| Some((it.before * size, it.len.checked_mul(size)?)));
        let (before, bytes) = bytes.ok_or_else(|| {
            Failure::unimplemented(format!("strides {strides:?} of {element}{dims:?}"))
        })?;
        Ok((Operand { element, dims, memory: self.memory_from(before, bytes) }, strides))
    }

    /// The elements, if they are integers.
    pub(super) fn integers(self) -> Result<Argument<'a>, Failure> {
        let operand = self.operand()?;
        let (len, start) = (operand.memory.len(), operand.memory.start());
        let count = len / operand.element.size().max(1);
        if count == 0 {
            return Ok(Argument::I64s(&[]));
        }
        // SAFETY: the tensor's elements are these, aligned as allocations are, and stay as they are while the kernel's call lasts.
        unsafe {
            match operand.element.dtype() {
                Some(DType::I64) => Ok(Argument::I64s(from_raw_parts(start.cast(), count))),
                Some(DType::I32) => Ok(Argument::I32s(from_raw_parts(start.cast(), count))),
                _ => Err(Failure::unimplemented(format!("{operand} in place of integers"))),
            }
        }
    }

    /// The single element as an integer and as a number.
    pub(super) fn number(self) -> Result<(i64, f64), Failure> {
        let operand = self.operand()?;
        let size = operand.element.size();
        if operand.memory.len() != size || size == 0 {
            return Err(Failure::invalid(format!("{operand} in place of a number")));
        }
        // SAFETY: the tensor has this one element.
        let bytes = unsafe { from_raw_parts(operand.memory.start(), size) };
        element_number(operand.element, bytes)
            .ok_or_else(|| Failure::unimplemented(format!("{operand} in place of a number")))
    }

    fn element(self) -> Element {
        // SAFETY: the constructor's caller promised a tensor.
        Element(unsafe { (self.api.tensor_element)(self.tensor, &mut 0) })
    }

    /// The number of axes; negative if Paddle does not know it.
    fn rank(self) -> i64 {
        // SAFETY: the constructor's caller promised a tensor.
        unsafe { (self.api.tensor_rank)(self.tensor, &mut 0) }
    }

    fn dims(self) -> Result<Extents, Failure> {
        // SAFETY: the constructor's caller promised a tensor; the axis is below the rank.
        let dim = |i| unsafe { (self.api.tensor_dim)(self.tensor, i, &mut 0) };
        Extents::new(self.rank(), dim).ok_or_else(too_many_axes)
    }

    /// The memory, of which the tensor has this many bytes; none if it was not allocated.
    fn memory(self, bytes: usize) -> TensorMemory {
        self.memory_from(0, bytes)
    }

    /// The memory of `bytes` bytes, of which `before` lie before the first element; none if it was not allocated.
    fn memory_from(self, before: usize, bytes: usize) -> TensorMemory {
        if bytes == 0 {
            return TensorMemory::NONE;
        }
        let mut status: c_int = 0;
        // SAFETY: the constructor's caller promised a tensor. It has memory for its elements, which kernels may read and write
        // until the call ends: on a synchronous device, no other kernel runs on it meanwhile.
        unsafe {
            if !(self.api.tensor_is_initialized)(self.tensor, &mut status) {
                return TensorMemory::NONE;
            }
            // A view with negative strides lies in one allocation with the elements before its first one.
            let first = (self.api.tensor_data)(self.tensor, &mut status).cast::<u8>();
            let start = if first.is_null() { first } else { first.wrapping_sub(before) };
            TensorMemory::new(start, bytes)
        }
    }

    /// Allocates the elements, for its dimensions and an element type. Returns the first element's address.
    ///
    /// # Safety
    /// `context` is the device context of the kernel's call.
    pub(super) unsafe fn allocate(self, context: Ptr, element: Element) -> Ptr {
        // SAFETY: the caller promises the context; the tensor is one.
        unsafe { (self.api.allocate)(context, self.tensor, 0, element.0, &mut 0) }
    }

    /// Allocates a result of known dimensions, for an element type.
    ///
    /// # Errors
    /// If it has more bytes than can be counted, or if it is a view whose elements do not lie row by row.
    ///
    /// # Safety
    /// `context` is the device context of the kernel's call.
    pub(super) unsafe fn allocated(
        self,
        context: Ptr,
        element: Element,
        declared: &Operand,
    ) -> Result<Operand, Failure> {
        let dims = declared.dims;
        let count = dims.sizes().map_or(0, |sizes| sizes.count);
        let bytes = count.checked_mul(element.size());
        let bytes = bytes.ok_or_else(|| Failure::exhausted(format!("{element}{dims:?}")))?;
        // SAFETY: the caller promises the context. The tensor has memory for its elements then, as in `memory`.
        let memory = unsafe { TensorMemory::new(self.allocate(context, element).cast(), bytes) };
        self.row_major(Operand { element, dims, memory })
    }

    /// Sets the dimensions of a tensor whose elements lie row by row.
    pub(super) fn resize(self, dims: &Extents) {
        let sizes = dims.sizes();
        let strides = sizes.map(|sizes| row_major(sizes.dims())).unwrap_or_default();
        self.set_layout(dims.as_slice(), &strides, None);
    }

    /// Sets dimensions, strides and offset.
    pub(super) fn set_layout(self, dims: &[i64], strides: &[i64], offset: Option<i64>) {
        let (mut status, len) = (0, |values: &[i64]| values.len() as i64);
        // SAFETY: the tensor is one, and the arrays have these lengths. Dimensions are first, since they reset the strides.
        unsafe {
            (self.api.set_dims)(self.tensor, len(dims), dims.as_ptr(), &mut status);
            (self.api.set_strides)(self.tensor, len(strides), strides.as_ptr(), &mut status);
            if let Some(offset) = offset {
                (self.api.set_offset)(self.tensor, offset, &mut status);
            }
        }
    }
}

fn too_many_axes() -> Failure {
    Failure::unimplemented("a tensor with more axes than Paddle's have")
}
