//! Extents of matrix products, and how their operands lie in memory.

use trident_ir::geometry::{broadcast, broadcast_strides};
use trident_kernels::gemm::{GemmShape, Strided};
use trident_runtime::KernelError;

/// Which operands have their last two axes swapped.
#[derive(Clone, Copy)]
pub(in crate::ops) struct Transposed {
    pub(super) a: bool,
    pub(super) b: bool,
}

impl Transposed {
    /// Neither.
    pub(in crate::ops) const NONE: Transposed = Transposed { a: false, b: false };
}

/// The extents of a product of operands with these dimensions.
pub(in crate::ops) struct Extents {
    pub(in crate::ops) shape: GemmShape,
    /// Leading dimensions of the operands and of the result.
    batch_a: Vec<usize>,
    pub(super) batch_b: Vec<usize>,
    pub(super) batch: Vec<usize>,
    /// The result's dimensions, without those added for a rank-1 operand.
    pub(in crate::ops) dims: Vec<usize>,
}

impl Extents {
    pub(in crate::ops) fn new(
        a: &[usize],
        b: &[usize],
        transposed: Transposed,
    ) -> Result<Extents, KernelError> {
        let misfit = || {
            KernelError::shape(format!(
                "matrices of dimensions {a:?} and {b:?} cannot be multiplied"
            ))
        };
        let matrix = |d: &[usize], trans: bool, column: bool| match *d {
            [] => Err(misfit()),
            [n] if column => Ok((vec![], n, 1)),
            [n] => Ok((vec![], 1, n)),
            [ref batch @ .., r, c] if trans => Ok((batch.to_vec(), c, r)),
            [ref batch @ .., r, c] => Ok((batch.to_vec(), r, c)),
        };
        let (batch_a, m, k) = matrix(a, transposed.a, false)?;
        let (batch_b, kb, n) = matrix(b, transposed.b, true)?;
        if k != kb {
            return Err(misfit());
        }
        let batch = broadcast(&batch_a, &batch_b)?;
        let mut dims = batch.clone();
        if a.len() > 1 {
            dims.push(m);
        }
        if b.len() > 1 {
            dims.push(n);
        }
        Ok(Extents { shape: GemmShape { m, n, k }, batch_a, batch_b, batch, dims })
    }

    /// For each product of the batch the numbers of its left and right matrix.
    pub(in crate::ops) fn pairs(&self) -> Vec<(usize, usize)> {
        let count: usize = self.batch.iter().product();
        let sa = broadcast_strides(&self.batch_a, &self.batch);
        let sb = broadcast_strides(&self.batch_b, &self.batch);
        let place = |mut i: usize, strides: &[usize]| {
            let mut at = 0;
            for (&d, &s) in self.batch.iter().zip(strides).rev() {
                (at, i) = (at + i % d * s, i / d);
            }
            at
        };
        (0..count).map(|i| (place(i, &sa), place(i, &sb))).collect()
    }
}

/// A right operand `k × n`, stored transposed or not.
pub(super) fn columns<R>(data: &[R], shape: GemmShape, trans: bool) -> Strided<'_, R> {
    if trans {
        Strided { data, outer_stride: shape.k, k_stride: 1 }
    } else {
        Strided::columns(data, shape.n)
    }
}

/// A left operand `m × k`, stored transposed or not.
pub(super) fn rows<R>(data: &[R], shape: GemmShape, trans: bool) -> Strided<'_, R> {
    if trans {
        Strided { data, outer_stride: 1, k_stride: shape.m }
    } else {
        Strided::rows(data, shape.k)
    }
}
