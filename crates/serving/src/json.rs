//! The JSON form.

use crate::error::{ConfigParseError, ParseErrorKind};
use crate::node::{Entry, Kind, Node, Origin};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// The tree of a JSON text.
pub(crate) fn parse(text: &str) -> Result<Node, ConfigParseError> {
    let fault = |e: serde_json::Error| ParseErrorKind::Json(e.to_string());
    serde_json::from_str(text).map_err(|e| ConfigParseError::new(Origin::Json, fault(e)))
}

/// A tree as a JSON text.
pub(crate) fn print(node: &Node) -> String {
    // Only a map with keys that are not strings, or a writer that fails, would be an error.
    serde_json::to_string(node).unwrap_or_default()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(Node::new)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Kind, E> {
        Ok(Kind::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Kind, E> {
        Ok(Kind::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Kind, E> {
        Ok(Kind::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Kind, E> {
        Ok(Kind::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::String(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let mut list = vec![];
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Kind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Kind, A::Error> {
        let mut entries = vec![];
        while let Some((name, value)) = fields.next_entry()? {
            entries.push(Entry { name, origin: Origin::Json, value });
        }
        Ok(Kind::Message(entries))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.kind {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool(value) => serializer.serialize_bool(*value),
            Kind::Integer(value) => match u64::try_from(*value) {
                Ok(value) => serializer.serialize_u64(value),
                Err(_) => serializer.serialize_i64(*value as i64),
            },
            // As protobuf: an integral number has no fraction, and what JSON cannot say is a string.
            Kind::Float(value) if value.is_nan() => serializer.serialize_str("NaN"),
            Kind::Float(value) if value.is_infinite() => {
                let negative = *value < 0.0;
                serializer.serialize_str(if negative { "-Infinity" } else { "Infinity" })
            }
            Kind::Float(value) if is_short(*value) => serializer.serialize_i64(*value as i64),
            Kind::Float(value) => serializer.serialize_f64(*value),
            Kind::String(text) | Kind::Word(text) => serializer.serialize_str(text),
            Kind::List(items) => serializer.collect_seq(items),
            Kind::Message(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for entry in entries {
                    map.serialize_entry(&entry.name, &entry.value)?;
                }
                map.end()
            }
            Kind::Map(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// Whether a number is written as an integer. -0 is not, as it would lose its sign.
fn is_short(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 1e15 && value.to_bits() != (-0.0f64).to_bits()
}
