//! Matrix products.

use trident_ir::geometry::{self, GeometryError};
use trident_ir::{DType, OpKind as K, ValueId};

use super::product::{Tile, accumulator, activation, finish};
use super::site::{Site, unsupported};
use super::space::signed;
use super::writer::Writer;
use super::{Arg, Result};

/// A stack of matrices: where its elements are.
struct Stack {
    batch: Vec<usize>,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl Stack {
    /// Of an operand; one of rank 1 is a row, or with `column` a column.
    fn of(dims: &[usize], transposed: bool, column: bool) -> Option<Stack> {
        Some(match *dims {
            [] => return None,
            [n] if column => {
                Stack { batch: vec![], rows: n, columns: 1, row_stride: 1, column_stride: 1 }
            }
            [n] => Stack { batch: vec![], rows: 1, columns: n, row_stride: n, column_stride: 1 },
            [ref batch @ .., r, c] => {
                let batch = batch.to_vec();
                match transposed {
                    true => Stack { batch, rows: c, columns: r, row_stride: 1, column_stride: c },
                    false => Stack { batch, rows: r, columns: c, row_stride: c, column_stride: 1 },
                }
            }
        })
    }

    /// Takes the batch for further rows, if they follow each other.
    fn flatten(&mut self) {
        if self.row_stride == self.columns && self.column_stride == 1 {
            self.rows *= self.batch.drain(..).product::<usize>();
        }
    }

    /// Distances of the matrices along each axis of a batch.
    fn strides(&self, batch: &[usize]) -> Vec<isize> {
        let size = (self.rows * self.columns) as isize;
        let strides = signed(&geometry::broadcast_strides(&self.batch, batch));
        strides.into_iter().map(|n| n * size).collect()
    }
}

/// A stack's elements in a function.
struct Matrix {
    base: ValueId,
    /// Offset of the program's matrix.
    start: Option<ValueId>,
    strides: [isize; 2],
}

impl Matrix {
    fn load(
        &self,
        w: &mut Writer,
        row: ValueId,
        column: ValueId,
        mask: ValueId,
    ) -> Result<ValueId> {
        let offset = w.offset(&[row, column], &self.strides, 0)?;
        let mut offset = match offset {
            Some(offset) => offset,
            None => w.int(0)?,
        };
        if let Some(start) = self.start {
            offset = w.add(offset, start)?;
        }
        w.load_or_zero(self.base, offset, mask)
    }
}

/// `matmul`, `gemm` and what fusion makes of them.
pub(super) fn matmul(site: &mut Site<'_>) -> Result<()> {
    let op = site.op;
    let dtype = site.dtype(0)?;
    let activation = activation(site)?;
    let integer = matches!(dtype, DType::I32 | DType::U32 | DType::I64 | DType::U64);
    if !(dtype.is_float() || integer && op.kind != K::FusedMatMul) {
        return Err(unsupported(format!("there is no product of {dtype}")));
    }
    let number = |name| op.float(name).unwrap_or(1.0);
    let (alpha, beta) = match op.kind {
        K::Gemm => (number("alpha"), number("beta")),
        K::FusedMatMul => (number("scale"), 1.0),
        _ => (1.0, 1.0),
    };
    if integer && (alpha != 1.0 || beta != 1.0) {
        return Err(unsupported(format!(
            "a scaled product of {dtype} is not written at level tile"
        )));
    }
    let (a_dims, b_dims) = (site.dims(0)?, site.dims(1)?);
    let misfit = || {
        GeometryError::Invalid(format!(
            "matrices of dimensions {a_dims:?} and {b_dims:?} do not fit"
        ))
    };
    let mut a = Stack::of(a_dims, op.flag("trans_a"), false).ok_or_else(misfit)?;
    let b = Stack::of(b_dims, op.flag("trans_b"), true).ok_or_else(misfit)?;
    if a.columns != b.rows {
        return Err(misfit().into());
    }
    if b.batch.is_empty() {
        a.flatten();
    }
    let batch = geometry::broadcast(&a.batch, &b.batch)?;
    let (m, n, k) = (a.rows, b.columns, a.columns);
    let count: usize = batch.iter().product();
    let longest = [a_dims, b_dims, site.result_dims(0)?].map(|d| d.iter().product::<usize>());

    let tile = Tile::of(m, n, dtype);
    let mut w = site.writer(longest.into_iter().max().unwrap_or(0));
    let (rows, columns, depth) = (w.size(m)?, w.size(n)?, w.size(k)?);
    let (row, row_valid) = w.span(1, tile.m, rows)?;
    let (column, column_valid) = w.span(0, tile.n, columns)?;
    let (row, row_valid) = (w.expand(row, 1)?, w.expand(row_valid, 1)?);
    let (column, column_valid) = (w.expand(column, 0)?, w.expand(column_valid, 0)?);
    let place = if count > 1 { Some(w.program(2)?) } else { None };
    let indices = match place {
        Some(place) => w.unravel(place, &batch)?,
        None => vec![],
    };
    let matrix = |w: &mut Writer, i: usize, stack: &Stack| -> Result<Matrix> {
        let start = match place {
            Some(_) => w.offset(&indices, &stack.strides(&batch), 0)?,
            None => None,
        };
        let strides = [stack.row_stride as isize, stack.column_stride as isize];
        Ok(Matrix { base: w.array(Arg::Operand(i), dtype)?, start, strides })
    };
    let (a, b) = (matrix(&mut w, 0, &a)?, matrix(&mut w, 1, &b)?);
    let wide = accumulator(dtype);
    let mut sum = w.product(
        tile,
        depth,
        wide,
        |w, at| {
            let mask = w.and(row_valid, at.valid)?;
            a.load(w, row, at.k, mask)
        },
        |w, at| {
            let mask = w.and(at.valid, column_valid)?;
            b.load(w, at.k, column, mask)
        },
    )?;
    let mask = w.and(row_valid, column_valid)?;
    if alpha != 1.0 {
        let alpha = w.float(wide, alpha.into())?;
        sum = w.mul(sum, alpha)?;
    }
    if site.has(2) {
        let dims = site.dims(2)?;
        let strides = geometry::broadcast_strides(dims, &[m, n]);
        let strides = if op.kind == K::Gemm { strides } else { vec![0, 1] };
        let base = w.array(Arg::Operand(2), dtype)?;
        let strides = [strides[0] as isize, strides[1] as isize];
        let mut bias = Matrix { base, start: None, strides }.load(&mut w, row, column, mask)?;
        bias = w.cast(bias, wide)?;
        if beta != 1.0 {
            let beta = w.float(wide, beta.into())?;
            bias = w.mul(bias, beta)?;
        }
        sum = w.add(sum, bias)?;
    }
    let mut offset = w.mul(row, columns)?;
    offset = w.add(offset, column)?;
    if let Some(place) = place {
        let size = w.mul(rows, columns)?;
        let start = w.mul(place, size)?;
        offset = w.add(offset, start)?;
    }
    finish(site, &mut w, sum, activation, offset, mask)?;
    site.step(w, [n.div_ceil(tile.n), m.div_ceil(tile.m), count])
}
