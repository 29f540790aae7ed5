//! Micro-kernels for blocks: a tile of c in registers, a read in place by single elements, b by rows of whole vectors.

// Only plain index loops are unrolled early enough for the accumulators to live in registers.
#![allow(clippy::needless_range_loop)]

use trident_simd::{Arithmetic, Lanes, Simd, Vector};
#[cfg(target_arch = "x86_64")]
use trident_simd::{F32x8, F32x16, F64x4, F64x8};

use super::operand::Wide;

/// One call of a micro-kernel and its preconditions; strides are in elements.
///
/// The kernel's rows of `k` elements of a are readable, and so are `k` rows of its whole vectors of b; c is readable
/// (if not `fresh`) and writable for its rows, in the last vector only in the first `lanes` lanes.
pub(super) struct Tile<T> {
    pub k: usize,
    pub a: *const T,
    pub a_row: isize,
    pub a_col: isize,
    pub b: *const T,
    pub b_row: isize,
    pub c: *mut T,
    pub c_row: isize,
    /// Whether c counts as zeros.
    pub fresh: bool,
    pub lanes: usize,
}

/// # Safety
/// The machine has the kernel's instruction set, and the tile meets the preconditions of [`Tile`].
pub(super) type TileFn<T> = unsafe fn(&Tile<T>);

/// The kernels of a vector type: `tiles[rows - 1][vectors - 1]`.
pub(super) type Kernels<T> = &'static [&'static [TileFn<T>]];

/// A vector type with micro-kernels.
pub(super) trait Tiles: Vector<Elem: Wide> {
    const KERNELS: Kernels<Self::Elem>;
    /// Number of columns of the widest kernel.
    const COLUMNS: usize;
}

/// Each element of c is one chain of multiply-adds in the order of `k`, regardless of its position in a tile.
///
/// # Safety
/// As [`TileFn`], for the instruction set of `V`.
#[inline(always)]
unsafe fn tile<V: Vector, const ROWS: usize, const VECTORS: usize>(t: &Tile<V::Elem>) {
    let c =
        |i: usize, j: usize| t.c.wrapping_offset(i as isize * t.c_row).wrapping_add(j * V::LANES);
    let lanes = |j: usize| if j + 1 == VECTORS { t.lanes } else { V::LANES };
    // SAFETY: the machine has the instruction set, and all elements are within those that [`Tile`] describes.
    unsafe {
        let isa = V::Isa::assume();
        let zero = V::new(isa, V::Elem::default());
        let mut acc = [[zero; VECTORS]; ROWS];
        if !t.fresh {
            for i in 0..ROWS {
                for j in 0..VECTORS {
                    acc[i][j] = V::load_up_to_at(isa, c(i, j), lanes(j));
                }
            }
        }
        let (mut a, mut b) = (t.a, t.b);
        for _ in 0..t.k {
            let mut bv = [zero; VECTORS];
            for j in 0..VECTORS {
                bv[j] = V::load_at(isa, b.add(j * V::LANES));
            }
            for i in 0..ROWS {
                let x = V::new(isa, *a.offset(i as isize * t.a_row));
                for j in 0..VECTORS {
                    acc[i][j] = x.mul_add(bv[j], acc[i][j]);
                }
            }
            a = a.wrapping_offset(t.a_col);
            b = b.wrapping_offset(t.b_row);
        }
        for i in 0..ROWS {
            for j in 0..VECTORS {
                acc[i][j].store_up_to_at(c(i, j), lanes(j));
            }
        }
    }
}

macro_rules! kernels {
    ($($name:ident: $v:ty, [$($rows:literal)*], $vectors:tt $(, $features:ident)?;)*) => { $(
        kernels! { @compile $($features)?
            unsafe fn $name<const ROWS: usize, const VECTORS: usize>(
                t: &Tile<<$v as Arithmetic>::Elem>,
            ) {
                // SAFETY: kernels of the table are called as `tile` may be: the operands of the tile are readable, its part of c is
                // writable, and the machine has the features that this function is compiled for.
                unsafe { tile::<$v, ROWS, VECTORS>(t) }
            }
        }
        impl Tiles for $v {
            const KERNELS: Kernels<Self::Elem> = &[$(kernels!(@row $name, $rows, $vectors)),*];
            const COLUMNS: usize = Self::KERNELS[0].len() * Self::LANES;
        }
    )* };
    (@compile unsafe $($function:tt)*) => { unsafe $($function)* };
    (@compile $features:ident $($function:tt)*) => { trident_simd::$features! { $($function)* } };
    (@row $name:ident, $rows:literal, [$($vectors:literal)*]) => { &[$($name::<$rows, $vectors>),*] };
}

// 16 accumulators (12 of 16 registers on AVX2) hide the latency of the multiply-adds; tiles of 8 rows divide the larger
// extents of blocks, which are powers of two.
#[cfg(target_arch = "x86_64")]
kernels! {
    avx512_f32: F32x16, [1 2 3 4 5 6 7 8], [1 2], avx512;
    avx512_f64: F64x8, [1 2 3 4 5 6 7 8], [1 2], avx512;
    avx2_f32: F32x8, [1 2 3 4 5 6], [1 2], avx2;
    avx2_f64: F64x4, [1 2 3 4 5 6], [1 2], avx2;
}
kernels! {
    portable_f32: Lanes<f32, 4>, [1 2 3 4], [1 2];
    portable_f64: Lanes<f64, 2>, [1 2 3 4], [1 2];
}
