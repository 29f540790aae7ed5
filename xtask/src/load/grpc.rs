//! A client of gRPC that calls a method with one message.

use std::future::poll_fn;
use std::pin::pin;

use anyhow::{Context, Result, bail};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper::{HeaderMap, Request, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::{Client, Options, PATIENCE, read};
use crate::whole::Whole;

/// A call: its method, and its message with the prefix of gRPC.
#[derive(Clone)]
pub(super) struct Call {
    method: Uri,
    message: Whole,
}

impl Call {
    pub(super) fn new(options: &Options) -> Result<Call> {
        let method = format!("http://localhost:{}{}", options.port, options.path);
        let method = method.parse().with_context(|| format!("no path: {}", options.path))?;
        Ok(Call { method, message: Whole::message(&read(&options.body)?)? })
    }
}

/// A connection that makes one call.
pub(super) struct Grpc {
    runtime: Runtime,
    sender: SendRequest<Whole>,
    call: Call,
}

impl Grpc {
    pub(super) fn connect(port: u16, call: Call) -> Result<Grpc> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let sender = runtime.block_on(async {
            let stream = TcpStream::connect(("127.0.0.1", port)).await.context("cannot connect")?;
            stream.set_nodelay(true)?;
            let (sender, connection) =
                handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
            // A connection that fails ends the calls on it.
            tokio::spawn(connection);
            anyhow::Ok(sender)
        })?;
        Ok(Grpc { runtime, sender, call })
    }
}

impl Client for Grpc {
    fn ask(&mut self) -> Result<()> {
        let request = Request::post(self.call.method.clone())
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(self.call.message.clone())?;
        let answer = async {
            let answer = self.sender.send_request(request).await?;
            let (head, body) = answer.into_parts();
            let trailers = trailers(body).await?;
            outcome(trailers.as_ref().unwrap_or(&head.headers))
        };
        let limited = async { timeout(PATIENCE, answer).await };
        self.runtime.block_on(limited).context("the server does not answer")?
    }
}

/// Reads a body to its end; its trailers.
async fn trailers(body: Incoming) -> Result<Option<HeaderMap>> {
    let mut body = pin!(body);
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        if let Ok(trailers) = frame?.into_trailers() {
            return Ok(Some(trailers));
        }
    }
    Ok(None)
}

/// An error if the call failed.
fn outcome(trailers: &HeaderMap) -> Result<()> {
    let text = |name| trailers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()));
    match text("grpc-status").as_deref() {
        Some("0") => Ok(()),
        status => bail!(
            "status {} of gRPC: {}",
            status.unwrap_or("none"),
            text("grpc-message").unwrap_or_default()
        ),
    }
}
