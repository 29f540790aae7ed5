//! Loads whose elements are read where they are needed, instead of being held in registers from the load on: by the loops of the
//! only ops that take them, which read them a part at a time. Nothing may write to memory between the load and these ops.

use std::collections::{HashMap, HashSet};

use trident_ir::tile::Origins;
use trident_ir::{Block, Func, Op, OpKind as K, ValueId};

use super::emit::{Emitter, Result};
use super::hazard::may_meet;
use super::layout::{Layout, STEP};
use super::plan::{Access, LanePlan, PTR, is_access};
use super::reduce::Reduction;
use trident_tile_analysis::{Bit, Index, Kind, LaneBits, NodeId, axes, is_lazy, rename};

/// Most elements that a thread's code writes or reduces one after the other; more are by a loop.
const UNROLLED: usize = 128;

/// log2 of the elements that a step of such a loop takes.
const STEP_REGISTERS: u8 = 4;

/// The op that a loop computes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Looped {
    /// The store with this number among the accesses.
    Store(usize),
    /// The reduction with this first result.
    Reduction(ValueId),
}

/// A loop, the layout of its steps' elements, and the loads that they read.
pub(super) type Loop = (Looped, Layout, HashSet<NodeId>);

/// An op that a loop may compute.
struct Candidate<'m> {
    what: Looped,
    op: &'m Op,
    operands: Vec<NodeId>,
    /// Layouts of a step, the best first.
    layouts: Vec<Layout>,
}

/// Facts about the ops of a function that decide on late loads.
#[derive(Default)]
pub(super) struct Late<'m> {
    /// The block that contains an op, and its position there.
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

    /// The loads behind a block's elements at an index that partly consists of a loop's counter, if `root`, which opens
    /// that loop, can make all of them. Only `roots` may need the elements.
    pub(super) fn loads(
        &self,
        plan: &LanePlan<'m>,
        (root, roots): (&Op, &[&Op]),
        nodes: &[NodeId],
        index: &Index,
    ) -> Option<HashSet<NodeId>> {
        let mut search =
            Search { late: self, plan, root, roots, seen: HashSet::new(), found: HashSet::new() };
        nodes.iter().all(|&node| search.operand(node, index)).then_some(search.found)
    }

    /// The loops that write or reduce blocks with too many elements for a thread's registers. Several of them may read
    /// the elements of a load, each separately.
    pub(super) fn loops(
        &self,
        plan: &LanePlan<'m>,
        func: &'m Func,
        origins: &Origins<'_>,
    ) -> Vec<Loop> {
        let origin =
            |op: &Op| op.input(PTR).map(|ptr| origins.of(&func.name, ptr)).unwrap_or_default();
        let mut candidates = stores(plan);
        candidates.extend(reductions(plan, func));
        loop {
            let roots: Vec<&Op> = candidates.iter().map(|candidate| candidate.op).collect();
            let by_loop = |Candidate { what, op, operands, layouts }: &Candidate<'m>| {
                // A step must not write what a later one reads.
                let reads_other = |node: &NodeId| match what {
                    Looped::Reduction(_) => true,
                    Looped::Store(_) => {
                        let load = plan.accesses.iter().find(|a| a.loaded == Some(*node));
                        load.is_some_and(|load| !may_meet(&origin(load.op), &origin(op)))
                    }
                };
                layouts.iter().find_map(|layout| {
                    let loads = self.loads(plan, (*op, &roots), operands, &layout.at(0))?;
                    loads.iter().all(reads_other).then(|| (*what, layout.clone(), loads))
                })
            };
            let found: Vec<Option<Loop>> = candidates.iter().map(by_loop).collect();
            if found.iter().all(Option::is_some) {
                return found.into_iter().flatten().collect();
            }
            // An op without a loop needs its elements in registers, and then all uses take them from there.
            let mut kept = found.iter().map(Option::is_some);
            candidates.retain(|_| kept.next().unwrap_or(false));
        }
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

    /// Whether only these ops need the value.
    fn is_for(&self, id: ValueId, roots: &[&Op]) -> bool {
        let (mut all, mut seen) = (vec![id], HashSet::new());
        while let Some(id) = all.pop() {
            if self.yielded.contains(&id) {
                return false;
            }
            let users = self.users.get(&id).map(Vec::as_slice).unwrap_or_default();
            let is_root = |user: &Op| roots.iter().any(|root| std::ptr::eq(*root, user));
            for user in users.iter().filter(|user| !is_root(user)) {
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

/// The stores with so many elements that they need a loop.
fn stores<'m>(plan: &LanePlan<'m>) -> Vec<Candidate<'m>> {
    let long =
        plan.accesses.iter().enumerate().filter(|(_, access)| {
            access.op.kind == K::Store && access.layout.registers() > UNROLLED
        });
    let candidate = |(at, access): (usize, &Access<'m>)| {
        let whole = access.layout.looped(0..access.layout.rank() as u8, STEP_REGISTERS);
        let (start, bits) = axes(&access.dims).get(access.axis).copied().unwrap_or_default();
        // Other axes may have results of reductions, whose registers no step can choose.
        let along = access.layout.looped(start..start + bits, STEP_REGISTERS);
        Candidate {
            what: Looped::Store(at),
            op: access.op,
            operands: [Some(access.ptr), access.mask, access.value].into_iter().flatten().collect(),
            layouts: [whole, along].into_iter().filter(|l| l.registers() <= UNROLLED).collect(),
        }
    };
    long.map(candidate).collect()
}

/// The reductions of so many elements that they need a loop.
fn reductions<'m>(plan: &LanePlan<'m>, func: &'m Func) -> Vec<Candidate<'m>> {
    let mut found = vec![];
    func.body.walk(&mut |op: &'m Op| {
        let (K::Reduce, Some(result)) = (op.kind, op.defined().next()) else { return };
        let Ok(Reduction { nodes, layout, start, bits, .. }) = Reduction::of(plan, func, op) else {
            return;
        };
        if layout.registers() > UNROLLED {
            let layout = layout.looped(start..start + bits, STEP_REGISTERS);
            let layouts = Some(layout).filter(|layout| layout.registers() <= UNROLLED);
            let (what, layouts) = (Looped::Reduction(result), layouts.into_iter().collect());
            found.push(Candidate { what, op, operands: nodes, layouts });
        }
    });
    found
}

struct Search<'a, 'm> {
    late: &'a Late<'m>,
    plan: &'a LanePlan<'m>,
    root: &'a Op,
    roots: &'a [&'a Op],
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
                        && outputs.all(|id| self.late.is_for(id, self.roots))
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
        let lanes = LaneBits { bits: bits as u8, ..access.lanes };
        let values = self.read_group(access, lanes, &group)?;
        let own = group.iter().position(|other| other == index).and_then(|at| values.get(at));
        let own = own.copied().ok_or_else(|| self.malformed("a vector lacks an element"))?;
        for (index, value) in group.into_iter().zip(values) {
            self.scope().elements.insert((node, index), value);
        }
        Ok(own)
    }
}
