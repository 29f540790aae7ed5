//! Cuts MLIR text into tokens.

use crate::{ErrorKind, Failure};
use std::borrow::Cow;

/// A piece of the text. Names stand without their sign.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'s> {
    /// A keyword, an op or a type: `module`, `tt.load`, `f32`.
    Word(&'s str),
    /// `%name`.
    Value(&'s str),
    /// `^name`.
    Block(&'s str),
    /// `@name`.
    Symbol(Cow<'s, str>),
    /// `#name`: an attribute or its alias; the number of a result after a value.
    Hash(&'s str),
    /// `!name`.
    Bang(&'s str),
    /// A quoted text, escapes resolved.
    Str(Cow<'s, str>),
    /// An unsigned number: integer, decimal or hexadecimal.
    Number(&'s str),
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
            Token::Block(s) => format!("`^{}`", clip(s)),
            Token::Symbol(s) => format!("`@{}`", clip(s)),
            Token::Hash(s) => format!("`#{}`", clip(s)),
            Token::Bang(s) => format!("`!{}`", clip(s)),
            Token::Str(s) => format!("the string {:?}", clip(s)),
            Token::Punct(s) => format!("`{s}`"),
            Token::Stray(c) => format!("{c:?}"),
            Token::End => "the end of the text".into(),
        }
    }
}

/// The punctuation that starts with these two bytes.
fn punct(first: u8, second: Option<u8>) -> Option<&'static str> {
    Some(match (first, second) {
        (b'-', Some(b'>')) => "->",
        (b':', Some(b':')) => "::",
        (b'(', _) => "(",
        (b')', _) => ")",
        (b'[', _) => "[",
        (b']', _) => "]",
        (b'{', _) => "{",
        (b'}', _) => "}",
        (b'<', _) => "<",
        (b'>', _) => ">",
        (b',', _) => ",",
        (b':', _) => ":",
        (b'=', _) => "=",
        (b'*', _) => "*",
        (b'-', _) => "-",
        (b'+', _) => "+",
        (b'?', _) => "?",
        _ => return None,
    })
}

/// The characters of names after `%`, `^` and `@`.
fn is_suffix(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'$' | b'.' | b'_' | b'-')
}

/// The characters of words and of names after `#` and `!`.
fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'$' | b'.' | b'_')
}

/// A position in the text.
#[derive(Clone)]
pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Lexer<'s> {
        Lexer { source, at: 0 }
    }

    /// Goes on from this byte.
    pub(super) fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// The text between two bytes.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'s str {
        self.source.get(from..to.min(self.source.len())).unwrap_or("")
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    /// Takes ASCII characters.
    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'s str {
        let start = self.at;
        while self.byte(0).is_some_and(&accept) {
            self.at += 1;
        }
        self.slice(start, self.at)
    }

    /// Skips blanks and comments.
    fn skip(&mut self) {
        loop {
            self.take_while(|b| b.is_ascii_whitespace());
            if !(self.byte(0) == Some(b'/') && self.byte(1) == Some(b'/')) {
                return;
            }
            let rest = &self.source[self.at..];
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// The next token and the byte at which it starts.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'s>), Failure> {
        self.skip();
        let start = self.at;
        let Some(first) = self.byte(0) else { return Ok((start, Token::End)) };
        let token = match first {
            b'%' | b'^' | b'#' | b'!' => {
                self.at += 1;
                match first {
                    b'%' => Token::Value(self.take_while(is_suffix)),
                    b'^' => Token::Block(self.take_while(is_suffix)),
                    b'#' => Token::Hash(self.take_while(is_word)),
                    _ => Token::Bang(self.take_while(is_word)),
                }
            }
            b'@' => {
                self.at += 1;
                match self.byte(0) {
                    Some(b'"') => Token::Symbol(self.string()?),
                    _ => Token::Symbol(Cow::Borrowed(self.take_while(is_suffix))),
                }
            }
            b'"' => Token::Str(self.string()?),
            b if b.is_ascii_alphabetic() || b == b'_' => Token::Word(self.take_while(is_word)),
            b if b.is_ascii_digit() => Token::Number(self.number()),
            _ => match punct(first, self.byte(1)) {
                Some(punct) => {
                    self.at += punct.len();
                    Token::Punct(punct)
                }
                None => {
                    let c = self.source[start..].chars().next().unwrap_or('\0');
                    self.at += c.len_utf8();
                    Token::Stray(c)
                }
            },
        };
        Ok((start, token))
    }

    /// Digits, `0x` and digits, or digits with a point and an exponent.
    fn number(&mut self) -> &'s str {
        let start = self.at;
        let hex = self.byte(1) == Some(b'x') && self.byte(2).is_some_and(|b| b.is_ascii_hexdigit());
        if self.byte(0) == Some(b'0') && hex {
            self.at += 2;
            self.take_while(|b| b.is_ascii_hexdigit());
            return self.slice(start, self.at);
        }
        self.take_while(|b| b.is_ascii_digit());
        if self.byte(0) == Some(b'.') {
            self.at += 1;
            self.take_while(|b| b.is_ascii_digit());
            if matches!(self.byte(0), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(self.byte(1), Some(b'+' | b'-')));
                if self.byte(1 + sign).is_some_and(|b| b.is_ascii_digit()) {
                    self.at += 1 + sign;
                    self.take_while(|b| b.is_ascii_digit());
                }
            }
        }
        self.slice(start, self.at)
    }

    /// A quoted string; escapes are `\"`, `\\`, `\n`, `\t` and two hexadecimal digits of a byte.
    fn string(&mut self) -> Result<Cow<'s, str>, Failure> {
        let open = self.at;
        self.at += 1;
        let rest = &self.source[self.at..];
        let Some(end) = rest.find(['"', '\\', '\n']) else {
            return Err(Failure::new(open, ErrorKind::OpenString));
        };
        if rest.as_bytes()[end] == b'"' {
            self.at += end + 1;
            return Ok(Cow::Borrowed(&rest[..end]));
        }
        let mut bytes = vec![];
        loop {
            let byte = self.byte(0);
            self.at += 1;
            match byte {
                Some(b'"') => return Ok(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())),
                Some(b'\\') => {
                    let escaped = self.byte(0);
                    self.at += 1;
                    bytes.push(match escaped {
                        Some(b @ (b'"' | b'\\')) => b,
                        Some(b'n') => b'\n',
                        Some(b't') => b'\t',
                        Some(b) if b.is_ascii_hexdigit() => {
                            let digits = self.slice(self.at - 1, self.at + 1);
                            self.at += 1;
                            u8::from_str_radix(digits, 16).map_err(|_| {
                                Failure::new(
                                    open,
                                    ErrorKind::Number {
                                        text: format!("\\{digits}"),
                                        what: "an escape of a byte".into(),
                                    },
                                )
                            })?
                        }
                        _ => return Err(Failure::new(open, ErrorKind::OpenString)),
                    });
                }
                Some(b'\n') | None => return Err(Failure::new(open, ErrorKind::OpenString)),
                Some(b) => bytes.push(b),
            }
        }
    }
}
