//! The functions that products call by address, compiled for each instruction set.

use trident_simd::{Arithmetic, Lanes, Simd, Vector};
#[cfg(target_arch = "x86_64")]
use trident_simd::{F32x8, F32x16, F64x4, F64x8};

use super::operand::{Matrix, Operand, Sum, Summing, Widening};
use super::tile::Tiles;
use super::{Dot, Scratch};

/// A vector type with functions compiled for its instruction set, which the machine must have.
pub(super) trait Compiled: Tiles {
    /// # Safety
    /// As [`super::dot`].
    unsafe fn dot(
        d: &Dot,
        left: Widening<Self::Elem>,
        right: Widening<Self::Elem>,
        sums: Summing<Self::Elem>,
    );
    /// # Safety
    /// As [`Operand::widen`], for elements of type `T`.
    unsafe fn widen<T: Operand<Self>>(x: Matrix<u8>, scratch: &mut Scratch) -> Matrix<Self::Elem>;
    /// # Safety
    /// As [`Sum::begin`], for elements of type `T`.
    unsafe fn begin<T: Sum<Self>>(
        c: *mut u8,
        row: isize,
        m: usize,
        n: usize,
        scratch: &mut Scratch,
    ) -> *mut Self::Elem;
    /// # Safety
    /// As [`Sum::end`], for elements of type `T`.
    unsafe fn end<T: Sum<Self>>(c: *mut u8, row: isize, m: usize, n: usize, sum: *const Self::Elem);
}

macro_rules! compiled {
    ($($v:ty $(, $features:ident)?;)*) => { $(
        impl Compiled for $v {
            compiled! { @compile $($features)?
                unsafe fn dot(
                    d: &Dot,
                    left: Widening<<$v as Arithmetic>::Elem>,
                    right: Widening<<$v as Arithmetic>::Elem>,
                    sums: Summing<<$v as Arithmetic>::Elem>,
                ) {
                    // SAFETY: the machine has the instruction set; the rest is passed on.
                    unsafe { super::dot::<$v>(<$v as Vector>::Isa::assume(), d, left, right, sums) }
                }
            }
            compiled! { @compile $($features)?
                unsafe fn widen<T: Operand<$v>>(
                    x: Matrix<u8>,
                    scratch: &mut Scratch,
                ) -> Matrix<<$v as Arithmetic>::Elem> {
                    // SAFETY: as above.
                    unsafe { T::widen(<$v as Vector>::Isa::assume(), x.of::<T>(), scratch) }
                }
            }
            compiled! { @compile $($features)?
                unsafe fn begin<T: Sum<$v>>(
                    c: *mut u8,
                    row: isize,
                    m: usize,
                    n: usize,
                    scratch: &mut Scratch,
                ) -> *mut <$v as Arithmetic>::Elem {
                    // SAFETY: as above.
                    unsafe { T::begin(<$v as Vector>::Isa::assume(), c.cast(), row, m, n, scratch) }
                }
            }
            compiled! { @compile $($features)?
                unsafe fn end<T: Sum<$v>>(
                    c: *mut u8,
                    row: isize,
                    m: usize,
                    n: usize,
                    sum: *const <$v as Arithmetic>::Elem,
                ) {
                    // SAFETY: as above.
                    unsafe { T::end(<$v as Vector>::Isa::assume(), c.cast(), row, m, n, sum) }
                }
            }
        }
    )* };
    (@compile unsafe $($function:tt)*) => { unsafe $($function)* };
    (@compile $features:ident $($function:tt)*) => { trident_simd::$features! { $($function)* } };
}

#[cfg(target_arch = "x86_64")]
compiled! {
    F32x16, avx512;
    F64x8, avx512;
    F32x8, avx2;
    F64x4, avx2;
}
compiled! {
    Lanes<f32, 4>;
    Lanes<f64, 2>;
}
