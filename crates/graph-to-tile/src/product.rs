//! Sums of products: what matrix products and convolutions have in common.

use trident_ir::op::Activation;
use trident_ir::op::words::GeluFormula;
use trident_ir::types::ACCUMULATOR;
use trident_ir::{DType, ValueId, ops};

use super::site::{FIRST, Site};
use super::writer::{Fold, Writer};
use super::{Arg, Result, Target};

/// Rows and columns of the block of sums that a program computes, and products added at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub(super) m: usize,
    pub(super) n: usize,
    k: usize,
    pub(super) sums: Sums,
}

/// How products are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sums {
    /// As a product of matrices.
    Matrix,
    /// One row and column of factors after the other.
    Each,
    /// Of one row, at each place along the sum, which are added in the end: for right factors that are neighbours along it.
    Folded,
}

impl Tile {
    /// Number of products for each term of the sums, including those past the last row and column.
    pub(super) fn products(&self, m: usize, n: usize) -> f64 {
        m.next_multiple_of(self.m) as f64 * n.next_multiple_of(self.n) as f64
    }

    /// The tile for a product with that many rows and columns.
    pub(super) fn of(m: usize, n: usize, dtype: DType) -> Tile {
        let side = |n: usize| if n <= 16 { 16 } else { 64 };
        if dtype.is_float() && m >= 4 && n >= 4 {
            return Tile { m: side(m), n: side(n), k: 16, sums: Sums::Matrix };
        }
        // Few rows or columns would leave most of a matrix empty.
        let (m, n) = match (m, n) {
            (1..4, _) => (m.next_power_of_two(), 256),
            (_, 1..4) => (256, n.next_power_of_two()),
            _ => (32, 32),
        };
        Tile { m, n, k: 1, sums: Sums::Each }
    }

    /// The same for factors of this type on a device: its tensor operations, if it has them, take more of them at once.
    pub(super) fn on(self, target: &Target, factors: DType) -> Tile {
        let narrow = matches!(factors, DType::F16 | DType::BF16);
        let wide = self.sums == Sums::Matrix && self.m.min(self.n) >= ACCUMULATOR;
        let k = if target.matrix_unit && narrow && wide { ACCUMULATOR } else { self.k };
        Tile { k, ..self }
    }

    /// Like [`Self::of`], for right factors that are adjacent along the sum.
    pub(super) fn of_columns(m: usize, n: usize, dtype: DType) -> Tile {
        match Tile::of(m, n, dtype) {
            tile if tile.sums == Sums::Matrix => tile,
            _ => Tile { m: 1, n: 8, k: 128, sums: Sums::Folded },
        }
    }
}

/// Some factors along the sum: their numbers and the mask of existing ones, in the shape of the operand's block.
#[derive(Clone, Copy)]
pub(super) struct Depth {
    pub(super) k: ValueId,
    pub(super) valid: ValueId,
    /// The least of the numbers, a multiple of their count.
    pub(super) first: ValueId,
    pub(super) step: usize,
}

impl Depth {
    /// The `step` numbers from `first` on, of those below `end`.
    fn of(w: &mut Writer, step: usize, first: ValueId, end: ValueId) -> Result<Depth> {
        let range = w.arange(step)?;
        let k = w.add(first, range)?;
        let valid = w.less(k, end)?;
        Ok(Depth { k, valid, first, step })
    }

    /// The same with an axis of length 1 more.
    fn expand(self, w: &mut Writer, axis: usize) -> Result<Depth> {
        Ok(Depth { k: w.expand(self.k, axis)?, valid: w.expand(self.valid, axis)?, ..self })
    }
}

/// A factor of products: the memory of an operand, and the zero point of its elements if they are quantised.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    pub(super) base: ValueId,
    pub(super) zero: Option<ValueId>,
}

impl Factor {
    /// The elements at these offsets where the mask holds, else 0.
    pub(super) fn load(&self, w: &mut Writer, offset: ValueId, mask: ValueId) -> Result<ValueId> {
        let x = w.load_or_zero(self.base, offset, mask)?;
        let Some(zero) = self.zero else { return Ok(x) };
        let x = w.cast(x, DType::I32)?;
        let (x, none) = (w.sub(x, zero)?, w.literal(DType::I32, 0)?);
        w.select(mask, x, none)
    }
}

/// The type that products of this type are summed in.
pub(super) fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::I8 | DType::U8 => DType::I32,
        other => other,
    }
}

/// The place of the residual among the operands of all ops that have one.
const RESIDUAL: usize = ops::FusedConv::AT.residual;
const _: () = assert!(RESIDUAL == ops::FusedMatMul::AT.residual);
const _: () = assert!(RESIDUAL == ops::MatMulNBits::AT.residual);

/// The end of a sum of products: the residual is added, if there is one, the activation applied, and the result written.
pub(super) struct Epilogue {
    residual: Option<ValueId>,
    activation: Activation,
    to: ValueId,
    dtype: DType,
}

impl Epilogue {
    pub(super) fn of(site: &Site<'_>, w: &mut Writer, activation: Activation) -> Result<Epilogue> {
        let dtype = site.dtype(FIRST)?;
        let residual = match site.has(RESIDUAL) {
            true => Some(w.array(Arg::Operand(RESIDUAL), dtype)?),
            false => None,
        };
        let to = w.array(Arg::Result(FIRST), dtype)?;
        Ok(Epilogue { residual, activation, to, dtype })
    }

    pub(super) fn store(
        &self,
        w: &mut Writer,
        mut sum: ValueId,
        offset: ValueId,
        mask: ValueId,
    ) -> Result<()> {
        if let Some(base) = self.residual {
            let residual = w.load_or_zero(base, offset, mask)?;
            let residual = w.cast(residual, accumulator(self.dtype))?;
            sum = w.add(sum, residual)?;
        }
        let sum = w.activate(sum, self.activation)?;
        let sum = w.cast(sum, self.dtype)?;
        w.store(self.to, offset, sum, mask)
    }
}

impl Writer {
    /// Σ a·b over `depth` factors, as a block of the tile's rows and columns. `a` gives a block of the tile's rows and
    /// `b` one of its columns for the factors in question, 0 where there are none. Where sums are folded, the block of
    /// `b` is transposed.
    pub(super) fn product(
        &mut self,
        tile: Tile,
        depth: ValueId,
        dtype: DType,
        a: impl FnOnce(&mut Writer, Depth) -> Result<ValueId>,
        b: impl FnOnce(&mut Writer, Depth) -> Result<ValueId>,
    ) -> Result<ValueId> {
        let zero = self.literal(dtype, 0)?;
        let folded = tile.sums == Sums::Folded;
        let zeros = self.spread(zero, &if folded { [tile.n, tile.k] } else { [tile.m, tile.n] })?;
        let sums = self.repeat(depth, tile.k, &[zeros], |w, first, sums| {
            let along = Depth::of(w, tile.k, first, depth)?;
            let (row, column) = (along.expand(w, 0)?, along.expand(w, usize::from(!folded))?);
            let (a, b) = (a(w, row)?, b(w, column)?);
            if tile.sums == Sums::Matrix {
                let (a, b) = (w.spread(a, &[tile.m, tile.k])?, w.spread(b, &[tile.k, tile.n])?);
                return Ok(vec![w.emit(ops::Dot::new(a, b, sums[0]))?]);
            }
            let (a, b) = (w.cast(a, dtype)?, w.cast(b, dtype)?);
            let product = w.mul(a, b)?;
            Ok(vec![w.add(sums[0], product)?])
        })?;
        if !folded {
            return Ok(sums[0]);
        }
        let sums = self.fold(sums[0], 1, Fold::Sum)?;
        self.expand(sums, 0)
    }

    /// Applies the activation at the end of a fused op.
    pub(super) fn activate(&mut self, x: ValueId, activation: Activation) -> Result<ValueId> {
        match activation {
            Activation::None => Ok(x),
            Activation::Clip { low, high } => {
                let dtype = self.dtype(x);
                let (low, high) = (self.float(dtype, low.into())?, self.float(dtype, high.into())?);
                self.emit(ops::Clip::new(x, Some(low), Some(high)))
            }
            Activation::Elu { alpha } => self.emit(ops::Elu::new(x).alpha(alpha)),
            Activation::Gelu => self.emit(ops::Gelu::new(x)),
            Activation::GeluTanh => self.emit(ops::Gelu::new(x).approximate(GeluFormula::Tanh)),
            Activation::HardSigmoid { alpha, beta } => {
                self.emit(ops::HardSigmoid::new(x).alpha(alpha).beta(beta))
            }
            Activation::HardSwish => self.emit(ops::HardSwish::new(x)),
            Activation::LeakyRelu { alpha } => self.emit(ops::LeakyRelu::new(x).alpha(alpha)),
            Activation::Mish => self.emit(ops::Mish::new(x)),
            Activation::Relu => self.emit(ops::Relu::new(x)),
            Activation::Sigmoid => self.emit(ops::Sigmoid::new(x)),
            Activation::Silu => self.emit(ops::Swish::new(x)),
            Activation::Tanh => self.emit(ops::Tanh::new(x)),
        }
    }
}
