//! Attributes.

use bytes::Bytes;
use std::borrow::Cow;
use trident_ir::{DType, Type};

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attr {
    /// A name alone.
    Unit,
    Bool(bool),
    /// An integer and its type.
    Int(i64, DType),
    /// The bits of a float, and its type.
    Float(u64, DType),
    Str(Box<str>),
    /// A keyword: `rtne`, `acq_rel`.
    Word(Cow<'static, str>),
    Symbol(Box<str>),
    Type(Type),
    /// `[…]`.
    List(Vec<Attr>),
    /// `array<i32: …>`.
    Array(DType, Vec<i64>),
    /// `dense<…>` of a tensor type.
    Dense(Dense),
    /// `{…}`.
    Dict(AttrDict),
    /// `#name<…>` with fields.
    Fields(Box<str>, AttrDict),
    /// `#name`, defined in front of the module.
    Alias(Box<str>),
    /// The text of an attribute that nothing here asks for.
    Other(Box<str>),
}

/// The elements of a block, little-endian and row-major.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense {
    pub(crate) ty: Type,
    /// One element that stands for all, or every one.
    pub(crate) bytes: Bytes,
    /// Whether `bytes` is one element for all.
    pub(crate) splat: bool,
}

/// Attributes by name, in the order in which they were set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AttrDict(pub(crate) Vec<(Cow<'static, str>, Attr)>);

impl AttrDict {
    pub(crate) fn get(&self, name: &str) -> Option<&Attr> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    pub(crate) fn set(&mut self, name: &'static str, value: Attr) {
        self.0.push((Cow::Borrowed(name), value));
    }
}

impl Dense {
    /// The element that all are, if it is an integer.
    pub(crate) fn int(&self) -> Option<i64> {
        if self.splat { self.ints()?.first().copied() } else { None }
    }

    /// The elements as integers.
    pub(crate) fn ints(&self) -> Option<Vec<i64>> {
        let dtype = self.ty.dtype().filter(|&d| d.is_int() || d == DType::Bool)?;
        Some(self.bytes.chunks_exact(dtype.size()).map(signed).collect())
    }
}

/// The integer of little-endian bytes.
pub(super) fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|&b| b >= 0x80);
    let mut all = [if negative { 0xFF } else { 0 }; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    i64::from_le_bytes(all)
}

impl Attr {
    /// An integer or truth value.
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            Attr::Int(v, _) => Some(*v),
            Attr::Bool(v) => Some((*v).into()),
            Attr::Unit => Some(1),
            _ => None,
        }
    }

    /// A list of integers.
    pub(crate) fn ints(&self) -> Option<Vec<i64>> {
        match self {
            Attr::List(items) => items.iter().map(Attr::int).collect(),
            Attr::Array(_, items) => Some(items.clone()),
            _ => None,
        }
    }

    /// The name of a symbol.
    pub(crate) fn symbol(&self) -> Option<&str> {
        match self {
            Attr::Symbol(name) | Attr::Str(name) => Some(name),
            _ => None,
        }
    }

    /// A keyword, or a text in quotes.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Attr::Word(word) => Some(word),
            Attr::Str(text) => Some(text),
            _ => None,
        }
    }
}
