//! The methods' dispatcher. It knows no sockets.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Body;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Request, Response, StatusCode};
use tokio::sync::oneshot;

use super::body::{GrpcBody, MessageStream, OneMessage};
use super::call::{Call, Messages, decode};
use super::caller::Caller;
use super::compress;
use super::connection::{Age, KeepAlive};
use super::executor::LONG;
use super::infer;
use super::message::ModelInferRequest;
use super::method::Method;
use super::outgoing::Outgoing;
use super::reflection::Reflection;
use super::status::{Code, Status, success};
use super::stream;
use super::watch::Watch;
use crate::access::{Api, Restrictions};
use crate::compress::{Compression, Encoding};
use crate::headers::{self, HeaderPattern};
use crate::infer::{CancelOnDrop, Fault, Reply};
use crate::keys::ApiKeys;
use crate::model::HostedModel;
use crate::observe::{Carrier, Observed};
use crate::record::{GrpcAnswer, Recorder};
use crate::server::Server;

/// Options of the protocol.
#[derive(Clone, Debug)]
pub struct GrpcOptions {
    /// The longest message in bytes, also after decompression.
    pub max_message: usize,
    /// How hard answers are compressed for clients that accept it; `None` for not at all.
    pub compression: Option<Compression>,
    /// The groups of methods that need a key. Clients send it as the metadata `triton-grpc-protocol-<key>`.
    pub restrictions: Restrictions,
    /// The keys of which all calls but those for health need one, as the metadata `authorization`.
    pub keys: ApiKeys,
    /// How connections whose other side has gone are found.
    pub keep_alive: KeepAlive,
    /// The most connections at a time; others wait to be accepted.
    pub connections: usize,
    /// When connections are asked to end.
    pub age: Age,
    /// The most bytes of a call's headers.
    pub max_head: u32,
    /// How long a client may take to agree on TLS.
    pub handshake_time: Duration,
    /// How long a client may take to send the message of a call, and a second more for each mebibyte.
    pub body_time: Duration,
    /// How long a client may read nothing of what is sent to it.
    pub write_time: Duration,
    /// The metadata that is forwarded as parameters of requests.
    pub forwarded: HeaderPattern,
    /// Whether there are services that the Triton Inference Server lacks.
    pub extras: bool,
}

impl Default for GrpcOptions {
    fn default() -> GrpcOptions {
        GrpcOptions {
            max_message: i32::MAX as usize,
            compression: None,
            restrictions: Restrictions::default(),
            keys: ApiKeys::default(),
            keep_alive: KeepAlive::default(),
            connections: 10_000,
            age: Age::default(),
            max_head: 64 << 10,
            handshake_time: Duration::from_secs(60),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(300),
            forwarded: HeaderPattern::default(),
            extras: false,
        }
    }
}

/// A server's methods.
pub struct Grpc {
    pub(super) server: Arc<Server>,
    pub(super) options: GrpcOptions,
}

impl Grpc {
    /// The methods of a server.
    pub fn new(server: Arc<Server>, options: GrpcOptions) -> Arc<Grpc> {
        Arc::new(Grpc { server, options })
    }

    /// Answers a request of HTTP/2. If this is dropped, its run is cancelled.
    pub async fn call<B>(self: Arc<Grpc>, request: Request<B>, caller: Caller) -> Response<GrpcBody>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
    {
        if let Some(status) = refusal(&request) {
            let mut response = Response::new(GrpcBody::Empty);
            *response.status_mut() = status;
            return response;
        }
        match self.dispatch(request, caller).await {
            Ok(response) => response,
            Err(status) => {
                let mut response = respond(GrpcBody::Empty, None);
                status.write(response.headers_mut());
                if status.code == Code::Unimplemented {
                    let names = HeaderValue::from_static(compress::NAMES);
                    response.headers_mut().insert(ACCEPT_ENCODING, names);
                }
                response
            }
        }
    }

    async fn dispatch<B>(
        self: Arc<Grpc>,
        request: Request<B>,
        caller: Caller,
    ) -> Result<Response<GrpcBody>, Status>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
    {
        let method = Method::of(request.uri().path());
        let method = method.filter(|method| !method.is_extra() || self.options.extras);
        let method = method.ok_or_else(|| Status::new(Code::Unimplemented, ""))?;
        let (parts, body) = request.into_parts();
        self.check_head(&parts.headers)?;
        self.check_access(method.api(), &parts.headers)?;
        let call = Call::of(&parts.headers, self.options.compression)?;
        let encoding = call.packing.map(|(encoding, _)| encoding);
        let mut messages = Messages::new(body, &call, self.options.max_message);
        let message = match method {
            Method::StreamInfer => {
                let fails_by_status = fails_by_status(&parts.headers);
                let (headers, peer) = (parts.headers, caller.peer);
                let asks = stream::Asks { headers, peer, fails_by_status };
                let answers = stream::Answers::new(self, messages, call, asks, caller.left());
                return Ok(respond(GrpcBody::Stream(MessageStream::new(answers)), encoding));
            }
            Method::Watch => {
                messages.only(self.options.body_time).await?;
                let watch = Watch::new(Arc::clone(&self.server), call.packing, caller.left());
                return Ok(respond(GrpcBody::Stream(MessageStream::new(watch)), encoding));
            }
            Method::Reflect => {
                let answers = Reflection::new(messages, &call, caller.left());
                return Ok(respond(GrpcBody::Stream(MessageStream::new(answers)), encoding));
            }
            Method::Infer => {
                let mut observed = self.server.observe(Carrier::Grpc, caller.peer);
                let message = messages.only(self.options.body_time).await;
                let answer = self.infer_or_refuse(message, &parts, &call, &mut observed).await;
                match &answer {
                    Ok(_) => observed.end(Code::Ok.name(), None),
                    Err(status) => observed.end(status.code.name(), Some(&status.text)),
                }
                answer?
            }
            Method::Control(method) => {
                let message = messages.only(self.options.body_time).await?;
                self.control(method, message, &call).await?
            }
        };
        let body = GrpcBody::One(OneMessage { message, trailers: Some(success()) });
        Ok(respond(body, encoding))
    }

    /// Answers the message of an inference, and records both if it is their turn.
    async fn infer_or_refuse(
        &self,
        message: Result<Bytes, Status>,
        parts: &Parts,
        call: &Call,
        observed: &mut Observed,
    ) -> Result<Outgoing, Status> {
        let message = message?;
        if message.len() > LONG {
            tokio::task::yield_now().await;
        }
        let recorder = self.server.recorder.as_ref().filter(|recorder| recorder.takes());
        let kept = recorder.map(|recorder| (recorder, message.clone()));
        let mut has_model = false;
        let answer = match decode::<ModelInferRequest>(message) {
            Ok(message) => {
                let model = || self.model(&message.model_name, &message.model_version);
                has_model = kept.is_some() && model().is_ok();
                self.infer(message, &parts.headers, call, observed).await
            }
            Err(status) => Err(status),
        };
        if let Some((recorder, message)) = kept.filter(|_| has_model) {
            record(recorder, parts.uri.path(), &message, &answer);
        }
        answer
    }

    /// Answers an inference.
    async fn infer(
        &self,
        message: ModelInferRequest,
        headers: &HeaderMap,
        call: &Call,
        observed: &mut Observed,
    ) -> Result<Outgoing, Status> {
        observed.names(&message.model_name, headers);
        let model = self.model(&message.model_name, &message.model_version)?;
        if model.is_decoupled() {
            let text = "ModelInfer RPC doesn't support models with decoupled transaction policy";
            return Err(Status::new(Code::Unimplemented, text));
        }
        let mut request = infer::read(message, call.deadline)?.request;
        self.options.forwarded.forward(headers, &mut request.parameters)?;
        let (send, receive) = oneshot::channel();
        let mut send = Some(send);
        let replies = Box::new(move |reply: Reply| {
            if let Some(send) = send.take() {
                // Nobody waits if the client has left.
                let _ = send.send(reply.answer);
            }
        });
        observed.submits(&mut request);
        let ticket = model.infer(request, &self.server.regions, replies);
        let mut leaving = CancelOnDrop(ticket);
        let answer = receive.await.ok().flatten();
        leaving.keep();
        let answer = answer.unwrap_or_else(|| {
            Err(Fault::internal(format_args!("model '{}' gave no answer", model.name())))
        });
        observed.answered(&answer);
        let answer = answer.map_err(|fault| call.failed(fault.into()))?;
        let (response, raw) = infer::answer(answer);
        Outgoing::answer(&response, raw, call.packing)
    }

    fn check_head(&self, headers: &HeaderMap) -> Result<(), Status> {
        let (size, most) = (headers::size(headers), self.options.max_head as usize);
        if size <= most {
            return Ok(());
        }
        let text = format!(
            "received metadata size exceeds limit ({size} vs. {most}). Use --max-header-size to increase the limit."
        );
        Err(Status::new(Code::ResourceExhausted, text))
    }

    fn check_access(&self, api: Api, headers: &HeaderMap) -> Result<(), Status> {
        if api != Api::Health {
            let checked = self.options.keys.check(headers.get(AUTHORIZATION));
            checked.map_err(|text| Status::new(Code::Unauthenticated, text.to_owned()))?;
        }
        let given = |key: &str| {
            let value = headers.get(format!("{KEY_PREFIX}{key}"));
            value.map(HeaderValue::as_bytes)
        };
        self.options.restrictions.denied(api, given).map_or(Ok(()), |key| {
            let text = format!("This protocol is restricted, expecting header '{KEY_PREFIX}{key}'");
            Err(Status::new(Code::Unavailable, text))
        })
    }

    /// A model by its name and version; an empty version is the newest one.
    pub(super) fn model(&self, name: &str, version: &str) -> Result<Arc<HostedModel>, Status> {
        Ok(self.server.repository.model(name, version_number(version)?)?)
    }
}

/// The number of a version as clients write it; `None` for the newest one, which is empty.
pub(super) fn version_number(text: &str) -> Result<Option<u64>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    let number: Option<i64> = text.parse().ok();
    if number.is_some_and(|number| number < 0) {
        return Err(Status::invalid(format!(
            "invalid model version specified '{text}' , version should be an integral value > 0"
        )));
    }
    number.map(|number| Some(number.cast_unsigned())).ok_or_else(|| {
        Status::invalid(format!(
            "failed to get model version from specified version string '{text}' (details: stol), version should be an integral \
             value > 0"
        ))
    })
}

/// Records a call with its answer, unless that is compressed.
fn record(recorder: &Recorder, path: &str, message: &[u8], answer: &Result<Outgoing, Status>) {
    match answer {
        Ok(answer) => {
            if let Some(answer) = answer.plain() {
                recorder.grpc(path, message, &GrpcAnswer::Message(&answer));
            }
        }
        Err(Status { code, text }) => {
            let answer = GrpcAnswer::Failure { code: code.name(), details: text };
            recorder.grpc(path, message, &answer);
        }
    }
}

/// The start of the metadata that has the key of a restricted group.
const KEY_PREFIX: &str = "triton-grpc-protocol-";

const ACCEPT_ENCODING: HeaderName = HeaderName::from_static("grpc-accept-encoding");
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");

/// The status for a request that is not one of gRPC.
fn refusal<B>(request: &Request<B>) -> Option<StatusCode> {
    if request.method() != hyper::Method::POST {
        return Some(StatusCode::METHOD_NOT_ALLOWED);
    }
    let kind = request.headers().get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
    let rest = kind.strip_prefix(b"application/grpc");
    let is_grpc = rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'+' | b';')));
    (!is_grpc).then_some(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}

/// Whether a stream ends with the first failure of a run, and has the failure as its outcome.
fn fails_by_status(headers: &HeaderMap) -> bool {
    headers.get("triton_grpc_error").is_some_and(|value| value == "true")
}

fn respond(body: GrpcBody, encoding: Option<Encoding>) -> Response<GrpcBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    if let Some(encoding) = encoding {
        headers.insert(ENCODING, HeaderValue::from_static(encoding.name()));
    }
    response
}
