//! Tests of a repository and its models, without sockets.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

mod bench;
mod builtins;
mod control;
mod ensembles;
mod paced;
mod requests;
mod room;
mod statistics;
mod told;
