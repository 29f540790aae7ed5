//! Operands packed once, for weights.

use trident_simd::Isa;

use crate::aligned::{AlignedVec, Plain};
use crate::gemm::{Scalar, Source};

/// Panels of `width` rows (or columns), each `k` steps of `width` adjacent elements; the last is filled up with zeros.
#[derive(Debug)]
pub(crate) struct Panels<T> {
    pub(crate) data: AlignedVec<T>,
    pub(crate) isa: Isa,
    pub(crate) outer: usize,
    pub(crate) k: usize,
}

/// The elements of panels of `width` rows (or columns) of `k`.
pub(super) fn panels_len(outer: usize, k: usize, width: usize) -> usize {
    let len = outer.checked_next_multiple_of(width).and_then(|outer| outer.checked_mul(k));
    // A product of the wrong size would be too small a buffer for the kernels.
    len.unwrap_or_else(|| panic!("an operand of {outer} × {k} exceeds the address space"))
}

impl<T: Plain> Panels<T> {
    fn pack(isa: Isa, outer: usize, k: usize, width: usize, source: &dyn Source<T>) -> Self {
        let mut data = AlignedVec::zeroed(panels_len(outer, k, width));
        for (i, panel) in data.chunks_exact_mut((width * k).max(1)).enumerate() {
            source.pack(i * width..outer.min((i + 1) * width), 0..k, width, panel);
        }
        Self { data, isa, outer, k }
    }
}

/// A left operand (`m × k`), packed for the kernels of one instruction set.
#[derive(Debug)]
pub struct PackedA<T>(pub(crate) Panels<T>);

/// A right operand (`k × n`), packed for the kernels of one instruction set.
#[derive(Debug)]
pub struct PackedB<T>(pub(crate) Panels<T>);

macro_rules! packed {
    ($name:ident, $outer:ident, $width:ident) => {
        impl<T: Scalar> $name<T> {
            /// Packs what `source` holds.
            pub fn new(isa: Isa, $outer: usize, k: usize, source: &dyn Source<T>) -> Self {
                Self(Panels::pack(isa, $outer, k, T::$width(isa), source))
            }

            /// The extent other than `k`.
            pub fn $outer(&self) -> usize {
                self.0.outer
            }

            /// The inner extent.
            pub fn k(&self) -> usize {
                self.0.k
            }

            /// The memory it takes.
            pub fn bytes(&self) -> usize {
                size_of_val(&*self.0.data)
            }
        }
    };
}
packed!(PackedA, m, panel_rows);
packed!(PackedB, n, panel_columns);
