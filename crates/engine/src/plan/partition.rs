//! Which ops of a block go together to a device: the claims that cost least.

use super::lifetime::Ends;
use std::collections::HashSet;
use std::sync::Arc;
use trident_ir::{Func, Op, OpKind, ValueId};
use trident_runtime::{Claim, Device};

/// A device that would run an op by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) nanos: f64,
    /// The device's place in the list.
    pub(super) place: usize,
}

/// Consecutive ops that one device is to run as a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) len: usize,
    /// The device's place in the list.
    pub(super) place: usize,
    pub(super) nanos: f64,
}

/// A block's ops as devices would share them.
pub(super) struct Partition {
    offers: Vec<Vec<Offer>>,
    /// By the place of a region's first op.
    regions: Vec<Option<Region>>,
}

/// What the engine runs by itself.
pub(super) fn is_control(kind: OpKind) -> bool {
    matches!(kind, OpKind::If | OpKind::Loop | OpKind::Scan)
}

/// What an op costs that nobody claims: more than any op that somebody does.
const UNCLAIMED: f64 = 1e18;

impl Partition {
    /// Asks the devices, and chooses among regions and single ops what costs least in all. What it takes to move values
    /// between devices is taken to be nothing, as memory is unified.
    pub(super) fn of(func: &Func, ops: &[Op], devices: &[Arc<dyn Device>]) -> Partition {
        let mut offers = vec![vec![]; ops.len()];
        // Claims of several ops by the place behind their last.
        let mut wide: Vec<Vec<Region>> = vec![vec![]; ops.len() + 1];
        let mut any = false;
        for (place, device) in devices.iter().enumerate() {
            for Claim { ops: claimed, cost } in device.claim(func, ops) {
                let Some(own) = ops.get(claimed.clone()) else { continue };
                let nanos = cost.nanos;
                match own {
                    [] => {}
                    [_] => offers[claimed.start].push(Offer { nanos, place }),
                    _ if own.iter().any(|op| is_control(op.kind)) => {}
                    _ => {
                        any = true;
                        wide[claimed.end].push(Region { len: claimed.len(), place, nanos });
                    }
                }
            }
        }
        let regions = match any {
            true => cheapest(ops, &offers, &wide),
            false => vec![None; ops.len()],
        };
        Partition { offers, regions }
    }

    /// The devices that would run op `i` by itself.
    pub(super) fn offers(&self, i: usize) -> &[Offer] {
        &self.offers[i]
    }

    /// The region that begins with op `i`.
    pub(super) fn region(&self, i: usize) -> Option<Region> {
        self.regions[i]
    }
}

/// The cheapest way through the block, found from its beginning: for each place the least that the ops before it cost.
fn cheapest(ops: &[Op], offers: &[Vec<Offer>], wide: &[Vec<Region>]) -> Vec<Option<Region>> {
    let mut best: Vec<(f64, Option<Region>)> = vec![(0.0, None)];
    for (i, op) in ops.iter().enumerate() {
        let alone = match op.kind == OpKind::Constant || is_control(op.kind) {
            true => 0.0,
            false => offers[i].iter().map(|offer| offer.nanos).fold(UNCLAIMED, f64::min),
        };
        let mut least = (best[i].0 + alone, None);
        for region in &wide[i + 1] {
            let total = best[i + 1 - region.len].0 + region.nanos;
            // Of equal ones the larger region: fewer launches.
            if total <= least.0 {
                least = (total, Some(*region));
            }
        }
        best.push(least);
    }
    let mut regions = vec![None; ops.len()];
    let mut end = ops.len();
    while end > 0 {
        let region = best[end].1;
        end -= region.map_or(1, |region| region.len);
        regions[end] = region;
    }
    regions
}

/// The values that cross the border of a region.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Border {
    /// Those that come in, in the order of their first use, and whether nobody uses them after the region.
    pub(super) inputs: Vec<(ValueId, bool)>,
    /// Those that go out, in the order in which they are made.
    pub(super) outputs: Vec<ValueId>,
    /// Those from outside whose last use is within, but that do not come in.
    pub(super) dead: Vec<ValueId>,
}

impl Border {
    pub(super) fn of(ops: &[(Op, Ends)]) -> Border {
        let defined: HashSet<ValueId> = ops.iter().flat_map(|(op, _)| op.defined()).collect();
        let mut ended = HashSet::new();
        let mut inputs: Vec<(ValueId, bool)> = vec![];
        for (op, ends) in ops {
            ended.extend(ends.dead.iter().copied());
            for (value, moved) in op.inputs.iter().zip(&ends.moved) {
                let Some(value) = *value else { continue };
                if *moved {
                    ended.insert(value);
                }
                if !defined.contains(&value) && !inputs.iter().any(|(v, _)| *v == value) {
                    inputs.push((value, false));
                }
            }
        }
        for (value, last) in &mut inputs {
            *last = ended.contains(value);
        }
        let made = ops.iter().flat_map(|(op, _)| op.defined());
        let outputs = made.filter(|v| !ended.contains(v)).collect();
        let comes_in = |v: &ValueId| inputs.iter().any(|(input, _)| input == v);
        let dead = ended.iter().filter(|v| !defined.contains(v) && !comes_in(v)).copied();
        let dead = dead.collect();
        Border { inputs, outputs, dead }
    }
}
