//! The table of a document's values.

use bytes::Bytes;

use super::scan::Scanner;
use super::value::{JsonPlace, JsonValue};

/// A checked JSON text and where its values stand.
#[derive(Debug)]
pub struct Document {
    pub(super) text: Bytes,
    pub(super) nodes: Vec<Node>,
}

/// One value of a document. Values in it follow it in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The first byte; of a string, the byte after its quotation mark.
    pub(super) start: u32,
    /// The byte after the last one; of a string, its closing quotation mark.
    pub(super) end: u32,
    /// Elements of an array, members of an object.
    pub(super) count: u32,
    /// The index after the last value in this one.
    pub(super) next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    False,
    True,
    Number,
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    Array,
    /// An array of nothing but numbers, which have no nodes of their own.
    Numbers(Numbers),
    /// Names and values in turns.
    Object,
}

/// The narrowest class that all numbers of an array belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Numbers {
    /// Unsigned integers of at most 18 digits.
    Unsigned,
    /// Signed integers of at most 18 digits.
    Signed,
    /// Others.
    Any,
}

/// Why a text is not JSON, and at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault} at {position}")]
pub struct JsonError {
    /// The fault.
    pub fault: ParseFault,
    /// The number of bytes before it.
    pub position: usize,
}

/// The kinds of faults, with the server's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseFault {
    /// Nothing but white space.
    #[error("The document is empty.")]
    Empty,
    /// More than one value.
    #[error("The document root must not be followed by other values.")]
    Trailing,
    /// No value where one is due.
    #[error("Invalid value.")]
    Value,
    /// A member that does not begin with a string.
    #[error("Missing a name for object member.")]
    Name,
    /// A name that no colon follows.
    #[error("Missing a colon after a name of object member.")]
    Colon,
    /// A member that neither a comma nor a brace follows.
    #[error("Missing a comma or }} after an object member.")]
    Member,
    /// An element that neither a comma nor a bracket follows.
    #[error("Missing a comma or ']' after an array element.")]
    Element,
    /// `\u` without four hexadecimal digits.
    #[error("Incorrect hex digit after \\u escape in string.")]
    Hex,
    /// Half of a surrogate pair.
    #[error("The surrogate pair in string is invalid.")]
    Surrogate,
    /// An unknown character after a backslash, or a control character.
    #[error("Invalid escape character in string.")]
    Escape,
    /// A string that does not end.
    #[error("Missing a closing quotation mark in string.")]
    Quotation,
    /// A number beyond the range of f64.
    #[error("Number too big to be stored in double.")]
    TooBig,
    /// A decimal point without digits after it.
    #[error("Miss fraction part in number.")]
    Fraction,
    /// An exponent without digits.
    #[error("Miss exponent in number.")]
    Exponent,
    /// A text of 4 GiB or more, or one with as many values.
    #[error("The document is too large.")]
    Length,
}

impl Document {
    /// Checks a text. Memory is proportional to the number of values outside of arrays of numbers.
    ///
    /// # Errors
    /// The first fault. A NUL byte ends the text, as in the server.
    pub fn parse(text: Bytes) -> Result<Document, JsonError> {
        let nodes = Scanner::new(&text)?.document()?;
        Ok(Document { text, nodes })
    }

    /// The value at a place.
    ///
    /// # Panics
    /// The place is one of another document that has more values.
    pub fn at(&self, place: JsonPlace) -> JsonValue<'_> {
        JsonValue::new(self, place.0)
    }

    /// The outermost value.
    pub fn root(&self) -> JsonValue<'_> {
        JsonValue::new(self, 0)
    }
}
