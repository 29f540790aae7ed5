//! The syntax tree of a configuration, in which the text format and JSON meet.

use crate::error::{ConfigParseError, ParseErrorKind, Position, shorten};

/// Which form a node was read from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// The text format, which knows places.
    Text(Position),
    /// JSON, in which a string may also be a number or the name of a value.
    Json,
}

/// A value as it is written, before its field gives it a type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) origin: Origin,
    pub(crate) kind: Kind,
}

/// The form of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Nothing: JSON's `null`.
    Null,
    /// A truth value. The text format's are words.
    Bool(bool),
    /// An integer; both signs of 64 bits fit.
    Integer(i128),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A quoted string.
    String(String),
    /// A name without quotes.
    Word(String),
    /// Values of a repeated field.
    List(Vec<Node>),
    /// Named fields.
    Message(Vec<Entry>),
    /// Keys and values. Only writing makes these: texts have entries, JSON has objects.
    Map(Vec<(Node, Node)>),
}

/// A field and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The place of the name.
    pub(crate) origin: Origin,
    pub(crate) value: Node,
}

impl Node {
    /// A node to be written.
    pub(crate) fn new(kind: Kind) -> Node {
        Node { origin: Origin::Json, kind }
    }

    /// Removes the field at a path such as `input[1].dims`. Returns false if there is no such field.
    pub(crate) fn remove(&mut self, path: &str) -> bool {
        let path = path.strip_prefix('.').unwrap_or(path);
        let (step, rest) = match path.strip_prefix('[') {
            Some(item) => match item.split_once(']') {
                Some(found) => found,
                None => return false,
            },
            None => path.split_at(path.find(['.', '[']).unwrap_or(path.len())),
        };
        let inner = match &mut self.kind {
            Kind::Message(entries) => {
                let Some(at) = entries.iter().position(|entry| entry.name == step) else {
                    return false;
                };
                if rest.is_empty() {
                    entries.remove(at);
                    return true;
                }
                Some(&mut entries[at].value)
            }
            Kind::List(items) => step.parse().ok().and_then(|at: usize| items.get_mut(at)),
            _ => None,
        };
        inner.is_some_and(|inner| !rest.is_empty() && inner.remove(rest))
    }

    /// The place of the field at a path such as `instance_group[1].kind` in the text format, where each item of a list may have
    /// its field's name before it.
    pub(crate) fn position(&self, path: &str) -> Option<Position> {
        let (step, rest) = path.split_once('.').unwrap_or((path, ""));
        let (name, index) = match step.split_once('[') {
            Some((name, index)) => (name, Some(index.strip_suffix(']')?.parse::<usize>().ok()?)),
            None => (step, None),
        };
        let Kind::Message(entries) = &self.kind else { return None };
        let mut entries = entries.iter().filter(|entry| entry.name == name);
        let (origin, value) = match index {
            None => entries.next().map(|entry| (entry.origin, &entry.value))?,
            Some(index) => {
                let items = entries.flat_map(|entry| match &entry.value.kind {
                    Kind::List(items) => items.iter().map(|item| (item.origin, item)).collect(),
                    _ => vec![(entry.origin, &entry.value)],
                });
                items.into_iter().nth(index)?
            }
        };
        match (rest, origin) {
            ("", Origin::Text(position)) => Some(position),
            ("", Origin::Json) => None,
            (rest, _) => value.position(rest),
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.origin == Origin::Json
    }

    /// The error that something else should stand here.
    pub(crate) fn expected(&self, expected: &'static str) -> ConfigParseError {
        let kind = ParseErrorKind::Expected { expected, found: self.describe() };
        ConfigParseError::new(self.origin, kind)
    }

    /// The value for an error.
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "null".into(),
            Kind::Bool(value) => value.to_string(),
            Kind::Integer(value) => value.to_string(),
            Kind::Float(value) => format!("{value:?}"),
            Kind::String(value) => format!("the string {:?}", shorten(value)),
            Kind::Word(value) => format!("`{}`", shorten(value)),
            Kind::List(_) => "a list".into(),
            Kind::Message(_) | Kind::Map(_) => "a message".into(),
        }
    }
}
