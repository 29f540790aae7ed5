//! Which blocks are materialised.
//!
//! Most blocks are never in memory: the loop of the op that needs their elements, a *root*, computes them. Blocks that
//! several roots need are materialised when recomputing is expensive.

use std::collections::HashSet;

use trident_ir::op::Class;
use trident_ir::{Block, DType, Func, Op, OpKind, ValueId, ops};

use super::cost::Costs;
use super::lifetime::Lifetimes;

/// The materialisation decisions for a function, and its values' lifetimes.
pub struct Materialisation {
    blocks: HashSet<ValueId>,
    lifetimes: Lifetimes,
}

impl Materialisation {
    /// Decides for a function. `inline` says whether this code generator's loops compute an op on floats that others
    /// compute block by block ([`is_block_function`]).
    pub fn of(func: &Func, inline: &dyn Fn(&Op) -> bool) -> Self {
        let (lifetimes, costs) = (Lifetimes::of(func), Costs::of(func));
        let mut roots = Roots {
            func,
            inline,
            of: vec![Root::None; func.values.len()],
            depth: &lifetimes.depth,
            loops: vec![],
            materialised: HashSet::new(),
            repeated: HashSet::new(),
            costs,
            next: 0,
        };
        roots.block(&func.body);
        let blocks = roots.materialised;
        Materialisation { blocks, lifetimes }
    }

    /// Whether the block is computed once, into memory.
    pub fn has(&self, id: ValueId) -> bool {
        self.blocks.contains(&id)
    }

    /// Whether an op after `op` needs the value.
    pub fn outlives(&self, id: ValueId, op: &Op) -> bool {
        self.lifetimes.outlives(id, op)
    }
}

/// Whether the op's results are expressions that any loop can evaluate. A volatile load is executed in place.
pub fn is_lazy(op: &Op) -> bool {
    op.decl().is_lazy() && !is_volatile(op)
}

/// Whether the op is a load that must read memory each time and in its place.
pub fn is_volatile(op: &Op) -> bool {
    ops::Load::of(op).is_some_and(|load| load.volatile())
}

/// Whether the op is a function of floats that is computed block by block unless the code generator's loops support it.
pub fn is_block_function(op: &Op) -> bool {
    match op.kind {
        OpKind::Cast => {
            ops::Cast::of(op).is_some_and(|op| op.to().is_float() && op.to().bits() == 8)
        }
        _ => matches!(op.decl().class, Class::Function),
    }
}

/// The name of the op's function in the C library.
pub fn function_name(op: &Op) -> &str {
    match ops::Libm::of(op) {
        Some(function) => function.function(),
        None => op.decl().name,
    }
}

/// The roots whose loops evaluate a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    None,
    One(u32),
    Many,
}

impl Root {
    fn join(self, other: Root) -> Root {
        match (self, other) {
            (Root::None, r) | (r, Root::None) => r,
            (Root::One(a), Root::One(b)) if a == b => self,
            _ => Root::Many,
        }
    }
}

struct Roots<'a> {
    func: &'a Func,
    inline: &'a dyn Fn(&Op) -> bool,
    of: Vec<Root>,
    depth: &'a [u32],
    /// For each open region, whether it is a loop body.
    loops: Vec<bool>,
    materialised: HashSet<ValueId>,
    /// Values that the iterations of a loop would evaluate repeatedly.
    repeated: HashSet<ValueId>,
    costs: Costs<'a>,
    next: u32,
}

impl Roots<'_> {
    fn fresh(&mut self) -> Root {
        self.next += 1;
        Root::One(self.next)
    }

    fn add(&mut self, id: ValueId, root: Root) {
        let depth = self.depth.get(id.index()).copied().unwrap_or(0) as usize;
        let repeated = self.loops.get(depth..).is_some_and(|l| l.contains(&true));
        let root = if repeated && root != Root::None { Root::Many } else { root };
        if repeated {
            self.repeated.insert(id);
        }
        if let Some(slot) = self.of.get_mut(id.index()) {
            *slot = slot.join(root);
        }
    }

    fn block(&mut self, block: &Block) {
        for &result in &block.results {
            let root = self.fresh();
            self.add(result, root);
        }
        for op in block.ops.iter().rev() {
            if is_lazy(op) {
                self.lazy(op);
                continue;
            }
            self.loops.push(matches!(op.kind, OpKind::For | OpKind::While));
            op.regions.iter().rev().for_each(|region| self.block(region));
            self.loops.pop();
            let root = self.fresh();
            op.used().for_each(|v| self.add(v, root));
        }
    }

    fn is_expensive(&self, id: ValueId) -> bool {
        let again = self.repeated.contains(&id) && self.costs.touches_memory(id);
        again || self.costs.is_expensive(id)
    }

    fn lazy(&mut self, op: &Op) {
        let mut root = Root::None;
        for out in op.defined() {
            let found = self.of.get(out.index()).copied().unwrap_or(Root::Many);
            root = match (root, found) {
                (Root::None, r) | (r, Root::None) => r,
                _ => Root::Many,
            };
        }
        if root == Root::Many {
            let again: Vec<_> = op.defined().filter(|&out| self.is_expensive(out)).collect();
            if !again.is_empty() && !op.decl().is_view() {
                self.materialised.extend(again);
                root = self.fresh();
            }
        }
        if ops::Broadcast::of(op).is_some_and(|op| self.is_expensive(op.x())) && root != Root::None
        {
            root = Root::Many;
        }
        for (i, v) in op.used().enumerate() {
            let by_blocks = is_block_function(op)
                && self.func.ty(v).dtype().is_some_and(DType::is_float)
                && !(self.inline)(op);
            let own = op.kind == OpKind::TakeAlongAxis && i == 0 || by_blocks;
            let root = if own && root != Root::None { self.fresh() } else { root };
            self.add(v, root);
        }
    }
}
