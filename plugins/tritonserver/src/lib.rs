//! A backend of the Triton Inference Server: `libtriton_<name>.so`, under any name that the server loads it by.
//!
//! [`entry`] has the functions that the server calls, [`server`] what it provides. A [`Library`](library::Library) is what
//! the process has once, a [`Served`](served::Served) model what its instances share, and [`execute`] answers requests.

mod entry;
mod execute;
mod library;
mod measures;
mod served;
mod server;
mod settings;
mod verbosity;
