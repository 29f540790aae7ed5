//! Documents of JSON, with the numbers that Python's `json` writes beyond the standard.

use crate::scalar::Scalar;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

/// A document, with the members of objects in their order and as often as they are given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Document {
    Element(Scalar),
    List(Vec<Document>),
    Object(Vec<(String, Document)>),
    Null,
}

/// Reads a document from a file's contents.
pub(crate) fn parse(bytes: &[u8]) -> Result<Document, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err("it is empty".into());
    }
    let (text, nulls) = strict(text);
    let mut parser = serde_json::Deserializer::from_str(&text);
    let nulls = RefCell::new(nulls.into_iter());
    let document = Reader(&nulls).deserialize(&mut parser);
    document.and_then(|d| parser.end().map(|()| d)).map_err(|e| e.to_string())
}

/// Python's texts for numbers that JSON does not have, and `null`.
const LITERALS: [(&str, Option<f64>); 4] = [
    ("NaN", Some(f64::NAN)),
    ("Infinity", Some(f64::INFINITY)),
    ("-Infinity", Some(f64::NEG_INFINITY)),
    ("null", None),
];

/// The number of such a literal.
pub(super) fn special(text: &str) -> Option<f64> {
    LITERALS.iter().find(|(literal, _)| *literal == text).and_then(|(_, value)| *value)
}

/// The text with `null` in place of every literal, and the value of each `null`.
fn strict(text: &str) -> (String, Vec<Option<f64>>) {
    let (mut strict, mut nulls) = (String::with_capacity(text.len()), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-', 'n']) {
        let (before, token) = rest.split_at(at);
        strict.push_str(before);
        let literal = LITERALS.iter().find(|(literal, _)| token.starts_with(literal));
        let end = match literal {
            Some((literal, _)) => literal.len(),
            None if token.starts_with('"') => string(token),
            None => 1,
        };
        strict.push_str(if literal.is_some() { "null" } else { &token[..end] });
        nulls.extend(literal.map(|(_, value)| *value));
        rest = &token[end..];
    }
    strict.push_str(rest);
    (strict, nulls)
}

/// Length of the string that a text starts with, with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Reads a document, in which each `null` is the next of these values.
#[derive(Clone, Copy)]
struct Reader<'n>(&'n RefCell<std::vec::IntoIter<Option<f64>>>);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Document;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Document, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<Document, E> {
        Ok(Document::Element(Scalar::Bool(v)))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Document, E> {
        Ok(Document::Element(Scalar::Int(v.into())))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Document, E> {
        Ok(Document::Element(Scalar::Int(v.into())))
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Document, E> {
        Ok(Document::Element(Scalar::Double(v)))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Document, E> {
        Ok(Document::Element(Scalar::Text(v.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<Document, E> {
        let number = self.0.borrow_mut().next().flatten();
        Ok(number.map_or(Document::Null, |v| Document::Element(Scalar::Double(v))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Document, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Document::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Document, A::Error> {
        let mut list = Vec::new();
        while let Some(member) = members.next_entry_seed(PhantomData, self)? {
            list.push(member);
        }
        Ok(Document::Object(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_python_writes_them() {
        let text = r#"{"NaN\\\"": [NaN, Infinity, -Infinity, -1.0, null, "NaN, -Infinity"]}"#;
        let Document::Object(members) = parse(text.as_bytes()).unwrap() else { panic!() };
        let [(key, Document::List(items))] = &members[..] else { panic!("{members:?}") };
        assert_eq!(key, "NaN\\\"");
        let double = |v| Document::Element(Scalar::Double(v));
        let nan =
            |item: &Document| matches!(item, Document::Element(Scalar::Double(v)) if v.is_nan());
        assert!(nan(&items[0]));
        assert_eq!(items[1..4], [double(f64::INFINITY), double(f64::NEG_INFINITY), double(-1.0)]);
        let text = Document::Element(Scalar::Text("NaN, -Infinity".into()));
        assert_eq!(items[4..], [Document::Null, text]);
        assert!(nan(&parse(b" NaN\n").unwrap()));
        for wrong in ["[nan]", "[-NaN]", "[NaN1]", "[+Infinity]", "[1NaN]", "NaN NaN", "[\"NaN]"] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn documents_keep_what_they_say() {
        assert_eq!(parse(b" \n").unwrap_err(), "it is empty");
        assert_eq!(parse(b"\xff").unwrap_err(), "it is not UTF-8 text");
        let one = Document::Element(Scalar::Int(1));
        let twice = parse("\u{feff}{\"a\": 1, \"a\": null}".as_bytes()).unwrap();
        let members = vec![("a".to_owned(), one), ("a".to_owned(), Document::Null)];
        assert_eq!(twice, Document::Object(members));
        assert!(parse(b"[1e999]").unwrap_err().contains("out of range"));
    }
}
