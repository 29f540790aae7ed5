//! The way of a request to its endpoint.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode, header};

use super::body::{collect, drain};
use super::record::{Recording, kept};
use super::reply::{Media, Refusal, Reply, empty, json};
use super::route::{ModelAction, ModelRoute, Route, RouteError};
use super::{
    HttpFront, console, control, describe, generate, inference, memory, openai, percent, settings,
};
use crate::access::Api;
use crate::model::HostedModel;
use crate::observe::{Carrier, Observed};
use crate::repository::NoModel;
use crate::server::Server;

/// The answer to a request. If this is dropped because the client has left, the request's run is cancelled.
pub(super) async fn handle(
    front: &HttpFront,
    request: Request<Incoming>,
    peer: Option<SocketAddr>,
) -> Reply {
    let (parts, mut body) = request.into_parts();
    let recording = Recording::of(front, &parts);
    let reply = dispatch(front, (&parts, peer), &mut body, recording.as_ref()).await;
    let reply = reply.unwrap_or_else(Refusal::reply);
    if let Some(recording) = &recording {
        recording.write(&parts, &reply);
    }
    // A client that waits for a permission to send its body has not sent it.
    let is_coming = !body.is_end_stream() && !parts.headers.contains_key(header::EXPECT);
    if is_coming && reply.status() != StatusCode::REQUEST_TIMEOUT {
        drain(&mut body, &front.options).await;
    }
    reply
}

async fn dispatch(
    front: &HttpFront,
    (parts, peer): (&Parts, Option<SocketAddr>),
    body: &mut Incoming,
    recording: Option<&Recording<'_>>,
) -> Result<Reply, Refusal> {
    let path = percent::decode(parts.uri.path());
    if console::is_console(&path) {
        return console::console(front, parts, &path, collect(body, &front.options)).await;
    }
    if openai::is_openai(&path) {
        return Ok(openai::openai(front, (parts, peer), &path, collect(body, &front.options)).await);
    }
    let route = Route::of(parts.method.as_str(), &path).map_err(|error| misled(error, &path))?;
    may_use(front, parts, api(&route)).map_err(Refusal::plain)?;
    let server = &front.server;
    let collected = kept(recording, collect(body, &front.options));
    match route {
        Route::Model(route) => match route.action {
            ModelAction::Infer | ModelAction::Generate | ModelAction::GenerateStream => {
                let mut observed = server.observe(Carrier::Http, peer);
                observed.names(route.model, &parts.headers);
                let reply = infer(front, &route, parts, collected, &mut observed).await;
                match &reply {
                    Ok(reply) => observed.end(reply.status().as_str(), None),
                    Err(refusal) => observed.end(refusal.status().as_str(), Some(refusal.text())),
                }
                reply
            }
            ModelAction::Trace => {
                settings::trace(server, route.model, written(&parts.method, collected).await?)
            }
            _ => about_model(server, &route),
        },
        Route::Server => Ok(describe::server(server)),
        Route::Live => Ok(empty(Media::Plain)),
        Route::Ready if server.is_ready() => Ok(empty(Media::Plain)),
        Route::Ready => {
            let mut reply = empty(Media::Plain);
            *reply.status_mut() = StatusCode::BAD_REQUEST;
            Ok(reply)
        }
        Route::AllStatistics => describe::statistics(server, None, None),
        Route::Index => control::index(server, &collected.await?),
        Route::Control { repository, model, load } => {
            control::control(server, (repository, model), load, collected.await?).await
        }
        Route::Memory { cuda, region, action } => {
            memory::memory(server, cuda, (region, action), &collected.await?)
        }
        Route::Trace => settings::trace(server, "", written(&parts.method, collected).await?),
        Route::Logging => settings::log(server, written(&parts.method, collected).await?),
    }
}

/// Inference in one of its forms.
async fn infer(
    front: &HttpFront,
    route: &ModelRoute<'_>,
    parts: &Parts,
    body: impl Future<Output = Result<Bytes, Refusal>>,
    observed: &mut Observed,
) -> Result<Reply, Refusal> {
    match route.action {
        ModelAction::Generate => generate::generate(front, route, parts, body, observed).await,
        ModelAction::GenerateStream => {
            generate::generate_stream(front, route, parts, body, observed).await
        }
        _ => inference::infer(front, route, parts, body, observed).await,
    }
}

/// Whether a request has a key of the server, and that of a group of requests. Health needs no key of the server.
///
/// # Errors
/// The request lacks one of them.
pub(super) fn may_use(front: &HttpFront, parts: &Parts, api: Api) -> Result<(), Refusal> {
    if api != Api::Health {
        let authorization = parts.headers.get(header::AUTHORIZATION);
        let checked = front.options.keys.check(authorization);
        checked.map_err(|text| Refusal::new(StatusCode::UNAUTHORIZED, text))?;
    }
    let header = |name: &str| parts.headers.get(name).map(|value| value.as_bytes());
    match front.options.restrictions.denied(api, header) {
        None => Ok(()),
        Some(key) => {
            let text = format_args!("This API is restricted, expecting header '{key}'");
            Err(Refusal::new(StatusCode::FORBIDDEN, text))
        }
    }
}

/// The body of a request that changes settings; `None` for a request that only reads them.
async fn written(
    method: &Method,
    body: impl Future<Output = Result<Bytes, Refusal>>,
) -> Result<Option<Bytes>, Refusal> {
    if method == Method::POST { body.await.map(Some) } else { Ok(None) }
}

/// Questions about a model.
fn about_model(server: &Arc<Server>, route: &ModelRoute<'_>) -> Result<Reply, Refusal> {
    match route.action {
        ModelAction::Ready => match model(server, route) {
            Ok(model) if !model.is_lost() => Ok(empty(Media::Plain)),
            // Unloaded models are not ready, and others are unknown.
            Ok(_) | Err(NoModel::Unavailable(_) | NoModel::NotReady { .. }) => {
                Err(Refusal::new(StatusCode::BAD_REQUEST, "Model version not ready").plain())
            }
            Err(error) => Err(Refusal::from(error).plain()),
        },
        ModelAction::Config => {
            let model = model(server, route)?;
            Ok(json(model.config_json().to_owned()))
        }
        ModelAction::Statistics => {
            let version = route.version.parse().ok();
            describe::statistics(server, Some(route.model), version)
        }
        _ => describe::model(server, &*model(server, route)?),
    }
}

/// The model of a path.
pub(super) fn model(server: &Server, route: &ModelRoute<'_>) -> Result<Arc<HostedModel>, NoModel> {
    let version = match route.version {
        "" => None,
        digits => Some(number(digits).ok_or_else(|| NoModel::Number(digits.to_owned()))?),
    };
    server.repository.model(route.model, version)
}

/// The number of a version, which the server reads as i64.
fn number(digits: &str) -> Option<u64> {
    digits.parse().ok().map(i64::cast_unsigned)
}

/// The refusal of a request that has no route.
fn misled(error: RouteError, path: &str) -> Refusal {
    let status = match error {
        RouteError::NotFound => StatusCode::NOT_FOUND,
        RouteError::Method => StatusCode::METHOD_NOT_ALLOWED,
    };
    let refusal = Refusal::new(status, error);
    // These endpoints answer in plain text until they read a body.
    let is_plain = path.starts_with("/v2/health/")
        || ["/infer", "/ready"].iter().any(|action| path.ends_with(action));
    match error {
        RouteError::Method if !is_plain => refusal,
        _ => refusal.plain(),
    }
}

/// The group of a route.
fn api(route: &Route<'_>) -> Api {
    match route {
        Route::Server => Api::Metadata,
        Route::Live | Route::Ready => Api::Health,
        Route::AllStatistics => Api::Statistics,
        Route::Index | Route::Control { .. } => Api::ModelRepository,
        Route::Memory { .. } => Api::SharedMemory,
        Route::Trace => Api::Trace,
        Route::Logging => Api::Logging,
        Route::Model(route) => match route.action {
            ModelAction::Metadata => Api::Metadata,
            ModelAction::Ready => Api::Health,
            ModelAction::Config => Api::ModelConfig,
            ModelAction::Statistics => Api::Statistics,
            ModelAction::Trace => Api::Trace,
            ModelAction::Infer | ModelAction::Generate | ModelAction::GenerateStream => {
                Api::Inference
            }
        },
    }
}
