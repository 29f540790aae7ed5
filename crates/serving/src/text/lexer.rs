//! Tokens of the text format.

use crate::error::{ConfigParseError, ParseErrorKind, Position, shorten};
use crate::node::Origin;
use std::iter::Peekable;
use std::str::Chars;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name.
    Word(String),
    /// Digits with what belongs to a number, without a sign.
    Number(String),
    /// The bytes of a quoted string.
    String(Vec<u8>),
    /// Any other character.
    Symbol(char),
    /// The end of the text.
    End,
}

impl Token {
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Word(text) | Token::Number(text) => format!("`{}`", shorten(text)),
            Token::String(bytes) => {
                format!("the string {:?}", shorten(&String::from_utf8_lossy(bytes)))
            }
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the text".into(),
        }
    }
}

/// Splits a text into tokens.
pub(super) struct Lexer<'t> {
    rest: Peekable<Chars<'t>>,
    at: Position,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { rest: text.chars().peekable(), at: Position { line: 1, column: 1 } }
    }

    /// The next token and where it starts.
    pub(super) fn next(&mut self) -> Result<(Token, Position), ConfigParseError> {
        self.skip_space();
        let at = self.at;
        let token = match self.rest.peek() {
            None => Token::End,
            Some(&quote @ ('"' | '\'')) => Token::String(self.string(quote)?),
            Some(c) if c.is_ascii_alphabetic() || *c == '_' => {
                Token::Word(self.take_while(|_, c| c.is_ascii_alphanumeric() || c == '_'))
            }
            Some(c) if c.is_ascii_digit() || *c == '.' => {
                // A sign belongs to the number only after an exponent's `e`.
                let part = |before: Option<char>, c: char| {
                    c.is_ascii_alphanumeric()
                        || matches!(c, '.' | '_')
                        || matches!(c, '+' | '-') && matches!(before, Some('e' | 'E'))
                };
                Token::Number(self.take_while(part))
            }
            Some(&symbol) => {
                self.bump();
                Token::Symbol(symbol)
            }
        };
        Ok((token, at))
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.at = Position { line: self.at.line + 1, column: 1 };
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.rest.peek() {
            if *c == '#' {
                while self.rest.peek().is_some_and(|c| *c != '\n') {
                    self.bump();
                }
            } else if c.is_ascii_whitespace() || *c == '\u{b}' {
                self.bump();
            } else {
                return;
            }
        }
    }

    /// The characters that `part` accepts, given the one before each.
    fn take_while(&mut self, part: impl Fn(Option<char>, char) -> bool) -> String {
        let mut text = String::new();
        let mut before = None;
        while let Some(&c) = self.rest.peek() {
            if !part(before, c) {
                break;
            }
            text.push(c);
            before = self.bump();
        }
        text
    }

    fn string(&mut self, quote: char) -> Result<Vec<u8>, ConfigParseError> {
        let start = Origin::Text(self.at);
        self.bump();
        let mut bytes = vec![];
        loop {
            let at = Origin::Text(self.at);
            match self.bump() {
                None | Some('\n') => {
                    return Err(ConfigParseError::new(start, ParseErrorKind::OpenString));
                }
                Some(c) if c == quote => return Ok(bytes),
                Some('\\') => {
                    let fault = |text| ConfigParseError::new(at, ParseErrorKind::Escape(text));
                    self.escape(&mut bytes).map_err(fault)?;
                }
                Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    /// Appends the value of the escape sequence after a backslash; the error is the sequence.
    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), String> {
        let Some(&c) = self.rest.peek() else { return Err(String::new()) };
        if c.is_digit(8) {
            let (value, text) = self.digits(8, 3);
            // Three octal digits reach 511.
            bytes.push(u8::try_from(value).map_err(|_| text)?);
            return Ok(());
        }
        self.bump();
        bytes.push(match c {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            '\\' | '\'' | '"' | '?' => c as u8,
            'x' | 'X' => match self.digits(16, 2) {
                (value, text) if !text.is_empty() => value as u8,
                _ => return Err(c.into()),
            },
            'u' | 'U' => {
                let count = if c == 'u' { 4 } else { 8 };
                let (value, text) = self.digits(16, count);
                let decoded = char::from_u32(value).filter(|_| text.len() == count);
                let decoded = decoded.ok_or(format!("{c}{text}"))?;
                bytes.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(c.into()),
        });
        Ok(())
    }

    /// At most `count` digits: their value and themselves.
    fn digits(&mut self, radix: u32, count: usize) -> (u32, String) {
        let (mut value, mut text) = (0u32, String::new());
        while text.len() < count
            && let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(radix))
        {
            value = value.wrapping_mul(radix).wrapping_add(digit);
            text.extend(self.bump());
        }
        (value, text)
    }
}
