//! Products against a naive loop in `f64`.

use super::*;
use crate::test_data::Random;

/// Inputs that make `f64` sums exact would hide order; these are plain random numbers with a relative tolerance.
fn check(isa: Isa, threads: &Threads, m: usize, n: usize, k: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (a, b) = (random.f32s(m * k), random.f32s(k * n));
    let (row_bias, col_bias, residual) = (random.f32s(m), random.f32s(n), random.f32s(m * n));
    let transpose = |x: &[f32], rows: usize, cols: usize| -> Vec<f32> {
        (0..rows * cols).map(|i| x[i % rows * cols + i / rows]).collect()
    };
    let (at, bt) = (transpose(&a, m, k), transpose(&b, k, n));
    let a_rows = Strided::rows(&a, k);
    let b_cols = Strided::columns(&b, n);
    let a_t = Strided { data: &at[..], outer_stride: 1, k_stride: m };
    let b_t = Strided { data: &bt[..], outer_stride: k, k_stride: 1 };
    let packed_a = PackedA::new(isa, m, k, &a_rows);
    let packed_b = PackedB::new(isa, n, k, &b_t);
    let shape = GemmShape { m, n, k };
    for activation in
        [UnaryFunction::None, UnaryFunction::Clip { lo: -1.0, hi: 2.0 }, UnaryFunction::Tanh]
    {
        let epilogue = Epilogue {
            alpha: 0.5,
            row_bias: Some(&row_bias[..]),
            col_bias: Some(&col_bias[..]),
            residual: Some(&residual[..]),
            beta: -2.0,
            activation,
        };
        let mut first: Option<Vec<f32>> = None;
        for (lhs, rhs) in [
            (Lhs::Source(&a_rows as &dyn Source<f32>), Rhs::Source(&b_cols as &dyn Source<f32>)),
            (Lhs::Source(&a_t), Rhs::Source(&b_t)),
            (Lhs::Packed(&packed_a), Rhs::Source(&b_cols)),
            (Lhs::Packed(&packed_a), Rhs::Packed(&packed_b)),
        ] {
            let mut c = vec![f32::NAN; m * n];
            gemm(threads, isa, shape, lhs, rhs, &epilogue, &mut c);
            match &first {
                None => {
                    for (i, &got) in c.iter().enumerate() {
                        let (r, j) = (i / n, i % n);
                        let (mut sum, mut size) = (0.0f64, 1.0f64);
                        for p in 0..k {
                            let x = f64::from(a[r * k + p]) * f64::from(b[p * n + j]);
                            sum += x;
                            size += x.abs();
                        }
                        let v = 0.5 * sum + f64::from(row_bias[r]) + f64::from(col_bias[j])
                            - 2.0 * f64::from(residual[i]);
                        let want = activation.eval(v);
                        assert!(
                            (f64::from(got) - want).abs() <= 4e-7 * (size + 4.0),
                            "{isa:?} {m}x{n}x{k} {activation:?} at {r},{j}: {got} for {want}"
                        );
                    }
                    first = Some(c);
                }
                // The form of the operands never changes a bit.
                Some(first) => {
                    assert_eq!(bits(first), bits(&c), "{isa:?} {m}x{n}x{k} {activation:?}")
                }
            }
        }
    }
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn products_of_ragged_shapes() {
    let threads = Threads::new(3);
    for isa in Isa::available() {
        for (i, (m, n, k)) in [
            (1, 1, 1),
            (1, 49, 3),
            (2, 17, 5),
            (7, 48, 9),
            (8, 49, 300),
            (9, 97, 1),
            (16, 100, 33),
            (17, 53, 640),
            (33, 7, 291),
            (3, 8, 577),
            (40, 146, 70),
            (130, 61, 20),
            (5, 1, 40),
            (100, 3, 7),
        ]
        .into_iter()
        .enumerate()
        {
            check(isa, &threads, m, n, k, i as u64);
        }
        let mut random = Random::new(99);
        for seed in 0..12 {
            let mut up_to = |n| 1 + random.below(n);
            check(isa, &threads, up_to(70), up_to(150), up_to(400), seed);
        }
    }
}

#[test]
fn empty_extents() {
    let threads = Threads::new(2);
    for isa in Isa::available() {
        let run = |m, n, k, c: &mut [f32]| {
            let (a, b) = (vec![1.0f32; m * k], vec![1.0f32; k * n]);
            let bias = vec![3.0f32; n];
            let epilogue = Epilogue { col_bias: Some(&bias), ..Epilogue::default() };
            let (a, b) = (Strided::rows(&a, k), Strided::columns(&b, n));
            gemm(
                &threads,
                isa,
                GemmShape { m, n, k },
                Lhs::Source(&a),
                Rhs::Source(&b),
                &epilogue,
                c,
            );
        };
        run(0, 5, 3, &mut []);
        run(5, 0, 3, &mut []);
        let mut c = [f32::NAN; 6];
        run(2, 3, 0, &mut c);
        assert_eq!(c, [3.0; 6]);
    }
}

#[test]
fn the_thread_count_never_changes_a_bit() {
    let mut random = Random::new(5);
    for isa in Isa::available() {
        for (m, n, k) in
            [(64, 500, 300), (300, 49, 400), (1, 3000, 200), (200, 144, 100), (700, 8, 90)]
        {
            let (a, b) = (random.f32s(m * k), random.f32s(k * n));
            let run = |threads| {
                let mut c = vec![0.0; m * n];
                let (a, b) = (Strided::rows(&a, k), Strided::columns(&b, n));
                let epilogue = Epilogue { activation: UnaryFunction::Gelu, ..Epilogue::default() };
                let threads = Threads::new(threads);
                gemm(
                    &threads,
                    isa,
                    GemmShape { m, n, k },
                    Lhs::Source(&a),
                    Rhs::Source(&b),
                    &epilogue,
                    &mut c,
                );
                bits(&c)
            };
            let one = run(1);
            for t in [2, 3, 5] {
                assert_eq!(one, run(t), "{isa:?} {m}x{n}x{k} on {t} threads");
            }
        }
    }
}

#[test]
fn equal_columns_and_rows_give_equal_results() {
    let (m, n, k) = (21, 115, 700);
    let column = Random::new(3).f32s(k);
    let a: Vec<f32> = column.iter().cycle().take(m * k).copied().collect();
    let b: Vec<f32> = (0..k * n).map(|i| column[i / n] * 0.3).collect();
    for isa in Isa::available() {
        let mut c = vec![0.0; m * n];
        let (a, b) = (Strided::rows(&a, k), Strided::columns(&b, n));
        let threads = Threads::new(2);
        gemm(
            &threads,
            isa,
            GemmShape { m, n, k },
            Lhs::Source(&a),
            Rhs::Source(&b),
            &Epilogue::default(),
            &mut c,
        );
        assert!(c.iter().all(|x| x.to_bits() == c[0].to_bits()), "{isa:?}");
    }
}

#[test]
fn batches_and_half_precision_operands() {
    use half::{bf16, f16};
    let (m, n, k, batch) = (13, 50, 21, 5);
    let mut random = Random::new(8);
    let a: Vec<f16> = random.f32s(batch * m * k).into_iter().map(f16::from_f32).collect();
    let b: Vec<bf16> = random.f32s(k * n).into_iter().map(bf16::from_f32).collect();
    let residual = random.f32s(batch * m * n);
    for isa in Isa::available() {
        for threads in [1, 2, 4] {
            let lhs: Vec<_> = a.chunks(m * k).map(|a| Strided::rows(a, k)).collect();
            let rhs = Strided::columns(&b, n);
            let items: Vec<_> = lhs
                .iter()
                .map(|a| {
                    (Lhs::Source(a as &dyn Source<f32>), Rhs::Source(&rhs as &dyn Source<f32>))
                })
                .collect();
            let epilogue = Epilogue { residual: Some(&residual), ..Epilogue::default() };
            let mut c = vec![0.0; batch * m * n];
            gemm_batch(
                &Threads::new(threads),
                isa,
                GemmShape { m, n, k },
                &items,
                &epilogue,
                &mut c,
            );
            for (i, &got) in c.iter().enumerate() {
                let (item, r, j) = (i / (m * n), i / n % m, i % n);
                let sum: f64 = (0..k)
                    .map(|p| a[(item * m + r) * k + p].to_f64() * b[p * n + j].to_f64())
                    .sum();
                assert!((f64::from(got) - sum - f64::from(residual[i])).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn doubles() {
    let (m, n, k) = (19, 45, 310);
    let mut random = Random::new(4);
    let wide = |x: Vec<f32>| -> Vec<f64> { x.into_iter().map(f64::from).collect() };
    let (a, b) = (wide(random.f32s(m * k)), wide(random.f32s(k * n)));
    for isa in Isa::available() {
        let mut c = vec![0.0; m * n];
        let (lhs, rhs) = (Strided::rows(&a, k), Strided::columns(&b, n));
        let epilogue = Epilogue { activation: UnaryFunction::Sigmoid, ..Epilogue::default() };
        gemm(
            &Threads::new(2),
            isa,
            GemmShape { m, n, k },
            Lhs::Source(&lhs),
            Rhs::Source(&rhs),
            &epilogue,
            &mut c,
        );
        for (i, got) in c.iter().enumerate() {
            let sum: f64 = (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum();
            assert!((got - 1.0 / (1.0 + (-sum).exp())).abs() < 1e-12, "{isa:?}");
        }
    }
}

#[test]
fn operands_smaller_than_the_shape_are_refused() {
    let threads = Threads::new(1);
    let shape = GemmShape { m: 5, n: 70, k: 9 };
    let GemmShape { m, n, k } = shape;
    let full = Epilogue::<f32>::default();
    let ones = vec![1.0f32; 1000];
    for isa in Isa::available() {
        let run = |a: &[f32], b: Strided<'_, f32>, epilogue: &Epilogue<'_, f32>, c: usize| {
            let (a, mut c) = (Strided::rows(a, k), vec![0.0; c]);
            let (a, b) = (Lhs::Source(&a), Rhs::Source(&b));
            let call = || gemm(&threads, isa, shape, a, b, epilogue, &mut c);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_ok()
        };
        let columns = |b: usize| Strided::columns(&ones[..b], n);
        assert!(run(&ones[..m * k], columns(n * k), &full, m * n));
        assert!(!run(&ones[..m * k - 1], columns(n * k), &full, m * n));
        assert!(!run(&ones[..m * k], columns(n * k - 1), &full, m * n));
        assert!(!run(&ones[..m * k], columns(n * k), &full, m * n - 1));
        let far = Strided { data: &ones[..], outer_stride: 1, k_stride: usize::MAX / 4 };
        assert!(!run(&ones[..m * k], far, &full, m * n));
        let far = Strided { data: &ones[..], outer_stride: usize::MAX / 2 + 1, k_stride: 3 };
        assert!(!run(&ones[..m * k], far, &full, m * n));
        for short in [
            Epilogue { row_bias: Some(&ones[..m - 1]), ..full },
            Epilogue { col_bias: Some(&ones[..n - 1]), ..full },
            Epilogue { residual: Some(&ones[..m * n - 1]), ..full },
        ] {
            assert!(!run(&ones[..m * k], columns(n * k), &short, m * n));
        }
    }
}

#[test]
fn a_depth_beyond_all_memory_is_refused() {
    let shape = GemmShape { m: 1, n: 1, k: usize::MAX / 4 + 1 };
    let (one, mut c) = ([1.0f32], [0.0]);
    let repeated = Strided { data: &one[..], outer_stride: 1, k_stride: 0 };
    let call = || {
        let (a, b) = (Lhs::Source(&repeated), Rhs::Source(&repeated as &dyn Source<f32>));
        gemm(&Threads::new(1), Isa::detect(), shape, a, b, &Epilogue::default(), &mut c);
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
}

/// The root mean square of the errors of a product, relative to that of the exact results, in units of 2⁻²⁴.
fn error(isa: Isa, m: usize, n: usize, k: usize) -> f64 {
    let mut random = Random::new((m * n + k) as u64);
    let (a, b) = (random.f32s(m * k), random.f32s(k * n));
    let (lhs, rhs) = (Strided::rows(&a, k), Strided::columns(&b, n));
    let (lhs, rhs) = (Lhs::Source(&lhs as &dyn Source<f32>), Rhs::Source(&rhs as &dyn Source<f32>));
    let mut c = vec![0.0; m * n];
    gemm(&Threads::new(2), isa, GemmShape { m, n, k }, lhs, rhs, &Epilogue::default(), &mut c);
    let (mut errors, mut size) = (0.0, 0.0);
    for (i, got) in c.iter().enumerate() {
        let product = |p: usize| f64::from(a[i / n * k + p]) * f64::from(b[p * n + i % n]);
        let exact: f64 = (0..k).map(product).sum();
        errors += (f64::from(*got) - exact).powi(2);
        size += exact.powi(2);
    }
    f64::sqrt(errors / size) * f64::from(1 << 24)
}

/// With one chain of fused multiply-adds, the errors of 20,000 products are about 40 units.
#[test]
fn errors_of_long_sums_stay_small() {
    for isa in Isa::available() {
        for (m, n) in [(1, 200), (20, 49), (50, 3)] {
            let (short, long) = (error(isa, m, n, 100), error(isa, m, n, 20_000));
            assert!(long < 3.0 * short, "{isa:?} {m} × {n}: {short} for 100, {long} for 20,000");
        }
    }
}
