//! Lowering from one level to the next: the analyses that code generators use before they generate code.
//!
//! Nothing here depends on a code generator. [`graph`] writes graph ops as tile functions, [`access`] analyses those, and all devices use the
//! same results; [`lane`] makes tile functions what each thread of a GPU runs.

pub mod access;
pub mod graph;
pub mod lane;
