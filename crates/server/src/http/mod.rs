//! HTTP/REST.

pub mod infer;
