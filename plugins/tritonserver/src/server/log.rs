//! The server's log.

use super::api;
use super::error::{c_string, check};

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Level {
    Info = 0,
    Warn = 1,
    Error = 2,
    Verbose = 3,
}

/// Whether lines of a level are written.
pub(crate) fn enabled(level: Level) -> bool {
    // SAFETY: any level may be asked for.
    unsafe { api::TRITONSERVER_LogIsEnabled(level as u32) }
}

/// Writes a line. Failures are ignored.
pub(crate) fn write(level: Level, file: &str, line: u32, text: &str) {
    let file = c_string(file.rsplit('/').next().unwrap_or(file));
    let text = c_string(text);
    let line = i32::try_from(line).unwrap_or(0);
    // SAFETY: both texts end with a zero and are copied.
    let _ = unsafe {
        check(api::TRITONSERVER_LogMessage(level as u32, file.as_ptr(), line, text.as_ptr()))
    };
}

/// Logs a line at a level: `log!(Info, "loaded {name}")`. The text is made only if the level is enabled.
macro_rules! log {
    ($level:ident, $($text:tt)+) => {
        if $crate::server::log::enabled($crate::server::log::Level::$level) {
            $crate::server::log::write(
                $crate::server::log::Level::$level, file!(), line!(), &format!($($text)+),
            );
        }
    };
}
pub(crate) use log;
