//! How the elements of results come about.

use super::{OpDecl, OpKind};
use crate::decompose::Decompose;

/// The work that an op asks of a compiler of tile functions.
#[derive(Clone, Copy, Debug)]
pub enum Class {
    /// A primitive: each element can be computed alone, by an instruction or a few, from its place and those at the same
    /// place of the operands.
    Element,
    /// A primitive likewise, but an approximation of many instructions, for which there are routines of whole vectors.
    Function,
    /// Elementwise, and defined by a decomposition into primitives.
    Composite(Decompose),
    /// The elements are those of an operand, at other places or read as another type.
    View,
    /// Computed as a whole: what it takes is needed at once, or it has effects.
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
