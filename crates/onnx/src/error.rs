//! The reasons why a model is refused.

use crate::catalog;
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use trident_ir::literal::LiteralError;
use trident_ir::op::TypeError;
use trident_ir::{AttrKind, Type, counted};

/// A model that cannot be loaded: the reason, and the node.
#[derive(Debug, thiserror::Error)]
pub struct OnnxError {
    /// The cause.
    #[source]
    pub fault: OnnxErrorKind,
    /// The node it was found at; `None` for faults of the model as a whole.
    pub place: Option<Box<Place>>,
}

/// Where in a model a fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Operator type.
    pub op: String,
    /// The node's name, or the name of its first output if it has none.
    pub node: String,
    /// The graph or function that holds the node.
    pub graph: String,
}

impl fmt::Display for OnnxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{} `{}` in `{}`: ", place.op, place.node, place.graph)?;
        }
        write!(f, "{}", self.fault)?;
        match self.fault.hint() {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl<F: Into<OnnxErrorKind>> From<F> for OnnxError {
    fn from(fault: F) -> OnnxError {
        OnnxError { fault: fault.into(), place: None }
    }
}

/// Errors of models.
#[derive(Debug, thiserror::Error)]
pub enum OnnxErrorKind {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The model's own file cannot be read to its end.
    #[error("cannot read the model: {0}")]
    Source(std::io::Error),
    /// Values of the type have no message.
    #[error("ONNX files cannot hold values of type {0}")]
    NoMessage(String),
    /// Bytes are not a message of the expected kind.
    #[error("not a valid {what}: {source}")]
    Decode {
        /// The kind of message.
        what: &'static str,
        /// The reason.
        source: prost::DecodeError,
    },
    /// The message has no graph.
    #[error("the model has no graph; is the file complete?")]
    NoGraph,
    /// An IR version outside what is known.
    #[error("IR version {found} is not supported: {oldest} to {newest} are")]
    IrVersion {
        /// As the model tells.
        found: i64,
        /// The oldest that is read.
        oldest: i64,
        /// The newest that is read.
        newest: i64,
    },
    /// An operator set version outside what is known.
    #[error("version {found} of operator set `{domain}` is not supported: 1 to {newest} are")]
    Opset {
        /// Operator set.
        domain: String,
        /// As the model tells.
        found: i64,
        /// The newest that is read.
        newest: i64,
    },
    /// A node of an operator set that the model does not import.
    #[error("operator set `{domain}` is used but not imported")]
    NotImported {
        /// Operator set.
        domain: String,
    },
    /// No such operator.
    #[error("operator `{op}` of `{domain}` version {version} is unknown")]
    UnknownOp {
        /// Operator type.
        op: String,
        /// Operator set.
        domain: String,
        /// Its version as imported.
        version: i64,
    },
    /// An operator that came into its operator set later.
    #[error(
        "operator `{op}` came with version {since} of `{domain}`, the model imports version {version}"
    )]
    TooNew {
        /// Operator type.
        op: String,
        /// Operator set.
        domain: String,
        /// Its version as imported.
        version: i64,
        /// First version with the operator.
        since: i64,
    },
    /// An operator that is known and refused.
    #[error("operator `{op}` is not supported: {reason}")]
    Unsupported {
        /// Operator type, or what else is refused.
        op: String,
        /// Why.
        reason: &'static str,
    },
    /// A value is used that nothing defines.
    #[error("tensor `{tensor}` is used but defined nowhere")]
    Undefined {
        /// The tensor.
        tensor: String,
    },
    /// Nodes that need each other's results.
    #[error("the graph has a cycle through nodes {}", nodes.join(" -> "))]
    Cycle {
        /// The nodes on the cycle, the first being also the last.
        nodes: Vec<String>,
    },
    /// A name that two definitions claim.
    #[error("tensor `{tensor}` is defined twice")]
    DefinedTwice {
        /// The tensor.
        tensor: String,
    },
    /// A count of operands or results outside what the operator takes.
    #[error("has {}, expected {}", counted(*found, what), range(*least, *most))]
    Arity {
        /// `operand` or `result`.
        what: &'static str,
        /// As the node tells.
        found: usize,
        /// The least number.
        least: usize,
        /// The greatest number.
        most: usize,
    },
    /// An attribute that the operator does not have.
    #[error("has no attribute `{name}`")]
    UnknownAttribute {
        /// The attribute.
        name: String,
    },
    /// An attribute given twice.
    #[error("attribute `{name}` is given twice")]
    AttributeTwice {
        /// The attribute.
        name: String,
    },
    /// An attribute that must be there.
    #[error("attribute `{name}` is missing")]
    MissingAttribute {
        /// The attribute.
        name: String,
    },
    /// An attribute of the wrong kind.
    #[error("attribute `{name}` should be of kind {expected}")]
    AttributeKind {
        /// The attribute.
        name: String,
        /// The types that the operator takes.
        expected: &'static str,
    },
    /// An attribute with a value that the operator does not take.
    #[error("attribute `{name}` is {found}, expected {expected}")]
    AttributeValue {
        /// The attribute.
        name: String,
        /// Its value.
        found: String,
        /// The types that the operator takes.
        expected: &'static str,
    },
    /// An attribute with a text that is none of its choices.
    #[error("attribute `{name}` is `{found}`, expected one of {}", choices.join(", "))]
    AttributeWord {
        /// The attribute.
        name: String,
        /// Its text.
        found: String,
        /// The texts that it may have.
        choices: &'static [&'static str],
    },
    /// Operands that do not fit the operator.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// Two types that should agree.
    #[error("tensor `{tensor}` is declared as {declared}, but it is {actual}")]
    Declared {
        /// The tensor.
        tensor: String,
        /// The type in the declaration.
        declared: Type,
        /// The type by the rules of the operators.
        actual: Type,
    },
    /// A value without a usable type.
    #[error("the type of `{tensor}` is not usable: {reason}")]
    BadType {
        /// The tensor.
        tensor: String,
        /// Why.
        reason: String,
    },
    /// A constant tensor that does not hold together.
    #[error("tensor `{tensor}`: {reason}")]
    BadTensor {
        /// The tensor.
        tensor: String,
        /// Why.
        reason: TensorFault,
    },
    /// Data outside the model's file.
    #[error("external data of tensor `{tensor}`: {reason}")]
    External {
        /// The tensor.
        tensor: String,
        /// Why.
        reason: ExternalFault,
    },
    /// Subgraphs or functions nested too deeply.
    #[error("subgraphs and function calls are nested more than {limit} levels deep")]
    TooDeep {
        /// The most that is read.
        limit: usize,
    },
    /// A function that calls itself.
    #[error("function `{function}` calls itself")]
    Recursion {
        /// The function.
        function: String,
    },
    /// Functions that expand to too many nodes.
    #[error("the model's functions expand to more than {limit} nodes")]
    TooManyNodes {
        /// The most that is read.
        limit: usize,
    },
    /// Two functions of one name.
    #[error("function `{function}` is defined twice")]
    FunctionTwice {
        /// The function.
        function: String,
    },
    /// A subgraph with the wrong number of inputs or outputs.
    #[error("subgraph `{attribute}` has {}, expected {expected}", counted(*found, what))]
    Subgraph {
        /// The attribute that holds it.
        attribute: &'static str,
        /// `input` or `output`.
        what: &'static str,
        /// As the subgraph tells.
        found: usize,
        /// As the node needs.
        expected: usize,
    },
}

/// Errors of a `TensorProto`.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum TensorFault {
    /// A number that is not an element type, or one that is not supported.
    #[error("data type {0} is not supported")]
    DataType(i32),
    /// A dimension below zero.
    #[error("dimension {0} is negative")]
    Negative(i64),
    /// Data do not fit type and dimensions.
    #[error(transparent)]
    Literal(#[from] LiteralError),
    /// Packed data do not fit type and dimensions.
    #[error("its data has {}, expected {expected}", counted(*found, unit))]
    Count {
        /// `byte` or `element`.
        unit: &'static str,
        /// As found.
        found: usize,
        /// As type and dimensions ask.
        expected: usize,
    },
    /// A typed field with a number that the element type cannot hold.
    #[error("value {0} does not fit the element type")]
    Value(i64),
    /// Bytes that are not text.
    #[error("string {0} is not valid UTF-8")]
    Text(usize),
    /// A tensor cut into segments.
    #[error("segments are not supported")]
    Segment,
    /// An index of a sparse tensor outside its dimensions, or indices of a wrong form.
    #[error("sparse indices are out of range, unsorted or of a wrong shape")]
    SparseIndices,
    /// A sparse tensor that is too large when written out.
    #[error("its dense form takes more than {0} bytes")]
    TooLarge(usize),
    /// A part that must be there.
    #[error("it has no {0}")]
    Missing(&'static str),
}

/// Errors of data outside the model's file.
#[derive(Debug, thiserror::Error)]
pub enum ExternalFault {
    /// A path that leaves the model's folder.
    #[error("path `{0}` leaves the model's folder")]
    Outside(String),
    /// The file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// The reason.
        source: std::io::Error,
    },
    /// Offset or length that is not a number.
    #[error("`{key}` is `{value}`, expected a number of bytes")]
    Number {
        /// `offset` or `length`.
        key: &'static str,
        /// As found.
        value: String,
    },
    /// A range beyond the end of the file.
    #[error("bytes {offset} to {end} are asked for, the file has {size}")]
    Range {
        /// First byte.
        offset: u64,
        /// End.
        end: u64,
        /// Bytes in the file.
        size: u64,
    },
    /// No `location` is given.
    #[error("no location is given")]
    NoLocation,
    /// The model did not come from a file.
    #[error("the model does not come from a folder")]
    NoFolder,
}

/// Advice on an operator that is unknown.
fn unknown_op(op: &str, domain: &str) -> String {
    let domain = catalog::canonical(domain);
    let elsewhere = catalog::domain_of(op)
        .map(|other| format!("`{op}` is an operator of `{}`", catalog::display(other)));
    if let (Some(_), Some(elsewhere)) = (catalog::newest(domain), &elsewhere) {
        return elsewhere.clone();
    }
    if let Some(likely) = catalog::likely(domain, op) {
        return format!("did you mean `{likely}`?");
    }
    // Some operators of ONNX Runtime have the name of a standard operator but compute something else.
    if domain == catalog::RUNTIME {
        let known: Vec<String> = catalog::operators(domain).map(|op| format!("`{op}`")).collect();
        return format!(
            "this is an operator of ONNX Runtime; export with the standard's operators, without ONNX Runtime's optimiser; \
             of its operators, Trident runs {}",
            known.join(", ")
        );
    }
    if domain.starts_with("com.microsoft.") {
        return "this is an operator of ONNX Runtime; Trident runs no operators of this domain; use the model from before \
                ONNX Runtime's optimiser"
            .to_owned();
    }
    elsewhere
        .unwrap_or_else(|| "custom operators need a function of that name in the model".to_owned())
}

impl OnnxErrorKind {
    /// Advice on how to avoid the error.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        let hint = match self {
            OnnxErrorKind::UnknownOp { op, domain, .. } => {
                return Some(unknown_op(op, domain).into());
            }
            OnnxErrorKind::Decode { .. } => "is the file complete, and an ONNX file?",
            OnnxErrorKind::Opset { .. } => "export the model with an older opset",
            OnnxErrorKind::NotImported { .. } => "add it to the model's `opset_import`",
            OnnxErrorKind::TooNew { .. } => "raise the version in the model's `opset_import`",
            OnnxErrorKind::External { reason: ExternalFault::Outside(_), .. } => {
                "data files must lie in the model's folder"
            }
            OnnxErrorKind::External { reason: ExternalFault::NoFolder, .. } => {
                "load the model by its path"
            }
            _ => return None,
        };
        Some(hint.into())
    }
}

/// The name of an attribute kind in error texts.
pub(crate) fn kind_name(kind: AttrKind) -> &'static str {
    match kind {
        AttrKind::Int => "INT",
        AttrKind::Float => "FLOAT",
        AttrKind::Str => "STRING",
        AttrKind::Ints => "INTS",
        AttrKind::Floats => "FLOATS",
        AttrKind::Strs => "STRINGS",
        AttrKind::DType => "INT (an element type)",
        AttrKind::Type => "TYPE_PROTO",
        AttrKind::Tensor => "TENSOR",
    }
}

fn range(least: usize, most: usize) -> String {
    match most {
        usize::MAX => format!("at least {least}"),
        _ if least == most => least.to_string(),
        _ => format!("{least} to {most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_say_where_operators_of_onnx_runtime_come_from() {
        let hint = |domain: &str, op: &str| {
            let (op, domain) = (op.to_owned(), domain.to_owned());
            OnnxErrorKind::UnknownOp { op, domain, version: 1 }.hint().unwrap_or_default()
        };
        let other = hint("com.microsoft", "FusedConv");
        assert!(
            other.contains("of its operators, Trident runs") && other.contains("`MatMulNBits`, ")
        );
        assert_eq!(hint("com.microsoft", "MatmulNbits"), "did you mean `MatMulNBits`?");
        assert_eq!(
            hint("ai.onnx", "MatMulNBits"),
            "`MatMulNBits` is an operator of `com.microsoft`"
        );
        assert!(hint("com.microsoft", "Conv").contains("of its operators, Trident runs"));
        assert_eq!(hint("ai.onnx", "Scaler"), "`Scaler` is an operator of `ai.onnx.ml`");
        assert_eq!(hint("ai.onnx", "Convv"), "did you mean `Conv`?");
        assert!(
            hint("com.microsoft.nchwc", "ReorderInput").contains("no operators of this domain")
        );
        assert_eq!(
            hint("ai.onnx", "FusedMatMul"),
            "`FusedMatMul` is an operator of `com.microsoft`"
        );
        assert!(hint("ai.onnx", "Nonsense").contains("function"));
    }
}
