//! Units that multiply fragments of factors: a simdgroup's 8×8 matrices or, where a chip has units of their own for them, its 32×32
//! tensor operations.

use trident_ir::types::{ACCUMULATOR, AccumulatorType};
use trident_ir::{DType, Func, Op, OpKind as K, Type};

use super::order::SIDE;
use super::product::{Extents, Product};
use crate::figures::GpuFigures;
use crate::reduce::LANES;

/// log2 of the rows, of the columns and of the depth of what a tensor operation multiplies.
const TENSOR: u8 = ACCUMULATOR.ilog2() as u8;

/// log2 of the depths up to which sums of products of 8-bit integers are exact in f32.
const EXACT: [(DType, u8); 2] = [(DType::I8, 10), (DType::U8, 8)];

/// A unit that multiplies fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The element type of the factors.
    pub(crate) dtype: DType,
    /// log2 of the sides of fragments.
    pub(crate) side: u8,
}

impl Unit {
    /// The units that can compute a product, the best first; none if only scalars can.
    pub(crate) fn of(func: &Func, op: &Op, figures: &GpuFigures) -> Vec<Unit> {
        let extents = Extents::of(func, op).filter(|_| figures.matrices);
        let Some((extents, dtype)) = extents.and_then(|e| Some((e, factor(func, op, e)?))) else {
            return vec![];
        };
        let tensors = figures.tensors && dtype != DType::F32;
        let sides = [tensors.then_some(TENSOR), Some(SIDE)].into_iter().flatten();
        let Extents { rows, columns, depth, .. } = extents;
        let fits = |side: &u8| [rows, columns, depth].iter().all(|bits| bits >= side);
        sides.filter(fits).map(|side| Unit { dtype, side }).collect()
    }

    /// The registers of 4 bytes that a fragment of sums takes of each thread, and the element that a scalar sums.
    pub(crate) fn registers(side: u8) -> usize {
        (1usize << (2 * side)).div_ceil(1 << LANES)
    }
}

/// The type in which the elements of factors are multiplied.
fn factor(func: &Func, op: &Op, extents: Extents) -> Option<DType> {
    let of = |i| op.input(i).and_then(|id| func.ty(id).dtype());
    let (a, b, c) = (of(0)?, of(1)?, of(2)?);
    let narrow = |dtype: DType| dtype.is_float() && dtype.bits() == 8;
    match a {
        DType::F16 | DType::BF16 | DType::F32 if a == b && c.is_float() => Some(a),
        _ if narrow(a) && narrow(b) && c.is_float() => Some(DType::F16),
        _ if a == b && EXACT.iter().any(|&(exact, most)| a == exact && extents.depth <= most) => {
            Some(DType::F16)
        }
        _ => None,
    }
    .filter(|_| c.size() <= 4)
}

impl Product {
    /// Whether tensor operations compute it.
    pub(crate) fn by_tensors(&self) -> bool {
        self.side == TENSOR
    }

    /// The type of its fragments of sums.
    pub(crate) fn fragment(&self) -> Type {
        let transposed = [self.a.by_columns, self.b.by_columns];
        match self.by_tensors() {
            true => Type::Accumulator(AccumulatorType { factor: self.a.dtype, transposed }),
            false => Type::Matrix(self.sum),
        }
    }

    /// The op that does to the unit's fragments of sums what this op does to matrices.
    pub(crate) fn kind(&self, kind: K) -> K {
        match kind {
            K::MatrixFill if self.by_tensors() => K::AccumulatorFill,
            K::MatrixLoad if self.by_tensors() => K::AccumulatorLoad,
            K::MatrixStore if self.by_tensors() => K::AccumulatorStore,
            _ => kind,
        }
    }
}
