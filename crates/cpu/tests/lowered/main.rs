//! Graph ops as tile functions (`trident_graph_to_tile`), compiled for the CPU with their accesses checked, against the CPU's
//! kernels: odd sizes, empty arrays, NaN and infinities. The case of a new op is a file ([`files`]).
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod files;
mod ordered;
mod quantised;
mod resized;
mod run;
mod tensors;
mod winograd;

use run::{Case, agree, floats, ints};
use trident_ir::{Attr, OpKind as K};
use trident_runtime::{Pool, Tensor};

fn int(n: i64) -> Attr {
    Attr::Int(n)
}

fn list(values: &[i64]) -> Attr {
    Attr::Ints(values.to_vec())
}

/// An op whose results both ways must agree.
fn check(kind: K, attrs: &[(&'static str, Attr)], operands: Vec<Option<Tensor>>, results: usize) {
    let shapes: Vec<_> = operands.iter().flatten().map(|t| t.ty().to_string()).collect();
    let name = format!("{} {attrs:?} of {}", kind.decl().name, shapes.join(", "));
    let case = Case::new(kind, attrs, operands, results);
    let expected = case.kernel();
    let found = case.lowered(&expected).unwrap_or_else(|e| panic!("{name}: {e}"));
    for (expected, found) in expected.iter().zip(&found) {
        agree(expected, found).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

fn one(kind: K, attrs: &[(&'static str, Attr)], operands: Vec<Option<Tensor>>) {
    check(kind, attrs, operands, 1);
}

#[test]
fn maps_broadcast() {
    for (a, b) in [
        (&[][..], &[][..]),
        (&[1000], &[1000]),
        (&[3, 1, 5], &[4, 1]),
        (&[2, 3, 4, 5], &[3, 1, 1]),
        (&[0, 3], &[1, 3]),
        (&[2048], &[1]),
    ] {
        one(K::Add, &[], vec![floats(a, 1), floats(b, 2)]);
    }
    one(K::Relu, &[], vec![floats(&[7, 13], 3)]);
    one(K::Clip, &[], vec![floats(&[33], 4), floats(&[], 5), None]);
    one(K::Gelu, &[], vec![floats(&[5, 5], 6)]);
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0];
    let special = Tensor::from_slice(&Pool::new(), &[5], &special);
    one(K::Sigmoid, &[], vec![special.ok()]);
}

#[test]
fn elements_move() {
    one(K::Transpose, &[("perm", list(&[2, 0, 1]))], vec![floats(&[3, 5, 7], 1)]);
    one(K::Transpose, &[], vec![floats(&[0, 4], 1)]);
    let bounds = |a: &[i64]| ints(&[a.len()], a);
    one(
        K::Slice,
        &[],
        vec![
            floats(&[9, 8], 1),
            bounds(&[7, 1]),
            bounds(&[0, 9]),
            bounds(&[0, 1]),
            bounds(&[-2, 3]),
        ],
    );
    one(K::Expand, &[], vec![floats(&[3, 1], 1), bounds(&[2, 1, 4])]);
    one(K::Tile, &[], vec![floats(&[3, 2], 1), bounds(&[2, 3])]);
    one(
        K::Concat,
        &[("axis", int(1))],
        vec![floats(&[2, 3], 1), floats(&[2, 0], 2), floats(&[2, 5], 3)],
    );
    check(K::Split, &[("axis", int(0))], vec![floats(&[7, 3], 1), bounds(&[2, 4, 1])], 3);
    for mode in ["DCR", "CRD"] {
        let attrs = [("blocksize", int(2)), ("mode", Attr::Str(mode.into()))];
        one(K::DepthToSpace, &attrs, vec![floats(&[2, 8, 3, 5], 1)]);
    }
    one(K::SpaceToDepth, &[("blocksize", int(2))], vec![floats(&[1, 3, 4, 6], 1)]);
    one(K::ConstantOfShape, &[], vec![bounds(&[3, 5])]);
    one(K::Shape, &[], vec![floats(&[3, 0, 5], 1)]);
    one(K::Size, &[], vec![floats(&[3, 5], 1)]);
    for mode in ["constant", "edge", "reflect", "wrap"] {
        let operands = vec![floats(&[3, 4], 1), bounds(&[2, -1, 1, 3]), None];
        one(K::Pad, &[("mode", Attr::Str(mode.into()))], operands);
    }
    one(K::Trilu, &[("upper", int(0))], vec![floats(&[2, 5, 4], 1), ints(&[], &[-1])]);
    one(K::EyeLike, &[("k", int(1))], vec![floats(&[4, 6], 1)]);
    one(K::Range, &[], vec![ints(&[], &[3]), ints(&[], &[20]), ints(&[], &[4])]);
    let attrs = [("batch_axis", int(0)), ("time_axis", int(1))];
    one(K::ReverseSequence, &attrs, vec![floats(&[3, 4, 2], 1), bounds(&[1, 3, 4])]);
}

#[test]
fn elements_are_chosen() {
    let at = |dims: &[usize], values: &[i64]| ints(dims, values);
    one(K::Gather, &[("axis", int(1))], vec![floats(&[3, 5, 2], 1), at(&[2, 2], &[0, -1, 3, 1])]);
    one(
        K::GatherElements,
        &[("axis", int(1))],
        vec![floats(&[2, 3], 1), at(&[2, 2], &[0, -1, 2, 1])],
    );
    one(K::GatherND, &[("batch_dims", int(1))], vec![floats(&[2, 3, 4], 1), at(&[2, 1], &[1, -3])]);
    let updates = floats(&[2, 2], 2);
    one(
        K::ScatterElements,
        &[("axis", int(1))],
        vec![floats(&[2, 3], 1), at(&[2, 2], &[0, -1, 2, 1]), updates],
    );
    one(K::ScatterND, &[], vec![floats(&[4, 3], 1), at(&[2, 1], &[3, 1]), floats(&[2, 3], 2)]);
    one(K::OneHot, &[], vec![at(&[3], &[1, -1, 9]), at(&[], &[5]), floats(&[2], 1)]);
}

#[test]
fn an_index_outside_is_a_fault() {
    let operands = vec![floats(&[3], 1), ints(&[2], &[0, 3])];
    let case = Case::new(K::Gather, &[], operands, 1);
    let like = floats(&[2], 1).unwrap();
    assert_eq!(case.lowered(&[like]).unwrap_err(), "an index is outside of its axis");
}

#[test]
fn axes_are_reduced() {
    for (dims, axes) in [
        (&[3, 5, 7][..], &[1][..]),
        (&[3, 5, 7], &[0, 2]),
        (&[2, 3000], &[1]),
        (&[33], &[0]),
        (&[2, 0], &[1]),
    ] {
        for kind in [K::ReduceSum, K::ReduceMax, K::ReduceMin, K::ReduceProd, K::ReduceMean] {
            one(kind, &[], vec![floats(dims, 1), ints(&[axes.len()], axes)]);
        }
    }
    for kind in [K::ReduceL1, K::ReduceL2, K::ReduceSumSquare, K::ReduceLogSumExp] {
        one(kind, &[("keepdims", int(0))], vec![floats(&[4, 9], 1), None]);
    }
    for kind in [K::ArgMax, K::ArgMin] {
        for last in [0, 1] {
            let values = [1.0f32, 3.0, 3.0, -1.0, -1.0, 0.0, f32::NAN, 2.0, f32::NAN, 5.0];
            let x = Tensor::from_slice(&Pool::new(), &[2, 5], &values);
            one(kind, &[("axis", int(1)), ("select_last_index", int(last))], vec![x.ok()]);
        }
        one(kind, &[("axis", int(0))], vec![floats(&[700, 3], 1)]);
    }
    one(K::GlobalAveragePool, &[], vec![floats(&[2, 3, 5, 7], 1)]);
}

#[test]
fn rows_are_normalised() {
    for (dims, axis) in [(&[3, 5][..], -1), (&[3, 50, 7], 1), (&[2, 3000], 1)] {
        for kind in [K::Softmax, K::LogSoftmax, K::Hardmax] {
            one(kind, &[("axis", int(axis))], vec![floats(dims, 1)]);
        }
        one(K::LpNormalization, &[("axis", int(axis))], vec![floats(dims, 1)]);
    }
    let (x, row) = (|| floats(&[3, 4, 5], 1), |seed| floats(&[5], seed));
    check(K::LayerNormalization, &[], vec![x(), row(2), row(3)], 3);
    one(K::RMSNormalization, &[], vec![x(), row(2)]);
    check(K::SkipLayerNormalization, &[], vec![x(), x(), row(2), row(3), row(4)], 2);
    let channel = |seed| floats(&[6], seed);
    let image = || floats(&[2, 6, 3, 5], 1);
    one(K::InstanceNormalization, &[], vec![image(), channel(2), channel(3)]);
    one(K::GroupNormalization, &[("num_groups", int(3))], vec![image(), channel(2), channel(3)]);
    let variance = floats(&[6], 5).map(|t| {
        let squares: Vec<f32> = t.slice::<f32>().unwrap().iter().map(|x| x * x + 0.1).collect();
        Tensor::from_slice(&Pool::new(), &[6], &squares).unwrap()
    });
    one(K::BatchNormalization, &[], vec![image(), channel(2), channel(3), channel(4), variance]);
    one(K::MeanVarianceNormalization, &[], vec![image()]);
    one(K::LRN, &[("size", int(3))], vec![image()]);
}

#[test]
fn matrices_are_multiplied() {
    for (a, b) in [
        (&[3, 5][..], &[5, 7][..]),
        (&[70, 33], &[33, 90]),
        (&[2, 3, 9, 5], &[5, 6]),
        (&[2, 1, 9, 5], &[3, 5, 6]),
        (&[5], &[5, 3]),
        (&[4, 5], &[5]),
        (&[4, 0], &[0, 3]),
    ] {
        one(K::MatMul, &[], vec![floats(a, 1), floats(b, 2)]);
    }
    let transposed = [("trans_a", int(1)), ("trans_b", int(1)), ("alpha", Attr::Float(0.5))];
    one(K::Gemm, &transposed, vec![floats(&[5, 20], 1), floats(&[30, 5], 2), floats(&[30], 3)]);
    one(
        K::Gemm,
        &[("beta", Attr::Float(2.0))],
        vec![floats(&[6, 5], 1), floats(&[5, 7], 2), floats(&[6, 1], 3)],
    );
    let fused = [("activation", Attr::Str("relu".into())), ("scale", Attr::Float(0.25))];
    let operands =
        vec![floats(&[9, 8], 1), floats(&[8, 6], 2), floats(&[6], 3), floats(&[9, 6], 4)];
    one(K::FusedMatMul, &fused, operands);
    one(K::MatMul, &[], vec![ints(&[2, 3], &[1, -2, 3, 4, 5, 6]), ints(&[3, 1], &[7, 8, 9])]);
}

#[test]
fn images_are_convolved() {
    let strided =
        [("strides", list(&[2, 1])), ("pads", list(&[1, 0, 2, 1])), ("dilations", list(&[1, 2]))];
    one(
        K::Conv,
        &strided,
        vec![floats(&[2, 3, 9, 8], 1), floats(&[5, 3, 3, 2], 2), floats(&[5], 3)],
    );
    one(K::Conv, &[], vec![floats(&[2, 3, 9], 1), floats(&[20, 3, 4], 2), None]);
    one(K::Conv, &[("group", int(4))], vec![floats(&[1, 4, 6, 6], 1), floats(&[4, 1, 3, 3], 2)]);
    one(K::Conv, &[("group", int(2))], vec![floats(&[1, 8, 6, 6], 1), floats(&[12, 4, 3, 3], 2)]);
    let fused = [("activation", Attr::Str("hard_swish".into()))];
    let operands = vec![
        floats(&[1, 3, 6, 6], 1),
        floats(&[4, 3, 3, 3], 2),
        floats(&[4], 3),
        floats(&[1, 4, 4, 4], 4),
    ];
    one(K::FusedConv, &fused, operands);
    for attrs in [
        &[][..],
        &[("strides", list(&[2, 3])), ("output_padding", list(&[1, 1]))],
        &[("pads", list(&[1, 1, 1, 0])), ("dilations", list(&[2, 1]))],
    ] {
        one(K::ConvTranspose, attrs, vec![floats(&[2, 3, 4, 5], 1), floats(&[3, 4, 3, 3], 2)]);
    }
    one(
        K::ConvTranspose,
        &[("group", int(3))],
        vec![floats(&[1, 3, 4, 5], 1), floats(&[3, 2, 3, 3], 2)],
    );
}

#[test]
fn maxima_of_windows_pass_over_nan() {
    let (nan, low) = (f32::NAN, f32::NEG_INFINITY);
    let x = [nan, 1.0, nan, nan, nan, -2.0, low, nan, low, low, nan, f32::INFINITY, 0.0, -0.0];
    let attrs = [("kernel_shape", list(&[3])), ("pads", list(&[1, 1]))];
    let x = || Some(Tensor::from_slice(&Pool::new(), &[1, 1, x.len()], &x).unwrap());
    one(K::MaxPool, &attrs, vec![x()]);
    check(K::MaxPool, &attrs, vec![x()], 2);
}

#[test]
fn windows_are_pooled() {
    let x = || floats(&[2, 3, 7, 8], 1);
    let kernel = ("kernel_shape", list(&[3, 2]));
    for attrs in [
        vec![kernel.clone()],
        vec![kernel.clone(), ("strides", list(&[2, 3])), ("pads", list(&[1, 0, 1, 1]))],
        vec![
            kernel.clone(),
            ("dilations", list(&[2, 1])),
            ("ceil_mode", int(1)),
            ("strides", list(&[2, 2])),
        ],
    ] {
        check(K::MaxPool, &attrs, vec![x()], 2);
        one(K::MaxPool, &attrs, vec![x()]);
        one(K::AveragePool, &attrs, vec![x()]);
        one(K::LpPool, &attrs, vec![x()]);
        one(K::LpPool, &[attrs.clone(), vec![("p", int(3))]].concat(), vec![x()]);
        let padded = [attrs, vec![("count_include_pad", int(1))]].concat();
        one(K::AveragePool, &padded, vec![x()]);
    }
}

#[test]
fn chains_are_one_function() {
    let text = "func @f graph (%x: f32[7, 5], %y: f32[5], %low: f32[]) -> (f32[*]) {
      %r = fused(%x, %y, %low) : f32[*] region (%a: f32[], %b: f32[], %l: f32[]) {
        %k = constant {value = f32[](0.5)}
        %s = add(%a, %b)
        %t = mul(%s, %k)
        %c = clip(%t, %l)
        %u = tanh(%c)
        yield %u
      }
      return %r
    }";
    let func: trident_ir::Func = text.parse().unwrap();
    let (x, y, low) = (floats(&[7, 5], 1), floats(&[5], 2), floats(&[], 3));
    let case = Case {
        op: func.body.ops[0].clone(),
        values: func.values.clone(),
        operands: vec![x.clone(), y.clone(), low.clone()],
        results: 1,
    };
    let step = |kind, operands| {
        let case = Case::new(kind, &[], operands, 1);
        Some(case.kernel().swap_remove(0))
    };
    let half = Tensor::from_slice(&Pool::new(), &[], &[0.5f32]).ok();
    let sum = step(K::Add, vec![x, y]);
    let scaled = step(K::Mul, vec![sum, half]);
    let clipped = step(K::Clip, vec![scaled, low]);
    let expected = step(K::Tanh, vec![clipped]).unwrap();
    let like = [expected];
    agree(&like[0], &case.lowered(&like).unwrap()[0]).unwrap();
    agree(&like[0], &case.kernel()[0]).unwrap();
}
