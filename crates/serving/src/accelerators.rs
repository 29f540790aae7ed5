//! The requests of `optimization.execution_accelerators`.

use crate::config::{ExecutionAccelerator, ModelConfig};
use crate::invalid::ConfigError;

/// Accelerators of the ONNX Runtime backend that other hardware has, then the Paddle backend's settings of TensorRT and oneDNN. Asking for
/// them changes nothing here.
const OTHERS: &[&str] = &[
    "tensorrt",
    "cuda",
    "openvino",
    "auto_mixed_precision",
    "config",
    "min_shape",
    "max_shape",
    "opt_shape",
    "mkldnn",
    "onednn",
];

/// An accelerator of Apple's machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerator {
    /// `apple_neural_engine`: the Neural Engine.
    NeuralEngine {
        /// Parameter `precision`: the type it computes in.
        precision: Option<Precision>,
        /// Parameter `power_mode`: what it saves.
        power_mode: Option<PowerMode>,
    },
    /// `metal`: the GPU.
    Metal,
    /// `amx`: the matrix units of the CPU.
    Amx,
}

/// The type that an accelerator computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `FP16`.
    Fp16,
    /// `FP32`.
    Fp32,
    /// `INT8`.
    Int8,
}

/// The names of precisions, in any case.
const PRECISIONS: &[(&str, Precision)] =
    &[("FP16", Precision::Fp16), ("FP32", Precision::Fp32), ("INT8", Precision::Int8)];

/// Whether an accelerator saves power or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerMode {
    /// `low`, `low_power`: power.
    Low,
    /// `balanced`: some of both.
    Balanced,
    /// `high`, `high_performance`: time.
    High,
}

/// The names of power modes, in any case.
const POWER_MODES: &[(&str, PowerMode)] = &[
    ("low", PowerMode::Low),
    ("low_power", PowerMode::Low),
    ("balanced", PowerMode::Balanced),
    ("high", PowerMode::High),
    ("high_performance", PowerMode::High),
];

/// The policy if the hardware that a model asks for is absent: the model's parameter `fallback`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// `allowed`: other hardware runs the model.
    #[default]
    Allowed,
    /// `refused`: the model is not loaded.
    Refused,
}

impl Fallback {
    /// Reads the model's parameter.
    pub fn of(config: &ModelConfig) -> Result<Fallback, ConfigError> {
        let choices = [("allowed", Fallback::Allowed), ("refused", Fallback::Refused)];
        let given = config.choice("fallback", &choices, "`allowed` or `refused`")?;
        Ok(given.unwrap_or_default())
    }
}

/// The accelerators that a model asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accelerators {
    /// Accelerators that devices may have, in the order in which to try them.
    pub requested: Vec<Accelerator>,
    /// Names of ignored accelerators; [`Accelerators::log_lines`] reports them.
    pub ignored: Vec<String>,
    /// The policy if none is there.
    pub fallback: Fallback,
}

impl Accelerators {
    /// Reads the accelerators for GPUs and for CPUs, and the parameter `fallback`. The server passes all of them on without
    /// a look, so an unknown one is an error here.
    pub fn of(config: &ModelConfig) -> Result<Accelerators, ConfigError> {
        let mut found = Accelerators { fallback: Fallback::of(config)?, ..Default::default() };
        let asked = config.optimization.as_ref().and_then(|o| o.execution_accelerators.as_ref());
        let asked = asked.into_iter();
        for asked in asked.flat_map(|all| {
            all.gpu_execution_accelerator.iter().chain(&all.cpu_execution_accelerator)
        }) {
            if OTHERS.contains(&&*asked.name) {
                found.ignored.push(asked.name.clone());
            } else {
                found.requested.push(Accelerator::of(asked)?);
            }
        }
        Ok(found)
    }

    /// A line for the log of each accelerator that is ignored.
    pub fn log_lines(&self, model: &str) -> Vec<String> {
        let line = |name: &String| {
            format!(
                "Execution Accelerator '{name}' is ignored for '{model}': it is of other hardware"
            )
        };
        self.ignored.iter().map(line).collect()
    }
}

impl Accelerator {
    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Accelerator::NeuralEngine { .. } => "apple_neural_engine",
            Accelerator::Metal => "metal",
            Accelerator::Amx => "amx",
        }
    }

    fn of(asked: &ExecutionAccelerator) -> Result<Accelerator, ConfigError> {
        let unknown = |accelerator, key: &String, known| {
            Err(ConfigError::AcceleratorParameter { accelerator, key: key.clone(), known })
        };
        let plain = |accelerator: Accelerator| match asked.parameters.keys().next() {
            Some(key) => unknown(accelerator.name(), key, "it takes none"),
            None => Ok(accelerator),
        };
        match &*asked.name {
            "metal" => return plain(Accelerator::Metal),
            "amx" => return plain(Accelerator::Amx),
            "apple_neural_engine" => {}
            name => return Err(ConfigError::Accelerator { name: name.to_owned() }),
        }
        let (mut precision, mut power_mode) = (None, None);
        for (key, value) in &asked.parameters {
            match &**key {
                "precision" => precision = Some(setting("precision mode", value, PRECISIONS)?),
                "power_mode" => power_mode = Some(setting("power mode", value, POWER_MODES)?),
                _ => {
                    let known = "it takes `precision` and `power_mode`";
                    return unknown("apple_neural_engine", key, known);
                }
            }
        }
        Ok(Accelerator::NeuralEngine { precision, power_mode })
    }
}

/// The choice that an accelerator's parameter names.
fn setting<T: Copy>(
    what: &'static str,
    value: &str,
    choices: &[(&str, T)],
) -> Result<T, ConfigError> {
    named(value, choices).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let (value, accepted) = (value.to_owned(), names.join(", "));
        ConfigError::AcceleratorValue { what, value, accepted }
    })
}

/// The choice of this name, in any case.
fn named<T: Copy>(name: &str, choices: &[(&str, T)]) -> Option<T> {
    choices.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, choice)| *choice)
}

impl ModelConfig {
    /// The choice that one of our parameters names, in any case; `accepted` lists the choices in errors.
    pub(crate) fn choice<T: Copy>(
        &self,
        key: &str,
        choices: &[(&str, T)],
        accepted: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        let Some(value) = self.parameter(key) else { return Ok(None) };
        let fault = || ConfigError::Parameter {
            model: self.name.clone(),
            key: key.into(),
            value: value.into(),
            ty: accepted,
        };
        named(value, choices).map(Some).ok_or_else(fault)
    }
}
