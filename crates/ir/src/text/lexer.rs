//! Cuts the text into tokens.

use super::Syntax;
use std::borrow::Cow;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'s> {
    /// A keyword, an op, an element type.
    Word(&'s str),
    /// `%name`.
    Value(Cow<'s, str>),
    /// `@name`.
    Func(Cow<'s, str>),
    /// A quoted text, escapes resolved.
    Str(Cow<'s, str>),
    /// Starts with a digit or a minus sign.
    Number(&'s str),
    /// The digits after `0x`.
    Hex(&'s str),
    /// Punctuation.
    Punct(&'static str),
    /// A character that starts no token.
    Stray(char),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// How an error names the token.
    pub(super) fn describe(&self) -> String {
        const SHOWN: usize = 40;
        let clip = |s: &str| match s.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &s[..end]),
            None => s.to_owned(),
        };
        match self {
            Token::Word(s) | Token::Number(s) => format!("`{}`", clip(s)),
            Token::Value(s) => format!("`%{}`", clip(s)),
            Token::Func(s) => format!("`@{}`", clip(s)),
            Token::Str(s) => format!("the string {:?}", clip(s)),
            Token::Hex(s) => format!("`0x{}`", clip(s)),
            Token::Punct(s) => format!("`{s}`"),
            Token::Stray(c) => format!("{c:?}"),
            Token::End => "the end of the text".into(),
        }
    }
}

const PUNCT: &[&str] =
    &["...", "->", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "?", "*"];

/// Whether a name stands without quotes after `%` and `@`.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '$')
}

/// Whether a character may continue a word.
pub(super) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A position in the text.
pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Lexer<'s> {
        Lexer { source, at: 0 }
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Skips blanks and comments; the byte offset of the next token.
    fn skip(&mut self) -> usize {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with(';') {
                return self.at;
            }
            self.take_while(|c| c != '\n');
        }
    }

    /// The next token and its byte offset; an error comes with its own offset.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'s>), (usize, Syntax)> {
        let start = self.skip();
        let mut chars = self.rest().chars();
        let Some(first) = chars.next() else { return Ok((start, Token::End)) };
        let second = chars.next();
        let token = match first {
            '%' | '@' => {
                self.at += 1;
                let name = if second == Some('"') {
                    self.string()?
                } else {
                    Cow::Borrowed(self.take_while(is_name_char))
                };
                if first == '%' { Token::Value(name) } else { Token::Func(name) }
            }
            '"' => Token::Str(self.string()?),
            c if c.is_ascii_alphabetic() || c == '_' => Token::Word(self.take_while(is_word_char)),
            '0' if second == Some('x') => {
                self.at += 2;
                Token::Hex(self.take_while(|c| c.is_ascii_hexdigit()))
            }
            c if c.is_ascii_digit() => Token::Number(self.number()),
            '-' if second.is_some_and(|c| c.is_ascii_alphanumeric()) => {
                Token::Number(self.number())
            }
            c => match PUNCT.iter().find(|p| self.rest().starts_with(**p)) {
                Some(punct) => {
                    self.at += punct.len();
                    Token::Punct(punct)
                }
                None => {
                    self.at += c.len_utf8();
                    Token::Stray(c)
                }
            },
        };
        Ok((start, token))
    }

    /// A sign, digits, and what may follow in a float: a sign again only after the `e` of an exponent.
    fn number(&mut self) -> &'s str {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut end = 1;
        while let Some(&b) = bytes.get(end) {
            let exponent = matches!(bytes[end - 1], b'e' | b'E') && matches!(b, b'+' | b'-');
            if !(b.is_ascii_alphanumeric() || b == b'.' || exponent) {
                break;
            }
            end += 1;
        }
        self.at += end;
        &rest[..end]
    }

    /// A quoted string; without escapes it is borrowed.
    fn string(&mut self) -> Result<Cow<'s, str>, (usize, Syntax)> {
        let open = self.at;
        self.at += 1;
        let mut text = Cow::Borrowed(self.take_while(|c| !matches!(c, '"' | '\\' | '\n')));
        loop {
            let mut chars = self.rest().chars();
            match chars.next() {
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => {
                    let escape = self.at;
                    let c = chars.next().unwrap_or('\n');
                    self.at += 1 + c.len_utf8().min(self.rest().len() - 1);
                    text.to_mut().push(match c {
                        '"' | '\\' => c,
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => self.unicode().ok_or((escape, Syntax::Escape('u')))?,
                        c => return Err((escape, Syntax::Escape(c))),
                    });
                }
                Some('\n') | None => return Err((open, Syntax::OpenString)),
                Some(_) => {
                    let plain = self.take_while(|c| !matches!(c, '"' | '\\' | '\n'));
                    text.to_mut().push_str(plain);
                }
            }
        }
    }

    /// The `{hex}` after `\u`.
    fn unicode(&mut self) -> Option<char> {
        self.at += self.rest().starts_with('{').then_some(1)?;
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        self.at += self.rest().starts_with('}').then_some(1)?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }
}
