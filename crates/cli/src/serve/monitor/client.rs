//! Reading a page over HTTP.

use super::address::PageAddress;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use trident_server::tls_client;

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
pub(super) fn fetch(
    runtime: &Runtime,
    address: &PageAddress,
    roots: Option<&Path>,
) -> Result<String, FetchError> {
    runtime.block_on(async {
        let slow = |_| FetchError::Slow(address.to_string());
        timeout(PATIENCE, request(address, roots)).await.map_err(slow)?
    })
}

/// A connection of any kind.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Connects to an address. Returns the host and the path to ask for, too.
async fn connect(
    address: &PageAddress,
    roots: Option<&Path>,
) -> io::Result<(Box<dyn Stream>, String, String)> {
    let uri = match address {
        PageAddress::Unix(path) => {
            let stream = UnixStream::connect(path).await?;
            return Ok((Box::new(stream), "localhost".to_owned(), "/metrics".to_owned()));
        }
        PageAddress::Web(uri) => uri,
    };
    let host = uri.host().unwrap_or("localhost");
    let port = uri.port_u16().unwrap_or(if roots.is_some() { 443 } else { 80 });
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((plain, port)).await?;
    let stream: Box<dyn Stream> = match roots {
        Some(roots) => Box::new(tls_client::connect(stream, plain, roots).await?),
        None => Box::new(stream),
    };
    Ok((stream, format!("{host}:{port}"), uri.path().to_owned()))
}

async fn request(address: &PageAddress, roots: Option<&Path>) -> Result<String, FetchError> {
    let name = || address.to_string();
    let connected = connect(address, roots).await;
    let (stream, host, path) = connected.map_err(|error| FetchError::Connect(name(), error))?;
    let protocol = |error| FetchError::Protocol(name(), error);
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(protocol)?;
    tokio::spawn(connection);
    let request = Request::get(path).header(header::HOST, host);
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
