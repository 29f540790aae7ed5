//! Inference: one request, one answer.

use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{StatusCode, header};
use tokio::sync::oneshot;
use trident_serving::{ErrorCode, Fault};

use super::HttpFront;
use super::body::ReplyBody;
use super::compress;
use super::handle;
use super::infer::{self, Body};
use super::reply::{HEADER_LENGTH, Media, Refusal, Reply, respond};
use super::route::ModelRoute;
use crate::compress::{Compression, DecompressError, Decompression, Encoding};
use crate::infer::{
    CancelOnDrop, InferAnswer, InferRequest, Replies, Reply as ModelReply, RunTicket,
};
use crate::model::HostedModel;
use crate::observe::Observed;
use std::sync::Arc;

/// `POST /v2/models/NAME/infer`.
pub(super) async fn infer(
    front: &HttpFront,
    route: &ModelRoute<'_>,
    parts: &Parts,
    body: impl Future<Output = Result<Bytes, Refusal>>,
    observed: &mut Observed,
) -> Result<Reply, Refusal> {
    let model =
        handle::model(&front.server, route).map_err(|error| Refusal::from(error).plain())?;
    if model.is_decoupled() {
        let text = "HTTP end point doesn't support models with decoupled transaction policy";
        let fault = Fault { code: ErrorCode::Unsupported, text: text.to_owned() };
        return Err(Refusal::from(fault).plain());
    }
    let header = |name| parts.headers.get(name).map(|value| value.as_bytes());
    let encoding = compress::of_request(header(header::CONTENT_ENCODING)).map_err(|()| {
        let refusal = Refusal::new(StatusCode::NOT_IMPLEMENTED, "Unsupported compression type");
        refusal.plain().accepts("gzip, deflate")
    })?;
    let mut body = body.await?;
    if let Some(encoding) = encoding {
        body = decompress(encoding, body, front.options.largest_body).await?;
    }
    let text = text_length(header(HEADER_LENGTH), body.len())?;
    let (mut request, outputs) = read(&model, &body, text)?;
    front.options.forwarded.forward(&parts.headers, &mut request.parameters)?;
    observed.submits(&mut request);
    let answer = answered(front, &model, request, observed).await?;
    let reply = infer::write(&answer, |output| outputs.are_binary(output))
        .map_err(|fault| Refusal::from(fault).plain())?;
    compressed(reply, compress::accepted(header(header::ACCEPT_ENCODING))).await
}

/// The outputs that follow the JSON text as bytes.
enum BinaryOutputs {
    All,
    None,
    Only(Vec<String>),
}

impl BinaryOutputs {
    /// The choice of a request: outputs that it lists have their own.
    fn of(request: &InferRequest) -> BinaryOutputs {
        if request.outputs.is_empty() {
            return match request.parameters.binary_output {
                true => BinaryOutputs::All,
                false => BinaryOutputs::None,
            };
        }
        let binary = request.outputs.iter().filter(|output| output.binary == Some(true));
        BinaryOutputs::Only(binary.map(|output| output.name.clone()).collect())
    }

    fn are_binary(&self, output: &str) -> bool {
        match self {
            BinaryOutputs::All => true,
            BinaryOutputs::None => false,
            BinaryOutputs::Only(names) => names.iter().any(|name| name == output),
        }
    }
}

fn read(
    model: &HostedModel,
    body: &Bytes,
    text: usize,
) -> Result<(InferRequest, BinaryOutputs), Fault> {
    if text == 0 {
        return Ok((infer::read_raw(model.config(), body.clone())?, BinaryOutputs::All));
    }
    let request = infer::read(body, text, model.name())?;
    let outputs = BinaryOutputs::of(&request);
    Ok((request, outputs))
}

/// The length of the JSON text at the start of a body. 0 stands for a body that is the only input.
fn text_length(header: Option<&[u8]>, size: usize) -> Result<usize, Refusal> {
    let Some(header) = header else { return Ok(size) };
    let refuse = |text: String| Err(Refusal::new(StatusCode::BAD_REQUEST, text).plain());
    let text = String::from_utf8_lossy(header);
    let Ok(length) = text.trim().parse::<i32>() else {
        return refuse(format!("Unable to parse Inference-Header-Content-Length, got: {text}"));
    };
    match usize::try_from(length) {
        Ok(length) if length <= size => Ok(length),
        _ => refuse(format!("inference header size should be in range (0, {size}), got: {length}")),
    }
}

async fn decompress(encoding: Encoding, body: Bytes, most: usize) -> Result<Bytes, Refusal> {
    let content = Decompression::new(encoding, body, most).finish().await;
    content.map_err(Fault::internal)?.map_err(|error| {
        Refusal::from(Fault::invalid(match error {
            DecompressError::Damaged(error) => {
                format!("the request's body is not {}: {error}", encoding.name())
            }
            DecompressError::TooLarge(most) => format!(
                "decompressed request body exceeds the maximum of {most} bytes. Use --http-max-input-size to increase the limit."
            ),
        }))
    })
}

/// The answer of a model.
pub(super) async fn answered(
    front: &HttpFront,
    model: &Arc<HostedModel>,
    request: InferRequest,
    observed: &mut Observed,
) -> Result<InferAnswer, Refusal> {
    let (send, mut receive) = oneshot::channel();
    let mut send = Some(send);
    let replies: Replies = Box::new(move |reply: ModelReply| {
        if let Some(send) = send.take() {
            // A client that has left has dropped the receiver.
            let _ = send.send(reply.answer);
        }
    });
    let ticket = model.infer(request, &front.server.regions, replies);
    // Errors of an ensemble's steps come from its execution.
    let has_steps = matches!(ticket, RunTicket::Ensemble(_));
    let mut waiting = CancelOnDrop(ticket);
    let at_once = receive.try_recv().ok();
    let is_refused = at_once.is_some();
    let answer = match at_once {
        Some(answer) => Ok(answer),
        None => receive.await,
    };
    waiting.keep();
    let abandoned =
        || Fault::internal("the model has dropped the request; this is a bug in Trident");
    let answer = answer.ok().flatten().ok_or_else(abandoned)?;
    observed.answered(&answer);
    let is_plain = |fault: &Fault| has_steps || is_of_run(fault) && !is_full(fault, is_refused);
    answer.map_err(|fault| match is_plain(&fault) {
        true => Refusal::from(fault).plain(),
        false => fault.into(),
    })
}

/// Whether an error comes from execution.
pub(super) fn is_of_run(fault: &Fault) -> bool {
    matches!(fault.code, ErrorCode::Internal | ErrorCode::Unavailable | ErrorCode::Cancelled)
}

/// Whether a queue had no place. Requests that are refused at once never waited.
fn is_full(fault: &Fault, is_refused: bool) -> bool {
    is_refused && fault.code == ErrorCode::Unavailable
}

/// The reply with an answer.
async fn compressed(body: Body, encoding: Option<Encoding>) -> Result<Reply, Refusal> {
    let Body { text, binary } = body;
    let (length, is_binary) = (text.len(), binary.iter().any(|piece| !piece.is_empty()));
    let body = match encoding {
        None => ReplyBody::pieces(text, binary),
        Some(encoding) => {
            let pieces = std::iter::once(Bytes::from(text)).chain(binary).collect();
            let compressed = encoding.compress_all(pieces, Compression::fast()).await;
            compressed.map_err(Fault::internal)?.into()
        }
    };
    let mut reply = respond(StatusCode::OK, Media::Json, body);
    let headers = reply.headers_mut();
    if is_binary {
        let media = header::HeaderValue::from_static("application/octet-stream");
        headers.insert(header::CONTENT_TYPE, media);
        headers.insert(HEADER_LENGTH, length.into());
    }
    if let Some(encoding) = encoding {
        let name = header::HeaderValue::from_static(encoding.name());
        headers.insert(header::CONTENT_ENCODING, name);
    }
    Ok(reply)
}
