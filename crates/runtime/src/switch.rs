//! Environment variables that act as switches.

use std::env;

/// A switch has a value that means neither on nor off.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{variable}={value} is neither on nor off: set it to 1, true, yes or on, or to 0, false, no, off or nothing"
)]
pub struct SwitchError {
    /// The environment variable.
    pub variable: String,
    /// Its value.
    pub value: String,
}

/// Whether an environment variable is switched on. Case is ignored, and an unset variable is off.
pub fn switch(variable: &str) -> Result<bool, SwitchError> {
    let value = env::var_os(variable).unwrap_or_default();
    let value = value.to_string_lossy();
    let misread = || SwitchError { variable: variable.to_owned(), value: value.to_string() };
    meaning(&value).ok_or_else(misread)
}

fn meaning(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "" | "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_say_on_or_off_or_nothing_that_is_known() {
        for on in ["1", "true", "Yes", " ON "] {
            assert_eq!(meaning(on), Some(true), "{on}");
        }
        for off in ["", " ", "0", "FALSE", "no", "Off"] {
            assert_eq!(meaning(off), Some(false), "{off}");
        }
        for other in ["2", "-1", "y", "enable", "all"] {
            assert_eq!(meaning(other), None, "{other}");
        }
        assert_eq!(switch("TRIDENT_NEVER_SET"), Ok(false));
        let path = switch("PATH").unwrap_err().to_string();
        assert!(path.starts_with("PATH=") && path.contains("set it to 1, true"), "{path}");
    }
}
