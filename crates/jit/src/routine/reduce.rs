//! Reductions of spans to one element.
//!
//! [`Reduction`] defines the order of the operations, which depends neither on the instruction set nor on the location in
//! memory. The lanes of the 64 partial results start with the neutral element, which leaves the first element combined
//! with it unchanged.

use half::{bf16, f16};
use trident_ir::Element;
use trident_simd::narrow::Rounding;

use super::narrow::Narrow;
use super::{Reduction, Registry, Routine, each_isa};

/// Four vectors of 16 `f32`: enough to hide the latency of additions.
const LANES: usize = 64;

/// Repeatedly combines the upper half of the lanes into the lower one.
macro_rules! halve {
    ($acc:ident, |$a:ident, $b:ident| $op:expr; $($half:literal)*) => { $(
        for l in 0..$half {
            let ($a, $b) = ($acc[l], $acc[l + $half]);
            $acc[l] = $op;
        }
    )* };
}

/// Reduces `$n` elements `$x` of type `$t` by `$op`, in the compute dtype `$wide` to which `$load` converts.
macro_rules! reduce {
    ($wide:ty, $x:expr, $n:expr, $neutral:expr, |$e:ident| $load:expr, |$a:ident, $b:ident| $op:expr) => {{
        let (x, n) = ($x, $n);
        let mut acc: [$wide; LANES] = [$neutral; LANES];
        let mut i = 0;
        while i + LANES <= n {
            for l in 0..LANES {
                let $e = *x.add(i + l);
                let ($a, $b): ($wide, $wide) = (acc[l], $load);
                acc[l] = $op;
            }
            i += LANES;
        }
        for l in 0..n - i {
            let $e = *x.add(i + l);
            let ($a, $b): ($wide, $wide) = (acc[l], $load);
            acc[l] = $op;
        }
        // Lanes without elements are neutral, so that spans of all lengths end alike. Each step has a constant length,
        // without which the loops would not be vectorised.
        halve!(acc, |$a, $b| $op; 32 16 8 4 2 1);
        acc[0]
    }};
}

/// Registers reductions: `reductions!(registry; type as wide, load, store; Op: neutral, operation; …)`.
macro_rules! reductions {
    ($registry:ident; $t:ty as $wide:ty, |$e:ident| $load:expr, |$y:ident| $store:expr;
     $($op:ident: $neutral:expr, |$a:ident, $b:ident| $f:expr;)*) => { $({
        let addresses = each_isa!(fn(out: *mut $t, x: *const $t, rows: usize, n: usize, stride: usize) {
            for r in 0..rows {
                // SAFETY: row `r` has `n` elements; `out` has `rows`.
                unsafe {
                    let row = x.wrapping_add(r * stride);
                    let $y = reduce!($wide, row, n, $neutral, |$e| $load, |$a, $b| $f);
                    *out.add(r) = $store;
                }
            }
        });
        $registry.add(Routine::Reduce { op: Reduction::$op, dtype: <$t as Element>::DTYPE }, addresses);
    })* };
}

/// NaN if either is NaN, else the one selected by the comparison.
macro_rules! or_nan {
    ($a:ident $compare:tt $b:ident) => {
        if $a $compare $b || $a.is_nan() { $a } else { $b }
    };
}

/// If one is NaN the other, else the one selected by the comparison.
macro_rules! but_nan {
    ($a:ident $compare:tt $b:ident) => {
        if $a $compare $b || $b.is_nan() { $a } else { $b }
    };
}

pub(super) fn register(registry: &mut Registry) {
    macro_rules! floats {
        ($t:ty as $wide:ident, |$e:ident| $load:expr, |$y:ident| $store:expr) => {
            reductions!(registry; $t as $wide, |$e| $load, |$y| $store;
                Sum: -0.0, |a, b| a + b;
                Prod: 1.0, |a, b| a * b;
                Max: $wide::NEG_INFINITY, |a, b| or_nan!(a > b);
                Min: $wide::INFINITY, |a, b| or_nan!(a < b);
                MaxNum: $wide::NAN, |a, b| but_nan!(a >= b);
                MinNum: $wide::NAN, |a, b| but_nan!(a <= b);
            );
        };
    }
    floats!(f32 as f32, |x| x, |y| y);
    floats!(f64 as f64, |x| x, |y| y);
    floats!(f16 as f32, |x| x.decode(), |y| f16::encode(y, Rounding::NearestEven, false));
    floats!(bf16 as f32, |x| x.decode(), |y| bf16::encode(y, Rounding::NearestEven, false));
    macro_rules! integers {
        ($($t:ident)*) => { $(
            reductions!(registry; $t as $t, |x| x, |y| y;
                Sum: 0, |a, b| a.wrapping_add(b);
                Prod: 1, |a, b| a.wrapping_mul(b);
                Max: $t::MIN, |a, b| if a > b { a } else { b };
                Min: $t::MAX, |a, b| if a < b { a } else { b };
                And: !0, |a, b| a & b;
                Or: 0, |a, b| a | b;
                Xor: 0, |a, b| a ^ b;
            );
        )* };
    }
    integers!(i8 i16 i32 i64 u8 u16 u32 u64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routine::{c_function, table};
    use trident_simd::Isa;

    fn reduce<T: Element>(
        isa: Isa,
        op: Reduction,
        x: &[T],
        rows: usize,
        n: usize,
        stride: usize,
    ) -> Vec<T> {
        let routine = Routine::Reduce { op, dtype: T::DTYPE };
        let slot = routine.slot().unwrap_or_else(|| panic!("no {routine:?}"));
        assert!(rows == 0 || (rows - 1) * stride + n <= x.len());
        let mut out = vec![T::default(); rows];
        let f = c_function!(table(isa)[slot]; *mut T, *const T, usize, usize, usize);
        // SAFETY: the address is that of a reduction of this type; the rows lie in `x`.
        unsafe {
            f(out.as_mut_ptr(), x.as_ptr(), rows, n, stride);
        }
        out
    }

    #[test]
    fn floats_of_every_length() {
        let x: Vec<f32> = (0..1000).map(|i| ((i * 7919) % 1013) as f32 / 500.0 - 1.0).collect();
        let mut first = None;
        for isa in Isa::available() {
            let mut bits = Vec::new();
            for n in (0..200).chain([512, 999]) {
                let y = reduce(isa, Reduction::Sum, &x, 1, n, 0)[0];
                let exact: f64 = x[..n].iter().map(|x| f64::from(*x)).sum();
                assert!((f64::from(y) - exact).abs() < 1e-5, "{n}: {y}, not {exact}");
                bits.push(y.to_bits());
                let max = x[..n].iter().copied().fold(f32::NEG_INFINITY, f32::max);
                assert_eq!(reduce(isa, Reduction::Max, &x, 1, n, 0), [max]);
                let min = x[..n].iter().copied().fold(f32::INFINITY, f32::min);
                assert_eq!(reduce(isa, Reduction::Min, &x, 1, n, 0), [min]);
                if n > 0 {
                    assert_eq!(reduce(isa, Reduction::MinNum, &x, 1, n, 0), [min]);
                    assert_eq!(reduce(isa, Reduction::MaxNum, &x, 1, n, 0), [max]);
                }
                let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
                let y = reduce(isa, Reduction::Sum, &wide, 1, n, 0)[0];
                assert!((y - exact).abs() < 1e-12);
            }
            // The bits must be the same on each instruction set.
            assert_eq!(*first.get_or_insert(bits.clone()), bits, "{}", isa.name());
        }
    }

    #[test]
    fn rows_and_strides() {
        let x: Vec<i32> = (0..100).collect();
        for isa in Isa::available() {
            assert_eq!(reduce(isa, Reduction::Sum, &x, 4, 3, 10), [3, 33, 63, 93]);
            assert_eq!(reduce(isa, Reduction::Xor, &x, 2, 2, 1), [1, 3]);
            assert_eq!(reduce(isa, Reduction::Sum, &x, 0, 3, 10), [0i32; 0]);
            assert_eq!(reduce(isa, Reduction::And, &[-1i8, 6, 12], 1, 3, 0), [4]);
            assert_eq!(reduce(isa, Reduction::Or, &[0u64, 6, 12], 1, 3, 0), [14]);
            assert_eq!(reduce(isa, Reduction::Prod, &[3i64, -6, 12], 1, 3, 0), [-216]);
            assert_eq!(reduce(isa, Reduction::Sum, &[i32::MAX, 1], 1, 2, 0), [i32::MIN]);
            assert_eq!(reduce(isa, Reduction::Max, &[3u8, 200, 12], 1, 3, 0), [200]);
            assert_eq!(reduce(isa, Reduction::Max, &[3i8, -100, 12], 1, 3, 0), [12]);
        }
    }

    #[test]
    fn nan_wins_or_loses() {
        let nan = f32::NAN;
        for isa in Isa::available() {
            for n in [2, 5, 64, 130] {
                for at in [0, n / 2, n - 1] {
                    let mut x: Vec<f32> = (0..n).map(|i| i as f32).collect();
                    x[at] = nan;
                    assert!(reduce(isa, Reduction::Max, &x, 1, n, 0)[0].is_nan());
                    assert!(reduce(isa, Reduction::Min, &x, 1, n, 0)[0].is_nan());
                    let best = if at == n - 1 { n - 2 } else { n - 1 };
                    assert_eq!(reduce(isa, Reduction::MaxNum, &x, 1, n, 0), [best as f32]);
                    assert_eq!(
                        reduce(isa, Reduction::MinNum, &x, 1, n, 0),
                        [if at == 0 { 1.0 } else { 0.0 }]
                    );
                }
            }
            assert!(reduce(isa, Reduction::MaxNum, &[nan; 70], 1, 70, 0)[0].is_nan());
        }
    }

    #[test]
    fn halves_are_rounded_at_the_end() {
        // 2048 + 1 is 2048 in f16, but the sum in f32 keeps the 1.
        let mut x = vec![f16::from_f32(1.0); 64];
        x[0] = f16::from_f32(2048.0);
        for isa in Isa::available() {
            assert_eq!(reduce(isa, Reduction::Sum, &x, 1, 64, 0)[0].to_f32(), 2112.0);
            let y =
                reduce(isa, Reduction::Max, &[bf16::from_f32(2.0), bf16::from_f32(-3.0)], 1, 2, 0);
            assert_eq!(y[0].to_f32(), 2.0);
        }
    }
}
