//! gRPC: the service `inference.GRPCInferenceService` and `grpc.health.v1.Health/Check`; with extras also `Health/Watch` and reflection.
//!
//! The protocol is small enough that we frame it ourselves over hyper's HTTP/2: with generic frameworks, tensors would be copied between
//! the socket and the model. [`Grpc::call`] knows no sockets; [`Grpc::serve`] adds them.
//!
//! ```text
//! DATA frames ─► frame: messages ─► service ─┬─ infer: requests of models ─► outgoing: pieces ─► DATA frames, trailers
//!                                            ├─ stream: the same, many in one call
//!                                            └─ control: everything else
//! ```

mod body;
mod call;
mod caller;
mod compress;
mod connection;
mod control;
mod executor;
mod frame;
mod infer;
mod late;
mod message;
mod method;
mod outgoing;
mod reflection;
mod service;
mod status;
mod stream;
mod timeout;
mod watch;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use crate::compress::Compression;
pub use body::{GrpcBody, OneMessage};
pub use caller::Caller;
pub use connection::{Age, KeepAlive};
pub use service::{Grpc, GrpcOptions};
pub use status::{Code, Status};
