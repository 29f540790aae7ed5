//! Blocks in the threadgroup memory of products.

use trident_ir::op::words::BarrierMemory;
use trident_ir::{Block, DType, OpKind as K, Type, ValueId, ops};

use super::order::Order;
use crate::emit::{Emitter, Result};
use crate::exchange::Part as SharedPart;
use crate::layout::{Layout, Source};
use trident_tile_analysis::{Bit, Index};

/// A part of a kernel's threadgroup memory, and pointers into it.
#[derive(Clone)]
pub(crate) struct Area {
    part: SharedPart,
    order: Order,
}

impl Area {
    /// The pointer to an element.
    pub(super) fn at(&self, e: &mut Emitter<'_, '_>, index: &Index) -> Result<ValueId> {
        let (fixed, open) = self.order.place(index);
        let key = (self.part.ptr, open);
        let base = match e.known(|scope| scope.pointers.get(&key).copied()) {
            Some(known) => known,
            None => {
                let base = match e.weighted(&key.1)? {
                    Some(place) => e.op(K::PtrAdd, &[self.part.ptr, place])?,
                    None => self.part.ptr,
                };
                e.scope().pointers.insert(key, base);
                base
            }
        };
        e.moved(base, fixed)
    }
}

/// Registers of a layout whose elements lie in a part of the block, and the required bits of the thread's number.
pub(super) struct Part {
    pub(super) registers: Vec<usize>,
    threads: (i32, i32),
}

impl Part {
    /// The part in which these bits of an index are `value`.
    pub(super) fn of(layout: &Layout, bits: std::ops::Range<u8>, value: usize) -> Part {
        let (mut mask, mut threads) = (0, 0);
        let mut registers: Vec<usize> = (0..layout.registers()).collect();
        for (at, bit) in bits.enumerate() {
            let one = value >> at & 1;
            match layout.source(bit) {
                Source::Register(bit) => registers.retain(|register| register >> bit & 1 == one),
                Source::Thread(bit) => {
                    mask |= 1 << bit;
                    threads |= (one as i32) << bit;
                }
                Source::None => {}
            }
        }
        Part { registers, threads: (mask, threads) }
    }
}

impl Emitter<'_, '_> {
    /// Threadgroup memory for a block, until it is given back.
    pub(super) fn area(&mut self, dtype: DType, order: &Order) -> Result<Area> {
        let part = self.part(dtype, order.len)?;
        Ok(Area { part, order: order.clone() })
    }

    /// All threads wait, unless none of them may still read what was in the areas before.
    pub(super) fn before_writing<'a>(
        &mut self,
        areas: impl IntoIterator<Item = &'a Area>,
    ) -> Result<()> {
        match areas.into_iter().any(|area| self.may_be_read(&area.part)) {
            true => self.wait(BarrierMemory::Threadgroup),
            false => Ok(()),
        }
    }

    /// All threads wait until the areas are written, which are read from here on.
    pub(super) fn before_reading<'a>(
        &mut self,
        areas: impl IntoIterator<Item = &'a Area>,
    ) -> Result<()> {
        self.wait(BarrierMemory::Threadgroup)?;
        areas.into_iter().for_each(|area| self.note_read(&area.part));
        Ok(())
    }

    /// Gives the memory of areas back.
    pub(crate) fn leave<'a>(&mut self, areas: impl IntoIterator<Item = &'a Area>) {
        areas.into_iter().for_each(|area| self.release(&area.part));
    }

    /// The pointer `by` elements after another one.
    pub(super) fn moved(&mut self, ptr: ValueId, by: usize) -> Result<ValueId> {
        if by == 0 {
            return Ok(ptr);
        }
        let by =
            i32::try_from(by).map_err(|_| self.missing("an array exceeds 32-bit addresses"))?;
        let by = self.int(by)?;
        self.op(K::PtrAdd, &[ptr, by])
    }

    /// Whether this thread has elements of the part, and of several with copies is the first; `None` if it is always so.
    pub(super) fn takes_part(&mut self, part: &Part, copies: i32) -> Result<Option<ValueId>> {
        let (mask, value) = part.threads;
        match mask | copies {
            0 => Ok(None),
            mask => self.threads_are(mask, value).map(Some),
        }
    }

    /// Whether these bits of the thread's number have this value.
    fn threads_are(&mut self, mask: i32, value: i32) -> Result<ValueId> {
        let (thread, mask, value) = (self.thread()?, self.int(mask)?, self.int(value)?);
        let which = self.op(K::BitwiseAnd, &[thread, mask])?;
        self.op(K::Equal, &[which, value])
    }

    /// Emits code that runs where a condition holds, if there is one. Elsewhere results are `others`.
    pub(super) fn guarded(
        &mut self,
        condition: Option<ValueId>,
        others: Vec<ValueId>,
        emit: impl FnOnce(&mut Self) -> Result<Vec<ValueId>>,
    ) -> Result<Vec<ValueId>> {
        let Some(condition) = condition else { return emit(self) };
        let then = self.region(vec![], emit)?;
        let types = others.iter().map(|&id| self.out.ty(id).clone()).collect();
        let otherwise = Block { results: others, ..Block::default() };
        self.nest(ops::If::new(condition), types, vec![then, otherwise])
    }

    /// Writes elements with these indices, vectors of 2^`vector` that follow each other.
    pub(super) fn put(
        &mut self,
        area: &Area,
        elements: &[(Index, ValueId)],
        vector: u8,
    ) -> Result<()> {
        for group in elements.chunks(1 << vector) {
            let ptr = area.at(self, &group[0].0)?;
            let values: Vec<ValueId> = group.iter().map(|element| element.1).collect();
            let value = match values[..] {
                [one] => one,
                _ => self.op(K::Vector, &values)?,
            };
            let mut store = ops::Store::new(ptr, value, None);
            if let Some(align) = self.alignment(ptr, vector) {
                store = store.align(align);
            }
            self.act(store)?;
        }
        Ok(())
    }

    /// Reads elements with these indices, as [`Self::put`] writes them.
    pub(super) fn get(
        &mut self,
        area: &Area,
        indices: &[Index],
        vector: u8,
    ) -> Result<Vec<ValueId>> {
        let mut values = vec![];
        for group in indices.chunks(1 << vector) {
            let ptr = area.at(self, &group[0])?;
            let mut load = ops::Load::new(ptr, None, None);
            if group.len() == 1 {
                values.push(self.add(load)?);
                continue;
            }
            load = load.width(group.len() as i64);
            if let Some(align) = self.alignment(ptr, vector) {
                load = load.align(align);
            }
            let loaded = self.add(load)?;
            for at in 0..group.len() {
                values.push(self.add(ops::Extract::new(loaded).at(at as i64))?);
            }
        }
        Ok(values)
    }

    /// The alignment of vectors of 2^`vector` elements.
    fn alignment(&self, ptr: ValueId, vector: u8) -> Option<i64> {
        match self.out.ty(ptr) {
            Type::Pointer(ty) if vector > 0 => Some((ty.to.size() << vector) as i64),
            _ => None,
        }
    }
}

/// The index of an element without its highest bits, which tell the part of the block.
pub(super) fn inside(index: &Index, parts: u8) -> Index {
    let bits: Vec<Bit> = index[..index.len() - usize::from(parts)].to_vec();
    bits.into()
}
