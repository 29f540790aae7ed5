//! The models that take part.

use std::time::UNIX_EPOCH;

use trident_serving::{Fault, ModelConfig};

use super::{Failure, PARAMETER};
use crate::http::reply::{Reply, json, object};
use crate::json::Writer;
use crate::model::HostedModel;
use crate::server::Server;

/// The requests that a model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    /// Texts become vectors.
    Embeddings,
    /// Texts are continued.
    Completions,
}

impl Service {
    /// The service that a model's parameter names.
    pub(super) fn of(config: &ModelConfig) -> Option<Service> {
        [Service::Embeddings, Service::Completions]
            .into_iter()
            .find(|service| config.parameter(PARAMETER) == Some(service.name()))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Service::Embeddings => "embeddings",
            Service::Completions => "completions",
        }
    }
}

/// An error if a configuration's parameter `openai` names a service that is unknown, or for which the model has not the tensors.
pub(crate) fn check_service(config: &ModelConfig) -> Result<(), Fault> {
    match (Service::of(config), config.parameter(PARAMETER)) {
        (Some(Service::Embeddings), _) => super::embeddings::check(config),
        (Some(Service::Completions), _) | (None, None | Some("")) => Ok(()),
        (None, Some(other)) => Err(Fault::invalid(format_args!(
            "model '{}' has '{other}' as its parameter '{PARAMETER}', which is '{}' or '{}'",
            config.name,
            Service::Embeddings.name(),
            Service::Completions.name()
        ))),
    }
}

/// `GET /v1/models`: the models that take part and are ready.
pub(super) fn list(server: &Server) -> Reply {
    let ready = server.repository.ready(None);
    let takes_part = |model: &&HostedModel| Service::of(model.config()).is_some();
    let mut models: Vec<&HostedModel> =
        ready.iter().map(|model| &**model).filter(takes_part).collect();
    models.sort_by_key(|model| model.name());
    models.dedup_by_key(|model| model.name());
    json(object(|writer| {
        writer.name("object").string(b"list");
        writer.name("data").array(|writer| {
            models.iter().for_each(|model| writer.object(|writer| describe(writer, model)));
        });
    }))
}

/// `GET /v1/models/NAME`.
pub(super) fn one(server: &Server, name: &str) -> Result<Reply, Failure> {
    let model = server.repository.model(name, None)?;
    match Service::of(model.config()) {
        Some(_) => Ok(json(object(|writer| describe(writer, &model)))),
        None => Err(Failure::invalid(format!(
            "model '{name}' does not take part in this API: set its parameter '{PARAMETER}' to 'embeddings' or 'completions'"
        ))),
    }
}

fn describe(writer: &mut Writer, model: &HostedModel) {
    let age = model.loaded().duration_since(UNIX_EPOCH).unwrap_or_default();
    writer.name("id").string(model.name().as_bytes());
    writer.name("object").string(b"model");
    writer.name("created").integer(age.as_secs());
    writer.name("owned_by").string(b"trident");
}
