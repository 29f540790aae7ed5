//! Inclusive prefixes, one bit of the position along the axis after the other: when each half of a segment has its
//! prefixes, the elements of the second half are combined with the last prefix of the first (J. Sklansky,
//! "Conditional-Sum Addition Logic", 1960). That prefix is in a register of this thread or of another lane, or comes
//! from another simdgroup through threadgroup memory.

use trident_ir::{Block, Op, OpKind as K, ValueId, ops};

use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::exchange::Part;
use super::layout::Source;
use super::reduce::LANES;
use trident_tile_analysis::axes;

/// The prefixes that an element is combined with: those at a position along the axis that has some bits set and one bit
/// clear, or the reverse if prefixes run from the end.
struct Step {
    /// The bits of registers and threads below the one that tells the halves.
    registers: usize,
    threads: i32,
    /// The bit that tells the halves.
    half: Source,
    reverse: bool,
}

impl Step {
    /// The register with the last prefix of the other half, for an element in `register`; `None` if the element is in the
    /// first half.
    fn from(&self, register: usize) -> Option<usize> {
        let of_half = match self.half {
            Source::Register(bit) => 1 << bit,
            _ => 0,
        };
        let second = (register & of_half != 0) != self.reverse;
        match (of_half, second) {
            (1.., false) => None,
            _ if self.reverse => Some(register & !self.registers | of_half),
            _ => Some((register | self.registers) & !of_half),
        }
    }

    /// The bit of the thread's number that tells the halves.
    fn of_half(&self) -> i32 {
        match self.half {
            Source::Thread(bit) => 1 << bit,
            _ => 0,
        }
    }

    /// Whether another simdgroup has the prefix.
    fn is_far(&self) -> bool {
        (self.threads | self.of_half()) >> LANES != 0
    }
}

impl Emitter<'_, '_> {
    pub(super) fn scan(&mut self, op: &Op) -> Result<()> {
        let region =
            op.regions.first().ok_or_else(|| Unsupported::malformed(op, "has no region"))?;
        let ids: Vec<ValueId> = op.used().collect();
        let Some(&first) = ids.first() else { return Ok(()) };
        let dims = self.func.ty(first).dims().unwrap_or_default();
        let view = self.view(op, ops::PrefixScan::of)?;
        let axis = usize::try_from(view.axis()).ok();
        let axis = axis.and_then(|axis| axes(&dims).get(axis).copied());
        let (start, bits) = axis.ok_or_else(|| Unsupported::malformed(op, "has no such axis"))?;
        let layout = self.plan.layout_of(first);
        let mut values: Vec<Vec<ValueId>> = vec![];
        for register in 0..layout.registers() {
            let index = layout.at(register);
            let mut own = vec![];
            for &id in &ids {
                let node = self.plan.node_of(id);
                let node = node.ok_or_else(|| Unsupported::malformed(op, "takes no block"))?;
                own.push(self.operand(node, &index)?);
            }
            values.push(own);
        }
        let mut step =
            Step { registers: 0, threads: 0, half: Source::None, reverse: view.reverse() };
        for bit in start..start + bits {
            step.half = layout.source(bit);
            values = self.step(op, region, &step, values)?;
            match step.half {
                Source::Register(bit) => step.registers |= 1 << bit,
                Source::Thread(bit) => step.threads |= 1 << bit,
                Source::None => {}
            }
        }
        for (i, output) in op.outputs.iter().enumerate() {
            if let Some(output) = output {
                let registers: Vec<ValueId> = values.iter().map(|own| own[i]).collect();
                self.bind(&[*output], &registers);
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        op: &Op,
        region: &Block,
        step: &Step,
        values: Vec<Vec<ValueId>>,
    ) -> Result<Vec<Vec<ValueId>>> {
        let others = self.prefixes(op, step, &values)?;
        let second = match step.of_half() {
            0 => None,
            bit => {
                let clear = self.has_none_of(bit)?;
                Some(if step.reverse { clear } else { self.op(K::Not, &[clear])? })
            }
        };
        let mut results = vec![];
        for (own, other) in values.into_iter().zip(others) {
            let Some(other) = other else {
                results.push(own);
                continue;
            };
            let both = self.combine(region, &other, &own)?;
            results.push(match second {
                None => both,
                Some(second) => {
                    let chosen = both.iter().zip(&own);
                    let chosen = chosen.map(|(&b, &o)| self.op(K::Where, &[second, b, o]));
                    chosen.collect::<Result<_>>()?
                }
            });
        }
        Ok(results)
    }

    /// For each register the prefixes with which its element is combined, if it may be in the second half.
    fn prefixes(
        &mut self,
        op: &Op,
        step: &Step,
        values: &[Vec<ValueId>],
    ) -> Result<Vec<Option<Vec<ValueId>>>> {
        let wanted: Vec<Option<usize>> = (0..values.len()).map(|r| step.from(r)).collect();
        if step.threads == 0 && step.of_half() == 0 {
            return Ok(wanted.iter().map(|r| r.map(|r| values[r].clone())).collect());
        }
        let from = self.thread_of_prefix(step)?;
        if !step.is_far() {
            // The upper bits of the thread's number are those of its simdgroup.
            let lanes = self.int((1 << LANES) - 1)?;
            let lane = self.op(K::BitwiseAnd, &[from, lanes])?;
            let mut shuffled: Vec<Option<Vec<ValueId>>> = vec![None; values.len()];
            for &register in wanted.iter().flatten() {
                if shuffled[register].is_none() {
                    let all = values[register].iter();
                    let all = all.map(|&value| self.shuffled(K::SimdShuffle, value, lane));
                    shuffled[register] = Some(all.collect::<Result<_>>()?);
                }
            }
            return Ok(wanted.iter().map(|r| r.and_then(|r| shuffled[r].clone())).collect());
        }
        // Each thread writes the registers that are wanted, those of equal number together.
        let threads = self.plan.threads;
        let own = self.thread()?;
        let mut sources: Vec<usize> = wanted.iter().flatten().copied().collect();
        sources.sort_unstable();
        sources.dedup();
        let mut others: Vec<Option<Vec<ValueId>>> = vec![None; values.len()];
        let dtypes = self.stored_types(op, values)?;
        let each: usize = dtypes.iter().map(|dtype| dtype.size() << threads).sum();
        for chunk in sources.chunks((self.memory.limit() / 2 / each.max(1)).max(1)) {
            let arrays = dtypes.iter().map(|&dtype| self.part(dtype, chunk.len() << threads));
            let arrays = arrays.collect::<Result<Vec<Part>>>()?;
            let mut writes = vec![];
            for (place, &register) in chunk.iter().enumerate() {
                let at = self.shifted(own, place << threads)?;
                let own = arrays.iter().zip(&values[register]);
                writes.extend(own.map(|(array, &value)| (array, at, value)));
            }
            self.write_shared(writes, None)?;
            for (place, register) in chunk.iter().enumerate() {
                let at = self.shifted(from, place << threads)?;
                let read = arrays.iter().map(|array| self.read_shared(array, at));
                let read = read.collect::<Result<Vec<ValueId>>>()?;
                let readers =
                    others.iter_mut().zip(&wanted).filter(|(_, w)| *w == &Some(*register));
                readers.for_each(|(other, _)| *other = Some(read.clone()));
            }
            arrays.iter().for_each(|array| self.release(array));
        }
        Ok(others)
    }

    /// The thread with the last prefix of the other half.
    fn thread_of_prefix(&mut self, step: &Step) -> Result<ValueId> {
        let own = self.thread()?;
        let all = (1 << self.plan.threads) - 1;
        let (set, clear) = match step.reverse {
            false => (step.threads, step.of_half()),
            true => (step.of_half(), step.threads),
        };
        let (set, stay) = (self.int(set)?, self.int(all & !clear)?);
        let with = self.op(K::BitwiseOr, &[own, set])?;
        self.op(K::BitwiseAnd, &[with, stay])
    }

    fn shifted(&mut self, value: ValueId, by: usize) -> Result<ValueId> {
        if by == 0 {
            return Ok(value);
        }
        let by = i32::try_from(by).map_err(|_| self.missing("an index exceeds 32 bits"))?;
        let by = self.int(by)?;
        self.op(K::Add, &[value, by])
    }
}
