//! Reductions: first among the registers of a thread, then among the lanes of a simdgroup, then among simdgroups
//! through threadgroup memory. Every thread gets the result for the elements it holds. All threads get the same bits,
//! because operands keep their order.

use trident_ir::op::words::SimdReduction;
use trident_ir::{Block, DType, Func, Op, OpKind as K, ValueId, ops};

use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::exchange::Part;
use super::extreme::Extreme;
use super::layout::Layout;
use super::plan::LanePlan;
use trident_tile_analysis::{Index, NodeId, axes};

/// log2 of the number of lanes of a simdgroup.
pub(super) const LANES: u8 = 5;

impl Emitter<'_, '_> {
    pub(super) fn reduce(&mut self, op: &Op) -> Result<()> {
        let reduction = Reduction::of(self.plan, self.func, op)?;
        let Reduction { region, layout, start, bits, .. } = &reduction;
        let whole = layout.reduced(*start, *bits);
        let looped = op.defined().next().and_then(|result| self.plan.reductions.get(&result));
        let own = match looped {
            Some(looped) => {
                let steps = layout.registers() / looped.registers();
                self.of_steps(&reduction, looped, steps)?
            }
            None => self.of_registers(&reduction, &whole, layout)?,
        };
        let Reduced { layout: kept, threads, .. } = whole;
        let among = |sum| self.among_lanes(region, sum, &threads);
        let mut sums = own.into_iter().map(among).collect::<Result<Vec<_>>>()?;
        let across: Vec<u8> = threads.into_iter().filter(|&bit| bit >= LANES).collect();
        if !across.is_empty() {
            sums = self.among_simdgroups(&reduction, sums, &kept, &across)?;
        }
        for (i, output) in op.outputs.iter().enumerate() {
            let Some(output) = output else { continue };
            let registers: Vec<ValueId> = sums.iter().map(|sum| sum[i]).collect();
            let is_scalar = self.func.ty(*output).dims().is_some_and(|dims| dims.is_empty());
            match self.plan.node_of(*output) {
                Some(node) if !is_scalar => {
                    self.scope().held.insert(node, (kept.clone(), registers));
                }
                _ => self.env.extend(registers.first().map(|&own| (*output, own))),
            }
        }
        Ok(())
    }

    /// Combines a thread's elements by a loop: the first step's, to which the others are added.
    fn of_steps(
        &mut self,
        reduction: &Reduction<'_>,
        layout: &Layout,
        steps: usize,
    ) -> Result<Vec<Vec<ValueId>>> {
        let Reduction { region, nodes, start, bits, .. } = reduction;
        let reduced = layout.reduced(*start, *bits);
        let zero = self.int(0)?;
        let first = self.scoped(|e| {
            e.scope().step = Some(zero);
            e.of_registers(reduction, &reduced, layout)
        })?;
        let sums = self.steps(1..steps, first.concat(), true, |e, step, sums| {
            e.scope().step = Some(step);
            let next = e.of_registers(reduction, &reduced, layout)?;
            let pairs = sums.chunks(nodes.len()).zip(&next);
            let added = pairs.map(|(sum, next)| e.combine(region, sum, next));
            added.collect::<Result<Vec<_>>>().map(|sums| sums.concat())
        })?;
        Ok(sums.chunks(nodes.len()).map(<[ValueId]>::to_vec).collect())
    }

    /// Combines a thread's elements, for each register of the result.
    fn of_registers(
        &mut self,
        reduction: &Reduction<'_>,
        reduced: &Reduced,
        layout: &Layout,
    ) -> Result<Vec<Vec<ValueId>>> {
        let Reduction { op, region, nodes, .. } = reduction;
        let mut groups: Vec<Vec<(usize, usize)>> = vec![vec![]; reduced.layout.registers()];
        for (register, &(to, coordinate)) in reduced.of.iter().enumerate() {
            groups[to].push((coordinate, register));
        }
        let mut sums = vec![];
        for mut group in groups {
            group.sort_unstable();
            let mut elements = vec![];
            for (_, register) in group {
                let index = layout.at(register);
                let next = nodes.iter().map(|&node| self.operand(node, &index));
                elements.push(next.collect::<Result<Vec<_>>>()?);
            }
            let sum = self.of_thread(region, &elements)?;
            sums.push(sum.ok_or_else(|| Unsupported::malformed(op, "reduces no elements"))?);
        }
        Ok(sums)
    }

    /// Combines a thread's elements in their order.
    fn of_thread(
        &mut self,
        region: &Block,
        elements: &[Vec<ValueId>],
    ) -> Result<Option<Vec<ValueId>>> {
        let Some((first, rest)) = elements.split_first() else { return Ok(None) };
        if let [value] = first[..]
            && let Some(extreme) = self.extreme(region, value)
            && elements.len() >= Extreme::LEAST
        {
            let elements: Vec<ValueId> = elements.iter().flatten().copied().collect();
            return self.extreme_of(extreme, &elements).map(|found| Some(vec![found]));
        }
        let mut sum = first.clone();
        for next in rest {
            sum = self.combine(region, &sum, next)?;
        }
        Ok(Some(sum))
    }

    /// Combines values of lanes that differ in these bits of the thread's number, except the bits of simdgroups.
    fn among_lanes(
        &mut self,
        region: &Block,
        mut sum: Vec<ValueId>,
        threads: &[u8],
    ) -> Result<Vec<ValueId>> {
        let lanes: Vec<u8> = threads.iter().copied().filter(|&bit| bit < LANES).collect();
        if lanes.len() == usize::from(LANES)
            && let Some(whole) = self.whole(region, &sum)?
        {
            return Ok(vec![whole]);
        }
        for bit in lanes {
            let mask = self.int(1 << bit)?;
            let mut others = vec![];
            for &value in &sum {
                others.push(self.shuffled(K::SimdShuffleXor, value, mask)?);
            }
            let lower = self.has_none_of(1 << bit)?;
            let (mut left, mut right) = (vec![], vec![]);
            for (&own, &other) in sum.iter().zip(&others) {
                left.push(self.op(K::Where, &[lower, own, other])?);
                right.push(self.op(K::Where, &[lower, other, own])?);
            }
            sum = self.combine(region, &left, &right)?;
        }
        Ok(sum)
    }

    /// The simdgroup function that is equivalent to the region, if there is one.
    fn whole(&mut self, region: &Block, sum: &[ValueId]) -> Result<Option<ValueId>> {
        let [value] = *sum else { return Ok(None) };
        if let Some(extreme) = self.extreme(region, value) {
            return self.extreme_of_simdgroup(extreme, value).map(Some);
        }
        let dtype = self.out.ty(value).dtype();
        let is_int = dtype.is_some_and(|dtype| dtype.is_int() && dtype.size() <= 4);
        let op = match only_op(region) {
            Some(K::Add) if is_int || dtype == Some(DType::F32) => SimdReduction::Add,
            Some(K::Min) if is_int => SimdReduction::Min,
            Some(K::Max) if is_int => SimdReduction::Max,
            Some(K::BitwiseAnd) if is_int => SimdReduction::And,
            Some(K::BitwiseOr) if is_int => SimdReduction::Or,
            Some(K::BitwiseXor) if is_int => SimdReduction::Xor,
            _ => return Ok(None),
        };
        self.add(ops::SimdReduce::new(value).op(op)).map(Some)
    }

    /// The extreme that a region combines values of this type to.
    fn extreme(&self, region: &Block, value: ValueId) -> Option<Extreme> {
        let is_f32 = self.out.ty(value).dtype() == Some(DType::F32);
        Extreme::of(only_op(region)?).filter(|_| is_f32)
    }

    /// Combines values of simdgroups whose threads differ in these bits of their numbers.
    fn among_simdgroups(
        &mut self,
        reduction: &Reduction<'_>,
        sums: Vec<Vec<ValueId>>,
        kept: &Layout,
        across: &[u8],
    ) -> Result<Vec<Vec<ValueId>>> {
        let Reduction { op, region, .. } = reduction;
        let parts = 1 << across.len();
        // The position of a register's element: the thread's bits that select it, then the bits of the part.
        let own: Index = kept.threads().map(Layout::thread).collect();
        let bits = own.len() + across.len();
        let written: Index =
            own.iter().copied().chain(across.iter().map(|&b| Layout::thread(b))).collect();
        let others =
            kept.copies(self.plan.threads) & !across.iter().fold(0, |all, &b| all | 1 << b);
        let first = match others {
            0 => None,
            others => Some(self.has_none_of(others)?),
        };
        let mut results = vec![];
        let dtypes = self.stored_types(op, &sums)?;
        let each: usize = dtypes.iter().map(|dtype| dtype.size() << bits).sum();
        for chunk in sums.chunks((self.memory.limit() / 2 / each.max(1)).max(1)) {
            let arrays = dtypes.iter().map(|&dtype| self.part(dtype, chunk.len() << bits));
            let arrays = arrays.collect::<Result<Vec<Part>>>()?;
            let mut writes = vec![];
            for (register, sum) in chunk.iter().enumerate() {
                let at = self.iota((register << bits) as i64, &written)?;
                writes.extend(arrays.iter().zip(sum).map(|(array, &value)| (array, at, value)));
            }
            self.write_shared(writes, first)?;
            for register in 0..chunk.len() {
                let mut total: Option<Vec<ValueId>> = None;
                for part in 0..parts {
                    let start = (register << bits) + (part << own.len());
                    let at = self.iota(start as i64, &own)?;
                    let next = arrays.iter().map(|array| self.read_shared(array, at));
                    let next = next.collect::<Result<Vec<_>>>()?;
                    total = Some(match total {
                        Some(total) => self.combine(region, &total, &next)?,
                        None => next,
                    });
                }
                results.extend(total);
            }
            arrays.iter().for_each(|array| self.release(array));
        }
        Ok(results)
    }

    /// The element types of values that go through memory, one list for each register.
    pub(super) fn stored_types(&self, op: &Op, values: &[Vec<ValueId>]) -> Result<Vec<DType>> {
        let dtype = |&id: &ValueId| self.out.ty(id).dtype();
        let dtypes: Option<Vec<DType>> =
            values.iter().flatten().take(values.first().map_or(0, Vec::len)).map(dtype).collect();
        dtypes.ok_or_else(|| Unsupported::new(op, "reducing pointers is not supported"))
    }

    /// Applies the region to a left and a right operand.
    pub(super) fn combine(
        &mut self,
        region: &Block,
        left: &[ValueId],
        right: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let given: Vec<ValueId> = left.iter().chain(right).copied().collect();
        self.apply_region(region, &given)
    }

    /// Applies a region of scalars.
    pub(super) fn apply_region(
        &mut self,
        region: &Block,
        given: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let loc = self.loc.clone();
        let results = self.scoped(|e| {
            e.bind(&region.params, given);
            e.ops(region)?;
            region.results.iter().map(|&id| e.scalar_of(id)).collect()
        });
        self.loc = loc;
        results
    }
}

/// A reduction: its operands and the way it combines them.
pub(super) struct Reduction<'m> {
    op: &'m Op,
    region: &'m Block,
    pub(super) nodes: Vec<NodeId>,
    pub(super) layout: Layout,
    /// The first bit of an index that belongs to the axis, and the number of such bits.
    pub(super) start: u8,
    pub(super) bits: u8,
}

impl<'m> Reduction<'m> {
    pub(super) fn of(plan: &LanePlan<'_>, func: &Func, op: &'m Op) -> Result<Reduction<'m>> {
        let region =
            op.regions.first().ok_or_else(|| Unsupported::malformed(op, "has no region"))?;
        let nodes: Option<Vec<NodeId>> = op.used().map(|id| plan.node_of(id)).collect();
        let nodes = nodes.ok_or_else(|| Unsupported::malformed(op, "takes no block"))?;
        let first = op.used().next().ok_or_else(|| Unsupported::malformed(op, "takes no block"))?;
        let dims = func.ty(first).dims().unwrap_or_default();
        let axis = ops::Reduce::of(op).and_then(|op| usize::try_from(op.axis()).ok());
        let axis = axis.and_then(|axis| axes(&dims).get(axis).copied());
        let (start, bits) = axis.ok_or_else(|| Unsupported::malformed(op, "has no such axis"))?;
        Ok(Reduction { op, region, nodes, layout: plan.layout_of(first), start, bits })
    }
}

/// The op of a region that applies one op to its two parameters.
fn only_op(region: &Block) -> Option<K> {
    let [combine] = &region.ops[..] else { return None };
    let ([a, b], [result]) = (&region.params[..], &region.results[..]) else { return None };
    let operands: Vec<ValueId> = combine.used().collect();
    let is_only = operands == [*a, *b] || operands == [*b, *a];
    (is_only && combine.defined().next() == Some(*result)).then_some(combine.kind)
}

/// A layout without an axis.
pub(super) struct Reduced {
    pub(super) layout: Layout,
    /// For each register of the layout, the one that it becomes part of, and where along the axis it lies.
    pub(super) of: Vec<(usize, usize)>,
    /// The bits of the thread's number that were positions along the axis, the lowest first.
    pub(super) threads: Vec<u8>,
}
