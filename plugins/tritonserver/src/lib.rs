//! A backend of the Triton Inference Server: `libtriton_<name>.so`, under any name that the server loads it by.
//!
//! [`entry`] has the functions that the server calls, [`server`] wraps the functions that it provides. There is one
//! [`Library`](library::Library) in a process, and one [`Served`](served::Served) for all instances of a model.
//! [`execute`] answers requests.

mod entry;
mod execute;
mod library;
mod measures;
mod served;
mod server;
mod settings;
