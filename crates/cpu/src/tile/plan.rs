//! What is decided about the values of a function before code is generated: which blocks are kept in scratch and how long
//! each value lives.
//!
//! Most blocks are never in memory: the loop of the op that needs their elements, a *root*, computes them. Blocks that
//! several roots need and that are dear to compute are kept.

use std::collections::{HashMap, HashSet};

use trident_ir::op::{Class, Group};
use trident_ir::{Block, DType, Func, Op, OpKind, ValueId};

use super::routine::function::{self, Function};

/// A block of this cost is kept if several roots need it.
const DEAR: u32 = 6;

/// What is decided about a function.
pub(super) struct Plan {
    /// Blocks that are computed once, into scratch.
    kept: HashSet<ValueId>,
    /// The position of the last op that needs the value; in a loop that of its end.
    last: Vec<u32>,
    positions: HashMap<*const Op, u32>,
}

impl Plan {
    /// With `wide`, functions that loops can compute are expressions too.
    pub(super) fn new(func: &Func, wide: bool) -> Plan {
        let n = func.values.len();
        let mut lives = Lives {
            last: vec![0; n],
            depth: vec![0; n],
            positions: HashMap::new(),
            used: vec![],
            at: 0,
        };
        lives.block(&func.body);
        let mut forward =
            Forward { func, costs: vec![0; n], rises: vec![None; n], loads: vec![false; n] };
        forward.block(&func.body);
        let Forward { costs, loads, .. } = forward;
        let mut roots = Roots {
            func,
            wide,
            of: vec![Root::None; n],
            depth: lives.depth,
            loops: vec![],
            kept: HashSet::new(),
            repeated: HashSet::new(),
            costs,
            loads,
            next: 0,
        };
        roots.block(&func.body);
        Plan { kept: roots.kept, last: lives.last, positions: lives.positions }
    }

    /// Whether the block is computed once, into scratch.
    pub(super) fn keeps(&self, id: ValueId) -> bool {
        self.kept.contains(&id)
    }

    /// Whether an op behind `op` needs the value.
    pub(super) fn outlives(&self, id: ValueId, op: &Op) -> bool {
        let at = self.positions.get(&std::ptr::from_ref(op)).copied().unwrap_or(0);
        self.last.get(id.index()).is_some_and(|&last| last > at)
    }
}

/// Whether the blocks that the op gives are expressions that any loop can evaluate. A volatile load is done where it stands.
pub(super) fn lazy(op: &Op) -> bool {
    op.decl().is_lazy() && !op.flag("volatile")
}

/// Whether the op on floats is computed block by block, by a routine.
pub(super) fn strip(op: &Op) -> bool {
    match op.kind {
        OpKind::Cast => op.dtype("to").is_some_and(|d| d.is_float() && d.bits() == 8),
        _ => matches!(op.decl().class, Class::Function),
    }
}

/// Whether the op is a function that loops can compute.
fn traced(func: &Func, op: &Op) -> bool {
    let types: Option<Vec<DType>> = op.used().map(|v| func.ty(v).dtype()).collect();
    let function = types.and_then(|types| Function::find(name(op), &types));
    function.is_some_and(|f| function::traced(f).is_some())
}

/// The name of the function that a strip's op is.
pub(super) fn name(op: &Op) -> &str {
    match op.kind {
        OpKind::Libm => op.str("function").unwrap_or_default(),
        kind => kind.decl().name,
    }
}

/// Instructions for one element of a load of neighbouring elements, which vectors do.
const NEAR: u32 = 2;

/// What is estimated from operands to results.
struct Forward<'a> {
    func: &'a Func,
    costs: Vec<u32>,
    /// How much integers and pointers rise along the last axis, where that is 0 or 1.
    rises: Vec<Option<u8>>,
    /// What touches memory to be evaluated.
    loads: Vec<bool>,
}

impl Forward<'_> {
    fn rise(&self, id: ValueId) -> Option<u8> {
        let scalar = self.func.ty(id).dims().is_some_and(|d| d.is_empty());
        if scalar { Some(0) } else { self.rises.get(id.index()).copied().flatten() }
    }

    fn rise_of(&self, op: &Op) -> Option<u8> {
        use OpKind as K;
        let of = |i: usize| self.rise(op.input(i)?);
        match op.kind {
            K::Splat => Some(0),
            K::Constant => match op.attrs.get("value") {
                Some(trident_ir::Attr::Tensor(t)) if t.is_splat() => Some(0),
                _ => None,
            },
            K::Arange => Some(1),
            K::ExpandDims => {
                let rank = self.func.ty(op.output(0)?).dims()?.len();
                let last = op.int("axis").is_some_and(|a| a as usize + 1 == rank);
                if last { Some(0) } else { of(0) }
            }
            K::Broadcast | K::Hint | K::Identity | K::PtrCast | K::Cast => of(0),
            K::Add | K::PtrAdd => match (of(0)?, of(1)?) {
                (a, b) if a + b <= 1 => Some(a + b),
                _ => None,
            },
            K::Sub if of(1)? == 0 => of(0),
            _ if op.decl().group == Group::Elementwise => {
                (0..op.inputs.len()).all(|i| of(i) == Some(0)).then_some(0)
            }
            _ => None,
        }
    }

    fn cost_of(&self, op: &Op) -> u32 {
        match op.kind {
            OpKind::Load if op.input(0).and_then(|p| self.rise(p)).is_some() => NEAR,
            _ => op.decl().cost,
        }
    }

    fn block(&mut self, block: &Block) {
        for op in &block.ops {
            // What is splat is in a register; pointers and masks of neighbours are looked at once for many.
            let apart = !lazy(op) || op.kind == OpKind::Splat;
            let near = op.kind == OpKind::Load && self.cost_of(op) == NEAR;
            let operands = if apart || near {
                0
            } else {
                op.used().map(|v| self.costs.get(v.index()).copied().unwrap_or(0)).sum::<u32>()
            };
            let cost = match lazy(op) {
                true => operands.saturating_add(self.cost_of(op)).min(10_000),
                false => 1,
            };
            let rise = self.rise_of(op);
            let loaded = |v: ValueId| self.loads.get(v.index()).copied().unwrap_or(false);
            let loads = !apart && (op.kind == OpKind::Load || op.used().any(loaded));
            let known = self.costs.len();
            for i in op.defined().map(|out| out.index()).filter(|&i| i < known) {
                (self.costs[i], self.rises[i], self.loads[i]) = (cost, rise, loads);
            }
            // Pointers that a loop carries mostly go on as they begin.
            if op.kind == OpKind::For
                && let Some(region) = op.regions.first()
            {
                let carried = op.inputs.iter().rev().zip(region.params.iter().rev());
                for (init, &param) in carried {
                    let rise = init.as_ref().and_then(|&id| self.rise(id));
                    if let Some(slot) = self.rises.get_mut(param.index()) {
                        *slot = rise;
                    }
                }
            }
            op.regions.iter().for_each(|region| self.block(region));
        }
    }
}

struct Lives {
    last: Vec<u32>,
    depth: Vec<u32>,
    positions: HashMap<*const Op, u32>,
    /// What was used in each of the regions that are open.
    used: Vec<Vec<ValueId>>,
    at: u32,
}

impl Lives {
    fn define(&mut self, id: ValueId) {
        if let Some(depth) = self.depth.get_mut(id.index()) {
            *depth = self.used.len() as u32;
        }
    }

    fn touch(&mut self, id: ValueId) {
        if let Some(last) = self.last.get_mut(id.index()) {
            *last = (*last).max(self.at);
        }
        if let Some(used) = self.used.last_mut() {
            used.push(id);
        }
    }

    fn block(&mut self, block: &Block) {
        block.params.iter().for_each(|&p| self.define(p));
        for op in &block.ops {
            self.at += 1;
            self.positions.insert(std::ptr::from_ref(op), self.at);
            op.used().for_each(|v| self.touch(v));
            op.defined().for_each(|v| self.define(v));
            if op.regions.is_empty() {
                continue;
            }
            self.used.push(vec![]);
            op.regions.iter().for_each(|region| self.block(region));
            self.at += 1;
            let mut used = self.used.pop().unwrap_or_default();
            let depth = self.used.len() as u32;
            used.sort_unstable();
            used.dedup();
            for id in used {
                if self.depth.get(id.index()).is_some_and(|&d| d <= depth) {
                    self.touch(id);
                }
            }
        }
        self.at += 1;
        block.results.iter().for_each(|&r| self.touch(r));
    }
}

/// The ops whose loops evaluate a block.
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
    wide: bool,
    of: Vec<Root>,
    depth: Vec<u32>,
    /// For each region that is open: whether it runs several times.
    loops: Vec<bool>,
    kept: HashSet<ValueId>,
    /// What runs of a loop evaluate again and again.
    repeated: HashSet<ValueId>,
    costs: Vec<u32>,
    loads: Vec<bool>,
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
            if lazy(op) {
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

    fn dear(&self, id: ValueId) -> bool {
        let again =
            self.repeated.contains(&id) && self.loads.get(id.index()).copied().unwrap_or(false);
        again || self.costs.get(id.index()).is_some_and(|&c| c > DEAR)
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
            let keep: Vec<_> = op.defined().filter(|&out| self.dear(out)).collect();
            if !keep.is_empty() && !op.decl().is_view() {
                self.kept.extend(keep);
                root = self.fresh();
            }
        }
        if op.kind == OpKind::Broadcast
            && op.input(0).is_some_and(|x| self.dear(x))
            && root != Root::None
        {
            root = Root::Many;
        }
        for (i, v) in op.used().enumerate() {
            let by_strips = strip(op)
                && self.func.ty(v).dtype().is_some_and(DType::is_float)
                && !(self.wide && traced(self.func, op));
            let own = op.kind == OpKind::TakeAlongAxis && i == 0 || by_strips;
            let root = if own && root != Root::None { self.fresh() } else { root };
            self.add(v, root);
        }
    }
}
