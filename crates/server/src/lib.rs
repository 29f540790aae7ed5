//! The Triton Inference Server's protocols.
//!
//! ```text
//! http ─┐                     ┌─ repository: loads, unloads, finds models
//!       ├─ infer, statistics ─┤
//! grpc ─┘                     └─ model: one version; requests go to serving's scheduler
//! ```

pub mod accept;
pub mod access;
mod base64;
mod builtin;
mod compress;
mod connection;
pub mod console;
pub mod grpc;
pub mod headers;
pub mod http;
pub mod infer;
pub mod json;
pub mod keys;
mod leaving;
pub mod listen;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod observe;
pub mod record;
pub mod repository;
mod rounds;
mod seats;
pub mod server;
pub mod settings;
mod signals;
mod socket;
pub mod statistics;
#[cfg(feature = "stores")]
pub mod store;
pub mod tls;
pub mod tls_client;
mod writer;

#[cfg(test)]
mod recorded;
