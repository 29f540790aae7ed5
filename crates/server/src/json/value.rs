//! Values of a document.

use std::borrow::Cow;

use super::document::{Document, Kind, Node};
use super::{number, string};

/// One value.
#[derive(Clone, Copy, Debug)]
pub struct JsonValue<'a> {
    document: &'a Document,
    index: u32,
}

/// The place of a value in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonPlace(pub(super) u32);

/// A value of another type than asked for, with the server's texts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongType {
    /// Not a string.
    #[error("attempt to access JSON non-string as string")]
    String,
    /// Not `true` or `false`.
    #[error("attempt to access JSON non-boolean as boolean")]
    Boolean,
    /// Not an integer in the range of i64.
    #[error("attempt to access JSON non-signed-integer as signed-integer")]
    Signed,
    /// Not an integer in the range of u64.
    #[error("attempt to access JSON non-unsigned-integer as unsigned-integer")]
    Unsigned,
    /// Not a number.
    #[error("attempt to access JSON non-number as double")]
    Number,
    /// Not an array.
    #[error("attempt to access JSON non-array as array")]
    Array,
    /// Not an object.
    #[error("attempt to access JSON non-object as object")]
    Object,
    /// An object without this member.
    #[error("attempt to access non-existing object member '{0}'")]
    Missing(&'static str),
}

impl<'a> JsonValue<'a> {
    pub(super) fn new(document: &'a Document, index: u32) -> JsonValue<'a> {
        JsonValue { document, index }
    }

    fn node(self) -> Node {
        self.document.nodes[self.index as usize]
    }

    pub(super) fn kind(self) -> Kind {
        self.node().kind
    }

    /// The value's text; of a string, the text between its quotation marks.
    pub(crate) fn text(self) -> &'a [u8] {
        let node = self.node();
        &self.document.text[node.start as usize..node.end as usize]
    }

    /// The place of this value in its document, for [`Document::at`].
    pub fn place(self) -> JsonPlace {
        JsonPlace(self.index)
    }

    /// The bytes of a string. They need not be UTF-8.
    ///
    /// # Errors
    /// Another type.
    pub fn string(self) -> Result<Cow<'a, [u8]>, WrongType> {
        match self.kind() {
            Kind::Plain => Ok(self.text().into()),
            Kind::Escaped => Ok(string::unescape(self.text()).into()),
            _ => Err(WrongType::String),
        }
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// Another type.
    pub fn boolean(self) -> Result<bool, WrongType> {
        match self.kind() {
            Kind::True => Ok(true),
            Kind::False => Ok(false),
            _ => Err(WrongType::Boolean),
        }
    }

    /// An integer in the range of i64, written without point and exponent.
    ///
    /// # Errors
    /// Another type, or out of range.
    pub fn signed(self) -> Result<i64, WrongType> {
        self.number().and_then(number::signed).ok_or(WrongType::Signed)
    }

    /// An integer in the range of u64, written without point and exponent.
    ///
    /// # Errors
    /// Another type, or out of range.
    pub fn unsigned(self) -> Result<u64, WrongType> {
        self.number().and_then(number::unsigned).ok_or(WrongType::Unsigned)
    }

    /// A number, rounded to the nearest f64.
    ///
    /// # Errors
    /// Another type.
    pub fn float(self) -> Result<f64, WrongType> {
        self.number().map(number::float).ok_or(WrongType::Number)
    }

    fn number(self) -> Option<&'a [u8]> {
        (self.kind() == Kind::Number).then(|| self.text())
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether the value is an array.
    pub fn is_array(self) -> bool {
        matches!(self.kind(), Kind::Array | Kind::Numbers(_))
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// The elements of an array. Those of an array of numbers have no entries in the document: [`JsonValue::integers`] and
    /// [`JsonValue::fill`] read them.
    ///
    /// # Errors
    /// Another type, and an array of numbers.
    pub fn elements(self) -> Result<impl Iterator<Item = JsonValue<'a>>, WrongType> {
        match self.kind() {
            Kind::Array => Ok(self.children()),
            Kind::Numbers(_) => Err(WrongType::Object),
            _ => Err(WrongType::Array),
        }
    }

    /// The elements of an array of unsigned integers.
    ///
    /// # Errors
    /// Another type, or an element that is no integer in the range of u64.
    pub fn integers(self) -> Result<Vec<u64>, WrongType> {
        match self.kind() {
            Kind::Numbers(_) => numbers(self.text())
                .map(number::unsigned)
                .collect::<Option<_>>()
                .ok_or(WrongType::Unsigned),
            Kind::Array => self.children().map(JsonValue::unsigned).collect(),
            _ => Err(WrongType::Array),
        }
    }

    /// The members of an object, in their order.
    ///
    /// # Errors
    /// Another type.
    pub fn members(self) -> Result<Members<'a>, WrongType> {
        match self.kind() {
            Kind::Object => Ok(Members(self.children())),
            _ => Err(WrongType::Object),
        }
    }

    /// The first member with a name; none if this is not an object.
    pub fn get(self, name: &str) -> Option<JsonValue<'a>> {
        let named = |key: JsonValue<'_>| match key.kind() {
            Kind::Escaped => string::unescape(key.text()) == name.as_bytes(),
            _ => key.text() == name.as_bytes(),
        };
        self.members().ok()?.find(|&(key, _)| named(key)).map(|(_, value)| value)
    }

    /// The first member with a name.
    ///
    /// # Errors
    /// [`WrongType::Missing`]: there is none, or this is not an object.
    pub fn member(self, name: &'static str) -> Result<JsonValue<'a>, WrongType> {
        self.get(name).ok_or(WrongType::Missing(name))
    }

    /// Whether the value is an array of numbers, which [`JsonValue::elements`] leaves out.
    pub fn is_numbers(self) -> bool {
        matches!(self.kind(), Kind::Numbers(_)) && self.count() > 0
    }

    /// The number of elements or members.
    pub fn count(self) -> usize {
        self.node().count as usize
    }

    fn children(self) -> Children<'a> {
        let node = self.node();
        Children { document: self.document, next: self.index + 1, end: node.next }
    }
}

/// Values in another one, without those in them.
#[derive(Clone, Debug)]
pub(super) struct Children<'a> {
    document: &'a Document,
    next: u32,
    end: u32,
}

impl<'a> Iterator for Children<'a> {
    type Item = JsonValue<'a>;

    fn next(&mut self) -> Option<JsonValue<'a>> {
        if self.next == self.end {
            return None;
        }
        let value = JsonValue { document: self.document, index: self.next };
        self.next = value.node().next;
        Some(value)
    }
}

/// Names and values of an object.
#[derive(Clone, Debug)]
pub struct Members<'a>(Children<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (JsonValue<'a>, JsonValue<'a>);

    fn next(&mut self) -> Option<(JsonValue<'a>, JsonValue<'a>)> {
        Some((self.0.next()?, self.0.next()?))
    }
}

/// The texts of the numbers of an array that has nothing else.
pub(super) fn numbers(array: &[u8]) -> impl Iterator<Item = &[u8]> {
    let inside = array.get(1..array.len().saturating_sub(1)).unwrap_or_default();
    inside.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}
