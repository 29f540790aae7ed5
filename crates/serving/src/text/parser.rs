//! The text format's syntax.

use super::lexer::{Lexer, Token};
use crate::error::{ConfigParseError, ParseErrorKind, Position, shorten};
use crate::node::{Entry, Kind, Node, Origin};

/// The greatest depth of nested messages and lists; configurations need less than ten.
const MAX_DEPTH: usize = 64;

/// The fields of a text.
pub(crate) fn parse(text: &str) -> Result<Node, ConfigParseError> {
    let mut lexer = Lexer::new(text);
    let (token, at) = lexer.next()?;
    let mut parser = Parser { lexer, token, at };
    let origin = Origin::Text(at);
    Ok(Node { origin, kind: Kind::Message(parser.fields(&Token::End, 0)?) })
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token to be looked at next, and where it starts.
    token: Token,
    at: Position,
}

impl Parser<'_> {
    /// Takes the token.
    fn bump(&mut self) -> Result<Token, ConfigParseError> {
        let (token, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn eat(&mut self, symbol: char) -> Result<bool, ConfigParseError> {
        let found = self.token == Token::Symbol(symbol);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    fn fault(&self, kind: ParseErrorKind) -> ConfigParseError {
        ConfigParseError::new(Origin::Text(self.at), kind)
    }

    fn expected(&self, expected: &'static str) -> ConfigParseError {
        self.fault(ParseErrorKind::Expected { expected, found: self.token.describe() })
    }

    /// Fields up to `end`, which is taken too.
    fn fields(&mut self, end: &Token, depth: usize) -> Result<Vec<Entry>, ConfigParseError> {
        if depth > MAX_DEPTH {
            return Err(self.fault(ParseErrorKind::Depth));
        }
        let mut entries = vec![];
        while self.token != *end {
            let at = Origin::Text(self.at);
            let Token::Word(name) = &self.token else {
                let inside = if *end == Token::End {
                    "a field"
                } else {
                    "a field or the end of the message"
                };
                return Err(self.expected(inside));
            };
            let name = name.clone();
            self.bump()?;
            let value = self.field(depth).map_err(|e| e.inside(&name))?;
            entries.push(Entry { name, origin: at, value });
            if !self.eat(',')? {
                self.eat(';')?;
            }
        }
        self.bump()?;
        Ok(entries)
    }

    /// Parses the text after a field's name.
    fn field(&mut self, depth: usize) -> Result<Node, ConfigParseError> {
        let colon = self.eat(':')?;
        if !colon && !matches!(self.token, Token::Symbol('{' | '<' | '[')) {
            return Err(self.expected("`:` or a message"));
        }
        if self.token != Token::Symbol('[') {
            return self.value(depth);
        }
        let origin = Origin::Text(self.at);
        self.bump()?;
        let mut items = vec![];
        if !self.eat(']')? {
            loop {
                if !colon && !matches!(self.token, Token::Symbol('{' | '<')) {
                    return Err(self.expected("a message, as there is no `:` before the list"));
                }
                items.push(self.value(depth)?);
                if self.eat(']')? {
                    break;
                }
                if !self.eat(',')? {
                    return Err(self.expected("`,` or `]`"));
                }
            }
        }
        Ok(Node { origin, kind: Kind::List(items) })
    }

    /// A message or a scalar.
    fn value(&mut self, depth: usize) -> Result<Node, ConfigParseError> {
        let origin = Origin::Text(self.at);
        let kind = match &self.token {
            Token::Symbol(open @ ('{' | '<')) => {
                let end = Token::Symbol(if *open == '{' { '}' } else { '>' });
                self.bump()?;
                Kind::Message(self.fields(&end, depth + 1)?)
            }
            Token::String(_) => {
                let mut bytes = vec![];
                while let Token::String(part) = &self.token {
                    bytes.extend_from_slice(part);
                    self.bump()?;
                }
                let text = String::from_utf8(bytes);
                Kind::String(text.map_err(|_| ConfigParseError::new(origin, ParseErrorKind::Utf8))?)
            }
            _ => self.scalar()?,
        };
        Ok(Node { origin, kind })
    }

    fn scalar(&mut self) -> Result<Kind, ConfigParseError> {
        let negative = self.eat('-')?;
        let kind = match &self.token {
            Token::Number(text) => {
                let number = number(text);
                let number =
                    number.ok_or_else(|| self.fault(ParseErrorKind::Number(shorten(text))));
                match number? {
                    Kind::Integer(n) if negative => Kind::Integer(-n),
                    Kind::Float(n) if negative => Kind::Float(-n),
                    number => number,
                }
            }
            Token::Word(text) if !negative => Kind::Word(text.clone()),
            Token::Word(text) => match float_word(text) {
                Some(value) => Kind::Float(-value),
                None => return Err(self.expected("a number")),
            },
            _ => return Err(self.expected("a value")),
        };
        self.bump()?;
        Ok(kind)
    }
}

/// The floats that are words.
pub(crate) fn float_word(text: &str) -> Option<f64> {
    match text.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => Some(f64::INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// Decimal, octal (`017`) and hexadecimal (`0x1f`) integers and floats (`1.5e3`, `1f`). An integer that no type can hold
/// stays one: the field says what fits.
fn number(text: &str) -> Option<Kind> {
    let digits = |text: &str, radix: u32| {
        let digits = !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
        digits.then(|| i128::from_str_radix(text, radix).unwrap_or(i128::MAX))
    };
    let prefixed = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    if let Some(hexadecimal) = prefixed {
        return digits(hexadecimal, 16).map(Kind::Integer);
    }
    if text.len() > 1 && text.starts_with('0') && text.chars().all(|c| c.is_ascii_digit()) {
        return digits(text, 8).map(Kind::Integer);
    }
    if let Some(value) = digits(text, 10) {
        return Some(Kind::Integer(value));
    }
    let decimal = text.strip_suffix(['f', 'F']).unwrap_or(text);
    // Rust's parser also takes words, which never start with a digit or a point.
    decimal.parse().ok().map(Kind::Float)
}
