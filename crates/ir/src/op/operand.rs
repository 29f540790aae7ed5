//! Operands: how often they occur and which elements they may have.

use crate::DType;
use crate::dtype::Class;

/// How often an operand or a result occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly once.
    One,
    /// Once or not at all.
    Optional,
    /// Any number; only in the last place.
    Many,
}

/// A declared operand.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The field's usual name for it.
    pub name: &'static str,
    /// How often it occurs.
    pub arity: Arity,
    /// How the op uses it.
    pub used: Use,
    /// The elements that it may have, if it is a tensor.
    pub takes: Elements,
    /// The name of the element type that it shares with the op's other operands of this name, as in the standard: `T`.
    pub alike: Option<&'static str>,
}

/// How an op uses an operand. Rows mark those that are not data: `w[weight]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// As data.
    Data,
    /// As a weight, which models learn: it is mostly constant.
    Weight,
    /// The first result is the operand in another form: a weight where that is one.
    Form,
    /// The first result has the operand's elements in their order, and can share its memory.
    View,
    /// As the place that the op writes to.
    Target,
}

/// Families of element types that operands can be confined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Whatever there is; the op's kernels know more.
    Any,
    /// Like `Any`, and also values that are not tensors: sequences, optional values and maps.
    Value,
    /// Truth values.
    Bool,
    /// Floats.
    Float,
    /// Signed 64-bit integers.
    I64,
    /// Signed 32- or 64-bit integers.
    Index,
    /// Integers.
    Int,
    /// Floats and integers.
    Number,
    /// Numbers and truth values.
    Ordered,
    /// Strings.
    Str,
}

impl Elements {
    /// Whether the type is one of these.
    pub fn accept(self, dtype: DType) -> bool {
        let class = dtype.class();
        match self {
            Elements::Any | Elements::Value => true,
            Elements::Bool => class == Class::Bool,
            Elements::Float => class == Class::Float,
            Elements::I64 => dtype == DType::I64,
            Elements::Index => matches!(dtype, DType::I32 | DType::I64),
            Elements::Int => matches!(class, Class::Int | Class::UInt),
            Elements::Number => matches!(class, Class::Float | Class::Int | Class::UInt),
            Elements::Ordered => Elements::Number.accept(dtype) || class == Class::Bool,
            Elements::Str => class == Class::Str,
        }
    }

    /// The name of such elements in errors.
    pub fn name(self) -> &'static str {
        match self {
            Elements::Any | Elements::Value => "elements",
            Elements::Bool => "truth values",
            Elements::Float => "floats",
            Elements::I64 => "i64",
            Elements::Index => "i32 or i64",
            Elements::Int => "integers",
            Elements::Number => "numbers",
            Elements::Ordered => "numbers or truth values",
            Elements::Str => "strings",
        }
    }
}
