//! Emits what a plan decided as a lane function.

use std::collections::HashMap;

use bytes::Bytes;
use trident_ir::literal::LiteralData;
use trident_ir::tile::Origins;
use trident_ir::{
    Attr, Block, Builder, DType, Func, Level, Literal, Loc, Op, OpKind as K, Type, ValueId,
};

use super::error::Unsupported;
use super::hazard::Hazards;
use super::layout::{Layout, THREAD};
use super::plan::{Access, Plan};
use crate::access::{Along, Bit, Elem, Fun, Index, Kind, NodeId, rename};

pub(super) type Result<T> = std::result::Result<T, Unsupported>;

/// The kernel at level lane.
pub(super) fn emit(func: &Func, plan: &Plan<'_>, origins: &Origins<'_>) -> Result<Func> {
    let mut out = Func::new(func.name.clone(), Level::Lane);
    out.threads = Some(plan.threads());
    let mut emitter = Emitter {
        plan,
        out,
        block: Block::default(),
        loc: None,
        env: HashMap::new(),
        elements: HashMap::new(),
        places: HashMap::new(),
        held: HashMap::new(),
        thread: None,
        shared: HashMap::new(),
        literals: HashMap::new(),
    };
    for &param in &func.body.params {
        let info = func.info(param).clone();
        let id = emitter.out.value(info.name, info.ty);
        emitter.out.body.params.push(id);
        emitter.env.insert(param, id);
    }
    let mut accesses = plan.accesses.iter();
    let mut hazards = Hazards::default();
    for op in &func.body.ops {
        emitter.loc = op.loc.clone();
        match op.kind {
            K::ProgramId => emitter.axis(op, K::ThreadgroupId)?,
            K::NumPrograms => emitter.axis(op, K::NumThreadgroups)?,
            K::Constant => emitter.constant(op)?,
            K::Load | K::Store => {
                let Some(access) = accesses.next() else { continue };
                let origin = op.input(0).map(|ptr| origins.of(&func.name, ptr));
                if hazards.add(access, origin.unwrap_or_default(), plan.threads) {
                    emitter.wait("device")?;
                }
                emitter.access(access)?;
            }
            _ => {}
        }
    }
    emitter.out.body.ops = emitter.block.ops;
    emitter.out.unique_names();
    Ok(emitter.out)
}

pub(super) struct Emitter<'p, 'm> {
    pub(super) plan: &'p Plan<'m>,
    out: Func,
    pub(super) block: Block,
    loc: Loc,
    /// Scalars of the kernel.
    env: HashMap<ValueId, ValueId>,
    /// Elements that are in registers, by block and index.
    elements: HashMap<(NodeId, Index), ValueId>,
    /// The part of an index that depends on the thread.
    places: HashMap<Index, ValueId>,
    /// The registers that hold what was loaded.
    pub(super) held: HashMap<NodeId, (Layout, Vec<ValueId>)>,
    thread: Option<ValueId>,
    /// Threadgroup memory with all elements of what was loaded.
    pub(super) shared: HashMap<NodeId, ValueId>,
    /// Constants, by element type and bytes.
    literals: HashMap<(DType, Bytes), ValueId>,
}

impl<'m> Emitter<'_, 'm> {
    /// Runs a builder at the end of the block.
    pub(super) fn build<T>(
        &mut self,
        what: &str,
        make: impl FnOnce(&mut Builder<'_>) -> std::result::Result<T, trident_ir::op::TypeError>,
    ) -> Result<T> {
        let mut builder = Builder::new(&mut self.out);
        builder.loc = self.loc.clone();
        let made = make(&mut builder).map_err(|error| Unsupported {
            op: what.to_owned(),
            reason: error.to_string(),
            at: self.loc.clone(),
        })?;
        let ops = builder.finish().ops;
        self.block.ops.extend(ops);
        Ok(made)
    }

    pub(super) fn op(
        &mut self,
        kind: K,
        inputs: &[ValueId],
        attrs: &[(&'static str, Attr)],
    ) -> Result<ValueId> {
        self.build(kind.decl().name, |b| b.op(kind, inputs, attrs))
    }

    /// A scalar constant of an element type and its bytes.
    fn literal(&mut self, dtype: DType, bytes: Bytes) -> Result<ValueId> {
        if let Some(&known) = self.literals.get(&(dtype, bytes.clone())) {
            return Ok(known);
        }
        let literal = Literal::from_bytes(dtype, vec![], bytes.clone());
        let literal = literal.map_err(|error| self.missing(&error.to_string()))?;
        let id = self.build("constant", |b| Ok(b.literal(literal)))?;
        self.literals.insert((dtype, bytes), id);
        Ok(id)
    }

    fn int(&mut self, value: i32) -> Result<ValueId> {
        self.literal(DType::I32, Bytes::copy_from_slice(&value.to_le_bytes()))
    }

    /// All threads wait for each other, and see what the others have written to memory of this kind.
    pub(super) fn wait(&mut self, memory: &str) -> Result<()> {
        let attrs = [("memory", Attr::Str(memory.to_owned()))];
        self.build("threadgroup_barrier", |b| b.ops(K::ThreadgroupBarrier, &[], &attrs, 0))?;
        Ok(())
    }

    fn axis(&mut self, op: &Op, kind: K) -> Result<()> {
        let axis = op.attr("axis").unwrap_or(Attr::Int(0));
        let id = self.op(kind, &[], &[("axis", axis)])?;
        self.env.extend(op.output(0).map(|old| (old, id)));
        Ok(())
    }

    /// The scalar of which all elements of a constant are copies.
    fn constant(&mut self, op: &Op) -> Result<()> {
        let (Some(old), Some(Attr::Tensor(literal))) = (op.output(0), op.attrs.get("value")) else {
            return Ok(());
        };
        let (dtype, size) = (literal.dtype(), literal.dtype().size());
        let id = match literal.data() {
            LiteralData::Bytes(data) if data.len() >= size => {
                self.literal(dtype, data.slice(..size))?
            }
            _ => return Err(Unsupported::new(op, "is of text or empty")),
        };
        self.env.insert(old, id);
        Ok(())
    }

    fn access(&mut self, access: &Access<'m>) -> Result<()> {
        let Access { lanes, layout, .. } = access;
        let every = match access.loaded {
            Some(_) => None,
            None => self.is_first(layout)?,
        };
        let mut loaded = vec![];
        for first in (0..layout.registers()).step_by(1 << lanes.bits) {
            let group: Vec<Index> =
                (first..first + (1 << lanes.bits)).map(|r| layout.at(r)).collect();
            // One test for a vector whose elements are read or written together.
            let together = match access.mask {
                Some(mask) => self.plan.graph.along(mask, *lanes) == Along::Same,
                None => true,
            };
            let parts: Vec<&[Index]> = match together {
                true => vec![&group],
                false => group.chunks(1).collect(),
            };
            for part in parts {
                let mask = self.condition(access, &part[0], every)?;
                match access.loaded {
                    Some(_) => loaded.extend(self.load(access, part, mask)?),
                    None => self.store(access, part, mask)?,
                }
            }
        }
        if let Some(node) = access.loaded {
            self.held.insert(node, (layout.clone(), loaded));
        }
        Ok(())
    }

    /// Where several threads hold the same elements: whether this one is the first of them, which writes.
    pub(super) fn is_first(&mut self, layout: &Layout) -> Result<Option<ValueId>> {
        let copies = layout.copies(self.plan.threads);
        if copies == 0 {
            return Ok(None);
        }
        let (thread, copies, zero) = (self.thread()?, self.int(copies)?, self.int(0)?);
        let which = self.op(K::BitwiseAnd, &[thread, copies], &[])?;
        self.op(K::Equal, &[which, zero], &[]).map(Some)
    }

    fn condition(
        &mut self,
        access: &Access<'m>,
        index: &Index,
        every: Option<ValueId>,
    ) -> Result<Option<ValueId>> {
        let Some(mask) = access.mask else { return Ok(every) };
        let mask = self.operand(mask, index)?;
        match every {
            Some(every) => self.op(K::And, &[every, mask], &[]).map(Some),
            None => Ok(Some(mask)),
        }
    }

    /// Reads elements that follow each other.
    fn load(
        &mut self,
        access: &Access<'m>,
        part: &[Index],
        mask: Option<ValueId>,
    ) -> Result<Vec<ValueId>> {
        let ptr = self.operand(access.ptr, &part[0])?;
        let Some(mask) = mask else { return self.read(access, ptr, part.len()) };
        let others = self.others(access, part)?;
        let outer = std::mem::take(&mut self.block);
        let results = self.read(access, ptr, part.len())?;
        let then = std::mem::replace(&mut self.block, outer);
        let regions =
            vec![Block { results, ..then }, Block { results: others, ..Block::default() }];
        self.branch(mask, regions)
    }

    /// What a load gives where its mask does not hold.
    fn others(&mut self, access: &Access<'m>, part: &[Index]) -> Result<Vec<ValueId>> {
        match access.value {
            Some(other) => part.iter().map(|index| self.operand(other, index)).collect(),
            None => {
                let node = access.loaded.unwrap_or(access.ptr);
                let dtype = self.plan.graph[node].elem.dtype();
                let zero = self.literal(dtype, vec![0; dtype.size()].into())?;
                Ok(vec![zero; part.len()])
            }
        }
    }

    fn read(&mut self, access: &Access<'m>, ptr: ValueId, width: usize) -> Result<Vec<ValueId>> {
        if width == 1 {
            return Ok(vec![self.op(K::Load, &[ptr], &self.hints(access, 1))?]);
        }
        let mut attrs = self.hints(access, width);
        attrs.push(("width", Attr::Int(width as i64)));
        let vector = self.op(K::Load, &[ptr], &attrs)?;
        (0..width)
            .map(|at| self.op(K::Extract, &[vector], &[("at", Attr::Int(at as i64))]))
            .collect()
    }

    /// What the op tells of the access, and its alignment if it is of a vector.
    fn hints(&self, access: &Access<'m>, width: usize) -> Vec<(&'static str, Attr)> {
        let names = ["cache", "eviction", "volatile"];
        let told =
            names.iter().filter_map(|&name| Some((name, access.op.attrs.get(name)?.clone())));
        let size = match self.plan.graph[access.ptr].elem {
            Elem::Ptr(to) => to.size(),
            Elem::Data(_) => 0,
        };
        let align = (width > 1).then(|| ("align", Attr::Int((width * size) as i64)));
        told.chain(align).collect()
    }

    /// Writes elements that follow each other.
    fn store(&mut self, access: &Access<'m>, part: &[Index], mask: Option<ValueId>) -> Result<()> {
        let ptr = self.operand(access.ptr, &part[0])?;
        let value = access.value.ok_or_else(|| Unsupported::new(access.op, "has no value"))?;
        let values =
            part.iter().map(|index| self.operand(value, index)).collect::<Result<Vec<_>>>()?;
        let value = match values[..] {
            [one] => one,
            _ => self.op(K::Vector, &values, &[])?,
        };
        let outer = mask.map(|_| std::mem::take(&mut self.block));
        let hints = self.hints(access, values.len());
        self.build("store", |b| b.ops(K::Store, &[Some(ptr), Some(value)], &hints, 0).map(drop))?;
        if let (Some(mask), Some(outer)) = (mask, outer) {
            let then = std::mem::replace(&mut self.block, outer);
            self.branch(mask, vec![then, Block::default()])?;
        }
        Ok(())
    }

    /// An `if` with these regions, and its results.
    pub(super) fn branch(
        &mut self,
        condition: ValueId,
        regions: Vec<Block>,
    ) -> Result<Vec<ValueId>> {
        let types: Vec<Type> =
            regions[0].results.iter().map(|&id| self.out.ty(id).clone()).collect();
        let outputs: Vec<ValueId> = types.into_iter().map(|ty| self.out.value("if", ty)).collect();
        let results = outputs.iter().copied().map(Some).collect();
        let mut op = Op::new(K::If, vec![Some(condition)], results);
        op.regions = regions;
        self.build("if", |b| b.push(op))?;
        Ok(outputs)
    }

    /// The element of an operand of an access; that of a scalar has no index.
    fn operand(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let index = self.plan.graph.operand_index(node, index);
        self.element(node, &index)
    }

    fn element(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        if let Kind::Uniform(scalar) = self.plan.graph[node].kind {
            let found = self.env.get(&scalar).copied();
            return found.ok_or_else(|| self.missing("a scalar has no value"));
        }
        let key = (node, index.clone());
        if let Some(&known) = self.elements.get(&key) {
            return Ok(known);
        }
        let value = self.compute(node, index)?;
        self.elements.insert(key, value);
        Ok(value)
    }

    fn compute(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let plan = self.plan;
        match &plan.graph[node].kind {
            Kind::Iota(start) => self.iota(*start, index),
            Kind::View(of, map) => self.element(*of, &rename(map, index)),
            Kind::Apply(Fun::Op(op), operands) => self.apply(op, node, operands, index),
            Kind::Choose { bit, from, map } => {
                let at = rename(map, index);
                match index.get(usize::from(*bit)).copied() {
                    Some(Bit::Of { bit, .. }) => {
                        let second = self.bits_of_thread(bit, 1)?;
                        let (second, of) = (self.truth(second)?, *from);
                        let (a, b) = (self.element(of[0], &at)?, self.element(of[1], &at)?);
                        self.op(K::Where, &[second, b, a], &[])
                    }
                    Some(Bit::Const(true)) => self.element(from[1], &at),
                    _ => self.element(from[0], &at),
                }
            }
            Kind::Load { .. } => {
                let Some((layout, registers)) = self.held.get(&node) else {
                    return Err(self.missing("an element is needed before it is loaded"));
                };
                match layout.find(index).and_then(|at| registers.get(at)).copied() {
                    Some(own) => Ok(own),
                    None => self.from_other_thread(node, index),
                }
            }
            _ => Err(self.missing("a block in memory")),
        }
    }

    pub(super) fn missing(&self, reason: &str) -> Unsupported {
        Unsupported { op: "element".into(), reason: reason.into(), at: self.loc.clone() }
    }

    fn apply(
        &mut self,
        op: &'m Op,
        node: NodeId,
        operands: &[NodeId],
        index: &Index,
    ) -> Result<ValueId> {
        let inputs =
            operands.iter().map(|&x| self.operand(x, index)).collect::<Result<Vec<_>>>()?;
        let loc = std::mem::replace(&mut self.loc, op.loc.clone());
        let attrs: Vec<_> = op.attrs.iter().map(|(name, value)| (name, value.clone())).collect();
        let value = match (op.kind, self.plan.graph[node].elem) {
            (K::PtrCast | K::IntToPtr, Elem::Ptr(to)) => {
                let ty = Type::pointer(to, &[]);
                self.build(op.decl().name, |b| b.declared(op.kind, &inputs, &attrs, &[ty]))
                    .map(|made| made[0])
            }
            _ => self.op(op.kind, &inputs, &attrs),
        };
        self.loc = loc;
        value
    }

    fn thread(&mut self) -> Result<ValueId> {
        if let Some(thread) = self.thread {
            return Ok(thread);
        }
        let thread = self.op(K::ThreadIndex, &[], &[])?;
        self.thread = Some(thread);
        Ok(thread)
    }

    /// Some bits of the thread's number, as an integer.
    fn bits_of_thread(&mut self, start: u8, bits: u8) -> Result<ValueId> {
        let mut value = self.thread()?;
        if start > 0 {
            let start = self.int(start.into())?;
            let right = Attr::Str("RIGHT".into());
            value = self.op(K::BitShift, &[value, start], &[("direction", right)])?;
        }
        if start + bits < self.plan.threads {
            let mask = self.int((1 << bits) - 1)?;
            value = self.op(K::BitwiseAnd, &[value, mask], &[])?;
        }
        Ok(value)
    }

    fn truth(&mut self, bit: ValueId) -> Result<ValueId> {
        let zero = self.int(0)?;
        let equal = self.op(K::Equal, &[bit, zero], &[])?;
        self.op(K::Not, &[equal], &[])
    }

    /// The number at an index of the integers from `start` on.
    pub(super) fn iota(&mut self, start: i64, index: &Index) -> Result<ValueId> {
        let ones = index.iter().enumerate().map(|(at, bit)| match bit {
            Bit::Const(one) => i64::from(*one) << at,
            Bit::Of { .. } => 0,
        });
        let fixed = start + ones.sum::<i64>();
        let fixed = i32::try_from(fixed).map_err(|_| self.missing("an index beyond 32 bits"))?;
        let Some(place) = self.place(index)? else { return self.int(fixed) };
        if fixed == 0 {
            return Ok(place);
        }
        let fixed = self.int(fixed)?;
        self.op(K::Add, &[place, fixed], &[])
    }

    /// The part of an index that depends on the thread; `None` if no bit does.
    fn place(&mut self, index: &Index) -> Result<Option<ValueId>> {
        let varies = |bit: &Bit| matches!(bit, Bit::Of { var: THREAD, .. });
        let key: Index =
            index.iter().map(|b| if varies(b) { *b } else { Bit::Const(false) }).collect();
        if let Some(&known) = self.places.get(&key) {
            return Ok(Some(known));
        }
        let mut sum: Option<ValueId> = None;
        let mut at = 0;
        while let Some(bit) = key.get(at) {
            let Bit::Of { bit: first, .. } = *bit else {
                at += 1;
                continue;
            };
            let follows = |&(n, bit): &(usize, &Bit)| matches!(bit, Bit::Of { bit, .. } if usize::from(*bit) == usize::from(first) + n);
            let count = key.iter().skip(at).enumerate().take_while(follows).count();
            let mut part = self.bits_of_thread(first, count as u8)?;
            if at > 0 {
                let by = self.int(at as i32)?;
                let left = Attr::Str("LEFT".into());
                part = self.op(K::BitShift, &[part, by], &[("direction", left)])?;
            }
            sum = Some(match sum {
                Some(sum) => self.op(K::Add, &[sum, part], &[])?,
                None => part,
            });
            at += count;
        }
        self.places.extend(sum.map(|sum| (key, sum)));
        Ok(sum)
    }
}
