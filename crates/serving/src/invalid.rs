//! Errors of configurations that can be read.

use crate::config::{DataType, SequenceControlKind};
use crate::ensemble::EnsembleFault;
use crate::ragged::RaggedFault;
use crate::sequence::StateFault;

/// The reason why an instance group cannot have its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupFault {
    /// There is no GPU for it.
    #[error("no GPUs are available")]
    Absent,
    /// It has the kind of GPUs, and names none.
    #[error("specifies no GPUs")]
    NamesNone,
    /// It names GPUs, and does not have their kind.
    #[error("specifies one or more GPUs")]
    Names,
}

/// The reason why a model with this configuration cannot be loaded. The texts are the server's, or those of its ONNX
/// Runtime backend for contradictions with the model's own inputs and outputs. Where these have no text, it is ours.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // fields are what the texts say they are
pub enum ConfigError {
    /// Neither the configuration nor the folder names the model.
    #[error("model configuration must specify 'name'")]
    NoName,
    /// The configuration names another model than the folder.
    #[error(
        "unexpected directory name '{folder}' for model '{model}', directory name must equal model name"
    )]
    Name { model: String, folder: String },
    /// The backend cannot be determined.
    #[error(
        "Invalid model name: Could not determine backend for model '{model}' with no backend in model configuration. \
         Expected model name of the form 'model.<backend_name>'."
    )]
    NoBackend { model: String },
    /// A platform that stands for no backend.
    #[error("unexpected platform type '{platform}' for {model}")]
    Platform { model: String, platform: String },
    /// A backend with a platform of another one.
    #[error("unexpected 'platform' and 'backend' pair, got:{platform}, {backend}")]
    PlatformOfBackend { platform: String, backend: String },
    /// An ensemble with a backend.
    #[error("Ensemble model '{model}' must have platform type 'ensemble' and empty backend type")]
    EnsembleBackend { model: String },
    /// Steps of a model that is not an ensemble.
    #[error("ensemble scheduling cannot be set for model '{model}' whose platform is not ensemble")]
    NoEnsemble { model: String },
    /// An ensemble without steps.
    #[error("ensemble scheduling must be set for ensemble {model} whose platform is ensemble")]
    NoEnsembleScheduling { model: String },
    /// A negative batch size.
    #[error("'max_batch_size' must be non-negative value for {model}")]
    MaxBatchSize { model: String },
    /// A preferred batch size of 0 or less.
    #[error("{scheduler} must be positive for {model}")]
    PreferredSizePositive { model: String, scheduler: &'static str },
    /// A preferred batch size above the largest.
    #[error("{scheduler} must be <= max batch size for {model}")]
    PreferredSizeTooLarge { model: String, scheduler: &'static str },
    /// A default priority that does not exist.
    #[error("default priority level must be in range [1, {levels}] for {model}")]
    DefaultPriority { model: String, levels: u64 },
    /// A queue policy of a priority that does not exist.
    #[error("priority queue policy must have priority level in range [1, {levels}] for {model}")]
    QueuePriority { model: String, levels: u64 },
    /// Priorities change the order of requests.
    #[error("Only one priority level is allowed when 'preserve_ordering' is true for {model}")]
    OrderedPriorities { model: String },
    /// Moving requests to the end of the queue changes their order.
    #[error(
        "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for {model}"
    )]
    OrderedDelay { model: String },
    /// A share of slots that is none.
    #[error("sequence batching minimum slot utilization must be in range (0.0, 1.0] for {model}")]
    SlotUtilization { model: String },
    /// A control without a tensor.
    #[error("sequence batching control tensor must have a name for {model}")]
    ControlName { model: String },
    /// Two declarations of a control tensor.
    #[error(
        "sequence batching control tensor '{tensor}' is specified for multiple control kinds for {model}"
    )]
    ControlTwice { model: String, tensor: String },
    /// Two tensors of a control.
    #[error("sequence batching specifies multiple {} tensors for {model}", kind.name())]
    ControlKindTwice { model: String, kind: SequenceControlKind },
    /// A control without values.
    #[error(
        "sequence batching must specify either 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for {} for {model}",
        kind.name()
    )]
    ControlValues { model: String, kind: SequenceControlKind },
    /// A control with values of several types.
    #[error(
        "sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and 'bool_false_true' for {} \
         for {model}",
        kind.name()
    )]
    ControlValuesTwice { model: String, kind: SequenceControlKind },
    /// A control whose values are not two.
    #[error(
        "sequence batching control '{field}' must have exactly 2 entries for {} for {model}",
        kind.name()
    )]
    ControlTwoValues { model: String, kind: SequenceControlKind, field: &'static str },
    /// Values of the sequence's id.
    #[error(
        "sequence batching must not specify either 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for {} for {model}",
        SequenceControlKind::Corrid.name()
    )]
    CorridValues { model: String },
    /// A type that the sequence's id does not have.
    #[error(
        "unexpected data type for control {} for {model}. Allowed data types are TYPE_UINT64, TYPE_INT64, TYPE_UINT32, \
         TYPE_INT32 and TYPE_STRING",
        SequenceControlKind::Corrid.name()
    )]
    CorridType { model: String },
    /// Cached responses of a scheduler that does not allow them.
    #[error(
        "Response Cache does not currently support model {model} with sequence batching scheduler. Please disable the \
         response cache."
    )]
    CachedSequences { model: String },
    /// Cached responses of a model with any number of them.
    #[error(
        "Response Cache does not currently support model {model} with 'decoupled' transaction policy. Please disable the \
         response cache."
    )]
    CachedDecoupled { model: String },
    /// Bounds of a histogram that do not rise. `at` is the position in the list `metric_control`.
    #[error("the buckets of a histogram must be numbers that rise for {model}")]
    Buckets { model: String, at: usize },
    /// A tensor that is not declared wholly or not soundly. `field` is the path of the field at fault.
    #[error("{tensor} {fault} for {model}")]
    Tensor { model: String, tensor: String, fault: &'static str, field: String },
    /// An instance group whose devices are not there or not allowed.
    #[error("instance group {group} of model {model} has kind {kind} but {fault}")]
    InstanceGroup { model: String, group: String, kind: &'static str, fault: GroupFault },
    /// A number of instances below 0. The server takes it for the default, as 0.
    #[error(
        "instance group {group} of model {model} has count {count}, and a number of instances is expected; hint: leave it \
         out for the default"
    )]
    InstanceCount { model: String, group: String, count: i32 },
    /// A resource of which there will never be enough.
    #[error(
        "Resource count for \"{resource}\" is limited to {limit} which will prevent scheduling of one or more model instances, \
         the minimum required count is {needed}"
    )]
    ResourceLimit { resource: String, limit: u64, needed: u64 },
    /// A resource that belongs to devices here, and to all of them elsewhere.
    #[error(
        "Resource \"{resource}\" is present as both global and device-specific resource in the model configuration."
    )]
    ResourceScope { resource: String },
    /// GPUs that do not exist.
    #[error(
        "instance group {group} of model {model} specifies invalid or unsupported gpu id {gpu}"
    )]
    Gpu { model: String, group: String, gpu: i32 },
    /// Profiles, which only TensorRT has.
    #[error(
        "instance group {group} of model {model} and platform {platform} specifies profile field which is only supported \
         for TensorRT models"
    )]
    Profile { model: String, group: String, platform: String },

    /// A batch size for a model without a batch dimension.
    #[error(
        "autofill failed for model '{model}': model does not support batching while non-zero max_batch_size is specified"
    )]
    NoBatching { model: String },
    /// A type of the model that the protocol does not have.
    #[error("unsupported datatype {ty} for {role} '{tensor}' for model '{model}'")]
    ModelType { model: String, role: &'static str, tensor: String, ty: String },
    /// A tensor of the model whose rank is unknown, so that nothing can be filled in.
    #[error(
        "autofill failed for model '{model}': the number of dimensions of {role} '{tensor}' is unknown, specify it in the \
         model configuration"
    )]
    UnknownRank { model: String, role: &'static str, tensor: String },
    /// More or fewer inputs than the model has.
    #[error(
        "unable to load model '{model}', configuration expects {expected} inputs, model provides {provided}"
    )]
    InputCount { model: String, expected: usize, provided: usize },
    /// An input that the scheduler fills, which the model does not have.
    #[error(
        "unable to load model '{model}', configuration specified {role} '{tensor}', but model does not provide that input"
    )]
    MissingInput { model: String, role: &'static str, tensor: String },
    /// A tensor that is declared twice.
    #[error(
        "unable to load model '{model}', configuration specifies {role} '{tensor}' more than once"
    )]
    TensorTwice { model: String, role: &'static str, tensor: String },
    /// A tensor that the model does not have.
    #[error("unexpected inference {role} '{tensor}', allowed {role}s are: {allowed}")]
    UnexpectedTensor { role: &'static str, tensor: String, allowed: String },
    /// A tensor of another type.
    #[error(
        "unable to load model '{model}', configuration expects datatype {} for {role} '{tensor}', model provides TYPE_{}",
        expected.name(), provided.protocol_name()
    )]
    TensorType {
        model: String,
        role: &'static str,
        tensor: String,
        expected: DataType,
        provided: DataType,
    },
    /// A batch dimension that the model does not have.
    #[error(
        "model '{model}', tensor '{tensor}': for the model to support batching the shape should have at least 1 dimension \
         and the first dimension must be -1; but shape expected by the model is {shape}"
    )]
    BatchDimension { model: String, tensor: String, shape: String },
    /// A tensor of another shape.
    #[error(
        "model '{model}', tensor '{tensor}': the model expects {expected} dimensions (shape {shape}) but the model \
         configuration specifies {given}"
    )]
    TensorShape {
        model: String,
        tensor: String,
        expected: usize,
        shape: String,
        /// The dimensions in the configuration, and where they come from.
        given: String,
    },
    /// A scalar that is declared with several elements.
    #[error(
        "unable to load model '{model}', scalar tensor '{tensor}', should only provide 1 in the model configuration when \
         the model doesn't support batching. ServedModel configuration provided: {shape}."
    )]
    Scalar { model: String, tensor: String, shape: String },
    /// An input that may be left out of a batch.
    #[error(
        "unable to load model '{model}', optional input '{tensor}' is not supported for models that support batching"
    )]
    OptionalInBatch { model: String, tensor: String },

    /// Fields of ragged batches that contradict each other or the model.
    #[error("{fault} for {model}")]
    Ragged { model: String, fault: RaggedFault },
    /// An ensemble whose maps do not fit.
    #[error(transparent)]
    Ensemble(#[from] EnsembleFault),
    /// A state without a first value.
    #[error("{fault} (model '{model}')")]
    State { model: String, fault: StateFault },
    /// An unknown accelerator.
    #[error("unknown Execution Accelerator '{name}' is requested")]
    Accelerator { name: String },
    /// A parameter that the accelerator does not have.
    #[error(
        "unknown parameter '{key}' is provided for {accelerator} Execution Accelerator; hint: {known}"
    )]
    AcceleratorParameter { accelerator: &'static str, key: String, known: &'static str },
    /// A setting that the accelerator does not have.
    #[error(
        "unsupported {what} '{value}' is requested; hint: {accepted} are accepted, in any case"
    )]
    AcceleratorValue { what: &'static str, value: String, accepted: String },
    /// A parameter of the model with a value that it cannot have.
    #[error("failed to convert '{value}' to {ty} (parameter '{key}' of model '{model}')")]
    Parameter { model: String, key: String, value: String, ty: &'static str },

    /// A limit of 0 bytes.
    #[error("parameter 'memory_limit' of model '{model}' is '{value}'; leave it out for no limit")]
    NoMemory { model: String, value: String },
    /// A file that cannot be read.
    #[error("failed to read '{file}' for model '{model}': {cause}")]
    File { model: String, file: String, cause: String },
    /// A file of labels that is not text.
    #[error("the label file '{file}' for model '{model}' is not valid UTF-8 (line {line})")]
    Labels { model: String, file: String, line: usize },
    /// A warm-up request that cannot be made.
    #[error("warm-up request '{request}' for model '{model}', input '{tensor}': {fault}")]
    Warmup { model: String, request: String, tensor: String, fault: String },
}
