//! Tensors: dense, row-major, shared until written.

mod foreign;
mod loan;
mod views;

pub use loan::Recall;

use crate::foreign::{ByteSource, ForeignMemory};
use crate::pending::Pending;
use crate::strings::{StringWriter, Strings, strings_bytes};
use crate::{Fence, KernelError, Pages, Pool, buffer::Buffer};
use bytes::Bytes;
use std::ops::Range;
use std::sync::Arc;
use trident_ir::literal::{LiteralData, checked_len};
use trident_ir::{DType, Element, Literal, Type, counted};

/// The location of the elements.
#[derive(Clone, Debug)]
enum Data {
    Buffer(Arc<Buffer>),
    /// Constants, in place where they were loaded; aligned for the element type. Copies that are written to come from the pool.
    Bytes(Bytes, Option<Pool>),
    /// Memory of another owner. Copies that are written to come from the pool.
    Foreign(Arc<ForeignMemory>, Pool),
    Strings(Arc<Strings>),
    /// The result of a launch that may not have ended.
    Pending(Arc<Pending>),
}

/// A dense row-major tensor. Clones share the elements; writing to a shared tensor copies it first.
///
/// The elements may be the result of a launch that has not ended, see [`Tensor::fence`]: type and dimensions are then
/// known, and reading or writing elements waits for the launch and fails if it does.
///
/// Types narrower than a byte take a byte for each element (see [`DType::size`]).
#[derive(Clone, Debug)]
pub struct Tensor {
    dtype: DType,
    dims: Vec<usize>,
    data: Data,
}

impl Tensor {
    /// A tensor with arbitrary contents, for a kernel to fill; strings are empty, see [`Tensor::write_strings`].
    pub fn alloc(pool: &Pool, dtype: DType, dims: &[usize]) -> Result<Tensor, KernelError> {
        let too_large = || KernelError::TooLarge { dtype, dims: dims.to_vec() };
        let len = checked_len(dims).ok_or_else(too_large)?;
        let data = if dtype == DType::Str {
            Data::Strings(Arc::new(Strings::empty(pool, len).ok_or_else(too_large)?))
        } else {
            let bytes = len.checked_mul(dtype.size()).ok_or_else(too_large)?;
            Data::Buffer(Arc::new(pool.alloc(bytes).ok_or_else(too_large)?))
        };
        Ok(Tensor { dtype, dims: dims.to_vec(), data })
    }

    /// A tensor with a buffer's contents as elements; an error unless the buffer has exactly their size.
    pub fn from_buffer(
        dtype: DType,
        dims: &[usize],
        buffer: Buffer,
    ) -> Result<Tensor, KernelError> {
        let bytes = checked_len(dims).and_then(|n| n.checked_mul(dtype.size()));
        if dtype == DType::Str || bytes != Some(buffer.len()) {
            return Err(not_filled(buffer.len(), "byte", format!("{dtype}{dims:?}")));
        }
        Ok(Tensor { dtype, dims: dims.to_vec(), data: Data::Buffer(Arc::new(buffer)) })
    }

    /// A tensor of these elements; an error unless `values` has as many as `dims` require.
    pub fn from_slice<T: Element>(
        pool: &Pool,
        dims: &[usize],
        values: &[T],
    ) -> Result<Tensor, KernelError> {
        let mut t = Tensor::alloc(pool, T::DTYPE, dims)?;
        if t.len() != values.len() {
            return Err(not_filled(values.len(), "element", format!("{dims:?}")));
        }
        t.slice_mut::<T>()?.copy_from_slice(values);
        Ok(t)
    }

    /// A tensor of strings, which no pool counts; see [`Tensor::count_strings`].
    pub fn from_strings(dims: &[usize], values: Vec<String>) -> Result<Tensor, KernelError> {
        if checked_len(dims) != Some(values.len()) {
            return Err(strings_do_not_fill(values.len(), dims));
        }
        let data = Data::Strings(Arc::new(values.into()));
        Ok(Tensor { dtype: DType::Str, dims: dims.to_vec(), data })
    }

    /// A tensor of copies of strings, which `pool` counts before they are made. An error unless they are as many as `dims` require.
    pub fn gather_strings<'a>(
        pool: &Pool,
        dims: &[usize],
        strings: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Tensor, KernelError> {
        let mut tensor = Tensor::alloc(pool, DType::Str, dims)?;
        let count = strings.clone().count();
        if count != tensor.len() {
            return Err(strings_do_not_fill(count, dims));
        }
        tensor.write_strings()?.extend(strings)?;
        Ok(tensor)
    }

    /// Has `pool` count the bytes of strings as they are now, unless they are shared: other tensors, which their owners count, need no
    /// more memory. An error if its limit would be exceeded. Elements of other types are in the pool already.
    pub fn count_strings(&mut self, pool: &Pool) -> Result<(), KernelError> {
        let Data::Strings(strings) = &mut self.data else { return Ok(()) };
        let Some(Strings { values, charge }) = Arc::get_mut(strings) else { return Ok(()) };
        let bytes = strings_bytes(values);
        let counted = match charge {
            Some(charge) => charge.resize(bytes),
            None => {
                *charge = pool.charge(bytes);
                charge.is_some()
            }
        };
        match counted {
            true => Ok(()),
            false => Err(KernelError::TooLarge { dtype: DType::Str, dims: self.dims.clone() }),
        }
    }

    /// A tensor over raw bytes, shared if they are aligned for the element type, else copied. The pool counts copies, this one and
    /// those on writing.
    pub fn from_bytes(
        pool: &Pool,
        dtype: DType,
        dims: &[usize],
        bytes: Bytes,
    ) -> Result<Tensor, KernelError> {
        let expected = checked_len(dims).and_then(|n| n.checked_mul(dtype.size()));
        if dtype == DType::Str || expected != Some(bytes.len()) {
            return Err(not_filled(bytes.len(), "byte", format!("{dtype}{dims:?}")));
        }
        if bytes.as_ptr().addr().is_multiple_of(align(dtype)) {
            return Ok(Tensor {
                dtype,
                dims: dims.to_vec(),
                data: Data::Bytes(bytes, Some(pool.clone())),
            });
        }
        let mut t = Tensor::alloc(pool, dtype, dims)?;
        t.bytes_mut()?.copy_from_slice(&bytes);
        Ok(t)
    }

    /// A tensor whose elements are the concatenated parts: rows of several tensors, or pieces of one. An error unless they
    /// have exactly its size; parts may divide elements.
    pub fn gather(
        pool: &Pool,
        dtype: DType,
        dims: &[usize],
        parts: impl IntoIterator<Item = impl ByteSource>,
    ) -> Result<Tensor, KernelError> {
        let mut tensor = Tensor::alloc(pool, dtype, dims)?;
        let bytes = tensor.bytes_mut()?;
        let (size, mut at) = (bytes.len(), 0usize);
        for part in parts {
            let end = at.saturating_add(part.size());
            // Later pieces are only counted, for the message.
            if let Some(place) = bytes.get_mut(at..end) {
                part.copy_to(place);
            }
            at = end;
        }
        match at == size {
            true => Ok(tensor),
            false => Err(not_filled(at, "byte", format!("{dtype}{dims:?}"))),
        }
    }

    pub(crate) fn from_pending(dtype: DType, dims: &[usize], pending: Arc<Pending>) -> Tensor {
        Tensor { dtype, dims: dims.to_vec(), data: Data::Pending(pending) }
    }

    /// The tensor of a literal.
    pub fn from_literal(pool: &Pool, literal: &Literal) -> Result<Tensor, KernelError> {
        match literal.data() {
            LiteralData::Bytes(bytes) => {
                Tensor::from_bytes(pool, literal.dtype(), literal.dims(), bytes.clone())
            }
            LiteralData::Strings(s) => {
                Tensor::gather_strings(pool, literal.dims(), s.iter().map(String::as_str))
            }
        }
    }

    /// The fence of the launch that produces the elements; `None` for elements that are available.
    pub fn fence(&self) -> Option<&Fence> {
        match &self.data {
            Data::Pending(pending) => Some(pending.fence()),
            _ => None,
        }
    }

    /// Waits for the elements, so that the tensor no longer refers to a launch; an error if the launch failed.
    pub fn settle(&mut self) -> Result<(), KernelError> {
        let Data::Pending(pending) = &self.data else { return Ok(()) };
        pending.wait()?;
        // A placeholder left in the tensor, so that this reference does not make the elements appear shared.
        let nothing = Data::Bytes(Bytes::new(), None);
        if let Data::Pending(pending) = std::mem::replace(&mut self.data, nothing) {
            self.data = pending.take()?.data;
        }
        Ok(())
    }

    /// A literal that shares the elements; strings are copied.
    pub fn to_literal(&self) -> Result<Literal, KernelError> {
        let dims = self.dims.clone();
        let literal = match self.dtype {
            DType::Str => Literal::from_strings(dims, self.strings()?.to_vec()),
            dtype => Literal::from_bytes(dtype, dims, self.to_bytes()?),
        };
        literal.map_err(|e| KernelError::shape(e.to_string()))
    }

    /// The raw bytes of the elements, shared: the memory returns to its pool when the tensor and all such bytes have been
    /// dropped. An error for strings.
    pub fn to_bytes(&self) -> Result<Bytes, KernelError> {
        /// Keeps a buffer alive while its bytes are in use.
        struct Shared(Arc<Buffer>);
        impl AsRef<[u8]> for Shared {
            fn as_ref(&self) -> &[u8] {
                self.0.bytes()
            }
        }
        /// Keeps foreign memory alive while its bytes are in use.
        struct Lent(Arc<ForeignMemory>);
        impl AsRef<[u8]> for Lent {
            fn as_ref(&self) -> &[u8] {
                self.0.bytes()
            }
        }
        match &self.data {
            Data::Buffer(b) => Ok(Bytes::from_owner(Shared(b.clone()))),
            Data::Bytes(b, _) => Ok(b.clone()),
            Data::Foreign(memory, _) => Ok(Bytes::from_owner(Lent(memory.clone()))),
            Data::Strings(_) => Err(KernelError::strings()),
            Data::Pending(_) => {
                let mut settled = self.clone();
                settled.settle()?;
                settled.to_bytes()
            }
        }
    }

    /// The raw bytes of a range of rows, shared as in [`Tensor::to_bytes`]; rows are the slices along the first dimension. An error
    /// if there are no such rows.
    pub fn rows(&self, rows: Range<usize>) -> Result<Bytes, KernelError> {
        let outside = || {
            let (ty, Range { start, end }) = (self.ty(), &rows);
            KernelError::shape(format!("{ty} has no rows {start}..{end}"))
        };
        let count = *self.dims.first().ok_or_else(outside)?;
        if rows.start > rows.end || rows.end > count {
            return Err(outside());
        }
        let bytes = self.to_bytes()?;
        let row = bytes.len().checked_div(count).unwrap_or(0);
        Ok(bytes.slice(rows.start * row..rows.end * row))
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Dimensions, outermost first.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        // Alongside an axis of length 0, the product of the others may overflow.
        if self.is_empty() { 0 } else { self.dims.iter().product() }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.dims.contains(&0)
    }

    /// Size of the elements in bytes; 0 for strings.
    pub fn size(&self) -> usize {
        self.len() * self.dtype.size()
    }

    /// The type.
    pub fn ty(&self) -> Type {
        Type::fixed(self.dtype, &self.dims)
    }

    /// Raw bytes of the elements; an error for strings.
    pub fn bytes(&self) -> Result<&[u8], KernelError> {
        match &self.data {
            Data::Buffer(b) => Ok(b.bytes()),
            Data::Bytes(b, _) => Ok(b),
            Data::Foreign(memory, _) => Ok(memory.bytes()),
            Data::Strings(_) => Err(KernelError::strings()),
            Data::Pending(pending) => pending.wait()?.bytes(),
        }
    }

    /// The pages that the elements lie in, and the offset of the elements in them, in bytes: for devices that map
    /// pages. Includes elements that a launch has yet to write, if their memory is known. `None` for strings and
    /// borrowed memory.
    pub fn pages(&self) -> Option<(&Pages, usize)> {
        match &self.data {
            Data::Buffer(buffer) => buffer.pages(),
            Data::Pending(pending) => pending.memory()?.pages(),
            Data::Bytes(..) | Data::Foreign(..) | Data::Strings(_) => None,
        }
    }

    /// Raw bytes, mutably; shared elements are copied first. An error for strings.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8], KernelError> {
        self.parts_mut().map(|(_, bytes)| bytes)
    }

    /// The dimensions, and the raw bytes as of [`Tensor::bytes_mut`].
    fn parts_mut(&mut self) -> Result<(&[usize], &mut [u8]), KernelError> {
        self.settle()?;
        if !self.is_unique() {
            *self = self.copy()?;
        }
        let bytes = match &mut self.data {
            Data::Buffer(b) => match Arc::get_mut(b) {
                Some(b) => Ok(b.bytes_mut()),
                None => Err(KernelError::domain(
                    "internal error: the buffer is shared; please report it with the model",
                )),
            },
            Data::Foreign(memory, _) => {
                Arc::get_mut(memory).and_then(ForeignMemory::bytes_mut).ok_or_else(|| {
                    KernelError::domain(
                        "internal error: the memory is shared; please report it with the model",
                    )
                })
            }
            Data::Bytes(..) | Data::Pending(_) => Err(KernelError::domain(
                "internal error: the buffer is constant; please report it with the model",
            )),
            Data::Strings(_) => Err(KernelError::strings()),
        };
        Ok((&self.dims, bytes?))
    }

    /// Whether writing needs no copy; false for pending elements, and for lent ones ([`Tensor::lend`]).
    pub fn is_unique(&self) -> bool {
        match &self.data {
            Data::Buffer(b) => Arc::strong_count(b) == 1 && !b.is_lent(),
            Data::Foreign(memory, _) => Arc::strong_count(memory) == 1 && memory.is_exclusive(),
            Data::Bytes(..) | Data::Pending(_) => false,
            Data::Strings(s) => Arc::strong_count(s) == 1,
        }
    }

    /// The same elements in memory of their own, which the same pool counts.
    fn copy(&self) -> Result<Tensor, KernelError> {
        if let Data::Strings(strings) = &self.data {
            let Some(charge) = &strings.charge else {
                return Tensor::from_strings(&self.dims, strings.values.clone());
            };
            let values = strings.values.iter().map(String::as_str);
            return Tensor::gather_strings(charge.pool(), &self.dims, values);
        }
        let own = match &self.data {
            Data::Buffer(buffer) => buffer.pool().cloned(),
            Data::Bytes(_, pool) => pool.clone(),
            Data::Foreign(_, pool) => Some(pool.clone()),
            _ => None,
        };
        let mut t = Tensor::alloc(&own.unwrap_or_default(), self.dtype, &self.dims)?;
        t.bytes_mut()?.copy_from_slice(self.bytes()?);
        Ok(t)
    }

    /// The elements; an error if `T` is not their type.
    pub fn slice<T: Element>(&self) -> Result<&[T], KernelError> {
        if T::DTYPE != self.dtype {
            let expected = T::DTYPE.to_string();
            return Err(KernelError::Elements { actual: self.dtype, expected });
        }
        Ok(bytemuck::cast_slice(self.bytes()?))
    }

    /// The elements, mutably; shared elements are copied first. An error if `T` is not their type.
    pub fn slice_mut<T: Element>(&mut self) -> Result<&mut [T], KernelError> {
        if T::DTYPE != self.dtype {
            let expected = T::DTYPE.to_string();
            return Err(KernelError::Elements { actual: self.dtype, expected });
        }
        Ok(bytemuck::cast_slice_mut(self.bytes_mut()?))
    }

    /// The elements of a string tensor.
    pub fn strings(&self) -> Result<&[String], KernelError> {
        match &self.data {
            Data::Strings(s) => Ok(&s.values),
            Data::Pending(pending) => pending.wait()?.strings(),
            _ => Err(KernelError::Elements { actual: self.dtype, expected: "str".into() }),
        }
    }

    /// The elements of a string tensor, mutably; shared elements are copied first.
    pub fn strings_mut(&mut self) -> Result<&mut Vec<String>, KernelError> {
        Ok(&mut self.own_strings()?.0.values)
    }

    /// Writes the elements of a string tensor from the first on; shared elements are copied first. The pool that counts the tensor counts
    /// each string before it is made.
    pub fn write_strings(&mut self) -> Result<StringWriter<'_>, KernelError> {
        let (strings, dims) = self.own_strings()?;
        Ok(strings.write(dims))
    }

    fn own_strings(&mut self) -> Result<(&mut Strings, &[usize]), KernelError> {
        self.settle()?;
        if matches!(self.data, Data::Strings(_)) && !self.is_unique() {
            *self = self.copy()?;
        }
        match &mut self.data {
            Data::Strings(s) => match Arc::get_mut(s) {
                Some(s) => Ok((s, &self.dims)),
                None => Err(KernelError::domain(
                    "internal error: the strings are shared; please report it with the model",
                )),
            },
            _ => Err(KernelError::Elements { actual: self.dtype, expected: "str".into() }),
        }
    }

    /// The same elements with other dimensions, without copying; an error if the number of elements differs.
    pub fn reshaped(mut self, dims: &[usize]) -> Result<Tensor, KernelError> {
        if checked_len(dims) != Some(self.len()) {
            let from = &self.dims;
            return Err(KernelError::shape(format!("{from:?} cannot be reshaped to {dims:?}")));
        }
        self.dims = dims.to_vec();
        Ok(self)
    }

    /// The same bits as another element type of the same size, without copying; an error if the sizes differ.
    pub fn bitcast(mut self, dtype: DType) -> Result<Tensor, KernelError> {
        if self.dtype == DType::Str || dtype == DType::Str || dtype.bits() != self.dtype.bits() {
            let from = self.dtype;
            return Err(KernelError::domain(format!(
                "an element of {from} does not have as many bits as one of {dtype}"
            )));
        }
        self.dtype = dtype;
        Ok(self)
    }

    /// The elements of any integer tensor as `i64`; an error for other types and for u64 values beyond `i64`.
    pub fn to_i64s(&self) -> Result<Vec<i64>, KernelError> {
        use trident_ir::element::B8;
        macro_rules! widen {
            ($t:ty, $f:expr) => {
                Ok(self.slice::<$t>()?.iter().map($f).collect())
            };
        }
        match self.dtype {
            DType::I64 => Ok(self.slice::<i64>()?.to_vec()),
            DType::I32 => widen!(i32, |&v| v.into()),
            DType::I16 => widen!(i16, |&v| v.into()),
            DType::I8 => widen!(i8, |&v| v.into()),
            DType::U32 => widen!(u32, |&v| v.into()),
            DType::U16 => widen!(u16, |&v| v.into()),
            DType::U8 => widen!(u8, |&v| v.into()),
            DType::Bool => widen!(B8, |&v| bool::from(v).into()),
            DType::U64 => self
                .slice::<u64>()?
                .iter()
                .map(|&v| {
                    i64::try_from(v).map_err(|_| {
                        KernelError::domain(format!(
                            "the value {v} is too large for a 64-bit signed integer"
                        ))
                    })
                })
                .collect(),
            other => Err(KernelError::Elements { actual: other, expected: "an integer".into() }),
        }
    }
}

fn strings_do_not_fill(count: usize, dims: &[usize]) -> KernelError {
    not_filled(count, "string", format!("{dims:?}"))
}

fn not_filled(given: usize, what: &str, tensor: String) -> KernelError {
    KernelError::shape(format!("{tensor} is not filled by {}", counted(given, what)))
}

/// Alignment that slices of the element type require, in bytes.
fn align(dtype: DType) -> usize {
    match dtype {
        DType::C128 => 8,
        other => other.size().max(1),
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests;
