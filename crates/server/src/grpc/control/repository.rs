//! The repository: its index, and the loading of models.

use std::sync::Arc;

use bytes::Bytes;

use crate::grpc::call::decode;
use crate::grpc::message::{
    Empty, ModelIndex, RepositoryIndexRequest, RepositoryIndexResponse, RepositoryModelRequest,
    RepositoryParameterChoice, RepositoryParameterEntry,
};
use crate::grpc::status::{Code, Status};
use crate::repository::LoadOptions;
use crate::server::Server;

/// The models, with their versions and states.
pub(super) fn index(server: &Server, message: Bytes) -> Result<RepositoryIndexResponse, Status> {
    let request: RepositoryIndexRequest = decode(message)?;
    unnamed(&request.repository_name)?;
    let entries = server.repository.index(request.ready).into_iter();
    let models = entries.map(|entry| ModelIndex {
        name: entry.name,
        version: entry.version.map_or_else(String::new, |version| version.to_string()),
        state: entry.state.map_or("", |state| state.name()).to_owned(),
        reason: entry.reason,
    });
    Ok(RepositoryIndexResponse { models: models.collect() })
}

/// Loads a model, and answers when it has been loaded.
pub(super) async fn load(server: Arc<Server>, message: Bytes) -> Result<Empty, Status> {
    let request: RepositoryModelRequest = decode(message)?;
    unnamed(&request.repository_name)?;
    let mut options = LoadOptions::default();
    for entry in request.parameters {
        let RepositoryParameterEntry { key, value } = entry;
        match (key.as_str(), value.and_then(|value| value.choice)) {
            ("config", Some(RepositoryParameterChoice::String(text))) => {
                options.config = Some(text);
            }
            ("config", _) => return Err(wrong_type(&key, "string_param")),
            (file, Some(RepositoryParameterChoice::Bytes(bytes))) if file.starts_with("file:") => {
                options.files.push((key, bytes));
            }
            (file, _) if file.starts_with("file:") => {
                return Err(wrong_type(&key, "bytes_param"));
            }
            _ => return Err(Status::invalid(format!("unrecognized load parameter '{key}'."))),
        }
    }
    blocking(move || server.repository.load(&request.model_name, options)).await
}

/// Unloads a model.
pub(super) async fn unload(server: Arc<Server>, message: Bytes) -> Result<Empty, Status> {
    let request: RepositoryModelRequest = decode(message)?;
    unnamed(&request.repository_name)?;
    let mut dependents = false;
    for entry in request.parameters {
        let RepositoryParameterEntry { key, value } = entry;
        match (key.as_str(), value.and_then(|value| value.choice)) {
            ("unload_dependents", Some(RepositoryParameterChoice::Bool(value))) => {
                dependents = value;
            }
            ("unload_dependents", _) => {
                let text =
                    format!("invalid value type for '{key}' parameter, expected bool_param.");
                return Err(Status::invalid(text));
            }
            _ => return Err(Status::invalid(format!("unrecognized unload parameter '{key}'."))),
        }
    }
    blocking(move || server.repository.unload(&request.model_name, dependents)).await
}

/// Runs a command that takes long, on a thread that no connections wait for.
async fn blocking(
    command: impl FnOnce() -> Result<(), trident_serving::Fault> + Send + 'static,
) -> Result<Empty, Status> {
    match tokio::task::spawn_blocking(command).await {
        Ok(outcome) => Ok(outcome.map(|()| Empty {})?),
        Err(_) => Err(Status::new(
            Code::Internal,
            "internal error: a load panicked; this is a bug in Trident, please report it with the model",
        )),
    }
}

fn unnamed(repository: &str) -> Result<(), Status> {
    if repository.is_empty() {
        return Ok(());
    }
    Err(Status::new(Code::Unimplemented, "'repository_name' specification is not supported"))
}

fn wrong_type(key: &str, expected: &str) -> Status {
    let text = format!("invalid value type for load parameter '{key}', expected {expected}.");
    Status::invalid(text)
}
