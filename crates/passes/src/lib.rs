//! Rewrites of Trident's intermediate representation.
//!
//! [`canonicalize`] brings a `graph` function into the form in which devices claim its ops: shape inference
//! ([`trident_ir::shape`]), simplification, constant folding, and patterns of ops recognised as one op. [`rewrite`] applies the
//! list of a device, which is made of the rules in [`fuse`] and the layouts of its kernels ([`layout`]). Passes know no device: what runs ops ahead of time is handed in
//! ([`Evaluate`](trident_ir::rewrite::Evaluate)).

mod fold;
pub mod fuse;
pub mod layout;
mod matching;
pub mod network;
mod pipeline;
mod recognise;
mod rewrite;
pub mod rows;
mod simplify;
mod types;

pub use pipeline::{
    PassOptions, RewriteStep, Rules, Stages, canonicalize, finish, free_shapes, fusions, names,
    passes, rewrite,
};
