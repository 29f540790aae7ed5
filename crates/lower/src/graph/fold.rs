//! Reductions over axes.

use trident_ir::{DType, OpKind as K, ValueId, geometry};

use super::site::{Site, unsupported};
use super::space::{View, merge, signed};
use super::writer::{Fold, Writer};
use super::{Arg, Result};

/// Elements that one program holds at a time.
const HELD: usize = 1024;

/// How a program's block is cut: rows, each a result, and columns, the elements folded at once.
pub(super) fn cut(columns: usize) -> (usize, usize) {
    let columns = [8, 64, HELD].into_iter().find(|&n| columns <= n).unwrap_or(HELD);
    (HELD / columns, columns)
}

/// The axes of an operand: those of the result, and those that are folded.
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
            let mut view = [View { array: Arg::Operand(0), dtype, start: 0, strides }];
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

/// What a reduction does to elements before they are folded, how it folds, and what it does to the result.
struct Kernel {
    before: fn(&mut Writer, ValueId) -> Result<ValueId>,
    fold: Fold,
    after: fn(&mut Writer, ValueId, ValueId) -> Result<ValueId>,
}

const SAME: fn(&mut Writer, ValueId) -> Result<ValueId> = |_, x| Ok(x);
const KEEP: fn(&mut Writer, ValueId, ValueId) -> Result<ValueId> = |_, x, _| Ok(x);

impl Kernel {
    fn of(kind: K) -> Option<Kernel> {
        let fold = |fold| Kernel { before: SAME, fold, after: KEEP };
        let square = |w: &mut Writer, x| w.mul(x, x);
        let mean = |w: &mut Writer, x, n| {
            let dtype = w.dtype(x);
            let n = w.cast(n, dtype)?;
            w.div(x, n)
        };
        Some(match kind {
            K::ReduceSum => fold(Fold::Sum),
            K::ReduceProd => fold(Fold::Product),
            K::ReduceMax | K::GlobalMaxPool => fold(Fold::Max),
            K::ReduceMin => fold(Fold::Min),
            K::ReduceMean | K::GlobalAveragePool => Kernel { after: mean, ..fold(Fold::Sum) },
            K::ReduceL1 => Kernel { before: |w, x| w.op(K::Abs, &[x]), ..fold(Fold::Sum) },
            K::ReduceL2 => {
                Kernel { before: square, after: |w, x, _| w.op(K::Sqrt, &[x]), fold: Fold::Sum }
            }
            K::ReduceSumSquare => Kernel { before: square, ..fold(Fold::Sum) },
            K::ReduceLogSum => Kernel { after: |w, x, _| w.op(K::Log, &[x]), ..fold(Fold::Sum) },
            _ => return None,
        })
    }
}

/// The type in which elements are folded.
pub(super) fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

pub(super) fn reduce(site: &mut Site<'_>) -> Result<()> {
    let kind = site.op.kind;
    // Of truth values true is the greater one, as of their bytes.
    let dtype = match site.dtype(0)? {
        DType::Bool if matches!(kind, K::ReduceMax | K::ReduceMin) => DType::U8,
        other => other,
    };
    if !(dtype.is_float() || dtype.is_int()) {
        return Err(unsupported(format!("elements of {dtype} are not reduced")));
    }
    if matches!(kind, K::ReduceL2 | K::ReduceLogSum | K::ReduceLogSumExp) && !dtype.is_float() {
        return Err(unsupported(format!("of {dtype} it is not written at level tile")));
    }
    let dims = site.dims(0)?;
    let noop = site.op.flag("noop_with_empty_axes");
    let axes = geometry::reduction_axes(dims.len(), site.ints(1)?.as_deref(), noop)?;
    over(site, dtype, dims, &axes)
}

/// Over all spatial axes.
pub(super) fn global_pool(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.dtype(0)?;
    if !dtype.is_float() {
        return Err(unsupported(format!("of {dtype} it is not written at level tile")));
    }
    let dims = site.dims(0)?;
    let axes: Vec<usize> = (2..dims.len()).collect();
    over(site, dtype, dims, &axes)
}

fn over(site: &mut Site<'_>, dtype: DType, dims: &[usize], axes: &[usize]) -> Result<()> {
    let space = Folded::of(dtype, dims, axes);
    let (rows, columns) = space.lengths();
    let (block, width) = cut(columns);
    let len: usize = dims.iter().product();
    let mut w = site.writer(len.max(rows));
    let mut table = Table::new(&mut w, &space, block, width)?;
    let sum = match Kernel::of(site.op.kind) {
        Some(Kernel { before, fold, after }) => {
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
    table.store(&mut w, 0, dtype, sum)?;
    site.step(w, [rows.div_ceil(block), 1, 1])
}

/// A program's rows, of which it visits `width` columns at a time.
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
        let base = w.array(Arg::Operand(0), space.kept_view.dtype)?;
        let columns = w.size(columns)?;
        Ok(Table { space, block, width, rows: at, inside, start, base, columns })
    }

    /// The elements of the columns from `first` on, [block, width], which of them there are, and the columns.
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
