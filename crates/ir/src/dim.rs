//! Dimensions known as numbers, by name, or not at all.

use crate::text::Word;
use std::fmt;
use std::sync::Arc;

/// One dimension of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// A number.
    Fixed(usize),
    /// A name; equal names are equal numbers within one function. Shape inference also puts
    /// expressions over names here, in one canonical spelling.
    Sym(Arc<str>),
    /// Nothing is known before the program runs.
    Unknown,
}

impl Dim {
    /// The number, if it is one.
    pub fn fixed(&self) -> Option<usize> {
        match self {
            Dim::Fixed(n) => Some(*n),
            _ => None,
        }
    }

    /// A named dimension.
    pub fn sym(name: &str) -> Dim {
        Dim::Sym(name.into())
    }

    /// Whether both could be the same number.
    pub fn may_be(&self, other: &Dim) -> bool {
        match (self, other) {
            (Dim::Fixed(a), Dim::Fixed(b)) => a == b,
            _ => true,
        }
    }

    /// Whether both are known to be the same number.
    pub fn same(&self, other: &Dim) -> bool {
        self == other && *self != Dim::Unknown
    }
}

impl From<usize> for Dim {
    fn from(n: usize) -> Dim {
        Dim::Fixed(n)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Fixed(n) => write!(f, "{n}"),
            Dim::Sym(name) => Word(name).fmt(f),
            Dim::Unknown => f.write_str("?"),
        }
    }
}

/// The dimensions of a tensor, outermost first; rank 0 is a scalar.
pub type Shape = Vec<Dim>;
