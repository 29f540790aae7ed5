//! What a command reports when it fails.

use crate::render::{escape, style};
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use trident_engine::{PlanError, RunError};

/// A message, a hint, and an exit status.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// The model failed to plan or to run: status 1.
    pub(crate) fn run(message: impl Display) -> Failure {
        Failure { status: 1, message: message.to_string(), hint: None }
    }

    /// Wrong usage, files or inputs: status 2.
    pub(crate) fn usage(message: impl Display) -> Failure {
        Failure { status: 2, message: message.to_string(), hint: None }
    }

    /// What to try.
    pub(crate) fn hint(mut self, hint: impl Display) -> Failure {
        self.hint = Some(hint.to_string());
        self
    }

    /// The same about a part of a file.
    pub(crate) fn within(mut self, file: &str) -> Failure {
        self.message = format!("`{file}`: {}", self.message);
        self
    }

    /// The message in one line.
    pub(crate) fn message(&self) -> String {
        self.message.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The message and the hint, for a place that has one text for both.
    pub(crate) fn with_hint(&self) -> String {
        let hint = self.hint.as_ref().map(|hint| format!("; hint: {hint}"));
        format!("{}{}", self.message, hint.unwrap_or_default())
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        self.status
    }

    /// Prints to standard error and gives the exit status.
    pub(crate) fn report(&self) -> ExitCode {
        if self.message.is_empty() {
            return ExitCode::from(self.status);
        }
        let (error, hint) = (style::ERROR, style::HINT);
        anstream::eprintln!("{error}error:{error:#} {}", escape(&self.message));
        if let Some(text) = &self.hint {
            anstream::eprintln!("{hint}hint:{hint:#} {}", escape(text));
        }
        ExitCode::from(self.status)
    }
}

impl Failure {
    /// Prints and ends the process: for what cannot be left in another way.
    pub(crate) fn exit(&self) -> ! {
        self.report();
        std::process::exit(self.status.into())
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        let form = matches!(error, PlanError::Form { .. });
        let failure = Failure::run(error);
        match form {
            true => failure.hint(
                "compile it for this device: trident compile MODEL.onnx --emit mps -o MODEL.mps --device NAME",
            ),
            false => failure,
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let status = if matches!(error, RunError::Input { .. }) { 2 } else { 1 };
        Failure { status, message: error.to_string(), hint: error.hint() }
    }
}

/// Standard output that went away (`trident … | head`) is no failure worth a word.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { status: 0, message: String::new(), hint: None },
            _ => Failure::run(format!("cannot write to standard output: {error}")),
        }
    }
}
