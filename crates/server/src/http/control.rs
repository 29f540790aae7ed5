//! The repository: its index, loading and unloading.

use std::sync::Arc;

use bytes::Bytes;
use trident_serving::{ErrorCode, Fault};

use super::infer::text_of;
use super::reply::{Media, Refusal, Reply, empty, json};
use crate::base64;
use crate::json::{Document, JsonValue, Writer};
use crate::repository::{IndexEntry, LoadOptions};
use crate::server::Server;

/// A body that is JSON; `None` for an empty one.
pub(super) fn document(body: &Bytes) -> Result<Option<Document>, Fault> {
    match body.is_empty() {
        true => Ok(None),
        false => parse(body).map(Some),
    }
}

/// A body that must be JSON.
pub(super) fn parse(body: &Bytes) -> Result<Document, Fault> {
    Document::parse(body.clone())
        .map_err(|e| Fault::internal(format_args!("failed to parse the request JSON buffer: {e}")))
}

/// The states of all models, or of those that are ready.
pub(super) fn index(server: &Server, body: &Bytes) -> Result<Reply, Refusal> {
    let document = document(body)?;
    let ready = document.as_ref().and_then(|document| document.root().get("ready"));
    let ready = ready.map(JsonValue::boolean).transpose();
    let ready =
        ready.map_err(|_| Fault::invalid("Invalid value for 'ready': expected a boolean"))?;
    let index = server.repository.index(ready.unwrap_or(false));
    let mut writer = Writer::new(vec![]);
    writer.array(|writer| {
        index.iter().for_each(|entry| writer.object(|writer| state(writer, entry)));
    });
    Ok(json(writer.finish()))
}

fn state(writer: &mut Writer, entry: &IndexEntry) {
    writer.name("name").string(entry.name.as_bytes());
    if let Some(version) = entry.version {
        writer.name("version").string(version.to_string().as_bytes());
    }
    if let Some(state) = entry.state {
        writer.name("state").string(state.name().as_bytes());
    }
    if !entry.reason.is_empty() {
        writer.name("reason").string(entry.reason.as_bytes());
    }
}

/// Loads or unloads a model, on a thread that may wait.
pub(super) async fn control(
    server: &Arc<Server>,
    (repository, model): (&str, &str),
    load: bool,
    body: Bytes,
) -> Result<Reply, Refusal> {
    if !repository.is_empty() {
        let text = "'repository_name' specification is not supported".to_owned();
        return Err(Fault { code: ErrorCode::Unsupported, text }.into());
    }
    let (server, name) = (Arc::clone(server), model.to_owned());
    let task = tokio::task::spawn_blocking(move || match load {
        true => server.repository.load(&name, load_options(&name, &body)?),
        false => server.repository.unload(&name, unload_dependents(&body)?),
    });
    task.await.map_err(|error| {
        Fault::internal(format_args!("the model's load has ended early: {error}"))
    })??;
    Ok(empty(Media::Json))
}

fn unload_dependents(body: &Bytes) -> Result<bool, Fault> {
    let document = document(body)?;
    let parameters = document.as_ref().and_then(|document| document.root().get("parameters"));
    let dependents = parameters.and_then(|parameters| parameters.get("unload_dependents"));
    dependents.map_or(Ok(false), |value| value.boolean().map_err(Fault::internal))
}

fn load_options(model: &str, body: &Bytes) -> Result<LoadOptions, Fault> {
    let mut options = LoadOptions::default();
    let document = document(body)?;
    let parameters = document.as_ref().and_then(|document| document.root().get("parameters"));
    let Some(parameters) = parameters else { return Ok(options) };
    let members =
        parameters.members().map_err(|_| Fault::internal("attempt to get members for non-object"));
    for (name, value) in members? {
        let name = text_of(name).map_err(Fault::internal)?;
        if name == "config" {
            options.config = Some(text_of(value).map_err(Fault::internal)?);
        } else if name.starts_with("file:") {
            let text = value.string().map_err(Fault::internal)?;
            let bytes = base64::decode(&text).ok_or_else(|| {
                Fault::internal(format_args!(
                    "failed to load '{model}': parameter '{name}' is not base64"
                ))
            })?;
            options.files.push((name, bytes.into()));
        } else {
            return Err(Fault::internal("unexpected error on creating Triton parameter"));
        }
    }
    Ok(options)
}
