//! JSON as the Triton Inference Server reads and writes it: with the bare words `NaN`, `Infinity` and `-Infinity`,
//! strings of any bytes, and the server's texts of errors.
//!
//! [`Document::parse`] checks the whole text once and keeps where each value stands. Arrays of numbers are not taken
//! apart: [`JsonValue::fill`] converts them straight into a tensor's bytes.

mod document;
mod fill;
mod number;
mod scan;
mod string;
mod value;
mod write;

pub use document::{Document, JsonError, ParseFault};
pub use fill::{FillError, FillType};
pub use value::{JsonPlace, JsonValue, Members, WrongType};
pub use write::Writer;

#[cfg(test)]
mod tests;
