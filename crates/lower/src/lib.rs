//! Lowering from one level to the next: the analyses that code generators use before they generate code.
//!
//! Nothing here depends on a code generator. [`access`] analyses tile functions; all devices use the same results.

pub mod access;
pub mod lane;
