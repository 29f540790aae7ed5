//! Ops, blocks, regions and values, each in a table of the tree; they refer to each other by number.

use super::attr::{Attr, AttrDict};
use super::loc::{LocId, Locs};
use std::borrow::Cow;
use trident_ir::Type;

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident: $item:ident in $table:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $id(u32);

        impl $id {
            /// The place in the table.
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::ops::Index<$id> for Tree {
            type Output = $item;

            fn index(&self, id: $id) -> &$item {
                &self.$table[id.index()]
            }
        }

        impl std::ops::IndexMut<$id> for Tree {
            fn index_mut(&mut self, id: $id) -> &mut $item {
                &mut self.$table[id.index()]
            }
        }

        impl Tree {
            fn $table(&mut self, item: $item) -> $id {
                // A text of that many items is larger than the memory of any machine.
                let id = $id(u32::try_from(self.$table.len()).unwrap_or(u32::MAX));
                self.$table.push(item);
                id
            }
        }
    )*};
}

ids! {
    /// An op of a tree.
    OpId: Op in ops;
    /// A block of a tree.
    BlockId: Block in blocks;
    /// A region of a tree.
    RegionId: Region in regions;
    /// A value of a tree.
    ValueId: Value in values;
}

impl ValueId {
    /// An operand that the parser has not found yet.
    pub(crate) const UNDEFINED: ValueId = ValueId(u32::MAX);
}

/// A module: its top-level ops, its named attributes, and the tables of everything inside.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    ops: Vec<Op>,
    blocks: Vec<Block>,
    regions: Vec<Region>,
    values: Vec<Value>,
    names: String,
    /// The top-level ops in order.
    pub(crate) top: Vec<OpId>,
    /// Attributes that have a name of their own, in order: `#name = …`.
    pub(crate) aliases: Vec<(Box<str>, Attr)>,
    pub(crate) locs: Locs,
    /// The location of the module.
    pub(crate) loc: LocId,
}

/// One op.
#[derive(Debug)]
pub(crate) struct Op {
    /// The byte of the text at which its name stands.
    pub(crate) at: usize,
    pub(crate) name: Cow<'static, str>,
    /// The values that successors get are last.
    pub(crate) operands: Vec<ValueId>,
    pub(crate) results: Vec<ValueId>,
    pub(crate) dict: AttrDict,
    pub(crate) successors: Vec<Successor>,
    pub(crate) regions: Vec<RegionId>,
    pub(crate) loc: LocId,
}

/// A block to branch to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub(crate) block: BlockId,
    /// How many of the op's last operands its parameters get.
    pub(crate) args: usize,
}

/// Blocks, the first being the entry.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub(crate) blocks: Vec<BlockId>,
}

/// Ops in order; the last of a block is its terminator, which some regions leave out.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The byte of the text at which it starts.
    pub(crate) at: usize,
    /// The name in the text, for errors; empty for an entry block without a label.
    pub(crate) label: Box<str>,
    pub(crate) params: Vec<ValueId>,
    pub(crate) ops: Vec<OpId>,
}

/// A result of an op, or a parameter of a block or function.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) ty: Type,
    pub(crate) name: Name,
    /// That of its op, or of the parameter.
    pub(crate) loc: LocId,
    pub(crate) definition: Definition,
}

/// The name of a value in the text, without the number of a result; may be empty. All stand in one text of the tree,
/// since there are as many as values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Name {
    start: u32,
    len: u32,
}

/// The place that defines a value.
#[derive(Debug)]
pub(crate) enum Definition {
    /// The number among the op's results that share the name, and how many do.
    Result { number: usize, of: usize },
    /// The attributes of a parameter.
    Param { dict: AttrDict },
}

impl Tree {
    pub(crate) fn add_op(&mut self, op: Op) -> OpId {
        self.ops(op)
    }

    pub(crate) fn add_block(&mut self, block: Block) -> BlockId {
        self.blocks(block)
    }

    pub(crate) fn add_region(&mut self, region: Region) -> RegionId {
        self.regions(region)
    }

    pub(crate) fn add_value(&mut self, value: Value) -> ValueId {
        self.values(value)
    }

    /// The top-level ops.
    pub(crate) fn top_ops(&self) -> impl Iterator<Item = &Op> {
        self.top.iter().map(|&id| &self[id])
    }

    /// Keeps the name of a value.
    pub(crate) fn add_name(&mut self, name: &str) -> Name {
        let start = self.names.len();
        self.names.push_str(name);
        // As for the tables: such a text does not fit any memory.
        let number = |n: usize| u32::try_from(n).unwrap_or(0);
        Name { start: number(start), len: number(name.len()) }
    }

    /// The name that the results of an op share, or that a parameter has.
    pub(crate) fn shared_name(&self, id: ValueId) -> &str {
        let Name { start, len } = self[id].name;
        self.names.get(start as usize..(start + len) as usize).unwrap_or_default()
    }

    pub(crate) fn types<'t>(&'t self, values: &'t [ValueId]) -> impl Iterator<Item = &'t Type> {
        values.iter().map(|&id| &self[id].ty)
    }

    /// The blocks of a region.
    pub(crate) fn blocks_of(&self, region: RegionId) -> impl Iterator<Item = &Block> {
        self[region].blocks.iter().map(|&id| &self[id])
    }

    /// The first block of a region.
    pub(crate) fn entry(&self, region: RegionId) -> Option<&Block> {
        self.blocks_of(region).next()
    }

    /// The operands that are the op's own, and for each successor what its parameters get.
    pub(crate) fn branches<'t>(
        &self,
        op: &'t Op,
    ) -> (&'t [ValueId], Vec<(BlockId, &'t [ValueId])>) {
        let handed = op.successors.iter().map(|s| s.args).sum();
        let own = op.operands.len().saturating_sub(handed);
        let (own, mut rest) = op.operands.split_at(own);
        let mut branches = vec![];
        for successor in &op.successors {
            let (args, others) = rest.split_at(successor.args.min(rest.len()));
            branches.push((successor.block, args));
            rest = others;
        }
        (own, branches)
    }

    /// The value of an attribute that may stand under a name of its own.
    pub(crate) fn resolved<'t>(&'t self, attr: &'t Attr) -> Option<&'t Attr> {
        match attr {
            Attr::Alias(name) => {
                self.aliases.iter().find(|(known, _)| known == name).map(|(_, value)| value)
            }
            other => Some(other),
        }
    }

    /// The name of a value in its text: `x`, or `x#1` for one of several results.
    pub(crate) fn name(&self, id: ValueId) -> String {
        let name = self.shared_name(id);
        match self[id].definition {
            Definition::Result { number: number @ 1.., .. } => format!("{name}#{number}"),
            _ => name.to_owned(),
        }
    }
}
