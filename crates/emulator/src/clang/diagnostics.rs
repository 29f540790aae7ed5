//! Clang's output, as diagnostics of a text.

use super::FILES;
use crate::check::AccessPlace;
use std::process::Command;
use trident_apple::metal::{Diagnostic, MetalError};

/// Runs clang, and turns its messages into diagnostics.
pub(super) fn diagnose(command: &mut Command) -> Result<(), MetalError> {
    let output = command.output().map_err(|error| MetalError::Unavailable {
        device: "metal-emulated",
        reason: format!("clang does not run: {error}"),
        hint: "check TRIDENT_CLANG".to_owned(),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let mut found = diagnostics(&text);
    if found.is_empty() {
        let message = text.trim().to_owned();
        found.push(Diagnostic { file: String::new(), line: 0, rule: None, message });
    }
    Err(MetalError::Compile(found))
}

/// The errors among clang's messages. One inside of our headers gets the line of the text that led there.
fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut headers = false;
    for line in text.lines() {
        let Some((place, severity, message)) = message(line) else { continue };
        let own = is_header(&place.file);
        if severity.ends_with("error") {
            headers = own;
            let AccessPlace { file, line } = place;
            found.push(Diagnostic {
                file: strip(file),
                line,
                rule: None,
                message: message.to_owned(),
            });
        } else if headers
            && !own
            && let Some(last) = found.last_mut()
        {
            // A note that leads from a template of ours to the text.
            last.line = place.line;
            last.file = strip(place.file);
            headers = false;
        }
    }
    found.dedup();
    found
}

fn message(line: &str) -> Option<(AccessPlace, &str, &str)> {
    for severity in ["fatal error", "error", "note"] {
        let mark = format!(": {severity}: ");
        let Some(at) = line.find(&mark) else { continue };
        let mut parts = line[..at].rsplitn(3, ':');
        let (_column, number, file) = (parts.next()?, parts.next()?, parts.next()?);
        let place = AccessPlace { file: file.to_owned(), line: number.parse().ok()? };
        return Some((place, severity, &line[at + mark.len()..]));
    }
    None
}

/// Whether a file is one of ours.
pub(crate) fn is_header(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    FILES.iter().any(|(known, _)| *known == name)
}

/// The file's name as the text gave it: empty for the text itself.
pub(crate) fn strip(file: String) -> String {
    let name = file.strip_prefix("./").unwrap_or(&file);
    if name == "msl" { String::new() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_inside_of_headers_get_the_line_that_led_there() {
        let text = "In file included from <built-in>:1:\n\
            /cache/simd.h:90:5: error: static assertion failed: functions of a simdgroup take\n\
            /cache/math.h:12:3: note: in instantiation of another\n\
            k.py:9:10: note: in instantiation of function template specialization\n\
            k.py:7:1: note: not of this error\n\
            msl:3:4: error: use of undeclared identifier 'y'\n2 errors generated.\n";
        let found = diagnostics(text);
        let seen: Vec<_> = found.iter().map(|d| (&*d.file, d.line, &*d.message)).collect();
        let expected = [
            ("k.py", 9, "static assertion failed: functions of a simdgroup take"),
            ("", 3, "use of undeclared identifier 'y'"),
        ];
        assert_eq!(seen, expected);
    }
}
