//! 8-bit products against exact integer loops.

use super::*;
use crate::gemm::Strided;
use crate::test_data::Random;

fn number(byte: u8, signed: bool) -> i64 {
    if signed { i64::from(byte as i8) } else { i64::from(byte) }
}

fn check(isa: Isa, threads: &Threads, signs: Signs, m: usize, n: usize, k: usize, seed: u64) {
    let mut random = Random::new(seed);
    // The extremes are frequent: that is where sums of products would saturate.
    let mut bytes = |count: usize| -> Vec<u8> {
        (0..count)
            .map(|_| match random.below(4) {
                0 => 255,
                1 => 128,
                2 => 127,
                _ => random.below(256) as u8,
            })
            .collect()
    };
    let (a, b) = (bytes(m * k), bytes(k * n));
    let zeros = |raw: Vec<u8>, signed: bool| {
        raw.into_iter().map(|z| number(z, signed) as i32).collect::<Vec<_>>()
    };
    let (a_zeros, b_zeros) = (zeros(bytes(m), signs.a), zeros(bytes(n), signs.b));
    let bias: Vec<i32> = (0..n as i32).map(|j| j * 1000 - 3).collect();
    let scales: Vec<f32> = (0..m).map(|i| 0.001 + 0.0001 * i as f32).collect();
    let rows = Strided::rows(&a[..], k);
    let columns = Strided::columns(&b[..], n);
    let (pa, pb) =
        (PackedA8::new(isa, signs, m, k, &rows), PackedB8::new(isa, signs, n, k, &columns));
    let epilogue = Epilogue8 {
        a_zero: Along::Rows(&a_zeros),
        b_zero: Along::Columns(&b_zeros),
        bias: Along::Columns(&bias),
        scale: Along::Rows(&scales),
        zero: -7,
        limits: (-100, i32::MAX),
        ..Epilogue8::default()
    };
    let exact: Vec<i32> = (0..m * n)
        .map(|i| {
            let (r, j) = (i / n, i % n);
            let sum: i64 = (0..k)
                .map(|p| {
                    let x = number(a[r * k + p], signs.a) - i64::from(a_zeros[r]);
                    x * (number(b[p * n + j], signs.b) - i64::from(b_zeros[j]))
                })
                .sum();
            (sum + i64::from(bias[j])) as i32
        })
        .collect();
    let shape = GemmShape { m, n, k };
    for (lhs, rhs) in [
        (Lhs8::Source(&rows as &dyn Source<u8>), Rhs8::Source(&columns as &dyn Source<u8>)),
        (Lhs8::Packed(&pa), Rhs8::Source(&columns)),
        (Lhs8::Packed(&pa), Rhs8::Packed(&pb)),
    ] {
        let mut c = vec![-1i32; m * n];
        gemm8(threads, isa, signs, shape, lhs, rhs, &epilogue, &mut c);
        assert_eq!(c, exact, "{isa:?} {signs:?} {m}x{n}x{k}");
        let mut c = vec![0i8; m * n];
        gemm8(threads, isa, signs, shape, lhs, rhs, &epilogue, &mut c);
        for (i, &got) in c.iter().enumerate() {
            let want = (exact[i] as f32 * scales[i / n]).round_ties_even() as i64 - 7;
            assert_eq!(i64::from(got), want.clamp(-100, 127), "{isa:?} {m}x{n}x{k}");
        }
        let mut c = vec![0.0f32; m * n];
        let epilogue = Epilogue8 { scale: Along::One(0.5), ..epilogue };
        gemm8(threads, isa, signs, shape, lhs, rhs, &epilogue, &mut c);
        assert!(c.iter().zip(&exact).all(|(c, e)| *c == *e as f32 * 0.5));
    }
}

#[test]
fn sums_are_exact_for_all_signs_and_shapes() {
    let threads = Threads::new(3);
    for isa in Isa::available() {
        for (a, b) in [(false, true), (true, false), (true, true), (false, false)] {
            let signs = Signs { a, b };
            for (i, (m, n, k)) in [
                (1, 1, 1),
                (1, 49, 7),
                (8, 48, 64),
                (9, 97, 3),
                (17, 50, 130),
                (3, 5, 1001),
                (70, 131, 65),
                (2, 3, 0),
            ]
            .into_iter()
            .enumerate()
            {
                check(isa, &threads, signs, m, n, k, i as u64);
            }
            let mut random = Random::new(77);
            for seed in 0..6 {
                let mut up_to = |n| 1 + random.below(n);
                check(isa, &threads, signs, up_to(60), up_to(140), up_to(300), seed);
            }
        }
    }
}

#[test]
fn sums_wrap() {
    let k = 70_000;
    let (a, b) = (vec![255u8; k], vec![255u8; k]);
    let signs = Signs { a: false, b: false };
    for isa in Isa::available() {
        let mut c = [0i32];
        let (lhs, rhs) = (Strided::rows(&a[..], k), Strided::columns(&b[..], 1));
        let shape = GemmShape { m: 1, n: 1, k };
        gemm8(
            &Threads::new(1),
            isa,
            signs,
            shape,
            Lhs8::Source(&lhs),
            Rhs8::Source(&rhs),
            &Epilogue8::default(),
            &mut c,
        );
        assert_eq!(c[0], (255i64 * 255 * k as i64) as i32, "{isa:?}");
    }
}

#[test]
fn results_of_8_bits_round_half_to_even_and_stay_in_range() {
    // Sums 1, 3, 5, -1, … times one half.
    let a: Vec<u8> = vec![1];
    let b: Vec<u8> = [1i8, 3, 5, -1, -3, 127, -128].iter().map(|&x| x as u8).collect();
    let signs = Signs { a: false, b: true };
    for isa in Isa::available() {
        let (lhs, rhs) = (Strided::rows(&a[..], 1), Strided::columns(&b[..], 7));
        let shape = GemmShape { m: 1, n: 7, k: 1 };
        let run = |scale: f32, zero: i32| {
            let mut c = [0u8; 7];
            let epilogue = Epilogue8 { scale: Along::One(scale), zero, ..Epilogue8::default() };
            gemm8(
                &Threads::new(1),
                isa,
                signs,
                shape,
                Lhs8::Source(&lhs),
                Rhs8::Source(&rhs),
                &epilogue,
                &mut c,
            );
            c
        };
        assert_eq!(run(0.5, 10), [10, 12, 12, 10, 8, 74, 0]);
        assert_eq!(run(1e30, 10), [255, 255, 255, 0, 0, 255, 0]);
        assert_eq!(run(f32::NAN, 10), [0; 7]);
    }
}

#[test]
fn operands_smaller_than_the_shape_are_refused() {
    let (signs, shape) = (Signs { a: false, b: true }, GemmShape { m: 5, n: 20, k: 9 });
    let GemmShape { m, n, k } = shape;
    let bytes = vec![1u8; 1000];
    for isa in Isa::available() {
        let run = |a: usize, b: usize, scales: usize, c: usize| {
            let (a, b) = (Strided::rows(&bytes[..a], k), Strided::columns(&bytes[..b], n));
            let (scales, mut c) = (vec![1.0; scales], vec![0u8; c]);
            let e = Epilogue8 { scale: Along::Columns(&scales), ..Epilogue8::default() };
            let (a, b) = (Lhs8::Source(&a), Rhs8::Source(&b));
            let call = || gemm8(&Threads::new(1), isa, signs, shape, a, b, &e, &mut c);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_ok()
        };
        assert!(run(m * k, n * k, n, m * n));
        assert!(!run(m * k - 1, n * k, n, m * n));
        assert!(!run(m * k, n * k - 1, n, m * n));
        assert!(!run(m * k, n * k, n - 1, m * n));
        assert!(!run(m * k, n * k, n, m * n - 1));
    }
}

#[test]
fn zero_points_at_the_ends_of_the_range() {
    // The result's limits less its zero point leave the integers that `f32` has.
    for (zero, limits) in [(255 - i32::MAX, (0, 255)), (i32::MIN, (0, 255)), (i32::MAX, (255, 0))] {
        let (x, mut c) = ([255u8; 64], [0u8; 1]);
        let (a, b) = (Strided::rows(&x[..], 64), Strided::columns(&x[..], 1));
        let e = Epilogue8 { scale: Along::One(f32::MAX), zero, limits, ..Epilogue8::default() };
        for isa in Isa::available() {
            let (signs, shape) = (Signs { a: false, b: false }, GemmShape { m: 1, n: 1, k: 64 });
            let (a, b) = (Lhs8::Source(&a), Rhs8::Source(&b));
            gemm8(&Threads::new(1), isa, signs, shape, a, b, &e, &mut c);
        }
    }
}
