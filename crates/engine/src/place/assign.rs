//! Chooses a device for each op of a block: the cheapest assignment, with a cost for every edge between devices.

use super::cut::{NEVER, cheapest};
use super::graph::Graph;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use trident_ir::{Block, Func, Op, OpKind, ValueId};
use trident_runtime::{Claim, Device};

/// The number of times that the body of a loop counts.
const TRIPS: f64 = 16.0;

/// The units of costs in a nanosecond.
const UNITS: f64 = 1e3;

/// Where an op runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// On no device: a constant, which follows its uses.
    Anywhere,
    /// In the engine: control flow over ops of several devices. Also ops that no device claims.
    Engine,
    /// On the device at this position of the list.
    Device(usize),
}

/// A block's ops, assigned to devices.
pub(super) struct Assigned {
    /// By op.
    pub(super) targets: Vec<Target>,
    /// Ops that one device runs as a unit, with its position in the list.
    pub(super) units: Vec<(Vec<usize>, usize)>,
    /// The regions of control flow that the engine runs, by op.
    pub(super) nested: HashMap<usize, Vec<Assigned>>,
    /// The cost of all ops on one device; `None` if it does not claim them all.
    totals: Vec<Option<f64>>,
}

impl Assigned {
    /// The device that runs all ops, regions included.
    pub(super) fn device(&self) -> Option<usize> {
        let placed = self.targets.iter().filter(|target| **target != Target::Anywhere);
        let mut devices = placed.map(|target| match target {
            Target::Device(device) if self.units.is_empty() => Some(*device),
            _ => None,
        });
        let first = devices.next()??;
        devices.all(|device| device == Some(first)).then_some(first)
    }

    /// Whether there is nothing to run.
    fn is_empty(&self) -> bool {
        self.targets.iter().all(|target| *target == Target::Anywhere)
    }
}

/// Whether an op is a constant, or stands for a constant until a device folds it or computes on its operands.
pub(super) fn is_constant(op: &Op, constants: &HashSet<ValueId>) -> bool {
    match op.kind {
        OpKind::Constant => true,
        OpKind::DequantizeLinear => op.used().all(|v| constants.contains(&v)),
        _ => false,
    }
}

/// Whether the engine itself runs the op.
pub(crate) fn is_control(kind: OpKind) -> bool {
    matches!(kind, OpKind::If | OpKind::Loop | OpKind::Scan)
}

/// Assigns the ops of a block, and those of its regions. `constants` are the constants of the blocks around it.
pub(super) fn assign(
    func: &Func,
    block: &Block,
    devices: &[Arc<dyn Device>],
    constants: &HashSet<ValueId>,
) -> Assigned {
    let mut constants = constants.clone();
    let mut rows: Vec<Row> = vec![];
    for op in &block.ops {
        rows.push(match is_constant(op, &constants) {
            true => {
                constants.extend(op.defined());
                Row::Anywhere
            }
            false => Row::On(vec![None; devices.len()]),
        });
    }
    let mut wide = vec![];
    for (device, claims) in devices.iter().map(|device| device.claim(func, &block.ops)).enumerate()
    {
        for Claim { ops, cost } in claims {
            match ops.as_slice() {
                &[op] => {
                    if let Some(Row::On(nanos)) = rows.get_mut(op) {
                        nanos[device] = Some(nanos[device].unwrap_or(f64::MAX).min(cost.nanos));
                    }
                }
                _ => wide.push(Unit { ops, device, nanos: cost.nanos }),
            }
        }
    }
    let mut nested = HashMap::new();
    for (i, op) in block.ops.iter().enumerate().filter(|(_, op)| is_control(op.kind)) {
        let regions = op.regions.iter().map(|r| assign(func, r, devices, &constants));
        let regions: Vec<Assigned> = regions.collect();
        rows[i] = control(op, &regions, devices.len());
        nested.insert(i, regions);
    }
    if let [_] = devices {
        // With a single device, everything counts as claimed: the device then gives the reason for what it cannot run.
        rows.iter_mut().for_each(|row| row.claim());
    }
    let graph = Graph::of(block);
    let crossings = devices.iter().map(|device| device.crossing_nanos()).collect();
    let mut solved = Solved::of(&graph, rows, crossings);
    let units = solved.choose(&graph, wide);
    nested.retain(|i, _| solved.targets[*i] == Target::Engine);
    let totals = (0..devices.len()).map(|device| solved.total(device)).collect();
    Assigned { targets: solved.targets, units, nested, totals }
}

/// Control flow runs on the device that runs all of its regions.
fn control(op: &Op, regions: &[Assigned], devices: usize) -> Row {
    let mut all = regions.iter().filter(|region| !region.is_empty());
    let uniform = match all.next().map(Assigned::device) {
        None => true,
        Some(None) => false,
        Some(first) => all.all(|region| region.device() == first),
    };
    if !uniform {
        return Row::Engine;
    }
    let trips = if op.kind == OpKind::If { 1.0 } else { TRIPS };
    let cost = |device: usize| {
        let costs = regions.iter().map(|region| region.totals[device]);
        costs.sum::<Option<f64>>().map(|nanos| nanos * trips)
    };
    Row::On((0..devices).map(cost).collect())
}

/// The costs of an op in nanoseconds.
enum Row {
    Anywhere,
    Engine,
    /// The costs by device; `None` for devices that do not claim it.
    On(Vec<Option<f64>>),
}

impl Row {
    /// Has the first device claim the op.
    fn claim(&mut self) {
        if let Row::On(nanos) = self
            && let Some(first) = nanos.first_mut()
        {
            first.get_or_insert(0.0);
        }
    }
}

/// The nanoseconds between an op on one device and one on another that uses its result.
fn between(crossings: &[f64], a: usize, b: usize) -> f64 {
    if a == b { 0.0 } else { crossings[a].max(crossings[b]) }
}

/// A claim of several ops.
struct Unit {
    ops: Vec<usize>,
    device: usize,
    nanos: f64,
}

/// The cheapest assignment.
struct Solved {
    rows: Vec<Row>,
    targets: Vec<Target>,
    /// By device.
    crossings: Vec<f64>,
}

impl Solved {
    fn of(graph: &Graph, rows: Vec<Row>, crossings: Vec<f64>) -> Solved {
        let unit = |nanos: &Option<f64>| match nanos {
            Some(nanos) => ((nanos * UNITS) as i64).clamp(0, NEVER / 2),
            None => NEVER,
        };
        let mut targets = vec![];
        let (mut places, mut costs) = (vec![None; rows.len()], vec![]);
        for (i, row) in rows.iter().enumerate() {
            targets.push(match row {
                Row::Anywhere => Target::Anywhere,
                Row::On(nanos) if nanos.iter().any(Option::is_some) => {
                    places[i] = Some(costs.len());
                    costs.push(nanos.iter().map(unit).collect::<Vec<_>>());
                    Target::Device(0)
                }
                _ => Target::Engine,
            });
        }
        let edges = graph.edges().filter_map(|(p, q)| Some((places[p]?, places[q]?)));
        let edges: Vec<(usize, usize)> = edges.collect();
        let crossing = |a, b| (between(&crossings, a, b) * UNITS) as i64;
        let labels = cheapest(&costs, &edges, &crossing);
        for (target, place) in targets.iter_mut().zip(places) {
            if let Some(place) = place {
                *target = Target::Device(labels[place]);
            }
        }
        Solved { rows, targets, crossings }
    }

    /// The cost of all ops on one device.
    fn total(&self, device: usize) -> Option<f64> {
        let costs = self.rows.iter().filter_map(|row| match row {
            Row::Anywhere => None,
            Row::Engine => Some(None),
            Row::On(nanos) => Some(nanos[device]),
        });
        costs.sum()
    }

    /// Takes the units that cost less than their ops do now, the greatest savings first. A unit that saves nothing is
    /// taken too, because it is one launch. Ops that are not connected within a region, or that the engine runs, cannot
    /// be a unit.
    fn choose(&mut self, graph: &Graph, mut wide: Vec<Unit>) -> Vec<(Vec<usize>, usize)> {
        let mut taken: Vec<(Vec<usize>, usize)> = vec![];
        for unit in &mut wide {
            let is_op = |i: &usize| matches!(self.rows.get(*i), Some(Row::On(_)));
            let known = unit.ops.iter().all(|i| is_op(i) || self.is_anywhere(*i));
            unit.ops.retain(is_op);
            unit.ops.sort_unstable();
            unit.ops.dedup();
            if !known || unit.ops.len() < 2 || !graph.is_region(&unit.ops) {
                unit.ops.clear();
            }
        }
        wide.retain(|unit| !unit.ops.is_empty());
        loop {
            let free = |unit: &&Unit| {
                !taken.iter().any(|(ops, _)| ops.iter().any(|op| unit.ops.contains(op)))
            };
            let savings = wide.iter().filter(free).map(|unit| (self.saving(graph, unit), unit));
            let best =
                savings.max_by(|(a, x), (b, y)| a.total_cmp(b).then(x.ops.len().cmp(&y.ops.len())));
            let Some((saving, unit)) = best else { break };
            if saving < 0.0 {
                break;
            }
            unit.ops.iter().for_each(|&op| self.targets[op] = Target::Device(unit.device));
            taken.push((unit.ops.clone(), unit.device));
        }
        taken
    }

    fn is_anywhere(&self, op: usize) -> bool {
        matches!(self.rows.get(op), Some(Row::Anywhere))
    }

    /// The nanoseconds that a unit takes less than its ops do now.
    fn saving(&self, graph: &Graph, unit: &Unit) -> f64 {
        /// More than any op takes.
        const UNCLAIMED: f64 = 1e18;
        let now: f64 = unit
            .ops
            .iter()
            .map(|&op| match (&self.rows[op], self.targets[op]) {
                (Row::On(nanos), Target::Device(device)) => nanos[device].unwrap_or(UNCLAIMED),
                _ => UNCLAIMED,
            })
            .sum();
        let inside = |op: usize| unit.ops.binary_search(&op).is_ok();
        let on = |op: usize, moved: bool| match self.targets[op] {
            _ if moved && inside(op) => Some(unit.device),
            Target::Device(device) => Some(device),
            _ => None,
        };
        let crossings = |moved: bool| {
            let edges = graph.edges().filter(|(p, q)| inside(*p) || inside(*q));
            let costs = edges.map(|(p, q)| match (on(p, moved), on(q, moved)) {
                (Some(p), Some(q)) => between(&self.crossings, p, q),
                _ => 0.0,
            });
            costs.sum::<f64>()
        };
        now + crossings(false) - unit.nanos - crossings(true)
    }
}
