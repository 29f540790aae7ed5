//! From a function to a plan: each op gets a device and a kernel, each operand a source.

use super::lifetime::{Lifetimes, lifetimes};
use super::{BlockPlan, Operand, Placement, Plan, Source, Step, Work};
use crate::error::PlanError;
use crate::exec::caught;
use crate::session::Options;
use std::cell::RefCell;
use std::sync::Arc;
use trident_ir::literal::LiteralData;
use trident_ir::op::Level;
use trident_ir::{Attr, Block, Func, Literal, Op, OpKind, ValueId};
use trident_runtime::{
    Declined, Device, Executable, KernelError, Pool, Tensor, Unit, Value, release_pages,
};

/// Regions within regions that the engine follows.
const MAX_DEPTH: usize = 32;

/// Checks what can be checked before anything is made of a function.
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
    pool: &Pool,
) -> Result<Plan, PlanError> {
    let body = std::mem::take(&mut func.body);
    let mut uses = vec![0; func.values.len()];
    count_uses(&body, &mut uses);
    let constants = Constants {
        of_value: vec![None; func.values.len()],
        uses,
        table: RefCell::default(),
        pool,
    };
    let mut compiler = Compiler { func: &func, devices, pool, constants };
    let body = compiler.block(body, 0)?;
    let constants = compiler.constants.finish()?;
    Ok(Plan { func, body, constants, devices: devices.to_vec() })
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
    pool: &'a Pool,
    constants: Constants<'a>,
}

impl Compiler<'_> {
    fn block(&mut self, block: Block, depth: usize) -> Result<BlockPlan, PlanError> {
        let Lifetimes { ops, results, params } = lifetimes(&block);
        let places = block.params.iter().zip(&params);
        let places = places.map(|(v, used)| used.then_some(v.index())).collect();
        let mut steps = Vec::with_capacity(block.ops.len());
        for (op, ends) in block.ops.into_iter().zip(ops) {
            let described = op.describe();
            if op.kind == OpKind::Constant {
                self.constant(op)?;
                continue;
            }
            let sources = op.inputs.iter().zip(&ends.moved);
            let inputs = sources.map(|(v, &last)| self.operand(*v, last)).collect();
            let dead = ends.dead.iter().filter(|v| !self.constants.has(**v));
            let dead = dead.map(|v| v.index()).collect();
            steps.push(self.step(op, inputs, dead, depth, &described)?);
        }
        let results = block.results.iter().zip(results);
        let results = results.map(|(v, last)| self.operand(Some(*v), last)).collect();
        Ok(BlockPlan { params: places, steps, results })
    }

    fn operand(&self, v: Option<ValueId>, last: bool) -> Operand {
        let source = match v {
            None => Source::Absent,
            Some(v) => match self.constants.of_value[v.index()] {
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
        depth: usize,
        described: &str,
    ) -> Result<Step, PlanError> {
        let outputs = op.outputs.iter().map(|v| v.map(ValueId::index)).collect();
        if matches!(op.kind, OpKind::If | OpKind::Loop | OpKind::Scan) {
            let work = self.control(&mut op, depth, described)?;
            let (device, reason) = ("engine".into(), "control flow".into());
            let placement = Placement { device, reason, place: 0 };
            return Ok(Step { op, work, inputs, outputs, dead, placement });
        }
        let (exe, placement) = self.place(&op, described)?;
        let mut inputs = inputs;
        for &at in exe.packed() {
            let Some(operand) = inputs.get_mut(at) else { continue };
            if let Source::Constant(constant) = operand.source {
                self.constants.release(constant);
                operand.source = Source::Absent;
            }
        }
        Ok(Step { op, work: Work::Kernel(exe), inputs, outputs, dead, placement })
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

    /// The cheapest device that takes the op.
    fn place(
        &self,
        op: &Op,
        described: &str,
    ) -> Result<(Arc<dyn Executable>, Placement), PlanError> {
        let mut offers: Vec<(f64, usize, &Arc<dyn Device>)> = Vec::new();
        let (mut notes, mut declined) = (Vec::new(), Vec::new());
        for (place, device) in self.devices.iter().enumerate() {
            match device.estimate(self.func, &[op]) {
                Some(cost) => offers.push((cost.nanos, place, device)),
                None => {
                    let name = device.info().name.clone();
                    notes.push(format!("{name} does not claim it"));
                    let (op, reason) = (described.to_owned(), "does not claim it".to_owned());
                    declined.push((name, Declined { op, reason }));
                }
            }
        }
        offers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let constant = |v: ValueId| self.constants.tensor(v);
        let unit = Unit {
            func: self.func,
            ops: std::slice::from_ref(op),
            inputs: op.inputs.clone(),
            outputs: op.outputs.clone(),
            constant: &constant,
            pool: self.pool,
        };
        for (nanos, place, device) in &offers {
            let name = device.info().name.clone();
            let compiled = caught(|| device.compile(&unit))
                .map_err(|message| PlanError::Panic { op: described.into(), message })?;
            match compiled {
                Ok(exe) => {
                    let choice = match offers.len() {
                        1 => "the only device that claims it".to_owned(),
                        n => format!("estimated at {:.1} µs, cheapest of {n}", nanos / 1e3),
                    };
                    notes.insert(0, choice);
                    let (place, reason) = (*place, notes.join("; "));
                    return Ok((exe, Placement { device: name, place, reason }));
                }
                Err(why) => {
                    notes.push(format!("{name} declined: {}", why.reason));
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

/// The constants of a function. They stay literals until a device asks for them or all is compiled, so that weights
/// that get packed are never held three times.
struct Constants<'a> {
    of_value: Vec<Option<usize>>,
    /// By value: how often it is used.
    uses: Vec<usize>,
    table: RefCell<Vec<Entry>>,
    pool: &'a Pool,
}

struct Entry {
    op: String,
    data: Data,
    uses: usize,
}

/// Bytes from which on it pays to give memory back to the system at once.
const LARGE: usize = 1 << 20;

/// The tensor of a literal. Where it is a copy, the memory of a mapped original is given back.
fn tensor_of(pool: &Pool, literal: &Literal) -> Result<Tensor, KernelError> {
    let tensor = Tensor::from_literal(pool, literal)?;
    if let (LiteralData::Bytes(bytes), Ok(copy)) = (literal.data(), tensor.bytes())
        && bytes.len() >= LARGE
        && bytes.as_ptr() != copy.as_ptr()
    {
        release_pages(bytes);
    }
    Ok(tensor)
}

enum Data {
    Literal(Literal),
    Tensor(Tensor),
    Dropped,
}

impl Constants<'_> {
    fn has(&self, v: ValueId) -> bool {
        self.of_value[v.index()].is_some()
    }

    fn add(&mut self, value: ValueId, literal: Literal, op: String) {
        let table = self.table.get_mut();
        self.of_value[value.index()] = Some(table.len());
        let uses = self.uses[value.index()];
        let data = if uses == 0 { Data::Dropped } else { Data::Literal(literal) };
        table.push(Entry { op, data, uses });
    }

    /// The tensor of a constant; `None` for other values and where memory does not suffice.
    fn tensor(&self, v: ValueId) -> Option<Tensor> {
        let at = *self.of_value.get(v.index())?.as_ref()?;
        let mut table = self.table.borrow_mut();
        let entry = table.get_mut(at)?;
        if let Data::Literal(literal) = &entry.data {
            let tensor = tensor_of(self.pool, literal).ok()?;
            entry.data = Data::Tensor(tensor);
        }
        match &entry.data {
            Data::Tensor(t) => Some(t.clone()),
            _ => None,
        }
    }

    /// One user has packed the constant; after the last one it is dropped.
    fn release(&mut self, at: usize) {
        if let Some(entry) = self.table.get_mut().get_mut(at) {
            entry.uses = entry.uses.saturating_sub(1);
            if entry.uses == 0
                && let Data::Tensor(tensor) = std::mem::replace(&mut entry.data, Data::Dropped)
                && tensor.size() >= LARGE
            {
                tensor.bytes().into_iter().for_each(release_pages);
                drop(tensor);
                self.pool.trim();
            }
        }
    }

    /// The constants that are still used, as tensors.
    fn finish(self) -> Result<Vec<Option<Value>>, PlanError> {
        let finish = |entry: Entry| match entry.data {
            Data::Dropped => Ok(None),
            Data::Tensor(t) => Ok(Some(t.into())),
            Data::Literal(l) => match tensor_of(self.pool, &l) {
                Ok(t) => Ok(Some(t.into())),
                Err(source) => Err(PlanError::Constant { op: entry.op, source }),
            },
        };
        self.table.into_inner().into_iter().map(finish).collect()
    }
}
