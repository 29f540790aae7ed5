//! Analyses and rewrites of Trident's intermediate representation.
//!
//! [`optimize`] runs all passes over a `graph` function: shape inference ([`trident_ir::shape`]), simplification, constant
//! folding and fusion. Passes know no device: what runs ops ahead of time is handed in ([`Evaluate`]).

mod fold;
mod fuse;
mod matching;
mod pipeline;
mod recognise;
mod rewrite;
mod simplify;

pub use fold::Evaluate;
pub use pipeline::{OptimizeError, Options, Report, fusions, optimize, passes};
pub use rewrite::PassReport;
