//! Errors of ensembles.

use crate::config::DataType;
use crate::failure::ErrorCode;

/// The reason why an ensemble cannot be loaded. The texts are the server's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum EnsembleFault {
    #[error("{field} should not be specified for ensemble '{ensemble}'")]
    Field { ensemble: String, field: &'static str },
    #[error("model_warmup can not be specified for ensemble '{ensemble}'")]
    Warmup { ensemble: String },
    #[error("must specify 'step' for ensemble '{ensemble}'")]
    NoSteps { ensemble: String },
    #[error("must specify '{field}' in step {step} of ensemble '{ensemble}'")]
    NoField { ensemble: String, step: usize, field: &'static str },
    #[error(
        "ensemble tensor '{tensor}' can appear in an output map only once for ensemble '{ensemble}' step {step}"
    )]
    WrittenTwice { ensemble: String, step: usize, tensor: String },
    #[error("ensemble {role} '{tensor}' for ensemble {ensemble} is not used")]
    NotUsed { ensemble: String, role: &'static str, tensor: String },
    #[error("output '{output}' for ensemble '{ensemble}' is not written{}", source_of(cause.as_deref()))]
    NotWritten { ensemble: String, output: String, cause: Option<String> },
    #[error("ensemble tensor '{tensor}' is unused in ensemble '{ensemble}'")]
    Unused { ensemble: String, tensor: String },
    #[error(
        "ensemble {ensemble} allows maximum batch size {own}, but it contains model {model} which only allows maximum batch size \
         to be {largest}"
    )]
    BatchSize { ensemble: String, own: i32, model: String, largest: i32 },
    #[error(
        "in ensemble {ensemble}, ensemble tensor {tensor} is mapping to non-existing input {input} in model {model}"
    )]
    NoInput { ensemble: String, tensor: String, input: String, model: String },
    #[error(
        "in ensemble {ensemble}, input {input} in model {model} is not mapped to any ensemble tensors"
    )]
    Unmapped { ensemble: String, input: String, model: String },
    #[error(
        "in ensemble {ensemble}, ensemble tensor {tensor} is mapped from non-existing output {output} in model {model}"
    )]
    NoOutput { ensemble: String, tensor: String, output: String, model: String },
    #[error(
        "in ensemble {ensemble}, ensemble tensor {tensor}: inconsistent data type: {} is inferred from model {first} while {} is \
         inferred from model {second}",
        types[0].name(), types[1].name()
    )]
    Type { ensemble: String, tensor: String, types: [DataType; 2], first: String, second: String },
    #[error(
        "in ensemble {ensemble}, ensemble tensor {tensor}: inconsistent shape: {} is inferred from model {first} while {} is \
         inferred from model {second}",
        shapes[0], shapes[1]
    )]
    Shape {
        ensemble: String,
        tensor: String,
        shapes: Box<[String; 2]>,
        first: String,
        second: String,
    },
    #[error(
        "in ensemble {ensemble}, step of model '{model}' receives inputs originated from different decoupled models"
    )]
    Decoupled { ensemble: String, model: String },
    #[error("in ensemble {ensemble}, {text}")]
    NoModel { ensemble: String, text: String },
}

fn source_of(cause: Option<&str>) -> String {
    let text =
        |name| format!(": at least one of its depending tensors, '{name}', is not connected");
    cause.map(text).unwrap_or_default()
}

/// The error of a step, with the ensemble's name before its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("in ensemble '{ensemble}', {text}")]
pub struct StepError {
    /// The ensemble's name.
    pub ensemble: String,
    /// The class of the step's error.
    pub code: ErrorCode,
    /// The text of the step's error.
    pub text: String,
}
