//! The syntax tree, with one form of operation whatever the printed form, and its parser.

mod attr;
mod form;
mod loc;
mod op;
mod parser;
mod region;
mod special;
mod types;

pub(crate) use attr::{Attr, AttrDict, Number};
pub(crate) use form::refused;
pub(crate) use loc::{LocId, Locs, of_line};

use crate::Failure;
use std::collections::HashMap;
use trident_ir::Type;

/// A module: its top-level operations in the order of the text, and its named attributes.
#[derive(Debug, Default)]
pub(crate) struct Module<'s> {
    pub(crate) ops: Vec<Op<'s>>,
    pub(crate) aliases: HashMap<&'s str, Attr<'s>>,
}

/// One operation.
#[derive(Debug)]
pub(crate) struct Op<'s> {
    /// The byte of the text at which its name stands.
    pub(crate) at: usize,
    pub(crate) name: &'s str,
    pub(crate) results: Vec<Pack<'s>>,
    pub(crate) operands: Vec<Use<'s>>,
    /// Types of the first operands; a printed form need not state all of them.
    pub(crate) operand_types: Vec<Type>,
    pub(crate) result_types: Vec<Type>,
    pub(crate) dict: AttrDict<'s>,
    pub(crate) successors: Vec<Successor<'s>>,
    pub(crate) regions: Vec<Region<'s>>,
    pub(crate) loc: LocId,
}

/// `%name:count` on the left of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pack<'s> {
    pub(crate) name: &'s str,
    pub(crate) count: usize,
}

/// `%name#number` as an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'s> {
    pub(crate) at: usize,
    pub(crate) name: &'s str,
    pub(crate) number: usize,
}

/// A block to branch to and what its parameters get.
#[derive(Debug)]
pub(crate) struct Successor<'s> {
    pub(crate) at: usize,
    pub(crate) block: &'s str,
    pub(crate) args: Vec<Use<'s>>,
}

/// Blocks, the first being the entry.
#[derive(Debug, Default)]
pub(crate) struct Region<'s> {
    pub(crate) blocks: Vec<Block<'s>>,
}

/// Operations in order; the last of a block is its terminator, which some regions leave out.
#[derive(Debug)]
pub(crate) struct Block<'s> {
    pub(crate) at: usize,
    /// Empty for an entry block without a label.
    pub(crate) label: &'s str,
    pub(crate) params: Vec<Param<'s>>,
    pub(crate) ops: Vec<Op<'s>>,
}

/// A parameter of a block or function.
#[derive(Debug)]
pub(crate) struct Param<'s> {
    pub(crate) at: usize,
    pub(crate) name: &'s str,
    pub(crate) ty: Type,
    pub(crate) dict: AttrDict<'s>,
}

impl<'s> Op<'s> {
    fn new(at: usize, name: &'s str) -> Op<'s> {
        Op {
            at,
            name,
            results: vec![],
            operands: vec![],
            operand_types: vec![],
            result_types: vec![],
            dict: AttrDict::default(),
            successors: vec![],
            regions: vec![],
            loc: LocId::UNKNOWN,
        }
    }
}

/// Reads a text. Locations are stored in `locs`, including those that an error refers to.
pub(crate) fn parse<'s>(text: &'s str, locs: &mut Locs<'s>) -> Result<Module<'s>, Failure> {
    parser::Parser::new(text, locs)?.module()
}
