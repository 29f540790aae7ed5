//! Paddle's inference models to graph functions.
//!
//! [`load_from`] reads a program in either of Paddle's formats, PIR (`*.json`) or `ProgramDesc` (`*.pdmodel`,
//! `__model__`), with its parameters.

#[allow(dead_code)] // until the readers are here
mod dtype;
mod error;
mod files;
mod import;
mod program;

pub use error::{PaddleError, PaddleErrorKind, PaddlePlace};
pub use files::PaddleFolder;
