//! Models that are loaded by their configurations and answer requests.

#![allow(clippy::unwrap_used)] // what fails there fails the test

mod batches;
mod direct;
mod ensembles;
mod faults;
mod fills;
mod loading;
mod memory;
mod models;
mod padded;
mod ragged;
mod recorded;
mod same_bits;
mod scheduled;
mod sequences;
mod states;
mod suspended;
mod types;
mod watched;
