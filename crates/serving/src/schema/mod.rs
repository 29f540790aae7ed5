//! Messages as tables of fields, with reading from a tree and writing into one.
//!
//! [`message!`], [`enumeration!`] and [`oneof!`] declare a type; the order of its fields is that of the protobuf
//! declaration, and JSON prints them in this order.

mod declare;
mod values;
mod wire;

pub(crate) use declare::{enumeration, message, oneof};
pub(crate) use values::read_choice;
pub(crate) use wire::Wire;

use crate::error::{ConfigParseError, ParseErrorKind, shorten, similar};
use crate::node::{Entry, Kind, Node, Origin};
use std::collections::BTreeMap;

/// Which fields are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Only fields that differ from their defaults.
    Brief,
    /// Also all scalars, lists and maps; messages that are not set are left out.
    Full,
}

/// A type of values.
pub(crate) trait Value: Sized {
    /// The value of a node.
    fn from_node(node: Node) -> Result<Self, ConfigParseError>;
    /// The node of the value.
    fn to_node(&self, form: Form) -> Node;
    /// The value in protobuf's binary form.
    fn to_wire(&self) -> Wire;
    /// Appends the paths of all fields of the type that are no messages.
    #[cfg(test)]
    fn leaves(path: &str, out: &mut Vec<String>) {
        out.push(path.to_owned());
    }
}

/// A value whose field, if it is not repeated, has a default instead of being absent.
pub(crate) trait Scalar: Value + Default + PartialEq {}

/// A type of keys of maps.
pub(crate) trait Key: Value + Ord + Default + ToString {
    /// The key that an object of JSON has as a name.
    fn from_name(name: String) -> Result<Self, ConfigParseError> {
        Self::from_node(Node::new(Kind::String(name)))
    }
}

/// A field of a message: one value, an optional message, a list, a map or a choice of several.
pub(crate) trait Field {
    /// The names of the fields among which it is a choice.
    fn members(&self) -> Option<&'static [&'static str]> {
        None
    }

    /// Whether a text may give it several times.
    fn repeated(&self) -> bool {
        false
    }

    /// Takes a value; `name` is one of the members of a choice.
    fn read(&mut self, name: &str, node: Node) -> Result<(), ConfigParseError>;

    /// Appends what is to be written.
    fn write(&self, name: &'static str, form: Form, out: &mut Vec<Entry>);

    /// Appends the values to be encoded, each with the number of its field. A choice knows the numbers of its fields itself.
    fn encode(&self, number: u32, out: &mut Vec<(u32, Wire)>);

    /// Appends the paths of all fields in it that are no messages.
    #[cfg(test)]
    fn leaves(parent: &str, name: &str, out: &mut Vec<String>)
    where
        Self: Sized;
}

pub(crate) fn entry(name: &str, value: Node) -> Entry {
    Entry { name: name.to_owned(), origin: value.origin, value }
}

impl<T: Scalar> Field for T {
    fn read(&mut self, _: &str, node: Node) -> Result<(), ConfigParseError> {
        *self = T::from_node(node)?;
        Ok(())
    }

    fn write(&self, name: &'static str, form: Form, out: &mut Vec<Entry>) {
        if form == Form::Full || *self != T::default() {
            out.push(entry(name, self.to_node(form)));
        }
    }

    fn encode(&self, number: u32, out: &mut Vec<(u32, Wire)>) {
        if *self != T::default() {
            out.push((number, self.to_wire()));
        }
    }

    #[cfg(test)]
    fn leaves(parent: &str, name: &str, out: &mut Vec<String>) {
        <T as Value>::leaves(&crate::effects::join(parent, name), out);
    }
}

impl<T: Value> Field for Option<T> {
    fn read(&mut self, _: &str, node: Node) -> Result<(), ConfigParseError> {
        *self = Some(T::from_node(node)?);
        Ok(())
    }

    fn write(&self, name: &'static str, form: Form, out: &mut Vec<Entry>) {
        out.extend(self.iter().map(|value| entry(name, value.to_node(form))));
    }

    fn encode(&self, number: u32, out: &mut Vec<(u32, Wire)>) {
        out.extend(self.iter().map(|value| (number, value.to_wire())));
    }

    #[cfg(test)]
    fn leaves(parent: &str, name: &str, out: &mut Vec<String>) {
        <T as Value>::leaves(&crate::effects::join(parent, name), out);
    }
}

impl<T: Value> Field for Vec<T> {
    fn repeated(&self) -> bool {
        true
    }

    fn read(&mut self, _: &str, node: Node) -> Result<(), ConfigParseError> {
        let items = match node {
            Node { kind: Kind::List(items), .. } => items,
            node if node.is_json() => return Err(node.expected("a list")),
            node => vec![node],
        };
        for item in items {
            let index = self.len();
            self.push(T::from_node(item).map_err(|e| e.inside_item(&index.to_string()))?);
        }
        Ok(())
    }

    fn write(&self, name: &'static str, form: Form, out: &mut Vec<Entry>) {
        if form == Form::Full || !self.is_empty() {
            let items = self.iter().map(|item| item.to_node(form)).collect();
            out.push(entry(name, Node::new(Kind::List(items))));
        }
    }

    fn encode(&self, number: u32, out: &mut Vec<(u32, Wire)>) {
        let items = self.iter().map(Value::to_wire);
        out.extend(Wire::list(items).into_iter().map(|value| (number, value)));
    }

    #[cfg(test)]
    fn leaves(parent: &str, name: &str, out: &mut Vec<String>) {
        <T as Value>::leaves(&crate::effects::join(parent, name), out);
    }
}

impl<K: Key, V: Value + Default> Field for BTreeMap<K, V> {
    fn repeated(&self) -> bool {
        true
    }

    fn read(&mut self, _: &str, node: Node) -> Result<(), ConfigParseError> {
        let mut insert = |origin, key: K, value: V| {
            let name = shorten(&key.to_string());
            let fault = || ConfigParseError::new(origin, ParseErrorKind::DuplicateKey(name));
            self.insert(key, value).map_or(Ok(()), |_| Err(fault()))
        };
        let pairs = match node {
            Node { kind: Kind::Message(entries), origin: Origin::Json } => {
                for Entry { name, origin, value } in entries {
                    let value = V::from_node(value).map_err(|e| e.inside_item(&name))?;
                    insert(origin, K::from_name(name)?, value)?;
                }
                return Ok(());
            }
            Node { origin: Origin::Json, .. } => return Err(node.expected("an object")),
            Node { kind: Kind::List(items), .. } => items,
            node => vec![node],
        };
        for node in pairs {
            let origin = node.origin;
            let (mut key, mut value) = (None::<K>, None::<V>);
            read_fields("entry of a map", &mut [("key", &mut key), ("value", &mut value)], node)?;
            insert(origin, key.unwrap_or_default(), value.unwrap_or_default())?;
        }
        Ok(())
    }

    fn write(&self, name: &'static str, form: Form, out: &mut Vec<Entry>) {
        if form == Form::Full || !self.is_empty() {
            let pairs = self.iter().map(|(key, value)| (key.to_node(form), value.to_node(form)));
            out.push(entry(name, Node::new(Kind::Map(pairs.collect()))));
        }
    }

    fn encode(&self, number: u32, out: &mut Vec<(u32, Wire)>) {
        out.extend(self.iter().map(|(key, value)| {
            (number, Wire::fields(vec![(1, key.to_wire()), (2, value.to_wire())]))
        }));
    }

    #[cfg(test)]
    fn leaves(parent: &str, name: &str, out: &mut Vec<String>) {
        V::leaves(&crate::effects::join(parent, name), out);
    }
}

/// Reads the fields of a message.
pub(crate) fn read_fields(
    message: &'static str,
    fields: &mut [(&'static str, &mut dyn Field)],
    node: Node,
) -> Result<(), ConfigParseError> {
    let json = node.is_json();
    let Node { kind: Kind::Message(entries), .. } = node else {
        return Err(node.expected("a message"));
    };
    // Each field once, however often it is repeated.
    let mut seen = vec![];
    for Entry { name, origin, value } in entries {
        let fault = |kind| ConfigParseError::new(origin, kind).inside(&name);
        // JSON may also spell `max_batch_size` as `maxBatchSize`.
        let is = |known: &str| known == name || json && camel_case(known) == name;
        let found = fields.iter_mut().find_map(|(declared, field)| {
            let names = field.members().unwrap_or(std::slice::from_ref(declared));
            names.iter().find(|known| is(known)).map(|known| (*known, field))
        });
        let Some((known, field)) = found else {
            let suggestion = similar(&name, field_names(fields));
            return Err(fault(ParseErrorKind::UnknownField { message, suggestion }));
        };
        if value.kind == Kind::Null {
            continue;
        }
        let again = seen.contains(&known);
        if again && (json || !field.repeated()) {
            return Err(fault(ParseErrorKind::Duplicate));
        }
        let choice = field.members().unwrap_or_default();
        if let Some(other) = seen.iter().find(|other| choice.contains(other)) {
            return Err(fault(ParseErrorKind::Excludes(other)));
        }
        if !again {
            seen.push(known);
        }
        field.read(known, value).map_err(|e| e.inside(&name))?;
    }
    Ok(())
}

fn field_names<'f>(
    fields: &'f [(&'static str, &mut dyn Field)],
) -> impl Iterator<Item = &'static str> + 'f {
    fields.iter().flat_map(|(declared, field)| {
        let members = field.members();
        let declared = members.is_none().then_some(*declared);
        members.unwrap_or_default().iter().copied().chain(declared)
    })
}

fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut capital = false;
    for c in name.chars() {
        match c {
            '_' => capital = true,
            _ => out.push(if std::mem::take(&mut capital) { c.to_ascii_uppercase() } else { c }),
        }
    }
    out
}
