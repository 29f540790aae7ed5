//! Protobuf's text format.
//!
//! ```text
//! message  = { field }
//! field    = name ( ":" scalar | [":"] body | [":"] "[" [ value { "," value } ] "]" ) [ "," | ";" ]
//! body     = "{" message "}" | "<" message ">"
//! scalar   = string { string } | ["-"] ( number | word )
//! ```
//! `#` starts a comment. Extensions and `Any` (`[name]` as a field's name) are not part of configurations.

mod lexer;
mod parser;
mod print;

pub(crate) use parser::{float_word, parse};
pub(crate) use print::print;
