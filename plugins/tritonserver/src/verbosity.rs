//! Environment variables that control the contents of the log.

use std::env;

/// The messages in the server's log beside errors and warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verbosity {
    /// `TRITON_MPS_VERBOSE`: each execution, and the memory of each model.
    pub(crate) executions: bool,
    /// `TRITON_METAL_DEBUG`: the plan of each model, which kernel runs each op on which device.
    pub(crate) plans: bool,
    /// `TRITON_APPLE_VERBOSE`: the devices and accelerators of the machine and of each model.
    pub(crate) devices: bool,
}

impl Verbosity {
    pub(crate) fn from_environment() -> Verbosity {
        Verbosity {
            executions: is_set("TRITON_MPS_VERBOSE"),
            plans: is_set("TRITON_METAL_DEBUG"),
            devices: is_set("TRITON_APPLE_VERBOSE"),
        }
    }
}

/// Whether a variable has a value other than those that mean no.
fn is_set(variable: &str) -> bool {
    env::var(variable).is_ok_and(|value| {
        let value = value.trim().to_ascii_lowercase();
        !["", "0", "false", "off", "no"].contains(&&*value)
    })
}
