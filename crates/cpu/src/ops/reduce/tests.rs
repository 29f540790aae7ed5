//! Against naive loops and hand-computed edges.

use crate::test_data::Random;
use crate::testing::{elements, run, run_on, strings, tensor};
use half::f16;
use trident_ir::element::B8;
use trident_ir::{Attr, OpKind};
use trident_runtime::Value;

fn ints(v: &[i64]) -> Value {
    tensor(&[v.len()], v)
}

fn close(got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((f64::from(*g) - w).abs() <= 1e-5 * (1.0 + w.abs()), "{i}: {g} for {w}");
    }
}

#[test]
fn reductions_like_a_naive_loop() {
    let dims = [3usize, 5, 2, 37];
    let x = Random::new(7).f32s(dims.iter().product());
    for axes in [
        vec![],
        vec![-1i64],
        vec![0],
        vec![1, 2],
        vec![0, 3],
        vec![0, 2],
        vec![1, 3],
        vec![0, 1, 2],
    ] {
        let named: Vec<usize> = axes.iter().map(|a| a.rem_euclid(4) as usize).collect();
        let reduced = |a: usize| axes.is_empty() || named.contains(&a);
        let out: usize = (0..4).filter(|&a| !reduced(a)).map(|a| dims[a]).product();
        let mut groups = vec![vec![]; out];
        for (i, &v) in x.iter().enumerate() {
            let (mut rest, mut index) = (i, [0; 4]);
            (0..4).rev().for_each(|a| (index[a], rest) = (rest % dims[a], rest / dims[a]));
            let g = (0..4).filter(|&a| !reduced(a)).fold(0, |g, a| g * dims[a] + index[a]);
            groups[g].push(f64::from(v));
        }
        type Reduction = fn(&[f64]) -> f64;
        let ops: [(OpKind, Reduction); 6] = [
            (OpKind::ReduceSum, |v| v.iter().sum()),
            (OpKind::ReduceMean, |v| v.iter().sum::<f64>() / v.len() as f64),
            (OpKind::ReduceMax, |v| v.iter().copied().fold(f64::MIN, f64::max)),
            (OpKind::ReduceL1, |v| v.iter().map(|v| v.abs()).sum()),
            (OpKind::ReduceL2, |v| v.iter().map(|v| v * v).sum::<f64>().sqrt()),
            (OpKind::ReduceLogSumExp, |v| v.iter().map(|v| v.exp()).sum::<f64>().ln()),
        ];
        for (kind, f) in ops {
            let want: Vec<f64> = groups.iter().map(|g| f(g)).collect();
            let inputs = || vec![Some(tensor(&dims, &x)), Some(ints(&axes))];
            let one = run_on(1, kind, &[("keepdims", Attr::Int(0))], inputs(), 1).unwrap();
            let two = run_on(2, kind, &[], inputs(), 1).unwrap();
            assert_eq!(elements::<f32>(&one[0]), elements::<f32>(&two[0]));
            assert_eq!(two[0].as_tensor().unwrap().rank(), 4);
            close(&elements::<f32>(&one[0]), &want);
        }
    }
}

#[test]
fn reductions_of_integers_and_of_nothing() {
    let x = || tensor(&[2, 2], &[100i8, 27, -128, -1]);
    let axis = || ints(&[1]);
    assert_eq!(
        elements::<i8>(&run(OpKind::ReduceSum, &[], vec![x(), axis()]).unwrap()),
        [127, 127]
    );
    assert_eq!(
        elements::<i8>(&run(OpKind::ReduceMean, &[], vec![x(), axis()]).unwrap()),
        [63, -64]
    );
    let none = || tensor::<i8>(&[2, 0], &[]);
    assert_eq!(
        elements::<i8>(&run(OpKind::ReduceMax, &[], vec![none(), axis()]).unwrap()),
        [-128; 2]
    );
    assert_eq!(
        elements::<i8>(&run(OpKind::ReduceProd, &[], vec![none(), axis()]).unwrap()),
        [1; 2]
    );
    let none = tensor::<f16>(&[1, 0], &[]);
    assert_eq!(
        elements::<f16>(&run(OpKind::ReduceMin, &[], vec![none, axis()]).unwrap()),
        [f16::INFINITY]
    );
    let none = tensor::<f32>(&[1, 0], &[]);
    assert_eq!(
        elements::<f32>(&run(OpKind::ReduceLogSumExp, &[], vec![none, axis()]).unwrap()),
        [f32::NEG_INFINITY]
    );
    let truth = tensor(&[3], &[B8(0), B8(1), B8(0)]);
    assert_eq!(elements::<B8>(&run(OpKind::ReduceMax, &[], vec![truth]).unwrap()), [B8(1)]);
    let noop = [("noop_with_empty_axes", Attr::Int(1))];
    let square = run(OpKind::ReduceSumSquare, &noop, vec![tensor(&[2], &[2f32, -3.])]).unwrap();
    assert_eq!(elements::<f32>(&square), [4., 9.]);
    assert!(run(OpKind::ReduceSum, &[], vec![x(), ints(&[2])]).is_err());
}

#[test]
fn places_of_extremes() {
    let x = || tensor(&[2, 3], &[1f32, 3., 3., f32::NAN, 9., f32::NAN]);
    let at = |kind, last: i64| {
        let attrs = [("axis", Attr::Int(1)), ("select_last_index", Attr::Int(last))];
        elements::<i64>(&run(kind, &attrs, vec![x()]).unwrap())
    };
    assert_eq!(at(OpKind::ArgMax, 0), [1, 0]);
    assert_eq!(at(OpKind::ArgMax, 1), [2, 2]);
    assert_eq!(at(OpKind::ArgMin, 0), [0, 0]);
    let y = run_on(
        1,
        OpKind::TopK,
        &[],
        vec![Some(tensor(&[5], &[1u64, 5, u64::MAX, 5, 2])), Some(ints(&[3]))],
        2,
    )
    .unwrap();
    assert_eq!(elements::<u64>(&y[0]), [u64::MAX, 5, 5]);
    assert_eq!(elements::<i64>(&y[1]), [2, 1, 3]);
    assert!(
        run_on(1, OpKind::TopK, &[], vec![Some(tensor(&[1], &[1f32])), Some(ints(&[2]))], 2)
            .is_err()
    );
    let y =
        run(OpKind::Hardmax, &[("axis", Attr::Int(0))], vec![tensor(&[2, 2], &[1f32, 4., 1., 2.])])
            .unwrap();
    assert_eq!(elements::<f32>(&y), [1., 1., 0., 0.]);
    // A NaN is the greatest, wherever it stands.
    let x = tensor(&[2, 3], &[f32::NAN, 2.0, 3.0, 1.0, 2.0, f32::NAN]);
    let y = run(OpKind::Hardmax, &[], vec![x]).unwrap();
    assert_eq!(elements::<f32>(&y), [1., 0., 0., 0., 0., 1.]);
}

#[test]
fn running_sums() {
    let x = || tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
    let sum = |axis: i64, exclusive: i64, reverse: i64| {
        let attrs = [("exclusive", Attr::Int(exclusive)), ("reverse", Attr::Int(reverse))];
        elements::<i32>(&run(OpKind::CumSum, &attrs, vec![x(), tensor(&[], &[axis])]).unwrap())
    };
    assert_eq!(sum(1, 0, 0), [1, 3, 6, 4, 9, 15]);
    assert_eq!(sum(-1, 1, 1), [5, 3, 0, 11, 6, 0]);
    assert_eq!(sum(0, 0, 0), [1, 2, 3, 5, 7, 9]);
    let product = run(OpKind::CumProd, &[], vec![x(), tensor(&[], &[1i32])]).unwrap();
    assert_eq!(elements::<i32>(&product), [1, 2, 6, 4, 20, 120]);
}

#[test]
fn softmax_along_any_axis() {
    let dims = [4usize, 7, 5];
    let x = Random::new(3).f32s(140);
    for (axis, n, inner) in [(0i64, 4, 35), (1, 7, 5), (-1, 5, 1)] {
        let mut want = vec![0.0; 140];
        for i in 0..140 / n {
            let place = |k: usize| (i / inner * n + k) * inner + i % inner;
            let sum: f64 = (0..n).map(|k| f64::from(x[place(k)]).exp()).sum();
            (0..n).for_each(|k| want[place(k)] = f64::from(x[place(k)]).exp() / sum);
        }
        let attrs = [("axis", Attr::Int(axis))];
        close(
            &elements::<f32>(&run(OpKind::Softmax, &attrs, vec![tensor(&dims, &x)]).unwrap()),
            &want,
        );
        let logs: Vec<f64> = want.iter().map(|v| v.ln()).collect();
        close(
            &elements::<f32>(&run(OpKind::LogSoftmax, &attrs, vec![tensor(&dims, &x)]).unwrap()),
            &logs,
        );
        let double: Vec<f64> = x.iter().map(|&v| v.into()).collect();
        let double = run(OpKind::Softmax, &attrs, vec![tensor(&dims, &double)]).unwrap();
        close(&elements::<f64>(&double).iter().map(|&v| v as f32).collect::<Vec<_>>(), &want);
    }
}

#[test]
fn normalisations() {
    let (n, c, p) = (2usize, 4usize, 9usize);
    let mut random = Random::new(11);
    let (x, gamma, beta) = (random.f32s(n * c * p), random.f32s(c), random.f32s(c));
    let normal = |row: &[f32], eps: f64| -> Vec<f64> {
        let mean = row.iter().map(|&v| f64::from(v)).sum::<f64>() / row.len() as f64;
        let var =
            row.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / row.len() as f64;
        row.iter().map(|&v| (f64::from(v) - mean) / (var + eps).sqrt()).collect()
    };
    let inputs = || vec![tensor(&[n, c, p], &x), tensor(&[c], &gamma), tensor(&[c], &beta)];
    for groups in [1, 2, 4] {
        let mut want: Vec<f64> = x.chunks(c / groups * p).flat_map(|g| normal(g, 1e-5)).collect();
        for (i, w) in want.iter_mut().enumerate() {
            *w = *w * f64::from(gamma[i / p % c]) + f64::from(beta[i / p % c]);
        }
        let got =
            run(OpKind::GroupNormalization, &[("num_groups", Attr::Int(groups as i64))], inputs())
                .unwrap();
        close(&elements::<f32>(&got), &want);
        if groups == c {
            close(
                &elements::<f32>(&run(OpKind::InstanceNormalization, &[], inputs()).unwrap()),
                &want,
            );
        }
    }
    let want: Vec<f64> = x.chunks(c * p).flat_map(|r| normal(r, 1e-5)).collect();
    let ones = tensor(&[c, p], &vec![1f32; c * p]);
    let got = run_on(
        1,
        OpKind::LayerNormalization,
        &[("axis", Attr::Int(1))],
        vec![Some(tensor(&[n, c, p], &x)), Some(ones)],
        3,
    )
    .unwrap();
    close(&elements::<f32>(&got[0]), &want);
    assert_eq!(got[1].as_tensor().unwrap().dims(), [2, 1, 1]);
    // A scale of fewer elements than the row, and one that differs between rows.
    let half = run(
        OpKind::LayerNormalization,
        &[("axis", Attr::Int(1))],
        vec![tensor(&[n, c, p], &x), tensor(&[1], &[0.5f32])],
    );
    close(&elements::<f32>(&half.unwrap()), &want.iter().map(|v| v * 0.5).collect::<Vec<_>>());
    let each = run(
        OpKind::LayerNormalization,
        &[("axis", Attr::Int(1))],
        vec![tensor(&[n, c, p], &x), tensor(&[2, 1, 1], &[1f32, 2.])],
    );
    let doubled: Vec<f64> =
        want.iter().enumerate().map(|(i, v)| if i < c * p { *v } else { 2.0 * v }).collect();
    close(&elements::<f32>(&each.unwrap()), &doubled);
    assert!(
        run(
            OpKind::LayerNormalization,
            &[],
            vec![tensor(&[n, c, p], &x), tensor(&[2], &[1f32; 2])]
        )
        .is_err()
    );
}

#[test]
fn skip_normalisation_is_normalisation_of_the_sum() {
    let mut random = Random::new(5);
    let (x, s, g, b, bias) =
        (random.f32s(21), random.f32s(21), random.f32s(7), random.f32s(7), random.f32s(7));
    let sum: Vec<f32> = (0..21).map(|i| x[i] + s[i] + bias[i % 7]).collect();
    let t = |v: &[f32]| Some(if v.len() == 7 { tensor(&[7], v) } else { tensor(&[3, 7], v) });
    let got = run_on(
        1,
        OpKind::SkipLayerNormalization,
        &[],
        vec![t(&x), t(&s), t(&g), t(&b), t(&bias)],
        2,
    )
    .unwrap();
    let want = run_on(1, OpKind::LayerNormalization, &[], vec![t(&sum), t(&g), t(&b)], 1).unwrap();
    assert_eq!(elements::<f32>(&got[0]), elements::<f32>(&want[0]));
    assert_eq!(elements::<f32>(&got[1]), sum);
}

#[test]
fn batch_statistics() {
    let x = tensor(&[2, 1, 2], &[1f32, 2., 3., 6.]);
    let one = |v: f32| tensor(&[1], &[v]);
    let operands = || vec![x.clone(), one(2.), one(1.), one(3.), one(4.)];
    let y = run(OpKind::BatchNormalization, &[("epsilon", Attr::Float(0.0))], operands()).unwrap();
    assert_eq!(elements::<f32>(&y), [-1., 0., 1., 4.]);
    let attrs = [
        ("training_mode", Attr::Int(1)),
        ("epsilon", Attr::Float(0.0)),
        ("momentum", Attr::Float(0.5)),
    ];
    let y = run_on(
        1,
        OpKind::BatchNormalization,
        &attrs,
        operands().into_iter().map(Some).collect(),
        3,
    )
    .unwrap();
    // Mean 3, variance 3.5.
    close(&elements::<f32>(&y[0]), &[-2., -1., 0., 3.].map(|d: f64| d / 3.5f64.sqrt() * 2. + 1.));
    assert_eq!((elements::<f32>(&y[1])[0], elements::<f32>(&y[2])[0]), (3.0, 3.75));
    let y = run(OpKind::LpNormalization, &[], vec![tensor(&[2, 2], &[3f32, 4., 0., 0.])]).unwrap();
    assert_eq!(elements::<f32>(&y), [0.6, 0.8, 0., 0.]);
}

#[test]
fn distinct_elements_and_slices() {
    let all = |x: Value, attrs: &[(&'static str, Attr)]| {
        run_on(1, OpKind::Unique, attrs, vec![Some(x)], 4).unwrap()
    };
    let x = || tensor(&[6], &[2f32, 1., 1., 3., 4., 3.]);
    let y = all(x(), &[("sorted", Attr::Int(0))]);
    assert_eq!(elements::<f32>(&y[0]), [2., 1., 3., 4.]);
    assert_eq!(elements::<i64>(&y[1]), [0, 1, 3, 4]);
    assert_eq!(elements::<i64>(&y[2]), [0, 1, 1, 2, 3, 2]);
    assert_eq!(elements::<i64>(&y[3]), [1, 2, 2, 1]);
    let y = all(tensor(&[3, 2], &[5u8, 0, 1, 9, 5, 0]), &[("axis", Attr::Int(0))]);
    assert_eq!(elements::<u8>(&y[0]), [1, 9, 5, 0]);
    assert_eq!(elements::<i64>(&y[2]), [1, 0, 1]);
    let y = all(strings(&[3], &["b", "a", "b"]), &[]);
    assert_eq!(y[0].as_tensor().unwrap().strings().unwrap(), ["a", "b"]);
}
