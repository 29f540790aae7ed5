//! The reasons why a model is not loaded.

use trident_serving::{ConfigPlace, ErrorCode, Fault, FolderError};

/// The reason why a model, or a version of it, is not loaded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LoadFault {
    pub(super) code: ErrorCode,
    /// As the index, the log and the start of the server tell it: with the place in the configuration.
    pub(super) full: String,
    /// As clients see it, with the texts that the Triton Inference Server sends.
    pub(super) told: String,
}

impl LoadFault {
    /// A fault at a place in the configuration.
    pub(super) fn at(place: &ConfigPlace, fault: Fault) -> LoadFault {
        let full = format!("{place}: {}", fault.text);
        LoadFault { code: fault.code, full, told: fault.text }
    }

    /// The same with the class of the error in words before its texts, as the server has it.
    pub(super) fn with_code(self) -> LoadFault {
        let code = code_text(self.code);
        self.map(|text| format!("{code}: {text}"))
    }

    /// The same with other texts, made from each of them.
    pub(super) fn map(self, text: impl Fn(&str) -> String) -> LoadFault {
        LoadFault { full: text(&self.full), told: text(&self.told), ..self }
    }

    /// The same, of which clients see the cause, too.
    pub(super) fn told_in_full(self) -> LoadFault {
        LoadFault { told: self.full.clone(), ..self }
    }

    /// The fault as clients see it.
    pub(super) fn for_clients(self) -> Fault {
        Fault { code: self.code, text: self.told }
    }

    /// The fault with its place.
    pub(super) fn in_full(self) -> Fault {
        Fault { code: self.code, text: self.full }
    }
}

impl From<Fault> for LoadFault {
    fn from(Fault { code, text }: Fault) -> LoadFault {
        LoadFault { code, full: text.clone(), told: text }
    }
}

impl From<FolderError> for LoadFault {
    fn from(error: FolderError) -> LoadFault {
        LoadFault { code: error.code(), full: error.to_string(), told: error.client_text() }
    }
}

/// The class of an error in words, as the server has them before the cause.
fn code_text(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Unknown => "Unknown",
        ErrorCode::Internal => "Internal",
        ErrorCode::NotFound => "Not found",
        ErrorCode::InvalidArg => "Invalid argument",
        ErrorCode::Unavailable => "Unavailable",
        ErrorCode::Unsupported => "Unsupported",
        ErrorCode::AlreadyExists => "Already exists",
        ErrorCode::Cancelled => "Cancelled",
    }
}
