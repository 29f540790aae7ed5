//! Small cases by hand; index arithmetic is tested with the geometry, copies with the views.

use crate::testing::{ABSENT, elements, run, run_in_turn, run_on, strings, tensor};
use trident_ir::element::B8;
use trident_ir::{Attr, OpKind};
use trident_runtime::{Pool, Tensor, Value};

fn ints(v: &[i64]) -> trident_runtime::Value {
    tensor(&[v.len()], v)
}

#[test]
fn shapes_change_without_copies() {
    let x = tensor(&[2, 3], &[1f32, 2., 3., 4., 5., 6.]);
    let at = x.as_tensor().unwrap().bytes().unwrap().as_ptr();
    let y = run(OpKind::Reshape, &[], vec![x.clone(), ints(&[3, -1])]).unwrap();
    assert_eq!(y.as_tensor().unwrap().dims(), [3, 2]);
    assert_eq!(y.as_tensor().unwrap().bytes().unwrap().as_ptr(), at);
    assert!(run(OpKind::Reshape, &[], vec![x.clone(), ints(&[4])]).is_err());
    let y = run(OpKind::Shape, &[("start", Attr::Int(-1))], vec![x]).unwrap();
    assert_eq!(elements::<i64>(&y), [3]);
}

#[test]
fn views_of_strings_and_numbers() {
    let x = strings(&[2, 2], &["a", "b", "c", "d"]);
    let y = run(OpKind::Transpose, &[], vec![x.clone()]).unwrap();
    assert_eq!(y.as_tensor().unwrap().strings().unwrap(), ["a", "c", "b", "d"]);
    let y =
        run(OpKind::Slice, &[], vec![x, ints(&[-1]), ints(&[i64::MIN]), ints(&[1]), ints(&[-1])])
            .unwrap();
    assert_eq!(y.as_tensor().unwrap().strings().unwrap(), ["b", "a", "d", "c"]);
    let x = tensor(&[2, 1], &[1u8, 2]);
    assert_eq!(
        elements::<u8>(&run(OpKind::Expand, &[], vec![x.clone(), ints(&[3])]).unwrap()),
        [1, 1, 1, 2, 2, 2]
    );
    assert_eq!(
        elements::<u8>(&run(OpKind::Tile, &[], vec![x.clone(), ints(&[2, 2])]).unwrap()),
        [1, 1, 2, 2, 1, 1, 2, 2]
    );
    assert!(run(OpKind::Tile, &[], vec![x.clone(), ints(&[i64::MAX, 2])]).is_err());
    assert!(run(OpKind::Expand, &[], vec![x, ints(&[i64::MAX, 1, i64::MAX])]).is_err());
}

#[test]
fn joining_and_splitting() {
    let (a, b) = (tensor(&[2, 1], &[1i16, 2]), tensor(&[2, 2], &[3i16, 4, 5, 6]));
    let y = run(OpKind::Concat, &[("axis", Attr::Int(-1))], vec![a.clone(), b]).unwrap();
    assert_eq!(elements::<i16>(&y), [1, 3, 4, 2, 5, 6]);
    let parts = run_on(
        1,
        OpKind::Split,
        &[("axis", Attr::Int(1))],
        vec![Some(y.clone()), Some(ints(&[1, 2]))],
        2,
    )
    .unwrap();
    assert_eq!(elements::<i16>(&parts[1]), [3, 4, 5, 6]);
    assert!(run_on(1, OpKind::Split, &[], vec![Some(y), Some(ints(&[1, 2]))], 2).is_err());
    assert!(
        run(OpKind::Concat, &[("axis", Attr::Int(0))], vec![a, tensor(&[1, 1], &[1i32])]).is_err()
    );
}

#[test]
fn picking_by_index() {
    let x = tensor(&[3, 2], &[1f64, 2., 3., 4., 5., 6.]);
    let y = run(OpKind::Gather, &[], vec![x.clone(), tensor(&[1, 2], &[-1i32, 0])]).unwrap();
    assert_eq!(y.as_tensor().unwrap().dims(), [1, 2, 2]);
    assert_eq!(elements::<f64>(&y), [5., 6., 1., 2.]);
    assert!(run(OpKind::Gather, &[], vec![x.clone(), ints(&[3])]).is_err());
    let y = run(
        OpKind::GatherElements,
        &[("axis", Attr::Int(1))],
        vec![x.clone(), tensor(&[2, 1], &[1i64, -2])],
    )
    .unwrap();
    assert_eq!(elements::<f64>(&y), [2., 3.]);
    let y = run(OpKind::GatherND, &[], vec![x.clone(), tensor(&[2, 2], &[0i64, 1, 2, 0])]).unwrap();
    assert_eq!(elements::<f64>(&y), [2., 5.]);
    let y = run(
        OpKind::Compress,
        &[("axis", Attr::Int(0))],
        vec![x.clone(), tensor(&[2], &[B8(0), B8(1)])],
    )
    .unwrap();
    assert_eq!(elements::<f64>(&y), [3., 4.]);
    let y = run(OpKind::NonZero, &[], vec![tensor(&[2, 2], &[0f32, 1., -0., f32::NAN])]).unwrap();
    assert_eq!(elements::<i64>(&y), [0, 1, 1, 1]);
    let y = run(OpKind::OneHot, &[], vec![ints(&[1, -1, 7]), ints(&[3]), tensor(&[2], &[0u8, 9])])
        .unwrap();
    assert_eq!(elements::<u8>(&y), [0, 9, 0, 0, 0, 9, 0, 0, 0]);
    let y = run(OpKind::ReverseSequence, &[], vec![x, ints(&[2, 3])]).unwrap();
    assert_eq!(elements::<f64>(&y), [3., 6., 1., 4., 5., 2.]);
}

#[test]
fn scattering() {
    let x = tensor(&[3], &[1i8, 100, 3]);
    let add = [("reduction", Attr::Str("add".into()))];
    let y = run(
        OpKind::ScatterElements,
        &add,
        vec![x.clone(), ints(&[1, 1]), tensor(&[2], &[20i8, 10])],
    )
    .unwrap();
    assert_eq!(elements::<i8>(&y), [1, -126, 3]);
    let y = run(
        OpKind::ScatterND,
        &[],
        vec![x.clone(), tensor(&[1, 1], &[-1i64]), tensor(&[1], &[7i8])],
    )
    .unwrap();
    assert_eq!(elements::<i8>(&y), [1, 100, 7]);
    assert_eq!(elements::<i8>(&x), [1, 100, 3]);
    assert!(
        run(
            OpKind::ScatterND,
            &[],
            vec![x.clone(), tensor(&[1, 1], &[3i64]), tensor(&[1], &[7i8])]
        )
        .is_err()
    );
    assert!(
        run(OpKind::ScatterND, &[], vec![x, tensor(&[1, 1], &[0i64]), tensor(&[2], &[7i8, 8])])
            .is_err()
    );
    let cache = tensor(&[1, 3, 1], &[1f32, 2., 3.]);
    let circular = [("mode", Attr::Str("circular".into()))];
    let y = run(
        OpKind::TensorScatter,
        &circular,
        vec![cache.clone(), tensor(&[1, 2, 1], &[8f32, 9.]), ints(&[2])],
    )
    .unwrap();
    assert_eq!(elements::<f32>(&y), [9., 2., 8.]);
    assert!(
        run(OpKind::TensorScatter, &[], vec![cache, tensor(&[1, 2, 1], &[8f32, 9.]), ints(&[2])])
            .is_err()
    );
}

#[test]
fn borders_in_every_mode() {
    let pad = |mode: &str, pads: &[i64]| {
        let mode = [("mode", Attr::Str(mode.into()))];
        run(OpKind::Pad, &mode, vec![ints(&[1, 2, 3, 4]), ints(pads)]).map(|y| elements::<i64>(&y))
    };
    assert_eq!(pad("constant", &[1, 2]).unwrap(), [0, 1, 2, 3, 4, 0, 0]);
    assert_eq!(pad("constant", &[-1, 1]).unwrap(), [2, 3, 4, 0]);
    assert_eq!(pad("edge", &[2, 1]).unwrap(), [1, 1, 1, 2, 3, 4, 4]);
    assert_eq!(pad("reflect", &[2, 4]).unwrap(), [3, 2, 1, 2, 3, 4, 3, 2, 1, 2]);
    assert_eq!(pad("wrap", &[5, 1]).unwrap(), [4, 1, 2, 3, 4, 1, 2, 3, 4, 1]);
    assert_eq!(pad("edge", &[-2, 1]).unwrap(), [3, 4, 4]);
    assert!(pad("edge", &[-4, 1]).is_err() && pad("constant", &[-5, 0]).is_err());
    assert!(pad("constant", &[i64::MAX, 1]).is_err() && pad("mirror", &[0, 0]).is_err());
    let two = run_on(
        1,
        OpKind::Pad,
        &[],
        vec![
            Some(tensor(&[1, 2], &[1f32, 2.])),
            Some(ints(&[1, 0, 0, 1])),
            Some(tensor(&[], &[9f32])),
            ABSENT,
        ],
        1,
    )
    .unwrap();
    assert_eq!(elements::<f32>(&two[0]), [9., 9., 9., 1., 2., 9.]);
    let y = run(OpKind::CenterCropPad, &[], vec![tensor(&[4, 1], &[1u8, 2, 3, 4]), ints(&[1, 2])])
        .unwrap();
    assert_eq!(elements::<u8>(&y), [2, 0]);
}

#[test]
fn creating() {
    let range = |a: i32, b: i32, c: i32| {
        run(OpKind::Range, &[], [a, b, c].map(|v| tensor(&[], &[v])).to_vec())
    };
    assert_eq!(elements::<i32>(&range(10, 4, -2).unwrap()), [10, 8, 6]);
    assert!(range(0, 1, 0).is_err() && elements::<i32>(&range(3, 1, 1).unwrap()).is_empty());
    let y = run(OpKind::Range, &[], [1f32, 2., 0.25].map(|v| tensor(&[], &[v])).to_vec()).unwrap();
    assert_eq!(elements::<f32>(&y), [1., 1.25, 1.5, 1.75]);
    let x = tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
    let y = run(OpKind::Trilu, &[], vec![x.clone(), tensor(&[], &[1i64])]).unwrap();
    assert_eq!(elements::<i32>(&y), [0, 2, 3, 0, 0, 6]);
    let y = run(OpKind::Trilu, &[("upper", Attr::Int(0))], vec![x.clone()]).unwrap();
    assert_eq!(elements::<i32>(&y), [1, 0, 0, 4, 5, 0]);
    let y = run(OpKind::EyeLike, &[("k", Attr::Int(1))], vec![x]).unwrap();
    assert_eq!(elements::<i32>(&y), [0, 1, 0, 0, 0, 1]);
    assert!(run(OpKind::ConstantOfShape, &[], vec![ints(&[-1])]).is_err());
    assert!(run(OpKind::ConstantOfShape, &[], vec![ints(&[1 << 40, 1 << 20])]).is_err());
}

#[test]
fn blocks_move_between_channels_and_space() {
    let x: Vec<i32> = (0..2 * 8 * 2 * 3).collect();
    for mode in ["DCR", "CRD"] {
        let attrs = [("blocksize", Attr::Int(2)), ("mode", Attr::Str(mode.into()))];
        let y = run(OpKind::DepthToSpace, &attrs, vec![tensor(&[2, 8, 2, 3], &x)]).unwrap();
        let got = elements::<i32>(&y);
        for n in 0..2 {
            for c in 0..2 {
                for h in 0..4 {
                    for w in 0..6 {
                        let block = h % 2 * 2 + w % 2;
                        let channel = if mode == "DCR" { block * 2 + c } else { c * 4 + block };
                        let want = ((n * 8 + channel) * 2 + h / 2) * 3 + w / 2;
                        assert_eq!(got[((n * 2 + c) * 4 + h) * 6 + w], want as i32);
                    }
                }
            }
        }
        let back = run(OpKind::SpaceToDepth, &attrs, vec![y]).unwrap();
        assert_eq!(elements::<i32>(&back), x);
    }
}

#[test]
fn columns_sum_into_the_image() {
    let ones = vec![1f32; 4 * 4];
    let y = run(OpKind::Col2Im, &[], vec![tensor(&[1, 4, 4], &ones), ints(&[3, 3]), ints(&[2, 2])])
        .unwrap();
    assert_eq!(elements::<f32>(&y), [1., 2., 1., 2., 4., 2., 1., 2., 1.]);
}

#[test]
fn a_lent_cache_is_updated_where_it_is() {
    let pool = Pool::new();
    let place = |value: &Value| value.as_tensor().unwrap().bytes().unwrap().as_ptr().addr();
    let update = || Some(tensor(&[1, 2, 1, 2], &[9f32, 9.5, 8.0, 8.5]));
    let index = || Some(tensor(&[1], &[1i64]));
    let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let mut cache = Tensor::from_slice(&pool, &[1, 2, 3, 2], &values).unwrap();
    let recall = cache.lend(0).unwrap();
    let cache = Value::from(cache);
    let at = place(&cache);
    let inputs = vec![Some(cache), update(), index()];
    let mut present = run_on(1, OpKind::TensorScatter, &[], inputs, 1).unwrap().swap_remove(0);
    assert_eq!(place(&present), at);
    let expected = [0., 1., 9., 9.5, 4., 5., 6., 7., 8., 8.5, 10., 11.];
    assert_eq!(elements::<f32>(&present), expected);
    let Value::Tensor(own) = &mut present else { panic!("{present:?}") };
    assert_eq!(own.end_loan(), Some(16), "only the rows of the update are written");
    assert!(recall.take().is_none());

    // Rows follow in place once the cache lies in memory with room for them.
    let axis = [("axis", Attr::Int(0))];
    let rows = Tensor::from_slice(&pool, &[1, 2], &[1f32, 2.0]).unwrap();
    let mut cache = Value::from(rows);
    let mut moves = 0;
    for n in 2..100 {
        let before = place(&cache);
        let Value::Tensor(tensor_) = &mut cache else { panic!("{cache:?}") };
        drop(tensor_.lend(99 * 8).unwrap());
        let inputs = vec![Some(cache), Some(tensor(&[1, 2], &[n as f32, 0.5]))];
        cache = run_on(1, OpKind::Concat, &axis, inputs, 1).unwrap().swap_remove(0);
        moves += usize::from(place(&cache) != before);
        assert_eq!(elements::<f32>(&cache)[(n - 1) * 2..], [n as f32, 0.5]);
    }
    assert_eq!((moves, &elements::<f32>(&cache)[..4]), (1, &[1., 2., 2., 0.5][..]));

    // Heads lie side by side, so rows of one cannot follow in place.
    let mut cache = Tensor::from_slice(&pool, &[2, 1, 2], &[1f32, 2., 3., 4.]).unwrap();
    let recall = cache.lend(1000).unwrap();
    let inputs = vec![Some(cache.into()), Some(tensor(&[2, 1, 2], &[5f32, 6., 7., 8.]))];
    let present = run_on(1, OpKind::Concat, &[("axis", Attr::Int(1))], inputs, 1).unwrap();
    assert_eq!(elements::<f32>(&present[0]), [1., 2., 5., 6., 3., 4., 7., 8.]);
    assert_eq!(recall.take().unwrap().slice::<f32>().unwrap(), [1., 2., 3., 4.]);
}

#[test]
fn one_kernel_takes_shapes_in_turn() {
    let (a, b) = (tensor(&[2, 2], &[1u8, 2, 3, 4]), tensor(&[3, 1, 1], &[5u8, 6, 7]));
    let perm = [("perm", Attr::Ints(vec![1, 0]))];
    let calls = vec![vec![a.clone()], vec![tensor(&[1, 3], &[5u8, 6, 7])], vec![a.clone()]];
    let y = run_in_turn(OpKind::Transpose, &perm, calls).unwrap();
    assert_eq!(y[1].as_tensor().unwrap().dims(), [3, 1]);
    assert_eq!(elements::<u8>(&y[2]), [1, 3, 2, 4]);
    // Of one shape, with other contents of an operand.
    let pads = |after: &[i64]| vec![a.clone(), ints(&[&[0, 0], after].concat())];
    let edge = [("mode", Attr::Str("edge".into()))];
    let y = run_in_turn(OpKind::Pad, &edge, vec![pads(&[1, 0]), pads(&[0, 1])]).unwrap();
    assert_eq!(elements::<u8>(&y[0]), [1, 2, 3, 4, 3, 4]);
    assert_eq!(elements::<u8>(&y[1]), [1, 2, 2, 3, 4, 4]);
    let join = [("axis", Attr::Int(0))];
    let y = run_in_turn(OpKind::Concat, &join, vec![vec![a.clone(), a], vec![b.clone(), b]]);
    assert_eq!(elements::<u8>(&y.unwrap()[1]), [5, 6, 7, 5, 6, 7]);
}

#[test]
fn texts_that_an_attribute_does_not_have_are_refused() {
    let x = tensor(&[2], &[1u8, 2]);
    let mirror = [("mode", Attr::Str("mirror".into()))];
    let refused = run(OpKind::Pad, &mirror, vec![x.clone(), ints(&[0, 0])]).unwrap_err();
    assert!(refused.to_string().contains("pad"), "{refused}");
    let sub = [("reduction", Attr::Str("sub".into()))];
    assert!(run(OpKind::ScatterElements, &sub, vec![x.clone(), ints(&[0]), x]).is_err());
}
