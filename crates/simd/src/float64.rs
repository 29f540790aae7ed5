//! The further operations that the `f64` functions need.

// Plain index loops are what the compiler turns into vector instructions.
#![allow(clippy::needless_range_loop)]

use super::{Lanes, Portable, Vector};

/// Vectors of `f64`; the methods are those of [`Float32`](super::Float32).
pub trait Float64: Vector<Elem = f64> {
    /// Loads the first `LANES` of `f32` numbers.
    fn load_f32(isa: Self::Isa, from: &[f32]) -> Self;
    /// Writes the first `LANES` of `f32` numbers, rounded to nearest even.
    fn store_f32(self, to: &mut [f32]);
    /// The magnitude.
    fn abs(self) -> Self;
    /// To the nearest integer, ties to even, for magnitudes up to 2^51.
    fn round(self) -> Self;
    /// `self * 2^n` for integral `n` in -2000..=2000, right for subnormal results and overflow.
    fn scale_pow2(self, n: Self) -> Self;
    /// Splits positive normal lanes into `m` in [√½, √2) and integral `e`, `self = m * 2^e`.
    fn split_exponent(self) -> (Self, Self);
    /// `yes` where `self < o`, else (also for NaN) `no`.
    fn select_lt(self, o: Self, yes: Self, no: Self) -> Self;
    /// Whether `self < o` in any lane.
    fn any_lt(self, o: Self) -> bool;
}

/// The bits of √½, the lower end of `split_exponent`'s mantissas.
pub(super) const SQRT_HALF: i64 = 0x3fe6_a09e_667f_3bcd;
pub(super) const MANTISSA: i64 = 0x000f_ffff_ffff_ffff;

impl<const N: usize> Float64 for Lanes<f64, N> {
    #[inline(always)]
    fn load_f32(_: Portable, from: &[f32]) -> Self {
        let mut v = [0.0; N];
        for (x, f) in v.iter_mut().zip(&from[..N]) {
            *x = (*f).into();
        }
        Lanes(v)
    }
    #[inline(always)]
    fn store_f32(self, to: &mut [f32]) {
        for (f, x) in to[..N].iter_mut().zip(self.0) {
            *f = x as f32;
        }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }
    #[inline(always)]
    fn round(self) -> Self {
        // Adding and taking away 1.5 * 2^52 rounds to even in the default rounding mode.
        const MAGIC: f64 = 6_755_399_441_055_744.0;
        self.map(|x| (x + MAGIC) - MAGIC)
    }
    #[inline(always)]
    fn scale_pow2(self, n: Self) -> Self {
        self.zip(n, |x, n| {
            // Two factors, each a normal number, so that subnormal results are rounded once.
            let n = n as i64;
            let half = n >> 1;
            let pow2 = |e: i64| f64::from_bits(((e + 1023) as u64) << 52);
            x * pow2(half) * pow2(n - half)
        })
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let bits = |x: f64| (x.to_bits() as i64).wrapping_sub(SQRT_HALF);
        (
            self.map(|x| f64::from_bits(((bits(x) & MANTISSA) + SQRT_HALF) as u64)),
            self.map(|x| (bits(x) >> 52) as f64),
        )
    }
    #[inline(always)]
    fn select_lt(self, o: Self, yes: Self, no: Self) -> Self {
        let mut out = no;
        for i in 0..N {
            out.0[i] = if self.0[i] < o.0[i] { yes.0[i] } else { no.0[i] };
        }
        out
    }
    #[inline(always)]
    fn any_lt(self, o: Self) -> bool {
        let mut any = false;
        for i in 0..N {
            any |= self.0[i] < o.0[i];
        }
        any
    }
}
