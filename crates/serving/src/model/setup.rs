//! Devices, options and limits that a configuration sets for its model.

use super::bits;
use super::operations::Operations;
use crate::accelerators::{Accelerators, Fallback};
use crate::complete::ModelSignature;
use crate::config::{ModelConfig, SchedulingChoice};
use crate::error::{hint, shorten, similar};
use crate::failure::ServeError;
use crate::invalid::ConfigError;
use crate::onnxruntime::{self, ExecutionMode, GraphLevel, OnnxRuntimeOptions};
use crate::rows::DependentRows;
use std::fmt;
use std::sync::Arc;
use trident_engine::{Options, PassOptions};
use trident_runtime::Device;

/// The hardware that a server has for its models.
#[derive(Clone)]
pub struct Hardware {
    /// The devices of models that ask for none, in order of preference.
    pub devices: Vec<Arc<dyn Device>>,
    /// The device that folds constants: one that has every op.
    pub folder: Arc<dyn Device>,
    /// Devices by the name of the accelerator that asks for them, see [`Accelerator::name`](crate::Accelerator::name).
    pub accelerators: Vec<(String, Arc<dyn Device>)>,
    /// Whether the device of a name is a GPU.
    pub is_gpu: fn(&str) -> bool,
}

/// The importance of a line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// For those who look for something.
    Verbose,
    /// An event.
    Info,
    /// Something that may not be as intended.
    Warning,
}

/// Receives lines of the log.
pub type Log<'a> = dyn FnMut(LogLevel, &str) + 'a;

/// The devices that run a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelPlacement {
    /// Names of its devices, in order of preference.
    pub devices: Vec<String>,
    /// Accelerators that it asks for and that are not there.
    pub absent: Vec<String>,
    /// Accelerators that it asks for and that are of other hardware.
    pub ignored: Vec<String>,
}

/// `metal, cpu; not here: amx; of other hardware: cuda`.
impl fmt::Display for ModelPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.devices.join(", "))?;
        for (what, names) in [("not here", &self.absent), ("of other hardware", &self.ignored)] {
            if !names.is_empty() {
                write!(f, "; {what}: {}", names.join(", "))?;
            }
        }
        Ok(())
    }
}

/// The settings of a configuration for the runs of its model.
pub struct Setup {
    /// The devices, in order of preference.
    pub devices: Vec<Arc<dyn Device>>,
    /// Their names, and the requested accelerators.
    pub placement: ModelPlacement,
    /// The options of the model's session.
    pub options: Options,
    /// Most threads of a run; 0 for all of a device.
    pub threads: usize,
    /// The reason why requests are not merged into batches though the model has a batch dimension.
    pub dependent_rows: Option<DependentRows>,
    /// Whether a request must have the same bits alone and in any batch.
    pub same_bits: bool,
    pub(super) operations: Operations,
}

impl Setup {
    /// The configuration is complete and normalised; it is compared with the model's own inputs and outputs.
    ///
    /// Applied are accelerators, the graph's optimisation level, `intra_op_thread_count` and parameters: `fallback`;
    /// `memory_limit`, the most bytes of the model's weights and of all tensors of its runs, except inputs that are
    /// read in place ([`Part::Shared`](crate::Part::Shared)), with a suffix K, M or G; `same_bits`, whether a request must
    /// have the same bits alone and in any batch: `required` or `optional`; and `time_operations`, the runs whose
    /// operations are measured: `never`, `sampled` (at most one a second, the default) or `all`. The log warns of
    /// parameters that are neither these nor the ONNX Runtime backend's.
    pub fn of(
        config: &ModelConfig,
        signature: &ModelSignature,
        hardware: &Hardware,
        log: &mut Log<'_>,
    ) -> Result<Setup, ServeError> {
        config.supported()?;
        config.check(signature)?;
        let settings = OnnxRuntimeOptions::of(config)?;
        unknown_parameters(config, log);
        let (devices, placement) = place(config, hardware, log)?;
        for (setting, given) in without_effect(&settings) {
            if given {
                let line = format!("'{setting}' has no effect on model '{}'", config.name);
                log(LogLevel::Verbose, &line);
            }
        }
        let passes = match settings.graph_level {
            GraphLevel::Off => PassOptions::none(),
            GraphLevel::Basic => PassOptions { disabled: vec!["fuse".into(), "layout".into()] },
            GraphLevel::Extended | GraphLevel::All => PassOptions::default(),
        };
        let options = Options {
            name: Some(config.name.clone()),
            memory_limit: config.memory_limit()?.unwrap_or(0),
            folder: Some(Arc::clone(&hardware.folder)),
            passes,
            ..Options::default()
        };
        let threads = settings.intra_op_threads.map_or(0, |n| n as usize);
        let operations = Operations::of(config)?;
        let same_bits = bits::required(config)?;
        // The rows of a ragged batch are not those of its results, so the analysis says nothing about them.
        let has_rows = config.max_batch_size > 0 && !config.is_ragged();
        let dependent_rows = has_rows.then(|| signature.dependent_rows()).flatten();
        if let Some(reason) = &dependent_rows {
            let asked = config.max_batch_size > 1 && config.scheduling != SchedulingChoice::Unset;
            let level = if asked { LogLevel::Warning } else { LogLevel::Info };
            let line = format!(
                "requests of model '{}' are not merged into batches, because their rows depend on each other: {reason}",
                config.name
            );
            log(level, &line);
        }
        Ok(Setup { devices, placement, options, threads, dependent_rows, same_bits, operations })
    }
}

impl ModelConfig {
    /// Refuses settings that would otherwise be ignored, with wrong results. [`Setup::of`] does so, too; servers call
    /// this before [`ModelConfig::complete`], so that nothing is filled in for a model that is refused.
    pub fn supported(&self) -> Result<(), ServeError> {
        let operations = self.model_operations.as_ref();
        match operations.is_some_and(|ops| !ops.op_library_filename.is_empty()) {
            true => {
                let (model, field) = (self.name.clone(), "model_operations");
                Err(ServeError::Unsupported { model, field })
            }
            false => Ok(()),
        }
    }

    /// The parameter `memory_limit`: a number of bytes with an optional suffix K, M or G. `None` if it is not given.
    ///
    /// # Errors
    /// Another text, and no bytes at all.
    pub fn memory_limit(&self) -> Result<Option<usize>, ConfigError> {
        let Some(value) = self.parameter("memory_limit") else { return Ok(None) };
        let model = self.name.clone();
        let bytes = trident_runtime::buffer_size(value);
        match bytes.and_then(|bytes| usize::try_from(bytes).ok()) {
            Some(0) => Err(ConfigError::NoMemory { model, value: value.into() }),
            Some(bytes) => Ok(Some(bytes)),
            None => {
                let (key, ty) = ("memory_limit".into(), "a number of bytes, such as 512M");
                Err(ConfigError::Parameter { model, key, value: value.into(), ty })
            }
        }
    }
}

/// Settings of the ONNX Runtime backend for what is done otherwise here, and whether they are given.
fn without_effect(settings: &OnnxRuntimeOptions) -> [(&'static str, bool); 6] {
    [
        ("execution_mode", settings.execution_mode == ExecutionMode::Parallel),
        ("inter_op_thread_count", settings.inter_op_threads.is_some()),
        ("enable_mem_arena", settings.memory_arena.is_some()),
        ("enable_mem_pattern", settings.memory_pattern.is_some()),
        ("session.use_device_allocator_for_initializers", settings.weights_outside_arena),
        ("memory.enable_memory_arena_shrinkage", !settings.shrink_arenas.is_empty()),
    ]
}

/// The devices that run a model: first the devices that it requests, then the devices of all models.
fn place(
    config: &ModelConfig,
    hardware: &Hardware,
    log: &mut Log<'_>,
) -> Result<(Vec<Arc<dyn Device>>, ModelPlacement), ServeError> {
    let asked = Accelerators::of(config)?;
    for line in asked.log_lines(&config.name) {
        log(LogLevel::Info, &line);
    }
    let mut devices: Vec<Arc<dyn Device>> = vec![];
    let mut absent: Vec<&str> = vec![];
    for accelerator in &asked.requested {
        let name = accelerator.name();
        match hardware.accelerators.iter().find(|(known, _)| known == name) {
            Some((_, device)) => add(&mut devices, device),
            None if asked.fallback == Fallback::Refused => {
                let model = config.name.clone();
                return Err(ServeError::Accelerator { model, accelerator: name });
            }
            None if absent.contains(&name) => {}
            None => absent.push(name),
        }
    }
    hardware.devices.iter().for_each(|device| add(&mut devices, device));
    let names: Vec<String> = devices.iter().map(|device| device.info().name.clone()).collect();
    for name in &absent {
        let line = format!(
            "Execution Accelerator '{name}' is not available here, '{}' runs on {}",
            config.name,
            names.join(", ")
        );
        log(LogLevel::Warning, &line);
    }
    let absent = absent.into_iter().map(str::to_owned).collect();
    Ok((devices, ModelPlacement { devices: names, absent, ignored: asked.ignored }))
}

fn add(devices: &mut Vec<Arc<dyn Device>>, device: &Arc<dyn Device>) {
    if !devices.iter().any(|known| known.info().name == device.info().name) {
        devices.push(Arc::clone(device));
    }
}

/// Parameters of models that have an effect here, or in the server's front ends.
const PARAMETERS: [&str; 13] = [
    "chat_answer",
    "chat_assistant",
    "chat_system",
    "chat_user",
    "device",
    "fallback",
    "intra_op_thread_count",
    "memory_limit",
    "openai",
    "pad",
    "same_bits",
    "share",
    "time_operations",
];

/// Warns about unused parameters, which may be misspelt.
fn unknown_parameters(config: &ModelConfig, log: &mut Log<'_>) {
    // The server's own, such as TRITON_BATCH_STRATEGY_PATH and EXECUTION_ENV_PATH.
    let of_the_server = |key: &str| key.starts_with("TRITON_") || key.starts_with("EXECUTION_");
    let known = || PARAMETERS.into_iter().chain(onnxruntime::PARAMETERS.iter().copied());
    let keys = config.parameters.keys().map(String::as_str);
    for key in keys.filter(|key| !of_the_server(key) && !known().any(|known| known == *key)) {
        let lower = key.to_ascii_lowercase();
        let hint = hint(&similar(&lower, known()));
        let line = format!(
            "parameter '{}' of model '{}' is unknown and ignored{hint}",
            shorten(key),
            config.name
        );
        log(LogLevel::Warning, &line);
    }
}
