//! Vectors as arrays, which run on any target. The code for NEON and SSE2 is compiled from them.

// Plain index loops are what the compiler turns into vector instructions.
#![allow(clippy::needless_range_loop)]

use super::{Arithmetic, Arithmetic32, Float32, Portable, Vector};
use crate::narrow::{F16, NarrowFormat, Rounding};

/// `N` elements in an array; the loops below become vector instructions of the target's baseline.
#[derive(Clone, Copy)]
pub struct Lanes<T, const N: usize>(pub(super) [T; N]);

impl<T: Copy, const N: usize> Lanes<T, N> {
    #[inline(always)]
    pub(super) fn map(self, f: impl Fn(T) -> T) -> Self {
        Lanes(self.0.map(f))
    }

    #[inline(always)]
    pub(super) fn zip(mut self, o: Self, f: impl Fn(T, T) -> T) -> Self {
        for i in 0..N {
            self.0[i] = f(self.0[i], o.0[i]);
        }
        self
    }
}

macro_rules! vector_of_lanes {
    ($t:ty) => {
        impl<const N: usize> Arithmetic for Lanes<$t, N> {
            type Elem = $t;
            const FUSED: bool = cfg!(target_arch = "aarch64");

            #[inline(always)]
            fn splat(self, x: $t) -> Self {
                Lanes([x; N])
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                self.zip(o, |a, b| a + b)
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                self.zip(o, |a, b| a - b)
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                self.zip(o, |a, b| a * b)
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                self.zip(o, |a, b| a / b)
            }
            #[inline(always)]
            fn mul_add(mut self, a: Self, b: Self) -> Self {
                for i in 0..N {
                    // Without the instruction, `mul_add` is a slow library call.
                    self.0[i] = if Self::FUSED {
                        self.0[i].mul_add(a.0[i], b.0[i])
                    } else {
                        self.0[i] * a.0[i] + b.0[i]
                    };
                }
                self
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                self.zip(o, |a, b| if a > b { a } else { b })
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                self.zip(o, |a, b| if a < b { a } else { b })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.map(|x| x.sqrt())
            }
        }

        impl<const N: usize> Vector for Lanes<$t, N> {
            type Isa = Portable;
            const LANES: usize = N;

            #[inline(always)]
            fn new(_: Portable, x: $t) -> Self {
                Lanes([x; N])
            }
            #[inline(always)]
            unsafe fn load_at(_: Portable, p: *const $t) -> Self {
                // SAFETY: `N` elements are readable at `p`; they need not be aligned.
                Lanes(unsafe { p.cast::<[$t; N]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn load_first_at(_: Portable, p: *const $t, n: usize) -> Self {
                let mut v = [0.0; N];
                for (i, x) in v.iter_mut().enumerate().take(n) {
                    // SAFETY: `n` elements are readable at `p`, and `i` is below `n`.
                    *x = unsafe { *p.add(i) };
                }
                Lanes(v)
            }
            #[inline(always)]
            unsafe fn load_even_at(_: Portable, p: *const $t, n: usize) -> Self {
                // Repeats the last element past the end, so that the loop has no branch.
                // SAFETY: `n` is at least 1, and elements 0, 2, … up to 2 (n - 1) are readable at `p`.
                Lanes(std::array::from_fn(|i| unsafe { *p.add(2 * i.min(n - 1)) }))
            }
            #[inline(always)]
            unsafe fn load_where_at(isa: Portable, p: *const $t, lanes: u32) -> Self {
                let mut v = [0.0; N];
                // SAFETY: the elements of the lanes whose bits are set are readable, and no others are loaded.
                unsafe {
                    if lanes.trailing_ones() as usize >= N {
                        return Self::load_at(isa, p);
                    }
                    for (i, x) in v.iter_mut().enumerate() {
                        if lanes >> i & 1 == 1 {
                            *x = *p.wrapping_add(i);
                        }
                    }
                }
                Lanes(v)
            }
            #[inline(always)]
            unsafe fn store_at(self, p: *mut $t) {
                // SAFETY: `N` elements are writable at `p`; they need not be aligned.
                unsafe { p.cast::<[$t; N]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn store_first_at(self, p: *mut $t, n: usize) {
                for (i, x) in self.0.iter().enumerate().take(n) {
                    // SAFETY: `n` elements are writable at `p`, and `i` is below `n`.
                    unsafe { *p.add(i) = *x };
                }
            }
            #[inline(always)]
            fn keep_lanes(self, lanes: u32, others: Self) -> Self {
                Lanes(std::array::from_fn(|i| {
                    if lanes >> i & 1 == 1 { self.0[i] } else { others.0[i] }
                }))
            }
            #[inline(always)]
            fn evens(self, high: Self) -> Self {
                let mut v = self.0;
                for i in 0..N {
                    v[i] = if 2 * i < N { self.0[2 * i] } else { high.0[2 * i - N] };
                }
                Lanes(v)
            }
        }
    };
}
vector_of_lanes!(f32);
vector_of_lanes!(f64);

impl<const N: usize> Arithmetic32 for Lanes<f32, N> {
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.zip(sign, f32::copysign)
    }
    #[inline(always)]
    fn round(self) -> Self {
        // Adding and taking away 1.5 * 2^23 rounds to even in the default rounding mode; the callers' range is far smaller.
        const MAGIC: f32 = 12_582_912.0;
        self.map(|x| (x + MAGIC) - MAGIC)
    }
    #[inline(always)]
    fn scale_pow2(self, n: Self) -> Self {
        self.zip(n, |x, n| {
            // Two factors, each a normal number, so that subnormal results are rounded once.
            let n = n as i32;
            let half = n >> 1;
            let pow2 = |e: i32| f32::from_bits(((e + 127) as u32) << 23);
            x * pow2(half) * pow2(n - half)
        })
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        const SQRT_HALF: u32 = 0x3f35_04f3;
        let bits = |x: f32| x.to_bits().wrapping_sub(SQRT_HALF) as i32;
        (
            self.map(|x| f32::from_bits((bits(x) as u32 & 0x007f_ffff) + SQRT_HALF)),
            self.map(|x| (bits(x) >> 23) as f32),
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
}

impl<const N: usize> Float32 for Lanes<f32, N> {
    #[inline(always)]
    fn any_lt(self, o: Self) -> bool {
        let mut any = false;
        for i in 0..N {
            any |= self.0[i] < o.0[i];
        }
        any
    }
    #[inline(always)]
    fn load_f16(_: Portable, from: &[u16]) -> Self {
        let mut v = [0.0; N];
        for (x, bits) in v.iter_mut().zip(&from[..N]) {
            *x = F16::decode((*bits).into());
        }
        Lanes(v)
    }
    #[inline(always)]
    fn store_f16<const TOWARD_ZERO: bool>(self, to: &mut [u16]) {
        let rounding = if TOWARD_ZERO { Rounding::TowardZero } else { Rounding::NearestEven };
        for (bits, x) in to[..N].iter_mut().zip(self.0) {
            *bits = F16::encode(x, rounding, false) as u16;
        }
    }
    #[inline(always)]
    fn reduce_add(self) -> f32 {
        let (mut v, mut n) = (self.0, N);
        while n > 1 {
            n /= 2;
            for i in 0..n {
                v[i] += v[i + n];
            }
        }
        v[0]
    }
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        self.0.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
}
