//! Errors as exceptions of `trident.errors`, which show the line of Python that caused them.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use trident_ir::{Loc, SourceLoc};
use trident_runtime::{CompileError, LaunchError, ProgramPoint};

/// `class(*args)` for a class of `trident.errors`; an error while making it takes its place.
pub(crate) fn exception<'py>(
    py: Python<'py>,
    class: &str,
    args: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyErr {
    let made =
        py.import("trident.errors").and_then(|m| m.getattr(class)?.call1(args.into_pyobject(py)?));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The place in the Python source, then the calls that lead to it: file, line and column of each.
fn frames(loc: Option<&Loc>) -> Vec<(&str, u32, u32)> {
    let source = loc.and_then(Loc::as_source);
    let frames = source.into_iter().flat_map(SourceLoc::frames);
    frames.map(|frame| (&*frame.file, frame.line, frame.column)).collect()
}

/// A kernel that cannot be compiled: what is wrong, and where in the source.
pub(crate) fn compile(py: Python<'_>, message: &str, loc: Option<&Loc>) -> PyErr {
    exception(py, "CompileError", (message, frames(loc)))
}

/// A kernel whose device refuses it.
pub(crate) fn refused(py: Python<'_>, error: &CompileError) -> PyErr {
    let message = error.to_string();
    match error {
        CompileError::Declined(declined) => compile(py, &message, declined.loc()),
        CompileError::Resources { what, needed, most, .. } => {
            exception(py, "ResourceError", (message, *what, *needed, *most))
        }
    }
}

/// A launch that failed.
pub(crate) fn launch(py: Python<'_>, error: &LaunchError) -> PyErr {
    let message = error.to_string();
    let (class, at): (_, Option<&ProgramPoint>) = match error {
        LaunchError::Assert { at, .. } => ("DeviceAssertionError", Some(at)),
        LaunchError::Access { at, .. } => ("AccessError", Some(at)),
        LaunchError::Assume { at } => ("AssumptionError", Some(at)),
        LaunchError::Step { at, .. } => ("StepError", Some(at)),
        LaunchError::Index { at, .. } => ("GatherError", Some(at)),
        LaunchError::Wait { at, .. } => ("DeadlockError", Some(at)),
        LaunchError::Nesting { at, .. } => ("NestingError", Some(at)),
        LaunchError::Unsupported { at, .. } => ("UnsupportedError", Some(at)),
        LaunchError::Memory { .. } => ("OutOfMemoryError", None),
        LaunchError::Arguments { .. }
        | LaunchError::Device { .. }
        | LaunchError::Stopped { .. }
        | LaunchError::Argument { .. }
        | LaunchError::Unchecked { .. }
        | LaunchError::Grid { .. } => ("LaunchError", None),
    };
    let program = at.map(|at| at.program);
    let frames = frames(at.and_then(|at| at.loc.as_ref()));
    exception(py, class, (message, program, frames))
}
