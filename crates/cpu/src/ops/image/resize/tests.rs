use crate::testing::{ABSENT, elements, run_on, strings, tensor};
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
