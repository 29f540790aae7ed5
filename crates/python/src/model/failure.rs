//! Errors of loading and running models, as `trident.ModelError`.

use crate::error;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::io;
use std::path::Path;
use trident_devices::DeviceError;
use trident_engine::{InputError, PlanError, RunError};
use trident_ir::rewrite::RewriteError;
use trident_model::{LoadError, LoadErrorKind};

/// The kind of a `trident.ModelError`, which programs can tell apart.
#[derive(Clone, Copy, Default)]
pub(super) enum FailureKind {
    /// The model cannot be loaded.
    Load(LoadErrorKind),
    /// The device cannot be used.
    Device,
    /// Memory is lacking, or less is allowed.
    Memory,
    /// An input, an output or an option does not fit.
    Argument,
    /// The run was cancelled, or its time limit has passed.
    Stopped,
    /// A run failed.
    #[default]
    Run,
}

impl FailureKind {
    /// The name in `trident.errors.ModelErrorKind`.
    fn name(self) -> &'static str {
        match self {
            FailureKind::Load(kind) => load_name(kind),
            FailureKind::Device => "device",
            FailureKind::Memory => "memory",
            FailureKind::Argument => "argument",
            FailureKind::Stopped => "stopped",
            FailureKind::Run => "run",
        }
    }

    fn of_plan(error: &PlanError) -> FailureKind {
        match error {
            error if error.lacks_memory() => FailureKind::Memory,
            PlanError::Unsupported { .. } => FailureKind::Load(LoadErrorKind::Unsupported),
            PlanError::NoDevices | PlanError::Form { .. } => FailureKind::Device,
            _ => FailureKind::Load(LoadErrorKind::Graph),
        }
    }

    fn of_run(error: &RunError) -> FailureKind {
        match error {
            error if error.lacks_memory() => FailureKind::Memory,
            RunError::Input { .. } | RunError::Output { .. } => FailureKind::Argument,
            RunError::Plan { error, .. } => FailureKind::of_plan(error),
            RunError::Cancelled { .. } | RunError::Deadline { .. } => FailureKind::Stopped,
            _ => FailureKind::Run,
        }
    }
}

fn load_name(kind: LoadErrorKind) -> &'static str {
    match kind {
        LoadErrorKind::Format => "format",
        LoadErrorKind::Empty => "empty",
        LoadErrorKind::Version => "version",
        LoadErrorKind::Path => "path",
        LoadErrorKind::Undefined => "undefined",
        LoadErrorKind::Node => "node",
        LoadErrorKind::Graph => "graph",
        LoadErrorKind::Unsupported => "unsupported",
    }
}

/// The parts of a `trident.ModelError`.
#[derive(Default)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    pub(super) message: Box<str>,
    pub(super) node: Option<String>,
    pub(super) operand: Option<String>,
    /// The message without the place; the message itself where there is none.
    pub(super) reason: Option<String>,
    pub(super) hint: Option<String>,
}

impl Failure {
    pub(super) fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        let message = message.into().into_boxed_str();
        Failure { kind, message, ..Failure::default() }
    }

    /// About an input or an output.
    pub(super) fn of_operand(kind: &str, name: &str, reason: String, hint: String) -> Failure {
        let message = format!("{kind} `{name}`: {reason}");
        Failure {
            operand: Some(name.to_owned()),
            reason: Some(reason),
            hint: Some(hint),
            ..Failure::new(FailureKind::Argument, message)
        }
    }

    pub(super) fn raise(self, py: Python<'_>) -> PyErr {
        let Failure { kind, message, node, operand, reason, hint } = self;
        let message = message.into_string();
        error::exception(py, "ModelError", (message, node, operand, reason, hint, kind.name()))
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Failure {
        let hint = match &error {
            DeviceError::Unavailable { hint: Some(hint), .. } => hint.clone(),
            _ => "`trident.devices()` lists what there is".to_owned(),
        };
        Failure { hint: Some(hint), ..Failure::new(FailureKind::Device, error.to_string()) }
    }
}

/// The exception for a model that cannot be loaded; files that cannot be read are an `OSError`.
pub(super) fn load(py: Python<'_>, model: &str, error: LoadError) -> PyErr {
    if let LoadError::Open { path, source } = &error
        && source.raw_os_error().is_some()
    {
        return os_error(path, source);
    }
    let node = match &error {
        LoadError::Onnx(error) | LoadError::Neither(error) => {
            error.place.as_ref().map(|place| place.node.clone())
        }
        LoadError::Paddle(error) => error.place.as_ref().map(|place| {
            place.layer.clone().unwrap_or_else(|| format!("{} {}", place.op, place.number))
        }),
        _ => None,
    };
    let reason = match &error {
        LoadError::Onnx(error) => error.fault.to_string(),
        LoadError::Paddle(error) => error.fault.to_string(),
        error => error.to_string(),
    };
    let message = format!("cannot load {model}: {error}");
    Failure { node, reason: Some(reason), ..Failure::new(FailureKind::Load(error.kind()), message) }
        .raise(py)
}

/// The exception for a file that cannot be written.
pub(super) fn file(path: &Path, error: io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(_) => os_error(path, &error),
        None => PyOSError::new_err(format!("cannot write `{}`: {error}", path.display())),
    }
}

/// An error of the system about a file, with its name; Python makes it a `FileNotFoundError` or another by its number.
fn os_error(path: &Path, error: &io::Error) -> PyErr {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((error.raw_os_error(), text, path.as_os_str().to_owned()))
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        let reason = match &error {
            PlanError::Malformed { reason, .. } => Some(reason.clone()),
            PlanError::Constant { source, .. } => Some(source.to_string()),
            PlanError::Unsupported { declined, .. } => {
                let reasons: Vec<String> = declined
                    .iter()
                    .map(|(device, declined)| format!("{device}: {}", declined.reason()))
                    .collect();
                Some(reasons.join("; "))
            }
            PlanError::Optimize(RewriteError::Shape(error)) => Some(error.reason()),
            PlanError::Panic { message, .. } => Some(message.clone()),
            _ => None,
        };
        let (node, operand) = (error.node(), error.operand().map(str::to_owned));
        let lacks_memory = error.lacks_memory();
        let hint = lacks_memory.then(|| "allow more by `memory_limit`".to_owned());
        let kind = FailureKind::of_plan(&error);
        Failure { node, operand, reason, hint, ..Failure::new(kind, error.to_string()) }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let mut failure = Failure::new(FailureKind::of_run(&error), error.to_string());
        failure.hint = error.hint();
        match error {
            RunError::Input { error, .. } => {
                if let InputError::DType { name, expected, .. } = &*error {
                    let convert = expected.parse().map(super::dtype::name).unwrap_or_default();
                    let list = failure.hint.take().unwrap_or_default();
                    let hint = format!("convert `{name}` by `.astype(\"{convert}\")`; {list}");
                    failure.hint = Some(hint);
                }
                failure.reason = Some(error.to_string());
                failure.operand = Some(subject(*error));
            }
            RunError::Op(op) => {
                failure.node = op.at.node();
                failure.reason = Some(op.reason);
            }
            RunError::Panic { at, message } => {
                failure.node = at.node();
                failure.reason = Some(message);
            }
            RunError::Output { name, reason } => {
                failure.operand = Some(name);
                failure.reason = Some(reason);
            }
            RunError::Cancelled { at } | RunError::Deadline { at, .. } => failure.node = at.node(),
            RunError::Plan { error, .. } => {
                let inner = Failure::from(*error);
                (failure.node, failure.operand) = (inner.node, inner.operand);
                failure.reason = inner.reason;
            }
            _ => {}
        }
        failure
    }
}

/// The input that an error is about.
fn subject(error: InputError) -> String {
    match error {
        InputError::Unknown { name }
        | InputError::Missing { name, .. }
        | InputError::Twice { name }
        | InputError::Kind { name, .. }
        | InputError::DType { name, .. }
        | InputError::Rank { name, .. }
        | InputError::Dim { name, .. }
        | InputError::Symbol { name, .. } => name,
        other => other.to_string(),
    }
}
