//! Views of the elements of tensors.

use super::{Tensor, not_filled};
use crate::{KernelError, TensorView, TensorViewMut};

impl Tensor {
    /// A view of the elements; an error for strings.
    pub fn view(&self) -> Result<TensorView<'_>, KernelError> {
        let bytes = self.bytes()?;
        let view = TensorView::new(self.dtype, &self.dims, bytes);
        view.ok_or_else(|| not_filled(bytes.len(), "byte", format!("{}", self.ty())))
    }

    /// A view of the elements, to be written; shared elements are copied first. An error for strings.
    pub fn view_mut(&mut self) -> Result<TensorViewMut<'_>, KernelError> {
        let dtype = self.dtype;
        let (dims, bytes) = self.parts_mut()?;
        let len = bytes.len();
        let view = TensorViewMut::new(dtype, dims, bytes);
        view.ok_or_else(|| not_filled(len, "byte", format!("{dtype}{dims:?}")))
    }
}
