//! Parts of a JSON text, read where they are needed: there is never a tree of the whole text in memory.

use crate::error::{Fault, PaddleErrorKind};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A value of a JSON text. The syntax of its text was checked.
#[derive(Clone, Copy)]
pub(super) struct Node<'a>(&'a RawValue);

impl<'a> Node<'a> {
    /// The whole of a text.
    pub(super) fn root(text: &'a str) -> Result<Node<'a>, PaddleErrorKind> {
        serde_json::from_str(text).map(Node).map_err(PaddleErrorKind::Json)
    }

    fn text(self) -> &'a str {
        self.0.get()
    }

    /// The error that this should be something else.
    pub(super) fn expected(self, what: &str) -> PaddleErrorKind {
        const SHOWN: usize = 60;
        let text = self.text();
        let shown: String = text.chars().take(SHOWN).collect();
        let dots = if shown.len() < text.len() { "…" } else { "" };
        PaddleErrorKind::Malformed(format!("expected {what}, found `{shown}{dots}`"))
    }

    /// The values of an object's fields with these names.
    pub(super) fn fields<const N: usize>(
        self,
        names: [&str; N],
    ) -> Result<[Option<Node<'a>>; N], PaddleErrorKind> {
        let mut from = serde_json::Deserializer::from_str(self.text());
        let fields = Fields(&names).deserialize(&mut from);
        fields.map_err(|_| self.expected("an object"))
    }

    /// Shows each item of a list to a function, until one is an error.
    pub(super) fn each(
        self,
        mut visit: impl FnMut(Node<'a>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut fault = None;
        let mut from = serde_json::Deserializer::from_str(self.text());
        let items = Items { visit: &mut visit, fault: &mut fault };
        match items.deserialize(&mut from) {
            Ok(()) => Ok(()),
            Err(_) => Err(fault.unwrap_or_else(|| self.expected("a list").into())),
        }
    }

    /// The items of a list.
    pub(super) fn items(self) -> Result<Vec<Node<'a>>, PaddleErrorKind> {
        let mut items = vec![];
        let listed = self.each(|item| {
            items.push(item);
            Ok(())
        });
        listed.map_err(|fault| fault.kind)?;
        Ok(items)
    }

    /// The numbers of a list.
    pub(super) fn ints(self) -> Result<Box<[i64]>, PaddleErrorKind> {
        // There is one number more than there are commas, so that the list does not grow while it is read.
        let mut ints = Vec::with_capacity(self.text().matches(',').count() + 1);
        let listed = self.each(|item| {
            ints.push(item.int()?);
            Ok(())
        });
        listed.map_err(|fault| fault.kind)?;
        Ok(ints.into())
    }

    /// A text.
    pub(super) fn string(self) -> Result<String, PaddleErrorKind> {
        serde_json::from_str(self.text()).map_err(|_| self.expected("a text"))
    }

    /// An integer.
    pub(super) fn int(self) -> Result<i64, PaddleErrorKind> {
        self.text().parse().map_err(|_| self.expected("an integer"))
    }

    /// A truth value, which some fields have as 0 or 1.
    pub(super) fn flag(self) -> Result<bool, PaddleErrorKind> {
        match self.text() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.expected("a truth value")),
        }
    }

    /// A float, or a text for one that JSON cannot hold.
    pub(super) fn float(self) -> Result<f64, PaddleErrorKind> {
        match self.text() {
            "\"INF\"" => Ok(f64::INFINITY),
            "\"-INF\"" => Ok(f64::NEG_INFINITY),
            "\"NaN\"" => Ok(f64::NAN),
            text if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                text.parse().map_err(|_| self.expected("a number"))
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// Whether it is an object.
    pub(super) fn is_object(self) -> bool {
        self.text().starts_with('{')
    }

    /// Whether it is `true` or `false`.
    pub(super) fn is_flag(self) -> bool {
        matches!(self.text(), "true" | "false")
    }
}

/// Reads the fields with these names; of two fields with one name, the first counts.
struct Fields<'n, const N: usize>(&'n [&'n str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Fields<'_, N> {
    type Value = [Option<Node<'de>>; N];

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Fields<'_, N> {
    type Value = [Option<Node<'de>>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(position) = map.next_key_seed(Position(self.0))? {
            match position {
                Some(position) => {
                    let value = Node(map.next_value()?);
                    found[position].get_or_insert(value);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// Finds a key among names.
struct Position<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Position<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Position<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}

/// Shows the items of a list to a function, and keeps the error that ended it.
struct Items<'f, F> {
    visit: &'f mut F,
    fault: &'f mut Option<Fault>,
}

impl<'de, F: FnMut(Node<'de>) -> Result<(), Fault>> DeserializeSeed<'de> for Items<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(Node<'de>) -> Result<(), Fault>> Visitor<'de> for Items<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.visit)(Node(item)).map_err(|fault| {
                *self.fault = Some(fault);
                A::Error::custom("the item")
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_by_name_and_in_order() {
        let root = Node::root(r#" {"b": [1, -2,9223372036854775807], "a": "x\"y", "c": {}} "#);
        let [a, b, absent] = root.unwrap().fields(["a", "b", "d"]).unwrap();
        assert_eq!(a.unwrap().string().unwrap(), "x\"y");
        assert_eq!(*b.unwrap().ints().unwrap(), [1, -2, i64::MAX]);
        assert!(absent.is_none());
        let [first] = Node::root(r#"{"a": 1, "a": 2}"#).unwrap().fields(["a"]).unwrap();
        assert_eq!(first.unwrap().int().unwrap(), 1);
    }

    #[test]
    fn numbers_beyond_json_are_texts() {
        let float = |text: &str| Node::root(text).unwrap().float();
        assert_eq!(float("0.1").unwrap(), 0.1);
        assert_eq!(float("-2e-3").unwrap(), -2e-3);
        assert_eq!(float("\"-INF\"").unwrap(), f64::NEG_INFINITY);
        assert!(float("\"NaN\"").unwrap().is_nan());
        assert!(float("\"nan\"").is_err());
        assert!(float("true").is_err());
    }

    #[test]
    fn other_kinds_of_values_are_errors_that_show_them() {
        let node = Node::root(r#"[1, "two", 3.5]"#).unwrap();
        let shown = |kind: PaddleErrorKind| kind.to_string();
        assert!(shown(node.ints().unwrap_err()).contains("expected an integer, found `\"two\"`"));
        assert!(shown(node.fields(["a"]).err().unwrap()).contains("expected an object"));
        assert!(shown(node.string().unwrap_err()).contains("expected a text"));
        assert!(Node::root("1").unwrap().items().is_err());
        assert!(Node::root("{\"a\": ").is_err());
        assert!(Node::root("1 2").is_err());
    }
}
