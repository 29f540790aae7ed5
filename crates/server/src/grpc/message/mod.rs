//! The messages of the protocol, written out for `prost`, with the field numbers of its package `inference`.
//!
//! Fields of type `bytes` share the buffer that a message is decoded from. Maps are lists of entries, which is the same on the wire
//! and keeps the client's order.
#![allow(missing_docs, unreachable_pub)] // fields are documented by the protocol, and their messages are ours alone

mod infer;
mod memory;
mod models;
mod settings;
mod statistics;

use std::fmt::Debug;

use prost::Message;

pub(super) use infer::*;
pub(super) use memory::*;
pub(super) use models::*;
pub(super) use settings::*;
pub(super) use statistics::*;

/// An entry of a map.
#[derive(Clone, PartialEq, Message)]
pub struct MapEntry<V: Message + Default + Debug> {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(message, optional, tag = "2")]
    pub value: Option<V>,
}
