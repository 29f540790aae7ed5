//! Models that are loaded by their configurations and answer requests.

#![allow(clippy::unwrap_used)] // what fails there fails the test

mod batches;
mod faults;
mod fills;
mod loading;
mod memory;
mod models;
mod recorded;
mod scheduled;
mod types;
