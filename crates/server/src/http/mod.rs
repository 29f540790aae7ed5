//! HTTP: routes, bodies, and the connections that carry them.
//!
//! ```text
//! socket ─► connection ─► handle: route, restricted APIs ─┬─ inference ─► infer: JSON and bytes ─► model
//!                                                         ├─ generate ─► one answer, or a stream of events
//!                                                         ├─ openai ─► embeddings, completions
//!                                                         └─ describe, control, memory, settings
//! ```

mod answers;
mod body;
mod compress;
mod connection;
mod console;
mod control;
mod describe;
mod events;
mod generate;
mod handle;
mod head_timer;
pub mod infer;
mod inference;
mod live;
mod memory;
mod metrics;
mod openai;
mod options;
mod percent;
mod record;
mod reply;
mod route;
mod settings;

pub(crate) use body::ReplyBody;
pub use connection::{Endpoints, HttpFront};
pub(crate) use openai::check_service;
pub use options::HttpOptions;
pub use route::{MemoryAction, ModelAction, ModelRoute, Route, RouteError};
