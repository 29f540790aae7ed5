//! Settings of traces and of the log, which clients may change while the server runs.

mod log;
mod trace;
mod trace_changes;
mod trace_options;

pub use log::{LogFormat, LogSettings, ServerLog, Severity};
pub(crate) use trace::Sampled;
pub use trace::{TraceLevel, TraceMode, TraceSettings, Traces};
pub use trace_changes::TraceChange;
pub(crate) use trace_options::without_user;
pub use trace_options::{Collector, TraceOptionError, TraceOptions};
