//! The origin of a call: the connection that carries it.

use std::net::SocketAddr;
use std::pin::Pin;

use tokio::sync::watch;

use super::status::{Code, Status};
use crate::leaving::left;

/// Ends when the server leaves.
pub(super) type Left = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The connection of a call.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Whether the server leaves; `None` for a server that never does.
    pub leaving: Option<watch::Receiver<bool>>,
    /// The client's address, if it has one.
    pub peer: Option<SocketAddr>,
}

impl Caller {
    /// The future of the server's end.
    pub(super) fn left(&self) -> Left {
        match self.leaving.clone() {
            Some(leaving) => Box::pin(left(leaving)),
            None => Box::pin(std::future::pending()),
        }
    }
}

/// The outcome of a stream that is open when the server leaves.
pub(super) fn shutting_down() -> Status {
    let text = "GRPC server is shutting down and has stopped accepting new requests.";
    Status::new(Code::Unavailable, text)
}
