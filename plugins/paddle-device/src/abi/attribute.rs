//! Attributes of a kernel's context that may be tensors.
//!
//! Static graphs give scalars and lists of integers as tensors. The C interface can read them only where they are values, and throws
//! otherwise. So the kind is read from Paddle's own object first: `phi::Attribute`, a variant of 20 types.

use super::Ptr;
use super::library::Api;

/// An attribute of a context which the kernel's signature has as a scalar or as a list of integers.
pub(super) enum Attribute {
    /// A value, which the C interface can read.
    Value,
    /// A `DenseTensor` with the numbers.
    Tensor(Ptr),
    /// Another type, by its position in the variant.
    Other(i32),
}

/// The offset of the type's position in the variant, in all supported releases.
const POSITION: usize = 48;

/// Positions of `Scalar`, `IntArray` and `TensorRef`.
const SCALAR: i32 = 12;
const INT_ARRAY: i32 = 14;
const TENSOR_REF: i32 = 18;

impl Attribute {
    /// The attribute at a position.
    ///
    /// # Safety
    /// The context is one of a kernel that has so many attributes, and lives during the call.
    pub(super) unsafe fn of(api: &Api, context: Ptr, at: usize) -> Attribute {
        // SAFETY: the caller promises the attribute. Its object has 64 bytes in all supported releases, with the position at this
        // offset; a `TensorRef` is a pointer to its tensor, at offset 0.
        unsafe {
            let attribute = (api.attribute_at)(context, at).cast::<u8>();
            match attribute.add(POSITION).cast::<i32>().read() {
                SCALAR | INT_ARRAY => Attribute::Value,
                TENSOR_REF => Attribute::Tensor(attribute.cast::<Ptr>().read()),
                other => Attribute::Other(other),
            }
        }
    }
}
