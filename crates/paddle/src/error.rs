//! The reasons why a Paddle model is refused.

use crate::program::Op;
use std::fmt;
use std::io;
use trident_ir::literal::LiteralError;
use trident_ir::op::TypeError;
use trident_ir::shape::ShapeError;
use trident_ir::{DType, counted};

/// A Paddle model that cannot be loaded: the file, the reason, and the op.
#[derive(Debug, thiserror::Error)]
pub struct PaddleError {
    /// Name of the file in the model's folder.
    pub file: String,
    /// The op at which the fault was found; `None` for faults of the file as a whole.
    pub place: Option<Box<PaddlePlace>>,
    /// The cause.
    #[source]
    pub fault: PaddleErrorKind,
}

/// An op of a Paddle model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddlePlace {
    /// Name of the op with its dialect; ops of a `ProgramDesc` have none.
    pub op: String,
    /// Number of the op in the file, from 0, over all blocks in the order of the file.
    pub number: u32,
    /// The layer that made it, as Paddle names it (`struct_name`).
    pub layer: Option<String>,
}

impl fmt::Display for PaddlePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "op {} `{}`", self.number, self.op)?;
        match &self.layer {
            Some(layer) => write!(f, " of layer `{layer}`"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PaddleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: ", self.file)?;
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.fault)?;
        match self.fault.hint() {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// Errors of Paddle models.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaddleErrorKind {
    /// A file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    /// No file of a folder has a name that Paddle gives to programs.
    #[error("the folder has none of the files {}", names.join(", "))]
    NoProgram {
        /// The names.
        names: Vec<String>,
    },
    /// The text is not JSON.
    #[error("it is not valid JSON: {0}")]
    Json(serde_json::Error),
    /// Bytes are not a message `ProgramDesc`.
    #[error("it is not a valid `ProgramDesc`: {0}")]
    Wire(prost::DecodeError),
    /// A message ends before its last field.
    #[error("it is not a valid `ProgramDesc`: a message ends too early")]
    Truncated,
    /// JSON that holds something else.
    #[error("it is JSON, but not a program of Paddle: `base_code` does not say `pir`")]
    NotPir,
    /// A file that Python's `pickle` wrote.
    #[error("it is a Python pickle, which is never read")]
    Pickle,
    /// A file of parameters in place of a program.
    #[error("it has parameters, and no program")]
    ParametersOnly,
    /// A version that is not known.
    #[error("version {found} of the format is not supported: {oldest} to {newest} are")]
    Version {
        /// As the file states.
        found: i64,
        /// The oldest that is read.
        oldest: i64,
        /// The newest that is read.
        newest: i64,
    },
    /// A part of a program that does not have the form that it must have.
    #[error("the program is malformed: {0}")]
    Malformed(String),
    /// Blocks, lists or types nested too deeply.
    #[error("it is nested more than {limit} levels deep")]
    TooDeep {
        /// The most that is read.
        limit: usize,
    },
    /// A value is used before anything defines it, as it is on a cycle.
    #[error("value `{value}` is used before it is defined")]
    Undefined {
        /// The value.
        value: String,
    },
    /// A value that two definitions claim.
    #[error("value `{value}` is defined twice")]
    DefinedTwice {
        /// The value.
        value: String,
    },
    /// The parameters cannot be found.
    #[error("the model has {}, but there is no file {}", counted(*count, "parameter"), names.join(" or "))]
    NoParameters {
        /// Number of parameters.
        count: usize,
        /// Names of files with parameters.
        names: Vec<String>,
    },
    /// A parameter whose data do not fit.
    #[error("parameter `{name}`: {fault}")]
    Parameter {
        /// The parameter.
        name: String,
        /// The reason.
        fault: ParameterFault,
    },
    /// Data after the last parameter.
    #[error("{} follow the last of {}", counted(*bytes, "byte"), counted(*count, "parameter"))]
    TrailingBytes {
        /// Number of bytes.
        bytes: u64,
        /// Number of parameters.
        count: usize,
    },
    /// An op of a dialect that is not supported.
    #[error("dialect `{dialect}` is not supported")]
    Dialect {
        /// The dialect.
        dialect: String,
    },
    /// An op that is not in the catalogue.
    #[error("the op is not supported")]
    UnknownOp,
    /// An op whose operands, attributes or types are not supported.
    #[error("{0}")]
    Unsupported(String),
    /// Operands that do not fit the op.
    #[error(transparent)]
    Type(Box<TypeError>),
    /// Operands whose dimensions contradict each other.
    #[error(transparent)]
    Shape(Box<ShapeError>),
    /// A constant that does not hold together.
    #[error(transparent)]
    Literal(Box<LiteralError>),
}

impl From<TypeError> for PaddleErrorKind {
    fn from(error: TypeError) -> Self {
        PaddleErrorKind::Type(Box::new(error))
    }
}

impl From<ShapeError> for PaddleErrorKind {
    fn from(error: ShapeError) -> Self {
        PaddleErrorKind::Shape(Box::new(error))
    }
}

impl From<LiteralError> for PaddleErrorKind {
    fn from(error: LiteralError) -> Self {
        PaddleErrorKind::Literal(Box::new(error))
    }
}

/// Errors of a parameter's data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterFault {
    /// The file ends in it.
    #[error("it needs {needed} bytes from byte {at} on, but the file has {size}")]
    Truncated {
        /// Where its data begin, or what precedes them.
        at: u64,
        /// Bytes that it needs.
        needed: u64,
        /// Size of the file.
        size: u64,
    },
    /// A form of stored tensors that is not known.
    #[error("version {0} of stored tensors is not supported: only 0 is")]
    Version(u32),
    /// The description of the tensor is not a `TensorDesc`.
    #[error("its description at byte {at} is not valid")]
    Description {
        /// Where it begins.
        at: u64,
    },
    /// A number that is not an element type.
    #[error("data type {0} is not supported")]
    DataType(i64),
    /// A dimension below zero, or too many elements.
    #[error("dimensions {0:?} are not valid")]
    Dims(Vec<i64>),
    /// The stored tensor is another one than the program declares.
    #[error("the program declares {declared}, and the file has {stored}")]
    Declared {
        /// Type in the program.
        declared: String,
        /// Type in the file.
        stored: String,
    },
}

/// The text of a tensor's type in errors.
pub(crate) fn shown(dtype: Option<DType>, dims: &[i64]) -> String {
    format!("{}{dims:?}", dtype.map_or("?", DType::name))
}

impl PaddleErrorKind {
    /// Advice to the user.
    fn hint(&self) -> Option<&'static str> {
        const FOLDER: &str = "give the program's file, or a folder that `paddle.jit.save` or `paddle.static.save_inference_model` wrote";
        const AGAIN: &str =
            "the program and its parameters must come from one export: export or copy both again";
        match self {
            PaddleErrorKind::NoProgram { .. }
            | PaddleErrorKind::NotPir
            | PaddleErrorKind::ParametersOnly => Some(FOLDER),
            PaddleErrorKind::Pickle => Some(
                "checkpoints and states are pickles; export an inference model by `paddle.jit.save`",
            ),
            PaddleErrorKind::Json(error) if error.is_eof() => {
                Some("is the file complete? copy or export it again")
            }
            PaddleErrorKind::Wire(_) | PaddleErrorKind::Truncated => {
                Some("is the file complete? copy or export it again")
            }
            PaddleErrorKind::Json(_) | PaddleErrorKind::Malformed(_) => {
                Some("export the model again with a released version of Paddle")
            }
            PaddleErrorKind::Version { .. } => {
                Some("export the model with a released version of Paddle")
            }
            PaddleErrorKind::NoParameters { .. } => {
                Some("put the model's parameters beside its program")
            }
            PaddleErrorKind::Parameter { .. } | PaddleErrorKind::TrailingBytes { .. } => {
                Some(AGAIN)
            }
            PaddleErrorKind::Undefined { .. } | PaddleErrorKind::DefinedTwice { .. } => {
                Some("the file was damaged or edited; export the model again")
            }
            PaddleErrorKind::Dialect { .. } => Some(
                "export the model without custom ops and without passes for one device, such as oneDNN's",
            ),
            PaddleErrorKind::UnknownOp => {
                Some("`docs/paddle.md` lists the supported ops; please report this one")
            }
            _ => None,
        }
    }
}

/// A fault, and the op at which it was found. The name of the file is added where it is known.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The cause.
    pub kind: PaddleErrorKind,
    /// The op.
    pub place: Option<Box<PaddlePlace>>,
}

impl<K: Into<PaddleErrorKind>> From<K> for Fault {
    fn from(kind: K) -> Fault {
        Fault { kind: kind.into(), place: None }
    }
}

impl Fault {
    /// Adds the op, unless an inner one is known.
    pub(crate) fn at(mut self, op: &Op) -> Fault {
        self.place.get_or_insert_with(|| {
            let dialect = &*op.dialect;
            Box::new(PaddlePlace {
                op: match dialect {
                    "legacy" => op.name.to_string(),
                    _ => format!("{dialect}.{}", op.name),
                },
                number: op.number,
                layer: op.layer.as_deref().map(str::to_owned),
            })
        });
        self
    }

    /// The error of a file.
    pub(crate) fn of(self, file: &str) -> PaddleError {
        PaddleError { file: file.to_owned(), place: self.place, fault: self.kind }
    }
}
