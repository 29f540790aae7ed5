//! The plan of each product of a kernel: its threads, the use of matrices or scalars, and the part that is in
//! threadgroup memory at a time.

use std::collections::BTreeMap;
use std::fmt;

use trident_ir::{DType, Func, Op, OpKind as K, ValueId};

use super::UNROLLED;
use super::exchange::Exchange;
use super::order::{Order, SIDE, Shape, Use};
use super::unit::Unit;
use crate::error::{LowerError, Unsupported};
use crate::figures::GpuFigures;
use crate::late::Late;
use crate::layout::{Layout, Source};
use crate::plan::LanePlan;
use crate::reduce::LANES;
use trident_tile_analysis::{Bit, Index, Kind, NodeId, index_bits, log2};

/// log2 of the most simdgroups that a product gets while its sums fit into fewer registers than hide latency.
const FEW: u8 = 3;

/// log2 of the most simdgroups that a product gets.
const MANY: u8 = 4;

/// A factor on its way to threadgroup memory.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub(crate) node: NodeId,
    /// The type of its elements in threadgroup memory.
    pub(crate) dtype: DType,
    /// Which thread has which elements.
    pub(crate) layout: Layout,
    /// log2 of the elements that a thread writes at once.
    pub(crate) vector: u8,
    /// The first bit of its index that belongs to k, and the number of such bits.
    pub(crate) k: (u8, u8),
    /// Where the elements of a slice lie.
    pub(crate) order: Order,
    /// Whether neighbours in memory are neighbours in a column.
    pub(crate) by_columns: bool,
    /// Turns lost to bank conflicts by an access.
    conflicts: usize,
}

impl Factor {
    /// The index in a slice of an element with this index in the block.
    pub(crate) fn within(&self, index: &Index, slice: u8) -> Index {
        let (start, bits) = self.k;
        let outside = usize::from(start + slice)..usize::from(start + bits);
        index.iter().enumerate().filter(|(at, _)| !outside.contains(at)).map(|(_, b)| *b).collect()
    }

    /// The bit of an index in a slice from which on it is the row.
    pub(crate) fn columns(&self, product: &Product) -> u8 {
        if self.k.0 == 0 { product.slice } else { self.k.0 }
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.order.len * self.dtype.size()).next_multiple_of(16)
    }
}

/// A product of blocks.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    /// log2 of the extents.
    pub(crate) extents: Extents,
    /// log2 of the side of the fragments that are multiplied; 0 for scalars.
    pub(crate) side: u8,
    /// The assignment of sums to threads, or of fragments to simdgroups.
    pub(crate) grid: Layout,
    /// The type of the sums.
    pub(crate) sum: DType,
    /// log2 of how much of k is in threadgroup memory at a time.
    pub(crate) slice: u8,
    pub(crate) a: Factor,
    pub(crate) b: Factor,
    /// How sums that are matrices become elements.
    pub(crate) exchange: Option<Exchange>,
    /// Whether slices follow each other in a loop.
    pub(crate) is_loop: bool,
    /// The loads whose elements that loop reads.
    pub(crate) late: Vec<NodeId>,
}

/// log2 of the extents of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extents {
    pub(crate) batch: u8,
    pub(crate) rows: u8,
    pub(crate) columns: u8,
    pub(crate) depth: u8,
}

impl Extents {
    pub(super) fn of(func: &Func, op: &Op) -> Option<Extents> {
        let dims = |i| op.input(i).and_then(|id| func.ty(id).dims());
        let (a, b) = (dims(0)?, dims(1)?);
        let ([batch @ .., rows, depth], [.., columns]) = (&a[..], &b[..]) else { return None };
        Some(Extents {
            batch: index_bits(batch),
            rows: log2(*rows),
            columns: log2(*columns),
            depth: log2(*depth),
        })
    }

    /// log2 of the number of fragments of the result; their sides have `side` bits.
    fn fragments(self, side: u8) -> u8 {
        self.batch + self.rows + self.columns - 2 * side
    }
}

/// Whether the sums of each product are few enough for the registers of a core: all threads of a program are on one.
pub(crate) fn fits(func: &Func, figures: &GpuFigures) -> Result<(), LowerError> {
    let mut result = Ok(());
    func.body.walk(&mut |op| {
        let out = op.output(0).filter(|_| op.kind == K::Dot).map(|id| func.ty(id));
        let Some((dtype, dims)) = out.and_then(|ty| Some((ty.dtype()?, ty.dims()?))) else {
            return;
        };
        let each = dtype.size().max(DType::F32.size());
        let needed = dims.iter().fold(each, |bytes, &n| bytes.saturating_mul(n));
        if needed > figures.registers && result.is_ok() {
            let (op, most) = (op.describe(), figures.registers);
            result = Err(LowerError::Registers { op, needed, most });
        }
    });
    result
}

/// log2 of the threads that the products of a kernel ask for; `None` without products that matrices compute.
pub(crate) fn threads(func: &Func, figures: &GpuFigures) -> Option<u8> {
    let mut most = None;
    func.body.walk(&mut |op| {
        let unit = Unit::of(func, op, figures).first().copied().filter(|_| op.kind == K::Dot);
        if let (Some(Unit { side, .. }), Some(extents)) = (unit, Extents::of(func, op)) {
            let own = figures.fragments(Unit::registers(side)).ilog2() as u8;
            most = most.max(Some(extents.fragments(side).saturating_sub(own)));
        }
    });
    most.map(|few| {
        let simdgroups = if few <= FEW { few } else { few.saturating_sub(1).clamp(FEW, MANY) };
        LANES + simdgroups
    })
}

/// Plans the products of a function, whose threads and accesses are planned.
pub(crate) fn products<'m>(
    plan: &LanePlan<'m>,
    func: &'m Func,
    late: &Late<'m>,
    figures: &GpuFigures,
) -> Result<BTreeMap<ValueId, Product>, LowerError> {
    let mut found = BTreeMap::new();
    let mut result = Ok(());
    func.body.walk(&mut |op| {
        if let (K::Dot, Some(out), Ok(())) = (op.kind, op.output(0), &result) {
            let by = |unit| product(plan, func, op, late, figures, unit);
            // Larger fragments may need too much threadgroup memory.
            let mut units = Unit::of(func, op, figures).into_iter();
            let first = by(units.next());
            match units.fold(first, |found, unit| found.or_else(|_| by(Some(unit)))) {
                Ok(product) => drop(found.insert(out, product)),
                Err(error) => result = Err(error),
            }
        }
    });
    result.map(|()| found)
}

/// A product of fragments, or of scalars.
fn product<'m>(
    plan: &LanePlan<'m>,
    func: &Func,
    op: &Op,
    late: &Late<'m>,
    figures: &GpuFigures,
    unit: Option<Unit>,
) -> Result<Product, LowerError> {
    let (Some(extents), Some(out)) = (Extents::of(func, op), op.output(0)) else {
        return Err(Unsupported::malformed(op, "its input is not a matrix").into());
    };
    let c = func.ty(out).dtype().ok_or_else(|| Unsupported::malformed(op, "yields no elements"))?;
    // Sums of floats are of f32 whatever the result is rounded to; of integers only the result's bits count.
    let sum = if unit.is_some() || c.is_float() && c.size() < 4 { DType::F32 } else { c };
    let grid = match unit {
        Some(unit) => fragments(extents, plan.threads - LANES, unit.side),
        None => plan.layout_of(out),
    };
    let side = unit.map_or(0, |unit| unit.side);
    // Half of the memory and its padding: other exchanges need some, and threadgroups share a core.
    let most = figures.threadgroup / 8 * 5;
    let exchange = unit.map(|unit| {
        let shape = (extents.batch + extents.rows, extents.columns);
        Exchange::of(plan.layout_of(out), shape, unit.side, most, figures)
    });
    let needed = exchange.as_ref().filter(|_| side > SIDE).map_or(0, Exchange::bytes);
    if needed > most {
        return Err(LowerError::Threadgroup { needed, most });
    }
    let sliced = |is_loop| {
        let mut needed = 0;
        for slice in (side..=extents.depth).rev() {
            let choice = Choice { extents, unit, slice, is_loop, figures };
            let a = factor(plan, func, op, 0, &choice)?;
            let b = factor(plan, func, op, 1, &choice)?;
            needed = a.bytes() + b.bytes();
            if needed <= most {
                let (grid, exchange) = (grid.clone(), exchange.clone());
                let late = vec![];
                let product =
                    Product { extents, side, grid, sum, slice, a, b, exchange, is_loop, late };
                return Ok(product);
            }
        }
        Err(LowerError::Threadgroup { needed, most })
    };
    let product = sliced(false)?;
    if !product.is_long(plan, figures) {
        return Ok(product);
    }
    // The counter of a loop is the number of the slice.
    let looped = sliced(true)?;
    let mut loads = vec![];
    for factor in [&looped.a, &looped.b] {
        match late.loads(plan, (op, &[op]), &[factor.node], &factor.layout.at(0)) {
            Some(found) => loads.extend(found),
            None => return Ok(product),
        }
    }
    Ok(Product { late: loads, ..looped })
}

/// Which simdgroup has which fragments: as few loads for as many products as possible. Neighbouring fragments belong to
/// different simdgroups, so that a part of the result has some of each.
fn fragments(extents: Extents, simdgroups: u8, side: u8) -> Layout {
    let Extents { batch, rows, columns, .. } = extents;
    let (rows, columns) = (rows - side, columns - side);
    let given = simdgroups.min(batch + rows + columns);
    let splits = (0..=given.min(batch)).flat_map(|of_batch| {
        let left = given - of_batch;
        (0..=left.min(rows)).map(move |of_rows| (of_batch, of_rows, left - of_rows))
    });
    let loads =
        |&(b, r, c): &(u8, u8, u8)| ((1usize << (rows - r)) + (1 << (columns - c))) << (batch - b);
    let best = splits.filter(|split| split.2 <= columns).min_by_key(loads);
    let (of_batch, of_rows, of_columns) = best.unwrap_or_default();
    let (mut thread, mut register) = (LANES, 0);
    let mut index = vec![];
    for (bits, own) in [(columns, of_columns), (rows, of_rows), (batch, of_batch)] {
        for bit in 0..bits {
            let counter = if bit < own { &mut thread } else { &mut register };
            index.push(match bit < own {
                true => Layout::thread(*counter),
                false => Layout::register(*counter),
            });
            *counter += 1;
        }
    }
    Layout::of_bits(index)
}

/// The layout in which a block's elements are at hand.
fn natural(plan: &LanePlan<'_>, node: NodeId) -> Option<Layout> {
    let bits = plan.graph[node].bits;
    let found = match &plan.graph[node].kind {
        Kind::Load { .. } => {
            let access = plan.accesses.iter().find(|access| access.loaded == Some(node));
            access.map(|access| access.layout.clone())
        }
        Kind::Buffer(id) => Some(plan.layout_of(*id)),
        Kind::View(of, map) => natural(plan, *of)?.renamed(map, bits),
        Kind::Apply(_, operands) => operands.iter().find_map(|&operand| natural(plan, operand)),
        _ => None,
    };
    found.filter(|layout| layout.rank() == usize::from(bits))
}

/// A choice that has been made before the factors are planned.
struct Choice<'a> {
    extents: Extents,
    unit: Option<Unit>,
    slice: u8,
    is_loop: bool,
    figures: &'a GpuFigures,
}

fn factor(
    plan: &LanePlan<'_>,
    func: &Func,
    op: &Op,
    i: usize,
    choice: &Choice<'_>,
) -> Result<Factor, Unsupported> {
    let found = op.input(i).and_then(|id| Some((id, plan.node_of(id)?, func.ty(id).dtype()?)));
    let (id, node, dtype) = found.ok_or_else(|| Unsupported::malformed(op, "takes no block"))?;
    let Choice { extents, unit, slice, is_loop, figures } = *choice;
    let Extents { batch, rows, columns, depth } = extents;
    let narrow = dtype.is_float() && dtype.bits() == 8;
    let dtype = unit.map_or(if narrow { DType::F16 } else { dtype }, |unit| unit.dtype);
    let layout = natural(plan, node).unwrap_or_else(|| plan.layout_of(id));
    let (k, rows, columns, width) = match i {
        0 => ((0, depth), rows, slice, depth),
        _ => ((columns, depth), slice, columns, columns),
    };
    let by_columns = layout.source(width) == Source::Register(0);
    let (first, most) = if by_columns { (width, rows) } else { (0, columns) };
    let widest = log2(figures.vector / dtype.size()).min(2).min(most);
    let follows = |bit: &u8| layout.source(first + bit) == Source::Register(*bit);
    let vector = (0..widest).take_while(follows).count() as u8;
    let shape = Shape { rows, columns, batch, by_columns };
    let mut sliced = layout.without(k.0 + slice..k.0 + k.1);
    let mut layout = layout;
    if is_loop {
        // The threads share each slice, neighbours along the same axis as in the whole block.
        let is_first = |bit: &u8| layout.source(*bit) == Source::Thread(0);
        let dims = [batch, rows, columns].map(|bits| 1 << bits);
        let across = (0..width).any(|bit| is_first(&bit));
        let (axis, along) = (if by_columns { 1 } else { 2 }, if across { 2 } else { 1 });
        sliced = Layout::spread(&dims, (axis, vector), along, plan.threads);
        layout = sliced.in_steps(k.0 + slice, k.1 - slice);
    }
    let used = Use { layout: &sliced, vector, side: unit.map_or(0, |unit| unit.side) };
    let (order, conflicts) = Order::best(shape, dtype.size(), used, figures.banks());
    Ok(Factor { node, dtype, layout, vector, k, order, by_columns, conflicts })
}

impl Product {
    /// The index of the element (0, 0) of a fragment.
    pub(crate) fn first(&self, fragment: &Index) -> Index {
        let (columns, zeros) =
            (usize::from(self.extents.columns - self.side), usize::from(self.side));
        let inside = std::iter::repeat_n(Bit::Const(false), zeros);
        let (across, rest) = fragment.split_at(columns.min(fragment.len()));
        inside
            .clone()
            .chain(across.iter().copied())
            .chain(inside)
            .chain(rest.iter().copied())
            .collect()
    }

    /// Whether the code of all slices is long, or their elements and the sums exceed the registers that a thread gets.
    fn is_long(&self, plan: &LanePlan<'_>, figures: &GpuFigures) -> bool {
        let parts = 1usize << (self.extents.depth - self.slice);
        let steps = 1 << (self.slice - self.side);
        let sums = self.grid.registers();
        let unrolled = if self.side > 0 && sums * steps <= UNROLLED { sums * steps } else { sums };
        let held = |factor: &Factor| (factor.layout.registers() * factor.dtype.size()).div_ceil(4);
        let registers = held(&self.a) + held(&self.b) + sums * Unit::registers(self.side);
        parts > 1
            && (unrolled * parts > UNROLLED || registers > figures.registers_of(plan.threads()))
    }

    /// Products that a simdgroup computes, and fragments that it loads for them, in each step along k.
    pub(crate) fn work(&self) -> (usize, usize) {
        let Extents { columns, rows, .. } = self.extents;
        let own = |bits: std::ops::Range<u8>| {
            let registers =
                bits.filter(|&bit| matches!(self.grid.source(bit), Source::Register(_)));
            1 << registers.count()
        };
        let (columns, rows) = (columns - self.side, rows - self.side);
        let batches: usize = own(rows + columns..self.grid.rank() as u8);
        let (across, down): (usize, usize) = (own(0..columns), own(columns..rows + columns));
        (batches * across * down, batches * (across + down))
    }

    /// Bytes of threadgroup memory.
    pub(crate) fn bytes(&self) -> usize {
        let exchange = self.exchange.as_ref().map_or(0, Exchange::bytes);
        exchange.max(self.a.bytes() + self.b.bytes())
    }

    /// Turns lost to bank conflicts.
    pub(crate) fn conflicts(&self) -> usize {
        let exchange = self.exchange.as_ref().map_or(0, |exchange| exchange.conflicts);
        self.a.conflicts + self.b.conflicts + exchange
    }
}

impl fmt::Display for Product {
    /// The extents, the work of a simdgroup or thread, and the way of factors and sums through threadgroup memory.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extents { batch, rows, columns, depth } = self.extents;
        if batch > 0 {
            write!(f, "{} × ", 1 << batch)?;
        }
        let by = match self.side {
            0 => "scalars",
            _ if self.by_tensors() => "tensor operations",
            _ => "matrices",
        };
        let (products, loads) = self.work();
        write!(
            f,
            "dot [{}, {}, {}] {}, {by}: {products} products of {loads} loads ({:.2}), {} of k in {} bytes{}, {} bank conflicts",
            1 << rows,
            1 << columns,
            1 << depth,
            self.grid,
            products as f64 / loads as f64,
            1 << self.slice,
            self.bytes(),
            if self.is_loop { " by a loop" } else { "" },
            self.conflicts(),
        )?;
        for (name, factor) in [("a", &self.a), ("b", &self.b)] {
            write!(f, ", {name} {} by {}", factor.dtype, 1 << factor.vector)?;
        }
        match &self.exchange {
            Some(exchange) => write!(f, ", {exchange}"),
            None => Ok(()),
        }
    }
}
