//! Compiles a function to a plan: each op gets a device and a kernel, each operand a source.

use super::border::Border;
use super::constants::Constants;
use super::lifetime::{Ends, Lifetimes, lifetimes};
use super::{BlockPlan, Choice, Operand, Plan, ScanPlan, Source, Step, Traversals, Work};
use crate::context::{CancelFlag, go_on};
use crate::error::PlanError;
use crate::ledger::Ledger;
use crate::place::{Placement, Region, is_control, region_of};
use crate::session::Options;
use std::collections::HashMap;
use std::sync::Arc;
use trident_ir::op::Level;
use trident_ir::{Block, Func, FuncPart, Op, OpKind, ValueId, counted, ops};
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
    placement: &Placement,
    devices: &[Arc<dyn Device>],
    ledger: &Ledger,
    cancel: Option<&CancelFlag>,
) -> Result<Plan, PlanError> {
    let of = placement.by_value(&func.body);
    let body = std::mem::take(&mut func.body);
    let mut uses = vec![0; func.values.len()];
    count_uses(&body, &mut uses);
    let constants = Constants::new(uses, ledger);
    let regions = &placement.regions;
    let mut compiler =
        Compiler { func: &func, regions, of, devices, ledger, cancel, constants, packed: vec![] };
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

/// A device that would run an op.
#[derive(Clone, Copy, Debug)]
struct Offer {
    /// The estimated time. A device need not estimate the ops that its own rewrites made.
    nanos: Option<f64>,
    /// The device's position in the list.
    place: usize,
}

struct Compiler<'a> {
    func: &'a Func,
    regions: &'a [Region],
    /// The region of an op, by the first value that it defines.
    of: HashMap<ValueId, usize>,
    devices: &'a [Arc<dyn Device>],
    ledger: &'a Ledger,
    cancel: Option<&'a CancelFlag>,
    constants: Constants<'a>,
    /// Counts what is packed into other memory than the pool's.
    packed: Vec<Charge>,
}

impl Compiler<'_> {
    fn block(&mut self, block: Block, depth: usize) -> Result<BlockPlan, PlanError> {
        let Lifetimes { ops, results, params } = lifetimes(&block);
        let places = block.params.iter().zip(&params);
        let places = places.map(|(v, used)| used.then_some(v.index())).collect();
        let mut steps = Vec::with_capacity(block.ops.len());
        let mut rest = block.ops.into_iter().zip(ops).peekable();
        while let Some((op, ends)) = rest.next() {
            go_on(self.cancel)?;
            if op.kind == OpKind::Constant {
                self.constant(&op)?;
                continue;
            }
            let Some(unit) = self.unit(&op) else {
                steps.push(self.single(op, ends, depth)?);
                continue;
            };
            let mut ops = vec![(op, ends)];
            while let Some((op, ends)) =
                rest.next_if(|(op, _)| op.kind == OpKind::Constant || self.unit(op) == Some(unit))
            {
                match op.kind {
                    OpKind::Constant => self.constant(&op)?,
                    _ => ops.push((op, ends)),
                }
            }
            self.several(ops, self.regions[unit].device, depth, &mut steps)?;
        }
        let results = block.results.iter().zip(results);
        let results = results.map(|(v, last)| self.operand(Some(*v), last)).collect();
        Ok(BlockPlan { params: places, steps, results })
    }

    /// The region of an op that is compiled as one unit.
    fn unit(&self, op: &Op) -> Option<usize> {
        let region = region_of(op, &self.of)?;
        (self.regions[region].unit && !is_control(op.kind)).then_some(region)
    }

    /// The devices that would run an op: the device of its region, then the others, the cheapest first.
    fn offers(&self, op: &Op) -> Vec<Offer> {
        let region = region_of(op, &self.of).map(|region| self.regions[region]);
        let is_own = |place: usize| region.is_some_and(|region| region.device == place);
        let offer = |(place, device): (usize, &Arc<dyn Device>)| {
            let nanos = device.estimate(self.func, &[op]).map(|cost| cost.nanos);
            let made = is_own(place) && region.is_some_and(|region| !region.unit);
            (made || nanos.is_some()).then_some(Offer { nanos, place })
        };
        let mut offers: Vec<Offer> = self.devices.iter().enumerate().filter_map(offer).collect();
        let time = |offer: &Offer| offer.nanos.unwrap_or(f64::MAX);
        offers.sort_by(|a, b| time(a).total_cmp(&time(b)));
        offers.sort_by_key(|offer| !is_own(offer.place));
        offers
    }

    /// A step for one op.
    fn single(&mut self, op: Op, ends: Ends, depth: usize) -> Result<Step, PlanError> {
        let described = op.name().into();
        let sources = op.inputs.iter().zip(&ends.moved);
        let inputs = sources.map(|(v, &last)| self.operand(*v, last)).collect();
        let dead = ends.dead.iter().filter(|v| !self.constants.has(**v));
        let dead = dead.map(|v| v.index()).collect();
        self.step(op, inputs, dead, depth, &described)
    }

    /// One step for several ops or, if the device declines them, one step for each.
    fn several(
        &mut self,
        ops: Vec<(Op, Ends)>,
        place: usize,
        depth: usize,
        steps: &mut Vec<Step>,
    ) -> Result<(), PlanError> {
        let border = Border::of(&ops);
        let inputs = border.inputs.iter().filter(|(v, _)| !self.constants.has(*v));
        let inputs: Vec<(ValueId, bool)> = inputs.copied().collect();
        let constants = border.inputs.iter().filter(|(v, _)| self.constants.has(*v));
        // Constants come last, so that the varying inputs come first.
        let inputs: Vec<(ValueId, bool)> = inputs.iter().chain(constants).copied().collect();
        let own: Vec<Op> = ops.iter().map(|(op, _)| op.clone()).collect();
        let operands: Vec<Option<ValueId>> = inputs.iter().map(|(v, _)| Some(*v)).collect();
        let results: Vec<Option<ValueId>> = border.outputs.iter().map(|v| Some(*v)).collect();
        let constant = |v: ValueId| self.constants.tensor(v);
        let unit = Unit {
            func: self.func,
            ops: &own,
            inputs: operands.clone(),
            outputs: results.clone(),
            constant: &constant,
            pool: self.ledger.pool(),
        };
        let device = &self.devices[place];
        let described = own.first().map_or_else(|| String::new().into(), |op| op.name().into());
        self.fits(&unit, &described)?;
        let compiled = caught(|| device.compile(&unit))
            .map_err(|message| PlanError::Panic { op: described, message })?;
        let name = device.info().name.clone();
        let reason = format!("a unit of {}", counted(own.len(), "op"));
        let mut own = own.into_iter();
        let (Ok(exe), Some(op)) = (compiled, own.next()) else {
            for (op, ends) in ops {
                steps.push(self.single(op, ends, depth)?);
            }
            return Ok(());
        };
        let sources = inputs.iter().map(|(v, last)| self.operand(Some(*v), *last)).collect();
        let inputs = self.packed(exe.as_ref(), sources, &op)?;
        let choice = Choice { device: name, place, reason };
        let outputs = border.outputs.iter().map(|v| Some(v.index())).collect();
        let dead = border.dead.iter().filter(|v| !self.constants.has(**v));
        let dead = dead.map(|v| v.index()).collect();
        let work = Work::Kernel(exe);
        let more = own.collect();
        steps.push(Step { op, more, operands, results, work, inputs, outputs, dead, choice });
        Ok(())
    }

    /// An error if the memory limit has no room for the constants of a unit. This holds whether a device packs them or
    /// uses them as they are: packed constants are counted exactly, but only once they exist.
    fn fits(&self, unit: &Unit<'_>, described: &FuncPart) -> Result<(), PlanError> {
        self.ledger.fits(described, self.constants.uncounted(&unit.inputs))
    }

    /// Replaces operands that the kernel has packed by absent ones, and has the pool count their packed size.
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
            self.packed.push(self.ledger.charge(&op.name().into(), bytes)?);
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

    fn constant(&mut self, op: &Op) -> Result<(), PlanError> {
        let described = op.name().into();
        let constant = ops::Constant::of(op);
        let Some((constant, v)) =
            constant.and_then(|constant| Some((constant, constant.output()?)))
        else {
            let reason = "has no attribute `value` with a tensor, or no result".into();
            return Err(PlanError::Malformed { op: described, reason });
        };
        self.constants.add(v, constant.value().clone(), described);
        Ok(())
    }

    fn step(
        &mut self,
        mut op: Op,
        inputs: Vec<Operand>,
        dead: Vec<usize>,
        depth: usize,
        described: &FuncPart,
    ) -> Result<Step, PlanError> {
        let outputs = op.outputs.iter().map(|v| v.map(ValueId::index)).collect();
        let (operands, results) = (op.inputs.clone(), op.outputs.clone());
        let (work, inputs, choice) = match is_control(op.kind) {
            true => {
                let work = self.control(&mut op, depth, described)?;
                let (device, reason) = ("engine".into(), "control flow".into());
                (work, inputs, Choice { device, reason, place: 0 })
            }
            false => {
                let (exe, choice) = self.place(&op, described)?;
                let inputs = self.packed(exe.as_ref(), inputs, &op)?;
                (Work::Kernel(exe), inputs, choice)
            }
        };
        let more = vec![];
        Ok(Step { op, more, operands, results, work, inputs, outputs, dead, choice })
    }

    fn control(
        &mut self,
        op: &mut Op,
        depth: usize,
        described: &FuncPart,
    ) -> Result<Work, PlanError> {
        if depth >= MAX_DEPTH {
            return Err(PlanError::TooDeep { op: described.clone(), limit: MAX_DEPTH });
        }
        let regions = std::mem::take(&mut op.regions);
        let blocks = regions.into_iter().map(|r| self.block(r, depth + 1));
        let mut blocks = blocks.collect::<Result<Vec<_>, _>>()?.into_iter();
        match (op.kind, blocks.next(), blocks.next(), ops::Scan::of(op)) {
            (OpKind::If, Some(yes), Some(no), _) => Ok(Work::If([yes, no])),
            (OpKind::Loop, Some(body), None, _) => Ok(Work::Loop(body)),
            (_, Some(body), None, Some(scan)) => Ok(Work::Scan(ScanPlan {
                body,
                sequences: usize::try_from(scan.num_scan_inputs()).unwrap_or(0),
                read: Traversals::new(scan.scan_input_axes(), scan.scan_input_directions()),
                made: Traversals::new(scan.scan_output_axes(), scan.scan_output_directions()),
            })),
            _ => {
                let reason = "its subgraphs or attributes do not fit it".into();
                Err(PlanError::Malformed { op: described.clone(), reason })
            }
        }
    }

    /// The first of the devices that offer to run an op and support it.
    fn place(
        &self,
        op: &Op,
        described: &FuncPart,
    ) -> Result<(Arc<dyn Executable>, Choice), PlanError> {
        let offers = self.offers(op);
        let (mut notes, mut declined) = (Vec::new(), Vec::new());
        for (place, device) in self.devices.iter().enumerate() {
            if !offers.iter().any(|offer| offer.place == place) {
                let name = device.info().name.clone();
                notes.push(format!("{name} does not run this operation"));
                declined.push((name, Declined::op(op, "does not run this operation")));
            }
        }
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
        for (declines, &Offer { nanos, place }) in offers.iter().enumerate() {
            let device = &self.devices[place];
            let name = device.info().name.clone();
            let compiled = caught(|| device.compile(&unit))
                .map_err(|message| PlanError::Panic { op: described.clone(), message })?;
            match compiled {
                Ok(exe) => {
                    notes.insert(0, reason(nanos, &offers, declines));
                    return Ok((exe, Choice { device: name, place, reason: notes.join("; ") }));
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
        Err(PlanError::Unsupported { op: described.clone(), operands, declined })
    }
}

/// The reason for taking an offer after `declines` of the offers were declined.
fn reason(nanos: Option<f64>, offers: &[Offer], declines: usize) -> String {
    let left = &offers[declines..];
    match (left.len(), nanos) {
        (1, _) if declines == 0 => "the only device that runs this operation".to_owned(),
        (1, _) => "the only device that can run it".to_owned(),
        (_, None) => "rewritten for this device".to_owned(),
        (n, Some(nanos)) => {
            let micros = nanos / 1e3;
            match left.iter().all(|other| other.nanos.is_none_or(|other| nanos <= other)) {
                true => format!("estimated at {micros:.1} µs, cheapest of {n}"),
                false => format!("estimated at {micros:.1} µs, on the device of its neighbours"),
            }
        }
    }
}
