//! Words and signs of a Metal text, with the lines that `#line` gives them.

use crate::check::AccessPlace;
use std::ops::Range;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Word,
    Number,
    /// A character or string literal.
    Literal,
    /// One character, or one of `::`, `->`, `&&`, `||`, `==`, `!=`, `<=`, `>=` and the assignments with an operation.
    Sign,
    /// A line that begins with `#`.
    Directive,
}

#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub class: Class,
    pub text: &'a str,
    /// Bytes of the source.
    pub range: Range<usize>,
    pub file: Rc<str>,
    pub line: u32,
}

impl Token<'_> {
    pub(crate) fn place(&self) -> AccessPlace {
        AccessPlace { file: self.file.to_string(), line: self.line }
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && self.class != Class::Literal
    }

    pub(crate) fn is_word(&self) -> bool {
        self.class == Class::Word
    }
}

const SIGNS: [&str; 16] = [
    "::", "->", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
];

/// The tokens of a source, without comments. Text that is not a token, such as an open comment, ends them; clang
/// reports the error.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut file: Rc<str> = Rc::from("");
    let (mut at, mut line) = (0, 1u32);
    let mut fresh = true;
    while at < bytes.len() {
        let rest = &source[at..];
        let c = bytes[at];
        if c == b'\n' {
            line += 1;
            at += 1;
            fresh = true;
            continue;
        }
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else { break };
            line += newlines(&rest[..end]);
            at += end + 2;
            continue;
        }
        let (class, length) = match c {
            b'#' if fresh => (Class::Directive, directive(rest)),
            b'"' | b'\'' => (Class::Literal, literal(rest)),
            b'0'..=b'9' => (Class::Number, number(rest)),
            b'.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                (Class::Number, number(rest))
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                (Class::Word, rest.find(|c| !word(c)).unwrap_or(rest.len()))
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let one = rest.chars().next().map_or(1, char::len_utf8);
                (Class::Sign, sign.map_or(one, |sign| sign.len()))
            }
        };
        let text = &rest[..length];
        found.push(Token { class, text, range: at..at + length, file: Rc::clone(&file), line });
        fresh = false;
        at += length;
        line += newlines(text);
        if class == Class::Directive
            && let Some((number, name)) = line_directive(text)
        {
            // The directive names the line after it, and its own end adds one.
            line = number.wrapping_sub(1);
            if let Some(name) = name {
                file = Rc::from(name);
            }
        }
    }
    found
}

fn newlines(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// The length of a directive: to the end of the line, or of those that a backslash joins.
fn directive(text: &str) -> usize {
    let mut from = 0;
    while let Some(end) = text[from..].find('\n') {
        if !text[..from + end].ends_with('\\') {
            return from + end;
        }
        from += end + 1;
    }
    text.len()
}

fn literal(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut escaped = false;
    for (i, byte) in text.bytes().enumerate().skip(1) {
        if byte == b'\n' {
            return i;
        }
        if byte == quote && !escaped {
            return i + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    text.len()
}

fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let sign = matches!(bytes[at], b'+' | b'-')
            && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P')
            && !(text.starts_with("0x") && matches!(bytes[at - 1], b'e' | b'E'));
        if !(bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.' || at > 0 && sign) {
            break;
        }
        at += 1;
    }
    at
}

/// The line and the file of a `#line`.
fn line_directive(text: &str) -> Option<(u32, Option<&str>)> {
    let rest = text.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line")?.trim();
    let (number, name) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let name = name.trim().strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    Some((number.parse().ok()?, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_the_lines_that_directives_give() {
        let source = "a /* b\n */ c\n#line 10 \"k.py\"\nd // e\n#line 3\nf";
        let all = tokens(source);
        let seen: Vec<_> = all.iter().map(|t| (t.text, &*t.file, t.line)).collect();
        let expected = [
            ("a", "", 1),
            ("c", "", 2),
            ("#line 10 \"k.py\"", "", 3),
            ("d", "k.py", 10),
            ("#line 3", "k.py", 11),
            ("f", "k.py", 3),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn numbers_and_literals_are_whole() {
        let all = tokens("x=1.5e-3f-0x1fe+2;c='\\'';s=\"a\\\"b\";y>>=z::w;.5f");
        let seen: Vec<_> = all.iter().map(|t| t.text).collect();
        let expected = [
            "x",
            "=",
            "1.5e-3f",
            "-",
            "0x1fe",
            "+",
            "2",
            ";",
            "c",
            "=",
            "'\\''",
            ";",
            "s",
            "=",
            "\"a\\\"b\"",
            ";",
            "y",
            ">",
            ">=",
            "z",
            "::",
            "w",
            ";",
            ".5f",
        ];
        assert_eq!(seen, expected);
    }
}
