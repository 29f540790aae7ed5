//! Operands packed once, for weights.

use trident_simd::Isa;

use crate::aligned::{AlignedVec, Plain};
use crate::gemm::{Scalar, Source};
use crate::threads::Threads;

/// Bytes from which threads are woken for packing.
const WORTH_THREADS: usize = 256 << 10;

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
    fn pack(
        threads: Option<&Threads>,
        isa: Isa,
        [outer, k, width]: [usize; 3],
        source: &dyn Source<T>,
    ) -> Self {
        let mut data = AlignedVec::zeroed(panels_len(outer, k, width));
        let fill = |i: usize, panel: &mut [T]| {
            source.pack(i * width..outer.min((i + 1) * width), 0..k, width, panel);
        };
        let panel = (width * k).max(1);
        match threads.filter(|_| size_of_val(&*data) >= WORTH_THREADS) {
            Some(threads) => threads.for_chunks_mut(&mut data, panel, fill),
            None => data.chunks_exact_mut(panel).enumerate().for_each(|(i, p)| fill(i, p)),
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
                Self(Panels::pack(None, isa, [$outer, k, T::$width(isa)], source))
            }

            /// Like `new`, on several threads.
            pub fn by(
                threads: &Threads,
                isa: Isa,
                $outer: usize,
                k: usize,
                source: &dyn Source<T>,
            ) -> Self {
                Self(Panels::pack(Some(threads), isa, [$outer, k, T::$width(isa)], source))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::Strided;

    #[test]
    fn threads_pack_what_one_packs() {
        let (outer, k) = (203, 401);
        let data: Vec<f32> = (0..outer * k).map(|i| i as f32).collect();
        let (isa, source) = (Isa::detect(), Strided::rows(&data, k));
        let one = PackedB::new(isa, outer, k, &source);
        assert!(one.bytes() >= WORTH_THREADS);
        for threads in [1, 2, 5] {
            let several = PackedB::by(&Threads::new(threads), isa, outer, k, &source);
            assert_eq!(&*several.0.data, &*one.0.data);
        }
    }
}
