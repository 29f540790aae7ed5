//! Atomic ops. GPUs have them for 32 bits, relaxed only: shorter elements are exchanged within their word. Acquire and
//! release are fences between barriers, because any thread of a program may have made the accesses that they order.

use trident_ir::op::words::{AtomicOp, BarrierMemory, MemoryOrder, MemoryScope};
use trident_ir::{Block, DType, OpKind as K, Type, ValueId, ops};

use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::hazard::Hazards;
use super::layout::Layout;
use super::plan::{Access, PTR};
use trident_tile_analysis::Index;

/// The change that an atomic op makes to an element.
#[derive(Clone, Copy)]
enum Change {
    /// By this op with an operand.
    Rmw(AtomicOp, ValueId),
    /// To the second value if it is the first.
    IfEqual(ValueId, ValueId),
    /// To this value.
    Set(ValueId),
    None,
}

/// The op that computes the change, and the signedness that its operands need.
fn computed(op: AtomicOp) -> (K, Option<bool>) {
    match op {
        AtomicOp::Add | AtomicOp::FAdd => (K::Add, None),
        AtomicOp::And => (K::BitwiseAnd, None),
        AtomicOp::Or => (K::BitwiseOr, None),
        AtomicOp::Xor => (K::BitwiseXor, None),
        AtomicOp::Max => (K::Max, Some(true)),
        AtomicOp::Min => (K::Min, Some(true)),
        AtomicOp::UMax => (K::Max, Some(false)),
        AtomicOp::UMin => (K::Min, Some(false)),
        AtomicOp::Exchange => (K::Identity, None),
    }
}

impl<'m> Emitter<'_, 'm> {
    pub(super) fn atomic(&mut self, access: &Access<'m>) -> Result<()> {
        let op = access.op;
        // Programs that wait for others rely on an order, even if they do not ask for it.
        let asked = self.view(op, ops::Ordered::of)?;
        let order = match asked.order() {
            MemoryOrder::Relaxed if self.plan.waits() => MemoryOrder::AcqRel,
            order => order,
        };
        let (acquires, releases) = match order {
            _ if !self.plan.is_ordered => (false, false),
            MemoryOrder::Relaxed => (false, false),
            MemoryOrder::Acquire => (true, false),
            MemoryOrder::Release => (false, true),
            MemoryOrder::AcqRel => (true, true),
        };
        let is_wide = match asked.scope() {
            MemoryScope::Cta => false,
            MemoryScope::Gpu | MemoryScope::Sys => true,
        };
        let origin = op.input(PTR).map(|ptr| self.origins.of(&self.func.name, ptr));
        let waits = self.hazards.add(access, origin.unwrap_or_default(), self.plan.threads);
        if releases {
            self.wait(BarrierMemory::Device)?;
            if is_wide {
                self.fence()?;
            }
        } else if waits {
            self.wait(BarrierMemory::Device)?;
        }
        let first = self.is_first(&access.layout)?;
        let mut former = vec![];
        for register in 0..access.layout.registers() {
            let index = access.layout.at(register);
            former.push(self.one(access, &index, first)?);
        }
        if let Some(out) = op.defined().next().filter(|out| self.plan.used.contains(out)) {
            let former = former.into_iter().flatten().collect();
            let former = self.of_first(&access.layout, former)?;
            self.give(out, &access.layout, former);
        }
        if acquires {
            if is_wide {
                self.fence()?;
            }
            self.wait(BarrierMemory::Device)?;
            self.hazards = Hazards::default();
        }
        Ok(())
    }

    /// Makes registers the elements of a value.
    pub(super) fn give(&mut self, id: ValueId, layout: &Layout, registers: Vec<ValueId>) {
        let is_scalar = self.func.ty(id).dims().is_some_and(|dims| dims.is_empty());
        match self.plan.node_of(id) {
            Some(node) if !is_scalar => {
                self.scope().held.insert(node, (layout.clone(), registers));
            }
            _ => self.env.extend(registers.first().map(|&own| (id, own))),
        }
    }

    fn fence(&mut self) -> Result<()> {
        self.act(ops::DeviceFence::new())
    }

    /// The op on one element, where its mask holds; its former value.
    fn one(
        &mut self,
        access: &Access<'m>,
        index: &Index,
        first: Option<ValueId>,
    ) -> Result<Option<ValueId>> {
        let op = access.op;
        let mut given = vec![];
        for i in 0..op.inputs.len() {
            let node = op.input(i).and_then(|id| self.plan.node_of(id));
            given.push(node.map(|node| self.operand(node, index)).transpose()?);
        }
        let operand = |i: usize| given.get(i).copied().flatten();
        let need =
            |i: usize| operand(i).ok_or_else(|| Unsupported::malformed(op, "lacks an operand"));
        let ptr = need(PTR)?;
        let (change, mask) = match op.kind {
            K::AtomicRmw => {
                let (rmw, at) = (self.view(op, ops::AtomicRmw::of)?, ops::AtomicRmw::AT);
                (Change::Rmw(rmw.op(), need(at.value)?), operand(at.mask))
            }
            K::AtomicCas => {
                let at = ops::AtomicCas::AT;
                (Change::IfEqual(need(at.expected)?, need(at.value)?), None)
            }
            K::AtomicStore => {
                let at = ops::AtomicStore::AT;
                (Change::Set(need(at.value)?), operand(at.mask))
            }
            _ => (Change::None, operand(ops::AtomicLoad::AT.mask)),
        };
        let Type::Pointer(to) = self.out.ty(ptr).clone() else {
            return Err(Unsupported::malformed(op, "takes no pointer"));
        };
        let act = |e: &mut Self| match to.to.size() {
            4 => e.of_word(ptr, to.to, change),
            1 | 2 => e.in_word(ptr, to.to, change),
            _ => Err(Unsupported::new(op, format!("Metal has no atomic operations on {}", to.to))),
        };
        let who = match (first, mask) {
            (Some(first), Some(mask)) => Some(self.op(K::And, &[first, mask])?),
            (first, mask) => first.or(mask),
        };
        let Some(who) = who else { return act(self) };
        let is_used = op.defined().next().is_some_and(|out| self.plan.used.contains(&out));
        let mut types = vec![];
        let then = self.region(vec![], |e| {
            let former = act(e)?.filter(|_| is_used);
            types.extend(former.map(|id| e.out.ty(id).clone()));
            Ok(former.into_iter().collect())
        })?;
        let zero =
            is_used.then(|| self.literal(to.to, vec![0; to.to.size()].into())).transpose()?;
        let otherwise =
            Block { results: zero.into_iter().take(types.len()).collect(), ..Block::default() };
        Ok(self.nest(ops::If::new(who), types, vec![then, otherwise])?.pop())
    }

    /// Values that the first of all threads with copies has, in all of them.
    fn of_first(&mut self, layout: &Layout, values: Vec<ValueId>) -> Result<Vec<ValueId>> {
        let copies = layout.copies(self.plan.threads);
        if copies == 0 {
            return Ok(values);
        }
        let who = self.has_none_of(copies)?;
        let own: Index = layout.threads().map(Layout::thread).collect();
        let mut all = vec![];
        for chunk in values.chunks(64) {
            let Some(dtype) = chunk.first().and_then(|&id| self.out.ty(id).dtype()) else { break };
            let part = self.part(dtype, chunk.len() << own.len())?;
            let mut writes = vec![];
            for (register, &value) in chunk.iter().enumerate() {
                writes.push((&part, self.iota((register << own.len()) as i64, &own)?, value));
            }
            self.write_shared(writes, Some(who))?;
            for register in 0..chunk.len() {
                let at = self.iota((register << own.len()) as i64, &own)?;
                all.push(self.read_shared(&part, at)?);
            }
            self.release(&part);
        }
        Ok(all)
    }

    /// The op on an element that is a word.
    fn of_word(&mut self, ptr: ValueId, dtype: DType, change: Change) -> Result<Option<ValueId>> {
        let as_type = match change {
            Change::Rmw(op, _) => match computed(op).1 {
                Some(true) => DType::I32,
                Some(false) => DType::U32,
                None => dtype,
            },
            Change::IfEqual(..) => DType::U32,
            Change::Set(_) | Change::None => dtype,
        };
        let ptr = self.to(ptr, as_type)?;
        match change {
            Change::Rmw(op, value) => {
                let value = self.bits_as(value, as_type)?;
                let op = match op {
                    AtomicOp::Add if as_type.is_float() => AtomicOp::FAdd,
                    op => op,
                };
                let rmw = ops::AtomicRmw::new(ptr, value, None).op(op);
                let former = self.add(rmw.order(MemoryOrder::Relaxed))?;
                self.bits_as(former, dtype).map(Some)
            }
            Change::IfEqual(expected, value) => {
                let expected = self.bits_as(expected, as_type)?;
                let value = self.bits_as(value, as_type)?;
                let former = self
                    .add(ops::AtomicCas::new(ptr, expected, value).order(MemoryOrder::Relaxed))?;
                self.bits_as(former, dtype).map(Some)
            }
            Change::Set(value) => {
                self.act(ops::AtomicStore::new(ptr, value, None).order(MemoryOrder::Relaxed))?;
                Ok(None)
            }
            Change::None => {
                self.add(ops::AtomicLoad::new(ptr, None).order(MemoryOrder::Relaxed)).map(Some)
            }
        }
    }

    /// The op on an element that is part of a word: the word is exchanged until no other thread has interfered.
    fn in_word(&mut self, ptr: ValueId, dtype: DType, change: Change) -> Result<Option<ValueId>> {
        self.exchanges_words = true;
        let long = |value: i64| value.to_le_bytes().to_vec().into();
        let address = self.op(K::PtrToInt, &[ptr])?;
        let (start, rest) =
            (self.literal(DType::I64, long(!3))?, self.literal(DType::I64, long(3))?);
        let start = self.op(K::BitwiseAnd, &[address, start])?;
        let ty = Type::pointer(DType::U32, &[]);
        let word = self.add_as(ops::IntToPtr::new(start), ty)?;
        let rest = self.op(K::BitwiseAnd, &[address, rest])?;
        let rest = self.cast(rest, DType::U32)?;
        let eight = self.word(8)?;
        let shift = self.op(K::Mul, &[rest, eight])?;
        let all = self.word((1 << (8 * dtype.size())) - 1)?;
        let own = self.shift_left(all, shift)?;
        let others = self.op(K::BitwiseNot, &[own])?;
        let seen = self.add(ops::AtomicLoad::new(word, None).order(MemoryOrder::Relaxed))?;
        let bits = if dtype.size() == 2 { DType::U16 } else { DType::U8 };
        let former = |e: &mut Self, seen| {
            let low = e.shift_right(seen, shift)?;
            let low = e.cast(low, bits)?;
            e.bits_as(low, dtype)
        };
        if let Change::None = change {
            return former(self, seen).map(Some);
        }
        let u32_type = self.out.ty(seen).clone();
        let carried = self.out.value("seen", u32_type.clone());
        let condition = self.region(vec![carried], |e| {
            let before = former(e, carried)?;
            let after = match change {
                Change::Rmw(op, value) => e.combined(op, before, value, dtype)?,
                Change::IfEqual(expected, value) => {
                    let (a, b) = (e.bits_as(before, bits)?, e.bits_as(expected, bits)?);
                    let equal = e.op(K::Equal, &[a, b])?;
                    e.op(K::Where, &[equal, value, before])?
                }
                Change::Set(value) => value,
                Change::None => before,
            };
            let after = e.bits_as(after, bits)?;
            let after = e.cast(after, DType::U32)?;
            let after = e.shift_left(after, shift)?;
            let rest = e.op(K::BitwiseAnd, &[carried, others])?;
            let after = e.op(K::BitwiseOr, &[rest, after])?;
            let found =
                e.add(ops::AtomicCas::new(word, carried, after).order(MemoryOrder::Relaxed))?;
            let same = e.op(K::Equal, &[found, carried])?;
            let again = e.op(K::Not, &[same])?;
            Ok(vec![again, found])
        })?;
        let again = self.out.value("seen", u32_type.clone());
        let body = Block { params: vec![again], results: vec![again], ..Block::default() };
        let seen = self.nest(ops::While::new(&[seen]), vec![u32_type], vec![condition, body])?;
        former(self, seen[0]).map(Some)
    }

    /// The element after `atomic_rmw`.
    fn combined(
        &mut self,
        op: AtomicOp,
        before: ValueId,
        value: ValueId,
        dtype: DType,
    ) -> Result<ValueId> {
        let (kind, signed) = computed(op);
        if kind == K::Identity {
            return Ok(value);
        }
        let as_type = match (signed, dtype.size()) {
            (Some(true), 1) => DType::I8,
            (Some(true), _) => DType::I16,
            (Some(false), 1) => DType::U8,
            (Some(false), _) => DType::U16,
            (None, _) => dtype,
        };
        let (before, value) = (self.bits_as(before, as_type)?, self.bits_as(value, as_type)?);
        let after = self.op(kind, &[before, value])?;
        self.bits_as(after, dtype)
    }

    fn word(&mut self, value: u32) -> Result<ValueId> {
        self.literal(DType::U32, value.to_le_bytes().to_vec().into())
    }

    /// A value's bits as another type of its size.
    fn bits_as(&mut self, value: ValueId, dtype: DType) -> Result<ValueId> {
        match self.out.ty(value).dtype() == Some(dtype) {
            true => Ok(value),
            false => self.bitcast(value, dtype),
        }
    }

    /// A pointer to the same place as one to another type.
    fn to(&mut self, ptr: ValueId, dtype: DType) -> Result<ValueId> {
        let mut ty = self.out.ty(ptr).clone();
        let Type::Pointer(to) = &mut ty else { return Ok(ptr) };
        if to.to == dtype {
            return Ok(ptr);
        }
        to.to = dtype;
        self.add_as(ops::PtrCast::new(ptr), ty)
    }
}
