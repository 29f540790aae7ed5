//! Triton IR as data that owns itself: a tree of ops, read from text and printed as Triton's compiler prints it.
//!
//! The tree stands between whoever makes a kernel and the importer. [`parse`] reads MLIR's text into it, `Display` writes
//! the text without locations, byte for byte as Triton 3.9 does, and `import` translates it to `tile` functions. All ops
//! look alike in the tree, whatever their printed form; [`form`] has the forms, for reading and for printing.

mod attr;
mod float;
mod form;
mod loc;
mod names;
mod parse;
mod print;
mod tree;
mod types;
mod words;

pub(crate) use attr::{Attr, AttrDict, Dense};
pub(crate) use form::refused;
pub(crate) use loc::{LocId, of_line};
pub(crate) use parse::parse;
pub(crate) use tree::{
    Block, BlockId, Definition, Op, OpId, Region, RegionId, Successor, Tree, Value, ValueId,
};
