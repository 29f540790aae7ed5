//! Errors in the text of a configuration, with their place.

use crate::node::Origin;
use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Character within the line, from 1.
    pub column: usize,
}

/// The reason why a text is not a model configuration: the fault, its field and, in the text format, its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigParseError {
    /// Where. Unknown in JSON, where only errors of syntax have a place, in their text.
    pub position: Option<Position>,
    /// Path of the field: `input[1].dims`; empty for errors of syntax.
    pub field: String,
    /// The error.
    pub kind: ParseErrorKind,
}

impl ConfigParseError {
    pub(crate) fn new(origin: Origin, kind: ParseErrorKind) -> ConfigParseError {
        let position = match origin {
            Origin::Text(position) => Some(position),
            Origin::Json => None,
        };
        ConfigParseError { position, field: String::new(), kind }
    }

    /// The error as seen from the message around the field `name`.
    pub(crate) fn inside(self, name: &str) -> ConfigParseError {
        self.below(&shorten(name))
    }

    /// The error as seen from the list or map around the item `key`.
    pub(crate) fn inside_item(self, key: &str) -> ConfigParseError {
        self.below(&format!("[{}]", shorten(key)))
    }

    fn below(mut self, step: &str) -> ConfigParseError {
        if !self.field.is_empty() && !self.field.starts_with('[') {
            self.field.insert(0, '.');
        }
        self.field.insert_str(0, step);
        self
    }
}

impl std::error::Error for ConfigParseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.kind)
    }
}

impl fmt::Display for ConfigParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.position {
            write!(f, "{line}:{column}: ")?;
        }
        if !self.field.is_empty() {
            write!(f, "`{}`: ", self.field)?;
        }
        self.kind.fmt(f)
    }
}

/// An error in the text of a configuration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected text.
        expected: &'static str,
        /// The actual text.
        found: String,
    },
    /// A string without an end.
    #[error("the string does not end on its line")]
    OpenString,
    /// An unknown or incomplete escape sequence.
    #[error("a string has the invalid escape sequence `\\{0}`")]
    Escape(String),
    /// Escape sequences that make no text.
    #[error("the string is not valid UTF-8")]
    Utf8,
    /// Digits that make no number.
    #[error("`{0}` is not a number")]
    Number(String),
    /// A number that the field's type cannot hold.
    #[error("{value} does not fit {ty}")]
    Range {
        /// The number.
        value: String,
        /// The field's type, as protobuf calls it.
        ty: &'static str,
    },
    /// Messages within messages without end.
    #[error("messages are nested too deeply")]
    Depth,
    /// A field that the message does not have.
    #[error("`{message}` has no such field{}", hint(suggestion))]
    UnknownField {
        /// The message.
        message: &'static str,
        /// The field with the most similar name.
        suggestion: Option<&'static str>,
    },
    /// A name that is not a value of the enumeration.
    #[error("`{value}` is not a value of `{ty}`{}", hint(suggestion))]
    UnknownValue {
        /// The enumeration.
        ty: &'static str,
        /// The name or number.
        value: String,
        /// The value with the most similar name.
        suggestion: Option<&'static str>,
    },
    /// A field that is not repeated, twice.
    #[error("given more than once")]
    Duplicate,
    /// A key of a map, twice.
    #[error("the key `{0}` is given more than once")]
    DuplicateKey(String),
    /// Fields that exclude each other.
    #[error("excludes `{0}`, which is given too")]
    Excludes(&'static str),
    /// A text that is not JSON.
    #[error("{0}")]
    Json(String),
}

pub(crate) fn hint(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}

/// A name or value as errors show it: the start of a long one.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 100;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The name most similar to `name`, if one is similar at all.
pub(crate) fn similar(
    name: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    // Longer ones are not misspelt names, and each comparison takes time and memory for every pair of characters.
    const LONGEST: usize = 64;
    if name.chars().nth(LONGEST).is_some() {
        return None;
    }
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    names
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}
