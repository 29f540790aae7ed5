//! Errors of the parser.

use crate::literal::LiteralError;
use crate::op::TypeError;
use crate::{DType, Type, counted};
use std::fmt;

/// A text that is not a module: what is wrong and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Character within the line, from 1.
    pub column: usize,
    /// The fault.
    pub syntax: Syntax,
    /// The line, or of a long line the part around the error.
    excerpt: String,
    /// Character of the excerpt under which the caret stands, from 0.
    caret: usize,
}

impl std::error::Error for ParseError {}

/// A fault of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Syntax {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The text that should stand here.
        expected: &'static str,
        /// The text that does.
        found: String,
    },
    /// A string that does not end on its line.
    #[error("the string does not end on its line")]
    OpenString,
    /// An escape that is none.
    #[error("unknown escape `\\{0}` in a string")]
    Escape(char),
    /// No such op.
    #[error("there is no op `{0}`")]
    UnknownOp(String),
    /// The op declares no such attribute.
    #[error("`{op}` has no attribute `{name}`")]
    UnknownAttr {
        /// Op name.
        op: &'static str,
        /// Attribute name.
        name: String,
    },
    /// An attribute or metadata key that stands twice.
    #[error("`{0}` is set twice")]
    SetTwice(String),
    /// A number that does not fit.
    #[error("`{text}` is no {what}")]
    Number {
        /// The text.
        text: String,
        /// The kind of value that it should be.
        what: &'static str,
    },
    /// An element that its type cannot hold.
    #[error("`{text}` is not an element of type {dtype}")]
    Element {
        /// The text.
        text: String,
        /// Element type.
        dtype: DType,
    },
    /// Elements that do not fit the dimensions.
    #[error(transparent)]
    Literal(#[from] LiteralError),
    /// A tensor printed for people.
    #[error("the data were left out when this was printed")]
    Elided,
    /// Types, lists or regions nest too deep.
    #[error("nested deeper than {}", super::MAX_DEPTH)]
    TooDeep,
    /// Two values of one name.
    #[error("`%{0}` is defined twice")]
    DefinedTwice(String),
    /// A value that no op defines.
    #[error("`%{0}` is not defined")]
    Undefined(String),
    /// The number of types after `:`.
    #[error("{} for {}", counted(*actual, "type"), counted(*expected, "named result"))]
    TypeCount {
        /// Results that have a name.
        expected: usize,
        /// Types given.
        actual: usize,
    },
    /// A type is left out and does not follow from the op.
    #[error("the type of the result of `{op}` is needed here: {reason}")]
    Untyped {
        /// The op's name.
        op: &'static str,
        /// Why the type does not follow.
        reason: TypeError,
    },
    /// A type is left out where only the text can tell it.
    #[error("write the types of the results of `{0}`: they do not follow from its operands")]
    NoRule(&'static str),
    /// A type is left out and an operand has none yet.
    #[error("the type of the result is needed here: `%{0}` is defined only further on")]
    UntypedOperand(String),
    /// The results in the head of the function are not those returned.
    #[error("the function returns ({actual}), its head says ({declared})")]
    Signature {
        /// Types in the head.
        declared: String,
        /// Types of the values returned.
        actual: String,
    },
}

impl Syntax {
    pub(super) fn signature(declared: &[Type], actual: &[&Type]) -> Syntax {
        let list = |types: &mut dyn Iterator<Item = String>| types.collect::<Vec<_>>().join(", ");
        Syntax::Signature {
            declared: list(&mut declared.iter().map(Type::to_string)),
            actual: list(&mut actual.iter().map(|t| t.to_string())),
        }
    }

    /// The error at byte `offset` of `source`.
    pub(super) fn at(self, source: &str, offset: usize) -> ParseError {
        /// Characters of a line shown on either side of the error.
        const AROUND: usize = 60;
        let offset = (0..=offset.min(source.len())).rev().find(|&i| source.is_char_boundary(i));
        let (before, after) = source.split_at(offset.unwrap_or(0));
        let head = &before[before.rfind('\n').map_or(0, |i| i + 1)..];
        let tail = after.lines().next().unwrap_or("");
        let column = head.chars().count();
        let caret = column.min(AROUND);
        let excerpt = head.chars().skip(column - caret).chain(tail.chars().take(AROUND)).collect();
        ParseError {
            line: before.matches('\n').count() + 1,
            column: column + 1,
            syntax: self,
            excerpt,
            caret,
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Tabs stay tabs under the line, so that the caret stands where the reader sees the error.
        let pad = self.excerpt.chars().take(self.caret);
        let pad: String = pad.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let ParseError { line, column, syntax, excerpt, .. } = self;
        write!(f, "{line}:{column}: {syntax}\n  | {}\n  | {pad}^", excerpt.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(source: &str, offset: usize) -> String {
        Syntax::Elided.at(source, offset).to_string()
    }

    fn caret_at(message: &str) -> (usize, String) {
        let lines: Vec<_> = message.lines().collect();
        let at = lines[2].chars().position(|c| c == '^').unwrap();
        (at, lines[1].chars().skip(at).take(1).collect())
    }

    #[test]
    fn the_caret_stands_under_the_character() {
        for (source, needle, place) in [
            ("a\nbc ! d\n", '!', "2:4:"),
            ("\tä€ !", '!', "1:5:"),
            (&format!("{}!{}", "x".repeat(500), "y".repeat(500)), '!', "1:501:"),
        ] {
            let message = message(source, source.find(needle).unwrap());
            assert!(message.starts_with(place), "{message}");
            assert_eq!(caret_at(&message).1, "!", "{message}");
            assert!(message.lines().all(|l| l.chars().count() < 130), "{message}");
        }
    }

    #[test]
    fn places_at_the_end_and_inside_characters_are_fine() {
        assert!(message("", 0).starts_with("1:1:"));
        assert!(message("ab\n", 3).starts_with("2:1:"));
        assert!(message("é", 1).starts_with("1:1:"));
        assert!(message("a", 9).starts_with("1:2:"));
    }
}
