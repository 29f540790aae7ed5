//! The Triton Inference Server's protocols.

pub mod http;
pub mod infer;
pub mod json;

#[cfg(test)]
mod recorded;
