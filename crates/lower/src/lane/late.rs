//! Loads whose elements are read where they are needed, instead of being held in registers from the load on: by the loop of the
//! only op that takes them, which reads them a part at a time. Nothing may write to memory between the load and that op.

use std::collections::{HashMap, HashSet};

use trident_ir::tile::Origins;
use trident_ir::{Block, Func, Op, OpKind as K, ValueId};

use super::emit::{Emitter, Result};
use super::hazard::may_meet;
use super::layout::{Layout, STEP};
use super::plan::{Access, Plan, is_access};
use crate::access::{Bit, Index, Kind, Lanes, NodeId, is_lazy, rename};

/// Most elements that a thread's code writes one after the other; more are written by a loop.
const UNROLLED: usize = 128;

/// log2 of the elements that a step of such a loop writes.
const STEP_REGISTERS: u8 = 4;

/// What the ops of a function tell about late loads.
#[derive(Default)]
pub(super) struct Late<'m> {
    /// The block in which an op stands, and its place there.
    places: HashMap<*const Op, (usize, usize)>,
    /// For each op of each block, whether it may write to memory or waits for who does.
    writes: Vec<Vec<bool>>,
    users: HashMap<ValueId, Vec<&'m Op>>,
    /// Values that regions yield.
    yielded: HashSet<ValueId>,
}

impl<'m> Late<'m> {
    pub(super) fn of(func: &'m Func) -> Late<'m> {
        let mut late = Late::default();
        late.block(&func.body);
        late
    }

    fn block(&mut self, block: &'m Block) {
        let number = self.writes.len();
        self.writes.push(block.ops.iter().map(may_write).collect());
        self.yielded.extend(&block.results);
        for (at, op) in block.ops.iter().enumerate() {
            self.places.insert(std::ptr::from_ref(op), (number, at));
            op.used().for_each(|id| self.users.entry(id).or_default().push(op));
            op.regions.iter().for_each(|region| self.block(region));
        }
    }

    /// The loads that give a block's elements at an index which a loop's counter tells in part, if `root`, which opens that loop,
    /// can make all of them.
    pub(super) fn loads(
        &self,
        plan: &Plan<'m>,
        root: &Op,
        node: NodeId,
        index: &Index,
    ) -> Option<HashSet<NodeId>> {
        let mut search =
            Search { late: self, plan, root, seen: HashSet::new(), found: HashSet::new() };
        search.node(node, index).then_some(search.found)
    }

    /// The stores of so many elements that a loop writes them, each by its number among the accesses, with the layout by which
    /// steps write and the loads of which they read elements. A step must not write what a later one reads, so loads are of other
    /// memory.
    pub(super) fn stores(
        &self,
        plan: &Plan<'m>,
        func: &str,
        origins: &Origins<'_>,
    ) -> Vec<(usize, (Layout, HashSet<NodeId>))> {
        let long = plan.accesses.iter().enumerate().filter(|(_, access)| {
            access.op.kind == K::Store && access.layout.registers() > UNROLLED
        });
        let origin = |op: &Op| op.input(0).map(|ptr| origins.of(func, ptr)).unwrap_or_default();
        let looped = |(at, access): (usize, &Access<'m>)| {
            let layout = access.layout.looped(STEP_REGISTERS);
            let index = layout.at(0);
            let mut loads = HashSet::new();
            for node in [Some(access.ptr), access.mask, access.value].into_iter().flatten() {
                let index = plan.graph.operand_index(node, &index);
                loads.extend(self.loads(plan, access.op, node, &index)?);
            }
            let written = origin(access.op);
            let reads_other = |node: &NodeId| {
                let load = plan.accesses.iter().find(|access| access.loaded == Some(*node));
                load.is_some_and(|load| !may_meet(&origin(load.op), &written))
            };
            loads.iter().all(reads_other).then_some((at, (layout, loads)))
        };
        long.filter_map(looped).collect()
    }

    /// Whether nothing is written from one op to a later one of the same block.
    fn is_quiet(&self, from: &Op, to: &Op) -> bool {
        let place = |op| self.places.get(&std::ptr::from_ref::<Op>(op)).copied();
        let (Some((block, first)), Some((other, last))) = (place(from), place(to)) else {
            return false;
        };
        let between = self.writes.get(block).and_then(|writes| writes.get(first..last));
        block == other && between.is_some_and(|writes| !writes.contains(&true))
    }

    /// Whether nothing but `root` needs the value.
    fn is_for(&self, id: ValueId, root: &Op) -> bool {
        let (mut all, mut seen) = (vec![id], HashSet::new());
        while let Some(id) = all.pop() {
            if self.yielded.contains(&id) {
                return false;
            }
            let users = self.users.get(&id).map(Vec::as_slice).unwrap_or_default();
            for user in users.iter().filter(|user| !std::ptr::eq(**user, root)) {
                if user.kind == K::Load || !is_lazy(user) {
                    return false;
                }
                all.extend(user.defined().filter(|&id| seen.insert(id)));
            }
        }
        true
    }
}

/// Whether the op may write to memory, or other threads may have written when it is done.
fn may_write(op: &Op) -> bool {
    let writes = |op: &Op| op.kind != K::Load && is_access(op.kind) || op.kind == K::Barrier;
    let mut found = writes(op);
    op.regions.iter().for_each(|region| region.walk(&mut |op| found |= writes(op)));
    found
}

struct Search<'a, 'm> {
    late: &'a Late<'m>,
    plan: &'a Plan<'m>,
    root: &'a Op,
    seen: HashSet<(NodeId, Index)>,
    found: HashSet<NodeId>,
}

impl Search<'_, '_> {
    /// Whether the elements at an index can be computed in the loop.
    fn node(&mut self, node: NodeId, index: &Index) -> bool {
        if !is_stepped(index) || !self.seen.insert((node, index.clone())) {
            return true;
        }
        match &self.plan.graph[node].kind {
            Kind::Uniform(_) | Kind::Iota(_) => true,
            Kind::View(of, map) => self.node(*of, &rename(map, index)),
            Kind::Apply(_, operands) => operands.iter().all(|&x| self.operand(x, index)),
            Kind::Choose { from, map, .. } => {
                let at = rename(map, index);
                from.iter().all(|&from| self.node(from, &at))
            }
            Kind::Load { ptr, mask, other, .. } => {
                let access = self.plan.accesses.iter().find(|access| access.loaded == Some(node));
                let waits = access.is_some_and(|access| {
                    let mut outputs = access.op.defined();
                    self.late.is_quiet(access.op, self.root)
                        && outputs.all(|id| self.late.is_for(id, self.root))
                });
                self.found.insert(node);
                let mut operands = [Some(*ptr), *mask, *other].into_iter().flatten();
                waits && operands.all(|x| self.operand(x, index))
            }
            Kind::Buffer(_) | Kind::Take { .. } => false,
        }
    }

    fn operand(&mut self, node: NodeId, index: &Index) -> bool {
        let index = self.plan.graph.operand_index(node, index);
        self.node(node, &index)
    }
}

/// Whether a loop's counter tells a part of an index.
pub(super) fn is_stepped(index: &Index) -> bool {
    index.iter().any(|bit| matches!(bit, Bit::Of { var: STEP, .. }))
}

impl<'m> Emitter<'_, 'm> {
    /// An element of a late load. Its neighbours in a vector become known with it.
    pub(super) fn read_late(
        &mut self,
        access: &Access<'m>,
        node: NodeId,
        index: &Index,
    ) -> Result<ValueId> {
        let start = usize::from(access.lanes.start);
        let is_known = |bit: &u8| matches!(index[start + usize::from(*bit)], Bit::Const(_));
        let bits = (0..access.lanes.bits).take_while(is_known).count();
        let lane = |n: usize| -> Index {
            let own = index.iter().enumerate().map(|(at, bit)| match at.checked_sub(start) {
                Some(at) if at < bits => Bit::Const(n >> at & 1 == 1),
                _ => *bit,
            });
            own.collect()
        };
        let group: Vec<Index> = (0..1 << bits).map(lane).collect();
        let lanes = Lanes { bits: bits as u8, ..access.lanes };
        let values = self.read_group(access, lanes, &group)?;
        let own = group.iter().position(|other| other == index).and_then(|at| values.get(at));
        let own = own.copied().ok_or_else(|| self.missing("a vector lacks an element"))?;
        for (index, value) in group.into_iter().zip(values) {
            self.scope().elements.insert((node, index), value);
        }
        Ok(own)
    }
}
