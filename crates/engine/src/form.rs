//! The form of an optimised module: the devices and passes that its ops depend on.

use crate::session::Options;
use std::fmt::Write;
use std::sync::Arc;
use trident_runtime::Device;

/// The devices and passes that a module was optimised for. Modules of different forms have different ops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The session's devices, in order.
    pub devices: Vec<DeviceForm>,
    /// The passes that were left out ([`PassOptions::disabled`](crate::PassOptions::disabled)), in the order of their
    /// names.
    pub disabled: Vec<String>,
}

/// A device, and its list of rewrites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceForm {
    /// The device's name.
    pub name: String,
    /// The names of its rewrites ([`Device::rewrites`]).
    pub rewrites: Vec<String>,
}

impl Form {
    /// The form that a session with these devices and options needs.
    pub fn of(devices: &[Arc<dyn Device>], options: &Options) -> Form {
        let mut disabled = options.passes.disabled.clone();
        disabled.sort_unstable();
        disabled.dedup();
        let device = |device: &Arc<dyn Device>| DeviceForm {
            name: device.info().name.clone(),
            rewrites: device.rewrites().into_iter().map(str::to_owned).collect(),
        };
        Form { devices: devices.iter().map(device).collect(), disabled }
    }

    /// The devices' names, as `--device` takes them.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.devices.iter().map(|device| device.name.as_str()).collect();
        names.join(",")
    }

    /// The first difference between the form of a module and that of a session.
    pub(crate) fn difference(&self, session: &Form) -> String {
        if self.names() != session.names() {
            let (made, wanted) = (self.names(), session.names());
            return format!("compiled for `{made}`, and the session runs on `{wanted}`");
        }
        let devices = self.devices.iter().zip(&session.devices);
        if let Some((made, wanted)) = devices.into_iter().find(|(made, wanted)| made != wanted) {
            let (name, made, wanted) = (&made.name, list(&made.rewrites), list(&wanted.rewrites));
            return format!("compiled with {made} for `{name}`, which has {wanted} here");
        }
        let (made, wanted) = (passes(&self.disabled), passes(&session.disabled));
        format!("compiled with {made}, and the session asks for {wanted}")
    }
}

fn list(rewrites: &[String]) -> String {
    match rewrites {
        [] => "no rewrites".to_owned(),
        names => format!("the rewrites {}", names.join(", ")),
    }
}

fn passes(disabled: &[String]) -> String {
    let mut text = "all passes".to_owned();
    if !disabled.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, " but {}", disabled.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(devices: &[(&str, &[&str])], disabled: &[&str]) -> Form {
        let own = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let device = |(name, rewrites): &(&str, &[&str])| DeviceForm {
            name: (*name).to_owned(),
            rewrites: own(rewrites),
        };
        Form { devices: devices.iter().map(device).collect(), disabled: own(disabled) }
    }

    #[test]
    fn a_difference_names_both_sides() {
        let cpu = form(&[("cpu", &["residual"])], &[]);
        let metal = form(&[("metal", &["residual", "chains"]), ("cpu", &["residual"])], &[]);
        assert_eq!(
            cpu.difference(&metal),
            "compiled for `cpu`, and the session runs on `metal,cpu`"
        );
        let other = form(&[("cpu", &[])], &[]);
        assert_eq!(
            cpu.difference(&other),
            "compiled with the rewrites residual for `cpu`, which has no rewrites here"
        );
        let off = form(&[("cpu", &["residual"])], &["fold", "fuse"]);
        assert_eq!(
            off.difference(&cpu),
            "compiled with all passes but fold, fuse, and the session asks for all passes"
        );
    }
}
