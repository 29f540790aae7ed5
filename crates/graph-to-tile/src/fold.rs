//! Reductions over axes.

use trident_ir::{DType, OpKind as K, ValueId, geometry, ops};

use super::site::{FIRST, Site, unsupported};
use super::space::{View, merge, signed};
use super::writer::{Fold, Writer};
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::ReduceSum::KIND, |site| reduce(site, Some(SUM))),
    entry(ops::ReduceProd::KIND, |site| reduce(site, Some(folding(Fold::Product)))),
    entry(ops::ReduceMax::KIND, |site| reduce(site, Some(MAX))),
    entry(ops::ReduceMin::KIND, |site| reduce(site, Some(MIN))),
    entry(ops::ReduceMean::KIND, |site| reduce(site, Some(MEAN))),
    entry(ops::ReduceL1::KIND, |site| reduce(site, Some(L1))),
    entry(ops::ReduceL2::KIND, |site| reduce(site, Some(L2))),
    entry(ops::ReduceSumSquare::KIND, |site| reduce(site, Some(SQUARES))),
    entry(ops::ReduceLogSum::KIND, |site| reduce(site, Some(LOG_SUM))),
    entry(ops::ReduceLogSumExp::KIND, |site| reduce(site, None)),
    entry(ops::GlobalAveragePool::KIND, |site| global_pool(site, MEAN)),
    entry(ops::GlobalMaxPool::KIND, |site| global_pool(site, MAX)),
];

/// Elements that one program holds at a time.
const HELD: usize = 1024;

/// How a program's block is cut: rows, each a result, and columns, the elements folded at once.
pub(super) fn cut(columns: usize) -> (usize, usize) {
    let columns = [8, 64, HELD].into_iter().find(|&n| columns <= n).unwrap_or(HELD);
    (HELD / columns, columns)
}

/// The axes of an operand: axes of the result, and folded axes.
pub(super) struct Folded {
    kept: Vec<usize>,
    kept_view: View,
    folded: Vec<usize>,
    folded_view: View,
}

impl Folded {
    pub(super) fn of(dtype: DType, dims: &[usize], axes: &[usize]) -> Folded {
        let strides = signed(&geometry::strides(dims));
        let part = |folded: bool| {
            let own = (0..dims.len()).filter(|axis| axes.contains(axis) == folded);
            let (dims, strides): (Vec<usize>, Vec<isize>) =
                own.map(|axis| (dims[axis], strides[axis])).unzip();
            let mut view = [View { array: Arg::Operand(FIRST), dtype, start: 0, strides }];
            let dims: Vec<usize> = merge(&dims, &mut view);
            let [view] = view;
            (dims, view)
        };
        let ((kept, kept_view), (folded, folded_view)) = (part(false), part(true));
        Folded { kept, kept_view, folded, folded_view }
    }

    /// Number of results, and of elements folded to each.
    pub(super) fn lengths(&self) -> (usize, usize) {
        (self.kept.iter().product(), self.folded.iter().product())
    }
}

/// A reduction: elements become `before` of them, are folded, and the result becomes `after` of it and of their number.
#[derive(Clone, Copy)]
struct Reducing {
    before: fn(&mut Writer, ValueId) -> Result<ValueId>,
    fold: Fold,
    after: fn(&mut Writer, ValueId, ValueId) -> Result<ValueId>,
    /// Whether integers have none.
    of_floats: bool,
}

const fn folding(fold: Fold) -> Reducing {
    Reducing { before: |_, x| Ok(x), fold, after: |_, x, _| Ok(x), of_floats: false }
}

const MAX: Reducing = folding(Fold::Max);
const MIN: Reducing = folding(Fold::Min);
const SUM: Reducing = folding(Fold::Sum);
const MEAN: Reducing = Reducing { after: mean, ..SUM };
const L1: Reducing = Reducing { before: |w, x| w.op(K::Abs, &[x]), ..SUM };
const SQUARES: Reducing = Reducing { before: |w, x| w.mul(x, x), ..SUM };
const L2: Reducing = Reducing { after: |w, x, _| w.op(K::Sqrt, &[x]), of_floats: true, ..SQUARES };
const LOG_SUM: Reducing = Reducing { after: |w, x, _| w.op(K::Log, &[x]), of_floats: true, ..SUM };

fn mean(w: &mut Writer, x: ValueId, n: ValueId) -> Result<ValueId> {
    let dtype = w.dtype(x);
    let n = w.cast(n, dtype)?;
    w.div(x, n)
}

/// The type in which elements are folded.
pub(super) fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

/// Over the axes that operand `axes` names; without a `kernel`, ln Σexp(x).
fn reduce(site: &mut Site<'_>, kernel: Option<Reducing>) -> Result<()> {
    let op = site.view(ops::Reduction::of)?;
    // True is greater than false, like the bytes of both.
    let ordered = kernel.is_some_and(|kernel| matches!(kernel.fold, Fold::Max | Fold::Min));
    let dtype = match site.dtype(ops::ReduceSum::AT.x)? {
        DType::Bool if ordered => DType::U8,
        other => other,
    };
    if !(dtype.is_float() || dtype.is_int()) {
        return Err(unsupported(format!("reducing elements of {dtype} is not supported")));
    }
    if kernel.is_none_or(|kernel| kernel.of_floats) && !dtype.is_float() {
        return Err(unsupported(format!("elements of type {dtype} are not supported")));
    }
    let dims = site.dims(ops::ReduceSum::AT.x)?;
    let named = site.ints(ops::ReduceSum::AT.axes)?;
    let noop = op.noop_with_empty_axes();
    let axes = geometry::reduction_axes(dims.len(), named.as_deref(), noop)?;
    over(site, kernel, dtype, dims, &axes)
}

/// Over all spatial axes.
fn global_pool(site: &mut Site<'_>, kernel: Reducing) -> Result<()> {
    let dtype = site.dtype(ops::GlobalAveragePool::AT.x)?;
    if !dtype.is_float() {
        return Err(unsupported(format!("elements of type {dtype} are not supported")));
    }
    let dims = site.dims(ops::GlobalAveragePool::AT.x)?;
    let axes: Vec<usize> = (2..dims.len()).collect();
    over(site, Some(kernel), dtype, dims, &axes)
}

fn over(
    site: &mut Site<'_>,
    kernel: Option<Reducing>,
    dtype: DType,
    dims: &[usize],
    axes: &[usize],
) -> Result<()> {
    let space = Folded::of(dtype, dims, axes);
    let (rows, columns) = space.lengths();
    let (block, width) = cut(columns);
    let len: usize = dims.iter().product();
    let mut w = site.writer(len.max(rows));
    let mut table = Table::new(&mut w, &space, block, width)?;
    let sum = match kernel {
        Some(Reducing { before, fold, after, .. }) => {
            let sum = table.fold(&mut w, dtype, fold, |w, x, _| before(w, x))?;
            after(&mut w, sum, table.columns)?
        }
        // ln Σexp(x − greatest) + greatest; where the greatest is infinite it is the result.
        None => {
            let most = table.fold(&mut w, dtype, Fold::Max, |_, x, _| Ok(x))?;
            let (abs, infinity) = (w.op(K::Abs, &[most])?, w.float(DType::F32, f64::INFINITY)?);
            let infinite = w.op(K::Equal, &[abs, infinity])?;
            let zero = w.float(DType::F32, 0.0)?;
            let shift = w.select(infinite, zero, most)?;
            let shifts = w.expand(shift, 1)?;
            let sum = table.fold(&mut w, dtype, Fold::Sum, |w, x, _| {
                let x = w.sub(x, shifts)?;
                w.op(K::Exp, &[x])
            })?;
            let log = w.op(K::Log, &[sum])?;
            w.add(log, shift)?
        }
    };
    table.store(&mut w, FIRST, dtype, sum)?;
    site.step(w, [rows.div_ceil(block), 1, 1])
}

/// A program's rows, visited `width` columns at a time.
pub(super) struct Table<'a> {
    space: &'a Folded,
    block: usize,
    width: usize,
    /// The rows and which of them there are, [block].
    pub(super) rows: ValueId,
    pub(super) inside: ValueId,
    /// Offset of each row's first element, [block, 1].
    start: Option<ValueId>,
    base: ValueId,
    /// Number of columns.
    pub(super) columns: ValueId,
}

impl<'a> Table<'a> {
    pub(super) fn new(
        w: &mut Writer,
        space: &'a Folded,
        block: usize,
        width: usize,
    ) -> Result<Table<'a>> {
        let (rows, columns) = space.lengths();
        let n = w.size(rows)?;
        let (at, inside) = w.span(0, block, n)?;
        let indices = w.unravel(at, &space.kept)?;
        let start = w.offset(&indices, &space.kept_view.strides, 0)?;
        let start = start.map(|start| w.expand(start, 1)).transpose()?;
        let base = w.array(Arg::Operand(FIRST), space.kept_view.dtype)?;
        let columns = w.size(columns)?;
        Ok(Table { space, block, width, rows: at, inside, start, base, columns })
    }

    /// The elements of the columns from `first` on, [block, width], the mask of existing ones, and the columns.
    pub(super) fn elements(
        &self,
        w: &mut Writer,
        first: ValueId,
    ) -> Result<(ValueId, ValueId, ValueId)> {
        let range = w.arange(self.width)?;
        let at = w.add(first, range)?;
        let valid = w.less(at, self.columns)?;
        let indices = w.unravel(at, &self.space.folded)?;
        let offset = w.offset(&indices, &self.space.folded_view.strides, 0)?;
        let (at, valid) = (w.expand(at, 0)?, w.expand(valid, 0)?);
        let inside = w.expand(self.inside, 1)?;
        let mask = w.and(inside, valid)?;
        let offset = match offset {
            Some(offset) => Some(w.expand(offset, 0)?),
            None => None,
        };
        let offset = match (self.start, offset) {
            (Some(start), Some(offset)) => w.add(start, offset)?,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => w.int(0)?,
        };
        let offset = w.spread(offset, &[self.block, self.width])?;
        let x = w.load(self.base, offset, Some(mask), None)?;
        Ok((x, mask, at))
    }

    /// Folds what `of` makes of the elements of each row, [block].
    fn fold(
        &mut self,
        w: &mut Writer,
        dtype: DType,
        fold: Fold,
        of: impl FnOnce(&mut Writer, ValueId, ValueId) -> Result<ValueId>,
    ) -> Result<ValueId> {
        let wide = accumulator(dtype);
        let neutral = w.neutral(fold, wide)?;
        let none = w.spread(neutral, &[self.block, self.width])?;
        let table = &*self;
        let sums = w.repeat(table.columns, table.width, &[none], |w, first, sums| {
            let (x, mask, at) = table.elements(w, first)?;
            let x = w.cast(x, wide)?;
            let x = of(w, x, at)?;
            let x = w.select(mask, x, neutral)?;
            Ok(vec![w.folded(fold, sums[0], x)?])
        })?;
        w.fold(sums[0], 1, fold)
    }

    /// Writes a value for each row.
    pub(super) fn store(
        &self,
        w: &mut Writer,
        i: usize,
        dtype: DType,
        value: ValueId,
    ) -> Result<()> {
        let base = w.array(Arg::Result(i), dtype)?;
        let value = w.cast(value, dtype)?;
        w.store(base, self.rows, value, self.inside)
    }
}
