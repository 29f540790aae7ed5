//! Models of the Triton Inference Server: typed forms of `config.pbtxt`, and models that answer requests according to
//! it.
//!
//! ```
//! use trident_serving::{Host, ModelConfig};
//!
//! let text = r#"
//!   name: "add"
//!   backend: "onnxruntime"
//!   max_batch_size: 8
//!   input { name: "A" data_type: TYPE_FP32 dims: [ 16 ] }
//!   output { name: "B" data_type: TYPE_FP32 dims: [ 16 ] }
//! "#;
//! let mut config = ModelConfig::from_text(text).unwrap();
//! config.complete_backend("add", &["model.onnx"]).unwrap();
//! config.normalize(&Host::default());
//! config.validate(&Host::default()).unwrap();
//! assert_eq!(config.instance_group[0].count, 2);
//!
//! let error = ModelConfig::from_text("input { dims: [ 16 ]\n  datatype: TYPE_FP32 }").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "2:3: `input[0].datatype`: `ModelInput` has no such field, did you mean `data_type`?"
//! );
//! ```
//!
//! A model is loaded in these steps:
//! 1. [`ModelConfig::from_text`] reads the protobuf text format, [`ModelConfig::from_json`] the JSON form.
//! 2. [`ModelConfig::complete_backend`] names the backend, [`ModelConfig::complete`] fills inputs, outputs and the batch
//!    size from the model's [`ModelSignature`].
//! 3. [`ModelConfig::fall_back`] selects the CPU where there is no GPU, [`ModelConfig::normalize`] fills defaults,
//!    [`ModelConfig::validate`] checks fields against each other, and [`ModelConfig::check`] compares with the
//!    signature.
//! 4. [`Labels`], [`WarmupRequest`]s, [`Accelerators`] and [`OnnxRuntimeOptions`] are read from the configuration.
//! 5. [`ModelFile::read`] reads the model itself, which step 2 needs for the signature, and [`ServedModel::new`] prepares it for the
//!    server's [`Hardware`]. [`ServedModel::execute`] answers [`InferenceRequest`]s, in batches. A [`Scheduler`] queues the requests of
//!    several models, and forms their batches.
//!
//! The error texts of steps 2 to 5 are the server's own where the server makes the same check, because clients and test
//! suites compare them.

mod accelerators;
mod batch;
mod cache;
mod check;
mod complete;
mod config;
mod effects;
mod ensemble;
mod error;
mod failure;
mod fields;
mod folder;
mod invalid;
mod json;
mod labels;
mod late;
mod model;
mod native;
mod node;
mod normalize;
mod onnxruntime;
mod ragged;
mod rows;
mod schedule;
mod schema;
mod sequence;
mod sync;
mod text;
mod validate;
mod verbosity;
mod warmup;

pub use accelerators::{Accelerator, Accelerators, Fallback, PowerMode, Precision};
pub use batch::{
    Execution, Fill, InferenceRequest, Input, Output, Part, Response, Timing, check_bytes,
};
pub use cache::{CacheLookup, CacheMiss, ModelCache, ResponseCache};
pub use complete::{DEFAULT_MAX_BATCH_SIZE, ModelSignature, TensorInfo};
pub use config::*;
pub use effects::FieldNote;
pub use ensemble::{
    AnswerPace, Cancel, Ensemble, EnsembleFault, EnsembleTicket, RequestWatch, StepAnswer,
    StepError, StepModel, StepModels, StepReply,
};
pub use error::{ConfigParseError, ParseErrorKind, Position};
pub use failure::{ErrorCode, Fault, RequestError, ServeError, StringsFault};
pub use folder::{ConfigPlace, FolderError, FolderVersion, ModelFolder, ReadOptions, Stamp};
pub use invalid::{ConfigError, GroupFault};
pub use labels::Labels;
pub use late::LateTicket;
pub use model::{
    DEFAULT_FILES, Hardware, Log, LogLevel, ModelFile, ModelPlacement, PadFault, ServedModel,
    Setup, VersionFolder,
};
pub use native::{NativeInput, NativeModel, NativeRequest, NativeRun, RunCheckpoint};
pub use normalize::{BACKENDS, Host};
pub use onnxruntime::{ExecutionMode, GraphLevel, OnnxRuntimeOptions};
pub use ragged::RaggedFault;
pub use rows::DependentRows;
pub use schedule::{
    AbsentQueue, AbsentTicket, Clock, CoreUse, ManualClock, Priority, RateLimits, ResourceFault,
    ScheduledModel, Scheduler, SystemClock, Ticket,
};
pub use sequence::{Correlation, Sequence, SequenceFault, StateFault};
pub use trident_engine::{CancelFlag, OpTotal};
pub use trident_runtime::ForeignBytes;
pub use verbosity::Verbosity;
pub use warmup::{WarmupRequest, WarmupTensor};
