//! Matrix products `C = finish(A · B)` with packed operands, batches and fused epilogues.
//!
//! The blocking follows Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): a block of B
//! stays in the second-level cache, a panel of A in the first, a tile of C in registers. A row-major A is read in
//! place, because kernels broadcast its elements one by one, unless its rows compete for the same sets of the
//! first-level cache.
//!
//! An element of C is the sum of chains of at most 144 multiply-adds, in the order of `k`: the blocked summation of Blanchard,
//! Higham and Mary, "A Class of Fast and Accurate Summation Algorithms" (2020). Where chains begin follows from `k` alone, not
//! from the position in C nor from the number of threads. So equal rows and columns give bitwise equal results.

mod driver;
pub mod int8;
mod packed;
mod source;
mod tile;
mod transpose;

pub(crate) use driver::products;
pub use driver::{Item, product};
pub use packed::{PackedA, PackedB};
pub use source::{Source, StoredElement, Strided};
pub use transpose::pack_runs_at;
use trident_simd::Isa;

use crate::aligned::Plain;
use crate::disjoint::{Disjoint, Rows};
use crate::threads::Threads;
use crate::unary::UnaryFunction;

/// The extents of a product of an `m × k` and a `k × n` matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmShape {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
}

/// The left operand.
#[derive(Clone, Copy)]
pub enum Lhs<'a, T> {
    /// Packed before, for the same instruction set.
    Packed(&'a PackedA<T>),
    /// Packed by the product.
    Source(&'a dyn Source<T>),
}

/// The right operand.
#[derive(Clone, Copy)]
pub enum Rhs<'a, T> {
    /// Packed before, for the same instruction set.
    Packed(&'a PackedB<T>),
    /// Packed by the product, block by block.
    Source(&'a dyn Source<T>),
}

/// The epilogue of a sum, in this order: `activation(alpha * sum + row_bias + col_bias + beta * residual)`.
#[derive(Clone, Copy, Debug)]
pub struct Epilogue<'a, T> {
    /// A factor of the product.
    pub alpha: T,
    /// `m` values, one per row.
    pub row_bias: Option<&'a [T]>,
    /// `n` values, one per column.
    pub col_bias: Option<&'a [T]>,
    /// As large as C (all items of a batch).
    pub residual: Option<&'a [T]>,
    /// A factor of the residual.
    pub beta: T,
    /// The last step.
    pub activation: UnaryFunction,
}

impl<T: Scalar> Default for Epilogue<'_, T> {
    fn default() -> Self {
        Self {
            alpha: T::ONE,
            row_bias: None,
            col_bias: None,
            residual: None,
            beta: T::ONE,
            activation: UnaryFunction::None,
        }
    }
}

/// The element types that products are computed in: `f32` and `f64`.
#[allow(private_interfaces, reason = "sealed: the kernels' table is for this module only")]
pub trait Scalar:
    Plain + Default + PartialEq + StoredElement<Self> + sealed::ScalarKernels
{
    /// 1.
    const ONE: Self;
    /// The height of a packed panel of A.
    fn panel_rows(isa: Isa) -> usize;
    /// The width of a packed panel of B.
    fn panel_columns(isa: Isa) -> usize;
}

pub(crate) mod sealed {
    use super::tile::{Kernels, f32_kernels, f64_kernels};
    use crate::unary::UnaryFunction;
    use trident_simd::Isa;

    #[allow(private_interfaces, unreachable_pub)]
    pub trait ScalarKernels: Sized {
        fn kernels(isa: Isa) -> &'static Kernels<Self>;
        fn limits(activation: UnaryFunction) -> Option<(Self, Self)>;
        fn activate(isa: Isa, activation: UnaryFunction, values: &mut [Self]);
        fn sum(a: Self, b: Self) -> Self;
    }

    #[allow(private_interfaces)]
    impl ScalarKernels for f32 {
        fn kernels(isa: Isa) -> &'static Kernels<f32> {
            f32_kernels(isa)
        }
        fn limits(activation: UnaryFunction) -> Option<(f32, f32)> {
            activation.limits()
        }
        fn activate(isa: Isa, activation: UnaryFunction, values: &mut [f32]) {
            activation.apply(isa, values);
        }
        fn sum(a: f32, b: f32) -> f32 {
            a + b
        }
    }

    #[allow(private_interfaces)]
    impl ScalarKernels for f64 {
        fn kernels(isa: Isa) -> &'static Kernels<f64> {
            f64_kernels(isa)
        }
        fn limits(activation: UnaryFunction) -> Option<(f64, f64)> {
            activation.limits().map(|(lo, hi)| (lo.into(), hi.into()))
        }
        fn activate(_: Isa, activation: UnaryFunction, values: &mut [f64]) {
            values.iter_mut().for_each(|x| *x = activation.eval(*x));
        }
        fn sum(a: f64, b: f64) -> f64 {
            a + b
        }
    }
}

macro_rules! scalar {
    ($t:ty) => {
        impl Scalar for $t {
            const ONE: Self = 1.0;
            fn panel_rows(isa: Isa) -> usize {
                <$t as sealed::ScalarKernels>::kernels(isa).mr
            }
            fn panel_columns(isa: Isa) -> usize {
                <$t as sealed::ScalarKernels>::kernels(isa).nr()
            }
        }
    };
}
scalar!(f32);
scalar!(f64);

/// `C = finish(A · B)`; `c` is row-major and is overwritten. Panics if an operand is smaller than `shape` says.
pub fn gemm<T: Scalar>(
    threads: &Threads,
    isa: Isa,
    shape: GemmShape,
    a: Lhs<'_, T>,
    b: Rhs<'_, T>,
    epilogue: &Epilogue<'_, T>,
    c: &mut [T],
) {
    gemm_batch(threads, isa, shape, &[(a, b)], epilogue, c);
}

/// A product for each pair of operands; the results lie one after the other in `c`, and the residuals likewise. Panics as
/// [`gemm`].
pub fn gemm_batch<T: Scalar>(
    threads: &Threads,
    isa: Isa,
    shape: GemmShape,
    items: &[(Lhs<'_, T>, Rhs<'_, T>)],
    epilogue: &Epilogue<'_, T>,
    c: &mut [T],
) {
    let GemmShape { m, n, .. } = shape;
    let size = m.checked_mul(n).and_then(|size| Some((size, size.checked_mul(items.len())?)));
    let Some((size, _)) = size.filter(|(_, all)| *all == c.len()) else {
        panic!("{} products of {m} × {n} into {} elements", items.len(), c.len());
    };
    let c = Disjoint::new(c);
    let item = |i: usize| {
        let (a, b) = items[i];
        let residual = epilogue.residual.map(|r| &r[i * size..(i + 1) * size]);
        // SAFETY: the items are different parts of `c`, and each comes once.
        let c = Rows::new(unsafe { c.part(i * size..(i + 1) * size) }, n);
        Item { a, b, epilogue: Epilogue { residual, ..*epilogue }, c }
    };
    products(threads, isa, shape, items.len(), item)
}

#[cfg(test)]
mod tests;
