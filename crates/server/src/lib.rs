//! The Triton Inference Server's protocols.

pub mod json;
