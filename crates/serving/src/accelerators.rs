//! What `optimization.execution_accelerators` asks for.

use crate::config::{ExecutionAccelerator, ModelConfig};
use crate::invalid::ConfigError;

/// Accelerators of the ONNX Runtime backend that other hardware has. Asking for them changes nothing here.
const OTHERS: &[&str] = &["tensorrt", "cuda", "openvino", "auto_mixed_precision"];

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
}

/// What an accelerator saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PowerMode {
    /// `low`: power.
    Low,
    /// `high`: time.
    High,
}

/// What happens if the hardware that a model asks for is absent: the model's parameter `fallback`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// `allowed`: other hardware runs the model.
    #[default]
    Allowed,
    /// `refused`: the model is not loaded.
    Refused,
}

/// The accelerators that a model asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accelerators {
    /// Those that devices may have, in the order in which they are to be tried.
    pub requested: Vec<Accelerator>,
    /// Names of those that are ignored; [`Accelerators::log_lines`] tells of them.
    pub ignored: Vec<String>,
    /// What happens if none is there.
    pub fallback: Fallback,
}

impl Accelerators {
    /// Reads the accelerators for GPUs and for CPUs, and the parameter `fallback`. The server passes all of them on without
    /// a look, so an unknown one is an error here.
    pub fn of(config: &ModelConfig) -> Result<Accelerators, ConfigError> {
        let fallback = match config.parameter("fallback") {
            None | Some("allowed") => Fallback::Allowed,
            Some("refused") => Fallback::Refused,
            Some(value) => {
                return Err(ConfigError::Parameter {
                    model: config.name.clone(),
                    key: "fallback".into(),
                    value: value.into(),
                    ty: "`allowed` or `refused`",
                });
            }
        };
        let mut found = Accelerators { fallback, ..Default::default() };
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
        let unknown = |accelerator, key: &String| {
            Err(ConfigError::AcceleratorParameter { accelerator, key: key.clone() })
        };
        let plain = |accelerator: Accelerator| match asked.parameters.keys().next() {
            Some(key) => unknown(accelerator.name(), key),
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
            let fault = |what| Err(ConfigError::AcceleratorValue { what, value: value.clone() });
            match (&**key, &**value) {
                ("precision", "FP16") => precision = Some(Precision::Fp16),
                ("precision", "FP32") => precision = Some(Precision::Fp32),
                ("precision", _) => return fault("precision mode"),
                ("power_mode", "low") => power_mode = Some(PowerMode::Low),
                ("power_mode", "high") => power_mode = Some(PowerMode::High),
                ("power_mode", _) => return fault("power mode"),
                _ => return unknown("apple_neural_engine", key),
            }
        }
        Ok(Accelerator::NeuralEngine { precision, power_mode })
    }
}
