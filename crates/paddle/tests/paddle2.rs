//! Ops of which programs of Paddle 2 have a meaning of their own, and what is refused of them.
#![allow(clippy::unwrap_used)] // a failure is what the tests look for

mod common;

use common::*;
use trident_paddle::load_from;

/// The error of a program with one op, or its text if it loads. Vectors of integers are `n` and `m`.
fn loaded(dims: &[i64], op: Message) -> Result<String, String> {
    let vars = [
        var("x", 5, dims, false),
        var("n", 2, &[2], false),
        var("m", 2, &[1], false),
        var("out", 5, &vec![-1; dims.len()], false),
    ];
    let ops = [feed("x", 0), feed("n", 1), feed("m", 2), op, fetch("out", 0)];
    let files = Memory::of([("model.pdmodel", program(&[block(&vars, &ops)]))]);
    match load_from(&files, "model.pdmodel") {
        Ok(model) => Ok(model.module.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// A resize of `x` by bicubic interpolation.
fn bicubic(inputs: &[&str], attrs: &[Message], align_corners: bool) -> Message {
    let mut every = vec![text_attr("data_layout", "NCHW")];
    every.extend([flag_attr("align_corners", align_corners), int_attr("align_mode", 1)]);
    every.extend_from_slice(attrs);
    op("bicubic_interp_v2", inputs, &["Out=out"], &every)
}

#[test]
fn a_bicubic_result_that_may_have_length_1_is_refused() {
    let (fixed, open) = ([1, 1, 4, 4], [1, 1, -1, 4]);
    let sizes = |h, w| vec![int_attr("out_h", h), int_attr("out_w", w)];
    let scales =
        |h: f32, w: f32| vec![Message::new().bytes(1, "scale").int(2, 4).float(7, h).float(7, w)];
    let of = |dims: &[i64], attrs: &[Message]| loaded(dims, bicubic(&["X=x"], attrs, false));
    let one = "a bicubic result of length 1 is not supported for Paddle 2";
    let unknown = "axis 2 of a bicubic result may have length 1";
    for (dims, attrs, expected) in [
        (&fixed, sizes(5, 1), one),
        (&fixed, scales(0.25, 2.0), one),
        (&open, scales(0.5, 2.0), unknown),
    ] {
        let error = of(dims, &attrs).unwrap_err();
        assert!(error.contains(expected) && error.contains("bicubic_interp_v2"), "{error}");
    }
    for (dims, attrs) in [
        (&fixed, sizes(5, 2)),
        (&fixed, scales(1.5, 0.5)),
        (&open, scales(1.5, 0.5)),
        (&[1, 1, 1, 4], sizes(1, 2)),
        (&open, sizes(5, 2)),
    ] {
        of(dims, &attrs).unwrap();
    }
    // Factors that change no length.
    let (copied, resized) = (of(&fixed, &scales(1.2, 1.2)), of(&fixed, &scales(1.2, 1.3)));
    assert!(!copied.unwrap().contains("resize") && resized.unwrap().contains("resize"));
    // A size that the model computes.
    let computed = |corners| loaded(&fixed, bicubic(&["X=x", "OutSize=n"], &[], corners));
    assert!(computed(false).unwrap_err().contains(unknown));
    computed(true).unwrap();
}

#[test]
fn steps_and_strides_must_be_known() {
    let ints = |name: &str, value: i64| Message::new().bytes(1, name).int(2, 11).int(15, value);
    let mut attrs = vec![ints("axes", 0), ints("starts", 0), ints("ends", 2), int_attr("dtype", 5)];
    let write = |attrs: &[Message], inputs: &[&str]| {
        loaded(&[2, 2], op("set_value", inputs, &["Out=out"], attrs))
    };
    let error = write(&attrs, &["Input=x", "ValueTensor=x", "StepsTensorList=m"]).unwrap_err();
    assert!(error.contains("`steps` is computed by the model"), "{error}");
    let cut = op("strided_slice", &["Input=x", "StridesTensor=m"], &["Out=out"], &attrs[..3]);
    let error = loaded(&[2, 2], cut).unwrap_err();
    assert!(error.contains("`strides` is computed by the model"), "{error}");
    attrs.push(ints("steps", 1));
    write(&attrs, &["Input=x", "ValueTensor=x"]).unwrap();
}
