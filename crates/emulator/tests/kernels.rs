//! Correct kernels give the right results, and no reports when checked.
#![allow(unsafe_code)] // commits batches

mod common;

use common::{Rig, bytes_of, noise, read};

/// Runs a test plainly and checked; a checked kernel must have no reports.
fn both(source: &str, test: impl Fn(&Rig)) {
    for checked in [false, true] {
        let rig = Rig::new(source, checked).unwrap_or_else(|error| panic!("{error}"));
        test(&rig);
        assert_eq!(rig.emulator.take_reports(), []);
    }
}

#[test]
fn vector_add_with_mask_and_tail() {
    both(include_str!("kernels/vadd.metal"), |rig| {
        let n = 10_003;
        let (a, b) = (noise(n, 1), noise(n, 2));
        let mask: Vec<u8> = (0..n).map(|i| (i % 3 != 0).into()).collect();
        let out = rig.buffer(&vec![0f32; n]);
        let mut sizes = (n as u32).to_le_bytes().to_vec();
        sizes.extend(0.5f32.to_le_bytes());
        let dispatch = rig
            .dispatch([(n as u32).div_ceil(1024), 1, 1], [256, 1, 1])
            .buffer(0, &rig.buffer(&a), 0)
            .buffer(1, &rig.buffer(&b), 0)
            .buffer(2, &rig.buffer(&mask), 0)
            .buffer(3, &out, 0)
            .bytes(4, &sizes);
        rig.run(dispatch).unwrap();
        for (i, got) in read::<f32>(&out).into_iter().enumerate() {
            let want = if mask[i] != 0 { a[i] + 0.5 * b[i] } else { a[i] };
            assert_eq!(got, want, "element {i}");
        }
    });
}

#[test]
fn softmax_of_rows() {
    both(include_str!("kernels/softmax.metal"), |rig| {
        let (rows, cols) = (16, 1000);
        let x = noise(rows * cols, 3);
        let out = rig.buffer(&vec![0f32; rows * cols]);
        let dispatch = rig
            .dispatch([rows as u32, 1, 1], [256, 1, 1])
            .buffer(0, &rig.buffer(&x), 0)
            .buffer(1, &out, 0)
            .bytes(2, &(cols as u32).to_le_bytes());
        rig.run(dispatch).unwrap();
        for (row, got) in x.chunks(cols).zip(read::<f32>(&out).chunks(cols)) {
            let max = row.iter().copied().fold(f32::MIN, f32::max);
            let exp: Vec<f64> = row.iter().map(|x| f64::from(x - max).exp()).collect();
            let sum: f64 = exp.iter().sum();
            for (want, got) in exp.iter().zip(got) {
                assert!((want / sum - f64::from(*got)).abs() < 1e-8);
            }
        }
    });
}

fn half(x: f32) -> u16 {
    // The numbers of these tests are normal, and the error of cutting them off is part of the input.
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 127 + 15;
    if exponent <= 0 {
        return 0;
    }
    (bits >> 16 & 0x8000) as u16 | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16
}

fn half_to_f64(h: u16) -> f64 {
    if h & 0x7fff == 0 {
        return 0.0;
    }
    let scale = f64::from((h >> 10 & 31) as i32 - 15).exp2();
    let value = (1.0 + f64::from(h & 0x3ff) / 1024.0) * scale;
    if h & 0x8000 == 0 { value } else { -value }
}

#[test]
fn product_of_matrices_of_simdgroups() {
    both(include_str!("kernels/matmul.metal"), |rig| {
        let (m, n, k) = (64, 96, 48);
        let a: Vec<u16> = noise(m * k, 4).into_iter().map(half).collect();
        let b: Vec<u16> = noise(k * n, 5).into_iter().map(half).collect();
        let c = rig.buffer(&vec![0f32; m * n]);
        let dispatch = rig
            .dispatch([n as u32 / 32, m as u32 / 32, 1], [128, 1, 1])
            .buffer(0, &rig.buffer(&a), 0)
            .buffer(1, &rig.buffer(&b), 0)
            .buffer(2, &c, 0)
            .bytes(3, &bytes_of(&[m as u32, n as u32, k as u32]));
        rig.run(dispatch).unwrap();
        for (i, got) in read::<f32>(&c).into_iter().enumerate() {
            let (row, column) = (i / n, i % n);
            let terms =
                (0..k).map(|j| half_to_f64(a[row * k + j]) * half_to_f64(b[j * n + column]));
            let want: f64 = terms.sum();
            assert!((want - f64::from(got)).abs() < 1e-4, "{row}, {column}: {want} {got}");
        }
    });
}

#[test]
fn histogram_with_atomics() {
    both(include_str!("kernels/histogram.metal"), |rig| {
        let n = 5001;
        let x: Vec<u32> = noise(n, 6).into_iter().map(|x| (x.abs() * 997.0) as u32).collect();
        let (h, total) = (rig.buffer(&[0u32; 16]), rig.buffer(&[0f32]));
        let dispatch = rig
            .dispatch([(n as u32).div_ceil(256), 1, 1], [256, 1, 1])
            .buffer(0, &rig.buffer(&x), 0)
            .buffer(1, &h, 0)
            .buffer(2, &total, 0)
            .bytes(3, &(n as u32).to_le_bytes())
            .threadgroup(0, 64);
        rig.run(dispatch).unwrap();
        let mut want = [0u32; 16];
        x.iter().for_each(|x| want[*x as usize % 16] += 1);
        assert_eq!(read::<u32>(&h), want);
        assert_eq!(read::<f32>(&total), [n as f32]);
    });
}

#[test]
fn bfloat_matrices_packed_vectors_and_constant_structs() {
    both(include_str!("kernels/mixed.metal"), |rig| {
        let bfloat = |x: &f32| (x.to_bits() >> 16) as u16;
        let value = |x: u16| f64::from(f32::from_bits(u32::from(x) << 16));
        let a: Vec<u16> = noise(64, 7).iter().map(bfloat).collect();
        let b: Vec<u16> = noise(64, 8).iter().map(bfloat).collect();
        let (c, p) = (rig.buffer(&[0f32; 64]), rig.buffer(&[0f32; 96]));
        let mut settings = bytes_of(&[1f32, 2.0, 3.0]);
        settings.extend([0x00, 0x3c, 0, 0, 5, 0, 0, 0]);
        let dispatch = rig
            .dispatch([1, 1, 1], [32, 1, 1])
            .buffer(0, &rig.buffer(&a), 0)
            .buffer(1, &rig.buffer(&b), 0)
            .buffer(2, &c, 0)
            .bytes(3, &settings)
            .buffer(4, &p, 0);
        rig.run(dispatch).unwrap();
        for (i, got) in read::<f32>(&c).into_iter().enumerate() {
            let (row, column) = (i / 8, i % 8);
            let terms = (0..8).map(|k| value(a[k * 8 + row]) * value(b[k * 8 + column]));
            assert!((2.0 * terms.sum::<f64>() - f64::from(got)).abs() < 1e-6);
        }
        for (i, got) in read::<f32>(&p).into_iter().enumerate() {
            assert_eq!(got, (i % 3 + 1) as f32 * (i / 3 + 1) as f32);
        }
    });
}

#[test]
fn attention_with_an_online_softmax() {
    both(include_str!("kernels/attention.metal"), |rig| {
        let (queries, keys, d, scale) = (64, 96, 64, 0.125f32);
        let random = |rows: usize, seed| noise(rows * d, seed).into_iter().map(half);
        let q: Vec<u16> = random(queries, 9).collect();
        let (k, v): (Vec<u16>, Vec<u16>) = (random(keys, 10).collect(), random(keys, 11).collect());
        let out = rig.buffer(&vec![0f32; queries * d]);
        let mut args = (keys as u32).to_le_bytes().to_vec();
        args.extend(scale.to_le_bytes());
        let dispatch = rig
            .dispatch([queries as u32 / 32, 1, 1], [128, 1, 1])
            .buffer(0, &rig.buffer(&q), 0)
            .buffer(1, &rig.buffer(&k), 0)
            .buffer(2, &rig.buffer(&v), 0)
            .buffer(3, &out, 0)
            .bytes(4, &args);
        rig.run(dispatch).unwrap();
        let got = read::<f32>(&out);
        for row in 0..queries {
            let score = |key: usize| {
                let terms =
                    (0..d).map(|c| half_to_f64(q[row * d + c]) * half_to_f64(k[key * d + c]));
                (terms.sum::<f64>() * f64::from(scale)).exp()
            };
            let scores: Vec<f64> = (0..keys).map(score).collect();
            let sum: f64 = scores.iter().sum();
            for c in 0..d {
                let terms =
                    scores.iter().enumerate().map(|(key, s)| s * half_to_f64(v[key * d + c]));
                let want = terms.sum::<f64>() / sum;
                let got = f64::from(got[row * d + c]);
                assert!((want - got).abs() < 1e-3, "{row}, {c}: {want} {got}");
            }
        }
    });
}
