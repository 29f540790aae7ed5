//! Dispatch of ops to the code that generates them.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::literal::LiteralData;
use trident_ir::op::{Effect, Group};
use trident_ir::{Block, DType, Op, OpKind as K, ops};
use trident_runtime::Checks;
use trident_tile_analysis::{
    Bit, Elem, Expression, Node, NodeId, index_bits, is_lazy, is_volatile,
};

use super::node::{Kind, Register, Val};
use super::{Condition, Emitter, Result, malformed, refused, view};

/// Expressions deeper than this are materialised, which bounds the stack needed to evaluate one.
const DEEP: u32 = 128;

/// Scalars that cost at least this much are computed once, not in each loop that uses them.
const EXPENSIVE_SCALAR: u32 = 6;

impl<'m> Emitter<'m, '_> {
    /// Generates the ops of a block and returns its results.
    pub(super) fn block(&mut self, block: &'m Block, params: Vec<Val>) -> Result<Vec<Val>> {
        for (&id, val) in block.params.iter().zip(params) {
            self.calls.define(id, val);
        }
        let region = self.calls.regions();
        for op in &block.ops {
            self.calls.at(region, Some(op));
            if op.effect() == Effect::Write {
                self.force_loads()?;
            }
            self.op(op)?;
        }
        self.calls.at(region, None);
        let missing = || self.calls.refusal("a region yields an undefined value");
        block.results.iter().map(|&id| self.calls.value(id).ok_or_else(missing)).collect()
    }

    fn op(&mut self, op: &'m Op) -> Result<()> {
        match op.kind {
            K::Constant => self.constant(op),
            K::ProgramId => {
                self.of_axis(op, self.program.ids, view(op, ops::ProgramId::of)?.axis())
            }
            K::NumPrograms => {
                self.of_axis(op, self.program.grid, view(op, ops::NumPrograms::of)?.axis())
            }
            K::Poison => self.poison(op),
            K::Reduce => self.reduce(op),
            K::PrefixScan => self.prefix_scan(op),
            K::Map => self.map(op),
            K::Histogram => self.histogram(op),
            K::Dot => self.dot(op),
            K::DotScaled => self.dot_scaled(op),
            K::MakeDescriptor => self.make_descriptor(op),
            K::DescriptorLoad => self.descriptor_load(op),
            K::DescriptorStore => self.descriptor_store(op),
            K::DescriptorReduce => self.descriptor_reduce(op),
            K::DescriptorGather => self.descriptor_gather(op),
            K::DescriptorScatter => self.descriptor_scatter(op),
            K::Store => self.store(op),
            K::AtomicRmw | K::AtomicCas | K::AtomicLoad | K::AtomicStore | K::AtomicPoll => {
                self.atomic(op)
            }
            // A program runs on one thread, in order.
            K::Barrier => Ok(()),
            K::Print => self.print(op),
            K::Assert => {
                let message = view(op, ops::Assert::of)?.message().to_owned();
                self.condition(op, Condition::Assert(message))
            }
            K::Assume if self.checking.checks == Checks::None => Ok(()),
            K::Assume => self.condition(op, Condition::Assume),
            K::For => self.for_loop(op),
            K::While => self.while_loop(op),
            K::If => self.if_else(op),
            K::Call => self.call(op),
            K::Unsplat => {
                let (node, _) = self.tile(op, ops::Unsplat::AT.x)?;
                let (value, elem) = (self.only(node)?, self.nodes[node].elem);
                self.give(op, Val::Scalar(value, elem))
            }
            // A volatile load is executed in place.
            K::Load => self.lazy(op),
            _ if is_lazy(op) => self.lazy(op),
            _ => Err(refused(op, "this operation is not supported")),
        }
    }

    /// Defines the result as one of three scalars, one for each axis of the grid.
    fn of_axis(&mut self, op: &Op, scalars: [Value; 3], axis: i64) -> Result<()> {
        let value = usize::try_from(axis).ok().and_then(|axis| scalars.get(axis).copied());
        let value = value.ok_or_else(|| malformed(op, "no such axis"))?;
        self.give(op, Val::Scalar(value, Elem::Data(DType::I32)))
    }

    /// Defines the op's only result.
    pub(super) fn give(&mut self, op: &Op, val: Val) -> Result<()> {
        if let Some(id) = op.defined().next() {
            self.calls.define(id, val);
        }
        Ok(())
    }

    /// Defines result `i` as a block, materialised where decided.
    pub(super) fn give_block(
        &mut self,
        op: &Op,
        i: usize,
        node: NodeId,
        dims: Vec<usize>,
    ) -> Result<()> {
        let Some(id) = op.output(i) else { return Ok(()) };
        if dims.is_empty() {
            let elem = self.nodes[node].elem;
            let mut value = self.only(node)?;
            if op.decl().cost >= EXPENSIVE_SCALAR {
                value = self.pin(value);
            }
            self.calls.define(id, Val::Scalar(value, elem));
            return Ok(());
        }
        let materialised = self.calls.is_materialised(id);
        if materialised || self.nodes[node].depth > DEEP || is_volatile(op) {
            self.address(node, &dims)?;
        }
        self.calls.define(id, Val::Block(node, dims));
        Ok(())
    }

    /// Spills the value and reloads it: Cranelift rematerialises values in each loop that uses them, but never repeats
    /// a load.
    pub(super) fn pin(&mut self, value: Value) -> Value {
        let at = self.reserve(8);
        let flags = self.flags();
        self.b.ins().store(flags, value, at, 0);
        let ty = self.b.func.dfg.value_type(value);
        self.b.ins().load(ty, flags, at, 0)
    }

    /// Adds a node over operands.
    pub(super) fn make(
        &mut self,
        kind: Kind<'m>,
        elem: Elem,
        bits: u8,
        cost: u32,
        operands: &[NodeId],
    ) -> NodeId {
        self.nodes.make(kind, elem, bits, cost, operands)
    }

    /// Adds a view of a block: the same elements at a renamed index.
    pub(super) fn view(&mut self, of: NodeId, map: Vec<Bit>, bits: u8) -> NodeId {
        self.nodes.view(of, map, bits)
    }

    fn lazy(&mut self, op: &'m Op) -> Result<()> {
        let Some(at) = op.outputs.iter().position(Option::is_some) else { return Ok(()) };
        if op.kind == K::Identity || op.kind == K::Hint {
            let at = if op.kind == K::Hint { ops::Hint::AT.x } else { ops::Identity::AT.x };
            let val = self.operand(op, at)?;
            match val {
                Val::Scalar(value, _) if op.kind == K::Hint => self.nodes.promise_scalar(value, op),
                Val::Block(node, _) if op.kind == K::Hint => self.nodes.promise(node, op),
                _ => {}
            }
            return self.give(op, val);
        }
        let mut operands = vec![];
        for (i, input) in op.inputs.iter().enumerate() {
            operands.push(input.map(|_| self.tile(op, i)).transpose()?);
        }
        let (elem, dims) = self.result(op, at)?;
        if let Some(node) = self.computed_now(op, &operands, elem, &dims)? {
            return self.give_block(op, 0, node, dims);
        }
        if let (K::TakeAlongAxis, Some(Some((src, from)))) = (op.kind, operands.first_mut()) {
            self.check_indices(op, from)?;
            let address = self.address(*src, from)?;
            let Node { elem, bits, .. } = self.nodes[*src];
            *src = self.node(Kind::Buffer(address), elem, bits, 1, 0);
        }
        let site = if op.kind == K::Load { self.site(op) } else { 0 };
        let expression = Expression { op, operands: &operands, elem, dims: &dims, site };
        for i in (0..op.outputs.len()).filter(|&i| op.output(i).is_some()) {
            let made = expression.add(&mut self.nodes, i);
            let node = made.map_err(|reason| malformed(op, reason))?;
            if op.kind == K::Load {
                self.pending.push(node);
            }
            self.give_block(op, i, node, dims.clone())?;
        }
        Ok(())
    }

    /// The block, if it is not an expression: all elements are the same scalar, or a routine computes them.
    fn computed_now(
        &mut self,
        op: &'m Op,
        operands: &[Option<(NodeId, Vec<usize>)>],
        elem: Elem,
        dims: &[usize],
    ) -> Result<Option<NodeId>> {
        if op.decl().group != Group::Elementwise {
            return Ok(None);
        }
        let nodes: Option<Vec<NodeId>> = operands.iter().map(|o| Some(o.as_ref()?.0)).collect();
        let nodes = nodes.ok_or_else(|| malformed(op, "lacks an operand"))?;
        let scalar = |&n: &NodeId| match self.nodes[n].kind {
            Kind::Uniform(value) => Some((value, self.nodes[n].elem)),
            _ => None,
        };
        if let Some(values) = nodes.iter().map(scalar).collect::<Option<Vec<_>>>() {
            let mut value = self.element(op, &values, elem)?;
            if op.decl().cost >= EXPENSIVE_SCALAR {
                value = self.pin(value);
            }
            return Ok(Some(self.uniform(value, elem, index_bits(dims))));
        }
        let routine = self.block_routine(op, &nodes, elem).filter(|&r| !self.loops_compute(r));
        let Some(routine) = routine else { return Ok(None) };
        let address = self.call_block_routine(op, routine, &nodes, dims, elem)?;
        Ok(Some(self.node(Kind::Buffer(address), elem, index_bits(dims), 1, 0)))
    }

    fn poison(&mut self, op: &'m Op) -> Result<()> {
        let Some(id) = op.defined().next() else { return Ok(()) };
        let val = match self.calls.func().ty(id) {
            trident_ir::Type::Descriptor(d) => {
                let zero = self.int(0);
                let n = d.block.len();
                Val::Descriptor(super::Desc {
                    elem: d.dtype,
                    block: d.block.clone(),
                    base: zero,
                    lengths: vec![zero; n],
                    strides: vec![zero; n],
                    padding: zero,
                })
            }
            _ => {
                let (elem, dims) = self.result(op, 0)?;
                let zero = self.zero(elem.clif());
                return self.give_uniform(op, zero, elem, dims);
            }
        };
        self.give(op, val)
    }

    fn give_uniform(&mut self, op: &Op, value: Value, elem: Elem, dims: Vec<usize>) -> Result<()> {
        match dims.is_empty() {
            true => self.give(op, Val::Scalar(value, elem)),
            false => {
                let node = self.uniform(value, elem, index_bits(&dims));
                self.give(op, Val::Block(node, dims))
            }
        }
    }

    fn constant(&mut self, op: &'m Op) -> Result<()> {
        let literal = view(op, ops::Constant::of)?.value();
        let LiteralData::Bytes(data) = literal.data() else {
            return Err(refused(op, "constants of text are not supported"));
        };
        let elem = Elem::Data(literal.dtype());
        let size = elem.size();
        let element = |chunk: &[u8]| {
            let mut word = [0u8; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            i64::from_le_bytes(word)
        };
        let first = data.get(..size).ok_or_else(|| malformed(op, "has no element"))?;
        if data.chunks_exact(size).all(|chunk| chunk == first) {
            let value = self.immediate(element(first), elem);
            return self.give_uniform(op, value, elem, literal.dims().to_vec());
        }
        // Constants become code: a table of them would be a kernel's only data.
        const MOST: usize = 1024;
        if literal.len() > MOST {
            return Err(refused(
                op,
                format!("a constant may have at most {MOST} different elements"),
            ));
        }
        let address = self.reserve(data.len());
        for (i, chunk) in data.chunks_exact(size).enumerate() {
            let value = self.immediate(element(chunk), elem);
            let flags = self.flags();
            self.b.ins().store(flags, value, address, (i * size) as i32);
        }
        let dims = literal.dims().to_vec();
        let node = self.node(Kind::Buffer(address), elem, index_bits(&dims), 1, 0);
        self.give(op, Val::Block(node, dims))
    }

    /// An element with these bits.
    pub(super) fn immediate(&mut self, bits: i64, elem: Elem) -> Value {
        let ty = elem.clif();
        let bits = match elem == Elem::Data(DType::Bool) {
            true => i64::from(bits & 0xff != 0),
            false => bits & (-1i64 as u64 >> (64 - ty.bits())) as i64,
        };
        let value = match ty {
            types::F32 => self.b.ins().f32const(f32::from_bits(bits as u32)),
            types::F64 => self.b.ins().f64const(f64::from_bits(bits as u64)),
            ty => self.b.ins().iconst(ty, bits),
        };
        self.nodes.set_constant(value, bits as u64);
        value
    }

    /// Zero of a type.
    pub(super) fn zero(&mut self, ty: cranelift_codegen::ir::Type) -> Value {
        let value = match ty {
            types::F32 => self.b.ins().f32const(0.0),
            types::F64 => self.b.ins().f64const(0.0),
            ty => self.b.ins().iconst(ty, 0),
        };
        self.nodes.set_constant(value, 0);
        value
    }

    /// Evaluates loads that are still needed after the current op, which may write.
    pub(super) fn force_loads(&mut self) -> Result<()> {
        let mut pending = self.pending.iter().map(|&load| &self.nodes[load].kind);
        if !pending.any(|kind| matches!(kind, Kind::Load { .. })) {
            return Ok(());
        }
        let mut live = vec![];
        for frame in self.calls.frames() {
            let Some((op, values)) = frame.live() else { continue };
            for (id, val) in values {
                if let Val::Block(node, _) = val
                    && frame.materialised.outlives(id, op)
                {
                    live.push(*node);
                }
            }
        }
        self.force(live)
    }

    /// Evaluates the loads among these nodes and their operands.
    pub(super) fn force(&mut self, mut stack: Vec<NodeId>) -> Result<()> {
        let mut seen = vec![false; self.nodes.len()];
        let mut loads = vec![];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match &self.nodes[node].kind {
                Kind::Load { ptr, mask, other, .. } => {
                    loads.push(node);
                    stack.extend([Some(*ptr), *mask, *other].into_iter().flatten());
                }
                Kind::Apply(_, operands) => stack.extend(operands),
                Kind::View(of, _) => stack.push(*of),
                Kind::Choose { from, .. } => stack.extend(from),
                Kind::Take { index, .. } => stack.push(*index),
                Kind::Uniform(_) | Kind::Iota(_) | Kind::Buffer(_) => {}
            }
        }
        // Node order puts operands before their users.
        loads.sort_unstable();
        for load in loads {
            let dims = [1usize << self.nodes[load].bits];
            self.address(load, &dims)?;
        }
        Ok(())
    }

    /// Adds the source location of accesses by the op's first operand, a pointer or descriptor, and returns its number.
    pub(super) fn site(&mut self, op: &Op) -> u64 {
        if self.checking.checks == Checks::None {
            return 0;
        }
        let origin = self.checking.origin(self.calls.func(), op.used().next());
        self.output.site(op, Condition::Access, origin)
    }
}
