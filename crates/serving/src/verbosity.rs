//! Environment variables that ask for more lines in the log.

use std::env;

use trident_runtime::DeviceInfo;

use crate::{Hardware, ServeError, ServedModel, Timing};

/// The lines of the log beside errors and warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verbosity {
    /// `TRITON_MPS_VERBOSE`: each execution, and the memory of each model.
    pub executions: bool,
    /// `TRITON_METAL_DEBUG`: the plan of each model, which kernel runs each op on which device.
    pub plans: bool,
    /// `TRITON_APPLE_VERBOSE`: the devices and accelerators of the machine and of each model.
    pub devices: bool,
}

impl Verbosity {
    /// The lines that the environment asks for.
    pub fn from_environment() -> Verbosity {
        let is_set = |variable| env::var(variable).is_ok_and(|value| is_on(&value));
        Verbosity {
            executions: is_set("TRITON_MPS_VERBOSE"),
            plans: is_set("TRITON_METAL_DEBUG"),
            devices: is_set("TRITON_APPLE_VERBOSE"),
        }
    }

    /// Lines about the hardware of a server.
    pub fn of_hardware(self, hardware: &Hardware) -> Vec<String> {
        if !self.devices {
            return vec![];
        }
        let device = |device: &DeviceInfo| {
            let DeviceInfo { name, description, threads, features } = device;
            format!("device {name}, {description}, {threads} threads, {}", features.join(", "))
        };
        let devices = hardware.devices.iter().map(|one| device(one.info()));
        let accelerators = hardware.accelerators.iter();
        let accelerators = accelerators.map(|(name, device)| {
            format!("accelerator '{name}' is device '{}'", device.info().name)
        });
        devices.chain(accelerators).collect()
    }

    /// Lines about a version of a model that has been loaded.
    ///
    /// # Errors
    /// The model has no plan.
    pub fn of_model(self, model: &ServedModel, version: u64) -> Result<Vec<String>, ServeError> {
        let name = model.name();
        let mut lines = vec![];
        if self.devices {
            let devices = model.placement();
            lines.push(format!("model '{name}' version {version}: devices {devices}"));
        }
        if self.executions {
            let bytes = model.memory().live;
            lines.push(format!("model '{name}' version {version} takes {bytes} bytes"));
        }
        if self.plans {
            lines.extend(model.report()?.steps.iter().map(|step| {
                let (indent, results) = ("  ".repeat(step.depth), step.results.join(", "));
                let (op, node, kernel) = (&step.op, &step.node, &step.kernel);
                let device = &step.device;
                format!(
                    "model '{name}': {indent}{op} `{node}` by {kernel} on {device} -> {results}"
                )
            }));
        }
        Ok(lines)
    }
}

impl Timing {
    /// A line about the batch of a version of a model.
    pub fn line(&self, model: &str, version: u64) -> String {
        let Timing { input, run, output, rows, .. } = self;
        let micros = |time: &std::time::Duration| time.as_nanos() as f64 / 1e3;
        format!(
            "model '{model}' version {version}: a batch of {rows}, input {:.1} us, infer {:.1} us, output {:.1} us",
            micros(input),
            micros(run),
            micros(output)
        )
    }
}

/// Whether a variable's value is other than those that mean no.
fn is_on(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    !["", "0", "false", "off", "no"].contains(&&*value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_values_mean_no() {
        assert!(["1", "true", " YES", "on", "2"].into_iter().all(is_on));
        assert!(!["", " ", "0", "False", "OFF", "no"].into_iter().any(is_on));
    }
}
