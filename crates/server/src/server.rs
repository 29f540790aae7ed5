//! A server without its sockets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use trident_serving::{ErrorCode, Fault};

use crate::memory::Regions;
use crate::observe::{Exporter, TraceWriter};
use crate::record::Recorder;
use crate::repository::Repository;
use crate::settings::{ServerLog, TraceOptions, Traces};

/// Everything that the protocols' front ends share.
pub struct Server {
    /// The models.
    pub repository: Repository,
    /// Regions of shared memory.
    pub regions: Regions,
    /// Settings of traces.
    pub traces: Traces,
    /// The way of traces to a collector, if they have one.
    pub exporter: Option<Arc<Exporter>>,
    pub(crate) trace_writer: TraceWriter,
    /// The log.
    pub log: Arc<ServerLog>,
    /// Records requests with their answers.
    pub recorder: Option<Recorder>,
    /// Options of its start.
    pub options: ServerOptions,
    /// Whether it accepts no new work.
    leaving: AtomicBool,
}

/// Options of a server's start that concern all protocols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerOptions {
    /// The server's name.
    pub id: String,
    /// Whether a model that failed to load makes the server not ready.
    pub strict_readiness: bool,
    /// Whether clients may register shared memory.
    pub client_memory: bool,
    /// Whether the log has a line for each inference.
    pub log_requests: bool,
    /// The traces of requests.
    pub traces: TraceOptions,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            id: "trident".to_owned(),
            strict_readiness: true,
            client_memory: false,
            log_requests: false,
            traces: TraceOptions::default(),
        }
    }
}

/// The version that the server reports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Server {
    /// A server of the models of a repository.
    pub fn new(repository: Repository, log: Arc<ServerLog>, options: ServerOptions) -> Server {
        Server {
            repository,
            regions: Regions::default(),
            traces: Traces::new(options.traces.clone()),
            exporter: None,
            trace_writer: TraceWriter::new(Arc::clone(&log)),
            log,
            recorder: None,
            options,
            leaving: AtomicBool::new(false),
        }
    }

    /// Whether clients should send requests.
    pub fn is_ready(&self) -> bool {
        let failed = || self.options.strict_readiness && self.repository.has_failed();
        !self.leaving.load(Ordering::Relaxed) && self.repository.has_started() && !failed()
    }

    /// Whether clients may register and unregister shared memory.
    ///
    /// # Errors
    /// They may not.
    pub fn allows_client_memory(&self) -> Result<(), Fault> {
        if self.options.client_memory {
            return Ok(());
        }
        let text = "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable.";
        Err(Fault { code: ErrorCode::Unsupported, text: text.to_owned() })
    }

    /// Waits until the traces and the lines of the log so far are in their files, for a few seconds at most.
    pub(crate) fn flush(&self) {
        // A trace that cannot be written has a line in the log.
        self.trace_writer.flush();
        self.log.flush();
    }

    /// Makes the server not ready for the rest of its time.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }
}

/// Extensions of the protocol that the server has, as clients ask for them.
pub const EXTENSIONS: [&str; 13] = [
    "classification",
    "sequence",
    "model_repository",
    "model_repository(unload_dependents)",
    "schedule_policy",
    "model_configuration",
    "system_shared_memory",
    "cuda_shared_memory",
    "binary_tensor_data",
    "parameters",
    "statistics",
    "trace",
    "logging",
];
