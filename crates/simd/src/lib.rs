//! Vectors of floats, one type per instruction set, chosen at run time.
//!
//! A kernel is one generic function over a token ([`Simd`]); the [`kernel!`] macro compiles it once per instruction set under
//! `#[target_feature]` and dispatches on an [`Isa`]. A token exists only where its instruction set does, and a vector is made
//! of a token or of another vector: so arithmetic on vectors is safe. Methods are `#[inline(always)]`, so that the
//! intrinsics end up inside the function that enables their features.
//!
//! [`math`] has functions of vectors, [`narrow`] the float formats of 8 and 16 bits.
#![allow(unsafe_code)]

mod float64;
mod inout;
mod isa;
pub mod math;
pub mod narrow;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use float64::Float64;
pub use inout::InOut;
#[cfg(target_arch = "x86_64")]
pub use isa::{Avx2, Avx512, Vnni};
pub use isa::{Isa, IsaToken, Portable, Simd, has};
pub use portable::Lanes;
#[cfg(target_arch = "x86_64")]
pub use x86::{F32x8, F32x16, F64x4, F64x8};

/// Arithmetic lane by lane, on any number of lanes.
pub trait Arithmetic: Copy + 'static {
    /// The type of a lane.
    type Elem: Copy + Default + 'static;
    /// Whether `mul_add` rounds once.
    const FUSED: bool;

    /// All lanes `x`; `self` only shows what can be computed with.
    fn splat(self, x: Self::Elem) -> Self;
    /// `self + o`.
    fn add(self, o: Self) -> Self;
    /// `self - o`.
    fn sub(self, o: Self) -> Self;
    /// `self * o`.
    fn mul(self, o: Self) -> Self;
    /// `self / o`.
    fn div(self, o: Self) -> Self;
    /// `self * a + b`, fused where the instruction set has it.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The greater; `o` where either is NaN.
    fn max(self, o: Self) -> Self;
    /// The smaller; `o` where either is NaN.
    fn min(self, o: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
}

/// A vector of `LANES` elements. No load or store needs alignment.
pub trait Vector: Arithmetic {
    /// The token of its instruction set.
    type Isa: Simd;
    /// How many elements it has.
    const LANES: usize;

    /// All lanes `x`.
    fn new(isa: Self::Isa, x: Self::Elem) -> Self;

    /// Loads `LANES` elements.
    ///
    /// # Safety
    /// They are readable.
    unsafe fn load_at(isa: Self::Isa, p: *const Self::Elem) -> Self;
    /// Loads `n < LANES` elements; the other lanes are zero and their memory is not touched.
    ///
    /// # Safety
    /// There are less than `LANES`, and they are readable.
    unsafe fn load_first_at(isa: Self::Isa, p: *const Self::Elem, n: usize) -> Self;
    /// Loads the lanes whose bit in `lanes` is set, the first in the lowest bit; the others are zero and their memory is not
    /// touched. Bits from `LANES` on do not matter.
    ///
    /// # Safety
    /// The elements of these lanes are readable.
    unsafe fn load_where_at(isa: Self::Isa, p: *const Self::Elem, lanes: u32) -> Self;
    /// Stores `LANES` elements.
    ///
    /// # Safety
    /// They are writable.
    unsafe fn store_at(self, p: *mut Self::Elem);
    /// Stores the first `n < LANES` elements and touches no memory after them.
    ///
    /// # Safety
    /// `n` is less than `LANES`, and these elements are writable.
    unsafe fn store_first_at(self, p: *mut Self::Elem, n: usize);

    /// `self` in the lanes whose bit in `lanes` is set, the first in the lowest bit, and `others` elsewhere. Bits from `LANES` on do
    /// not matter.
    fn keep_lanes(self, lanes: u32, others: Self) -> Self;
    /// The even elements of two vectors, one after the other.
    fn evens(self, high: Self) -> Self;

    /// The first `LANES` elements.
    #[inline(always)]
    fn load(isa: Self::Isa, from: &[Self::Elem]) -> Self {
        let from = &from[..Self::LANES];
        // SAFETY: the slice has them.
        unsafe { Self::load_at(isa, from.as_ptr()) }
    }

    /// The first elements, with zeros where there are less than `LANES`.
    #[inline(always)]
    fn load_up_to(isa: Self::Isa, from: &[Self::Elem]) -> Self {
        // SAFETY: the slice has as many.
        unsafe { Self::load_up_to_at(isa, from.as_ptr(), from.len()) }
    }

    /// Elements 0, 2, 4, …, with arbitrary lanes where there are none; there is one.
    #[inline(always)]
    fn load_even(isa: Self::Isa, from: &[Self::Elem]) -> Self {
        assert!(!from.is_empty(), "no element to load");
        // SAFETY: the slice has as many.
        unsafe { Self::load_even_at(isa, from.as_ptr(), from.len().div_ceil(2).min(Self::LANES)) }
    }

    /// [`load_even`](Self::load_even) of `n` elements at an address, `1 <= n <= LANES`; memory after the last one is
    /// not touched.
    ///
    /// # Safety
    /// `n` is in this range, and they are readable.
    #[inline(always)]
    unsafe fn load_even_at(isa: Self::Isa, p: *const Self::Elem, n: usize) -> Self {
        let count = 2 * n - 1;
        // SAFETY: elements 0, 2, … up to 2 (n - 1) and those between them are readable, which are `count`. More than `LANES` of them are less
        // than 2 `LANES`.
        unsafe {
            let low = Self::load_up_to_at(isa, p, count.min(Self::LANES));
            let high = if count > Self::LANES {
                Self::load_first_at(isa, p.add(Self::LANES), count - Self::LANES)
            } else {
                low
            };
            low.evens(high)
        }
    }

    /// Writes the first `LANES` elements.
    #[inline(always)]
    fn store(self, to: &mut [Self::Elem]) {
        let to = &mut to[..Self::LANES];
        // SAFETY: the slice has them.
        unsafe { self.store_at(to.as_mut_ptr()) }
    }

    /// Writes all elements of the slice, or `LANES` if there are more.
    #[inline(always)]
    fn store_up_to(self, to: &mut [Self::Elem]) {
        // SAFETY: the slice has as many.
        unsafe { self.store_up_to_at(to.as_mut_ptr(), to.len()) }
    }

    /// [`load_up_to`](Self::load_up_to) of `n` elements at an address.
    ///
    /// # Safety
    /// They are readable.
    #[inline(always)]
    unsafe fn load_up_to_at(isa: Self::Isa, p: *const Self::Elem, n: usize) -> Self {
        // SAFETY: `n` elements are readable at `p`: `load_at` reads `LANES` of them, and `load_first_at` is called for less than `LANES`.
        unsafe {
            if n >= Self::LANES { Self::load_at(isa, p) } else { Self::load_first_at(isa, p, n) }
        }
    }

    /// [`store_up_to`](Self::store_up_to) of `n` elements at an address.
    ///
    /// # Safety
    /// They are writable.
    #[inline(always)]
    unsafe fn store_up_to_at(self, p: *mut Self::Elem, n: usize) {
        // SAFETY: `n` elements are writable at `p`: `store_at` writes `LANES` of them, and `store_first_at` is called for
        // less than `LANES`.
        unsafe { if n >= Self::LANES { self.store_at(p) } else { self.store_first_at(p, n) } }
    }

    /// Brings the cache line at `p` (which may point anywhere) into the first-level cache.
    #[inline(always)]
    fn prefetch(p: *const Self::Elem) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint about any address, by an instruction that every x86-64 processor has.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = p;
    }
}

/// The further arithmetic that functions of `f32` need.
pub trait Arithmetic32: Arithmetic<Elem = f32> {
    /// The magnitude.
    fn abs(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// To the nearest integer, ties to even.
    fn round(self) -> Self;
    /// `self * 2^n` for integral `n` in -300..=300, right for subnormal results and overflow.
    fn scale_pow2(self, n: Self) -> Self;
    /// Splits positive normal lanes into `m` in [√½, √2) and integral `e`, `self = m * 2^e`.
    fn split_exponent(self) -> (Self, Self);
    /// `yes` where `self < o`, else (also for NaN) `no`.
    fn select_lt(self, o: Self, yes: Self, no: Self) -> Self;
}

/// Vectors of `f32` with the operations of kernels besides arithmetic.
pub trait Float32: Arithmetic32 + Vector {
    /// Whether `self < o` in any lane.
    fn any_lt(self, o: Self) -> bool;
    /// The sum of all lanes, by halves.
    fn reduce_add(self) -> f32;
    /// The greatest lane; NaN lanes may be lost.
    fn reduce_max(self) -> f32;
    /// The first `LANES` of IEEE halves.
    fn load_f16(isa: Self::Isa, from: &[u16]) -> Self;
    /// Writes the first `LANES` of IEEE halves, rounded to nearest even or toward zero.
    fn store_f16<const TOWARD_ZERO: bool>(self, to: &mut [u16]);
}

/// A function compiled with the instructions of [`Avx512`].
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! avx512 {
    ($($function:tt)*) => {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,lzcnt,popcnt")]
        $($function)*
    };
}

/// A function compiled with the instructions of [`Avx2`].
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! avx2 {
    ($($function:tt)*) => {
        #[target_feature(enable = "avx2,fma,f16c,lzcnt,popcnt")]
        $($function)*
    };
}

/// Defines `$name(isa, args…)`, which runs the generic `fn $body<S: Simd>(s: S, args…)` compiled for `isa`.
#[macro_export]
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? => $body:ident) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name(isa: $crate::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            $crate::avx512! {
                fn avx512(s: $crate::Avx512, $($arg: $ty),*) $(-> $ret)? { $body(s, $($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            $crate::avx2! {
                fn avx2(s: $crate::Avx2, $($arg: $ty),*) $(-> $ret)? { $body(s, $($arg),*) }
            }
            match isa.kind() {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the token proves that the machine has the instructions.
                $crate::IsaToken::Avx512(s) => unsafe { avx512(s, $($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: an `Avx2` token exists only on a machine that has these instructions.
                $crate::IsaToken::Avx2(s) => unsafe { avx2(s, $($arg),*) },
                $crate::IsaToken::Portable(s) => $body(s, $($arg),*),
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    kernel! {
        fn chosen(from: &[f32], lanes: u32, to: &mut [f32]) => chosen_lanes
    }

    fn chosen_lanes<S: Simd>(s: S, from: &[f32], lanes: u32, to: &mut [f32]) {
        let last = u32::BITS - (lanes & ((1u64 << S::F32::LANES) - 1) as u32).leading_zeros();
        assert!(last as usize <= from.len());
        // SAFETY: the chosen lanes are in the slice.
        unsafe { S::F32::load_where_at(s, from.as_ptr(), lanes) }.store(to);
    }

    kernel! {
        fn kept(lanes: u32, to: &mut [f32]) => kept_lanes
    }

    fn kept_lanes<S: Simd>(s: S, lanes: u32, to: &mut [f32]) {
        s.splat(1.0).keep_lanes(lanes, s.splat(2.0)).store(to);
    }

    #[test]
    fn lanes_are_kept_by_their_bits() {
        for isa in Isa::available() {
            for lanes in [0u32, 1, 0b1010_0110, 0xa5f0, 0xffff, 0xffff_0002] {
                let mut to = [0.0; 16];
                kept(isa, lanes, &mut to);
                assert!(to[..4].iter().all(|&got| got != 0.0), "{isa:?}");
                for (i, &got) in to.iter().enumerate().filter(|(_, got)| **got != 0.0) {
                    assert_eq!(
                        got,
                        if lanes >> i & 1 == 1 { 1.0 } else { 2.0 },
                        "{isa:?} {lanes:#x}"
                    );
                }
            }
        }
    }

    kernel! {
        fn evens(from: &[f32], to: &mut [f32]) => even_lanes
    }

    fn even_lanes<S: Simd>(s: S, from: &[f32], to: &mut [f32]) {
        S::F32::load_even(s, from).store(to);
    }

    #[test]
    fn chosen_lanes_are_loaded_and_no_other() {
        let from: Vec<f32> = (1..=16).map(|i| i as f32).collect();
        for isa in Isa::available() {
            for lanes in [0u32, 1, 2, 0b1010_0101, 0b1111, 0xff, 0xa5a5, 0xffff, 0xffff_0001] {
                let last = (0..16).rev().find(|i| lanes >> i & 1 == 1).map_or(0, |i| i + 1);
                let mut to = [7.0; 16];
                chosen(isa, &from[..last], lanes, &mut to);
                for (i, &got) in to.iter().enumerate() {
                    let want = if lanes >> i & 1 == 1 { from[i] } else { 0.0 };
                    // A vector may have less than 16 lanes.
                    assert!(got == want || got == 7.0 && i >= 4, "{isa:?} {lanes:#x} lane {i}");
                }
            }
        }
    }

    #[test]
    fn every_second_element_is_loaded() {
        let from: Vec<f32> = (0..31).map(|i| i as f32).collect();
        for isa in Isa::available() {
            for len in 1..=31 {
                let mut to = [-1.0; 16];
                evens(isa, &from[..len], &mut to);
                let there = |i: &usize| 2 * i < len && (*i < 4 || to[*i] != -1.0);
                (0..16).filter(there).for_each(|i| assert_eq!(to[i], 2.0 * i as f32, "{isa:?}"));
            }
        }
    }
}
