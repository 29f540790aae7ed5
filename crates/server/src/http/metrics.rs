//! The port of metrics.

use std::collections::BTreeMap;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode};

use super::HttpFront;
use super::body::ReplyBody;
use super::reply::{Media, Refusal, Reply, empty, respond};
use crate::metrics::{CONTENT_TYPE as PAGE, Measured, Totals, page};
use crate::server::Server;

/// The answer to a request: the page at `/metrics`, and nothing elsewhere.
pub(super) fn handle(front: &HttpFront, request: &Request<Incoming>) -> Reply {
    if request.method() != Method::GET {
        return Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed").plain().reply();
    }
    if !matches!(request.uri().path(), "/metrics" | "/metrics/") {
        return empty(Media::Plain);
    }
    let repository = &front.server.repository;
    let totals = Totals {
        times: repository.options().times.clone(),
        suspended: repository.suspended_runs(),
        cached: repository.cached_bytes(),
    };
    let text = page(&measured(&front.server), totals, &front.host);
    let mut reply = respond(StatusCode::OK, Media::Plain, ReplyBody::from(text.into_bytes()));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PAGE));
    reply
}

/// The counters of all models that answer.
fn measured(server: &Server) -> Vec<Measured> {
    let models = server.repository.ready(None);
    let measured = models.iter().map(|model| Measured {
        statistics: model.totals(),
        caches: model.caches(),
        tags: prefixed(&model.config().metric_tags),
        memory: model.own_memory(),
        core_use: model.core_use(),
        operations: model.operations(),
    });
    measured.collect()
}

/// Labels of a configuration by the names that the server gives them.
fn prefixed(tags: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    tags.iter().map(|(name, value)| (format!("_{name}"), value.clone())).collect()
}
