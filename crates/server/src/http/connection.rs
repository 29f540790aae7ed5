//! Connections.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::watch;

use super::HttpOptions;
use super::handle::handle;
use super::head_timer::HeadTimer;
use super::metrics;
use super::reply::Refusal;
use crate::accept::{Gate, Limits};
use crate::connection::Connection;
use crate::headers;
use crate::leaving::{left, unless};
use crate::metrics::HostCounters;
use crate::rounds::in_rounds;
use crate::server::Server;

/// The bytes of a request's head, or of a piece of its body, that are read at once.
const BUFFER: usize = 400 << 10;

/// The endpoints of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoints {
    /// The paths of the protocol and of the console.
    Protocol,
    /// The page of metrics.
    Metrics,
}

/// The HTTP protocol of a server, and its page of metrics.
pub struct HttpFront {
    pub(super) server: Arc<Server>,
    pub(super) options: HttpOptions,
    pub(super) host: HostCounters,
}

impl HttpFront {
    /// The HTTP protocol of a server, and its page of metrics.
    pub fn new(server: Arc<Server>, options: HttpOptions) -> Arc<HttpFront> {
        Arc::new(HttpFront { server, options, host: HostCounters::default() })
    }

    /// Answers the connections of a listener until the server leaves: `leaving` is true, or has no sender. Then clients that keep
    /// connections open are told to close them, and this returns when the last connection has ended.
    pub async fn serve(
        self: Arc<HttpFront>,
        endpoints: Endpoints,
        gate: Gate,
        leaving: watch::Receiver<bool>,
    ) {
        let HttpOptions { connections, head_time, write_time, .. } = self.options;
        let limits = Limits { connections, handshake: head_time, write: write_time };
        let (log, left) = (Arc::clone(&self.server.log), leaving.clone());
        let serve =
            move |connection| Arc::clone(&self).connection(endpoints, connection, leaving.clone());
        gate.accept(limits, left, &log, serve).await;
    }

    /// Answers the requests of a connection.
    async fn connection(
        self: Arc<HttpFront>,
        endpoints: Endpoints,
        mut stream: Connection,
        leaving: watch::Receiver<bool>,
    ) {
        let HttpOptions { head_time, largest_head, .. } = self.options;
        let (peer, seat) = (stream.peer, stream.seat.clone());
        // Clients may send requests one after the other without waiting for answers.
        stream.may_be_ahead = true;
        let service = service_fn(move |request| {
            let front = Arc::clone(&self);
            async move {
                if headers::size(request.headers()) > front.options.largest_head {
                    return Ok(large_head(front.options.largest_head).reply());
                }
                Ok::<_, Infallible>(match endpoints {
                    Endpoints::Protocol => handle(&front, request, peer).await,
                    Endpoints::Metrics => metrics::handle(&front, &request),
                })
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(HeadTimer::default())
                .header_read_timeout(head_time)
                .max_buf_size(BUFFER.max(largest_head + BUFFER / 4))
                .title_case_headers(true)
                .auto_date_header(false)
                .serve_connection(TokioIo::new(stream), service)
        );
        let mut end = Box::pin(async move {
            match seat {
                Some(seat) => {
                    unless(&mut Box::pin(left(leaving)), seat.asked()).await;
                }
                None => left(leaving).await,
            }
        });
        // An error is that of a client that left or sent no HTTP. It has been answered where possible.
        if unless(&mut end, in_rounds(connection.as_mut())).await.is_none() {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

fn large_head(most: usize) -> Refusal {
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    let text = format_args!(
        "the request's headers have more than {most} bytes. Use --max-header-size to increase the limit."
    );
    Refusal::new(status, text).plain()
}
