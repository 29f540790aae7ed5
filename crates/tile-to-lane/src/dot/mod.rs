//! Products of blocks: the factors go through threadgroup memory, a slice along k at a time. Simdgroups sum fragments of the
//! result, which are 8×8 matrices or 32×32 accumulators, or threads sum elements.

mod chain;
mod exchange;
mod memory;
mod order;
mod product;
mod rows;
mod scaled;
mod unit;

pub(super) use self::chain::{Chains, chains};
pub(super) use self::order::Banks;
pub(super) use self::product::{Product, fits, products, threads};
pub(super) use self::rows::Rows;
pub(super) use self::scaled::expand;

use std::collections::HashSet;

use trident_ir::{Block, DType, Op, OpKind as K, ValueId, ops};

pub(super) use self::memory::Area;

use self::memory::Part;
use self::product::Factor;
use super::emit::{Emitter, Result};
use super::error::Unsupported;
use trident_tile_analysis::{Bit, Index, Kind};

/// Most products that a thread's code has one after the other; more are in a loop.
const UNROLLED: usize = 256;

impl Emitter<'_, '_> {
    pub(super) fn dot(&mut self, op: &Op) -> Result<()> {
        let plan = self.plan;
        let (Some(c), Some(out)) = (op.input(ops::Dot::AT.c), op.output(ops::Dot::AT.y)) else {
            return Err(Unsupported::malformed(op, "lacks an operand"));
        };
        let product = plan.products.get(&out);
        let product = product.ok_or_else(|| Unsupported::malformed(op, "has no plan"))?;
        let (from, to) = plan.chains.links.get(&out).copied().unwrap_or((c, out));
        let (mut sums, rest) = self.begin(op, product, from)?;
        if product.is_loop {
            sums = self.add_in_loop(product, sums)?;
        } else {
            for part in 0..1 << (product.extents.depth - product.slice) {
                sums = self.add_part(out, product, part, sums)?;
            }
        }
        if plan.chains.held.contains_key(&to) {
            self.scope().matrices.insert(to, sums);
            return Ok(());
        }
        self.finish(out, product, &sums, rest)
    }

    /// Adds the products of one slice; some factors may be staged already.
    fn add_part(
        &mut self,
        out: ValueId,
        product: &Product,
        part: usize,
        sums: Vec<ValueId>,
    ) -> Result<Vec<ValueId>> {
        let (mut areas, mut written) = (vec![], vec![]);
        for (i, factor) in [&product.a, &product.b].into_iter().enumerate() {
            let ahead = self.known(|scope| scope.staged.get(&(out, i)).cloned());
            areas.push(match ahead {
                Some(area) => area,
                None => {
                    let area = self.area(factor.dtype, &factor.order)?;
                    written.push((factor, area.clone()));
                    area
                }
            });
        }
        self.before_writing(written.iter().map(|(_, area)| area))?;
        for (factor, area) in &written {
            let own = self.part_of(factor, product.slice, part);
            let elements = self.elements_in(factor, &own, product.slice)?;
            self.stage(factor, area, &own, &elements)?;
        }
        self.before_reading(&areas)?;
        let sums = self.add_slice(product, &areas[0], &areas[1], sums)?;
        self.leave(written.iter().map(|(_, area)| area));
        Ok(sums)
    }

    /// Adds the products of all slices in a loop that reads the factors.
    fn add_in_loop(&mut self, product: &Product, sums: Vec<ValueId>) -> Result<Vec<ValueId>> {
        let factors = [&product.a, &product.b];
        let areas = factors.map(|factor| self.area(factor.dtype, &factor.order));
        let [a, b] = areas;
        let (a, b) = (a?, b?);
        let steps = 1 << (product.extents.depth - product.slice);
        let sums = self.steps(0..steps, sums, true, |e, step, sums| {
            e.scope().step = Some(step);
            // Loads are under way while threads wait for those that still read the slice before.
            let mut own = vec![];
            for factor in factors {
                let part = e.part_of(factor, product.slice, 0);
                let elements = e.elements_in(factor, &part, product.slice)?;
                own.push((part, elements));
            }
            e.before_writing([&a, &b])?;
            for ((factor, area), (part, elements)) in factors.into_iter().zip([&a, &b]).zip(&own) {
                e.stage(factor, area, part, elements)?;
            }
            e.before_reading([&a, &b])?;
            e.add_slice(product, &a, &b, sums)
        })?;
        self.leave([&a, &b]);
        Ok(sums)
    }

    /// Stages factors that are the same in all iterations of a loop, as far as products leave room. Returns the memory
    /// that holds them until the loop ends.
    pub(super) fn stage_ahead(&mut self, body: &Block) -> Result<Vec<Area>> {
        let plan = self.plan;
        let mut inside: HashSet<ValueId> = body.params.iter().copied().collect();
        body.walk(&mut |op| inside.extend(op.defined()));
        let needed = plan.products.values().map(Product::bytes).max().unwrap_or(0);
        // Some room is left for other exchanges between threads.
        let mut free = (plan.figures.threadgroup / 8 * 7).saturating_sub(needed);
        let mut areas = vec![];
        for op in body.ops.iter().filter(|op| op.kind == K::Dot) {
            let Some(out) = op.output(0) else { continue };
            let Some(product) = plan.products.get(&out) else { continue };
            let is_whole = product.slice == product.extents.depth;
            for (i, factor) in [&product.a, &product.b].into_iter().enumerate() {
                let varies = op.input(i).is_none_or(|id| inside.contains(&id));
                if varies || !is_whole || factor.bytes() > free {
                    continue;
                }
                free -= factor.bytes();
                let area = self.area(factor.dtype, &factor.order)?;
                self.before_writing([&area])?;
                let own = self.part_of(factor, product.slice, 0);
                let elements = self.elements_in(factor, &own, product.slice)?;
                self.stage(factor, &area, &own, &elements)?;
                self.before_reading([&area])?;
                self.scope().staged.insert((out, i), area.clone());
                areas.push(area);
            }
        }
        Ok(areas)
    }

    /// The first values of the sums, and the value that is added to them at the end.
    fn begin(
        &mut self,
        op: &Op,
        product: &Product,
        from: ValueId,
    ) -> Result<(Vec<ValueId>, Option<ValueId>)> {
        let node = self.plan.node_of(from);
        let node = node.ok_or_else(|| Unsupported::malformed(op, "adds to no block"))?;
        if product.side == 0 {
            let registers = 0..product.grid.registers();
            let begin = registers.map(|register| {
                let value = self.operand(node, &product.grid.at(register))?;
                self.converted(value, product.sum)
            });
            return Ok((begin.collect::<Result<_>>()?, None));
        }
        let is_float = self.func.ty(from).dtype().is_some_and(DType::is_float);
        let is_uniform = matches!(self.plan.graph[node].kind, Kind::Uniform(_));
        let is_matrix = self.plan.chains.held.contains_key(&from);
        if is_float && (is_uniform || is_matrix) {
            return Ok((self.matrices_of(product, from)?, None));
        }
        let zero = self.literal(DType::F32, vec![0; 4].into())?;
        Ok((vec![self.filled(product, zero)?; product.grid.registers()], Some(from)))
    }

    /// Makes the elements of the result known; sums of matrices pass through threadgroup memory.
    pub(super) fn finish(
        &mut self,
        out: ValueId,
        product: &Product,
        sums: &[ValueId],
        rest: Option<ValueId>,
    ) -> Result<()> {
        let dtype = self.func.ty(out).dtype().unwrap_or(product.sum);
        let (layout, mut elements) = match &product.exchange {
            Some(exchange) => (exchange.layout.clone(), self.elements_of(product, sums)?),
            None => (product.grid.clone(), sums.to_vec()),
        };
        for (register, element) in elements.iter_mut().enumerate() {
            if dtype.is_int() && product.side > 0 {
                *element = self.converted(*element, DType::I32)?;
                *element = self.converted(*element, dtype)?;
            }
            if let Some(node) = rest.and_then(|rest| self.plan.node_of(rest)) {
                let own = self.operand(node, &layout.at(register))?;
                let ty = if dtype.is_int() { dtype } else { product.sum };
                let own = self.converted(own, ty)?;
                *element = self.op(K::Add, &[*element, own])?;
            }
            *element = self.converted(*element, dtype)?;
        }
        if let Some(node) = self.plan.node_of(out) {
            self.scope().held.insert(node, (layout, elements));
        }
        Ok(())
    }

    /// Which of its elements each thread has in a slice of a factor.
    fn part_of(&self, factor: &Factor, slice: u8, part: usize) -> Part {
        let (start, bits) = factor.k;
        Part::of(&factor.layout, start + slice..start + bits, part)
    }

    /// The elements of a factor that a thread has in a slice, by their indices there.
    fn elements_in(
        &mut self,
        factor: &Factor,
        own: &Part,
        slice: u8,
    ) -> Result<Vec<(Index, ValueId)>> {
        let mut elements = vec![];
        for &register in &own.registers {
            let index = factor.layout.at(register);
            let value = self.operand(factor.node, &index)?;
            elements.push((factor.within(&index, slice), self.converted(value, factor.dtype)?));
        }
        Ok(elements)
    }

    /// Writes a slice of a factor to threadgroup memory.
    fn stage(
        &mut self,
        factor: &Factor,
        area: &Area,
        own: &Part,
        elements: &[(Index, ValueId)],
    ) -> Result<()> {
        let condition = self.takes_part(own, factor.layout.copies(self.plan.threads))?;
        self.guarded(condition, vec![], |e| e.put(area, elements, factor.vector).map(|()| vec![]))?;
        Ok(())
    }

    /// Adds the products of a slice to the sums.
    fn add_slice(
        &mut self,
        product: &Product,
        a: &Area,
        b: &Area,
        sums: Vec<ValueId>,
    ) -> Result<Vec<ValueId>> {
        let (lefts, rights, pairs) = pairs(product);
        let steps = 1usize << (product.slice - product.side);
        if product.side > 0 && pairs.len() * steps <= UNROLLED {
            let mut sums = sums;
            for step in 0..steps {
                let step = |index: &Index, first| at_step(index, first, product, step);
                let left = lefts.iter().map(|index| a.at(self, &step(index, 0)));
                let left = left.collect::<Result<Vec<_>>>()?;
                let first = product.extents.columns;
                let right = rights.iter().map(|index| b.at(self, &step(index, first)));
                let right = right.collect::<Result<Vec<_>>>()?;
                sums = self.add_products(product, (&left, &right), &pairs, sums)?;
            }
            return Ok(sums);
        }
        let left = lefts.iter().map(|index| a.at(self, index)).collect::<Result<Vec<_>>>()?;
        let right = rights.iter().map(|index| b.at(self, index)).collect::<Result<Vec<_>>>()?;
        self.steps(0..steps, sums, false, |e, k, carried| {
            let mut sides = vec![];
            for (factor, firsts) in [(&product.a, &left), (&product.b, &right)] {
                let stride = factor.order.weight(factor.k.0 + product.side);
                let stride = e.int(stride as i32)?;
                let by = e.op(K::Mul, &[k, stride])?;
                let moved = firsts.iter().map(|&ptr| e.op(K::PtrAdd, &[ptr, by]));
                sides.push(moved.collect::<Result<Vec<_>>>()?);
            }
            e.add_products(product, (&sides[0], &sides[1]), &pairs, carried)
        })
    }

    /// Adds the products of the factors at these pointers to the sums.
    fn add_products(
        &mut self,
        product: &Product,
        (left, right): (&[ValueId], &[ValueId]),
        pairs: &[(usize, usize)],
        sums: Vec<ValueId>,
    ) -> Result<Vec<ValueId>> {
        if product.by_tensors() {
            let (a, b) = (self.stride(product, &product.a)?, self.stride(product, &product.b)?);
            let add = |(&(i, j), sum): (&(usize, usize), ValueId)| {
                self.op(K::AccumulatorMultiplyAdd, &[left[i], a, right[j], b, sum])
            };
            return pairs.iter().zip(sums).map(add).collect();
        }
        let left = self.read_factors(product, &product.a, left)?;
        let right = self.read_factors(product, &product.b, right)?;
        let add = |(&(a, b), sum): (&(usize, usize), ValueId)| {
            let (x, y) = (left[a], right[b]);
            match product.sum.is_float() {
                true if product.side > 0 => self.op(K::MatrixMultiplyAdd, &[x, y, sum]),
                true => self.op(K::Fma, &[x, y, sum]),
                false => {
                    let product = self.op(K::Mul, &[x, y])?;
                    self.op(K::Add, &[sum, product])
                }
            }
        };
        pairs.iter().zip(sums).map(add).collect()
    }

    fn read_factors(
        &mut self,
        product: &Product,
        factor: &Factor,
        ptrs: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let stride = self.stride(product, factor)?;
        let read = |&ptr: &ValueId| match product.side {
            0 => {
                let value = self.op(K::Load, &[ptr])?;
                self.converted(value, product.sum)
            }
            _ => self.matrix([ptr, stride], factor.by_columns, factor.dtype),
        };
        ptrs.iter().map(read).collect()
    }

    /// The distance in threadgroup memory of a factor's rows, or of its columns if neighbours in those are neighbours there.
    fn stride(&mut self, product: &Product, factor: &Factor) -> Result<ValueId> {
        let stride =
            factor.order.weight(if factor.by_columns { 0 } else { factor.columns(product) });
        self.int(stride as i32)
    }

    pub(super) fn converted(&mut self, value: ValueId, to: DType) -> Result<ValueId> {
        match self.out.ty(value).dtype() == Some(to) {
            true => Ok(value),
            false => self.cast(value, to),
        }
    }
}

/// The index of the same fragment of a row or column, `step` fragments further along k, whose bits begin at `first`.
fn at_step(index: &Index, first: u8, product: &Product, step: usize) -> Index {
    let from = usize::from(first + product.side);
    let bits = index.iter().enumerate().map(|(at, bit)| match at.checked_sub(from) {
        Some(along) if along < usize::from(product.slice - product.side) => {
            Bit::Const(step >> along & 1 == 1)
        }
        _ => *bit,
    });
    bits.collect()
}

/// The indices of the first fragments along k of the rows of a and of the columns of b that a thread multiplies, and for each
/// of its sums which of them.
fn pairs(product: &Product) -> (Vec<Index>, Vec<Index>, Vec<(usize, usize)>) {
    let (mut lefts, mut rights, mut pairs) = (vec![], vec![], vec![]);
    let place = |all: &mut Vec<Index>, index: Index| match all.iter().position(|i| *i == index) {
        Some(known) => known,
        None => {
            all.push(index);
            all.len() - 1
        }
    };
    let (rows, columns) = (usize::from(product.extents.rows), usize::from(product.extents.columns));
    let depth = std::iter::repeat_n(Bit::Const(false), usize::from(product.slice));
    for register in 0..product.grid.registers() {
        let index = product.first(&product.grid.at(register));
        let (across, down) = index.split_at(columns);
        let row = depth.clone().chain(down.iter().copied()).collect();
        let batch = down[rows..].iter().copied();
        let column = across.iter().copied().chain(depth.clone()).chain(batch).collect();
        pairs.push((place(&mut lefts, row), place(&mut rights, column)));
    }
    (lefts, rights, pairs)
}
