//! Einstein's notation: operands are contracted two by two, each pair as a product whose rows, columns and sums have several axes.

use std::collections::BTreeMap;

use trident_ir::geometry::{self, Equation, Label};
use trident_ir::{DType, ValueId, ops};

use super::product::{Depth, Tile, accumulator};
use super::site::{Site, unsupported};
use super::writer::Writer;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[entry(ops::Einsum::KIND, einsum)];

/// An array whose axes have labels, each with its stride. Labels along which it broadcasts are missing.
struct Term {
    array: Arg,
    dtype: DType,
    axes: BTreeMap<Label, isize>,
}

impl Term {
    /// An array of these dimensions; a label of several axes goes along their diagonal.
    fn of(
        array: Arg,
        dtype: DType,
        labels: &[Label],
        dims: &[usize],
        sizes: &BTreeMap<Label, usize>,
    ) -> Term {
        let mut axes = BTreeMap::new();
        for ((label, stride), &n) in labels.iter().zip(geometry::strides(dims)).zip(dims) {
            if sizes.get(label) == Some(&n) {
                *axes.entry(*label).or_insert(0) += stride as isize;
            }
        }
        Term { array, dtype, axes }
    }

    fn has(&self, label: &Label) -> bool {
        self.axes.contains_key(label)
    }
}

/// Some labels with their sizes, and the program's index along each.
struct Axes<'a> {
    labels: &'a [Label],
    indices: Vec<ValueId>,
}

impl<'a> Axes<'a> {
    /// The strides of elements in row-major order.
    fn of(
        w: &mut Writer,
        labels: &'a [Label],
        sizes: &BTreeMap<Label, usize>,
        linear: ValueId,
    ) -> Result<Axes<'a>> {
        Ok(Axes { labels, indices: w.unravel(linear, &lengths(labels, sizes))? })
    }

    /// The sum that the indices add to an offset in an array; `None` if it is 0.
    fn offset(&self, w: &mut Writer, term: &Term) -> Result<Option<ValueId>> {
        let strides: Vec<isize> =
            self.labels.iter().map(|label| term.axes.get(label).copied().unwrap_or(0)).collect();
        w.offset(&self.indices, &strides, 0)
    }
}

fn lengths(labels: &[Label], sizes: &BTreeMap<Label, usize>) -> Vec<usize> {
    labels.iter().map(|label| sizes.get(label).copied().unwrap_or(1)).collect()
}

fn total(w: &mut Writer, parts: [Option<ValueId>; 3]) -> Result<ValueId> {
    let mut sum = None;
    for part in parts.into_iter().flatten() {
        sum = Some(match sum {
            Some(sum) => w.add(sum, part)?,
            None => part,
        });
    }
    sum.map_or_else(|| w.int(0), Ok)
}

fn einsum(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.dtype(ops::Einsum::AT.xs)?;
    if !(dtype.is_float() || dtype.is_int()) {
        return Err(unsupported(format!("multiplying matrices of {dtype} is not supported")));
    }
    let text = site.view(ops::Einsum::of)?.equation();
    let operands = (0..site.operands()).map(|i| site.dims(i)).collect::<Result<Vec<_>>>()?;
    let ranks: Vec<usize> = operands.iter().map(|dims| dims.len()).collect();
    let equation = Equation::parse(text, &ranks)?;
    let sizes = equation.sizes(&operands)?;
    let term = |i: usize| Term::of(Arg::Operand(i), dtype, &equation.terms[i], operands[i], &sizes);
    let last = operands.len().saturating_sub(1);
    let mut sum = term(0);
    for i in 1..last {
        // Labels that later terms or the result name.
        let later = |label: &&Label| {
            equation.result.contains(label)
                || equation.terms[i + 1..].iter().any(|term| term.contains(label))
        };
        let next = term(i);
        let mut labels: Vec<Label> = sum.axes.keys().filter(later).copied().collect();
        labels.extend(next.axes.keys().filter(later).filter(|l| !sum.has(l)).copied());
        let dims = lengths(&labels, &sizes);
        let wide = accumulator(dtype);
        let to = site.scratch(wide, dims.iter().product());
        let to = Term::of(to, wide, &labels, &dims, &sizes);
        contract(site, &sum, Some(&next), &to, &labels, &sizes)?;
        sum = to;
    }
    let next = (last > 0).then(|| term(last));
    let to = Term::of(
        Arg::Result(ops::Einsum::AT.y),
        dtype,
        &equation.result,
        &lengths(&equation.result, &sizes),
        &sizes,
    );
    contract(site, &sum, next.as_ref(), &to, &equation.result, &sizes)
}

/// Σ a·b over the labels that the result lacks.
fn contract(
    site: &mut Site<'_>,
    a: &Term,
    b: Option<&Term>,
    to: &Term,
    result: &[Label],
    sizes: &BTreeMap<Label, usize>,
) -> Result<()> {
    let in_b = |label: &Label| b.is_some_and(|b| b.has(label));
    let of = |keep: &dyn Fn(&Label) -> bool| -> Vec<Label> {
        result.iter().filter(|label| keep(label)).copied().collect()
    };
    let batch = of(&|label| a.has(label) && in_b(label));
    let rows = of(&|label| !in_b(label));
    let columns = of(&|label| !a.has(label) && in_b(label));
    let mut inner: Vec<Label> =
        a.axes.keys().filter(|label| !result.contains(label)).copied().collect();
    let more = b.into_iter().flat_map(|b| b.axes.keys());
    inner.extend(more.filter(|label| !result.contains(label) && !a.has(label)));
    let count = |labels: &[Label]| -> usize { lengths(labels, sizes).iter().product() };
    let (m, n, k, batches) = (count(&rows), count(&columns), count(&inner), count(&batch));
    let reach = |term: &Term| -> usize {
        let far =
            term.axes.iter().map(|(l, s)| sizes.get(l).copied().unwrap_or(1) * s.unsigned_abs());
        far.sum()
    };
    let longest = [reach(a), b.map_or(0, reach), reach(to), k].into_iter().max();

    let wide = accumulator(to.dtype);
    // Factors of one type; the result of an earlier product has the wide type.
    let alike = b.is_none_or(|b| b.dtype == a.dtype);
    let factors = if alike { a.dtype } else { wide };
    let tile = Tile::of(m, n, a.dtype).on(site.target(), factors);
    let mut w = site.writer(longest.unwrap_or(0));
    let (rows_n, columns_n, depth) = (w.size(m)?, w.size(n)?, w.size(k)?);
    let (row, row_valid) = w.span(1, tile.m, rows_n)?;
    let (column, column_valid) = w.span(0, tile.n, columns_n)?;
    let (row, row_valid) = (w.expand(row, 1)?, w.expand(row_valid, 1)?);
    let (column, column_valid) = (w.expand(column, 0)?, w.expand(column_valid, 0)?);
    let program = w.program(2)?;
    let batch = Axes::of(&mut w, &batch, sizes, program)?;
    let rows = Axes::of(&mut w, &rows, sizes, row)?;
    let columns = Axes::of(&mut w, &columns, sizes, column)?;

    let a_base = w.array(a.array, a.dtype)?;
    let a_start = [batch.offset(&mut w, a)?, rows.offset(&mut w, a)?];
    let left = |w: &mut Writer, at: Depth| -> Result<ValueId> {
        let along = Axes::of(w, &inner, sizes, at.k)?.offset(w, a)?;
        let offset = total(w, [a_start[0], a_start[1], along])?;
        let mask = w.and(row_valid, at.valid)?;
        let x = w.load_or_zero(a_base, offset, mask)?;
        if alike { Ok(x) } else { w.cast(x, wide) }
    };
    let sum = match b {
        None => w.product(tile, depth, wide, left, |w, at| {
            let (one, none) = (w.literal(a.dtype, 1)?, w.literal(a.dtype, 0)?);
            w.select(at.valid, one, none)
        })?,
        Some(b) => {
            let base = w.array(b.array, b.dtype)?;
            let start = [batch.offset(&mut w, b)?, columns.offset(&mut w, b)?];
            w.product(tile, depth, wide, left, |w, at| {
                let along = Axes::of(w, &inner, sizes, at.k)?.offset(w, b)?;
                let offset = total(w, [start[0], start[1], along])?;
                let mask = w.and(at.valid, column_valid)?;
                let x = w.load_or_zero(base, offset, mask)?;
                if alike { Ok(x) } else { w.cast(x, wide) }
            })?
        }
    };
    let mask = w.and(row_valid, column_valid)?;
    let parts = [batch.offset(&mut w, to)?, rows.offset(&mut w, to)?, columns.offset(&mut w, to)?];
    let offset = total(&mut w, parts)?;
    let sum = w.cast(sum, to.dtype)?;
    let base = w.array(to.array, to.dtype)?;
    w.store(base, offset, sum, mask)?;
    site.step(w, [n.div_ceil(tile.n), m.div_ceil(tile.m), batches])
}
