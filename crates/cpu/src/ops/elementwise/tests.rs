//! Against plain loops and hand-computed edges.

use crate::test_data::Random;
use crate::testing::{elements, run, run_in_turn, run_on, tensor};
use half::f16;
use trident_ir::element::B8;
use trident_ir::{Attr, DType, OpKind};

#[test]
fn binary_ops_broadcast_like_a_naive_loop() {
    let mut random = Random::new(1);
    for (da, db) in [
        (vec![2, 3, 4], vec![2, 3, 4]),
        (vec![2, 3, 4], vec![]),
        (vec![1], vec![5, 7]),
        (vec![2, 1, 4], vec![3, 1]),
        (vec![3, 1], vec![1, 5]),
        (vec![0, 3], vec![1]),
        (vec![129, 517], vec![517]),
        (vec![70_001], vec![70_001]),
    ] {
        let (na, nb): (usize, usize) = (da.iter().product(), db.iter().product());
        let (a, b) = (random.f32s(na), random.f32s(nb));
        let mut dims = vec![0; da.len().max(db.len())];
        let dim =
            |d: &[usize], n: usize, i: usize| (i + d.len()).checked_sub(n).map_or(1, |j| d[j]);
        let n = dims.len();
        (0..n).for_each(|i| {
            dims[i] = if dim(&da, n, i) == 1 { dim(&db, n, i) } else { dim(&da, n, i) }
        });
        let at = |d: &[usize], flat: usize| {
            let (mut rest, mut at, mut stride) = (flat, 0, 1);
            for i in (0..n).rev() {
                let own = dim(d, n, i);
                at += if own == 1 { 0 } else { rest % dims[i] * stride };
                stride *= own;
                rest /= dims[i];
            }
            at
        };
        let len: usize = dims.iter().product();
        let want: Vec<f32> = (0..len).map(|i| a[at(&da, i)] - b[at(&db, i)]).collect();
        for threads in [1, 3] {
            let inputs = vec![Some(tensor(&da, &a)), Some(tensor(&db, &b))];
            let got = run_on(threads, OpKind::Sub, &[], inputs, 1).unwrap().remove(0);
            assert_eq!(got.as_tensor().unwrap().dims(), dims);
            assert_eq!(elements::<f32>(&got), want, "{da:?} - {db:?}");
        }
    }
    assert!(
        run(OpKind::Add, &[], vec![tensor(&[2], &[1.0f32; 2]), tensor(&[3], &[1.0f32; 3])])
            .is_err()
    );
    assert!(run(OpKind::Add, &[], vec![tensor(&[1], &[1.0f32]), tensor(&[1], &[1i64])]).is_err());
}

#[test]
fn integers_wrap_and_division_by_zero_is_an_error() {
    let t = |v: &[i8]| tensor(&[v.len()], v);
    let sum = run(OpKind::Add, &[], vec![t(&[127, -128]), t(&[1, -1])]).unwrap();
    assert_eq!(elements::<i8>(&sum), [-128, 127]);
    let q = run(OpKind::Div, &[], vec![t(&[-128, 7]), t(&[-1, -2])]).unwrap();
    assert_eq!(elements::<i8>(&q), [-128, -3]);
    assert!(run(OpKind::Div, &[], vec![t(&[1]), t(&[0])]).is_err());
    assert!(run(OpKind::Mod, &[], vec![tensor(&[1], &[1i64]), tensor(&[1], &[0i64])]).is_err());
    let u = |v: &[u64]| tensor(&[v.len()], v);
    let less = run(OpKind::Less, &[], vec![u(&[1, u64::MAX]), u(&[u64::MAX, 1])]).unwrap();
    assert_eq!(elements::<B8>(&less), [B8(1), B8(0)]);
}

#[test]
fn remainders_follow_the_sign_rules() {
    let t = |v: &[f32]| tensor(&[v.len()], v);
    let (a, b) = (
        t(&[-7.0, 7.0, -0.0, 5.0, -5.0, 1.0]),
        t(&[3.0, -3.0, 2.0, f32::INFINITY, f32::INFINITY, 0.0]),
    );
    let m = elements::<f32>(&run(OpKind::Mod, &[], vec![a.clone(), b.clone()]).unwrap());
    assert_eq!(m[..5], [2.0, -2.0, 0.0, 5.0, f32::INFINITY]);
    assert!(m[2].is_sign_positive() && m[5].is_nan());
    let f = elements::<f32>(&run(OpKind::Mod, &[("fmod", Attr::Int(1))], vec![a, b]).unwrap());
    assert_eq!(f[..5], [-1.0, 1.0, -0.0, 5.0, -5.0]);
}

#[test]
fn nan_wins_in_max_and_min() {
    let t = |v: &[f32]| tensor(&[v.len()], v);
    let xs = || vec![t(&[f32::NAN, 1.0, 2.0]), t(&[1.0, f32::NAN, 3.0]), t(&[0.0])];
    let max = elements::<f32>(&run(OpKind::Max, &[], xs()).unwrap());
    let min = elements::<f32>(&run(OpKind::Min, &[], xs()).unwrap());
    assert!(max[0].is_nan() && max[1].is_nan() && max[2] == 3.0);
    assert!(min[0].is_nan() && min[1].is_nan() && min[2] == 0.0);
    let mean = run(OpKind::Mean, &[], vec![t(&[1.0, 2.0]), t(&[3.0])]).unwrap();
    assert_eq!(elements::<f32>(&mean), [2.0, 2.5]);
    let max = run(OpKind::Max, &[], vec![tensor(&[1], &[-3i8]), tensor(&[2], &[-5i8, 4])]).unwrap();
    assert_eq!(elements::<i8>(&max), [-3, 4]);
}

#[test]
fn powers_of_mixed_types() {
    let run = |x, y| run(OpKind::Pow, &[], vec![x, y]).unwrap();
    let x = || tensor(&[3], &[1i32, 2, 3]);
    assert_eq!(elements::<i32>(&run(x(), tensor(&[3], &[4.0f32, 5.0, 0.5]))), [1, 32, 1]);
    assert_eq!(
        elements::<i32>(&run(x(), tensor(&[1], &[31i64]))),
        [1, i32::MIN, 3i32.wrapping_pow(31)]
    );
    assert_eq!(
        elements::<f32>(&run(tensor(&[2], &[2.0f32, 3.0]), tensor(&[], &[2i64]))),
        [4.0, 9.0]
    );
    let root = run(tensor(&[2], &[4.0f64, 0.0]), tensor(&[], &[0.5f32]));
    assert_eq!(elements::<f64>(&root), [2.0, 0.0]);
    let half = run(tensor(&[1], &[f16::from_f32(3.0)]), tensor(&[1], &[2.0f32]));
    assert_eq!(elements::<f16>(&half), [f16::from_f32(9.0)]);
}

#[test]
fn unary_ops_in_every_width() {
    let x = [-2.5f32, -0.5, 0.0, 0.5, 1.5, f32::INFINITY, f32::NAN];
    for (kind, f) in [
        (OpKind::Round, f32::round_ties_even as fn(f32) -> f32),
        (OpKind::Sqrt, f32::sqrt),
        (OpKind::Sin, f32::sin),
        (OpKind::Log, f32::ln),
        (OpKind::Abs, f32::abs),
        (OpKind::Exp, f32::exp),
        (OpKind::Tanh, f32::tanh),
    ] {
        let wide = elements::<f32>(&run(kind, &[], vec![tensor(&[7], &x)]).unwrap());
        let double =
            elements::<f64>(&run(kind, &[], vec![tensor(&[7], &x.map(f64::from))]).unwrap());
        let half =
            elements::<f16>(&run(kind, &[], vec![tensor(&[7], &x.map(f16::from_f32))]).unwrap());
        for (i, &x) in x.iter().enumerate() {
            let want = f(x);
            let close = |got: f32, eps: f32| {
                got == want
                    || (got.is_nan() && want.is_nan())
                    || (got - want).abs() <= eps * want.abs()
            };
            assert!(
                close(wide[i], 1e-6)
                    && close(double[i] as f32, 1e-6)
                    && close(half[i].to_f32(), 1e-3),
                "{kind:?}({x})"
            );
        }
    }
    assert_eq!(
        elements::<i8>(&run(OpKind::Abs, &[], vec![tensor(&[2], &[-128i8, -3])]).unwrap()),
        [-128, 3]
    );
    assert!(run(OpKind::Sin, &[], vec![tensor(&[1], &[1i64])]).is_err());
}

#[test]
fn select_and_clip() {
    let c = tensor(&[2, 1], &[B8(1), B8(0)]);
    let y = run(OpKind::Where, &[], vec![c, tensor(&[3], &[1i16, 2, 3]), tensor(&[], &[9i16])])
        .unwrap();
    assert_eq!(elements::<i16>(&y), [1, 2, 3, 9, 9, 9]);
    let inputs =
        vec![Some(tensor(&[3], &[-5.0f32, f32::NAN, 5.0])), None, Some(tensor(&[], &[1.0f32]))];
    let y = elements::<f32>(&run_on(1, OpKind::Clip, &[], inputs, 1).unwrap()[0]);
    assert!(y[0] == -5.0 && y[1].is_nan() && y[2] == 1.0);
    let two = vec![tensor(&[1], &[1.0f32]), tensor(&[2], &[1.0f32, 2.0])];
    assert!(run(OpKind::Clip, &[], two).is_err());
    let bits =
        run(OpKind::BitCast, &[("to", Attr::DType(DType::U32))], vec![tensor(&[1], &[1.0f32])])
            .unwrap();
    assert_eq!(elements::<u32>(&bits), [0x3f80_0000]);
}

#[test]
fn gelu_is_the_standards_formula_at_its_ends() {
    let (inf, max) = (f32::INFINITY, f32::MAX);
    let x = [-inf, -max, -10.0, -0.0, 0.0, max, inf, f32::NAN];
    for approximate in ["none", "tanh"] {
        let attrs = [("approximate", Attr::Str(approximate.into()))];
        let y = run(OpKind::Gelu, &attrs, vec![tensor(&[8], &x)]).unwrap();
        let y = elements::<f32>(&y);
        assert!(y[0].is_nan() && y[7].is_nan(), "{y:?}");
        assert_eq!(y[1..7], [-0.0, -0.0, -0.0, 0.0, max, inf]);
        assert!(y[1..4].iter().all(|y| y.is_sign_negative()) && y[4].is_sign_positive());
        let wide = run(OpKind::Gelu, &attrs, vec![tensor(&[8], &x.map(f64::from))]).unwrap();
        let wide = elements::<f64>(&wide);
        assert!(wide[0].is_nan() && wide[7].is_nan(), "{wide:?}");
        assert_eq!(wide[3..7], [-0.0, 0.0, f64::from(max), f64::INFINITY]);
    }
}

#[test]
fn inverse_hyperbolic_functions_of_large_values() {
    let (x, inf) = ([f32::MAX, 1e38, f32::INFINITY, 2.0], f32::INFINITY);
    let go = |op, x: &[f32]| elements::<f32>(&run(op, &[], vec![tensor(&[4], x)]).unwrap());
    assert_eq!(go(OpKind::Acosh, &x), [89.415_985, 88.191_376, inf, 1.316_958]);
    assert_eq!(go(OpKind::Asinh, &x), [89.415_985, 88.191_376, inf, 1.443_635_5]);
    assert_eq!(go(OpKind::Asinh, &x.map(|x| -x))[..3], [-89.415_985, -88.191_376, -inf]);
    let y = run(OpKind::Acosh, &[], vec![tensor(&[1], &[f64::MAX])]).unwrap();
    assert!((elements::<f64>(&y)[0] - 710.475_860_073_944).abs() < 1e-9);
}

#[test]
fn ops_without_a_kernel_of_their_own_are_compiled_and_broadcast() {
    let t = |dims: &[usize], v: &[f32]| tensor(dims, v);
    let column = t(&[2, 1], &[1.0, f32::NAN]);
    let row = t(&[3], &[0.5, 2.0, f32::NAN]);
    for threads in [1, 3] {
        let inputs = vec![Some(column.clone()), Some(row.clone())];
        let y = run_on(threads, OpKind::MaxNum, &[], inputs, 1).unwrap().remove(0);
        assert_eq!(y.as_tensor().unwrap().dims(), [2, 3]);
        let y = elements::<f32>(&y);
        assert_eq!(y[..5], [1.0, 2.0, 1.0, 0.5, 2.0]);
        assert!(y[5].is_nan());
    }
    let long: Vec<f32> = (0..5000).map(|i| i as f32 / 100.0 - 25.0).collect();
    let y = run(OpKind::Exp2, &[], vec![t(&[5000], &long)]).unwrap();
    for (y, x) in elements::<f32>(&y).into_iter().zip(long) {
        assert!((y / x.exp2() - 1.0).abs() < 1e-6, "{x}");
    }
    let none = run(OpKind::Rsqrt, &[], vec![t(&[0, 3], &[])]).unwrap();
    assert_eq!(none.as_tensor().unwrap().dims(), [0, 3]);
    let halves = tensor(&[], &[f16::from_f32(4.0)]);
    let y = run(OpKind::Rsqrt, &[], vec![halves]).unwrap();
    assert_eq!(elements::<f16>(&y), [f16::from_f32(0.5)]);
    assert!(run(OpKind::Exp2, &[], vec![tensor(&[2], &[1i32, 2])]).is_err());
    assert!(run(OpKind::MaxNum, &[], vec![t(&[2], &[1.0; 2]), t(&[3], &[1.0; 3])]).is_err());
}

#[test]
fn one_compiled_kernel_takes_shapes_in_turn() {
    let t = |dims: &[usize], v: &[f32]| tensor(dims, v);
    let calls = vec![
        vec![t(&[2, 2], &[1.0, 5.0, 3.0, 2.0]), t(&[2], &[2.0, 4.0])],
        vec![t(&[3], &[1.0, 2.0, 3.0]), t(&[], &[2.0])],
        vec![t(&[2, 1], &[1.0, 5.0]), t(&[2], &[2.0, 4.0])],
        vec![t(&[2, 2], &[9.0, 0.0, 0.0, 9.0]), t(&[2], &[2.0, 4.0])],
    ];
    let y = run_in_turn(OpKind::MaxNum, &[], calls).unwrap();
    let y: Vec<_> = y.iter().map(elements::<f32>).collect();
    assert_eq!(y[0], [2.0, 5.0, 3.0, 4.0]);
    assert_eq!(y[1], [2.0, 2.0, 3.0]);
    assert_eq!(y[2], [2.0, 4.0, 5.0, 5.0]);
    assert_eq!(y[3], [9.0, 4.0, 2.0, 9.0]);
}

#[test]
fn extremes_know_zeros_and_nan() {
    let t = |v: &[f32]| tensor(&[v.len()], v);
    let (a, b) = ([0.0, -0.0, f32::NAN, 1.0, 2.0], [-0.0, 0.0, 1.0, f32::NAN, 3.0]);
    let bits = |kind| -> Vec<u32> {
        let y = run(kind, &[], vec![t(&a), t(&b)]).unwrap();
        elements::<f32>(&y).into_iter().map(f32::to_bits).collect()
    };
    let (max, min) = (bits(OpKind::Max), bits(OpKind::Min));
    assert_eq!([max[0], max[1], max[4]], [0, 0, 3f32.to_bits()]);
    assert_eq!([min[0], min[1], min[4]], [1 << 31, 1 << 31, 2f32.to_bits()]);
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    assert!([max[2], max[3], min[2], min[3]].into_iter().all(nan));
}
