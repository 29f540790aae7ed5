//! OpenAI's API, below `/v1` and `/v3`: the list of models, embeddings, and completions.
//!
//! A model takes part if its parameter `openai` is `embeddings` or `completions`. Errors have OpenAI's form.

mod chat;
mod completions;
mod embeddings;
mod generator;
mod models;
mod reply;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, header};
use trident_serving::Fault;

use super::HttpFront;
use super::compress;
use super::handle;
use super::reply::{Media, Refusal, Reply, challenge, object, respond};
use crate::access::Api;
use crate::infer::InferRequest;
use crate::json::{Document, JsonValue, Writer};
use crate::model::HostedModel;
use crate::observe::{Carrier, Observed};
use crate::repository::NoModel;

pub(crate) use models::check_service;

/// The parameter of models that take part.
const PARAMETER: &str = "openai";

/// A path of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endpoint<'a> {
    /// `models`.
    Models,
    /// `models/NAME`.
    Model(&'a str),
    /// `embeddings`.
    Embeddings,
    /// `completions`.
    Completions,
    /// `chat/completions`.
    Chat,
}

impl Endpoint<'_> {
    fn of(path: &str) -> Option<Endpoint<'_>> {
        let rest = path.strip_prefix("/v1/").or_else(|| path.strip_prefix("/v3/"))?;
        match rest {
            "models" => Some(Endpoint::Models),
            "embeddings" => Some(Endpoint::Embeddings),
            "completions" => Some(Endpoint::Completions),
            "chat/completions" => Some(Endpoint::Chat),
            _ => rest.strip_prefix("models/").filter(|name| !name.is_empty()).map(Endpoint::Model),
        }
    }

    fn takes(self) -> (Method, Api) {
        match self {
            Endpoint::Models | Endpoint::Model(_) => (Method::GET, Api::Metadata),
            _ => (Method::POST, Api::Inference),
        }
    }
}

/// An error in OpenAI's form.
struct Failure {
    status: StatusCode,
    text: String,
}

impl Failure {
    fn invalid(text: impl Into<String>) -> Failure {
        Failure { status: StatusCode::BAD_REQUEST, text: text.into() }
    }

    /// The failure of a request that the model is not made for.
    fn unsupported(text: impl Into<String>) -> Failure {
        Failure { status: StatusCode::NOT_IMPLEMENTED, text: text.into() }
    }

    /// Writes the member `error`.
    fn write(&self, writer: &mut Writer) {
        let kind = match self.status.is_server_error() {
            true => "server_error",
            false => "invalid_request_error",
        };
        writer.name("error").object(|writer| {
            writer.name("message").string(self.text.as_bytes());
            writer.name("type").string(kind.as_bytes());
            writer.name("param").null();
            match self.status {
                StatusCode::NOT_FOUND => writer.name("code").string(b"model_not_found"),
                StatusCode::UNAUTHORIZED => writer.name("code").string(b"invalid_api_key"),
                _ => writer.name("code").null(),
            }
        });
    }

    fn reply(self) -> Reply {
        let body = object(|writer| self.write(writer));
        let mut reply = respond(self.status, Media::Json, body.into());
        challenge(&mut reply);
        reply
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        let (status, text) = refusal.into_parts();
        Failure { status, text }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Refusal::from(fault).into()
    }
}

impl From<NoModel> for Failure {
    fn from(error: NoModel) -> Failure {
        Refusal::from(error).into()
    }
}

/// A request on its way to a model.
struct Asking<'a> {
    front: &'a HttpFront,
    parts: &'a Parts,
    observed: Observed,
}

impl Asking<'_> {
    /// The model that a request names.
    fn model(&mut self, document: &Document) -> Result<Arc<HostedModel>, Failure> {
        let name = document.root().get("model").and_then(text);
        let name = name.ok_or_else(|| Failure::invalid("'model' must be the name of a model"))?;
        self.observed.names(&name, &self.parts.headers);
        Ok(self.front.server.repository.model(&name, None)?)
    }

    /// Adds to a request for a model what all of them have.
    fn submits(&mut self, request: &mut InferRequest) -> Result<(), Failure> {
        let forwarded = &self.front.options.forwarded;
        forwarded.forward(&self.parts.headers, &mut request.parameters)?;
        self.observed.submits(request);
        Ok(())
    }
}

/// Whether a path belongs to the API.
pub(super) fn is_openai(path: &str) -> bool {
    Endpoint::of(path).is_some()
}

/// The answer to a request for a path of the API.
pub(super) async fn openai(
    front: &HttpFront,
    (parts, peer): (&Parts, Option<SocketAddr>),
    path: &str,
    body: impl Future<Output = Result<Bytes, Refusal>>,
) -> Reply {
    let mut asking = Asking { front, parts, observed: Observed::default() };
    let endpoint = Endpoint::of(path);
    if endpoint.is_some_and(|endpoint| endpoint.takes().1 == Api::Inference) {
        asking.observed = front.server.observe(Carrier::Http, peer);
    }
    let reply = answer(&mut asking, path, endpoint, body).await;
    match &reply {
        Ok(reply) => asking.observed.end(reply.status().as_str(), None),
        Err(failure) => asking.observed.end(failure.status.as_str(), Some(&failure.text)),
    }
    reply.unwrap_or_else(Failure::reply)
}

async fn answer(
    asking: &mut Asking<'_>,
    path: &str,
    endpoint: Option<Endpoint<'_>>,
    body: impl Future<Output = Result<Bytes, Refusal>>,
) -> Result<Reply, Failure> {
    let Some(endpoint) = endpoint else {
        return Err(Failure { status: StatusCode::NOT_FOUND, text: "Not Found".to_owned() });
    };
    let (front, parts) = (asking.front, asking.parts);
    let (method, api) = endpoint.takes();
    if parts.method != method {
        let text = format!("{path} takes the method {method}, not {}", parts.method);
        return Err(Failure { status: StatusCode::METHOD_NOT_ALLOWED, text });
    }
    handle::may_use(front, parts, api)?;
    match endpoint {
        Endpoint::Models => Ok(models::list(&front.server)),
        Endpoint::Model(name) => models::one(&front.server, name),
        Endpoint::Embeddings => embeddings::embed(asking, &*document(parts, body).await?).await,
        Endpoint::Completions => completions::complete(asking, &document(parts, body).await?).await,
        Endpoint::Chat => chat::chat(asking, &document(parts, body).await?).await,
    }
}

/// The body of a request: an object.
async fn document(
    parts: &Parts,
    body: impl Future<Output = Result<Bytes, Refusal>>,
) -> Result<Arc<Document>, Failure> {
    let encoding = parts.headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes());
    if compress::of_request(encoding) != Ok(None) {
        return Err(Failure::invalid("the body must not be compressed"));
    }
    let document = Document::parse(body.await?)
        .map_err(|error| Failure::invalid(format!("the body is not JSON: {error}")))?;
    match document.root().is_object() {
        true => Ok(Arc::new(document)),
        false => Err(Failure::invalid("the body must be a JSON object")),
    }
}

/// A string of Unicode.
fn text(value: JsonValue<'_>) -> Option<String> {
    String::from_utf8(value.string().ok()?.into_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_api() {
        for version in ["v1", "v3"] {
            let of = |path: &str| match Endpoint::of(&format!("/{version}/{path}")) {
                Some(Endpoint::Model(name)) => format!("model {name}"),
                other => format!("{other:?}"),
            };
            assert_eq!(of("models"), "Some(Models)");
            assert_eq!(of("models/a/b"), "model a/b");
            assert_eq!(of("embeddings"), "Some(Embeddings)");
            assert_eq!(of("completions"), "Some(Completions)");
            assert_eq!(of("chat/completions"), "Some(Chat)");
            assert_eq!(of("models/"), "None");
            assert_eq!(of("images"), "None");
        }
        assert!(!is_openai("/v2/models") && !is_openai("/v1"));
    }
}
