//! HTTP/REST.

pub mod infer;
pub mod route;
