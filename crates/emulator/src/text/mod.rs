//! Metal texts: their tokens and declarations, and what is replaced before clang compiles them.

mod item;
mod rewrite;
mod token;

pub(crate) use item::{Function, Item, Sort, angle, close, function, items, split};
pub(crate) use rewrite::{Constant, Kernel, Program, rewrite, unseen};
pub(crate) use token::{Class, Token, tokens};
