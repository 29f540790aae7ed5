//! Images in other sizes.

use trident_ir::{Attr, OpKind as K};
use trident_runtime::{Pool, Tensor};

use crate::run::{floats, ints};
use crate::{check, int, list, one};

fn text(name: &str) -> Attr {
    Attr::Str(name.into())
}

fn numbers(values: &[f32]) -> Option<Tensor> {
    Tensor::from_slice(&Pool::new(), &[values.len()], values).ok()
}

const TRANSFORMS: [&str; 6] = [
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
];

const NEAREST: [&str; 5] =
    ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "ceil_when_shrinking"];

#[test]
fn the_nearest_element_is_taken() {
    for transform in TRANSFORMS {
        for nearest in NEAREST {
            let attrs = [
                ("coordinate_transformation_mode", text(transform)),
                ("nearest_mode", text(nearest)),
            ];
            for scales in [[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 0.6, 1.7], [1.0, 2.0, 0.5, 3.0]] {
                let x = floats(&[2, 3, 5, 7], 1);
                one(K::Resize, &attrs, vec![x, None, numbers(&scales), None]);
            }
            for scales in [[0.6, 1.4], [0.35, 2.3], [0.1, 0.9]] {
                one(K::Resize, &attrs, vec![floats(&[31, 40], 1), None, numbers(&scales), None]);
            }
            let x = floats(&[1, 2, 4, 6], 1);
            one(K::Resize, &attrs, vec![x, None, None, ints(&[4], &[1, 2, 7, 3])]);
        }
    }
    let x = ints(&[2, 3], &[1, 2, 3, 4, 5, 6]);
    one(K::Resize, &[], vec![x, None, numbers(&[2.0, 1.5]), None]);
    one(K::Resize, &[], vec![floats(&[0, 3], 1), None, numbers(&[2.0, 1.5]), None]);
}

#[test]
fn neighbours_are_weighed() {
    for mode in ["linear", "cubic"] {
        for transform in TRANSFORMS {
            let attrs = [("coordinate_transformation_mode", text(transform)), ("mode", text(mode))];
            for scales in [[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 0.6, 1.7], [1.0, 1.5, 0.8, 3.0]] {
                let x = floats(&[2, 3, 5, 7], 1);
                one(K::Resize, &attrs, vec![x, None, numbers(&scales), None]);
            }
        }
        for (antialias, exclude) in [(1, 0), (0, 1), (1, 1)] {
            let attrs = [
                ("mode", text(mode)),
                ("antialias", int(antialias)),
                ("exclude_outside", int(exclude)),
            ];
            for scales in [[0.6, 0.4], [1.5, 0.3]] {
                one(K::Resize, &attrs, vec![floats(&[9, 14], 1), None, numbers(&scales), None]);
            }
        }
    }
    for (mode, scale) in [("linear", 1.4), ("cubic", 0.85)] {
        let attrs = [
            ("mode", text(mode)),
            ("antialias", int(1)),
            ("coordinate_transformation_mode", text("asymmetric")),
        ];
        let scales = numbers(&[scale, 1.0]);
        one(K::Resize, &attrs, vec![floats(&[120, 3], 1), None, scales, None]);
    }
    let special = [1.0, f32::INFINITY, f32::NAN, -1.0];
    one(
        K::Resize,
        &[("mode", text("linear"))],
        vec![numbers(&special), None, numbers(&[2.0]), None],
    );
    for policy in ["not_larger", "not_smaller"] {
        let attrs = [
            ("mode", text("linear")),
            ("keep_aspect_ratio_policy", text(policy)),
            ("axes", list(&[2, 1])),
        ];
        one(K::Resize, &attrs, vec![floats(&[2, 4, 6], 1), None, None, ints(&[2], &[7, 9])]);
    }
}

#[test]
fn a_region_is_cut_out() {
    for mode in ["nearest", "linear", "cubic"] {
        let attrs = [
            ("mode", text(mode)),
            ("coordinate_transformation_mode", text("tf_crop_and_resize")),
            ("extrapolation_value", Attr::Float(10.0)),
        ];
        for roi in [[0.4, 0.6, 0.6, 0.8], [-0.2, 0.1, 1.3, 0.9]] {
            let sizes = ints(&[2], &[3, 5]);
            one(K::Resize, &attrs, vec![floats(&[4, 6], 1), numbers(&roi), None, sizes]);
        }
    }
}

#[test]
fn borders_around_the_middle_and_masks() {
    one(K::CenterCropPad, &[], vec![floats(&[4, 7], 1), ints(&[2], &[7, 4])]);
    one(K::CenterCropPad, &[("axes", list(&[1]))], vec![floats(&[4, 7], 1), ints(&[1], &[10])]);
    check(K::Dropout, &[], vec![floats(&[4, 7], 1)], 2);
}
