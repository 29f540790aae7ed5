//! The messages of a model configuration, named as in protobuf's package `inference`.

mod instance;
mod optimization;
mod scheduling;
mod tensors;
mod warmup;

pub use instance::*;
pub use optimization::*;
pub use scheduling::*;
pub use tensors::*;
pub use warmup::*;

use crate::error::{ConfigParseError, ParseErrorKind, Position};
use crate::schema::{Form, Value, message, oneof};
use crate::{json, text};
use std::collections::BTreeMap;

message! {
    /// A model configuration.
    pub struct ModelConfig {
        /// The model's name, which is also its folder's name.
        name: String = 1,
        /// Framework and format, in an older spelling of `backend`.
        platform: String = 2,
        /// The backend that runs the model.
        backend: String = 17,
        /// File name of the backend's library or program, if it is not the usual one.
        runtime: String = 25,
        /// Which versions are served.
        version_policy: Option<ModelVersionPolicy> = 3,
        /// The largest batch; 0 if the model has no batch dimension.
        max_batch_size: i32 = 4,
        /// Inputs, without the batch dimension.
        input: Vec<ModelInput> = 5,
        /// Outputs, without the batch dimension.
        output: Vec<ModelOutput> = 6,
        /// Inputs that are made from a batch.
        batch_input: Vec<BatchInput> = 20,
        /// Outputs that are divided among the requests of a batch in a way of their own.
        batch_output: Vec<BatchOutput> = 21,
        /// Optimisations and accelerators.
        optimization: Option<ModelOptimizationPolicy> = 12,
        /// The scheduler of requests.
        scheduling: SchedulingChoice,
        /// Instances of the model, by group.
        instance_group: Vec<ModelInstanceGroup> = 7,
        /// The model's file in a version's folder.
        default_model_filename: String = 8,
        /// Files by compute capability, for GPUs of NVIDIA.
        cc_model_filenames: BTreeMap<String, String> = 9,
        /// Labels of the model's metrics.
        metric_tags: BTreeMap<String, String> = 10,
        /// Parameters of the backend.
        parameters: BTreeMap<String, ModelParameter> = 14,
        /// Requests that run before the model is ready.
        model_warmup: Vec<ModelWarmup> = 16,
        /// Libraries of custom operators.
        model_operations: Option<ModelOperations> = 18,
        /// The number of responses of a request.
        model_transaction_policy: Option<ModelTransactionPolicy> = 19,
        /// Agents that prepare the model's files.
        model_repository_agents: Option<ModelRepositoryAgents> = 23,
        /// Whether responses are cached.
        response_cache: Option<ModelResponseCache> = 24,
        /// Settings of the model's metrics.
        model_metrics: Option<ModelMetrics> = 26,
    }
}

impl ModelConfig {
    /// Reads a configuration in protobuf's text format: the content of `config.pbtxt`.
    pub fn from_text(text: &str) -> Result<ModelConfig, ConfigParseError> {
        ModelConfig::from_node(text::parse(text)?)
    }

    /// The place of a field in a configuration's text, by a path such as [`ModelConfig::fall_back`] returns. `None` if the text does
    /// not have the field.
    pub fn position(text: &str, field: &str) -> Option<Position> {
        text::parse(text).ok()?.position(field)
    }

    /// The same, but of the innermost message around a field that the text does not have.
    pub(crate) fn nearest(text: &str, field: &str) -> Option<Position> {
        text::parse(text).ok()?.nearest(field)
    }

    /// Reads the JSON form, with the freedoms that protobuf allows: names in camel case, integers as strings.
    pub fn from_json(text: &str) -> Result<ModelConfig, ConfigParseError> {
        ModelConfig::from_node(json::parse(text)?)
    }

    /// Reads the JSON form of a server that may be of a later version: fields that are unknown here are left out, and their paths
    /// returned.
    pub fn from_server_json(text: &str) -> Result<(ModelConfig, Vec<String>), ConfigParseError> {
        let mut node = json::parse(text)?;
        let mut unknown = vec![];
        loop {
            match ModelConfig::from_node(node.clone()) {
                Err(ConfigParseError {
                    kind: ParseErrorKind::UnknownField { .. }, field, ..
                }) if node.remove(&field) => {
                    unknown.push(field);
                }
                read => return Ok((read?, unknown)),
            }
        }
    }

    /// The configuration in protobuf's text format, without fields that have their defaults.
    pub fn to_text(&self) -> String {
        text::print(&self.to_node(Form::Brief))
    }

    /// The JSON form as the server shows it: names as in protobuf, 64-bit integers as numbers. Scalars, lists and maps
    /// are included even if they have their defaults, messages only if they are set.
    pub fn to_json(&self) -> String {
        json::print(&self.to_node(Form::Full))
    }

    /// The message `ModelConfig` in protobuf's binary form.
    pub fn to_protobuf(&self) -> Vec<u8> {
        self.to_wire().into_bytes()
    }

    /// The value of a parameter.
    pub fn parameter(&self, key: &str) -> Option<&str> {
        self.parameters.get(key).map(|parameter| parameter.string_value.as_str())
    }
}

message! {
    /// Which versions of a model are served.
    pub struct ModelVersionPolicy {
        /// The rule.
        choice: VersionPolicyChoice,
    }
}

oneof! {
    /// A rule for versions.
    pub enum VersionPolicyChoice {
        /// No rule.
        Unset,
        /// The highest.
        Latest(LatestVersions) = ("latest", 1),
        /// All.
        All(AllVersions) = ("all", 2),
        /// The listed versions.
        Specific(SpecificVersions) = ("specific", 3),
    }
}

message! {
    /// The highest versions.
    pub struct LatestVersions {
        /// The number of versions.
        num_versions: u32 = 1,
    }
}

message! {
    /// All versions.
    pub struct AllVersions {}
}

message! {
    /// Listed versions.
    pub struct SpecificVersions {
        /// Their numbers.
        versions: Vec<i64> = 1,
    }
}

message! {
    /// The value of a parameter.
    pub struct ModelParameter {
        /// As a text.
        string_value: String = 1,
    }
}

message! {
    /// Libraries of custom operators.
    pub struct ModelOperations {
        /// Their file names.
        op_library_filename: Vec<String> = 1,
    }
}

message! {
    /// The number of responses of a request.
    pub struct ModelTransactionPolicy {
        /// Any number, in any order.
        decoupled: bool = 1,
    }
}

message! {
    /// Agents that prepare the model's files.
    pub struct ModelRepositoryAgents {
        /// In the order in which they run.
        agents: Vec<RepositoryAgent> = 1,
    }
}

message! {
    /// An agent that prepares the model's files.
    pub struct RepositoryAgent {
        /// Its name.
        name: String = 1,
        /// Its parameters.
        parameters: BTreeMap<String, String> = 2,
    }
}

message! {
    /// Whether responses are cached.
    pub struct ModelResponseCache {
        /// They are.
        enable: bool = 1,
    }
}

message! {
    /// Settings of a model's metrics.
    pub struct ModelMetrics {
        /// By family.
        metric_control: Vec<MetricControl> = 1,
    }
}

message! {
    /// Settings of a family of metrics.
    pub struct MetricControl {
        /// The family.
        metric_identifier: Option<MetricIdentifier> = 1,
        /// Settings of a histogram.
        histogram_options: Option<HistogramOptions> = 2,
    }
}

message! {
    /// A family of metrics.
    pub struct MetricIdentifier {
        /// Its name.
        family: String = 1,
    }
}

message! {
    /// Settings of a histogram.
    pub struct HistogramOptions {
        /// Upper bounds of the buckets.
        buckets: Vec<f64> = 1,
    }
}
