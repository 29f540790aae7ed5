//! The amount of arithmetic of an op, from the shapes of its operands and results.
//!
//! An op's row names the function that counts it. This file has the counts that many rows name, and parts that several
//! counts share.

use crate::{DType, Func, Op, TensorType, Type, ValueId};

/// A rule for the number of operations.
pub(crate) type FlopsRule = fn(&Work<'_>) -> f64;

/// An op and the dimensions of its operands and results, empty for what is absent or no tensor.
pub(crate) struct Work<'a> {
    pub(crate) op: &'a Op,
    pub(crate) operands: &'a [Vec<usize>],
    pub(crate) results: &'a [Vec<usize>],
}

/// Floating-point or integer operations of one run, a multiply-add counted as two; 0 for ops that only move elements.
/// `operands` and `results` are dimensions by place, empty for what is absent or no tensor.
///
/// Contractions are exact; other ops count a few operations for each element, enough to rank them in reports.
pub fn flops(op: &Op, operands: &[Vec<usize>], results: &[Vec<usize>]) -> f64 {
    (op.decl().flops)(&Work { op, operands, results })
}

/// The size of a dimension that is not known before a run, for estimates: of a batch, or of the length of a sequence.
pub const TYPICAL_SIZE: usize = 64;

/// The dimensions of a value whose rank is not known, for estimates.
const TYPICAL_DIMS: [usize; 2] = [TYPICAL_SIZE; 2];

/// The dimensions of a value, for estimates: those that are not known count as [`TYPICAL_SIZE`]. Empty for what is no tensor.
pub fn typical_dims(func: &Func, value: ValueId) -> Vec<usize> {
    match func.ty(value) {
        Type::Tensor(TensorType { shape: Some(shape), .. }) => {
            shape.iter().map(|dim| dim.fixed().unwrap_or(TYPICAL_SIZE)).collect()
        }
        Type::Tensor(_) => TYPICAL_DIMS.to_vec(),
        _ => vec![],
    }
}

/// The bytes of a value of [`typical_dims`].
pub fn typical_bytes(func: &Func, value: ValueId) -> f64 {
    elements(&typical_dims(func, value)) * func.ty(value).dtype().map_or(0, DType::size) as f64
}

/// The number of elements.
pub(crate) fn elements(dims: &[usize]) -> f64 {
    dims.iter().map(|&d| d as f64).product()
}

/// The number of elements of a filter for one channel of the result: [channels, …].
pub(crate) fn filter(w: &[usize]) -> f64 {
    elements(w.get(1..).unwrap_or_default())
}

impl Work<'_> {
    /// The dimensions of an operand.
    pub(crate) fn operand(&self, i: usize) -> &[usize] {
        self.operands.get(i).map_or(&[], Vec::as_slice)
    }

    /// The number of elements of the first result.
    pub(crate) fn out(&self) -> f64 {
        elements(self.results.first().map_or(&[], Vec::as_slice))
    }

    /// The number of elements of the first result or of the first operand, whichever is greater.
    fn most(&self) -> f64 {
        self.out().max(elements(self.operand(0)))
    }

    /// A matrix product whose first factor is `a`, perhaps transposed.
    pub(crate) fn product(&self, a: usize, transposed: bool) -> f64 {
        let a = self.operand(a);
        let depth = if transposed && a.len() > 1 { 2 } else { 1 };
        2.0 * self.out() * a.len().checked_sub(depth).map_or(1.0, |i| a[i] as f64)
    }
}

/// Elements only move.
pub(crate) fn none(_: &Work<'_>) -> f64 {
    0.0
}

/// One operation for each element of the result.
pub(crate) fn one_each(work: &Work<'_>) -> f64 {
    work.out()
}

/// Two for each element of the result or of the first operand, whichever has more.
pub(crate) fn two_each(work: &Work<'_>) -> f64 {
    2.0 * work.most()
}

/// Four for each element of the result or of the first operand, whichever has more.
pub(crate) fn four_each(work: &Work<'_>) -> f64 {
    4.0 * work.most()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attr, OpKind, ValueId};

    fn count(
        kind: OpKind,
        attrs: &[(&'static str, Attr)],
        operands: &[&[usize]],
        y: &[usize],
    ) -> f64 {
        let inputs = vec![Some(ValueId(0)); operands.len()];
        let mut op = crate::generic::op(kind, inputs, attrs).unwrap();
        op.outputs = vec![None];
        let operands: Vec<Vec<usize>> = operands.iter().map(|d| d.to_vec()).collect();
        flops(&op, &operands, &[y.to_vec()])
    }

    #[test]
    fn contractions_are_exact() {
        // Batch 2, 4 to 8 channels in 2 groups, 3×3 filters, 5×5 results.
        let conv = [&[2, 4, 7, 7][..], &[8, 2, 3, 3]];
        assert_eq!(count(OpKind::Conv, &[], &conv, &[2, 8, 5, 5]), 2.0 * 400.0 * 18.0);
        assert_eq!(count(OpKind::MatMul, &[], &[&[3, 4], &[4, 5]], &[3, 5]), 120.0);
        assert_eq!(count(OpKind::MatMul, &[], &[&[4], &[4]], &[]), 8.0);
        let transposed = [("trans_a", Attr::Int(1))];
        assert_eq!(count(OpKind::Gemm, &transposed, &[&[4, 3], &[4, 5]], &[3, 5]), 120.0);
        let equation = [("equation", Attr::Str("...ij,...jk->...ik".into()))];
        assert_eq!(count(OpKind::Einsum, &equation, &[&[3, 4], &[4, 5]], &[3, 5]), 120.0);
        let qkv: [&[usize]; 3] = [&[1, 2, 3, 4], &[1, 2, 5, 4], &[1, 2, 5, 6]];
        assert_eq!(count(OpKind::Attention, &[], &qkv, &[1, 2, 3, 6]), 2.0 * 30.0 * 10.0);
    }

    #[test]
    fn moves_are_free_and_odd_shapes_do_no_harm() {
        assert_eq!(count(OpKind::Transpose, &[], &[&[3, 4]], &[4, 3]), 0.0);
        assert_eq!(count(OpKind::Add, &[], &[&[3, 4], &[4]], &[3, 4]), 12.0);
        for &kind in OpKind::ALL {
            assert!(count(kind, &[], &[], &[]) >= 0.0, "{kind:?}");
            assert!(count(kind, &[], &[&[], &[0], &[2]], &[0]) >= 0.0, "{kind:?}");
        }
    }
}
