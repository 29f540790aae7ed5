//! Functions compared with `f64` references, for every instruction set, all tail lengths and special values.

// Tables of cases with their references.
#![allow(clippy::type_complexity)]

use trident_ir::{DType, Element};
use trident_simd::Isa;

use super::Function;
use crate::routine::{Routine, c_function, table};

/// Applies the function to a span.
pub(super) fn call<T: Element, U: Element>(isa: Isa, name: &str, x: &[T]) -> Vec<U> {
    let f = Function::find(name, &[T::DTYPE]).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(f.output, U::DTYPE, "{name}");
    let address = table(isa)[Routine::Function(f).slot().unwrap()];
    let mut out = vec![U::default(); x.len()];
    let f = c_function!(address; *mut U, *const T, usize);
    // SAFETY: the address is that of a function of one operand; the spans are equally long.
    unsafe {
        f(out.as_mut_ptr(), x.as_ptr(), x.len());
    }
    out
}

pub(super) fn call2<T: Element, S: Element, U: Element>(
    isa: Isa,
    name: &str,
    x: &[T],
    y: &[S],
) -> Vec<U> {
    let f = Function::find(name, &[T::DTYPE, S::DTYPE]).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(f.output, U::DTYPE, "{name}");
    let address = table(isa)[Routine::Function(f).slot().unwrap()];
    let mut out = vec![U::default(); x.len()];
    let f = c_function!(address; *mut U, *const T, *const S, usize);
    // SAFETY: the address is that of a function of two operands of these types; callers pass spans that are equally long.
    unsafe {
        f(out.as_mut_ptr(), x.as_ptr(), y.as_ptr(), x.len());
    }
    out
}

/// All magnitudes and signs, special values, and many values around zero.
fn samples32() -> Vec<f32> {
    let all = (0..=u32::MAX).step_by(19_997).map(f32::from_bits);
    let near = (-150_000..150_000).map(|i| i as f32 * 1.234_567e-4);
    let ends = [
        0.0,
        f32::MIN_POSITIVE,
        1.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        1e-45,
        88.72,
        128.0,
        149.0,
    ];
    all.chain(near).chain(ends).chain(ends.map(|x| -x)).collect()
}

fn samples64() -> Vec<f64> {
    let all = (0..300_000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let near = (-100_000..100_000).map(|i| f64::from(i) * 1.234_567_891e-4);
    let ends =
        [0.0, f64::MIN_POSITIVE, 1.0, f64::MAX, f64::INFINITY, f64::NAN, 5e-324, 709.7, 1074.0];
    all.chain(near).chain(ends).chain(ends.map(|x| -x)).collect()
}

/// The error in units in the last place of `f32`.
fn units32(y: f32, exact: f64) -> f64 {
    if exact.is_nan() || y.is_nan() {
        return if exact.is_nan() && y.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let nearest = exact as f32;
    if nearest.is_infinite() || y.is_infinite() {
        // One unit beyond the greatest number is infinity.
        let limit = f64::from(f32::MAX) * (1.0 - 1e-7);
        let same = f64::from(y) == f64::from(nearest)
            || exact.abs() > limit && f64::from(y).abs() > limit && (exact > 0.0) == (y > 0.0);
        return if same { 0.0 } else { f64::INFINITY };
    }
    let unit = f64::from(nearest.abs().next_up()) - f64::from(nearest.abs());
    (f64::from(y) - exact).abs() / unit
}

fn units64(y: f64, exact: f64) -> f64 {
    if exact.is_nan() || y.is_nan() || exact.is_infinite() || y.is_infinite() {
        let same = y.to_bits() == exact.to_bits() || exact.is_nan() && y.is_nan();
        return if same { 0.0 } else { f64::INFINITY };
    }
    (y - exact).abs() / (exact.abs().next_up() - exact.abs())
}

#[test]
fn f32_functions_are_exact_to_their_bounds() {
    let x = samples32();
    let cases: [(&str, fn(f64) -> f64, f64); 16] = [
        ("exp", f64::exp, 1.1),
        ("exp2", f64::exp2, 1.25),
        ("log", f64::ln, 1.5),
        ("log2", f64::log2, 1.5),
        ("log10", f64::log10, 2.0),
        ("sin", f64::sin, 1.5),
        ("cos", f64::cos, 1.5),
        ("tanh", f64::tanh, 2.0),
        ("erf", libm::erf, 2.0),
        ("sqrt", f64::sqrt, 0.5),
        ("rsqrt", |x| 1.0 / x.sqrt(), 1.5),
        ("expm1", f64::exp_m1, 0.55),
        ("log1p", f64::ln_1p, 0.51),
        ("sinh", f64::sinh, 0.51),
        ("cosh", f64::cosh, 0.51),
        ("tan", f64::tan, 0.51),
    ];
    let mut failed = Vec::new();
    for isa in Isa::available() {
        for (name, exact, bound) in cases {
            let y: Vec<f32> = call(isa, name, &x);
            let error = |i: usize| units32(y[i], exact(x[i].into()));
            let worst = (0..x.len()).max_by(|i, j| error(*i).total_cmp(&error(*j))).unwrap();
            println!("{} {name}: {:.3} units at {:e}", isa.name(), error(worst), x[worst]);
            if error(worst) > bound {
                failed.push(format!(
                    "{} {name}: {} units at {:e}, {:e}",
                    isa.name(),
                    error(worst),
                    x[worst],
                    y[worst]
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn f64_functions_are_exact_to_their_bounds() {
    let x = samples64();
    // The references themselves are accurate to slightly more than half a unit.
    let cases: [(&str, fn(f64) -> f64, f64); 8] = [
        ("exp", f64::exp, 1.5),
        ("exp2", f64::exp2, 1.5),
        ("log", f64::ln, 1.5),
        ("log2", f64::log2, 2.0),
        ("log10", f64::log10, 2.5),
        ("sin", f64::sin, 1.5),
        ("cos", f64::cos, 1.5),
        ("sqrt", f64::sqrt, 0.5),
    ];
    let mut failed = Vec::new();
    for isa in Isa::available() {
        for (name, exact, bound) in cases {
            let y: Vec<f64> = call(isa, name, &x);
            let error = |i: usize| units64(y[i], exact(x[i]));
            let worst = (0..x.len()).max_by(|i, j| error(*i).total_cmp(&error(*j))).unwrap();
            println!("{} {name}: {:.3} units at {:e}", isa.name(), error(worst), x[worst]);
            if error(worst) > bound {
                failed.push(format!(
                    "{} {name}: {} units at {:e}, {:e}",
                    isa.name(),
                    error(worst),
                    x[worst],
                    y[worst]
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn powers() {
    let specials = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.5,
        -2.0,
        -3.0,
        0.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1e-45,
    ];
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for a in specials {
        for b in specials {
            x.push(a);
            y.push(b);
        }
    }
    for i in 0..100_000u32 {
        x.push(f32::from_bits(i.wrapping_mul(0x9e37_79b1) >> 1));
        y.push((i % 2001) as f32 * 0.037 - 37.0);
    }
    for isa in Isa::available() {
        let z: Vec<f32> = call2(isa, "pow", &x, &y);
        for i in 0..x.len() {
            let exact = f64::from(x[i]).powf(y[i].into());
            assert!(
                units32(z[i], exact) <= 1.0,
                "{} {:e}^{} = {:e}, not {exact:e}",
                isa.name(),
                x[i],
                y[i],
                z[i]
            );
        }
    }
}

#[test]
fn neighbours_do_not_matter() {
    // The first elements include some that the vector code cannot handle.
    let mut x: Vec<f32> = (0..64).map(|i| i as f32 * 0.61 + 0.1).collect();
    let plain = x.clone();
    for (i, x) in x.iter_mut().enumerate().step_by(5) {
        *x = [1e30, f32::INFINITY, f32::NAN, -3.0, 0.0][i / 5 % 5];
    }
    let y: Vec<f32> = plain.iter().map(|x| 1.7 - x * 0.1).collect();
    for isa in Isa::available() {
        for name in ["exp", "log", "sin", "cos", "tanh"] {
            let (a, b): (Vec<f32>, Vec<f32>) = (call(isa, name, &x), call(isa, name, &plain));
            for i in (0..64).filter(|i| i % 5 != 0) {
                assert_eq!(a[i].to_bits(), b[i].to_bits(), "{} {name} {}", isa.name(), x[i]);
            }
        }
        let (a, b): (Vec<f32>, Vec<f32>) =
            (call2(isa, "pow", &x, &y), call2(isa, "pow", &plain, &y));
        for i in (0..64).filter(|i| i % 5 != 0) {
            assert_eq!(a[i].to_bits(), b[i].to_bits(), "{} pow {}", isa.name(), x[i]);
        }
        let wide = |x: &[f32]| -> Vec<f64> { x.iter().map(|x| f64::from(*x)).collect() };
        let (a, b): (Vec<f64>, Vec<f64>) =
            (call(isa, "cos", &wide(&x)), call(isa, "cos", &wide(&plain)));
        assert!((0..64).filter(|i| i % 5 != 0).all(|i| a[i].to_bits() == b[i].to_bits()));
    }
}

#[test]
fn tails_and_places_do_not_matter() {
    let x: Vec<f32> = (0..70).map(|i| (i as f32 - 35.0) * 0.37).collect();
    let names = [
        "exp", "exp2", "log", "log2", "log10", "sin", "cos", "tanh", "erf", "floor", "cbrt",
        "expm1",
    ];
    for isa in Isa::available() {
        for name in names {
            let whole: Vec<f32> = call(isa, name, &x);
            for start in 0..4 {
                for n in 0..66 {
                    let part: Vec<f32> = call(isa, name, &x[start..start + n]);
                    let same =
                        part.iter().zip(&whole[start..]).all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same, "{} {name} {start}..+{n}", isa.name());
                }
            }
        }
    }
}

#[test]
fn functions_are_found_by_name_and_types() {
    use DType::{F32, F64, I32, I64, U32};
    let cases: &[(&str, &[DType], DType)] = &[
        ("tanh", &[F32], F32),
        ("fabs", &[F64], F64),
        ("add_rz", &[F32, F32], F32),
        ("add_rz", &[F64, F64], F64),
        ("fdivide", &[F32, F32], F32),
        ("rsqrt_rn", &[F32], F32),
        ("isnan", &[F64], I32),
        ("finite", &[F32], I32),
        ("umulhi", &[I32, I32], U32),
        ("ffsll", &[I64], I32),
        ("powi", &[F32, I32], F32),
        ("norm4d", &[F32; 4], F32),
        ("hadd", &[I32, I32], I32),
    ];
    for (name, inputs, output) in cases {
        let f = Function::find(name, inputs).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!((f.name, f.output), (*name, *output), "{name}");
    }
    assert!(Function::find("tanh", &[I32]).is_none());
    assert!(Function::find("tanhf", &[F32]).is_none());
}
