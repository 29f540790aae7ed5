//! Errors between a kernel's text and its results.

use std::fmt;
use std::time::Duration;
use trident_runtime::DeviceError;

/// A compiler's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file that the last `#line` names; empty without one.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The name of the rule that is broken, if the rule has one.
    pub rule: Option<&'static str>,
    /// The message.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = if self.file.is_empty() { "msl" } else { &self.file };
        write!(f, "{file}:{}: {}", self.line, self.message)?;
        self.rule.map_or(Ok(()), |rule| write!(f, " [{rule}]"))
    }
}

impl Diagnostic {
    /// The errors among the messages of Apple's compiler, each `file:line:column: error: message`. The text itself is
    /// `program_source`. Without one, the whole text is the error.
    pub fn parse(text: &str) -> Vec<Diagnostic> {
        let parse = |line: &str| {
            let (place, message) =
                line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
            let mut parts = place.rsplitn(3, ':');
            let (_column, number, file) = (parts.next()?, parts.next()?, parts.next()?);
            let file = if file == "program_source" { "" } else { file };
            Some(Diagnostic {
                file: file.to_owned(),
                line: number.parse().ok()?,
                rule: None,
                message: message.to_owned(),
            })
        };
        let found: Vec<Diagnostic> = text.lines().filter_map(parse).collect();
        if found.is_empty() {
            let message = text.trim().to_owned();
            return vec![Diagnostic { file: String::new(), line: 0, rule: None, message }];
        }
        found
    }
}

/// An error of a device, library, pipeline or batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetalError {
    /// The device, or a program that it needs, is missing.
    #[error("the device `{device}` is not available: {reason}; hint: {hint}")]
    Unavailable {
        /// The device.
        device: &'static str,
        /// The missing part.
        reason: String,
        /// Advice to the user.
        hint: String,
    },
    /// A text that is not valid.
    #[error("the Metal source does not compile:\n{}", lines(.0))]
    Compile(Vec<Diagnostic>),
    /// A kernel that the library does not have.
    #[error("the library has no kernel `{name}`; hint: it has {}", names(.known))]
    NoFunction {
        /// The name that was asked for.
        name: String,
        /// The kernels of the library.
        known: Vec<String>,
    },
    /// A function constant without a value, or with one that does not fit.
    #[error(
        "kernel `{kernel}`: function constant {index} {reason}; hint: pass a value of its type"
    )]
    Constant {
        /// The kernel.
        kernel: String,
        /// Index of the constant.
        index: u32,
        /// The fault of the constant.
        reason: String,
    },
    /// More than the device or the pipeline allows.
    #[error("{what} is {asked}, more than the limit of {limit}; hint: {hint}")]
    Limit {
        /// The quantity with a limit, with the kernel where there is one.
        what: String,
        /// The requested amount.
        asked: u64,
        /// How much there may be.
        limit: u64,
        /// Advice to the user.
        hint: &'static str,
    },
    /// An address, offset or length that is not a multiple of the required alignment.
    #[error("{what} is {value}, no multiple of {multiple}; hint: {hint}")]
    Alignment {
        /// The quantity that must be aligned.
        what: String,
        /// Its value.
        value: u64,
        /// The multiple.
        multiple: u64,
        /// Advice to the user.
        hint: &'static str,
    },
    /// A binding of a dispatch that does not fit the kernel or the buffer.
    #[error("kernel `{kernel}`: slot {slot} {reason}")]
    Binding {
        /// The kernel.
        kernel: String,
        /// The slot.
        slot: u32,
        /// The fault of the binding, with a hint.
        reason: String,
    },
    /// A dispatch without threads.
    #[error(
        "kernel `{kernel}`: {what} has a zero dimension: {sizes:?}; hint: leave out a dispatch that does nothing"
    )]
    Empty {
        /// The kernel.
        kernel: String,
        /// The grid or the threadgroup.
        what: &'static str,
        /// Its dimensions.
        sizes: [u32; 3],
    },
    /// A buffer or pipeline of another device.
    #[error(
        "kernel `{kernel}`: {what} belongs to another device; hint: make it with the device of the queue"
    )]
    Foreign {
        /// The kernel.
        kernel: String,
        /// The object: a buffer, with its slot, or the pipeline.
        what: String,
    },
    /// A handle that is not a buffer of the device.
    #[error(
        "the handle {handle:#x} is not a buffer of this device: {reason}; hint: pass an array of this process and this GPU"
    )]
    Handle {
        /// The handle.
        handle: u64,
        /// The kind of handle, as far as that is known.
        reason: &'static str,
    },
    /// No memory for a buffer, a queue or a batch.
    #[error("no memory for {what}: {reason}; hint: release buffers or batches that have completed")]
    Memory {
        /// The object that needs the memory.
        what: String,
        /// The system's message.
        reason: String,
    },
    /// The GPU stopped a kernel.
    #[error("kernel `{kernel}` failed: {reason}")]
    Execution {
        /// The kernel.
        kernel: String,
        /// Why, with a hint.
        reason: String,
    },
    /// A kernel did not finish in time.
    #[error(
        "kernel `{kernel}` did not finish within {limit:?}; hint: threadgroups that wait for each other never finish on a GPU"
    )]
    Timeout {
        /// The kernel.
        kernel: String,
        /// The time it had.
        limit: Duration,
    },
    /// A device that checks kernels found errors.
    #[error("kernel `{kernel}` breaks rules of Metal:\n{}", .reports.join("\n"))]
    Check {
        /// The kernel.
        kernel: String,
        /// The errors found, one line each.
        reports: Vec<String>,
    },
}

impl From<MetalError> for DeviceError {
    fn from(error: MetalError) -> DeviceError {
        match error {
            MetalError::Unavailable { device, reason, hint } => {
                DeviceError::unavailable(device, &reason, &hint)
            }
            other => DeviceError::Unavailable { reason: other.to_string(), hint: None },
        }
    }
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n")
}

fn names(known: &[String]) -> String {
    if known.is_empty() { "no kernels".to_owned() } else { known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_messages_are_parsed() {
        let text = "Compilation failed: \n\nprogram_source:3:10: error: use of undeclared identifier 'y'\n  y = 1;\n  ^\n\
            /home/me/k.py:12:3: warning: unused variable\n/home/me/k.py:14:9: fatal error: no matching function\n";
        let found = Diagnostic::parse(text);
        let seen: Vec<String> = found.iter().map(Diagnostic::to_string).collect();
        let expected =
            ["msl:3: use of undeclared identifier 'y'", "/home/me/k.py:14: no matching function"];
        assert_eq!(seen, expected);
        let [only] = &Diagnostic::parse("The compiler service stopped\n")[..] else { panic!() };
        assert_eq!(only.to_string(), "msl:0: The compiler service stopped");
    }
}
