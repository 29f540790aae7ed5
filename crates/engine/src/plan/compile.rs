//! Compiles a function to a plan: each op gets a device and a kernel, each operand a source.

use super::constants::Constants;
use super::lifetime::{Ends, Lifetimes, lifetimes};
use super::partition::{Border, Offer, Partition, Region, is_control};
use super::{BlockPlan, Operand, Placement, Plan, Source, Step, Work};
use crate::error::PlanError;
use crate::ledger::Ledger;
use crate::session::Options;
use std::sync::Arc;
use trident_ir::op::Level;
use trident_ir::{Attr, Block, Func, Op, OpKind, ValueId, counted};
use trident_runtime::{Charge, Declined, Device, Executable, Unit, caught};

/// Maximum nesting depth of regions.
const MAX_DEPTH: usize = 32;

/// Checks what can be checked before a function is optimised or compiled.
pub(crate) fn check(
    func: &Func,
    devices: &[Arc<dyn Device>],
    options: &Options,
) -> Result<(), PlanError> {
    if devices.is_empty() {
        return Err(PlanError::NoDevices);
    }
    if func.level != Level::Graph {
        return Err(PlanError::Level { func: func.name.clone(), level: func.level });
    }
    let mut ops = 0usize;
    func.body.walk(&mut |_| ops += 1);
    match ops > options.max_ops {
        true => Err(PlanError::TooManyOps { limit: options.max_ops }),
        false => Ok(()),
    }
}

/// Compiles a verified function for the devices.
pub(crate) fn compile(
    mut func: Func,
    devices: &[Arc<dyn Device>],
    ledger: &Ledger,
) -> Result<Plan, PlanError> {
    let body = std::mem::take(&mut func.body);
    let mut uses = vec![0; func.values.len()];
    count_uses(&body, &mut uses);
    let constants = Constants::new(uses, ledger);
    let mut compiler = Compiler { func: &func, devices, ledger, constants, packed: vec![] };
    let body = compiler.block(body, 0)?;
    let packed = compiler.packed;
    let (constants, borrowed) = compiler.constants.finish()?;
    let devices = devices.to_vec();
    Ok(Plan { func, body, constants, devices, _packed: packed, _borrowed: borrowed })
}

fn count_uses(block: &Block, uses: &mut [usize]) {
    let mut count = |v: ValueId| {
        if let Some(n) = uses.get_mut(v.index()) {
            *n += 1;
        }
    };
    block.results.iter().copied().for_each(&mut count);
    block.walk(&mut |op| {
        op.used().for_each(&mut count);
        op.regions.iter().flat_map(|r| r.results.iter().copied()).for_each(&mut count);
    });
}

struct Compiler<'a> {
    func: &'a Func,
    devices: &'a [Arc<dyn Device>],
    ledger: &'a Ledger,
    constants: Constants<'a>,
    /// Counts what is packed into other memory than the pool's.
    packed: Vec<Charge>,
}

impl Compiler<'_> {
    fn block(&mut self, block: Block, depth: usize) -> Result<BlockPlan, PlanError> {
        let Lifetimes { ops, results, params } = lifetimes(&block);
        let places = block.params.iter().zip(&params);
        let places = places.map(|(v, used)| used.then_some(v.index())).collect();
        let partition = Partition::of(self.func, &block.ops, self.devices);
        let mut steps = Vec::with_capacity(block.ops.len());
        let mut rest = block.ops.into_iter().zip(ops).enumerate();
        while let Some((i, (op, ends))) = rest.next() {
            if op.kind == OpKind::Constant && partition.region(i).is_none() {
                self.constant(op)?;
                continue;
            }
            match partition.region(i) {
                None => steps.push(self.single(op, ends, partition.offers(i), depth)?),
                Some(region) => {
                    let others = rest.by_ref().take(region.len - 1).map(|(_, other)| other);
                    let ops = std::iter::once((op, ends)).chain(others).collect();
                    self.region(ops, i, region, &partition, &mut steps)?;
                }
            }
        }
        let results = block.results.iter().zip(results);
        let results = results.map(|(v, last)| self.operand(Some(*v), last)).collect();
        Ok(BlockPlan { params: places, steps, results })
    }

    /// A step for one op.
    fn single(
        &mut self,
        op: Op,
        ends: Ends,
        offers: &[Offer],
        depth: usize,
    ) -> Result<Step, PlanError> {
        let described = op.describe();
        let sources = op.inputs.iter().zip(&ends.moved);
        let inputs = sources.map(|(v, &last)| self.operand(*v, last)).collect();
        let dead = ends.dead.iter().filter(|v| !self.constants.has(**v));
        let dead = dead.map(|v| v.index()).collect();
        self.step(op, inputs, dead, offers, depth, &described)
    }

    /// One step for consecutive ops or, if the device declines them, one step for each.
    fn region(
        &mut self,
        ops: Vec<(Op, Ends)>,
        first: usize,
        region: Region,
        partition: &Partition,
        steps: &mut Vec<Step>,
    ) -> Result<(), PlanError> {
        let border = Border::of(&ops);
        let mut kept = Vec::with_capacity(ops.len());
        for (i, (op, ends)) in ops.into_iter().enumerate() {
            match op.kind {
                OpKind::Constant => self.constant(op)?,
                _ => kept.push((first + i, op, ends)),
            }
        }
        let inputs = border.inputs.iter().filter(|(v, _)| !self.constants.has(*v));
        let inputs: Vec<(ValueId, bool)> = inputs.copied().collect();
        let constants = border.inputs.iter().filter(|(v, _)| self.constants.has(*v));
        // Constants come last, so that the varying inputs come first.
        let inputs: Vec<(ValueId, bool)> = inputs.iter().chain(constants).copied().collect();
        let ops: Vec<Op> = kept.iter().map(|(_, op, _)| op.clone()).collect();
        let operands: Vec<Option<ValueId>> = inputs.iter().map(|(v, _)| Some(*v)).collect();
        let results: Vec<Option<ValueId>> = border.outputs.iter().map(|v| Some(*v)).collect();
        let constant = |v: ValueId| self.constants.tensor(v);
        let unit = Unit {
            func: self.func,
            ops: &ops,
            inputs: operands.clone(),
            outputs: results.clone(),
            constant: &constant,
            pool: self.ledger.pool(),
        };
        let device = &self.devices[region.place];
        let described = ops.first().map_or_else(String::new, Op::describe);
        self.fits(&unit, &described)?;
        let compiled = caught(|| device.compile(&unit))
            .map_err(|message| PlanError::Panic { op: described, message })?;
        let name = device.info().name.clone();
        let mut ops = ops.into_iter();
        let (Ok(exe), Some(op)) = (compiled, ops.next()) else {
            for (i, op, ends) in kept {
                steps.push(self.single(op, ends, partition.offers(i), 0)?);
            }
            return Ok(());
        };
        let sources = inputs.iter().map(|(v, last)| self.operand(Some(*v), *last)).collect();
        let inputs = self.packed(exe.as_ref(), sources, &op)?;
        let reason =
            format!("region of {}, {:.1} µs", counted(kept.len(), "op"), region.nanos / 1e3);
        let placement = Placement { device: name, place: region.place, reason };
        let outputs = border.outputs.iter().map(|v| Some(v.index())).collect();
        let dead = border.dead.iter().filter(|v| !self.constants.has(**v));
        let dead = dead.map(|v| v.index()).collect();
        let work = Work::Kernel(exe);
        let more = ops.collect();
        steps.push(Step { op, more, operands, results, work, inputs, outputs, dead, placement });
        Ok(())
    }

    /// An error if the memory limit has no room for the constants of a unit, whether a device packs them or they are used as they are:
    /// what is packed is counted exactly, but exists by then.
    fn fits(&self, unit: &Unit<'_>, described: &str) -> Result<(), PlanError> {
        self.ledger.fits(described, self.constants.uncounted(&unit.inputs))
    }

    /// Replaces operands that the kernel has packed by absent ones, and has the pool count what they take now.
    fn packed(
        &mut self,
        exe: &dyn Executable,
        mut inputs: Vec<Operand>,
        op: &Op,
    ) -> Result<Vec<Operand>, PlanError> {
        for &at in exe.packed() {
            let Some(operand) = inputs.get_mut(at) else { continue };
            if let Source::Constant(constant) = operand.source {
                self.constants.release(constant);
                operand.source = Source::Absent;
            }
        }
        // The originals are no longer counted.
        let bytes = exe.packed_elsewhere();
        if bytes > 0 {
            self.packed.push(self.ledger.charge(&op.describe(), bytes)?);
        }
        Ok(inputs)
    }

    fn operand(&self, v: Option<ValueId>, last: bool) -> Operand {
        let source = match v {
            None => Source::Absent,
            Some(v) => match self.constants.place(v) {
                Some(at) => Source::Constant(at),
                None => Source::Value(v.index()),
            },
        };
        Operand { source, last: last && matches!(source, Source::Value(_)) }
    }

    fn constant(&mut self, mut op: Op) -> Result<(), PlanError> {
        let described = op.describe();
        let (Some(Attr::Tensor(literal)), Some(v)) = (op.attrs.remove("value"), op.output(0))
        else {
            let reason = "has no attribute `value` with a tensor, or no result".into();
            return Err(PlanError::Malformed { op: described, reason });
        };
        self.constants.add(v, literal, described);
        Ok(())
    }

    fn step(
        &mut self,
        mut op: Op,
        inputs: Vec<Operand>,
        dead: Vec<usize>,
        offers: &[Offer],
        depth: usize,
        described: &str,
    ) -> Result<Step, PlanError> {
        let outputs = op.outputs.iter().map(|v| v.map(ValueId::index)).collect();
        let (operands, results) = (op.inputs.clone(), op.outputs.clone());
        let (work, inputs, placement) = match is_control(op.kind) {
            true => {
                let work = self.control(&mut op, depth, described)?;
                let (device, reason) = ("engine".into(), "control flow".into());
                (work, inputs, Placement { device, reason, place: 0 })
            }
            false => {
                let (exe, placement) = self.place(&op, offers, described)?;
                let inputs = self.packed(exe.as_ref(), inputs, &op)?;
                (Work::Kernel(exe), inputs, placement)
            }
        };
        let more = vec![];
        Ok(Step { op, more, operands, results, work, inputs, outputs, dead, placement })
    }

    fn control(&mut self, op: &mut Op, depth: usize, described: &str) -> Result<Work, PlanError> {
        if depth >= MAX_DEPTH {
            return Err(PlanError::TooDeep { op: described.into(), limit: MAX_DEPTH });
        }
        let regions = std::mem::take(&mut op.regions);
        let blocks = regions.into_iter().map(|r| self.block(r, depth + 1));
        let mut blocks = blocks.collect::<Result<Vec<_>, _>>()?.into_iter();
        match (op.kind, blocks.next(), blocks.next()) {
            (OpKind::If, Some(yes), Some(no)) => Ok(Work::If([yes, no])),
            (OpKind::Loop, Some(body), None) => Ok(Work::Loop(body)),
            (OpKind::Scan, Some(body), None) => Ok(Work::Scan(body)),
            _ => {
                let reason = "its regions do not fit it".into();
                Err(PlanError::Malformed { op: described.into(), reason })
            }
        }
    }

    /// The cheapest device that supports the op.
    fn place(
        &self,
        op: &Op,
        offers: &[Offer],
        described: &str,
    ) -> Result<(Arc<dyn Executable>, Placement), PlanError> {
        let (mut notes, mut declined) = (Vec::new(), Vec::new());
        for (place, device) in self.devices.iter().enumerate() {
            if !offers.iter().any(|offer| offer.place == place) {
                let name = device.info().name.clone();
                notes.push(format!("{name} does not claim it"));
                declined.push((name, Declined::op(op, "does not claim it")));
            }
        }
        let mut offers: Vec<Offer> = offers.to_vec();
        offers.sort_by(|a, b| a.nanos.total_cmp(&b.nanos));
        let constant = |v: ValueId| self.constants.tensor(v);
        let unit = Unit {
            func: self.func,
            ops: std::slice::from_ref(op),
            inputs: op.inputs.clone(),
            outputs: op.outputs.clone(),
            constant: &constant,
            pool: self.ledger.pool(),
        };
        self.fits(&unit, described)?;
        for (declines, Offer { nanos, place }) in offers.iter().enumerate() {
            let device = &self.devices[*place];
            let name = device.info().name.clone();
            let compiled = caught(|| device.compile(&unit))
                .map_err(|message| PlanError::Panic { op: described.into(), message })?;
            match compiled {
                Ok(exe) => {
                    let choice = match offers.len() - declines {
                        1 if declines == 0 => "the only device that claims it".to_owned(),
                        1 => "the only device that can run it".to_owned(),
                        n => format!("estimated at {:.1} µs, cheapest of {n}", nanos / 1e3),
                    };
                    notes.insert(0, choice);
                    let (place, reason) = (*place, notes.join("; "));
                    return Ok((exe, Placement { device: name, place, reason }));
                }
                Err(why) => {
                    notes.push(format!("{name} declined: {}", why.reason()));
                    declined.push((name, why));
                }
            }
        }
        let operands = op.inputs.iter().map(|v| match v {
            Some(v) => format!("{}: {}", self.func.info(*v).name, self.func.ty(*v)),
            None => "absent".into(),
        });
        let operands = operands.collect::<Vec<_>>().join(", ");
        Err(PlanError::Unsupported { op: described.into(), operands, declined })
    }
}
