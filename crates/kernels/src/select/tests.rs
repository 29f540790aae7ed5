//! Selections are what a stable sort of each line gives.

use std::cmp::Ordering;

use super::*;
use crate::test_data::Random;

/// The places of the first `k` elements of a line by a stable sort, NaN above everything.
#[allow(clippy::eq_op)]
fn sorted<T: PartialOrd + Copy>(line: &[T], largest: bool, k: usize) -> Vec<i64> {
    let order = |a: T, b: T| a.partial_cmp(&b).unwrap_or_else(|| (a != a).cmp(&(b != b)));
    let mut places: Vec<usize> = (0..line.len()).collect();
    places.sort_by(|&a, &b| {
        let order = order(line[a], line[b]);
        if largest { order.reverse() } else { order }.then(Ordering::Equal)
    });
    places[..k].iter().map(|&place| place as i64).collect()
}

/// Compares selections of several `k` with those of a sort.
fn check<T: Ranked>(x: &[T], dims: [usize; 3], ks: &[usize]) {
    let [outer, n, inner] = dims;
    for largest in [false, true] {
        for &k in ks {
            let selection = Selection { outer, n, inner, k };
            let mut want = vec![];
            for line in 0..outer * inner {
                let start = line / inner * n * inner + line % inner;
                let line: Vec<T> = (0..n).map(|place| x[start + place * inner]).collect();
                want.extend(sorted(&line, largest, k));
            }
            for threads in [1, 4] {
                let mut places = vec![-1; outer * inner * k];
                selection.places(&Threads::new(threads), x, largest, &mut places);
                assert!(places == want, "{selection:?}, largest: {largest}, {threads} threads");
            }
        }
    }
}

/// Few different elements with NaN, infinities and both zeros among them, so that most have equals.
fn special(random: &mut Random, len: usize) -> Vec<f32> {
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, -f32::NAN];
    let mut element = || match random.below(20) {
        i if i < special.len() => special[i],
        i => i as f32 - 12.0,
    };
    (0..len).map(|_| element()).collect()
}

#[test]
fn short_lines() {
    let mut random = Random::new(1);
    for dims in [[1, 1, 1], [3, 7, 1], [1, 5, 40], [2, 300, 17], [5, 2000, 3], [70, 900, 1]] {
        let [outer, n, inner] = dims;
        let ks = [0, 1, 2, n / 3, n - 1, n].map(|k: usize| k.min(n));
        let len = outer * n * inner;
        check(&special(&mut random, len), dims, &ks);
        check(&random.f32s(len), dims, &ks);
        let ints: Vec<i64> = (0..len).map(|_| random.below(50) as i64 - 25).collect();
        check(&ints, dims, &ks);
        check(&ints.iter().map(|&i| i as i32).collect::<Vec<_>>(), dims, &ks);
        check(&ints.iter().map(|&i| i.cast_unsigned()).collect::<Vec<_>>(), dims, &ks);
        check(&ints.iter().map(|&i| i as f64 / 3.0).collect::<Vec<_>>(), dims, &ks);
    }
}

#[test]
fn empty_lines() {
    check::<f32>(&[], [3, 0, 2], &[0]);
    check::<f32>(&[], [0, 5, 2], &[0, 5]);
    check::<f32>(&[], [2, 5, 0], &[3]);
}

/// Lines of several parts, the last of which is short.
#[test]
fn long_lines() {
    let mut random = Random::new(2);
    let n = 2 * PART + 77;
    check(&special(&mut random, n), [1, n, 1], &[1, 100, PART + 5, n]);
    check(&random.f32s(2 * n), [2, n, 1], &[33, n / 2]);
    check(&random.f32s(3 * n), [1, n, 3], &[5, n / 2]);
    check(
        &special(&mut random, n).iter().map(|&x| x.into()).collect::<Vec<f64>>(),
        [1, n, 1],
        &[9],
    );
}

/// Each element is better than all before it, or worse.
#[test]
fn sorted_lines() {
    let n = 2 * PART + 1;
    let rising: Vec<i32> = (0..n as i32).collect();
    let falling: Vec<i32> = (0..n as i32).rev().collect();
    for x in [rising, falling, vec![7; n]] {
        check(&x, [1, n, 1], &[1, 300, n - 1]);
        check(&x[..40_000], [10, 4000, 1], &[1, 300]);
        check(&x[..40_000], [1, 4000, 10], &[1, 300]);
    }
}

#[test]
fn memory_grows_with_k_and_not_with_the_number_of_lines() {
    let bytes = |outer, n, inner, k| Selection { outer, n, inner, k }.working_bytes::<f32>(2);
    assert!(bytes(64, 50_000, 1, 5) <= 2 * 256 * 8);
    assert_eq!(bytes(64, 50_000, 1, 5), bytes(6400, 50_000, 1, 5));
    assert!(bytes(1, 1 << 20, 1, 100) < 1 << 16);
    let all = bytes(1, 1 << 24, 1, 1 << 24);
    assert!((1 << 28..1 << 29).contains(&all), "{all}");
    assert!(bytes(1, 1 << 20, 1 << 10, 1 << 19) < 1 << 28);
}
