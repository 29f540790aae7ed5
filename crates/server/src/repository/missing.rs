//! The reasons why a model does not answer.

use std::fmt::Display;

use trident_serving::{ErrorCode, Fault};

/// Why there is no model for a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoModel {
    /// No model of this name was ever loaded.
    #[error("Request for unknown model: '{0}' is not found")]
    Unknown(String),
    /// No such version answers.
    #[error("Request for unknown model: '{model}' version {version} is not found")]
    Version {
        /// The model's name.
        model: String,
        /// The version, as the client wrote it.
        version: String,
    },
    /// The version is not a number.
    #[error(
        "failed to get model version from specified version string '{0}' (details: stol), version should be an integral value > 0"
    )]
    Number(String),
    /// The version is unloaded, being loaded, or failed to load.
    #[error("Request for unknown model: '{model}' version {version} is not at ready state")]
    NotReady {
        /// The model's name.
        model: String,
        /// The version.
        version: u64,
    },
    /// All versions of the model are unloaded, being loaded, or failed to load.
    #[error("Request for unknown model: '{0}' has no available versions")]
    Unavailable(String),
}

impl NoModel {
    /// No such version of a model answers.
    pub(crate) fn version(model: &str, version: impl Display) -> NoModel {
        NoModel::Version { model: model.to_owned(), version: version.to_string() }
    }
}

impl From<NoModel> for Fault {
    fn from(error: NoModel) -> Fault {
        let code = match error {
            NoModel::Number(_) => ErrorCode::InvalidArg,
            NoModel::NotReady { .. } => ErrorCode::Unavailable,
            _ => ErrorCode::NotFound,
        };
        Fault { code, text: error.to_string() }
    }
}
