//! Metal Shading Language: prints a lane function as the text of a kernel.
//!
//! The writer makes no decisions: each op becomes one statement. It follows the rules of the language that Apple's
//! compiler enforces or assumes: every pointer has an address space, arrays of a threadgroup are static and declared at
//! the outermost level of the kernel, arithmetic on signed integers is done on unsigned ones where it may overflow, and
//! the functions of the mathematics library are named in their precise form. References: Metal Shading Language
//! Specification, version 4.

mod accumulator;
mod constant;
mod control;
mod elementwise;
mod memory;
mod prelude;
mod program;
mod report;
mod together;
mod types;
mod writer;

pub use self::program::{Binding, Field, Program, write};
pub use self::report::{HEAD, Message, RECORD};
pub use self::types::is_native;
