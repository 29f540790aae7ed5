//! `trident serve`: a repository of models behind the Triton Inference Server's protocols.

mod address;
mod backend_config;
mod check;
mod inert;
pub(crate) mod monitor;
mod options;
mod places;
mod start;
mod table;
mod time_families;
mod tls;
mod words;

pub(crate) use options::Args;
pub(crate) use start::run;
pub(crate) use words::{expand, usage};
