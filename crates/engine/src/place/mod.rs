//! Places a function's ops on devices, and has each device rewrite its own.
//!
//! Devices claim ops of the canonical form ([`Device::claim`]). The cheapest assignment of ops to devices is chosen,
//! with a cost for every edge between two devices. Connected ops of one device form a region. No path between two ops
//! of a region leads over an op outside. Values that the bodies of `if`, `loop` and `scan` capture count as operands.
//! Each region is rewritten by its device as if it were a function ([`Device::rewrite`]).

mod assign;
mod cut;
mod graph;
mod regions;

pub(crate) use assign::is_control;
pub(crate) use regions::place;

use crate::error::PlanError;
use std::collections::HashMap;
use trident_ir::{Block, Func, Op, ValueId};

/// Ops that a device runs, and has rewritten together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The device's position in the session's list.
    pub device: usize,
    /// Whether the device compiles all of them as one unit.
    pub unit: bool,
}

/// The regions of an optimised function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The regions.
    pub regions: Vec<Region>,
    /// The region of each op, in the order of [`Block::walk`]. `None` for constants, for control flow over ops of several
    /// devices, and for ops that no device claims.
    pub ops: Vec<Option<usize>>,
}

impl Placement {
    /// The placement that stores the region of each op by a value that it defines.
    fn new(regions: Vec<Region>, body: &Block, of: &HashMap<ValueId, usize>) -> Placement {
        let mut ops = vec![];
        body.walk(&mut |op| ops.push(region_of(op, of)));
        Placement { regions, ops }
    }

    /// Checks that a placement that may come from anywhere fits a function and the number of devices.
    pub(crate) fn check(&self, func: &Func, devices: usize) -> Result<(), PlanError> {
        let mut ops = 0;
        func.body.walk(&mut |_| ops += 1);
        let known = |region: &usize| *region < self.regions.len();
        let fits = self.ops.len() == ops
            && self.ops.iter().flatten().all(known)
            && self.regions.iter().all(|region| region.device < devices);
        match fits {
            true => Ok(()),
            false => {
                let op = format!("function `{}`", func.name);
                Err(PlanError::Malformed {
                    op: op.into(),
                    reason: "does not fit the devices chosen for it; compile the model again"
                        .into(),
                })
            }
        }
    }

    /// The region of each op, by the first value that it defines.
    pub(crate) fn by_value(&self, body: &Block) -> HashMap<ValueId, usize> {
        let mut ops = self.ops.iter();
        let mut of = HashMap::new();
        body.walk(&mut |op| {
            if let (Some(Some(region)), Some(value)) = (ops.next(), op.defined().next()) {
                of.insert(value, *region);
            }
        });
        of
    }
}

/// The region of an op.
pub(crate) fn region_of(op: &Op, of: &HashMap<ValueId, usize>) -> Option<usize> {
    op.defined().next().and_then(|value| of.get(&value).copied())
}
