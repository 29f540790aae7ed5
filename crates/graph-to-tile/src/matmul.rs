//! Matrix products.

use trident_ir::geometry::{self, GeometryError, PackedWeights};
use trident_ir::op::Activation;
use trident_ir::{DType, ValueId, ops};

use super::packed::Weights;
use super::product::{Depth, Epilogue, Factor, Sums, Tile, accumulator};
use super::quant::{Along, Quantised};
use super::site::{FIRST, Site, unsupported};
use super::space::signed;
use super::writer::Writer;
use super::{Arg, Entry, Result, entry};

pub(super) const LOWERINGS: &[Entry] = &[
    entry(ops::MatMul::KIND, matmul),
    entry(ops::Gemm::KIND, gemm),
    entry(ops::FusedMatMul::KIND, fused_matmul),
    entry(ops::MatMulNBits::KIND, packed),
    entry(ops::MatMulInteger::KIND, quantised),
    entry(ops::QLinearMatMul::KIND, quantised),
];

/// A stack of matrices: where its elements are.
struct Stack {
    batch: Vec<usize>,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl Stack {
    /// The matrices of an operand. An operand of rank 1 is a row, or a column with `column`.
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

/// A product of stacks of matrices.
struct Product {
    a: Stack,
    b: Stack,
    batch: Vec<usize>,
}

/// Where a product has its right factors from.
enum Right {
    Matrices(Factor),
    Weights(Weights),
}

/// The elements of a product that a program computes.
struct Place {
    tile: Tile,
    /// Number of the row, [rows, 1], and of the column, [1, columns], and whether there are such.
    row: ValueId,
    row_valid: ValueId,
    column: ValueId,
    column_valid: ValueId,
    mask: ValueId,
    /// Numbers of rows, columns and products that are summed.
    rows: ValueId,
    columns: ValueId,
    depth: ValueId,
    /// Number of the product in the stack, if there are several, and its indices in the batch.
    matrix: Option<ValueId>,
    indices: Vec<ValueId>,
}

impl Product {
    /// Of operands of these dimensions. With `joined` a batch becomes further rows where that is possible.
    fn of([a_dims, b_dims]: [&[usize]; 2], transposed: [bool; 2], joined: bool) -> Result<Product> {
        let misfit = || {
            GeometryError::Invalid(format!(
                "matrices of dimensions {a_dims:?} and {b_dims:?} cannot be multiplied"
            ))
        };
        let mut a = Stack::of(a_dims, transposed[0], false).ok_or_else(misfit)?;
        let b = Stack::of(b_dims, transposed[1], true).ok_or_else(misfit)?;
        if a.columns != b.rows {
            return Err(misfit().into());
        }
        if joined && b.batch.is_empty() {
            a.flatten();
        }
        let batch = geometry::broadcast(&a.batch, &b.batch)?;
        Ok(Product { a, b, batch })
    }

    fn count(&self) -> usize {
        self.batch.iter().product()
    }

    fn place(&self, w: &mut Writer, tile: Tile) -> Result<Place> {
        let (m, n, k) = (self.a.rows, self.b.columns, self.a.columns);
        let (rows, columns, depth) = (w.size(m)?, w.size(n)?, w.size(k)?);
        let (row, row_valid) = w.span(1, tile.m, rows)?;
        let (column, column_valid) = w.span(0, tile.n, columns)?;
        let (row, row_valid) = (w.expand(row, 1)?, w.expand(row_valid, 1)?);
        let (column, column_valid) = (w.expand(column, 0)?, w.expand(column_valid, 0)?);
        let matrix = if self.count() > 1 { Some(w.program(2)?) } else { None };
        let indices = match matrix {
            Some(matrix) => w.unravel(matrix, &self.batch)?,
            None => vec![],
        };
        let mask = w.and(row_valid, column_valid)?;
        Ok(Place {
            tile,
            row,
            row_valid,
            column,
            column_valid,
            mask,
            rows,
            columns,
            depth,
            matrix,
            indices,
        })
    }

    /// Offset of the program's matrix in a stack.
    fn start(&self, w: &mut Writer, place: &Place, stack: &Stack) -> Result<Option<ValueId>> {
        match place.matrix {
            Some(_) => w.offset(&place.indices, &stack.strides(&self.batch), 0),
            None => Ok(None),
        }
    }

    /// The sums of products of a place.
    fn sums(
        &self,
        w: &mut Writer,
        place: &Place,
        a: Factor,
        b: &Right,
        wide: DType,
    ) -> Result<ValueId> {
        let at = |w: &mut Writer, row, column, stack: &Stack, start| -> Result<ValueId> {
            let strides = [stack.row_stride as isize, stack.column_stride as isize];
            let offset = match w.offset(&[row, column], &strides, 0)? {
                Some(offset) => offset,
                None => w.int(0)?,
            };
            match start {
                Some(start) => w.add(offset, start),
                None => Ok(offset),
            }
        };
        let (a_start, b_start) = (self.start(w, place, &self.a)?, self.start(w, place, &self.b)?);
        let left = |w: &mut Writer, depth: Depth| {
            let mask = w.and(place.row_valid, depth.valid)?;
            let offset = at(w, place.row, depth.k, &self.a, a_start)?;
            a.load(w, offset, mask)
        };
        match b {
            Right::Matrices(b) => w.product(place.tile, place.depth, wide, left, |w, depth| {
                let mask = w.and(depth.valid, place.column_valid)?;
                let offset = at(w, depth.k, place.column, &self.b, b_start)?;
                b.load(w, offset, mask)
            }),
            Right::Weights(b) => {
                let (mut column, mut valid) = (place.column, place.column_valid);
                if place.tile.sums == Sums::Folded {
                    (column, valid) = w.span(0, place.tile.n, place.columns)?;
                    (column, valid) = (w.expand(column, 1)?, w.expand(valid, 1)?);
                }
                w.product(place.tile, place.depth, wide, left, |w, depth| {
                    b.load(w, depth, column, valid)
                })
            }
        }
    }

    /// Where the result has the elements of a place.
    fn offset(&self, w: &mut Writer, place: &Place) -> Result<ValueId> {
        let offset = w.mul(place.row, place.columns)?;
        let offset = w.add(offset, place.column)?;
        let Some(matrix) = place.matrix else { return Ok(offset) };
        let size = w.mul(place.rows, place.columns)?;
        let start = w.mul(matrix, size)?;
        w.add(offset, start)
    }

    fn grid(&self, place: &Place) -> [usize; 3] {
        let (m, n) = (self.a.rows, self.b.columns);
        [n.div_ceil(place.tile.n), m.div_ceil(place.tile.m), self.count()]
    }
}

/// The number of elements of the longest operand or the result.
fn longest(site: &Site<'_>, operands: [usize; 2]) -> Result<usize> {
    let dims = [site.dims(operands[0])?, site.dims(operands[1])?, site.result_dims(FIRST)?];
    Ok(dims.map(|d| d.iter().product()).into_iter().max().unwrap_or(0))
}

/// `matmul_integer` and `qlinear_matmul`.
fn quantised(site: &mut Site<'_>) -> Result<()> {
    let Some(op) = Quantised::of(site)? else { return Err(unsupported("it is not quantised")) };
    let joined = !op.by_row(site)?;
    let product = Product::of([site.dims(op.a)?, site.dims(op.b)?], [false; 2], joined)?;
    let mut w = site.writer(longest(site, [op.a, op.b])?);
    let place = product.place(&mut w, Tile::of(product.a.rows, product.b.columns, DType::I32))?;
    let row = Along { count: product.a.rows, at: place.row, valid: place.row_valid };
    let column = Along { count: product.b.columns, at: place.column, valid: place.column_valid };
    let zeros = op.zeros(&mut w, site, row, column)?;
    let a = Factor { base: w.array(Arg::Operand(op.a), site.dtype(op.a)?)?, zero: zeros[0] };
    let b = Factor { base: w.array(Arg::Operand(op.b), site.dtype(op.b)?)?, zero: zeros[1] };
    let sum = product.sums(&mut w, &place, a, &Right::Matrices(b), DType::I32)?;
    let offset = product.offset(&mut w, &place)?;
    op.finish(&mut w, site, sum, [row, column], offset, place.mask)?;
    site.step(w, product.grid(&place))
}

/// `count` products of matrices of f32, `a` of `m` rows and `k` columns and `b` of `k` rows and `n` columns.
pub(super) fn stacked(
    site: &mut Site<'_>,
    [a, b, to]: [Arg; 3],
    count: usize,
    [m, n, k]: [usize; 3],
) -> Result<()> {
    let dtype = DType::F32;
    let product = Product::of([&[count, m, k], &[count, k, n]], [false; 2], false)?;
    let mut w = site.writer(count * (m * k).max(k * n).max(m * n));
    let place = product.place(&mut w, Tile::of(m, n, dtype))?;
    let a = Factor { base: w.array(a, dtype)?, zero: None };
    let b = Factor { base: w.array(b, dtype)?, zero: None };
    let sum = product.sums(&mut w, &place, a, &Right::Matrices(b), dtype)?;
    let offset = product.offset(&mut w, &place)?;
    let to = w.array(to, dtype)?;
    w.store(to, offset, sum, place.mask)?;
    site.step(w, product.grid(&place))
}

/// The scale of a matrix product, its addend, and its activation.
struct Scaled {
    transposed: [bool; 2],
    alpha: f32,
    beta: f32,
    /// Whether the addend broadcasts in both directions; otherwise it is one row.
    broadcasts: bool,
    activation: Activation,
}

impl Scaled {
    /// a·b
    const PLAIN: Scaled = Scaled {
        transposed: [false; 2],
        alpha: 1.0,
        beta: 1.0,
        broadcasts: false,
        activation: Activation::None,
    };
}

// Factors and what is added are where `fused_matmul` has them.
const _: () = assert!(ops::FusedMatMul::AT.a == ops::MatMul::AT.a);
const _: () = assert!(ops::FusedMatMul::AT.a == ops::Gemm::AT.a);
const _: () = assert!(ops::FusedMatMul::AT.a == ops::MatMulNBits::AT.a);
const _: () = assert!(ops::FusedMatMul::AT.b == ops::MatMul::AT.b);
const _: () = assert!(ops::FusedMatMul::AT.b == ops::Gemm::AT.b);
const _: () = assert!(ops::FusedMatMul::AT.b == PackedWeights::WEIGHTS);
const _: () = assert!(ops::FusedMatMul::AT.bias == ops::Gemm::AT.c);
const _: () = assert!(ops::FusedMatMul::AT.bias == ops::MatMulNBits::AT.bias);

fn matmul(site: &mut Site<'_>) -> Result<()> {
    product(site, Scaled::PLAIN, None)
}

fn gemm(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::Gemm::of)?;
    let transposed = [op.trans_a(), op.trans_b()];
    let (alpha, beta) = (op.alpha(), op.beta());
    let scaled = Scaled { transposed, alpha, beta, broadcasts: true, ..Scaled::PLAIN };
    product(site, scaled, None)
}

fn fused_matmul(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::FusedMatMul::of)?;
    let activation = Activation::of(op.activated());
    only_floats(site)?;
    let transposed = [op.trans_a(), op.trans_b()];
    let scaled = Scaled { transposed, alpha: op.scale(), activation, ..Scaled::PLAIN };
    product(site, scaled, None)
}

/// Products with packed weights.
fn packed(site: &mut Site<'_>) -> Result<()> {
    let op = site.view(ops::MatMulNBits::of)?;
    let activation = Activation::of(op.activated());
    only_floats(site)?;
    let packed = PackedWeights::of(op)?;
    product(site, Scaled { activation, ..Scaled::PLAIN }, Some(packed))
}

fn only_floats(site: &Site<'_>) -> Result<()> {
    match site.dtype(ops::FusedMatMul::AT.a)? {
        dtype if dtype.is_float() => Ok(()),
        dtype => Err(unsupported(format!("multiplying matrices of {dtype} is not supported"))),
    }
}

/// A product of matrices; the right factors may be packed.
fn product(site: &mut Site<'_>, scaled: Scaled, packed: Option<PackedWeights>) -> Result<()> {
    let dtype = site.dtype(ops::FusedMatMul::AT.a)?;
    let Scaled { transposed, alpha, beta, broadcasts, activation } = scaled;
    let integer = matches!(dtype, DType::I32 | DType::U32 | DType::I64 | DType::U64);
    if !(dtype.is_float() || integer) {
        return Err(unsupported(format!("multiplying matrices of {dtype} is not supported")));
    }
    if integer && (alpha != 1.0 || beta != 1.0) {
        return Err(unsupported(format!(
            "`alpha` and `beta` other than 1 are not supported for elements of type {dtype}"
        )));
    }
    let (b_dims, len) = match &packed {
        Some(packed) => {
            packed.check(|i| Some((site.dtype(i).ok()?, site.dims(i).ok()?.to_vec())))?;
            (vec![packed.k, packed.n], packed.n * packed.padded())
        }
        None => (site.dims(ops::FusedMatMul::AT.b)?.to_vec(), 0),
    };
    let product = Product::of([site.dims(ops::FusedMatMul::AT.a)?, &b_dims], transposed, true)?;
    let mut w =
        site.writer(longest(site, [ops::FusedMatMul::AT.a, ops::FusedMatMul::AT.b])?.max(len));
    let tile = if packed.is_some() { Tile::of_columns } else { Tile::of };
    let tile = tile(product.a.rows, product.b.columns, dtype).on(site.target(), dtype);
    let place = product.place(&mut w, tile)?;
    let factor = |w: &mut Writer, i| -> Result<Factor> {
        Ok(Factor { base: w.array(Arg::Operand(i), dtype)?, zero: None })
    };
    let a = factor(&mut w, ops::FusedMatMul::AT.a)?;
    let b = match packed {
        Some(packed) => Right::Weights(Weights::of(site, &mut w, packed)?),
        None => Right::Matrices(factor(&mut w, ops::FusedMatMul::AT.b)?),
    };
    let wide = accumulator(dtype);
    let mut sum = product.sums(&mut w, &place, a, &b, wide)?;
    if alpha != 1.0 {
        let alpha = w.float(wide, alpha.into())?;
        sum = w.mul(sum, alpha)?;
    }
    if site.has(ops::FusedMatMul::AT.bias) {
        let (m, n) = (product.a.rows, product.b.columns);
        let given = site.dims(ops::FusedMatMul::AT.bias)?;
        if !broadcasts && given != [n] {
            let text = format!("the bias has dimensions {given:?}, expected [{n}]");
            return Err(GeometryError::Invalid(text).into());
        }
        let strides = geometry::broadcast_strides(given, &[m, n]);
        let base = w.array(Arg::Operand(ops::FusedMatMul::AT.bias), dtype)?;
        let offset = w.offset(&[place.row, place.column], &signed(&strides), 0)?;
        let offset = match offset {
            Some(offset) => offset,
            None => w.int(0)?,
        };
        let mut bias = w.load_or_zero(base, offset, place.mask)?;
        bias = w.cast(bias, wide)?;
        if beta != 1.0 {
            let beta = w.float(wide, beta.into())?;
            bias = w.mul(bias, beta)?;
        }
        sum = w.add(sum, bias)?;
    }
    let offset = product.offset(&mut w, &place)?;
    Epilogue::of(site, &mut w, activation)?.store(&mut w, sum, offset, place.mask)?;
    site.step(w, product.grid(&place))
}
