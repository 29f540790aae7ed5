//! Why types cannot be right.

use crate::OpName;
use crate::op::TypeError;

/// A function whose types contradict themselves: running it could only fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// An op's operands break its type rule.
    #[error("{op}: {source}")]
    Type {
        /// The op, with the node's name where known.
        op: Box<OpName>,
        /// The broken rule.
        source: TypeError,
    },
    /// An operand is of another element type than the op takes.
    #[error("{op}: `{tensor}` is {actual}, expected {expected}")]
    Operand {
        /// The op.
        op: Box<OpName>,
        /// The operand.
        tensor: String,
        /// Its type.
        actual: String,
        /// The operands that the op takes.
        expected: String,
    },
    /// Shapes, values or attributes that contradict each other.
    #[error("{op}: {reason}")]
    Shape {
        /// The op.
        op: Box<OpName>,
        /// The misfit, naming the tensors.
        reason: String,
    },
    /// The type given for a parameter does not fit the declared one.
    #[error("input `{tensor}` is {actual}, declared as {declared}{detail}")]
    Parameter {
        /// The parameter.
        tensor: String,
        /// The type given.
        actual: String,
        /// The declared type.
        declared: String,
        /// The name of a dimension that stands for two numbers, if that is the reason.
        detail: String,
    },
    /// A type is given for a value that is not a parameter.
    #[error("`{tensor}` is not an input")]
    NotParameter {
        /// The value.
        tensor: String,
    },
}

impl ShapeError {
    /// The op whose types cannot be right.
    pub fn op(&self) -> Option<&OpName> {
        match self {
            ShapeError::Type { op, .. }
            | ShapeError::Operand { op, .. }
            | ShapeError::Shape { op, .. } => Some(op),
            ShapeError::Parameter { .. } | ShapeError::NotParameter { .. } => None,
        }
    }

    /// The operand or input that is wrong, if it is one.
    pub fn tensor(&self) -> Option<&str> {
        match self {
            ShapeError::Operand { tensor, .. }
            | ShapeError::Parameter { tensor, .. }
            | ShapeError::NotParameter { tensor } => Some(tensor),
            ShapeError::Type { .. } | ShapeError::Shape { .. } => None,
        }
    }

    /// The message without the op.
    pub fn reason(&self) -> String {
        match self {
            ShapeError::Type { source, .. } => source.to_string(),
            ShapeError::Shape { reason, .. } => reason.clone(),
            ShapeError::Operand { tensor, actual, expected, .. } => {
                format!("`{tensor}` is {actual}, expected {expected}")
            }
            error => error.to_string(),
        }
    }
}
