//! Reading a page over HTTP.

use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;

/// The longest time for a page.
const PATIENCE: Duration = Duration::from_secs(5);

/// The largest page.
const MOST_BYTES: usize = 64 << 20;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("no server at {0}: {1}")]
    Connect(String, std::io::Error),
    #[error("no answer from {0} within {PATIENCE:?}")]
    Slow(String),
    #[error("{0} does not speak HTTP: {1}")]
    Protocol(String, hyper::Error),
    #[error("{0} answers with status {1}")]
    Status(String, StatusCode),
    #[error("{0} answers with more than 64 MiB, or with bytes that are not text")]
    Text(String),
}

/// The text at an address such as `http://localhost:8002/metrics`.
pub(super) fn fetch(runtime: &Runtime, uri: &Uri) -> Result<String, FetchError> {
    runtime.block_on(async {
        let slow = |_| FetchError::Slow(uri.to_string());
        timeout(PATIENCE, request(uri)).await.map_err(slow)?
    })
}

async fn request(uri: &Uri) -> Result<String, FetchError> {
    let name = || uri.to_string();
    let host = uri.host().unwrap_or("localhost");
    let port = uri.port_u16().unwrap_or(80);
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((plain, port)).await;
    let stream = stream.map_err(|error| FetchError::Connect(name(), error))?;
    let protocol = |error| FetchError::Protocol(name(), error);
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(protocol)?;
    tokio::spawn(connection);
    let request = Request::get(uri.path()).header(header::HOST, format!("{host}:{port}"));
    let request = request.body(String::new()).map_err(|_| FetchError::Text(name()))?;
    let answer = sender.send_request(request).await.map_err(protocol)?;
    if answer.status() != StatusCode::OK {
        return Err(FetchError::Status(name(), answer.status()));
    }
    let bytes = all(answer.into_body()).await.map_err(protocol)?;
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| FetchError::Text(name()))
}

/// A body's bytes; `None` if there are too many.
async fn all(body: Incoming) -> Result<Option<Vec<u8>>, hyper::Error> {
    let mut body = pin!(body);
    let mut bytes = vec![];
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        if let Ok(data) = frame?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() > MOST_BYTES {
            return Ok(None);
        }
    }
    Ok(Some(bytes))
}
