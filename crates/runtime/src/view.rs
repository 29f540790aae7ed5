//! Tensors that the caller of a direct launch holds: a type and borrowed elements, without any allocation.

use crate::KernelError;
use trident_ir::literal::checked_len;
use trident_ir::{DType, Element};

/// A tensor whose elements are borrowed, row by row: an operand of [`Executable::direct`](crate::Executable::direct).
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    dtype: DType,
    dims: &'a [usize],
    bytes: &'a [u8],
}

/// A tensor whose elements are borrowed to be written: a result of [`Executable::direct`](crate::Executable::direct).
#[derive(Debug)]
pub struct TensorViewMut<'a> {
    dtype: DType,
    dims: &'a [usize],
    bytes: &'a mut [u8],
}

impl<'a> TensorView<'a> {
    /// A view of elements; `None` unless the bytes are as many as the type requires. Strings have no views.
    pub fn new(dtype: DType, dims: &'a [usize], bytes: &'a [u8]) -> Option<TensorView<'a>> {
        is_filled(dtype, dims, bytes.len()).then_some(TensorView { dtype, dims, bytes })
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Dimensions, outermost first.
    pub fn dims(&self) -> &'a [usize] {
        self.dims
    }

    /// The elements.
    ///
    /// # Errors
    /// If `T` is not their type, or if they are not aligned for it.
    pub fn slice<T: Element>(&self) -> Result<&'a [T], KernelError> {
        let elements = match (T::DTYPE == self.dtype, self.bytes.is_empty()) {
            (false, _) => None,
            // No elements need no alignment.
            (true, true) => Some(&[][..]),
            (true, false) => bytemuck::try_cast_slice(self.bytes).ok(),
        };
        elements.ok_or_else(|| other_elements::<T>(self.dtype))
    }
}

impl<'a> TensorViewMut<'a> {
    /// A view of elements; `None` unless the bytes are as many as the type requires. Strings have no views.
    pub fn new(dtype: DType, dims: &'a [usize], bytes: &'a mut [u8]) -> Option<TensorViewMut<'a>> {
        is_filled(dtype, dims, bytes.len()).then_some(TensorViewMut { dtype, dims, bytes })
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Dimensions, outermost first.
    pub fn dims(&self) -> &'a [usize] {
        self.dims
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size().max(1)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The same view, for a shorter time.
    pub fn reborrow(&mut self) -> TensorViewMut<'_> {
        TensorViewMut { dtype: self.dtype, dims: self.dims, bytes: self.bytes }
    }

    /// The elements, mutably.
    ///
    /// # Errors
    /// If `T` is not their type, or if they are not aligned for it.
    pub fn slice_mut<T: Element>(&mut self) -> Result<&mut [T], KernelError> {
        let elements = match (T::DTYPE == self.dtype, self.bytes.is_empty()) {
            (false, _) => None,
            // No elements need no alignment.
            (true, true) => Some(&mut [][..]),
            (true, false) => bytemuck::try_cast_slice_mut(self.bytes).ok(),
        };
        elements.ok_or_else(|| other_elements::<T>(self.dtype))
    }
}

fn is_filled(dtype: DType, dims: &[usize], bytes: usize) -> bool {
    dtype != DType::Str
        && checked_len(dims).and_then(|len| len.checked_mul(dtype.size())) == Some(bytes)
}

fn other_elements<T: Element>(actual: DType) -> KernelError {
    KernelError::Elements { actual, expected: format!("{}, aligned", T::DTYPE) }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    #[test]
    fn views_have_the_bytes_of_their_types() {
        let mut words = [1.0f32, 2.0, 3.0, 4.0];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let view = TensorView::new(DType::F32, &[2, 2], bytes).unwrap();
        assert_eq!(view.slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert!(view.slice::<i32>().is_err(), "elements of another type");
        assert!(TensorView::new(DType::F32, &[3], bytes).is_none(), "too many bytes");
        assert!(TensorView::new(DType::F32, &[usize::MAX, 4], bytes).is_none(), "no such size");
        let shifted = TensorView::new(DType::F32, &[3], &bytes[1..13]).unwrap();
        assert!(shifted.slice::<f32>().is_err(), "not aligned");
        let empty = TensorView::new(DType::F64, &[0, 7], &[]).unwrap();
        assert!(empty.slice::<f64>().unwrap().is_empty());
        let mut view = TensorViewMut::new(DType::F32, &[4], bytes).unwrap();
        view.slice_mut::<f32>().unwrap()[3] = 9.0;
        assert_eq!(view.dims(), [4]);
        assert_eq!(words[3], 9.0);
    }
}
