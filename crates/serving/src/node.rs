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

/// The first step of a path: a name, its index or key, and the rest of the path.
fn step(path: &str) -> (&str, Option<&str>, &str) {
    let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    let (key, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((key, rest)) => (Some(key), rest),
        None => (None, rest),
    };
    (name, key, rest.strip_prefix('.').unwrap_or(rest))
}

/// The item of a list with an index, or of a map with a key, and its place.
fn item<'n>(entries: &[&'n Entry], key: &str) -> Option<(Origin, &'n Node)> {
    let items: Vec<(Origin, &Node)> = entries
        .iter()
        .flat_map(|entry| match &entry.value.kind {
            Kind::List(items) => items.iter().map(|item| (item.origin, item)).collect(),
            _ => vec![(entry.origin, &entry.value)],
        })
        .collect();
    let has_key = |node: &Node| {
        let Kind::Message(entries) = &node.kind else { return false };
        entries.iter().filter(|entry| entry.name == "key").any(|entry| match &entry.value.kind {
            Kind::String(own) => own == key,
            Kind::Integer(own) => own.to_string() == key,
            _ => false,
        })
    };
    let keyed = items.iter().find(|(_, node)| has_key(node)).copied();
    keyed.or_else(|| items.get(key.parse::<usize>().ok()?).copied())
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

    /// The place of the field at a path such as `instance_group[1].kind` or `parameters[pad]` in the text format, where each item
    /// of a list may have its field's name before it.
    pub(crate) fn position(&self, path: &str) -> Option<Position> {
        let (found, rest) = self.follow(path);
        found.filter(|_| rest.is_empty())
    }

    /// The place of the field at a path, or of the innermost message around it that is there.
    pub(crate) fn nearest(&self, path: &str) -> Option<Position> {
        self.follow(path).0
    }

    /// Follows a path as far as it exists. Returns the last place, and the rest of the path.
    fn follow<'p>(&self, path: &'p str) -> (Option<Position>, &'p str) {
        let (mut node, mut found, mut rest) = (self, None, path);
        while !rest.is_empty() {
            let (name, key, next) = step(rest);
            let Kind::Message(entries) = &node.kind else { break };
            let entries: Vec<&Entry> = entries.iter().filter(|own| own.name == name).collect();
            let Some(first) = entries.first() else { break };
            let whole = (first.origin, &first.value);
            let chosen = match key {
                None => Some(whole),
                Some(key) => item(&entries, key),
            };
            let Origin::Text(position) = chosen.unwrap_or(whole).0 else { break };
            found = Some(position);
            let Some((_, value)) = chosen else { break };
            (node, rest) = (value, next);
        }
        (found, rest)
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
