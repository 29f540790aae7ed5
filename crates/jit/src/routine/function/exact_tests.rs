//! Functions of integers, directed rounding and special functions, compared with plain definitions.

// Tables of cases with their references.
#![allow(clippy::type_complexity)]

use trident_ir::Element;
use trident_simd::Isa;

use super::Function;
use super::tests::{call, call2};
use crate::routine::{Routine, c_function, table};

fn call3<T: Element, S: Element, U: Element>(
    isa: Isa,
    name: &str,
    x: &[T],
    y: &[T],
    z: &[S],
) -> Vec<U> {
    let f = Function::find(name, &[T::DTYPE, T::DTYPE, S::DTYPE])
        .unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(f.output, U::DTYPE, "{name}");
    let address = table(isa)[Routine::Function(f).slot().unwrap()];
    let mut out = vec![U::default(); x.len()];
    let f = c_function!(address; *mut U, *const T, *const T, *const S, usize);
    // SAFETY: the address is that of a function of three operands; the spans are equally long.
    unsafe {
        f(out.as_mut_ptr(), x.as_ptr(), y.as_ptr(), z.as_ptr(), x.len());
    }
    out
}

fn integers() -> Vec<i32> {
    let ends = [0, 1, -1, i32::MAX, i32::MIN, 0x00ff_ff00, 0x0123_4567];
    (0..500u32).map(|i| i.wrapping_mul(0x9e37_79b1) as i32).chain(ends).collect()
}

#[test]
fn integers_by_their_definitions() {
    let x = integers();
    let y: Vec<i32> = x.iter().rev().copied().collect();
    let wide = |x: i32, y: i32| i64::from(x) << 32 | i64::from(y as u32);
    let x64: Vec<i64> = x.iter().zip(&y).map(|(x, y)| wide(*x, *y)).collect();
    let y64: Vec<i64> = x.iter().zip(&y).map(|(x, y)| wide(*y, *x)).collect();
    for isa in Isa::available() {
        let unary: [(&str, fn(i32) -> i32); 4] = [
            ("clz", |x| (0..32).take_while(|i| (x as u32) << i >> 31 == 0).count() as i32),
            ("popc", |x| (0..32).map(|i| x >> i & 1).sum()),
            ("brev", |x| (0..32).fold(0, |r, i| r | (x >> i & 1) << (31 - i))),
            ("ffs", |x| (0..32).find(|i| x >> i & 1 == 1).map_or(0, |i| i + 1)),
        ];
        for (name, f) in unary {
            assert_eq!(
                call::<i32, i32>(isa, name, &x),
                x.iter().map(|x| f(*x)).collect::<Vec<_>>(),
                "{name}"
            );
        }
        let unary: [(&str, fn(i64) -> i32); 3] = [
            ("clzll", |x| (0..64).take_while(|i| (x as u64) << i >> 63 == 0).count() as i32),
            ("popcll", |x| (0..64).map(|i| (x >> i & 1) as i32).sum()),
            ("ffsll", |x| (0..64).find(|i| x >> i & 1 == 1).map_or(0, |i| i + 1)),
        ];
        for (name, f) in unary {
            assert_eq!(
                call::<i64, i32>(isa, name, &x64),
                x64.iter().map(|x| f(*x)).collect::<Vec<_>>(),
                "{name}"
            );
        }
        let binary: [(&str, fn(i64, i64) -> i64); 5] = [
            ("min", |x, y| x.min(y)),
            ("max", |x, y| x.max(y)),
            ("mulhi", |x, y| (x * y).div_euclid(1 << 32)),
            ("hadd", |x, y| (x + y).div_euclid(2)),
            ("rhadd", |x, y| (x + y + 1).div_euclid(2)),
        ];
        for (name, f) in binary {
            let expected: Vec<i32> =
                x.iter().zip(&y).map(|(x, y)| f((*x).into(), (*y).into()) as i32).collect();
            assert_eq!(call2::<i32, i32, i32>(isa, name, &x, &y), expected, "{name}");
        }
        let unsigned = |x: &[i32]| -> Vec<u32> { x.iter().map(|x| *x as u32).collect() };
        let (ux, uy) = (unsigned(&x), unsigned(&y));
        let binary: [(&str, fn(u64, u64) -> u64); 6] = [
            ("umin", |x, y| x.min(y)),
            ("umax", |x, y| x.max(y)),
            ("umulhi", |x, y| (x * y) >> 32),
            ("uhadd", |x, y| (x + y) / 2),
            ("urhadd", |x, y| (x + y).div_ceil(2)),
            ("umul24", |x, y| (x % (1 << 24)) * (y % (1 << 24)) % (1 << 32)),
        ];
        for (name, f) in binary {
            let expected: Vec<u32> =
                ux.iter().zip(&uy).map(|(x, y)| f((*x).into(), (*y).into()) as u32).collect();
            assert_eq!(call2::<u32, u32, u32>(isa, name, &ux, &uy), expected, "{name}");
        }
        let high = |x: i64, y: i64| ((i128::from(x) * i128::from(y)).div_euclid(1 << 64)) as i64;
        let expected: Vec<i64> = x64.iter().zip(&y64).map(|(x, y)| high(*x, *y)).collect();
        assert_eq!(call2::<i64, i64, i64>(isa, "mul64hi", &x64, &y64), expected);
        let expected: Vec<u32> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| (i64::from(*x) - i64::from(*y)).unsigned_abs() as u32)
            .zip(&ux)
            .map(|(d, z)| d.wrapping_add(*z))
            .collect();
        assert_eq!(call3::<i32, u32, u32>(isa, "sad", &x, &y, &ux), expected);
        // Byte 4 + i is byte i of the second word.
        assert_eq!(
            call3::<i32, i32, i32>(
                isa,
                "byte_perm",
                &[0x0302_0100; 2],
                &[0x0706_0504; 2],
                &[0x7531, 0x0246]
            ),
            [0x0705_0301, 0x0002_0406]
        );
        assert_eq!(call2::<i32, i32, i32>(isa, "mul24", &[-2, 0x0100_0003], &[3, 2]), [-6, 6]);
    }
}

/// The neighbours of `exact` in `f32`: the greatest not above it and the least not below it.
fn around(exact: f64) -> (f32, f32) {
    let y = exact as f32;
    (
        if f64::from(y) > exact { y.next_down() } else { y },
        if f64::from(y) < exact { y.next_up() } else { y },
    )
}

#[test]
fn f32_is_rounded_in_every_direction() {
    // Products and sums of these are exact in f64.
    let x: Vec<f32> =
        (0..3000u32).map(|i| (i.wrapping_mul(0x9e37_79b1) as i32 as f32) * 1.3e-9).collect();
    let y: Vec<f32> = x.iter().rev().map(|x| x * 0.37 + 1e-3).collect();
    for (suffix, pick) in [
        ("rd", (|(down, _): (f32, f32), _: f64| down) as fn((f32, f32), f64) -> f32),
        ("ru", |(_, up), _| up),
        ("rz", |(down, up), exact| if exact > 0.0 { down } else { up }),
        ("rn", |_, exact| exact as f32),
    ] {
        let isa = Isa::detect();
        let binary: [(&str, fn(f64, f64) -> f64); 3] =
            [("add", |x, y| x + y), ("sub", |x, y| x - y), ("mul", |x, y| x * y)];
        for (name, f) in binary {
            let got: Vec<f32> = call2(isa, &format!("{name}_{suffix}"), &x, &y);
            for (i, got) in got.iter().enumerate() {
                let exact = f(x[i].into(), y[i].into());
                assert_eq!(
                    *got,
                    pick(around(exact), exact),
                    "{name}_{suffix} {:e} {:e}",
                    x[i],
                    y[i]
                );
            }
        }
        // A quotient in f64 is never close enough to an f32, or to the midpoint of two, to be on the wrong side.
        let got: Vec<f32> = call2(isa, &format!("div_{suffix}"), &x, &y);
        for (i, got) in got.iter().enumerate() {
            let exact = f64::from(x[i]) / f64::from(y[i]);
            assert_eq!(*got, pick(around(exact), exact), "div_{suffix} {:e} {:e}", x[i], y[i]);
        }
        let positive: Vec<f32> = x.iter().map(|x| x.abs()).collect();
        let got: Vec<f32> = call(isa, &format!("sqrt_{suffix}"), &positive);
        for (x, got) in positive.iter().zip(&got) {
            let exact = f64::from(*x).sqrt();
            assert_eq!(*got, pick(around(exact), exact), "sqrt_{suffix} {x:e}");
        }
        let wide: Vec<f64> = x.iter().map(|x| f64::from(*x) * 1.000_000_01).collect();
        let got: Vec<f32> = call(isa, &format!("double2float_{suffix}"), &wide);
        for (x, got) in wide.iter().zip(&got) {
            assert_eq!(*got, pick(around(*x), *x), "{x:e}");
        }
        let whole: Vec<i32> = integers();
        let got: Vec<f32> = call(isa, &format!("int2float_{suffix}"), &whole);
        for (x, got) in whole.iter().zip(&got) {
            assert_eq!(*got, pick(around((*x).into()), (*x).into()), "{x}");
        }
    }
}

#[test]
fn f64_is_rounded_in_every_direction() {
    let isa = Isa::detect();
    let x: Vec<f64> = (1..2000u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64 as f64 * 1.3e-15)
        .collect();
    let y: Vec<f64> = x.iter().rev().map(|x| x * 0.37 + 1e-9).collect();
    for name in ["add", "sub", "mul", "div"] {
        let of = |suffix: &str| -> Vec<f64> { call2(isa, &format!("{name}_{suffix}"), &x, &y) };
        let (down, up, zero, nearest) = (of("rd"), of("ru"), of("rz"), of("rn"));
        let mut inexact = 0;
        for i in 0..x.len() {
            // The two are neighbours, or the result is exact; nearest and toward zero are among them.
            assert!(up[i] == down[i] || up[i] == down[i].next_up(), "{name} {} {}", x[i], y[i]);
            assert!(nearest[i] == up[i] || nearest[i] == down[i]);
            assert_eq!(zero[i], if nearest[i] > 0.0 { down[i] } else { up[i] });
            inexact += usize::from(up[i] != down[i]);
        }
        assert!(inexact > x.len() / 4, "{name}: {inexact}");
    }
    let of = |name: &str, x: f64, y: f64| call2::<f64, f64, f64>(isa, name, &[x], &[y])[0];
    assert_eq!(of("add_ru", 1.0, 1e-300), 1.0f64.next_up());
    assert_eq!(of("add_rd", 1.0, 1e-300), 1.0);
    assert_eq!(of("add_rd", 1.0, -1e-300), 1.0f64.next_down());
    assert_eq!(of("mul_rz", f64::MAX, 2.0), f64::MAX);
    assert_eq!(of("mul_ru", -f64::MAX, 2.0), -f64::MAX);
    assert_eq!(of("mul_ru", f64::MAX, 2.0), f64::INFINITY);
    assert_eq!(of("mul_ru", 5e-324, 5e-324), 5e-324);
    assert_eq!(of("mul_rd", 5e-324, 5e-324), 0.0);
    assert_eq!(of("div_rz", 1.0, 0.0), f64::INFINITY);
    assert_eq!(of("div_ru", 1.0, f64::INFINITY), 0.0);
    assert!(of("add_rd", 1.0, -1.0).is_sign_negative());
    assert_eq!(call::<f64, i32>(isa, "double2int_rn", &[2.5, -3.5]), [2, -4]);
    assert_eq!(call::<f64, i32>(isa, "double2int_ru", &[2.1, -2.9]), [3, -2]);
    assert_eq!(call::<f64, u64>(isa, "double2ull_rd", &[2.9]), [2]);
    assert_eq!(call::<i64, f64>(isa, "ll2double_rd", &[(1 << 53) + 1]), [9_007_199_254_740_992.0]);
    assert_eq!(call::<i64, f64>(isa, "ll2double_ru", &[(1 << 53) + 1]), [9_007_199_254_740_994.0]);
    assert_eq!(call::<i64, f32>(isa, "ll2float_rz", &[i64::MAX]), [9.223_371_5e18]);
}

#[test]
fn special_functions_at_known_points() {
    let isa = Isa::detect();
    // From tables with 20 digits.
    let known: [(&str, f64, f64); 22] = [
        ("erfinv", 0.5, 0.476_936_276_204_469_9),
        ("erfinv", -0.999, -2.326_753_765_513_525),
        ("erfinv", 1e-10, 8.862_269_254_527_58e-11),
        ("erfcinv", 1e-20, 6.601_580_622_355_143),
        ("erfcinv", 1.9, -1.163_087_153_676_674),
        ("erfcx", 1.0, 0.427_583_576_155_807),
        ("erfcx", 30.0, 0.018_795_888_861_416_75),
        ("normcdf", -10.0, 7.619_853_024_160_527e-24),
        ("normcdf", 1.0, 0.841_344_746_068_542_9),
        ("normcdfinv", 0.975, 1.959_963_984_540_054),
        ("lgamma", 10.5, 13.940_625_219_403_763),
        ("tgamma", 5.0, 24.0),
        ("j0", 1.0, 0.765_197_686_557_966_6),
        ("j1", 1.0, 0.440_050_585_744_933_5),
        ("y0", 1.0, 0.088_256_964_215_676_96),
        ("y1", 1.0, -0.781_212_821_300_288_7),
        ("cyl_bessel_i0", 1.0, 1.266_065_877_752_008_4),
        ("cyl_bessel_i0", 30.0, 7.816_722_978_239_774e11),
        ("cyl_bessel_i1", -1.0, -0.565_159_103_992_485),
        ("sinpi", 0.25, std::f64::consts::FRAC_1_SQRT_2),
        ("cospi", 0.5, 0.0),
        ("exp10", 3.0, 1000.0),
    ];
    for (name, x, y) in known {
        let got = call::<f64, f64>(isa, name, &[x])[0];
        assert!((got - y).abs() <= 4e-14 * y.abs(), "{name}({x}) = {got:e}, not {y:e}");
        let got = call::<f32, f32>(isa, name, &[x as f32])[0];
        assert!((f64::from(got) - y).abs() <= 3e-5 * y.abs(), "{name}f({x}) = {got:e}, not {y:e}");
    }
    assert_eq!(
        call::<f64, f64>(isa, "erfinv", &[1.0, -1.0, 0.0]),
        [f64::INFINITY, f64::NEG_INFINITY, 0.0]
    );
    assert!(call::<f64, f64>(isa, "erfinv", &[1.5])[0].is_nan());
    assert_eq!(call::<f64, f64>(isa, "sinpi", &[7.0, 0.5, 1.5]), [0.0, 1.0, -1.0]);
    assert_eq!(call::<f64, f64>(isa, "cospi", &[0.0, 1.0, 1.5]), [1.0, -1.0, 0.0]);
    assert_eq!(
        call2::<f32, i32, f32>(isa, "ldexp", &[1.5, 1.0, 3.0], &[3, -149, 1000]),
        [12.0, 1e-45, f32::INFINITY]
    );
    assert_eq!(call2::<f64, i32, f64>(isa, "scalbn", &[1.5, 1.0], &[3, -1074]), [12.0, 5e-324]);
    assert_eq!(call2::<f32, f32, f32>(isa, "nextafter", &[1.0], &[2.0]), [1.0f32.next_up()]);
    assert_eq!(call::<f64, f64>(isa, "logb", &[8.5, 5e-324]), [3.0, -1074.0]);
    assert_eq!(
        call2::<i32, f64, f64>(isa, "jn", &[1], &[1.0])[0],
        call::<f64, f64>(isa, "j1", &[1.0])[0]
    );
    assert_eq!(call2::<f64, f64, f64>(isa, "pow", &[2.0, -8.0], &[10.0, 3.0]), [1024.0, -512.0]);
    assert_eq!(
        call::<f32, f32>(isa, "saturate", &[-1.0, 0.5, 2.0, f32::NAN]),
        [0.0, 0.5, 1.0, 0.0]
    );
    assert_eq!(call::<f64, i32>(isa, "isnan", &[f64::NAN, 1.0]), [1, 0]);
    assert_eq!(call2::<i32, i32, f64>(isa, "hiloint2double", &[0x3ff0_0000], &[0]), [1.0]);
}
