//! Conversions compared with the element types' own, which go through `f64`, and, for truncation, with exact
//! comparisons.

use half::{bf16, f16};
use trident_ir::Element;
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use trident_simd::Isa;
use trident_simd::narrow::{NarrowFormat as _, Specials};

use super::*;
use crate::routine::{c_function, table};

fn convert<T: Element, U: Element>(
    isa: Isa,
    x: &[T],
    rounding: Rounding,
    saturate: bool,
) -> Vec<U> {
    let routine = Routine::Convert { from: T::DTYPE, to: U::DTYPE, rounding, saturate };
    let slot = routine.slot().unwrap_or_else(|| panic!("no {routine:?}"));
    let mut out = vec![U::default(); x.len()];
    let f = c_function!(table(isa)[slot]; *mut U, *const T, usize);
    // SAFETY: the address is that of a conversion between these types; the spans are equally long.
    unsafe {
        f(out.as_mut_ptr(), x.as_ptr(), x.len());
    }
    out
}

fn samples32() -> Vec<f32> {
    let all = (0..=u32::MAX).step_by(40_009).map(f32::from_bits);
    // Ties of every format and their neighbours.
    let ties = (0u32..1 << 16).flat_map(|i| {
        let x = f32::from_bits(i.wrapping_mul(0x9e37_79b1) & 0xffff_f000);
        [x, x.next_up(), x.next_down()]
    });
    all.chain(ties).collect()
}

/// A format's own conversions, via `f64`.
trait Reference: Narrow + Element {
    fn nearest(x: f64, saturate: bool) -> Self;
    fn value(self) -> f64;
}
macro_rules! format8 {
    ($($t:ident)*) => { $(
        impl Reference for $t {
            fn nearest(x: f64, saturate: bool) -> Self { $t::from_f64(x, saturate) }
            fn value(self) -> f64 { self.to_f32().into() }
        }
    )* };
}
format8!(F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ);
macro_rules! format16 {
    ($($t:ident)*) => { $(
        impl Reference for $t {
            fn nearest(x: f64, _: bool) -> Self { nearest16(x) }
            fn value(self) -> f64 { self.to_f64() }
        }
    )* };
}
format16!(f16 bf16);

/// Rounds by exact arithmetic in `f64` (the conversions of crate `half` round twice on some processors).
fn nearest16<U: Narrow>(x: f64) -> U {
    let sign = u32::from(x.is_sign_negative()) << 15;
    if x.is_nan() {
        return U::from_code(0x7fff);
    }
    let least = 1 - <U::Format>::BIAS as i32;
    let exponent = ((x.abs().to_bits() >> 52) as i32 - 1023).max(least);
    let units = (x.abs() / 2f64.powi(exponent - <U::Format>::MANTISSA as i32)).round_ties_even();
    let code = f64::from((exponent - least) << <U::Format>::MANTISSA) + units;
    U::from_code(sign | code.min((<U::Format>::FINITE + 1).into()) as u32)
}

/// The bits, with all NaNs made equal.
fn bits<U: Reference>(x: U) -> Option<u32> {
    (!x.value().is_nan()).then(|| x.code())
}

fn check_format<U: Reference>(saturates: &[bool]) {
    let x = samples32();
    let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let brains: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
    let wide: Vec<f64> =
        x.iter().map(|x| f64::from(*x)).flat_map(|x| [x, x.next_up(), x.next_down()]).collect();
    for isa in Isa::available() {
        let codes: Vec<U> = (0..1 << (1 + <U::Format>::EXPONENT + <U::Format>::MANTISSA))
            .map(U::from_code)
            .collect();
        let decoded: Vec<f32> = convert(isa, &codes, Rounding::NearestEven, false);
        for (c, y) in codes.iter().zip(&decoded) {
            assert!(
                c.value().to_bits() == f64::from(*y).to_bits() || c.value().is_nan() && y.is_nan(),
                "{c:?} {y}"
            );
        }
        for &saturate in saturates {
            let nearest: Vec<U> = convert(isa, &x, Rounding::NearestEven, saturate);
            for (x, y) in x.iter().zip(&nearest) {
                let expected = U::nearest((*x).into(), saturate);
                assert_eq!(bits(*y), bits(expected), "{} {x:e} {saturate} to {y:?}", isa.name());
            }
            let nearest: Vec<U> = convert(isa, &wide, Rounding::NearestEven, saturate);
            for (x, y) in wide.iter().zip(&nearest) {
                let expected = U::nearest(*x, saturate);
                assert_eq!(bits(*y), bits(expected), "{} {x:e} {saturate} to {y:?}", isa.name());
            }
            check_truncation(
                &wide,
                &convert::<f64, U>(isa, &wide, Rounding::TowardZero, saturate),
                saturate,
            );
            if U::DTYPE != f16::DTYPE {
                let y: Vec<U> = convert(isa, &halves, Rounding::NearestEven, saturate);
                for (x, y) in halves.iter().zip(&y) {
                    assert_eq!(bits(*y), bits(U::nearest(x.to_f64(), saturate)), "{x:e}");
                }
            }
            if U::DTYPE != bf16::DTYPE {
                let y: Vec<U> = convert(isa, &brains, Rounding::NearestEven, saturate);
                for (x, y) in brains.iter().zip(&y) {
                    assert_eq!(bits(*y), bits(U::nearest(x.to_f64(), saturate)), "{x:e}");
                }
            }
            let y: Vec<U> = convert(isa, &x, Rounding::TowardZero, saturate);
            let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
            check_truncation(&wide, &y, saturate);
        }
    }
}

/// Checks that the result is not beyond `x`, and that the format's next number is.
fn check_truncation<U: Reference>(x: &[f64], y: &[U], saturate: bool) {
    for (x, y) in x.iter().zip(y) {
        let sign = 1 << (<U::Format>::EXPONENT + <U::Format>::MANTISSA);
        if x.is_nan() || x.is_infinite() && !saturate {
            assert_eq!(bits(*y), bits(U::nearest(*x, false)), "{x:e}");
            continue;
        }
        let magnitude = if <U::Format>::SPECIALS == Specials::NegativeZero && y.code() == sign {
            panic!("{x:e} became NaN")
        } else {
            y.code() & (sign - 1)
        };
        assert!(magnitude <= <U::Format>::FINITE && y.value().abs() <= x.abs(), "{x:e} {y:?}");
        assert!(y.value() == 0.0 || (y.value() < 0.0) == (*x < 0.0), "{x:e} {y:?}");
        assert!(
            magnitude == <U::Format>::FINITE || U::from_code(magnitude + 1).value() > x.abs(),
            "{x:e} {y:?}"
        );
    }
}

#[test]
fn narrow_formats_round_once() {
    check_format::<f16>(&[false]);
    check_format::<bf16>(&[false]);
    check_format::<F8E4M3FN>(&[false, true]);
    check_format::<F8E4M3FNUZ>(&[false, true]);
    check_format::<F8E5M2>(&[false, true]);
    check_format::<F8E5M2FNUZ>(&[false, true]);
}

#[test]
fn wide_integers_round_once() {
    // 2^40 + 2^32 is a tie in bf16; the last bit decides it, and an intermediate f64 or f32 must not lose that bit.
    let tie = (1i64 << 40) + (1 << 32);
    let x = [tie, tie + 1, tie - 1, -tie - 1, i64::MAX, i64::MIN, (1 << 62) + (1 << 54) + 1, 0, 7];
    for isa in Isa::available() {
        let y: Vec<bf16> = convert(isa, &x, Rounding::NearestEven, false);
        let exact = |x: i64| {
            let candidates = (0..=u16::MAX).map(bf16::from_bits).filter(|c| c.is_finite());
            // The difference in integers, doubled ties to even by the code.
            candidates
                .filter(|c| c.to_f64().abs() < 2f64.powi(64))
                .min_by_key(|c| {
                    (
                        (c.to_f64() as i128 - i128::from(x)).abs(),
                        c.to_bits() & 1,
                        c.is_sign_negative() != (x < 0),
                    )
                })
                .unwrap()
        };
        for (x, y) in x.iter().zip(&y) {
            assert_eq!(y.to_f64(), exact(*x).to_f64(), "{x}");
        }
        let y: Vec<f32> = convert(isa, &[1i32 << 24 | 1, i32::MIN], Rounding::NearestEven, false);
        assert_eq!(y, [16_777_216.0, -2_147_483_648.0]);
    }
}

#[test]
fn floats_become_integers_by_truncation() {
    let x = [1.9f32, -1.9, 127.0, -128.0, 0.0, f32::NAN, 1e30, -1e30];
    for isa in Isa::available() {
        let y: Vec<i8> = convert(isa, &x, Rounding::NearestEven, false);
        assert_eq!(y[..5], [1, -1, 127, -128, 0]);
        let y: Vec<i64> = convert(isa, &x, Rounding::NearestEven, false);
        assert_eq!(y[..5], [1, -1, 127, -128, 0]);
        let y: Vec<B8> = convert(isa, &x, Rounding::NearestEven, false);
        assert_eq!(y.iter().map(|b| b.0).collect::<Vec<_>>(), [1, 1, 1, 1, 0, 1, 1, 1]);
    }
}

#[test]
fn every_pair_and_tail() {
    let types = DTYPES;
    for from in types {
        for to in types {
            let floats = from.is_float() || to.is_float();
            if from == to || !floats {
                continue;
            }
            let routine = Routine::Convert {
                from: *from,
                to: *to,
                rounding: Rounding::NearestEven,
                saturate: false,
            };
            assert!(routine.slot().is_some(), "{routine:?}");
        }
    }
    let x: Vec<f32> = (0..70).map(|i| i as f32 * 1.37 - 40.0).collect();
    for isa in Isa::available() {
        let whole: Vec<f16> = convert(isa, &x, Rounding::NearestEven, false);
        let back: Vec<f32> = convert(isa, &whole, Rounding::NearestEven, false);
        for n in 0..70 {
            let part: Vec<f16> = convert(isa, &x[..n], Rounding::NearestEven, false);
            assert_eq!(part, whole[..n]);
            let part: Vec<f32> = convert(isa, &whole[..n], Rounding::NearestEven, false);
            assert_eq!(part, back[..n]);
        }
    }
}

const DTYPES: &[trident_ir::DType] = {
    use trident_ir::DType::*;
    &[
        F64, F32, F16, BF16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, I64, I32, I16, I8, U64, U32,
        U16, U8, Bool,
    ]
};
