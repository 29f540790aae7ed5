use crate::testing::{ABSENT, elements, run, run_in_turn, run_on, strings, tensor};
use trident_ir::{Attr, OpKind};
use trident_runtime::{KernelError, Value};

fn s(text: &str) -> Attr {
    Attr::Str(text.into())
}

fn sizes(x: Value, sizes: &[i64], attrs: &[(&'static str, Attr)]) -> Result<Value, KernelError> {
    let sizes = Some(tensor(&[sizes.len()], sizes));
    Ok(run_on(2, OpKind::Resize, attrs, vec![Some(x), ABSENT, ABSENT, sizes], 1)?.remove(0))
}

#[test]
fn linear_between_corners() {
    let x = tensor(&[1, 2, 2], &[0.0f32, 2.0, 4.0, 6.0]);
    let attrs = [("mode", s("linear")), ("coordinate_transformation_mode", s("align_corners"))];
    let y = sizes(x, &[1, 3, 3], &attrs).unwrap();
    assert_eq!(elements::<f32>(&y), [0.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0]);
}

#[test]
fn antialiased_halving_averages_and_integers_round() {
    let x = tensor(&[6], &[0u8, 10, 20, 31, 40, 50]);
    let attrs =
        [("mode", s("linear")), ("antialias", Attr::Int(1)), ("exclude_outside", Attr::Int(1))];
    // The triangle of half-width 2 around 2.5 weighs its four neighbours 1, 3, 3, 1.
    let y = elements::<u8>(&sizes(x, &[3], &attrs).unwrap());
    assert_eq!(y[1], 25);
}

#[test]
fn cubic_keeps_constants_and_empty_batches() {
    let attrs = [("mode", s("cubic"))];
    let y = sizes(tensor(&[3, 5], &[2.5f64; 15]), &[7, 4], &attrs).unwrap();
    assert!(elements::<f64>(&y).iter().all(|v| (v - 2.5).abs() < 1e-12));
    let y = sizes(tensor::<f32>(&[0, 2], &[]), &[0, 4], &attrs).unwrap();
    assert_eq!(y.as_tensor().unwrap().dims(), [0, 4]);
    assert!(sizes(tensor::<f32>(&[0, 2], &[]), &[1, 4], &attrs).is_err());
    assert!(sizes(tensor(&[2], &[1.0f32, 2.0]), &[-1], &attrs).is_err());
    assert!(sizes(tensor(&[2], &[1.0f32, 2.0]), &[i64::MAX], &attrs).is_err());
}

#[test]
fn nearest_copies_any_type() {
    let y = sizes(strings(&[2], &["a", "b"]), &[4], &[]).unwrap();
    assert_eq!(y.as_tensor().unwrap().strings().unwrap(), ["a", "a", "b", "b"]);
    let x = tensor(&[2, 3], &[1i16, 2, 3, 4, 5, 6]);
    let attrs = [
        ("coordinate_transformation_mode", s("asymmetric")),
        ("nearest_mode", s("floor")),
        ("axes", Attr::Ints(vec![-1])),
    ];
    let y = sizes(x.clone(), &[6], &attrs).unwrap();
    assert_eq!(elements::<i16>(&y), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
    // floor((i + 0.5) / 2) and ceil((i + 0.5) / 2), kept inside the operand.
    for (nearest, expected) in [("floor", [1, 1, 2, 2, 3, 3]), ("ceil", [2, 2, 3, 3, 3, 3])] {
        let attrs = [
            ("coordinate_transformation_mode", s("tf_half_pixel_for_nn")),
            ("nearest_mode", s(nearest)),
        ];
        let y = sizes(tensor(&[3], &[1i16, 2, 3]), &[6], &attrs).unwrap();
        assert_eq!(elements::<i16>(&y), expected);
    }
    let policy = [("keep_aspect_ratio_policy", s("not_larger"))];
    let y = sizes(x, &[10, 6], &policy).unwrap();
    assert_eq!(y.as_tensor().unwrap().dims(), [4, 6]);
}

#[test]
fn a_crop_beyond_the_image_is_filled() {
    let x = Some(tensor(&[3], &[1.0f32, 2.0, 3.0]));
    let attrs = [
        ("mode", s("linear")),
        ("coordinate_transformation_mode", s("tf_crop_and_resize")),
        ("extrapolation_value", Attr::Float(9.0)),
    ];
    let roi = Some(tensor(&[2], &[0.5f32, 1.5]));
    let size = Some(tensor(&[1], &[3i64]));
    let y = run_on(1, OpKind::Resize, &attrs, vec![x, roi, ABSENT, size], 1).unwrap();
    assert_eq!(elements::<f32>(&y[0]), [2.0, 3.0, 9.0]);
}

fn scales(x: Value, scales: &[f32], attrs: &[(&'static str, Attr)]) -> Result<Value, KernelError> {
    let scales = Some(tensor(&[scales.len()], scales));
    Ok(run_on(2, OpKind::Resize, attrs, vec![Some(x), ABSENT, scales], 1)?.remove(0))
}

fn indices(n: usize) -> Value {
    tensor(&[n], &(0..n).map(|i| i as f32).collect::<Vec<_>>())
}

/// A model that PyTorch exports from `interpolate(scale_factor=1.4)` on 40 rows has 56 rows.
#[test]
fn scales_multiply_in_f32() {
    for mode in ["nearest", "linear", "cubic"] {
        let y = scales(indices(40), &[1.4], &[("mode", s(mode))]).unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [56]);
    }
}

#[test]
fn nearest_places_are_quotients_in_f32() {
    let attrs = [("coordinate_transformation_mode", s("asymmetric")), ("nearest_mode", s("floor"))];
    for (n, scale) in [(120, 0.6f32), (40, 1.4), (50, 0.35), (31, 2.3)] {
        let y = elements::<f32>(&scales(indices(n), &[scale], &attrs).unwrap());
        let expected: Vec<f32> = (0..y.len()).map(|i| (i as f32 / scale).floor()).collect();
        assert_eq!(y, expected);
    }
    // 3 / 0.6 is 5 in f32; in f64 the f32 above 0.6 gives a coordinate below 5.
    assert_eq!(elements::<f32>(&scales(indices(10), &[0.6], &attrs).unwrap())[3], 5.0);
}

#[test]
fn operator_set_10_rounds_up_where_an_axis_shrinks() {
    let attrs = [
        ("coordinate_transformation_mode", s("asymmetric")),
        ("nearest_mode", s("ceil_when_shrinking")),
    ];
    let x = tensor(&[2, 5], &[0i16, 1, 2, 3, 4, 10, 11, 12, 13, 14]);
    let y = elements::<i16>(&scales(x, &[1.5, 0.6], &attrs).unwrap());
    assert_eq!(y, [0, 2, 4, 0, 2, 4, 10, 12, 14]);
}

#[test]
fn corners_meet_whatever_the_scale_is() {
    let attrs = [("mode", s("linear")), ("coordinate_transformation_mode", s("align_corners"))];
    let y = scales(tensor(&[4], &[1.0f32, 2.0, 3.0, 4.0]), &[0.6], &attrs).unwrap();
    assert_eq!(elements::<f32>(&y), [1.0, 4.0]);
    let y = scales(tensor(&[4], &[1.0f32, 2.0, 3.0, 4.0]), &[0.3], &attrs).unwrap();
    assert_eq!(elements::<f32>(&y), [1.0]);
}

#[test]
fn one_element_of_pytorch_half_pixel_is_the_first() {
    let attrs =
        [("mode", s("linear")), ("coordinate_transformation_mode", s("pytorch_half_pixel"))];
    let y = scales(indices(10), &[0.15], &attrs).unwrap();
    assert_eq!(elements::<f32>(&y), [0.0]);
}

#[test]
fn a_resize_that_keeps_all_lengths_copies() {
    let x = tensor(&[2, 3], &[1.0f32, 2.0, 4.0, 8.0, 16.0, 32.0]);
    for mode in ["nearest", "linear"] {
        let y = scales(x.clone(), &[1.02, 1.3], &[("mode", s(mode))]).unwrap();
        assert_eq!(elements::<f32>(&y), elements::<f32>(&x));
    }
    // A cubic resize is computed; and where another axis changes, the scale of this one counts.
    let y = scales(x.clone(), &[1.02, 1.3], &[("mode", s("cubic"))]).unwrap();
    assert_ne!(elements::<f32>(&y), elements::<f32>(&x));
    let y = scales(x, &[2.0, 1.3], &[("mode", s("linear"))]).unwrap();
    assert_ne!(elements::<f32>(&y)[..3], [1.0, 2.0, 4.0]);
}

#[test]
fn f64_has_weights_in_f64() {
    let x = tensor(&[1000], &(0..1000).map(f64::from).collect::<Vec<_>>());
    let y = elements::<f64>(&sizes(x, &[1300], &[("mode", s("linear"))]).unwrap());
    for (i, y) in y.iter().enumerate() {
        let at = ((i as f64 + 0.5) / 1.3 - 0.5).clamp(0.0, 999.0);
        assert!((y - at).abs() < 1e-12 * at.max(1.0), "{i}: {y} and {at}");
    }
}

/// (4 + 0.5) / 0.3 - 0.5 is 14.5, but 14.499999 in f32.
#[test]
fn halves_are_ties_though_f32_misses_them() {
    let attrs = |mode| [("nearest_mode", s(mode))];
    let y = sizes(indices(20), &[6], &attrs("round_prefer_ceil")).unwrap();
    assert_eq!(elements::<f32>(&y), [1.0, 5.0, 8.0, 11.0, 15.0, 18.0]);
    let y = sizes(indices(20), &[6], &attrs("round_prefer_floor")).unwrap();
    assert_eq!(elements::<f32>(&y), [1.0, 4.0, 8.0, 11.0, 14.0, 18.0]);
    let y = sizes(indices(40), &[52], &attrs("round_prefer_floor")).unwrap();
    assert_eq!(elements::<f32>(&y)[19], 14.0);
}

#[test]
fn antialiasing_filters_have_their_centre_half_a_pixel_further_on() {
    let attrs = [
        ("mode", s("linear")),
        ("antialias", Attr::Int(1)),
        ("coordinate_transformation_mode", s("asymmetric")),
    ];
    let x: Vec<f32> = (0..120).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let y = elements::<f32>(&scales(tensor(&[120], &x), &[1.4], &attrs).unwrap());
    // 63.57143 + 0.5 is above 64, where f32 has fewer places.
    let at = 89.0 / 1.4f32;
    let centre = at + 0.5;
    assert_ne!(centre - 0.5, at);
    let fraction = centre - 0.5 - 63.0;
    assert!((y[89] - (2.0 * fraction - 1.0)).abs() < 1e-6, "{} at {fraction}", y[89]);
}

#[test]
fn one_kernel_takes_scales_and_sizes_of_all_kinds() {
    let call = |n: usize, scale: f32| {
        vec![indices(n), tensor(&[0], &[] as &[f32]), tensor(&[1], &[scale])]
    };
    // The second has the lengths of the first, and another scale.
    let calls = || [(4, 2.0), (4, 2.2), (7, 0.5), (4, 2.0)].map(|(n, by)| call(n, by)).to_vec();
    for mode in ["nearest", "linear", "cubic"] {
        let attrs = [("mode", s(mode))];
        let turns = run_in_turn(OpKind::Resize, &attrs, calls()).unwrap();
        let turns: Vec<Vec<f32>> = turns.iter().map(elements).collect();
        let alone = calls().into_iter().map(|call| run(OpKind::Resize, &attrs, call).unwrap());
        assert_eq!(turns, alone.map(|y| elements(&y)).collect::<Vec<Vec<f32>>>(), "{mode}");
        assert_ne!(turns[0], turns[1], "{mode}");
    }
}
