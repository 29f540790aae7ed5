//! The reasons why a module has no ONNX file.

use trident_ir::op::TypeError;
use trident_ir::{Level, counted};

/// A module that cannot be written as ONNX. Messages name the op with its layer or node.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The module is not one function.
    #[error("an ONNX model is one function, and this module has {}", counted(*.found, "function"))]
    Functions {
        /// The number of its functions.
        found: usize,
    },
    /// The function is a kernel's.
    #[error("an ONNX model is a function of level graph, and this one is of level {found}")]
    Level {
        /// Its level.
        found: Level,
    },
    /// The standard has no such operator.
    #[error(
        "{op}: ONNX has no operator for it; hint: run the model with Trident, or export it without this op"
    )]
    NoOperator {
        /// The op, with its place.
        op: String,
    },
    /// An attribute is one that passes set.
    #[error(
        "{op}: ONNX has no attribute for its `{attr}`; hint: convert the model as it was before it was optimised"
    )]
    Internal {
        /// The op, with its place.
        op: String,
        /// The attribute.
        attr: &'static str,
    },
    /// The operator exists, but takes other types, attributes or numbers of operands.
    #[error(
        "{op}: no version of the ONNX operator {operator} takes {what}; hint: change the layer in the model, or run the model with Trident"
    )]
    Misfit {
        /// The op, with its place.
        op: String,
        /// The operator.
        operator: &'static str,
        /// The part of the op that the operator lacks.
        what: String,
    },
    /// The demanded operator set is too old for an op.
    #[error(
        "{op}: it needs version {needs} of the operator set {domain}, and {given} is declared; hint: leave --opset out, or give {needs} or more"
    )]
    TooOld {
        /// The op, with its place.
        op: String,
        /// Operator set.
        domain: &'static str,
        /// The oldest version that has the op in this form.
        needs: i64,
        /// The version that the model would declare.
        given: i64,
    },
    /// The model needs a version that an op does not have any more.
    #[error(
        "{op}: version {given} of the operator set {domain}, which other layers need, does not take {what}; hint: run the model with Trident"
    )]
    TooNew {
        /// The op, with its place.
        op: String,
        /// Operator set.
        domain: &'static str,
        /// The version that the model would declare.
        given: i64,
        /// The part of the op that this version lacks.
        what: String,
    },
    /// The demanded operator set is not one that models are written in.
    #[error(
        "operator set {given} is not written; hint: versions {oldest} to {newest} are, and older ones lack operators in their present meaning"
    )]
    Opset {
        /// The demanded version.
        given: i64,
        /// The oldest version that is written.
        oldest: i64,
        /// The newest version that is written.
        newest: i64,
    },
    /// A value's type has no message.
    #[error(
        "`{name}` is {ty}, and ONNX models have no values of this type; hint: run the model with Trident"
    )]
    Type {
        /// The value.
        name: String,
        /// Its type.
        ty: String,
    },
    /// The file would be larger than a protobuf message can be.
    #[error(
        "the file would have {bytes} bytes, and an ONNX file has at most {limit}; hint: let --external-data put weights into a file of their own, except texts and weights within branches and loops"
    )]
    TooLarge {
        /// The size of the file.
        bytes: u64,
        /// The greatest size.
        limit: u64,
    },
    /// An op does not fit its row.
    #[error("{op}: {source}")]
    Malformed {
        /// The op, with its place.
        op: String,
        /// The fault.
        source: TypeError,
    },
}
