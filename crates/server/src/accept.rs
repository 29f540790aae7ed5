//! The acceptance of connections, until a server leaves.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::timeout;

use crate::connection::Connection;
use crate::leaving::{left, unless};
use crate::seats::Seats;
use crate::settings::{ServerLog, Severity};
use crate::socket::{Accepted, Listener};
use crate::tls::{Tls, TlsError, TlsFiles};

/// How long the log is silent about the same lack of places.
const REMIND: Duration = Duration::from_secs(60);

/// How long no connection is accepted after one could not be.
const PAUSE: Duration = Duration::from_millis(50);

/// A listener, and how it treats its clients.
pub struct Gate {
    listener: Listener,
    /// The identity of connections within TLS.
    tls: Option<Tls>,
}

/// Limits on the clients of a listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most connections at a time; one more is accepted and waits, and others wait to be accepted.
    pub(crate) connections: usize,
    /// How long a client may take to agree on TLS.
    pub(crate) handshake: Duration,
    /// How long a client may read nothing of what is sent to it.
    pub(crate) write: Duration,
}

impl Gate {
    /// A listener whose connections are within TLS if there are files of an identity. Clients find `protocol` within it.
    ///
    /// # Errors
    /// Files that are no identity.
    pub fn new(
        listener: impl Into<Listener>,
        files: Option<&TlsFiles>,
        protocol: &'static [u8],
    ) -> Result<Gate, TlsError> {
        let tls = files.map(|files| Tls::open(files.clone(), protocol)).transpose()?;
        Ok(Gate { listener: listener.into(), tls })
    }

    /// Serves the connections of the listener until the server leaves: `leaving` is true, or has no sender. Ends with the last
    /// connection; those that have not agreed on TLS by then are closed.
    pub(crate) async fn accept<F: Future<Output: Send> + Send + 'static>(
        self,
        limits: Limits,
        leaving: watch::Receiver<bool>,
        log: &Arc<ServerLog>,
        serve: impl Fn(Connection) -> F + Clone + Send + 'static,
    ) {
        let Gate { listener, tls } = self;
        let tls = tls.map(Arc::new);
        let places = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
        let (open, mut closed) = mpsc::channel::<Infallible>(1);
        let mut end = pin!(left(leaving.clone()));
        let seats = Seats::new();
        let mut warned = None::<Instant>;
        loop {
            let accepted = match unless(&mut end, listener.accept()).await {
                None => break,
                Some(Ok(accepted)) => accepted,
                Some(Err(error)) => {
                    log.write(Severity::Warning, format!("cannot accept a connection: {error}"));
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let place = loop {
                if places.available_permits() == 0 {
                    seats.ask_longest();
                    if warned.is_none_or(|time| time.elapsed() > REMIND) {
                        warned = Some(Instant::now());
                        let most = limits.connections;
                        let text = format!(
                            "all {most} places for connections are taken: idle HTTP clients are asked to leave, and others wait; \
                             hint: --max-connections"
                        );
                        log.write(Severity::Warning, text);
                    }
                }
                let place = timeout(PAUSE, Arc::clone(&places).acquire_owned());
                match unless(&mut end, place).await {
                    Some(Ok(Ok(place))) => break Some(place),
                    // One that was asked may be at work.
                    Some(Err(_)) => {}
                    Some(Ok(Err(_))) | None => break None,
                }
            };
            let Some(place) = place else { break };
            let seat = seats.take();
            let (tls, log, serve) = (tls.clone(), Arc::clone(log), serve.clone());
            let (open, leaving) = (open.clone(), leaving.clone());
            tokio::spawn(async move {
                let greeted = greet(accepted, tls.as_deref(), limits, leaving, &log).await;
                if let Some(mut connection) = greeted {
                    connection.seat = Some(seat);
                    // A connection that fails has nobody to tell.
                    let _ = serve(connection).await;
                }
                drop((place, open));
            });
        }
        drop((listener, open));
        // All connections have their own senders, and none sends.
        closed.recv().await;
    }
}

/// The connection of a socket, within TLS if there is an identity. `None` for a client that does not agree on TLS, or has not when
/// the server leaves.
async fn greet(
    accepted: Accepted,
    tls: Option<&Tls>,
    limits: Limits,
    leaving: watch::Receiver<bool>,
    log: &ServerLog,
) -> Option<Connection> {
    let (stream, peer) = match accepted {
        // The system says who may open the file, and nobody else hears what is said.
        Accepted::Unix(stream) => return Some(Connection::unix(stream, limits.write)),
        Accepted::Tcp(stream, peer) => (stream, peer),
    };
    let Some(tls) = tls else { return Some(Connection::plain(stream, peer, limits.write)) };
    let mut end = pin!(left(leaving));
    let agreement = timeout(limits.handshake, tls.acceptor(log).accept(stream));
    let cause = match unless(&mut end, agreement).await? {
        Ok(Ok(stream)) => return Some(Connection::tls(stream, peer, limits.write)),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it takes longer than {} s", limits.handshake.as_secs()),
    };
    log.write(Severity::Verbose(1), format!("no agreement on TLS with {peer}: {cause}"));
    None
}
