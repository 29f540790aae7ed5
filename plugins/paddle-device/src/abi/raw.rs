//! Arguments of kernels as Paddle passes them.

use std::ffi::c_char;

use super::Ptr;
use super::library::List;

/// An argument as it arrives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Raw {
    /// An object of C++ that the eager interface passes by reference, or a tensor or scalar of a context.
    Pointer(Ptr),
    /// A tensor of a context: an optional one, or null, or one that has an attribute's numbers.
    Tensor(Ptr),
    /// An attribute of a context that has another type than the signature, by its number.
    Unread(i32),
    /// A truth value.
    Bool(bool),
    /// An integer; of the eager interface also an element type in `phi::DataType`.
    Int(i64),
    /// A number.
    Float(f64),
    /// An element type of a context, in `PD_DataType`.
    Element(i32),
    /// Text of a context.
    Text(*const c_char),
    /// A list of a context.
    List(List),
}

impl From<Ptr> for Raw {
    fn from(pointer: Ptr) -> Raw {
        Raw::Pointer(pointer)
    }
}

impl From<bool> for Raw {
    fn from(value: bool) -> Raw {
        Raw::Bool(value)
    }
}

impl From<i32> for Raw {
    fn from(value: i32) -> Raw {
        Raw::Int(value.into())
    }
}

impl From<i64> for Raw {
    fn from(value: i64) -> Raw {
        Raw::Int(value)
    }
}

impl From<f32> for Raw {
    fn from(value: f32) -> Raw {
        Raw::Float(value.into())
    }
}

impl From<f64> for Raw {
    fn from(value: f64) -> Raw {
        Raw::Float(value)
    }
}
