//! Failures of commands, and how they are reported.

use crate::render::{escape, style};
use std::fmt::Display;
use std::io;
use trident_engine::{PlanError, RunError};

/// A message, a hint, and an exit status.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    message: String,
    hint: Option<String>,
    /// Whether the hint came with the message.
    is_own: bool,
    /// Failures that are reported after this one.
    others: Vec<Failure>,
}

/// The marks of a hint inside of a message.
const OWN_HINT: [&str; 2] = ["; hint: ", "\nhint: "];

impl Failure {
    /// The model or kernel was read, and could not be planned, compiled or run: status 1.
    pub(crate) fn run(message: impl Display) -> Failure {
        Failure::new(1, message)
    }

    /// Wrong usage, or a file or input that cannot be used: status 2.
    pub(crate) fn usage(message: impl Display) -> Failure {
        Failure::new(2, message)
    }

    /// Errors of devices end with a hint of their own, which becomes the failure's.
    fn new(status: u8, message: impl Display) -> Failure {
        let message = message.to_string();
        let found = OWN_HINT.iter().find_map(|mark| message.split_once(mark));
        match found {
            Some((message, hint)) => {
                let (message, hint) = (message.to_owned(), Some(hint.to_owned()));
                Failure { status, message, hint, is_own: true, others: vec![] }
            }
            None => Failure { status, message, hint: None, is_own: false, others: vec![] },
        }
    }

    /// All of several failures, with the status of the first; `None` if there are none.
    #[cfg(feature = "serve")]
    pub(crate) fn all(failures: impl IntoIterator<Item = Failure>) -> Option<Failure> {
        let mut failures = failures.into_iter();
        let first = failures.next()?;
        Some(Failure { others: failures.collect(), ..first })
    }

    /// Adds advice on what to try. The hint of the error itself, which is nearest to the cause, is kept.
    pub(crate) fn hint(mut self, hint: impl Display) -> Failure {
        if !self.is_own {
            self.hint = Some(hint.to_string());
        }
        self
    }

    /// The same about a part of a file, which the message names once.
    pub(crate) fn within(mut self, file: &str) -> Failure {
        let place = format!("`{file}`");
        if !self.message.contains(&place) {
            self.message = format!("{place}: {}", self.message);
        }
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
    pub(crate) fn report(&self) -> u8 {
        if self.message.is_empty() {
            return self.status;
        }
        let (error, hint) = (style::ERROR, style::HINT);
        anstream::eprintln!("{error}error:{error:#} {}", escape(&self.message));
        if let Some(text) = &self.hint {
            anstream::eprintln!("{hint}hint:{hint:#} {}", escape(text));
        }
        for other in &self.others {
            other.report();
        }
        self.status
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
        Failure::run(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let status = if matches!(error, RunError::Input { .. }) { 2 } else { 1 };
        let failure = Failure::new(status, &error);
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// Standard output that went away (`trident … | head`) is not a failure worth a word.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::new(0, ""),
            _ => Failure::run(format!("cannot write to standard output: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_engine::{DeviceForm, Form};

    #[test]
    fn a_failure_has_one_hint() {
        let plain = Failure::run("no luck").hint("first").hint("second");
        assert_eq!((plain.message().as_str(), plain.hint.as_deref()), ("no luck", Some("second")));
        for mark in OWN_HINT {
            let own = Failure::usage(format!("no GPU{mark}choose `cpu`")).hint("try again");
            assert_eq!(own.message, "no GPU");
            assert_eq!(own.hint.as_deref(), Some("choose `cpu`"));
        }
    }

    #[test]
    fn a_model_for_other_devices_says_once_what_to_do() {
        let form = |name: &str| {
            let device = DeviceForm { name: name.to_owned(), rewrites: vec![] };
            Form { devices: vec![device], disabled: vec![] }
        };
        let failure = Failure::from(PlanError::Form { made: form("cpu"), wanted: form("metal") });
        assert!(failure.message.ends_with("for `cpu`, and the session runs on `metal`"));
        let hint = failure.hint.unwrap();
        assert!(hint.starts_with("compile it for these") && hint.ends_with("--device metal"));
    }
}
