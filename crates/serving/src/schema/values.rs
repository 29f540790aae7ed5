//! Scalars: strings, truth values, numbers and the names of enumerations.

use super::{Form, Key, Scalar, Value, Wire};
use crate::error::{ConfigParseError, ParseErrorKind, shorten, similar};
use crate::node::{Kind, Node, Origin};
use crate::text::float_word;

/// Reads the value of an enumeration from its name or number.
pub(crate) fn read_choice(
    ty: &'static str,
    names: &'static [&'static str],
    node: &Node,
) -> Result<usize, ConfigParseError> {
    let unknown = |value: &str| {
        let suggestion = similar(&value.to_ascii_uppercase(), names.iter().copied());
        let value = shorten(value);
        ConfigParseError::new(node.origin, ParseErrorKind::UnknownValue { ty, value, suggestion })
    };
    match &node.kind {
        Kind::Word(name) => {
            names.iter().position(|known| known == name).ok_or_else(|| unknown(name))
        }
        Kind::String(name) if node.is_json() => {
            let position = names.iter().position(|known| known.eq_ignore_ascii_case(name));
            position.ok_or_else(|| unknown(name))
        }
        Kind::Integer(number) => {
            let number = usize::try_from(*number).ok().filter(|number| *number < names.len());
            number.ok_or_else(|| unknown(&node.describe()))
        }
        _ => Err(node.expected("the name of a value")),
    }
}

impl Value for String {
    fn from_node(node: Node) -> Result<String, ConfigParseError> {
        match node.kind {
            Kind::String(text) => Ok(text),
            _ => Err(node.expected("a string")),
        }
    }

    fn to_node(&self, _: Form) -> Node {
        Node::new(Kind::String(self.clone()))
    }

    fn to_wire(&self) -> Wire {
        Wire::Bytes(self.as_bytes().to_vec())
    }
}

impl Value for bool {
    fn from_node(node: Node) -> Result<bool, ConfigParseError> {
        match (&node.kind, node.origin) {
            (Kind::Bool(value), _) => Ok(*value),
            (Kind::Word(word), _) if ["true", "True", "t"].contains(&&**word) => Ok(true),
            (Kind::Word(word), _) if ["false", "False", "f"].contains(&&**word) => Ok(false),
            (Kind::Integer(value @ (0 | 1)), Origin::Text(_)) => Ok(*value == 1),
            _ => Err(node.expected("`true` or `false`")),
        }
    }

    fn to_node(&self, _: Form) -> Node {
        Node::new(Kind::Bool(*self))
    }

    fn to_wire(&self) -> Wire {
        Wire::Varint((*self).into())
    }
}

/// Integers by the name of their type in protobuf.
macro_rules! integers {
    ($($ty:ty: $name:literal,)*) => {$(
        impl Value for $ty {
            fn from_node(node: Node) -> Result<$ty, ConfigParseError> {
                let value = integer(&node)?;
                <$ty>::try_from(value).map_err(|_| {
                    let kind = ParseErrorKind::Range { value: node.describe(), ty: $name };
                    ConfigParseError::new(node.origin, kind)
                })
            }

            fn to_node(&self, _: Form) -> Node {
                Node::new(Kind::Integer((*self).into()))
            }

            fn to_wire(&self) -> Wire {
                // Negative numbers take 64 bits.
                Wire::Varint(*self as u64)
            }
        }

        impl Scalar for $ty {}
    )*};
}

integers! { i32: "int32", u32: "uint32", i64: "int64", u64: "uint64", }

/// The integer of a node; JSON also writes integers as strings and with a fraction of 0.
fn integer(node: &Node) -> Result<i128, ConfigParseError> {
    match &node.kind {
        Kind::Integer(value) => Some(*value),
        Kind::String(text) if node.is_json() => text.parse().ok(),
        // The cast saturates, and the field's type then refuses the number.
        Kind::Float(value) if node.is_json() && value.fract() == 0.0 => Some(*value as i128),
        _ => None,
    }
    .ok_or_else(|| node.expected("an integer"))
}

impl Value for f64 {
    fn from_node(node: Node) -> Result<f64, ConfigParseError> {
        let value = match &node.kind {
            Kind::Integer(value) => Some(*value as f64),
            Kind::Float(value) => Some(*value),
            Kind::Word(word) => float_word(word),
            Kind::String(text) if node.is_json() => text.parse().ok(),
            _ => None,
        };
        value.ok_or_else(|| node.expected("a number"))
    }

    fn to_node(&self, _: Form) -> Node {
        Node::new(Kind::Float(*self))
    }

    fn to_wire(&self) -> Wire {
        Wire::Fixed64(self.to_bits())
    }
}

impl Value for f32 {
    fn from_node(node: Node) -> Result<f32, ConfigParseError> {
        let origin = node.origin;
        let value = f64::from_node(node)?;
        let narrow = value as f32;
        if narrow.is_infinite() && value.is_finite() {
            let kind = ParseErrorKind::Range { value: format!("{value:?}"), ty: "float" };
            return Err(ConfigParseError::new(origin, kind));
        }
        Ok(narrow)
    }

    /// As the double with the same shortest decimal: 0.1, not 0.10000000149.
    fn to_node(&self, _: Form) -> Node {
        let decimal = self.to_string().parse();
        Node::new(Kind::Float(decimal.unwrap_or(f64::from(*self))))
    }

    fn to_wire(&self) -> Wire {
        Wire::Fixed32(self.to_bits())
    }
}

impl Scalar for String {}
impl Scalar for bool {}
impl Scalar for f32 {}
impl Scalar for f64 {}
impl Key for String {}
impl Key for u64 {}
