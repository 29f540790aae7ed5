//! Shows how two texts differ.

use crate::case::trimmed;
use std::fmt::Write;

/// Both texts by line: shared lines after blanks, lines of only one text after `-` (expected) or `+` (actual). Lines
/// that are shared at the start and the end are matched; the rest counts as replaced.
pub(crate) fn lines(expected: &str, actual: &str) -> String {
    let (expected, actual) = (trimmed(expected), trimmed(actual));
    let shared =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = shared(&mut expected.iter().zip(&actual));
    let (e, a) = (&expected[head..], &actual[head..]);
    let tail = shared(&mut e.iter().rev().zip(a.iter().rev()));
    let (e, a) = (&e[..e.len() - tail], &a[..a.len() - tail]);
    let mut out = String::new();
    let parts = [
        ("  ", &expected[..head]),
        ("- ", e),
        ("+ ", a),
        ("  ", &expected[expected.len() - tail..]),
    ];
    for (sign, lines) in parts {
        for line in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{sign}{line}");
        }
    }
    out
}
