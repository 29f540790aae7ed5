//! The web console: its files, and the control of models from it.

use std::net::IpAddr;

use bytes::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderValue, ORIGIN,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

use super::HttpFront;
use super::control;
use super::handle;
use super::live;
use super::reply::{Media, Refusal, Reply, json, object, respond};
use crate::access::Api;
use crate::console::{self, ConsoleFile};
use crate::repository::ControlMode;

/// A path of the console.
enum Page<'a> {
    File(ConsoleFile),
    /// Whether the console may load and unload models.
    Rights,
    /// The figures that `/v2/models/stats` does not have.
    Live,
    /// Loads or unloads a model.
    Control {
        model: &'a str,
        load: bool,
    },
}

impl Page<'_> {
    fn of(path: &str) -> Option<Page<'_>> {
        match path {
            "/ui/rights" => return Some(Page::Rights),
            "/ui/live" => return Some(Page::Live),
            _ => {}
        }
        if let Some(rest) = path.strip_prefix("/ui/models/") {
            let (model, action) = rest.rsplit_once('/')?;
            let load = match action {
                "load" => true,
                "unload" => false,
                _ => return None,
            };
            return (!model.is_empty()).then_some(Page::Control { model, load });
        }
        console::file(path).map(Page::File)
    }
}

/// Whether a path belongs to the console.
pub(super) fn is_console(path: &str) -> bool {
    path == "/ui" || path.starts_with("/ui/")
}

/// The answer to a request for a path of the console.
pub(super) async fn console(
    front: &HttpFront,
    parts: &Parts,
    path: &str,
    body: impl Future<Output = Result<Bytes, Refusal>>,
) -> Result<Reply, Refusal> {
    let Some(page) = Page::of(path) else {
        return Err(Refusal::new(StatusCode::NOT_FOUND, "Not Found").plain());
    };
    let method = if matches!(page, Page::Control { .. }) { Method::POST } else { Method::GET };
    if parts.method != method {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed"));
    }
    match page {
        Page::File(file) => Ok(page_of(file)),
        Page::Rights => {
            // In other modes, the repository refuses.
            let is_explicit = front.server.repository.options().mode == ControlMode::Explicit;
            let control = front.options.console_control && is_explicit;
            Ok(json(object(|writer| writer.name("control").boolean(control))))
        }
        Page::Live => {
            handle::may_use(front, parts, Api::Statistics)?;
            Ok(live::figures(&front.server))
        }
        Page::Control { model, load } => {
            may_control(front, parts)?;
            body.await?;
            control::control(&front.server, ("", model), load, Bytes::new()).await
        }
    }
}

/// Whether a request may control models: the server allows it, and the request comes from one of the console's own pages.
fn may_control(front: &HttpFront, parts: &Parts) -> Result<(), Refusal> {
    let refuse = |text| Err(Refusal::new(StatusCode::FORBIDDEN, text));
    if !front.options.console_control {
        return refuse(
            "The console is read-only. Start the server with '--console-admin' to load and unload models from it.",
        );
    }
    handle::may_use(front, parts, Api::ModelRepository)?;
    let text = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let own = text(ORIGIN).and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    let Some(host) = own.filter(|_| own == text(HOST)) else {
        return refuse("Only pages of this server may control its models.");
    };
    let restrictions = &front.options.restrictions;
    let has_key = !front.options.keys.is_empty()
        || restrictions.denied(Api::ModelRepository, |_| None).is_some();
    match has_key || is_safe(host) {
        true => Ok(()),
        false => refuse(
            "Models are controlled from pages whose address has an IP address or 'localhost' and no other name.",
        ),
    }
}

/// Whether the host of a page's address cannot lead to another machine's page. Names can: their owner may have them lead to this server
/// after a browser has loaded a page from elsewhere.
fn is_safe(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let is_local = |name: &str| name.eq_ignore_ascii_case("localhost");
    is_local(name) || name.parse::<IpAddr>().is_ok()
}

fn page_of(file: ConsoleFile) -> Reply {
    let body = Bytes::from_static(file.text.as_bytes());
    let mut reply = respond(StatusCode::OK, Media::Plain, body.into());
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    let policy = HeaderValue::from_static(console::CONTENT_SECURITY_POLICY);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // A newer server has newer files.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_not_safe() {
        for host in ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "10.0.0.7", "[::1]:8000"] {
            assert!(is_safe(host), "{host}");
        }
        for host in ["evil.example:8000", "localhost.evil.example", "127.0.0.1.nip.io:80", "", ":1"]
        {
            assert!(!is_safe(host), "{host}");
        }
    }
}
