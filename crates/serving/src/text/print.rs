//! The text form of a tree, one field a line.

use crate::node::{Entry, Kind, Node};
use std::fmt::Write;

/// The fields of `message` as a text.
pub(crate) fn print(message: &Node) -> String {
    let mut out = String::new();
    if let Kind::Message(entries) = &message.kind {
        fields(entries, 0, &mut out);
    }
    out
}

fn fields(entries: &[Entry], depth: usize, out: &mut String) {
    for Entry { name, value, .. } in entries {
        match &value.kind {
            Kind::List(items) => items.iter().for_each(|item| field(name, item, depth, out)),
            Kind::Map(pairs) => {
                for (key, value) in pairs {
                    let _ = writeln!(out, "{:1$}{name} {{", "", depth * 2);
                    field("key", key, depth + 1, out);
                    field("value", value, depth + 1, out);
                    let _ = writeln!(out, "{:1$}}}", "", depth * 2);
                }
            }
            _ => field(name, value, depth, out),
        }
    }
}

/// One value of a field. Writing to a string cannot fail.
fn field(name: &str, value: &Node, depth: usize, out: &mut String) {
    let _ = write!(out, "{:1$}{name}", "", depth * 2);
    let _ = match &value.kind {
        Kind::Message(entries) => {
            out.push_str(" {\n");
            fields(entries, depth + 1, out);
            writeln!(out, "{:1$}}}", "", depth * 2)
        }
        Kind::String(text) => writeln!(out, ": \"{}\"", escaped(text)),
        Kind::Word(text) => writeln!(out, ": {text}"),
        Kind::Bool(value) => writeln!(out, ": {value}"),
        Kind::Integer(value) => writeln!(out, ": {value}"),
        // Rust writes `inf`, `-inf` and `NaN`, which the parser reads.
        Kind::Float(value) => writeln!(out, ": {value:?}"),
        Kind::Null | Kind::List(_) | Kind::Map(_) => writeln!(out, ": []"),
    };
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii_control() => {
                let _ = write!(out, "\\{:03o}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}
