//! Classes of ops, by the way their elements are computed.

use super::{OpDecl, OpKind};
use crate::decompose::Decompose;

/// The work that an op asks of a compiler of tile functions.
#[derive(Clone, Copy, Debug)]
pub enum Class {
    /// A primitive: each element can be computed alone, by a few instructions, from its position and the operands'
    /// elements at that position.
    Element,
    /// A primitive that takes many instructions, an approximation. There are routines for whole vectors of it.
    Function,
    /// Elementwise, and defined by a decomposition into primitives.
    Composite(Decompose),
    /// The elements are an operand's, at other positions or read as another type.
    View,
    /// Computed as a whole, because it needs all elements of its operands at once or has effects.
    Whole,
}

impl OpDecl {
    /// Whether each element of the results can be computed alone, where and when it is needed.
    pub fn is_lazy(&self) -> bool {
        !matches!(self.class, Class::Whole)
    }

    /// Whether the op only renames elements.
    pub fn is_view(&self) -> bool {
        matches!(self.class, Class::View)
    }
}

impl OpKind {
    /// Whether the op is defined by a decomposition into others.
    pub fn is_composite(self) -> bool {
        matches!(self.decl().class, Class::Composite(_))
    }
}
