//! Forms regions, and replaces each by its device's rewritten form.

use super::assign::{Assigned, Target, assign, is_constant};
use super::graph::{Graph, Groups, used};
use super::{Placement, Region};
use crate::error::PlanError;
use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::Arc;
use trident_ir::rewrite::{Context, RewriteReport};
use trident_ir::{Block, Func, Op, OpKind, ValueId};
use trident_runtime::Device;

/// Places the ops of a canonical function, and has the devices rewrite their regions.
pub(crate) fn place(
    func: &mut Func,
    devices: &[Arc<dyn Device>],
    cx: &Context<'_>,
) -> Result<(RewriteReport, Placement), PlanError> {
    let assigned = assign(func, &func.body, devices, &HashSet::new());
    let mut regions =
        Regions { devices, cx, list: vec![], of: HashMap::new(), report: RewriteReport::default() };
    match assigned.device() {
        // A whole function is rewritten as it is.
        Some(device) => {
            regions.list.push(Region { device, unit: false });
            regions.report.add(devices[device].rewrite(func, cx)?.passes);
            regions.report.add(trident_passes::finish(func, cx)?.passes);
            let mut placement = Placement { regions: regions.list, ops: vec![] };
            func.body.walk(&mut |op| {
                placement.ops.push((op.kind != OpKind::Constant).then_some(0));
            });
            return Ok((regions.report, placement));
        }
        None => {
            let body = mem::take(&mut func.body);
            func.body = regions.block(func, body, &assigned, &HashMap::new())?;
            drop_constants(func);
        }
    }
    regions.report.add(trident_passes::finish(func, cx)?.passes);
    let placement = Placement::new(regions.list, &func.body, &regions.of);
    Ok((regions.report, placement))
}

struct Regions<'a> {
    devices: &'a [Arc<dyn Device>],
    cx: &'a Context<'a>,
    list: Vec<Region>,
    /// The region of an op, by the values that it defines.
    of: HashMap<ValueId, usize>,
    report: RewriteReport,
}

/// Constants by the values that they define.
type Constants = HashMap<ValueId, Op>;

impl Regions<'_> {
    /// Rewrites the regions of a block. `constants` are those of the blocks around it.
    fn block(
        &mut self,
        func: &mut Func,
        mut block: Block,
        assigned: &Assigned,
        constants: &Constants,
    ) -> Result<Block, PlanError> {
        let graph = Graph::of(&block);
        let groups = groups(&graph, assigned);
        let mut constants = constants.clone();
        let mut taken: Vec<Option<Op>> = mem::take(&mut block.ops).into_iter().map(Some).collect();
        let mut ops = vec![];
        for (slot, target) in taken.iter_mut().zip(&assigned.targets) {
            if let (Target::Anywhere, Some(op)) = (target, slot.as_ref()) {
                constants.extend(op.defined().map(|v| (v, op.clone())));
                ops.extend(slot.take());
            }
        }
        // The number of uses of each value outside of regions, and in regions that are not rewritten yet.
        let mut uses: HashMap<ValueId, usize> = HashMap::new();
        let count =
            |v: ValueId, uses: &mut HashMap<ValueId, usize>| *uses.entry(v).or_default() += 1;
        block.results.iter().for_each(|v| count(*v, &mut uses));
        taken.iter().flatten().flat_map(used).for_each(|v| count(v, &mut uses));
        for group in groups {
            let Some(&first) = group.first() else { continue };
            let own: Vec<Op> = group.iter().filter_map(|&i| taken[i].take()).collect();
            for v in own.iter().flat_map(used) {
                uses.entry(v).and_modify(|n| *n -= 1);
            }
            match assigned.targets[first] {
                Target::Device(device) => {
                    let unit = assigned.units.iter().any(|(ops, _)| ops.contains(&first));
                    let is_used = |v: ValueId| uses.get(&v).is_some_and(|n| *n > 0);
                    let region = Region { device, unit };
                    ops.extend(self.region(func, own, region, &constants, &is_used)?);
                }
                _ => {
                    for mut op in own {
                        if let Some(nested) = assigned.nested.get(&first) {
                            let regions = mem::take(&mut op.regions).into_iter().zip(nested);
                            let regions =
                                regions.map(|(r, own)| self.block(func, r, own, &constants));
                            op.regions = regions.collect::<Result<_, _>>()?;
                        }
                        ops.push(op);
                    }
                }
            }
        }
        Ok(Block { ops, ..block })
    }

    /// Has the device of a region rewrite its ops. `is_used` says whether others use a value.
    fn region(
        &mut self,
        func: &mut Func,
        ops: Vec<Op>,
        region: Region,
        constants: &Constants,
        is_used: &dyn Fn(ValueId) -> bool,
    ) -> Result<Vec<Op>, PlanError> {
        let defined: HashSet<ValueId> = ops.iter().flat_map(Op::defined).collect();
        let (mut params, mut known) = (vec![], vec![]);
        let mut seen = HashSet::new();
        let mut pending: Vec<ValueId> = ops.iter().flat_map(used).collect();
        pending.reverse();
        while let Some(v) = pending.pop() {
            if defined.contains(&v) || !seen.insert(v) {
                continue;
            }
            match constants.get(&v) {
                Some(op) => {
                    pending.extend(op.used());
                    known.push(op.clone());
                }
                None => params.push(v),
            }
        }
        // The operands of a constant were found after it.
        known.reverse();
        let results: Vec<ValueId> =
            ops.iter().flat_map(Op::defined).filter(|v| is_used(*v)).collect();
        known.extend(ops);
        func.body = Block { params, ops: known, results: results.clone() };
        let cx = Context { part: true, ..*self.cx };
        let device = &self.devices[region.device];
        self.report.add(device.rewrite(func, &cx)?.passes);
        let body = mem::take(&mut func.body);
        if body.results != results {
            let op = format!("function `{}`", func.name);
            let reason = format!(
                "internal error: device `{}` changed the results of an optimised part; please report it with the model",
                device.info().name
            );
            return Err(PlanError::Malformed { op: op.into(), reason });
        }
        let at = self.list.len();
        self.list.push(region);
        let is_known = |op: &Op| op.defined().any(|v| constants.contains_key(&v));
        let ops: Vec<Op> = body.ops.into_iter().filter(|op| !is_known(op)).collect();
        for op in ops.iter().filter(|op| op.kind != OpKind::Constant) {
            self.note(op, at);
        }
        Ok(ops)
    }

    /// Notes the region of an op, and of those in its regions.
    fn note(&mut self, op: &Op, region: usize) {
        self.of.extend(op.defined().map(|v| (v, region)));
        for block in &op.regions {
            for inner in block.ops.iter().filter(|op| op.kind != OpKind::Constant) {
                self.note(inner, region);
            }
        }
    }
}

/// The groups of a block's ops, in order: each is a region, or an op that the engine runs.
fn groups(graph: &Graph, assigned: &Assigned) -> Vec<Vec<usize>> {
    let targets = &assigned.targets;
    let placed = (0..targets.len()).filter(|&i| targets[i] != Target::Anywhere);
    let mut groups = Groups::new(graph, placed);
    let mut in_unit = vec![false; targets.len()];
    for (ops, _) in &assigned.units {
        for op in ops {
            in_unit[*op] = true;
            if let (Some(a), Some(b)) = (groups.of(ops[0]), groups.of(*op)) {
                groups.merge(a, b);
            }
        }
    }
    for i in 0..targets.len() {
        let Target::Device(_) = targets[i] else { continue };
        for &before in graph.before(i) {
            if targets[before] == targets[i]
                && !in_unit[before]
                && !in_unit[i]
                && let (Some(a), Some(b)) = (groups.of(before), groups.of(i))
            {
                groups.merge(a, b);
            }
        }
    }
    groups.in_order()
}

/// Drops constants that are unused since devices folded them.
fn drop_constants(func: &mut Func) {
    let mut uses = func.body.uses();
    drop_unused(&mut func.body, &mut uses);
}

fn drop_unused(block: &mut Block, uses: &mut HashMap<ValueId, usize>) {
    let mut constants = HashSet::new();
    let mut removable = vec![];
    for op in &block.ops {
        let constant = is_constant(op, &constants);
        if constant {
            constants.extend(op.defined());
        }
        removable.push(constant);
    }
    let mut kept = vec![];
    for (mut op, removable) in mem::take(&mut block.ops).into_iter().zip(removable).rev() {
        for region in &mut op.regions {
            drop_unused(region, uses);
        }
        if removable && op.defined().all(|v| uses.get(&v).is_none_or(|n| *n == 0)) {
            for v in op.used() {
                uses.entry(v).and_modify(|n| *n = n.saturating_sub(1));
            }
        } else {
            kept.push(op);
        }
    }
    kept.reverse();
    block.ops = kept;
}
