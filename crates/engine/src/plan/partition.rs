//! Partitions the ops of a block among devices, choosing the cheapest claims.

use super::lifetime::Ends;
use std::collections::HashSet;
use std::sync::Arc;
use trident_ir::{Func, Op, OpKind, ValueId};
use trident_runtime::{Claim, Device};

/// A device that would run an op separately.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) nanos: f64,
    /// The device's position in the list.
    pub(super) place: usize,
}

/// Consecutive ops that one device runs as a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) len: usize,
    /// The device's position in the list.
    pub(super) place: usize,
    pub(super) nanos: f64,
}

/// A block's ops, partitioned among devices.
pub(super) struct Partition {
    offers: Vec<Vec<Offer>>,
    /// By position of a region's first op.
    regions: Vec<Option<Region>>,
}

/// Whether the engine itself runs the op.
pub(super) fn is_control(kind: OpKind) -> bool {
    matches!(kind, OpKind::If | OpKind::Loop | OpKind::Scan)
}

/// The cost of an op that no device claims: more than that of any claimed op.
const UNCLAIMED: f64 = 1e18;

impl Partition {
    /// Queries the devices, and chooses the cheapest combination of regions and single ops. Moving values between
    /// devices is assumed to be free, as memory is unified.
    pub(super) fn of(func: &Func, ops: &[Op], devices: &[Arc<dyn Device>]) -> Partition {
        let mut offers = vec![vec![]; ops.len()];
        // Claims of several ops, by the position after their last op.
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

    /// The devices that would run op `i` separately.
    pub(super) fn offers(&self, i: usize) -> &[Offer] {
        &self.offers[i]
    }

    /// The region that starts at op `i`.
    pub(super) fn region(&self, i: usize) -> Option<Region> {
        self.regions[i]
    }
}

/// The cheapest path through the block by dynamic programming: for each position, the minimum cost of all ops before
/// it.
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
            // On a tie the larger region wins: fewer launches.
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

/// The values that cross the boundary of a region.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Border {
    /// Incoming values, in the order of their first use, and whether they are unused after the region.
    pub(super) inputs: Vec<(ValueId, bool)>,
    /// Outgoing values, in the order in which they are defined.
    pub(super) outputs: Vec<ValueId>,
    /// Values from outside whose last use is inside, but which are not inputs.
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
