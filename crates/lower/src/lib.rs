//! From one level to the next: what code generators ask of a function before they write code.
//!
//! Nothing here knows a code generator. [`access`] analyses tile functions; every device takes the same answers.

pub mod access;
