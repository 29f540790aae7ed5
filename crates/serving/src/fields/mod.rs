//! The fields of a configuration that errors are about.
//!
//! Errors have the server's texts, which name models and tensors but no fields. The field follows from the error and the configuration:
//! the text of a configuration then gives its line. A path may lead to a field that the text leaves out; what counts is the message
//! around it.

mod ensembles;
mod scheduling;
mod tensors;

use crate::config::{ExecutionAccelerator, ModelConfig, RateLimiterResource};
use crate::failure::ServeError;
use crate::invalid::{ConfigError, GroupFault};

impl ServeError {
    /// The path of the field at fault, such as `input[1].dims`. `None` if the fault is not the configuration's.
    pub(crate) fn field(&self, config: &ModelConfig) -> Option<String> {
        match self {
            ServeError::Config(error) => error.field(config),
            ServeError::Outside { .. } => Some("default_model_filename".into()),
            ServeError::Accelerator { accelerator, .. } => {
                Some(accelerators(config, |own| own.name == *accelerator)?.0)
            }
            ServeError::Padding { .. } => Some(parameter("pad")),
            ServeError::Unsupported { field, .. } => Some((*field).into()),
            // Without the field, the file has its usual name.
            ServeError::NotFound { .. } => {
                (!config.default_model_filename.is_empty()).then(|| "default_model_filename".into())
            }
            ServeError::Read { .. }
            | ServeError::File { .. }
            | ServeError::Shapes { .. }
            | ServeError::Plan { .. } => None,
        }
    }
}

impl ConfigError {
    /// The path of the field at fault. `None` if it cannot be told.
    fn field(&self, config: &ModelConfig) -> Option<String> {
        use ConfigError as E;
        let named = |name: &str| Some(name.to_owned());
        match self {
            E::NoName | E::Name { .. } => named("name"),
            E::NoBackend { .. } | E::EnsembleBackend { .. } => named("backend"),
            E::Platform { .. } | E::PlatformOfBackend { .. } | E::NoEnsembleScheduling { .. } => {
                named("platform")
            }
            E::NoEnsemble { .. } => named("ensemble_scheduling"),
            E::MaxBatchSize { .. } | E::NoBatching { .. } | E::BatchDimension { .. } => {
                named("max_batch_size")
            }
            E::CachedSequences { .. } | E::CachedDecoupled { .. } => named("response_cache"),
            E::Buckets { at, .. } => {
                Some(format!("model_metrics.metric_control[{at}].histogram_options.buckets"))
            }
            E::InstanceGroup { model, group, fault, .. } => {
                let field = match fault {
                    GroupFault::Names => "gpus",
                    GroupFault::Absent | GroupFault::NamesNone => "kind",
                };
                group_field(config, model, group, field)
            }
            E::InstanceCount { model, group, .. } => group_field(config, model, group, "count"),
            E::ResourceLimit { resource, needed, .. } => {
                let is = |own: &RateLimiterResource| u64::from(own.count) == *needed;
                resource_field(config, resource, is, "count")
            }
            E::ResourceScope { resource } => resource_field(config, resource, |_| true, "global"),
            E::Gpu { model, group, .. } => group_field(config, model, group, "gpus"),
            E::Profile { model, group, .. } => group_field(config, model, group, "profile"),
            E::Accelerator { name } => {
                let (place, _) = accelerators(config, |own| own.name == *name)?;
                Some(format!("{place}.name"))
            }
            E::AcceleratorParameter { accelerator, key, .. } => {
                let has = |own: &ExecutionAccelerator| own.parameters.contains_key(key);
                let (place, _) = accelerators(config, |own| own.name == *accelerator && has(own))?;
                Some(format!("{place}.parameters[{key}]"))
            }
            E::AcceleratorValue { value, .. } => {
                let has =
                    |own: &ExecutionAccelerator| own.parameters.values().any(|it| it == value);
                let (place, own) = accelerators(config, has)?;
                let (key, _) = own.parameters.iter().find(|(_, own)| *own == value)?;
                Some(format!("{place}.parameters[{key}]"))
            }
            E::Parameter { key, .. } => Some(parameter(key)),
            E::NoMemory { .. } => Some(parameter("memory_limit")),
            E::File { file, .. } | E::Labels { file, .. } => tensors::file(config, file),
            E::Warmup { request, tensor, .. } => {
                let place =
                    first("model_warmup", &config.model_warmup, |own| own.name == *request)?;
                Some(format!("{place}.inputs[{tensor}]"))
            }
            E::Ensemble(fault) => ensembles::field(config, fault),
            E::Ragged { fault, .. } => tensors::ragged(config, fault),
            E::Tensor { field, .. } => Some(field.clone()),
            E::ModelType { .. }
            | E::UnknownRank { .. }
            | E::InputCount { .. }
            | E::MissingInput { .. }
            | E::TensorTwice { .. }
            | E::UnexpectedTensor { .. }
            | E::TensorType { .. }
            | E::TensorShape { .. }
            | E::Scalar { .. }
            | E::OptionalInBatch { .. } => tensors::field(config, self),
            E::PreferredSizePositive { .. }
            | E::PreferredSizeTooLarge { .. }
            | E::DefaultPriority { .. }
            | E::QueuePriority { .. }
            | E::OrderedPriorities { .. }
            | E::OrderedDelay { .. }
            | E::SlotUtilization { .. }
            | E::ControlName { .. }
            | E::ControlTwice { .. }
            | E::ControlKindTwice { .. }
            | E::ControlValues { .. }
            | E::ControlValuesTwice { .. }
            | E::ControlTwoValues { .. }
            | E::CorridValues { .. }
            | E::CorridType { .. }
            | E::State { .. } => scheduling::field(config, self),
        }
    }
}

fn parameter(key: &str) -> String {
    format!("parameters[{key}]")
}

/// The path of the first item of a list that is as asked for.
fn first<T>(list: &str, items: &[T], is: impl Fn(&T) -> bool) -> Option<String> {
    items.iter().position(is).map(|at| format!("{list}[{at}]"))
}

/// The path of the last one.
fn last<T>(list: &str, items: &[T], is: impl Fn(&T) -> bool) -> Option<String> {
    items.iter().rposition(is).map(|at| format!("{list}[{at}]"))
}

/// The path of a field of a group of instances. Groups without names are named by their positions.
fn group_field(config: &ModelConfig, model: &str, group: &str, field: &str) -> Option<String> {
    let mut groups = config.instance_group.iter().enumerate();
    let (at, _) = groups.find(|(at, own)| {
        own.name == *group || own.name.is_empty() && *group == format!("{model}_{at}")
    })?;
    Some(format!("instance_group[{at}].{field}"))
}

/// The path of a field of the first resource of this name that is as asked for.
fn resource_field(
    config: &ModelConfig,
    name: &str,
    is: impl Fn(&RateLimiterResource) -> bool,
    field: &str,
) -> Option<String> {
    config.instance_group.iter().enumerate().find_map(|(at, group)| {
        let resources = &group.rate_limiter.as_ref()?.resources;
        let place = first("resources", resources, |own| own.name == name && is(own))?;
        Some(format!("instance_group[{at}].rate_limiter.{place}.{field}"))
    })
}

/// The first accelerator that is as asked for, and its path.
fn accelerators(
    config: &ModelConfig,
    is: impl Fn(&ExecutionAccelerator) -> bool,
) -> Option<(String, &ExecutionAccelerator)> {
    let all = config.optimization.as_ref()?.execution_accelerators.as_ref()?;
    let lists = [
        ("gpu_execution_accelerator", &all.gpu_execution_accelerator),
        ("cpu_execution_accelerator", &all.cpu_execution_accelerator),
    ];
    lists.into_iter().find_map(|(list, items)| {
        let at = items.iter().position(&is)?;
        let place = format!("optimization.execution_accelerators.{list}[{at}]");
        Some((place, &items[at]))
    })
}
