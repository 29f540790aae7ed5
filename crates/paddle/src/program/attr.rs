//! Attributes of ops.

use std::rc::Rc;
use trident_ir::DType;

/// The value of an attribute. Kinds of integers and of floats are not told apart, since versions of Paddle differ in
/// them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attr {
    /// A truth value.
    Bool(bool),
    /// An integer of any kind. Element types of a `ProgramDesc` are numbers, too: see
    /// [`dtype::from_number`](crate::dtype::from_number).
    Int(i64),
    /// A float of any kind.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
    /// Text, and layouts of data.
    Text(Rc<str>),
    /// An element type; `None` means "as the operand".
    DType(Option<DType>),
    /// A list of truth values.
    Bools(Box<[bool]>),
    /// A list of integers.
    Ints(Box<[i64]>),
    /// A list of floats.
    Floats(Box<[f64]>),
    /// A list of texts.
    Texts(Box<[Rc<str>]>),
    /// A list of other values, or of values of several kinds. Empty lists of PIR state no kind and are this one.
    List(Box<[Attr]>),
    /// A value without meaning to us, such as a place, with the name of its kind.
    Other(Rc<str>),
}

impl Attr {
    /// A truth value; integers are true unless they are 0.
    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Attr::Bool(value) => Some(*value),
            Attr::Int(value) => Some(*value != 0),
            _ => None,
        }
    }

    /// An integer; truth values are 0 and 1, and floats must be whole.
    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Attr::Int(value) => Some(*value),
            Attr::Bool(value) => Some((*value).into()),
            // The range of f64 that i64 holds; other whole numbers are not integers of a model.
            Attr::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(*value as i64),
            _ => None,
        }
    }

    /// A number of any kind.
    pub(crate) fn as_float(&self) -> Option<f64> {
        match self {
            Attr::Float(value) => Some(*value),
            Attr::Int(value) => Some(*value as f64),
            Attr::Bool(value) => Some((*value).into()),
            _ => None,
        }
    }

    /// Text.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Attr::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list of integers.
    pub(crate) fn as_ints(&self) -> Option<Vec<i64>> {
        match self {
            Attr::Ints(values) => Some(values.to_vec()),
            _ => self.items()?.iter().map(Attr::as_int).collect(),
        }
    }

    /// A list of numbers of any kind.
    pub(crate) fn as_floats(&self) -> Option<Vec<f64>> {
        match self {
            Attr::Floats(values) => Some(values.to_vec()),
            Attr::Ints(values) => Some(values.iter().map(|&value| value as f64).collect()),
            _ => self.items()?.iter().map(Attr::as_float).collect(),
        }
    }

    /// The items of a list of several kinds.
    fn items(&self) -> Option<&[Attr]> {
        match self {
            Attr::List(items) => Some(items),
            _ => None,
        }
    }

    /// The kind in words, for errors.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Attr::Bool(_) => "a truth value",
            Attr::Int(_) => "an integer",
            Attr::Float(_) => "a float",
            Attr::Complex(..) => "a complex number",
            Attr::Text(_) => "a text",
            Attr::DType(_) => "an element type",
            Attr::Bools(_) => "a list of truth values",
            Attr::Ints(_) => "a list of integers",
            Attr::Floats(_) => "a list of floats",
            Attr::Texts(_) => "a list of texts",
            Attr::List(_) => "a list",
            Attr::Other(_) => "a value of another kind",
        }
    }
}
