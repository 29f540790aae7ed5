//! Products, against loops.

use super::*;
use crate::element::{F4E2M1FN, F8E4M3FN, F8E5M2, F8E8M0FNU};
use half::{bf16, f16};

/// a·b + c of batches of [m, k] and [k, n].
fn product(a: &[f64], b: &[f64], c: &[f64], [batch, m, n, k]: [usize; 4]) -> Vec<f64> {
    let mut y = c.to_vec();
    for at in 0..batch {
        for i in 0..m {
            for j in 0..n {
                for l in 0..k {
                    y[(at * m + i) * n + j] += a[(at * m + i) * k + l] * b[(at * k + l) * n + j];
                }
            }
        }
    }
    y
}

fn wide(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| x.into()).collect()
}

#[test]
fn floats_of_each_width() {
    let (a, b, c) = (small(2 * 4 * 8, 1), small(2 * 8 * 2, 2), small(2 * 4 * 2, 3));
    // Numbers of so few bits that f16 sums are exact too.
    let expected: Vec<f32> =
        product(&wide(&a), &wide(&b), &wide(&c), [2, 4, 2, 8]).iter().map(|&x| x as f32).collect();
    let dims: [&[usize]; 3] = [&[2, 4, 8], &[2, 8, 2], &[2, 4, 2]];
    let head = |x: &str, y: &str| format!("%a: {x}[2, 4, 8], %b: {x}[2, 8, 2], %c: {y}[2, 4, 2]");
    let body = "%d = dot(%a, %b, %c) return %d";
    let c32 = tensor(&c, dims[2]);
    macro_rules! check {
        ($t:ty, $name:literal, $from:expr) => {
            let [a, b] = [&a, &b].map(|x| x.iter().map($from).collect::<Vec<$t>>());
            let args = [tensor(&a, dims[0]), tensor(&b, dims[1]), c32.clone()];
            assert_eq!(elements::<f32>(&run(&head($name, "f32"), body, &args)[0]), expected);
        };
    }
    check!(f32, "f32", |&x| x);
    check!(f64, "f64", |&x| f64::from(x));
    check!(f16, "f16", |&x| f16::from_f32(x));
    check!(bf16, "bf16", |&x| bf16::from_f32(x));
    let [h, g, s] = [&a, &b, &c].map(|x| x.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>());
    let args = [tensor(&h, dims[0]), tensor(&g, dims[1]), tensor(&s, dims[2])];
    let narrow = elements::<f16>(&run(&head("f16", "f16"), body, &args)[0]);
    assert!(narrow.iter().zip(&expected).all(|(y, &e)| *y == f16::from_f32(e)));
}

#[test]
fn integers_sum_in_the_type_of_the_sum() {
    let a: Vec<i8> = numbers(32, 1).iter().map(|&x| x as i8).collect();
    let b: Vec<i8> = numbers(32, 2).iter().map(|&x| x as i8).collect();
    let args = [tensor(&a, &[2, 16]), tensor(&b, &[16, 2]), tensor(&[i32::MAX, 1, 2, 3], &[2, 2])];
    let out =
        run("%a: i8[2, 16], %b: i8[16, 2], %c: i32[2, 2]", "%d = dot(%a, %b, %c) return %d", &args);
    let mut expected = [i32::MAX, 1, 2, 3];
    for (at, y) in expected.iter_mut().enumerate() {
        for k in 0..16 {
            *y = y.wrapping_add(i32::from(a[at / 2 * 16 + k]) * i32::from(b[k * 2 + at % 2]));
        }
    }
    assert_eq!(elements::<i32>(&out[0]), expected);
}

#[test]
fn every_precision_keeps_all_bits_of_the_factors() {
    // Bits that tf32 and bf16 lack.
    let (a, b) = (1.0 + 2f32.powi(-9) + 2f32.powi(-20), 1.0 + 2f32.powi(-23));
    for precision in ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"] {
        let args = [tensor(&[a], &[1, 1]), tensor(&[b], &[1, 1]), tensor(&[0f64], &[1, 1])];
        let body = format!("%d = dot(%a, %b, %c) {{precision = \"{precision}\"}} return %d");
        let found = run("%a: f32[1, 1], %b: f32[1, 1], %c: f64[1, 1]", &body, &args);
        assert_eq!(elements::<f64>(&found[0]), [f64::from(a) * f64::from(b)], "{precision}");
    }
}

/// The factors of one operand of `dot_scaled` by format, [rows, columns] of bytes or halves, and their values.
fn factors(format: &str, rows: usize, columns: usize, seed: u64) -> (InterpValue, Vec<f64>) {
    let codes = numbers(rows * columns, seed);
    let dims = [rows, columns];
    match format {
        // Without the codes of infinities and NaN.
        "e4m3" => {
            let codes: Vec<u64> = codes.iter().map(|x| (x % 0x70) | ((x & 0x8000) >> 8)).collect();
            let values = codes.iter().map(|&x| F8E4M3FN(x as u8).to_f32().into()).collect();
            (bits(DType::F8E4M3FN, &codes, &dims), values)
        }
        "e5m2" => {
            let codes: Vec<u64> =
                codes.iter().map(|x| (x % 0x40 + 0x20) | ((x & 0x8000) >> 8)).collect();
            let values = codes.iter().map(|&x| F8E5M2(x as u8).to_f32().into()).collect();
            (bits(DType::F8E5M2, &codes, &dims), values)
        }
        "bf16" => {
            let x: Vec<bf16> =
                small(rows * columns, seed).into_iter().map(bf16::from_f32).collect();
            (tensor(&x, &dims), x.iter().map(|&x| x.into()).collect())
        }
        _ => {
            let x: Vec<f16> = small(rows * columns, seed).into_iter().map(f16::from_f32).collect();
            (tensor(&x, &dims), x.iter().map(|&x| x.into()).collect())
        }
    }
}

#[test]
fn scaled_products_of_each_format() {
    let (m, n, k) = (4, 8, 64);
    let types = [("e4m3", "f8e4m3fn"), ("e5m2", "f8e5m2"), ("bf16", "bf16"), ("fp16", "f16")];
    for (i, (a_format, a_type)) in types.into_iter().enumerate() {
        let (b_format, b_type) = types[(i + 1) % 4];
        let ((a, mut x), (b, mut y)) = (factors(a_format, m, k, 5), factors(b_format, k, n, 6));
        let c = small(m * n, 7);
        // Powers of two near 1 for rows of a, e4m3 numbers in groups of 16 for columns of b.
        let sa: Vec<u64> = numbers(m * 2, 8).iter().map(|x| 124 + x % 8).collect();
        let sb: Vec<u64> = numbers(n * 4, 9).iter().map(|x| 0x30 + x % 16).collect();
        let args = [
            a,
            b,
            tensor(&c, &[m, n]),
            bits(DType::I8, &sa, &[m, 2]),
            bits(DType::F8E4M3FN, &sb, &[n, 4]),
        ];
        let head = format!(
            "%a: {a_type}[4, 64], %b: {b_type}[64, 8], %c: f32[4, 8], %sa: i8[4, 2], %sb: f8e4m3fn[8, 4]"
        );
        let attrs = format!("a_format = \"{a_format}\", b_format = \"{b_format}\"");
        let body = format!(
            "%p = dot_scaled(%a, %b, %c) {{{attrs}}} %s = dot_scaled(%a, %b, %c, %sa, %sb) {{{attrs}}} return %p, %s"
        );
        let out = run(&head, &body, &args);
        let close = |out: &InterpValue, expected: Vec<f64>| {
            for (y, e) in elements::<f32>(out).into_iter().zip(expected) {
                assert!(
                    (f64::from(y) - e).abs() <= 1e-6 * e.abs().max(1.0),
                    "{a_format}: {y}, expected {e}"
                );
            }
        };
        close(&out[0], product(&x, &y, &wide(&c), [1, m, n, k]));
        for (at, x) in x.iter_mut().enumerate() {
            *x *= f64::from(F8E8M0FNU(sa[at / k * 2 + at % k / 32] as u8).to_f32());
        }
        for (at, y) in y.iter_mut().enumerate() {
            *y *= f64::from(F8E4M3FN(sb[at % n * 4 + at / n / 16] as u8).to_f32());
        }
        close(&out[1], product(&x, &y, &wide(&c), [1, m, n, k]));
    }
}

#[test]
fn four_bit_factors_are_packed_along_either_axis() {
    let (m, n, k) = (4, 4, 32);
    let nibbles: Vec<u64> = numbers(m * k, 3).iter().map(|x| x & 15).collect();
    let value = |code: u64| f64::from(F4E2M1FN(code as u8).to_f32());
    let ones = tensor(&vec![bf16::ONE; k * n], &[k, n]);
    let by_row: Vec<f64> =
        nibbles.chunks(k).map(|row| row.iter().map(|&x| value(x)).sum()).collect();
    let expected: Vec<f32> = by_row.iter().flat_map(|&sum| [sum as f32; 4]).collect();
    let zero = tensor(&vec![0f32; m * n], &[m, n]);
    let along_k: Vec<u64> = nibbles.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
    let along_m: Vec<u64> = (0..m * k / 2)
        .map(|i| nibbles[i / k * 2 * k + i % k] | nibbles[(i / k * 2 + 1) * k + i % k] << 4)
        .collect();
    for (pack, codes, dims) in [(1, &along_k, [m, k / 2]), (0, &along_m, [m / 2, k])] {
        let args = [bits(DType::I8, codes, &dims), ones.clone(), zero.clone()];
        let head = format!("%a: i8[{}, {}], %b: bf16[32, 4], %c: f32[4, 4]", dims[0], dims[1]);
        let body = format!(
            "%y = dot_scaled(%a, %b, %c) {{a_format = \"e2m1\", b_format = \"bf16\", a_k_pack = {pack}}} return %y"
        );
        assert_eq!(elements::<f32>(&run(&head, &body, &args)[0]), expected, "a_k_pack = {pack}");
    }
    // As right factor the same numbers, transposed.
    let transposed: Vec<u64> = (0..k * m).map(|i| nibbles[i % m * k + i / m]).collect();
    let along_k: Vec<u64> = (0..k * m / 2)
        .map(|i| transposed[i / m * 2 * m + i % m] | transposed[(i / m * 2 + 1) * m + i % m] << 4)
        .collect();
    let along_n: Vec<u64> = transposed.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
    let ones = tensor(&vec![bf16::ONE; n * k], &[n, k]);
    let expected: Vec<f32> = (0..n).flat_map(|_| by_row.iter().map(|&sum| sum as f32)).collect();
    for (pack, codes, dims) in [(1, &along_k, [k / 2, m]), (0, &along_n, [k, m / 2])] {
        let args = [ones.clone(), bits(DType::U8, codes, &dims), zero.clone()];
        let head = format!("%a: bf16[4, 32], %b: u8[{}, {}], %c: f32[4, 4]", dims[0], dims[1]);
        let body = format!(
            "%y = dot_scaled(%a, %b, %c) {{a_format = \"bf16\", b_format = \"e2m1\", b_k_pack = {pack}}} return %y"
        );
        assert_eq!(elements::<f32>(&run(&head, &body, &args)[0]), expected, "b_k_pack = {pack}");
    }
}

#[test]
fn a_scale_of_nan_makes_its_groups_nan() {
    let args = [
        tensor(&[f16::ONE; 64], &[2, 32]),
        tensor(&[f16::ONE; 64], &[32, 2]),
        tensor(&[0f32; 4], &[2, 2]),
        bits(DType::U8, &[0xff, 128], &[2, 1]),
    ];
    let head = "%a: f16[2, 32], %b: f16[32, 2], %c: f32[2, 2], %s: u8[2, 1]";
    let body =
        "%y = dot_scaled(%a, %b, %c, %s) {a_format = \"fp16\", b_format = \"fp16\"} return %y";
    let y = elements::<f32>(&run(head, body, &args)[0]);
    assert!(y[0].is_nan() && y[1].is_nan());
    assert_eq!(y[2..], [64.0, 64.0]);
}
