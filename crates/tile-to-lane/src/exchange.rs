//! Elements that another thread holds. They are fetched by shuffles if its lane is in the same simdgroup, otherwise
//! through threadgroup memory, a piece at a time if the block is large.

use std::ops::Range;

use trident_ir::op::words::{BarrierMemory, LocalSpace};
use trident_ir::{Block, DType, OpKind as K, Type, ValueId, ops};

use super::banks::Padding;
use super::emit::{Emitter, Result};
use super::late::is_stepped;
use super::layout::{Layout, Source, THREAD};
use super::reduce::LANES;
use trident_tile_analysis::{Bit, Elem, Index, NodeId, log2};

/// Most shuffles for one element.
const SHUFFLES: u32 = 2;

/// A part of threadgroup memory.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) ptr: ValueId,
    bytes: Range<usize>,
}

/// Elements of a block in threadgroup memory: those whose indices have some bits of a fixed value.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) node: NodeId,
    pub(super) fixed: Vec<(usize, bool)>,
    pub(super) padding: Padding,
    pub(super) part: Part,
}

impl Piece {
    fn holds(&self, node: NodeId, index: &Index) -> bool {
        self.node == node && self.fixed.iter().all(|&(at, one)| index[at] == Bit::Const(one))
    }
}

/// The index without some of its bits.
fn without(index: &Index, fixed: &[(usize, bool)]) -> Index {
    let stays = |at: &usize| !fixed.iter().any(|(fixed, _)| fixed == at);
    (0..index.len()).filter(stays).map(|at| index[at]).collect()
}

impl Emitter<'_, '_> {
    /// The element with this index of a block that is in registers of other threads.
    pub(super) fn of_other_thread(&mut self, node: NodeId, index: &Index) -> Result<ValueId> {
        let held = self.known(|scope| scope.held.get(&node).cloned());
        let Some((layout, registers)) = held else {
            return Err(self.malformed("an element is needed before it is there"));
        };
        if is_stepped(index) {
            return Err(self.malformed("a register is chosen by a loop's counter"));
        }
        let elem = self.plan.graph[node].elem;
        let number = match self.of_other_lane(&layout, &registers, index)? {
            Some(element) => return Ok(element),
            None => {
                let find = |piece: &&Piece| piece.holds(node, index);
                let known = self.known(|scope| scope.shared.iter().find(find).cloned());
                let piece = match known {
                    Some(piece) => piece,
                    None => self.share(node, &layout, &registers, index)?,
                };
                let at = self.padded(&without(index, &piece.fixed), piece.padding)?;
                self.read_shared(&piece.part, at)?
            }
        };
        self.as_element(number, elem)
    }

    /// The element if a lane of the same simdgroup has it, in one of few registers.
    fn of_other_lane(
        &mut self,
        layout: &Layout,
        registers: &[ValueId],
        index: &Index,
    ) -> Result<Option<ValueId>> {
        // The lane is this one in bits that no bit of the index tells.
        let mut lane: Vec<Bit> = (0..LANES).map(Layout::thread).collect();
        let (mut register, mut choices) = (0, vec![]);
        for (at, &wanted) in (0u8..).zip(index.iter()) {
            match (layout.source(at), wanted) {
                (Source::Register(bit), Bit::Const(one)) => register |= usize::from(one) << bit,
                (Source::Register(bit), Bit::Of { bit: thread, .. }) => choices.push((bit, thread)),
                (Source::Thread(bit), wanted) if bit < LANES => lane[usize::from(bit)] = wanted,
                (Source::Thread(bit), wanted) if Layout::thread(bit) == wanted => {}
                (Source::Thread(_), _) => return Ok(None),
                (Source::None, _) => {}
            }
        }
        if 1 << choices.len() > SHUFFLES {
            return Ok(None);
        }
        let is_own = lane.iter().zip(0..).all(|(&bit, own)| bit == Layout::thread(own));
        let lane = self.iota(0, &lane.into())?;
        let mut found = vec![];
        for which in 0..1usize << choices.len() {
            let chosen = choices.iter().enumerate();
            let own = chosen.fold(register, |r, (i, (bit, _))| r | (which >> i & 1) << bit);
            let Some(&value) = registers.get(own) else { return Ok(None) };
            found.push(match is_own {
                true => value,
                false => self.shuffled(K::SimdShuffle, value, lane)?,
            });
        }
        for (_, thread) in choices {
            let first = self.has_none_of(1 << thread)?;
            let pairs: Vec<[ValueId; 2]> = found.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
            found = vec![];
            for [a, b] in pairs {
                found.push(self.op(K::Where, &[first, a, b])?);
            }
        }
        Ok(found.first().copied())
    }

    /// A value of another lane, by one of the shuffles. Types that these do not support are passed as numbers of at
    /// most 32 bits.
    pub(super) fn shuffled(&mut self, kind: K, value: ValueId, by: ValueId) -> Result<ValueId> {
        let ty = self.out.ty(value).clone();
        match ty.dtype() {
            _ if matches!(ty, Type::Pointer(_)) => {
                let number = self.op(K::PtrToInt, &[value])?;
                let other = self.shuffled(kind, number, by)?;
                self.add_as(ops::IntToPtr::new(other), ty)
            }
            Some(DType::Bool) => {
                let number = self.cast(value, DType::I32)?;
                let other = self.op(kind, &[number, by])?;
                self.cast(other, DType::Bool)
            }
            Some(dtype) if dtype.is_float() && dtype.bits() == 8 => {
                let number = self.bitcast(value, DType::U8)?;
                let other = self.op(kind, &[number, by])?;
                self.bitcast(other, dtype)
            }
            Some(dtype) if dtype.size() == 8 && dtype.is_int() => {
                let bits = self.bitcast(value, DType::U64)?;
                let thirty_two = self.literal(DType::U64, 32u64.to_le_bytes().to_vec().into())?;
                let high = self.shift_right(bits, thirty_two)?;
                let mut halves = vec![];
                for half in [bits, high] {
                    let half = self.cast(half, DType::U32)?;
                    let other = self.op(kind, &[half, by])?;
                    halves.push(self.cast(other, DType::U64)?);
                }
                let high = self.shift_left(halves[1], thirty_two)?;
                let both = self.op(K::BitwiseOr, &[halves[0], high])?;
                self.bitcast(both, dtype)
            }
            _ => self.op(kind, &[value, by]),
        }
    }

    /// Writes the piece of a block that has the element with this index to threadgroup memory.
    fn share(
        &mut self,
        node: NodeId,
        layout: &Layout,
        registers: &[ValueId],
        index: &Index,
    ) -> Result<Piece> {
        let dtype = stored(self.plan.graph[node].elem);
        // Register bits of this thread and of the writing threads come first, then the writing threads' bits.
        let of_register = |at: &usize| matches!(layout.source(*at as u8), Source::Register(_));
        let told = (0..index.len()).rev().filter_map(|at| match index[at] {
            Bit::Const(one) => Some((at, one)),
            Bit::Of { .. } => None,
        });
        let (registers_first, then): (Vec<_>, Vec<_>) = told.partition(|(at, _)| of_register(at));
        let order: Vec<(usize, bool)> = registers_first.into_iter().chain(then).collect();
        let most = log2((self.memory.limit() / 2 / dtype.size()).max(1).next_power_of_two());
        let least = index.len().saturating_sub(most.into()).min(order.len());
        let mut found = None;
        for count in least..=order.len() {
            let fixed = &order[..count];
            let (write, read) = (without(&layout.at(0), fixed), without(index, fixed));
            let padding = Padding::of(&write, &read, dtype.size());
            if let Some(part) = self.part_if(dtype, padding.len(write.len()))? {
                found = Some(Piece { node, fixed: fixed.to_vec(), padding, part });
                break;
            }
        }
        let piece = found.ok_or_else(|| {
            self.memory.lacks(dtype.size() << (index.len() - order.len()));
            self.missing("there is not enough threadgroup memory; use smaller blocks")
        })?;
        self.write_piece(&piece, layout, registers)?;
        self.scope().shared.push(piece.clone());
        Ok(piece)
    }

    /// Writes the registers that hold elements of a piece.
    pub(super) fn write_piece(
        &mut self,
        piece: &Piece,
        layout: &Layout,
        registers: &[ValueId],
    ) -> Result<()> {
        // Threads write that hold elements of the piece, and of copies the first.
        let (mut mask, mut value) = (layout.copies(self.plan.threads), 0);
        for &(at, one) in &piece.fixed {
            if let Source::Thread(bit) = layout.source(at as u8) {
                mask |= 1 << bit;
                value |= i32::from(one) << bit;
            }
        }
        let mut values = vec![];
        for (register, &own) in registers.iter().enumerate() {
            let at = layout.at(register);
            let is_there = |&(bit, one): &(usize, bool)| at[bit] != Bit::Const(!one);
            if piece.fixed.iter().all(is_there) {
                let place = self.padded(&without(&at, &piece.fixed), piece.padding)?;
                values.push((place, self.as_number(own)?));
            }
        }
        let who = match mask {
            0 => None,
            mask => Some(self.has_bits(mask, value)?),
        };
        let writes = values.into_iter().map(|(at, value)| (&piece.part, at, value)).collect();
        self.write_shared(writes, who)
    }

    /// A value as a number that memory holds.
    pub(super) fn as_number(&mut self, value: ValueId) -> Result<ValueId> {
        match self.out.ty(value) {
            Type::Pointer(_) => self.op(K::PtrToInt, &[value]),
            _ => Ok(value),
        }
    }

    /// The value that [`Self::as_number`] made the number of.
    pub(super) fn as_element(&mut self, number: ValueId, elem: Elem) -> Result<ValueId> {
        let Elem::Ptr(to) = elem else { return Ok(number) };
        let ty = Type::pointer(to, &[]);
        self.add_as(ops::IntToPtr::new(number), ty)
    }

    /// Allocates threadgroup memory for `len` elements.
    pub(super) fn part(&mut self, dtype: DType, len: usize) -> Result<Part> {
        let found = self.part_if(dtype, len)?;
        let bytes = len.saturating_mul(dtype.size());
        found.ok_or_else(|| {
            self.memory.lacks(bytes);
            self.missing(&format!(
                "{bytes} bytes of threadgroup memory are not free; use smaller blocks"
            ))
        })
    }

    /// Like [`Self::part`], if there is room. Pieces that can be written again are dropped to make room, the oldest
    /// first.
    fn part_if(&mut self, dtype: DType, len: usize) -> Result<Option<Part>> {
        let bytes = len.saturating_mul(dtype.size());
        let range = loop {
            if let Some(range) = self.memory.take(bytes) {
                break range;
            }
            match self.forget() {
                Some(piece) => self.memory.release(&piece.part.bytes),
                None => return Ok(None),
            }
        };
        let base = match self.base {
            Some(base) => base,
            None => {
                let alloc = ops::Alloc::new().space(LocalSpace::Threadgroup);
                let base = self.add(alloc.dtype(WORD).len(1))?;
                self.arrays.extend(self.block.ops.pop());
                *self.base.insert(base)
            }
        };
        let first = match range.start {
            0 => base,
            start => {
                let words = self.int(i32::try_from(start / WORD.size()).unwrap_or(i32::MAX))?;
                self.op(K::PtrAdd, &[base, words])?
            }
        };
        let ptr = match dtype {
            WORD => first,
            _ => {
                let mut ty = self.out.ty(first).clone();
                if let Type::Pointer(ptr) = &mut ty {
                    ptr.to = dtype;
                }
                self.add_as(ops::PtrCast::new(first), ty)?
            }
        };
        Ok(Some(Part { ptr, bytes: range }))
    }

    /// Gives threadgroup memory back.
    pub(super) fn release(&mut self, part: &Part) {
        self.memory.release(&part.bytes);
    }

    /// Where a value lies in a part.
    pub(super) fn shared_place(&mut self, part: &Part, at: ValueId) -> Result<ValueId> {
        self.memory.note_read(&part.bytes);
        self.op(K::PtrAdd, &[part.ptr, at])
    }

    /// Notes that threads read from a part.
    pub(super) fn note_read(&mut self, part: &Part) {
        self.memory.note_read(&part.bytes);
    }

    /// Whether threads may still read what was in a part before.
    pub(super) fn may_be_read(&self, part: &Part) -> bool {
        self.memory.is_read(&part.bytes)
    }

    pub(super) fn read_shared(&mut self, part: &Part, at: ValueId) -> Result<ValueId> {
        let ptr = self.shared_place(part, at)?;
        self.op(K::Load, &[ptr])
    }

    /// Writes values to positions of parts, in the threads for which a condition holds. Afterwards all threads see
    /// them.
    pub(super) fn write_shared(
        &mut self,
        writes: Vec<(&Part, ValueId, ValueId)>,
        who: Option<ValueId>,
    ) -> Result<()> {
        if writes.iter().any(|(part, ..)| self.memory.is_read(&part.bytes)) {
            self.wait(BarrierMemory::Threadgroup)?;
        }
        let write = |e: &mut Self| {
            for (part, at, value) in writes {
                let ptr = e.op(K::PtrAdd, &[part.ptr, at])?;
                e.act(ops::Store::new(ptr, value, None))?;
            }
            Ok(vec![])
        };
        match who {
            Some(who) => {
                let then = self.region(vec![], write)?;
                self.nest(ops::If::new(who), vec![], vec![then, Block::default()])?;
            }
            None => drop(write(self)?),
        }
        self.wait(BarrierMemory::Threadgroup)
    }

    /// The place of an index in memory.
    fn padded(&mut self, index: &Index, padding: Padding) -> Result<ValueId> {
        let Some(shift) = padding.shift() else { return self.iota(0, index) };
        let fixed = index.iter().enumerate().fold(0, |sum, (at, bit)| match bit {
            Bit::Const(true) => sum | 1 << at,
            _ => sum,
        });
        let fixed = i32::try_from(padding.place(fixed))
            .map_err(|_| self.missing("an index exceeds 32 bits"))?;
        let varies = |bit: &Bit| matches!(bit, Bit::Of { var: THREAD, .. });
        let key: Index =
            index.iter().map(|b| if varies(b) { *b } else { Bit::Const(false) }).collect();
        if !key.iter().any(varies) {
            return self.int(fixed);
        }
        let known = self.known(|scope| scope.padded.get(&(key.clone(), padding)).copied());
        let own = match known {
            Some(own) => own,
            None => {
                let plain = self.iota(0, &key)?;
                let by = self.int(shift.into())?;
                let mut pads = self.shift_right(plain, by)?;
                if padding.width() > 0 {
                    let by = self.int(padding.width().into())?;
                    pads = self.shift_left(pads, by)?;
                }
                let own = self.op(K::Add, &[plain, pads])?;
                self.scope().padded.insert((key, padding), own);
                own
            }
        };
        match fixed {
            0 => Ok(own),
            fixed => {
                let fixed = self.int(fixed)?;
                self.op(K::Add, &[own, fixed])
            }
        }
    }
}

/// The element type of the array that is all of threadgroup memory.
pub(super) const WORD: DType = DType::U32;

/// The element type as which elements are in memory; pointers are addresses.
pub(super) fn stored(elem: Elem) -> DType {
    match elem {
        Elem::Data(dtype) => dtype,
        Elem::Ptr(_) => DType::I64,
    }
}
