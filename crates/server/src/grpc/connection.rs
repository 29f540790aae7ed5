//! Connections of HTTP/2.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::rt::{Read, Write};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::watch;
use tokio::time::{self, sleep};

use super::caller::Caller;
use super::executor::AtOnce;
use super::service::{Grpc, GrpcOptions};
use crate::accept::{Gate, Limits};
use crate::connection::Connection;
use crate::leaving::unless;
use crate::rounds::in_rounds;

/// The largest DATA frame that clients may send. Messages within one are not copied.
const FRAME: u32 = 1 << 20;
/// How much of a call a client may send before it is read.
const STREAM_WINDOW: u32 = 4 << 20;
/// The same for all calls of a connection.
const CONNECTION_WINDOW: u32 = 16 << 20;
/// The most calls of a connection at a time.
const STREAMS: u32 = 1000;

/// Headers of so many times the limit are read, so that the call can be refused with a status of gRPC. HTTP/2 refuses longer ones.
const REFUSED_HEADS: u32 = 4;

/// How a server finds out that the other side of a connection has gone.
#[derive(Clone, Copy, Debug)]
pub struct KeepAlive {
    /// A silence after which the server asks.
    pub time: Duration,
    /// How long it waits for the answer.
    pub timeout: Duration,
}

/// How long a connection lives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Age {
    /// The time after which a client is asked to go elsewhere; `None` for never.
    pub most: Option<Duration>,
    /// How long its calls may then take to end; `None` for any time.
    pub grace: Option<Duration>,
}

impl Default for KeepAlive {
    fn default() -> KeepAlive {
        KeepAlive { time: Duration::from_secs(7200), timeout: Duration::from_secs(20) }
    }
}

impl Grpc {
    /// Serves a listener's connections until `leaving` is true or has no sender. Then clients are asked to go elsewhere, and this
    /// ends when they have their answers.
    pub async fn serve(self: Arc<Grpc>, gate: Gate, leaving: watch::Receiver<bool>) {
        let GrpcOptions { connections, handshake_time, write_time, .. } = self.options;
        let limits = Limits { connections, handshake: handshake_time, write: write_time };
        let (log, left) = (Arc::clone(&self.server.log), leaving.clone());
        let serve = move |stream: Connection| {
            let caller = Caller { leaving: Some(leaving.clone()), peer: stream.peer };
            Arc::clone(&self).connection(TokioIo::new(stream), caller)
        };
        gate.accept(limits, left, &log, serve).await;
    }

    /// Serves a connection, as [`Grpc::serve`].
    ///
    /// # Errors
    /// The connection fails, or its bytes are not HTTP/2.
    pub async fn connection<I>(self: Arc<Grpc>, io: I, caller: Caller) -> hyper::Result<()>
    where
        I: Read + Write + Send + Unpin + 'static,
    {
        let keep_alive = self.options.keep_alive;
        let mut builder = http2::Builder::new(AtOnce);
        builder
            .timer(TokioTimer::new())
            .keep_alive_interval(keep_alive.time)
            .keep_alive_timeout(keep_alive.timeout)
            .auto_date_header(false)
            .max_frame_size(FRAME)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(self.options.max_head.saturating_mul(REFUSED_HEADS));
        let (age, mut left) = (self.options.age, caller.left());
        let service = service_fn(move |request| {
            let (service, caller) = (Arc::clone(&self), caller.clone());
            async move { Ok::<_, Infallible>(service.call(request, caller).await) }
        });
        let mut connection = pin!(builder.serve_connection(io, service));
        let old = async || match age.most {
            Some(most) => sleep(most).await,
            None => std::future::pending().await,
        };
        let mut old = pin!(old());
        let Some(lived) = unless(&mut old, unless(&mut left, in_rounds(connection.as_mut()))).await
        else {
            connection.as_mut().graceful_shutdown();
            return match age.grace {
                // Calls that are left end with the connection.
                Some(grace) => time::timeout(grace, connection).await.unwrap_or(Ok(())),
                None => connection.await,
            };
        };
        match lived {
            Some(ended) => ended,
            None => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    }
}
