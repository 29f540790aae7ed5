//! Runs blocks of ops: control flow, calls, and which file knows which op.

use super::InterpWatch;
use super::error::{InterpError, Raised, Trap};
use super::memory::Memory;
use super::value::{Block, InterpValue};
use super::{atomic, block, contract, descriptor, elementwise, fold, number, print, transfer};
use crate::op::{Effect, Group};
use crate::{Func, Module, Op, OpKind, OpName, Type, ValueId, ops};
use OpKind as K;
use std::time::{Duration, Instant};

/// How deep regions and calls may nest.
pub(super) const MAX_DEPTH: usize = 128;

/// The shortest time between two questions to a watch.
const PAUSE: Duration = Duration::from_millis(20);

/// One run of one program.
pub(super) struct Machine<'m> {
    pub(super) module: &'m Module,
    pub(super) memory: &'m mut Memory,
    pub(super) grid: [u32; 3],
    pub(super) program: [u32; 3],
    /// Ops that may still run.
    pub(super) steps: u64,
    pub(super) max_steps: u64,
    /// Regions and calls that are running.
    pub(super) depth: usize,
    pub(super) watch: Option<InterpWatch<'m>>,
    /// When the watch was asked last.
    pub(super) asked: Instant,
    pub(super) printed: &'m mut Vec<String>,
}

/// The values of one call of a function.
pub(super) struct Frame<'f> {
    pub(super) func: &'f Func,
    values: Vec<Option<InterpValue>>,
}

impl<'f> Frame<'f> {
    pub(super) fn new(func: &'f Func) -> Frame<'f> {
        Frame { func, values: vec![None; func.values.len()] }
    }

    /// Gives the parameters of a block their values.
    pub(super) fn enter(&mut self, block: &crate::Block, args: Vec<InterpValue>) {
        for (&id, value) in block.params.iter().zip(args) {
            self.values[id.index()] = Some(value);
        }
    }

    /// Gives the results of an op their values.
    pub(super) fn define(&mut self, op: &Op, results: Vec<InterpValue>) {
        for (id, value) in op.outputs.iter().zip(results) {
            if let Some(id) = id {
                debug_assert!(value.is_of(self.func.ty(*id)), "{}: {value:?}", op.describe());
                self.values[id.index()] = Some(value);
            }
        }
    }

    /// The results of a block that has run.
    pub(super) fn results(&self, block: &crate::Block) -> Result<Vec<InterpValue>, Trap> {
        block.results.iter().map(|&id| self.value(id).cloned()).collect()
    }

    fn value(&self, id: ValueId) -> Result<&InterpValue, Trap> {
        let value = self.values.get(id.index()).and_then(Option::as_ref);
        value.ok_or_else(|| Trap::NoValue(self.func.info(id).name.clone()))
    }
}

/// The operands of an op and the types of its results.
pub(super) struct Site<'a> {
    pub(super) func: &'a Func,
    pub(super) op: &'a Op,
    operands: Vec<Option<InterpValue>>,
}

impl<'a> Site<'a> {
    pub(super) fn new(frame: &Frame<'a>, op: &'a Op) -> Result<Site<'a>, Trap> {
        let operand = |id: &Option<ValueId>| id.map(|id| frame.value(id).cloned()).transpose();
        let operands = op.inputs.iter().map(operand).collect::<Result<_, _>>()?;
        Ok(Site { func: frame.func, op, operands })
    }

    /// Operand `index`, a block.
    pub(super) fn block(&self, index: usize) -> Result<&Block, Trap> {
        self.optional(index).ok_or_else(|| self.missing(index))
    }

    /// Operand `index`, a block that may be left out.
    pub(super) fn optional(&self, index: usize) -> Option<&Block> {
        match self.operands.get(index) {
            Some(Some(InterpValue::Block(block))) => Some(block),
            _ => None,
        }
    }

    /// Operand `index`, a descriptor.
    pub(super) fn descriptor(&self, index: usize) -> Result<&super::Descriptor, Trap> {
        match self.operands.get(index) {
            Some(Some(InterpValue::Descriptor(d))) => Ok(d),
            _ => Err(self.missing(index)),
        }
    }

    /// The first element of operand `index` as an integer.
    pub(super) fn int(&self, index: usize) -> Result<i128, Trap> {
        self.block(index).map(|b| number::int(b.dtype, b.first()))
    }

    /// The operands from `first` on.
    pub(super) fn values(&self, first: usize) -> Result<Vec<InterpValue>, Trap> {
        let values = self.operands.get(first..).unwrap_or_default().iter().enumerate();
        values.map(|(i, v)| v.clone().ok_or_else(|| self.missing(first + i))).collect()
    }

    fn missing(&self, index: usize) -> Trap {
        let name =
            self.op.input(index).map_or(index.to_string(), |id| self.func.info(id).name.clone());
        Trap::NoValue(name)
    }

    /// All operands, which are blocks.
    pub(super) fn blocks(&self) -> Result<Vec<&Block>, Trap> {
        (0..self.operands.len()).map(|i| self.block(i)).collect()
    }

    /// The declared type of result `index`.
    pub(super) fn result(&self, index: usize) -> Option<&'a Type> {
        self.op.output(index).map(|id| self.func.ty(id))
    }

    /// Dimensions of result `index`.
    pub(super) fn result_dims(&self, index: usize) -> Vec<usize> {
        self.result(index).and_then(Type::dims).unwrap_or_default()
    }
}

/// Whether the op has no effect here: unused results have no type.
pub(super) fn is_idle(op: &Op) -> bool {
    op.regions.is_empty()
        && op.defined().next().is_none()
        && op.effect() == Effect::Pure
        && op.kind != K::Assume
}

/// The results of ops.
pub(super) type Values = Result<Vec<InterpValue>, Raised>;

impl<'m> Machine<'m> {
    /// Runs a function.
    pub(super) fn call(
        &mut self,
        func: &Func,
        args: Vec<InterpValue>,
    ) -> Result<Vec<InterpValue>, InterpError> {
        let mut frame = Frame::new(func);
        self.block(&mut frame, &func.body, args)
    }

    /// Runs a block on arguments and gives its results.
    pub(super) fn block(
        &mut self,
        frame: &mut Frame<'_>,
        block: &crate::Block,
        args: Vec<InterpValue>,
    ) -> Result<Vec<InterpValue>, InterpError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(frame, None, Trap::TooDeep(MAX_DEPTH)));
        }
        self.depth += 1;
        frame.enter(block, args);
        for op in &block.ops {
            let results = self.op(frame, op).map_err(|raised| match raised {
                Raised::Here(fault) => self.error(frame, Some(op.name()), fault),
                Raised::Below(error) => *error,
            })?;
            frame.define(op, results);
        }
        self.depth -= 1;
        frame.results(block).map_err(|fault| self.error(frame, None, fault))
    }

    fn error(&self, frame: &Frame<'_>, op: Option<OpName>, fault: Trap) -> InterpError {
        InterpError::Op {
            func: frame.func.name.clone(),
            op,
            program: self.program,
            fault: Box::new(fault),
        }
    }

    fn op(&mut self, frame: &mut Frame<'_>, op: &Op) -> Values {
        if is_idle(op) {
            return Ok(vec![]);
        }
        self.spend(1)?;
        let site = Site::new(frame, op)?;
        match op.kind {
            K::If | K::For | K::While | K::Call => self.control(frame, &site),
            K::Reduce | K::PrefixScan | K::Map => fold::run(self, frame, &site),
            _ => self.plain(&site),
        }
    }

    /// Counts ops that run, and looks whether the run is to stop.
    pub(super) fn spend(&mut self, ops: usize) -> Result<(), Trap> {
        if let Some(InterpWatch(asks_to_stop)) = self.watch
            && self.asked.elapsed() >= PAUSE
        {
            if asks_to_stop() {
                return Err(Trap::Stopped);
            }
            self.asked = Instant::now();
        }
        self.steps = self.steps.checked_sub(ops as u64).ok_or(Trap::Steps(self.max_steps))?;
        Ok(())
    }

    /// An op without regions.
    pub(super) fn plain(&mut self, site: &Site<'_>) -> Values {
        let op = site.op;
        match (op.kind, op.decl().group) {
            (K::Constant, _) => constant(op),
            (K::ProgramId | K::NumPrograms | K::ThreadgroupId | K::NumThreadgroups, _) => {
                self.program_axis(op)
            }
            (K::Dot | K::DotScaled, _) => contract::run(site),
            (K::Print, _) => print::run(self, site),
            (K::Load | K::Store, _) => transfer::run(self, site),
            (K::Assert | K::Assume, _) => condition(site),
            (K::Barrier, _) => Ok(vec![]),
            (kind, _) if descriptor::has(kind) => descriptor::run(self, site),
            (_, Group::Memory) => atomic::run(self.memory, site),
            (_, Group::Elementwise) => elementwise::run(site),
            (_, Group::Tile | Group::Lane) => block::run(site),
            _ => Err(Trap::Unknown.into()),
        }
    }

    fn program_axis(&self, op: &Op) -> Values {
        let own = ops::ProgramId::of(op).map(|op| op.axis());
        let own = own.or_else(|| ops::ThreadgroupId::of(op).map(|op| op.axis()));
        let all = ops::NumPrograms::of(op).map(|op| op.axis());
        let all = all.or_else(|| ops::NumThreadgroups::of(op).map(|op| op.axis()));
        let (axis, of) = match own {
            Some(axis) => (axis, self.program),
            None => (all.ok_or(Trap::Unknown)?, self.grid),
        };
        let axis = usize::try_from(axis).ok();
        let number = axis.and_then(|axis| of.get(axis)).ok_or(Trap::Unknown)?;
        Ok(vec![InterpValue::scalar(*number as i32)])
    }

    /// The function that a `call` names.
    pub(super) fn callee(&self, op: &Op) -> Result<&'m Func, Trap> {
        let callee = ops::Call::of(op).ok_or(Trap::Unknown)?.callee();
        self.module.funcs.iter().find(|f| f.name == callee).ok_or(Trap::Unknown)
    }

    fn control(&mut self, frame: &mut Frame<'_>, site: &Site<'_>) -> Values {
        let regions = &site.op.regions;
        match (site.op.kind, &regions[..]) {
            (K::If, [then, other]) => {
                let branch = if site.int(0)? != 0 { then } else { other };
                Ok(self.block(frame, branch, vec![])?)
            }
            (K::For, [body]) => {
                let (lower, upper, step) = (site.int(0)?, site.int(1)?, site.int(2)?);
                if step <= 0 {
                    return Err(Trap::Step(step).into());
                }
                let dtype = site.block(0)?.dtype;
                let mut carried = site.values(3)?;
                let mut i = lower;
                while i < upper {
                    self.spend(1)?;
                    let counter = Block::one(dtype, number::from_int(dtype, i)).into();
                    carried = self.block(frame, body, [vec![counter], carried].concat())?;
                    i += step;
                }
                Ok(carried)
            }
            (K::While, [before, after]) => {
                let mut carried = site.values(0)?;
                loop {
                    self.spend(1)?;
                    let mut values = self.block(frame, before, carried)?.into_iter();
                    match values.next() {
                        Some(InterpValue::Block(go)) if go.first() != 0 => {
                            carried = self.block(frame, after, values.collect())?;
                        }
                        _ => return Ok(values.collect()),
                    }
                }
            }
            (K::Call, _) => {
                let func = self.callee(site.op)?;
                Ok(self.call(func, site.values(0)?)?)
            }
            _ => Err(Trap::Unknown.into()),
        }
    }
}

fn constant(op: &Op) -> Values {
    let value = ops::Constant::of(op).ok_or(Trap::Unknown)?.value();
    Ok(vec![Block::from_literal(value).ok_or(Trap::Unknown)?.into()])
}

fn condition(site: &Site<'_>) -> Values {
    let holds = site.block(0)?.bits.iter().all(|&bits| bits != 0);
    match site.op.kind {
        _ if holds => Ok(vec![]),
        K::Assert => {
            let op = ops::Assert::of(site.op).ok_or(Trap::Unknown)?;
            Err(Trap::Assert(op.message().into()).into())
        }
        _ => Err(Trap::Assume.into()),
    }
}
