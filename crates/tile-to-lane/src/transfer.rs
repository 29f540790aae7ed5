//! Loads and stores.

use trident_ir::op::words::BarrierMemory;
use trident_ir::{Block, OpKind as K, ValueId, ops};

use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::layout::Layout;
use super::plan::{Access, PTR};
use trident_tile_analysis::{Elem, Index, LaneBits, Trend};

impl<'m> Emitter<'_, 'm> {
    pub(super) fn transfer(&mut self, access: &Access<'m>) -> Result<()> {
        let origin = access.op.input(PTR).map(|ptr| self.origins.of(&self.func.name, ptr));
        if self.hazards.add(access, origin.unwrap_or_default(), self.plan.threads) {
            self.wait(BarrierMemory::Device)?;
        }
        if access.is_late {
            return Ok(());
        }
        if let Some(node) = access.loaded {
            let mut loaded = vec![];
            for group in groups(&access.layout, access.lanes) {
                loaded.extend(self.read_group(access, access.lanes, &group)?);
            }
            self.scope().held.insert(node, (access.layout.clone(), loaded));
            return Ok(());
        }
        let every = self.is_first(&access.layout)?;
        let Some(looped) = &access.looped else { return self.write(access, &access.layout, every) };
        let steps = access.layout.registers() / looped.registers();
        self.steps(0..steps, vec![], true, |e, step, _| {
            e.scope().step = Some(step);
            e.write(access, looped, every).map(|()| vec![])
        })
        .map(drop)
    }

    /// Writes the elements of a layout.
    fn write(
        &mut self,
        access: &Access<'m>,
        layout: &Layout,
        every: Option<ValueId>,
    ) -> Result<()> {
        for group in groups(layout, access.lanes) {
            for part in self.together(access, access.lanes, &group) {
                let mask = self.condition(access, &part[0], every)?;
                self.store(access, part, mask)?;
            }
        }
        Ok(())
    }

    /// Reads the elements of a vector.
    pub(super) fn read_group(
        &mut self,
        access: &Access<'m>,
        lanes: LaneBits,
        group: &[Index],
    ) -> Result<Vec<ValueId>> {
        let mut loaded = vec![];
        for part in self.together(access, lanes, group) {
            let mask = self.condition(access, &part[0], None)?;
            loaded.extend(self.load(access, part, mask)?);
        }
        Ok(loaded)
    }

    /// The parts of a vector that are accessed together: the whole vector, if one test decides for all elements.
    fn together<'a>(
        &self,
        access: &Access<'m>,
        lanes: LaneBits,
        group: &'a [Index],
    ) -> Vec<&'a [Index]> {
        match access.mask {
            Some(mask) if self.plan.graph.trend(mask, lanes) != Trend::Same => {
                group.chunks(1).collect()
            }
            _ => vec![group],
        }
    }

    /// Where several threads hold the same elements: whether this one is the first of them, which writes.
    pub(super) fn is_first(&mut self, layout: &Layout) -> Result<Option<ValueId>> {
        match layout.copies(self.plan.threads) {
            0 => Ok(None),
            copies => self.has_none_of(copies).map(Some),
        }
    }

    /// Whether all these bits of the thread's number are 0.
    pub(super) fn has_none_of(&mut self, bits: i32) -> Result<ValueId> {
        self.has_bits(bits, 0)
    }

    /// Whether these bits of the thread's number have this value.
    pub(super) fn has_bits(&mut self, bits: i32, value: i32) -> Result<ValueId> {
        let (thread, bits, value) = (self.thread()?, self.int(bits)?, self.int(value)?);
        let which = self.op(K::BitwiseAnd, &[thread, bits])?;
        self.op(K::Equal, &[which, value])
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
            Some(every) => self.op(K::And, &[every, mask]).map(Some),
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
        let then = self.region(vec![], |e| e.read(access, ptr, part.len()))?;
        let types = others.iter().map(|&id| self.out.ty(id).clone()).collect();
        let regions = vec![then, Block { results: others, ..Block::default() }];
        self.nest(ops::If::new(mask), types, regions)
    }

    /// The results of a load where its mask does not hold.
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
        let mut load = access.op.on(vec![Some(ptr)]);
        if width == 1 {
            return Ok(vec![self.append(load)?]);
        }
        let align = alignment(self.plan.graph[access.ptr].elem, width);
        ops::Load::edit(&mut load).map(|load| load.width(width as i64).align(align));
        let vector = self.append(load)?;
        (0..width).map(|at| self.add(ops::Extract::new(vector).at(at as i64))).collect()
    }

    /// Writes elements that follow each other.
    fn store(&mut self, access: &Access<'m>, part: &[Index], mask: Option<ValueId>) -> Result<()> {
        let ptr = self.operand(access.ptr, &part[0])?;
        let value =
            access.value.ok_or_else(|| Unsupported::malformed(access.op, "has no value"))?;
        let values =
            part.iter().map(|index| self.operand(value, index)).collect::<Result<Vec<_>>>()?;
        let value = match values[..] {
            [one] => one,
            _ => self.op(K::Vector, &values)?,
        };
        let mut store = access.op.on(vec![Some(ptr), Some(value)]);
        if values.len() > 1 {
            let align = alignment(self.plan.graph[access.ptr].elem, values.len());
            ops::Store::edit(&mut store).map(|store| store.align(align));
        }
        let write = |e: &mut Self| e.build("store", |b| b.append(store, 0));
        let Some(mask) = mask else { return write(self).map(drop) };
        let then = self.region(vec![], write)?;
        self.nest(ops::If::new(mask), vec![], vec![then, Block::default()]).map(drop)
    }
}

/// The indices of each vector's elements.
fn groups(layout: &Layout, lanes: LaneBits) -> impl Iterator<Item = Vec<Index>> {
    let each = 1 << lanes.bits;
    (0..layout.registers())
        .step_by(each)
        .map(move |first| (first..first + each).map(|r| layout.at(r)).collect())
}

/// The alignment of a vector of elements.
fn alignment(elem: Elem, width: usize) -> i64 {
    let size = match elem {
        Elem::Ptr(to) => to.size(),
        Elem::Data(_) => 0,
    };
    (width * size) as i64
}
