//! The text form of modules and functions.
//!
//! ```text
//! metadata "producer" = "pytorch"          ; a comment runs to the end of its line
//!
//! func @main graph (%x: f32[N, 3], %"odd/name:0": i64[]) -> (f32[N, 3]) {
//!   %c = constant {value = f32[3](1, 2.5, -inf)}
//!   %y, _ = dropout(%x, _, %c) {seed = 3} : f32[N, 3] loc("node 7")
//!   %z = if(%cond) : f32[N, 3] region {
//!     yield %y
//!   } region {
//!     %n = neg(%y) : f32[N, 3]
//!     yield %n
//!   }
//!   return %z
//! }
//! ```
//!
//! The grammar; `?` marks what may be left out, `,*` a list with commas:
//!
//! ```text
//! module  = ("metadata" string "=" string)* func*
//! func    = "func" "@"name level ("{" "threads" "=" number "}")? "(" (value ":" type),* ")" ("->" "(" type,* ")")? "{" op* "return" value,* "}"
//! level   = "graph" | "tile" | "lane"
//! op      = ((value | "_"),* "=")? opname ("(" (value | "_"),* ")")? ("{" (attr "=" constant),* "}")?
//!           (":" type,*)? ("loc" "(" string ")")? region*
//! region  = "region" ("(" (value ":" type),* ")")? "{" op* "yield" value,* "}"
//! type    = dtype dims | "ptr" "<" dtype ("," space)? ">" dims | "desc" "<" dtype ">" dims | "matrix" "<" dtype ">"
//!         | "seq" "<" type ">" | "opt" "<" type ">" | "map" "<" dtype "," type ">"
//! space   = "constant" | "threadgroup" | "thread"
//! dims    = "[" ("*" | dim,*) "]"
//! dim     = number | "?" | word | string
//! constant = number | string | "[" constant,* "]" | dtype | type | dtype "[" number,* "]" "(" data ")"
//! data    = element,* | hex
//! value   = "%"name          name = (letter | digit | "_" | "." | "/" | "$")+ | string
//! ```
//!
//! * Attributes are printed in the order of their names, whatever order they were written in.
//! * `_` is an operand that is left out, or an unused result.
//! * After `:` stands one type for each named result. Where it is left out, the types follow from the op's type rule
//!   ([`crate::op::Rule`]), shapes unknown. Only a constant is printed without its type.
//! * A number with a point, an exponent, `inf` or `nan` is a float attribute, any other an integer. Elements of tensors
//!   are read as their element type says; a complex element is two numbers, real and imaginary part.
//! * Data of more than 32 numbers, and bits that no number spells (a NaN with a payload), are one hexadecimal blob of the
//!   bytes in memory: row-major, little endian, a whole byte for types narrower than one.
//! * Strings escape `\"`, `\\`, `\n`, `\r`, `\t` and `\u{…}`.
//! * `region`s may use values of the blocks around them. Names are unique in the whole function.
//!
//! [`Module`](crate::Module) and [`Func`](crate::Func) print with `Display` and parse with `FromStr`. Parsing what was
//! printed gives an equal module, values numbered in the order of their definition as
//! [`Func::renumber`](crate::Func::renumber) does. The alternate form `{:#}` is for people: it prints `...` in place of
//! long data, and does not parse.

mod data;
mod error;
mod lexer;
mod parse;
mod print;

pub use error::{ParseError, Syntax};
pub use print::Described;
pub(crate) use print::Word;

/// How deep types, lists and regions may nest.
pub const MAX_DEPTH: usize = 64;

/// Data of at most this many elements are spelled as numbers.
pub const LISTED: usize = 32;
