use crate::testing::{ABSENT, elements, run_on, tensor};
use trident_ir::element::B8;
use trident_ir::{Attr, OpKind};
use trident_runtime::Value;

fn ramp(n: usize, seed: u32) -> Vec<f32> {
    let mut s = seed;
    (0..n)
        .map(|_| {
            s = s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (s >> 8) as f32 / 8_388_608.0 - 1.0
        })
        .collect()
}

/// One head by the definition in f64; `allowed(i, j)` tells which keys a query attends.
fn naive(
    (q, k, v): (&[f32], &[f32], &[f32]),
    (size, v_size): (usize, usize),
    allowed: impl Fn(usize, usize) -> bool,
) -> Vec<f64> {
    let mut out = Vec::new();
    for (i, q) in q.chunks(size).enumerate() {
        let score = |k: &[f32]| {
            let dot: f64 = q.iter().zip(k).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            (dot / (size as f64).sqrt()).exp()
        };
        let weights: Vec<f64> = k
            .chunks(size)
            .enumerate()
            .map(|(j, k)| if allowed(i, j) { score(k) } else { 0.0 })
            .collect();
        let sum: f64 = weights.iter().sum();
        for c in 0..v_size {
            let y: f64 =
                weights.iter().zip(v.chunks(v_size)).map(|(w, v)| w * f64::from(v[c])).sum();
            out.push(if sum == 0.0 { 0.0 } else { y / sum });
        }
    }
    out
}

fn close(actual: &[f32], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (a, e) in actual.iter().zip(expected) {
        assert!((f64::from(*a) - e).abs() < 1e-5, "{a} instead of {e}");
    }
}

fn attend(threads: usize, attrs: &[(&'static str, Attr)], inputs: Vec<Option<Value>>) -> Vec<f32> {
    elements(&run_on(threads, OpKind::Attention, attrs, inputs, 1).unwrap()[0])
}

const CAUSAL: (&str, Attr) = ("is_causal", Attr::Int(1));

#[test]
fn grouped_causal_heads_match_the_definition_on_any_number_of_threads() {
    let (heads, len, keys, size, v_size) = (4, 150, 150, 5, 3);
    let q = ramp(heads * len * size, 1);
    let (k, v) = (ramp(2 * keys * size, 2), ramp(2 * keys * v_size, 3));
    let inputs = || {
        vec![
            Some(tensor(&[1, heads, len, size], &q)),
            Some(tensor(&[1, 2, keys, size], &k)),
            Some(tensor(&[1, 2, keys, v_size], &v)),
        ]
    };
    let y = attend(1, &[CAUSAL], inputs());
    assert_eq!(y, attend(3, &[CAUSAL], inputs()));
    for h in 0..heads {
        let (kv, n) = (h / 2, len * size);
        let operands = (
            &q[h * n..(h + 1) * n],
            &k[kv * keys * size..(kv + 1) * keys * size],
            &v[kv * keys * v_size..(kv + 1) * keys * v_size],
        );
        let expected = naive(operands, (size, v_size), |i, j| j <= i);
        close(&y[h * len * v_size..(h + 1) * len * v_size], &expected);
    }
}

#[test]
fn masks_windows_and_rows_without_keys() {
    let (q, k, v) = (ramp(6, 4), ramp(10, 5), ramp(5, 6));
    let operands = |extra: Vec<Option<Value>>| {
        let mut all = vec![
            Some(tensor(&[1, 1, 3, 2], &q)),
            Some(tensor(&[1, 1, 5, 2], &k)),
            Some(tensor(&[1, 1, 5, 1], &v)),
        ];
        all.extend(extra);
        all
    };
    let naive = |f: &dyn Fn(usize, usize) -> bool| naive((&q, &k, &v), (2, 1), f);
    // A mask shorter than the keys leaves the rest out; its second row has no key at all.
    let allowed = [[true, false, true], [false; 3], [true, true, true]];
    let flat: Vec<B8> = allowed.iter().flatten().map(|&b| b.into()).collect();
    let y = attend(1, &[], operands(vec![Some(tensor(&[3, 3], &flat))]));
    close(&y, &naive(&|i, j| j < 3 && allowed[i][j]));
    assert_eq!(y[1], 0.0);
    let windows = [("left_window_size", Attr::Int(1)), ("right_window_size", Attr::Int(2))];
    let y = attend(1, &windows, operands(vec![]));
    close(&y, &naive(&|i, j| j + 1 >= i && j <= i + 2));
    // Two valid keys for three queries: the causal offset is −1, the first query attends nothing.
    let lens = vec![ABSENT, ABSENT, ABSENT, Some(tensor(&[1], &[2i64]))];
    let y = attend(1, &[CAUSAL], operands(lens));
    close(&y, &naive(&|i, j| j < 2 && j < i));
    let window = [("left_window_size", Attr::Int(-2))];
    assert!(run_on(1, OpKind::Attention, &window, operands(vec![]), 1).is_err());
}

#[test]
fn a_cache_equals_longer_keys_and_packed_heads_equal_split_ones() {
    let (q, k, v) = (ramp(2 * 3, 7), ramp(2 * 4 * 3, 8), ramp(2 * 4 * 3, 9));
    let heads = |data: &[f32], rows: std::ops::Range<usize>| -> Vec<f32> {
        data.chunks(12).flat_map(|h| h[rows.start * 3..rows.end * 3].to_vec()).collect()
    };
    let four = |n: usize, data: &[f32]| Some(tensor(&[1, 2, n, 3], data));
    let whole = attend(1, &[], vec![four(1, &q), four(4, &k), four(4, &v)]);
    let inputs = vec![
        four(1, &q),
        four(1, &heads(&k, 3..4)),
        four(1, &heads(&v, 3..4)),
        ABSENT,
        four(3, &heads(&k, 0..3)),
        four(3, &heads(&v, 0..3)),
    ];
    let parts = run_on(1, OpKind::Attention, &[CAUSAL], inputs, 3).unwrap();
    assert_eq!(elements::<f32>(&parts[0]), whole);
    assert_eq!(elements::<f32>(&parts[1]), k);
    assert_eq!(elements::<f32>(&parts[2]), v);
    let packed = |data: &[f32]| {
        let n = data.len() / 6;
        let rows = (0..n).flat_map(|r| [&data[r * 3..][..3], &data[(n + r) * 3..][..3]].concat());
        Some(tensor(&[1, n, 6], &rows.collect::<Vec<_>>()))
    };
    let attrs = [("q_num_heads", Attr::Int(2)), ("kv_num_heads", Attr::Int(2))];
    assert_eq!(attend(1, &attrs, vec![packed(&q), packed(&k), packed(&v)]), whole);
    assert!(
        run_on(1, OpKind::Attention, &[], vec![packed(&q), packed(&k), packed(&v)], 1).is_err()
    );
}

#[test]
fn a_plain_mask_that_hides_every_key_gives_nan_as_softmax_does() {
    let (q, k, v) = (ramp(2 * 3, 7), ramp(4 * 3, 8), ramp(4 * 2, 9));
    // The first query sees no key, the second all but one.
    let mut mask = vec![f32::NEG_INFINITY; 4];
    mask.extend([0.0, f32::NEG_INFINITY, 0.0, 0.0]);
    let inputs = || {
        vec![
            Some(tensor(&[1, 1, 2, 3], &q)),
            Some(tensor(&[1, 1, 4, 3], &k)),
            Some(tensor(&[1, 1, 4, 2], &v)),
            Some(tensor(&[2, 4], &mask)),
        ]
    };
    let expected = naive((&q, &k, &v), (3, 2), |i, j| i == 1 && j != 1);
    close(&attend(1, &[], inputs()), &expected);
    let plain = attend(1, &[("plain_mask", Attr::Int(1))], inputs());
    assert!(plain[..2].iter().all(|y| y.is_nan()), "{plain:?}");
    close(&plain[2..], &expected[2..]);
}
