//! The failures of opening devices.

use std::fmt;

/// An ability that a device has or lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// It runs models.
    Models,
    /// It compiles kernels.
    Kernels,
}

impl fmt::Display for Ability {
    /// Names the ability of a device that lacks it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ability::Models => "runs no models",
            Ability::Kernels => "compiles no kernels",
        })
    }
}

/// A choice of devices that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A name that no device has.
    #[error("there is no device `{0}`")]
    Unknown(String),
    /// A name given twice.
    #[error("device `{0}` is named twice")]
    Twice(String),
    /// A device without the ability that is asked for.
    #[error("the device `{device}` {ability}; devices that do: {able}")]
    Lacks {
        /// The device.
        device: &'static str,
        /// The ability that it lacks.
        ability: Ability,
        /// The names of the devices that have it.
        able: String,
    },
    /// A device that is not there, or lacks something.
    #[error("{reason}")]
    Unavailable {
        /// The device, and what is missing.
        reason: String,
        /// A hint on what to do.
        hint: Option<String>,
    },
    /// A chip whose figures are not known.
    #[error("there is no chip `{name}`; the chips are {known}")]
    UnknownChip {
        /// The name given.
        name: String,
        /// The names of all chips.
        known: String,
    },
    /// Kernels run on one device.
    #[error("a kernel runs on one device, and `{0}` names several; name one")]
    Several(String),
}

impl DeviceError {
    pub(crate) fn unavailable(device: &str, reason: &str, hint: &str) -> DeviceError {
        let reason = format!("the device `{device}` is not available: {reason}");
        DeviceError::Unavailable { reason, hint: Some(hint.to_owned()) }
    }
}
