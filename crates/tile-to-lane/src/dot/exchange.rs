//! Conversion between elements and matrices. The assignment of a matrix's elements to threads is unspecified, so the
//! conversion goes through threadgroup memory, a part of the rows at a time.

use std::fmt;

use trident_ir::{DType, Op, OpKind as K, Type, ValueId, ops};

use super::memory::{Part, inside};
use super::order::{Order, Shape, Use};
use super::product::Product;
use crate::emit::{Emitter, Result};
use crate::figures::GpuFigures;
use crate::layout::{Layout, Source};
use trident_tile_analysis::{Kind, log2};

/// How sums pass through threadgroup memory.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// Which thread has which element.
    pub(crate) layout: Layout,
    /// Where the elements of a part lie.
    pub(crate) order: Order,
    /// log2 of the number of parts.
    parts: u8,
    /// log2 of the elements that a thread accesses at once.
    vector: u8,
    /// Turns lost to bank conflicts by an access.
    pub(crate) conflicts: usize,
}

impl Exchange {
    /// The exchange of blocks with these numbers of rows and columns, in at most `most` bytes.
    pub(crate) fn of(
        layout: Layout,
        (rows, columns): (u8, u8),
        side: u8,
        most: usize,
        figures: &GpuFigures,
    ) -> Exchange {
        let size = DType::F32.size();
        let most_lanes = log2(figures.vector / size).min(columns);
        let follows = |bit: &u8| layout.source(*bit) == Source::Register(*bit);
        let vector = (0..most_lanes).take_while(follows).count() as u8;
        let mut parts = 0;
        loop {
            let shape = Shape { rows: rows - parts, columns, batch: 0, by_columns: false };
            let total = rows + columns;
            let part = layout.without(total - parts..total);
            let used = Use { layout: &part, vector, side };
            let (order, conflicts) = Order::best(shape, size, used, figures.banks());
            if order.len * size <= most || rows - parts == side {
                return Exchange { layout, order, parts, vector, conflicts };
            }
            parts += 1;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.order.len * DType::F32.size()).next_multiple_of(16)
    }

    /// The distance of lines of a fragment.
    fn stride(&self, columns: u8) -> usize {
        self.order.weight(columns)
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sums in {} parts by {}", 1 << self.parts, 1 << self.vector)
    }
}

impl Emitter<'_, '_> {
    /// The elements of sums that are matrices, in the layout of their exchange.
    pub(crate) fn elements_of(
        &mut self,
        product: &Product,
        matrices: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let Some(exchange) = &product.exchange else { return Ok(matrices.to_vec()) };
        let Exchange { layout, order, parts, vector, .. } = exchange;
        let area = self.area(DType::F32, order)?;
        let zero = self.literal(DType::F32, vec![0; 4].into())?;
        let mut elements = vec![zero; layout.registers()];
        let all = layout.rank() as u8;
        for part in 0..1 << parts {
            self.before_writing([&area])?;
            let (own, copies) = self.own(product, *parts, part);
            let condition = self.takes_part(&own, copies)?;
            let stride = self.int(exchange.stride(product.extents.columns) as i32)?;
            self.guarded(condition, vec![], |e| {
                for &register in &own.registers {
                    let index = inside(&product.first(&product.grid.at(register)), *parts);
                    let inputs =
                        vec![Some(area.at(e, &index)?), Some(matrices[register]), Some(stride)];
                    let kind = product.kind(K::MatrixStore);
                    let store = Op::new(kind, inputs, vec![]);
                    e.build(kind.decl().name, |b| b.append(store, 0))?;
                }
                Ok(vec![])
            })?;
            self.before_reading([&area])?;
            let own = Part::of(layout, all - parts..all, part);
            let condition = self.takes_part(&own, 0)?;
            let others = own.registers.iter().map(|&register| elements[register]).collect();
            let indices: Vec<_> =
                own.registers.iter().map(|&r| inside(&layout.at(r), *parts)).collect();
            let read = self.guarded(condition, others, |e| e.get(&area, &indices, *vector))?;
            own.registers
                .iter()
                .zip(read)
                .for_each(|(&register, value)| elements[register] = value);
        }
        self.leave([&area]);
        Ok(elements)
    }

    /// A value as matrices that a product may add to.
    pub(crate) fn matrices_of(
        &mut self,
        product: &Product,
        value: ValueId,
    ) -> Result<Vec<ValueId>> {
        if let Some(known) = self.known(|scope| scope.matrices.get(&value).cloned()) {
            return Ok(known);
        }
        let count = product.grid.registers();
        let node = self.plan.node_of(value);
        let node = node.ok_or_else(|| self.malformed("a sum is not a block"))?;
        if let Kind::Uniform(_) = self.plan.graph[node].kind {
            let scalar = self.element(node, &trident_tile_analysis::Index::from([]))?;
            return Ok(vec![self.filled(product, scalar)?; count]);
        }
        let Some(exchange) = &product.exchange else { return Ok(vec![]) };
        let Exchange { layout, order, parts, vector, .. } = exchange;
        let area = self.area(DType::F32, order)?;
        let zero = self.literal(DType::F32, vec![0; 4].into())?;
        let mut matrices = vec![self.filled(product, zero)?; count];
        let all = layout.rank() as u8;
        for part in 0..1 << parts {
            let own = Part::of(layout, all - parts..all, part);
            let mut elements = vec![];
            for &register in &own.registers {
                let index = layout.at(register);
                let value = self.operand(node, &index)?;
                elements.push((inside(&index, *parts), self.converted(value, DType::F32)?));
            }
            self.before_writing([&area])?;
            let condition = self.takes_part(&own, layout.copies(self.plan.threads))?;
            self.guarded(condition, vec![], |e| e.put(&area, &elements, *vector).map(|()| vec![]))?;
            self.before_reading([&area])?;
            let (own, _) = self.own(product, *parts, part);
            let condition = self.takes_part(&own, 0)?;
            let others = own.registers.iter().map(|&register| matrices[register]).collect();
            let stride = self.int(exchange.stride(product.extents.columns) as i32)?;
            let read = self.guarded(condition, others, |e| {
                let load = |&register: &usize| {
                    let index = inside(&product.first(&product.grid.at(register)), *parts);
                    let ptr = area.at(e, &index)?;
                    e.fragment(product, K::MatrixLoad, &[ptr, stride])
                };
                own.registers.iter().map(load).collect()
            })?;
            own.registers
                .iter()
                .zip(read)
                .for_each(|(&register, value)| matrices[register] = value);
        }
        self.leave([&area]);
        Ok(matrices)
    }

    /// The fragments of this part of the rows, and the bits of the thread's number that tell copies.
    fn own(&self, product: &Product, parts: u8, part: usize) -> (Part, i32) {
        let all = product.grid.rank() as u8;
        let lanes = (1 << crate::reduce::LANES) - 1;
        let copies = product.grid.copies(self.plan.threads) & !lanes;
        (Part::of(&product.grid, all - parts..all, part), copies)
    }

    /// A fragment of sums, all equal to this scalar.
    pub(super) fn filled(&mut self, product: &Product, scalar: ValueId) -> Result<ValueId> {
        let scalar = self.converted(scalar, DType::F32)?;
        self.fragment(product, K::MatrixFill, &[scalar])
    }

    /// A fragment of sums, made as this op makes a matrix.
    fn fragment(&mut self, product: &Product, kind: K, inputs: &[ValueId]) -> Result<ValueId> {
        let (kind, types) = (product.kind(kind), [product.fragment()]);
        let made = self.build(kind.decl().name, |b| b.declared(kind, inputs, &types))?;
        Ok(made[0])
    }

    /// A matrix of a factor.
    pub(super) fn matrix(
        &mut self,
        [ptr, stride]: [ValueId; 2],
        transpose: bool,
        dtype: DType,
    ) -> Result<ValueId> {
        let load = ops::MatrixLoad::new(ptr, stride);
        let load = if transpose { load.transpose(true) } else { load };
        self.add_as(load, Type::Matrix(dtype))
    }
}
