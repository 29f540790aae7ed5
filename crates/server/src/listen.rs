//! The sockets of a server, from their opening to the end of the last connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::accept::Gate;
use crate::grpc::{Grpc, GrpcOptions};
use crate::http::{Endpoints, HttpFront, HttpOptions};
use crate::server::Server;
use crate::settings::Severity;
use crate::signals::Signals;
pub use crate::socket::ListenAddress;
use crate::socket::Listener;
use crate::tls::{TlsError, TlsFiles};

/// A protocol that has a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/REST.
    Http,
    /// gRPC.
    Grpc,
    /// The page of metrics.
    Metrics,
}

impl Protocol {
    /// The protocol's name.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Http => "HTTP",
            Protocol::Grpc => "gRPC",
            Protocol::Metrics => "metrics",
        }
    }

    /// The name of the protocol that clients find within TLS.
    fn within_tls(self) -> &'static [u8] {
        match self {
            Protocol::Http | Protocol::Metrics => b"http/1.1",
            Protocol::Grpc => b"h2",
        }
    }
}

/// The place of a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenPlace {
    /// The address.
    pub address: ListenAddress,
    /// Whether other processes may listen there, too.
    pub is_shared: bool,
    /// The files of the server's identity, for connections within TLS.
    pub tls: Option<TlsFiles>,
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The system gives no threads.
    #[error("cannot start the server's threads: {0}")]
    Threads(io::Error),
    /// The server's identity cannot be used.
    #[error("no TLS for {}: {source}", protocol.name())]
    Tls {
        /// The socket's protocol.
        protocol: Protocol,
        /// The reason.
        source: TlsError,
    },
    /// The socket cannot be opened.
    #[error("cannot listen on {place} for {}: {source}", protocol.name())]
    Socket {
        /// The socket's protocol.
        protocol: Protocol,
        /// Its address.
        place: ListenAddress,
        /// The system's reason.
        source: io::Error,
    },
}

/// How a server ends when it is told to.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// How long it accepts requests after it has said that it is not ready.
    pub delay: Duration,
    /// How long requests may then take to end.
    pub most: Duration,
}

/// Open sockets, and the threads that serve them.
pub struct Listeners {
    runtime: Runtime,
    listeners: Vec<(Protocol, Gate, ListenAddress)>,
    signals: Signals,
}

/// A server that answers requests.
pub struct Serving {
    runtime: Runtime,
    server: Arc<Server>,
    leaving: watch::Sender<bool>,
    ends: Vec<JoinHandle<()>>,
    signals: JoinHandle<()>,
}

impl Listeners {
    /// Opens sockets, whose connections wait to be served by a number of threads.
    ///
    /// # Errors
    /// A place that another process has, or that does not exist.
    pub fn open(
        threads: usize,
        places: &[(Protocol, ListenPlace)],
    ) -> Result<Listeners, ListenError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .thread_name("server")
            .enable_all()
            .build()
            .map_err(ListenError::Threads)?;
        let guard = runtime.enter();
        let mut listeners = vec![];
        for (protocol, place) in places {
            let protocol = *protocol;
            let refused = |source| {
                let place = place.address.clone();
                ListenError::Socket { protocol, place, source }
            };
            let listener = Listener::open(&place.address, place.is_shared).map_err(refused)?;
            let address = listener.address().map_err(refused)?;
            let gate = Gate::new(listener, place.tls.as_ref(), protocol.within_tls());
            let gate = gate.map_err(|source| ListenError::Tls { protocol, source })?;
            listeners.push((protocol, gate, address));
        }
        let signals = Signals::open().map_err(ListenError::Threads)?;
        drop(guard);
        Ok(Listeners { runtime, listeners, signals })
    }

    /// The addresses where clients find the protocols.
    pub fn addresses(&self) -> impl Iterator<Item = (Protocol, ListenAddress)> + '_ {
        self.listeners.iter().map(|(protocol, _, address)| (*protocol, address.clone()))
    }

    /// Answers connections from now on. When the process is told to end (SIGTERM, SIGINT, the end of its terminal), the server stops to be ready, and leaves
    /// after the delay.
    pub fn serve(
        self,
        server: Arc<Server>,
        http: HttpOptions,
        grpc: GrpcOptions,
        ending: Ending,
    ) -> Serving {
        let (leaving, seen) = watch::channel(false);
        let Listeners { runtime, listeners, signals } = self;
        let front = HttpFront::new(Arc::clone(&server), http);
        let grpc = Grpc::new(Arc::clone(&server), grpc);
        let http = |endpoints, gate| {
            runtime.spawn(Arc::clone(&front).serve(endpoints, gate, seen.clone()))
        };
        let ends = listeners.into_iter().map(|(protocol, gate, _)| match protocol {
            Protocol::Http => http(Endpoints::Protocol, gate),
            Protocol::Grpc => runtime.spawn(Arc::clone(&grpc).serve(gate, seen.clone())),
            Protocol::Metrics => http(Endpoints::Metrics, gate),
        });
        let ends = ends.collect();
        if let Some(exporter) = server.exporter.clone() {
            let log = Arc::clone(&server.log);
            runtime.spawn(async move { exporter.run(&log).await });
        }
        let signals = runtime.spawn(end(signals, Arc::clone(&server), leaving.clone(), ending));
        Serving { runtime, server, leaving, ends, signals }
    }
}

impl Serving {
    /// Returns when the server has left and its last connection has ended.
    pub fn wait(self) {
        let Serving { runtime, server, leaving, ends, signals } = self;
        runtime.block_on(async {
            for end in ends {
                // A front end that panicked has ended, too.
                let _ = end.await;
            }
        });
        signals.abort();
        if let Some(exporter) = &server.exporter {
            runtime.block_on(exporter.finish(&server.log));
        }
        drop(leaving);
        server.repository.close();
        server.log.write(Severity::Info, "the server has ended");
        runtime.shutdown_timeout(Duration::from_secs(1));
        server.flush();
    }
}

/// Waits for a signal to end, and lets the server leave. A second signal, or the end of its time, ends the process.
async fn end(
    mut signals: Signals,
    server: Arc<Server>,
    leaving: watch::Sender<bool>,
    ending: Ending,
) {
    while !signals.end().await {
        reopen(&server);
    }
    server.leave();
    let text = format!("ending: not ready, leaving in {} s", ending.delay.as_secs_f64());
    server.log.write(Severity::Info, text);
    // A second signal shortens the delay.
    let _ = tokio::time::timeout(ending.delay, signals.last()).await;
    leaving.send_replace(true);
    let late = tokio::time::timeout(ending.most, signals.last()).await.is_err();
    let cause = if late { "requests have not ended in time" } else { "told to end at once" };
    server.log.write(Severity::Warning, cause);
    server.flush();
    // Runs have threads of their own, which end with the process only.
    std::process::exit(1);
}

/// Opens the file of the log again.
fn reopen(server: &Server) {
    match server.log.reopen() {
        Ok(true) => server.log.write(Severity::Info, "SIGHUP: the file of the log is opened again"),
        Ok(false) => server.log.write(Severity::Info, "SIGHUP has no effect: the log has no file"),
        Err(error) => {
            let text = format!("SIGHUP: cannot open the file of the log again: {error}");
            server.log.write(Severity::Warning, text);
        }
    }
}
