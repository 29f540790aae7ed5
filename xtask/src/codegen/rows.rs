//! Reads the rows of ops from the texts of `crates/ir/src/ops`: the grammar is that of `crates/ir/src/op/grammar.rs`.
//!
//! It reads the texts, not the compiled table, so that the kind and the view of a new op exist before the crate that
//! declares it compiles.

use anyhow::{Context, Result, bail, ensure};
use std::iter::Peekable;
use std::vec::IntoIter;

/// How often an operand or a result occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    One,
    Optional,
    Many,
}

/// An operand or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) arity: Arity,
}

/// Whether an attribute must be set, and what it is where it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unset {
    Required,
    Absent,
    Default(String),
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attr {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) unset: Unset,
}

/// A row, as far as the generated code depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Lines of its documentation.
    pub(crate) doc: Vec<String>,
    pub(crate) variant: String,
    pub(crate) name: String,
    pub(crate) operands: Vec<Place>,
    pub(crate) results: Vec<Place>,
    pub(crate) attrs: Vec<Attr>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Doc(String),
    Word(String),
    Text(String),
    Sign(char),
}

/// The rows in the blocks `ops! { … }` of a file.
pub(crate) fn read(text: &str) -> Result<Vec<Row>> {
    let mut rows = vec![];
    for block in text.split("\nops! {\n").skip(1) {
        let block = block.split("\n}\n").next().unwrap_or_default();
        let mut reader = Reader { tokens: tokens(block)?.into_iter().peekable() };
        while reader.tokens.peek().is_some() {
            let row = reader.row();
            let last = rows.last().map_or("the first row", |row: &Row| row.variant.as_str());
            rows.push(row.with_context(|| format!("after {last}"))?);
        }
    }
    Ok(rows)
}

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = vec![];
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(doc) = line.strip_prefix("///") {
            tokens.push(Token::Doc(doc.to_owned()));
            continue;
        }
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            if rest.starts_with("//") {
                break;
            }
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = match first {
                '"' => rest[1..].find('"').context("a text does not end on its line")? + 2,
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let (token, after) = rest.split_at(end);
            rest = after;
            match first {
                '"' => tokens.push(Token::Text(token[1..token.len() - 1].to_owned())),
                c if is_word(c) => tokens.push(Token::Word(token.to_owned())),
                c if c.is_whitespace() => {}
                c => tokens.push(Token::Sign(c)),
            }
        }
    }
    Ok(tokens)
}

struct Reader {
    tokens: Peekable<IntoIter<Token>>,
}

impl Reader {
    fn row(&mut self) -> Result<Row> {
        let mut doc = vec![];
        while let Some(Token::Doc(line)) =
            self.tokens.next_if(|token| matches!(token, Token::Doc(_)))
        {
            doc.push(line);
        }
        let variant = self.word()?;
        let name = match self.tokens.next() {
            Some(Token::Text(name)) => name,
            other => bail!("{variant} is followed by {other:?}, not by its name"),
        };
        self.rest(variant, name, doc)
    }

    fn rest(&mut self, variant: String, name: String, doc: Vec<String>) -> Result<Row> {
        let context = variant.clone();
        let mut parts = || -> Result<_> {
            self.word().context("the group")?;
            let operands = self.places()?;
            ensure!(self.skip('-') && self.skip('>'), "expected `->` after the operands");
            let results = self.places()?;
            let attrs = self.attrs()?;
            self.until(&[';'])?;
            ensure!(self.skip(';'), "expected `;`");
            Ok((operands, results, attrs))
        };
        let (operands, results, attrs) = parts().context(context)?;
        Ok(Row { doc, variant, name, operands, results, attrs })
    }

    fn word(&mut self) -> Result<String> {
        match self.tokens.next() {
            Some(Token::Word(word)) => Ok(word),
            other => bail!("expected a word, found {other:?}"),
        }
    }

    /// Skips a sign, if it is next.
    fn skip(&mut self, sign: char) -> bool {
        self.tokens.next_if_eq(&Token::Sign(sign)).is_some()
    }

    /// The text before the first of these signs outside of brackets.
    fn until(&mut self, ends: &[char]) -> Result<String> {
        let (mut text, mut depth) = (String::new(), 0usize);
        loop {
            match self.tokens.peek() {
                Some(Token::Sign(sign)) if depth == 0 && ends.contains(sign) => return Ok(text),
                Some(Token::Sign(sign)) => {
                    match sign {
                        '(' | '[' | '{' => depth += 1,
                        ')' | ']' | '}' => depth = depth.checked_sub(1).context("a bracket")?,
                        _ => {}
                    }
                    text.push(*sign);
                }
                Some(Token::Word(word)) => text += word,
                Some(Token::Text(of)) => text += &format!("{of:?}"),
                Some(Token::Doc(_)) | None => bail!("expected one of {ends:?} after `{text}`"),
            }
            self.tokens.next();
        }
    }

    /// The marks in brackets after a name.
    fn marks(&mut self) -> Result<Vec<String>> {
        let mut marks = vec![];
        if self.skip('[') {
            while !self.skip(']') {
                marks.push(self.word()?);
            }
        }
        Ok(marks)
    }

    fn places(&mut self) -> Result<Vec<Place>> {
        ensure!(self.skip('('), "expected `(`");
        let mut places = vec![];
        while !self.skip(')') {
            let name = self.word()?;
            let marks = self.marks()?;
            let has = |mark: &str| marks.iter().any(|own| own == mark);
            let arity = match (has("opt"), has("many")) {
                (true, _) => Arity::Optional,
                (_, true) => Arity::Many,
                _ => Arity::One,
            };
            if self.skip(':') {
                self.until(&[',', ')'])?;
            }
            self.skip(',');
            places.push(Place { name, arity });
        }
        Ok(places)
    }

    fn attrs(&mut self) -> Result<Vec<Attr>> {
        ensure!(self.skip('{'), "expected the attributes");
        let mut attrs = vec![];
        while !self.skip('}') {
            let name = self.word()?;
            let marks = self.marks()?;
            ensure!(self.skip(':'), "expected the kind of `{name}`");
            let kind = self.word()?;
            let unset = match (self.skip('='), marks.iter().any(|mark| mark == "opt")) {
                (true, _) => Unset::Default(self.until(&[',', '}'])?),
                (false, true) => Unset::Absent,
                (false, false) => Unset::Required,
            };
            self.skip(',');
            attrs.push(Attr { name, kind, unset });
        }
        Ok(attrs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let text = r#"
fn before() {}

ops! {
    // A comment; no row.
    /// Sum over
    /// products.
    Conv "conv" Contract (x: Float T, w[weight]: Float T, b[opt weight]: Float T) -> (y: Elem(0), z[many]: Rule::Fn(of)) {
        pads[opt]: Ints, group: Int = 1, axis[internal]: Int = -1, auto_pad: AutoPad = AutoPad::NotSet, size: Int,
    } onnx "com.example" 3 as "Convolution" shape conv;
    /// Nothing.
    Nop "nop" Tile () -> () {};
}

fn after() {}
"#;
        let rows = read(text).unwrap();
        let place = |name: &str, arity| Place { name: name.to_owned(), arity };
        let attr = |name: &str, kind: &str, unset| Attr {
            name: name.to_owned(),
            kind: kind.to_owned(),
            unset,
        };
        let default = |text: &str| Unset::Default(text.to_owned());
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].doc, [" Sum over", " products."]);
        assert_eq!((rows[0].variant.as_str(), rows[0].name.as_str()), ("Conv", "conv"));
        let (one, optional) = (Arity::One, Arity::Optional);
        assert_eq!(rows[0].operands, [place("x", one), place("w", one), place("b", optional)]);
        assert_eq!(rows[0].results, [place("y", one), place("z", Arity::Many)]);
        let attrs = [
            attr("pads", "Ints", Unset::Absent),
            attr("group", "Int", default("1")),
            attr("axis", "Int", default("-1")),
            attr("auto_pad", "AutoPad", default("AutoPad::NotSet")),
            attr("size", "Int", Unset::Required),
        ];
        assert_eq!(rows[0].attrs, attrs);
        assert_eq!(rows[1].variant, "Nop");
    }

    #[test]
    fn faults_name_their_row() {
        let fault = |row: &str| {
            let text = format!(
                "\nops! {{\n    /// Fine.\n    Fine \"fine\" Tile () -> () {{}};\n{row}\n}}\n"
            );
            format!("{:#}", read(&text).unwrap_err())
        };
        assert_eq!(
            fault("/// A.\n A \"a\" Tile (x -> () {};"),
            "after Fine: A: expected a word, found Some(Sign('-'))"
        );
        assert!(fault("A \"a\" Tile () -> () {}").starts_with("after Fine: A: expected one of"));
        assert!(fault("A \"a").starts_with("a text does not end"));
    }
}
