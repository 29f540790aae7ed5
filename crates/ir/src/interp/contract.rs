//! Products of blocks. Every input precision is computed in full, as native code does.

use super::error::Trap;
use super::machine::{Site, Values};
use super::number::{float, from_float, from_int, int};
use super::value::Block;
use crate::element::{F4E2M1FN, F8E8M0FNU};
use crate::op::words::ScaledFormat;
use crate::{DType, OpKind, ops};

pub(super) fn run(site: &Site<'_>) -> Values {
    let (a, b, c) = (site.block(0)?, site.block(1)?, site.block(2)?);
    let result = match site.op.kind {
        OpKind::Dot if a.dtype.is_float() => {
            let floats = |x: &Block| Matrix::of(x, |bits| float(x.dtype, bits));
            let (a, b) = (floats(a), floats(b));
            fill(c, |at, bits| {
                let sum = dot(&a, &b, &at, |s, x, y| s + x * y);
                from_float(c.dtype, float(c.dtype, bits) + sum)
            })
        }
        OpKind::Dot => {
            let ints = |x: &Block| Matrix::of(x, |bits| int(x.dtype, bits));
            let (a, b) = (ints(a), ints(b));
            fill(c, |at, bits| {
                // Only the low 64 bits count.
                let sum = dot(&a, &b, &at, |s: i128, x, y| s.wrapping_add(x.wrapping_mul(y)));
                from_int(c.dtype, int(c.dtype, bits).wrapping_add(sum))
            })
        }
        _ => {
            let (op, at) = (ops::DotScaled::of(site.op).ok_or(Trap::Unknown)?, ops::DotScaled::AT);
            let a = unpacked(site, at.a, op.a_format(), op.a_k_pack())?;
            let b = unpacked(site, at.b, op.b_format(), op.b_k_pack())?;
            let a = a.scaled(site.optional(at.a_scale), false);
            let b = b.scaled(site.optional(at.b_scale), true);
            fill(c, |at, bits| {
                let sum = dot(&a, &b, &at, |s, x, y| s + x * y);
                from_float(c.dtype, float(c.dtype, bits) + sum)
            })
        }
    };
    Ok(vec![result.into()])
}

/// Matrices after a batch axis.
struct Matrix<T> {
    rows: usize,
    columns: usize,
    values: Vec<T>,
}

/// A place of the result.
struct Place {
    batch: usize,
    row: usize,
    column: usize,
}

impl<T: Copy> Matrix<T> {
    fn of(block: &Block, value: impl Fn(u64) -> T) -> Matrix<T> {
        let [.., rows, columns] = block.dims[..] else {
            return Matrix { rows: 0, columns: 0, values: vec![] };
        };
        Matrix { rows, columns, values: block.bits.iter().map(|&bits| value(bits)).collect() }
    }

    fn at(&self, batch: usize, row: usize, column: usize) -> T {
        self.values[(batch * self.rows + row) * self.columns + column]
    }
}

/// Folds row times column.
fn dot<T: Copy + Default>(
    a: &Matrix<T>,
    b: &Matrix<T>,
    at: &Place,
    add: impl Fn(T, T, T) -> T,
) -> T {
    (0..a.columns).fold(T::default(), |sum, k| {
        add(sum, a.at(at.batch, at.row, k), b.at(at.batch, k, at.column))
    })
}

/// The block whose element at each place follows from the place and the element that `c` has there.
fn fill(c: &Block, element: impl Fn(Place, u64) -> u64) -> Block {
    let [.., rows, columns] = c.dims[..] else { return c.clone() };
    let bits = c.bits.iter().enumerate().map(|(i, &bits)| {
        let place =
            Place { batch: i / columns / rows, row: i / columns % rows, column: i % columns };
        element(place, bits)
    });
    Block::new(c.dtype, &c.dims, bits.collect())
}

impl Matrix<f64> {
    /// Times the scales: one for each group of factors along k, by rows of a or columns of b (`transposed`).
    fn scaled(mut self, scale: Option<&Block>, transposed: bool) -> Matrix<f64> {
        let Some(scale) = scale else { return self };
        let scales = Matrix::of(scale, |bits| match scale.dtype {
            DType::F8E4M3FN => float(scale.dtype, bits),
            _ => F8E8M0FNU(bits as u8).to_f32().into(),
        });
        let (rows, columns) = (self.rows, self.columns);
        let group = if transposed { rows } else { columns } / scales.columns.max(1);
        for (i, value) in self.values.iter_mut().enumerate() {
            let (batch, row, column) = (i / columns / rows, i / columns % rows, i % columns);
            let (outer, k) = if transposed { (column, row) } else { (row, column) };
            *value *= scales.at(batch, outer, k / group);
        }
        self
    }
}

/// The factors of `dot_scaled`: two to a byte for e2m1, the low half first, along k or along the other axis.
fn unpacked(
    site: &Site<'_>,
    index: usize,
    format: ScaledFormat,
    along_k: bool,
) -> Result<Matrix<f64>, Trap> {
    let block = site.block(index)?;
    if format != ScaledFormat::E2M1 {
        return Ok(Matrix::of(block, |bits| float(block.dtype, bits)));
    }
    let bytes = Matrix::of(block, |bits| bits as u8);
    let nibble = |byte: u8, high: bool| -> f64 {
        F4E2M1FN(if high { byte >> 4 } else { byte & 15 }).to_f32().into()
    };
    // k is the last axis of a and the last but one of b.
    let along_columns = along_k == (index == 0);
    let (rows, columns) = match along_columns {
        true => (bytes.rows, bytes.columns * 2),
        false => (bytes.rows * 2, bytes.columns),
    };
    let batches = block.bits.len() / (bytes.rows * bytes.columns).max(1);
    let value = |i: usize| {
        let (batch, row, column) = (i / columns / rows, i / columns % rows, i % columns);
        match along_columns {
            true => nibble(bytes.at(batch, row, column / 2), column % 2 == 1),
            false => nibble(bytes.at(batch, row / 2, column), row % 2 == 1),
        }
    };
    Ok(Matrix { rows, columns, values: (0..batches * rows * columns).map(value).collect() })
}
