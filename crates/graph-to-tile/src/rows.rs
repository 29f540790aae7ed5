//! Rows that are folded and then visited again, and softmax.

use trident_ir::{DType, OpKind as K, ValueId, geometry, ops};

use super::fold::cut;
use super::site::{FIRST, Site, unsupported};
use super::writer::{Fold, Writer};
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::Softmax::KIND, softmax),
    entry(ops::LogSoftmax::KIND, |site| {
        let dtype = site.dtype(ops::LogSoftmax::AT.x)?;
        float(dtype)?;
        let axis = site.view(ops::LogSoftmax::of)?.axis();
        let dims = site.dims(ops::LogSoftmax::AT.x)?;
        let shape = Shape::along(dims, geometry::axis(axis, dims.len())?);
        log_softmax(site, &shape, dtype, Arg::Result(ops::LogSoftmax::AT.y), dtype)
    }),
];

/// Rows of an array: `inner` of them side by side, so that elements of a row are `inner` apart.
pub(super) struct Shape {
    pub(super) outer: usize,
    pub(super) columns: usize,
    pub(super) inner: usize,
}

impl Shape {
    /// The rows along one axis.
    pub(super) fn along(dims: &[usize], axis: usize) -> Shape {
        let (outer, inner) = (&dims[..axis], &dims[axis + 1..]);
        Shape { outer: outer.iter().product(), columns: dims[axis], inner: inner.iter().product() }
    }

    /// Rows that have all axes from one on.
    pub(super) fn from(dims: &[usize], axis: usize) -> Shape {
        let (outer, columns) = dims.split_at(axis);
        Shape { outer: outer.iter().product(), columns: columns.iter().product(), inner: 1 }
    }

    fn rows(&self) -> usize {
        self.outer * self.inner
    }
}

/// The rows of a program.
pub(super) struct Rows {
    /// Rows and columns of a block.
    dims: [usize; 2],
    /// Number of the row, [rows, 1], and whether there is such a row.
    pub(super) row: ValueId,
    inside: ValueId,
    /// Offset of the row's first element, [rows, 1], and the distance of its elements, unless it is 1.
    start: ValueId,
    stride: Option<ValueId>,
    /// Number of columns.
    columns: ValueId,
    programs: usize,
}

impl Rows {
    pub(super) fn new(w: &mut Writer, shape: &Shape) -> Result<Rows> {
        let (block, width) = cut(shape.columns);
        let rows = w.size(shape.rows())?;
        let columns = w.size(shape.columns)?;
        let (row, inside) = w.span(0, block, rows)?;
        let (row, inside) = (w.expand(row, 1)?, w.expand(inside, 1)?);
        let (start, stride) = match shape.inner {
            1 => (w.mul(row, columns)?, None),
            inner => {
                let inner = w.size(inner)?;
                let (outer, rest) = w.divide(row, inner)?;
                let outer = w.mul(outer, columns)?;
                let outer = w.mul(outer, inner)?;
                (w.add(outer, rest)?, Some(inner))
            }
        };
        let programs = shape.rows().div_ceil(block);
        Ok(Rows { dims: [block, width], row, inside, start, stride, columns, programs })
    }

    /// The grid that visits all rows.
    pub(super) fn grid(&self) -> [usize; 3] {
        [self.programs, 1, 1]
    }

    /// Number of columns as a float.
    pub(super) fn count(&self, w: &mut Writer) -> Result<ValueId> {
        w.cast(self.columns, DType::F32)
    }

    fn places(&self, w: &mut Writer, first: ValueId) -> Result<Place> {
        let range = w.arange(self.dims[1])?;
        let column = w.add(first, range)?;
        let valid = w.less(column, self.columns)?;
        let (column, valid) = (w.expand(column, 0)?, w.expand(valid, 0)?);
        let mask = w.and(self.inside, valid)?;
        let along = match self.stride {
            Some(stride) => w.mul(column, stride)?,
            None => column,
        };
        Ok(Place { offset: w.add(self.start, along)?, mask, column, valid })
    }

    /// Folds what `of` makes of the elements of each row, [rows, 1].
    pub(super) fn fold(
        &self,
        w: &mut Writer,
        fold: Fold,
        of: impl FnOnce(&mut Writer, &Place) -> Result<ValueId>,
    ) -> Result<ValueId> {
        let neutral = w.neutral(fold, DType::F32)?;
        let none = w.spread(neutral, &self.dims)?;
        let sums = w.repeat(self.columns, self.dims[1], &[none], |w, first, sums| {
            let place = self.places(w, first)?;
            let x = of(w, &place)?;
            let x = w.select(place.mask, x, neutral)?;
            Ok(vec![w.folded(fold, sums[0], x)?])
        })?;
        let folded = w.fold(sums[0], 1, fold)?;
        w.expand(folded, 1)
    }

    /// Writes what `of` makes of each element to the same place of another array.
    pub(super) fn each(
        &self,
        w: &mut Writer,
        to: ValueId,
        dtype: DType,
        of: impl FnOnce(&mut Writer, &Place) -> Result<ValueId>,
    ) -> Result<()> {
        w.repeat(self.columns, self.dims[1], &[], |w, first, _| {
            let place = self.places(w, first)?;
            let y = of(w, &place)?;
            let y = w.cast(y, dtype)?;
            w.store(to, place.offset, y, place.mask)?;
            Ok(vec![])
        })?;
        Ok(())
    }

    /// Writes a value for each row.
    pub(super) fn store(
        &self,
        w: &mut Writer,
        to: ValueId,
        dtype: DType,
        x: ValueId,
    ) -> Result<()> {
        let x = w.cast(x, dtype)?;
        w.store(to, self.row, x, self.inside)
    }
}

/// Some elements of the rows of a program.
pub(super) struct Place {
    /// Offsets, [rows, columns].
    pub(super) offset: ValueId,
    mask: ValueId,
    /// Columns, [1, columns], and which of them there are.
    pub(super) column: ValueId,
    pub(super) valid: ValueId,
}

impl Place {
    /// The elements of an array with such rows, as f32.
    pub(super) fn of(&self, w: &mut Writer, array: ValueId) -> Result<ValueId> {
        let x = w.load(array, self.offset, Some(self.mask), None)?;
        w.cast(x, DType::F32)
    }

    /// The elements of another array at these offsets, as f32.
    pub(super) fn at(&self, w: &mut Writer, array: ValueId, offset: ValueId) -> Result<ValueId> {
        let x = w.load(array, offset, Some(self.mask), None)?;
        w.cast(x, DType::F32)
    }

    /// The elements of an array with one element for each column, as f32.
    pub(super) fn column_of(&self, w: &mut Writer, array: ValueId) -> Result<ValueId> {
        let x = w.load(array, self.column, Some(self.valid), None)?;
        w.cast(x, DType::F32)
    }
}

/// An error unless elements are floats that are computed in f32.
pub(super) fn float(dtype: DType) -> Result<()> {
    match dtype {
        DType::F32 | DType::F16 | DType::BF16 => Ok(()),
        other => Err(unsupported(format!("elements of type {other} are not supported"))),
    }
}

fn softmax(site: &mut Site<'_>) -> Result<()> {
    let dtype = site.dtype(ops::Softmax::AT.x)?;
    float(dtype)?;
    let dims = site.dims(ops::Softmax::AT.x)?;
    let axis = geometry::axis(site.view(ops::Softmax::of)?.axis(), dims.len())?;
    let shape = Shape::along(dims, axis);
    let mut w = site.writer(dims.iter().product());
    let (x, y) = (
        w.array(Arg::Operand(ops::Softmax::AT.x), dtype)?,
        w.array(Arg::Result(ops::Softmax::AT.y), dtype)?,
    );
    let rows = Rows::new(&mut w, &shape)?;
    let most = rows.fold(&mut w, Fold::Max, |w, place| place.of(w, x))?;
    let exp = |w: &mut Writer, place: &Place| {
        let x = place.of(w, x)?;
        let x = w.sub(x, most)?;
        w.op(K::Exp, &[x])
    };
    let sum = rows.fold(&mut w, Fold::Sum, exp)?;
    rows.each(&mut w, y, dtype, |w, place| {
        let e = exp(w, place)?;
        w.div(e, sum)
    })?;
    site.step(w, rows.grid())
}

/// ln(softmax(x)) of the rows of the first operand.
pub(super) fn log_softmax(
    site: &mut Site<'_>,
    shape: &Shape,
    dtype: DType,
    to: Arg,
    to_type: DType,
) -> Result<()> {
    let mut w = site.writer(shape.rows() * shape.columns);
    let (x, y) = (w.array(Arg::Operand(FIRST), dtype)?, w.array(to, to_type)?);
    let rows = Rows::new(&mut w, shape)?;
    let most = rows.fold(&mut w, Fold::Max, |w, place| place.of(w, x))?;
    let sum = rows.fold(&mut w, Fold::Sum, |w, place| {
        let x = place.of(w, x)?;
        let x = w.sub(x, most)?;
        w.op(K::Exp, &[x])
    })?;
    let log = w.op(K::Log, &[sum])?;
    rows.each(&mut w, y, to_type, |w, place| {
        let x = place.of(w, x)?;
        let x = w.sub(x, most)?;
        w.sub(x, log)
    })?;
    site.step(w, rows.grid())
}
