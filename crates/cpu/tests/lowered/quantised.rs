//! Quantised tensors, and types narrower than a byte.

use trident_ir::element::{I2, I4, U2, U4};
use trident_ir::{Attr, DType, Element, OpKind as K};
use trident_runtime::{Pool, Tensor};

use crate::run::{Case, floats};
use crate::{check, int, list, one};

fn of<T: Element>(dims: &[usize], values: &[T]) -> Option<Tensor> {
    Some(Tensor::from_slice(&Pool::new(), dims, values).unwrap())
}

/// Bytes that are the same on each run.
fn bytes(dims: &[usize], seed: u32) -> Option<Tensor> {
    let noise = floats(dims, seed).unwrap();
    let all: Vec<u8> =
        noise.slice::<f32>().unwrap().iter().map(|x| (x * 63.0) as i8 as u8).collect();
    of(dims, &all)
}

/// Scales with which bytes become numbers of at most 1: sums of the two ways, which add in different orders, differ by less than
/// the tolerance.
fn small(dims: &[usize], seed: u32) -> Option<Tensor> {
    let all = floats(dims, seed).unwrap();
    let all: Vec<f32> = all.slice::<f32>().unwrap().iter().map(|x| x / 512.0).collect();
    of(dims, &all)
}

fn signed(dims: &[usize], seed: u32) -> Option<Tensor> {
    let all = bytes(dims, seed).unwrap();
    let all: Vec<i8> = all.slice::<u8>().unwrap().iter().map(|&x| x as i8).collect();
    of(dims, &all)
}

#[test]
fn floats_are_quantised() {
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.5, 1.5, -2.5, 1e9, -0.0];
    one(K::QuantizeLinear, &[], vec![of(&[8], &special), of(&[], &[1f32]), of(&[], &[3u8])]);
    one(K::QuantizeLinear, &[], vec![floats(&[0, 3], 1), of(&[1], &[0.5f32]), None]);
    for axis in [0, 1, -1] {
        let x = floats(&[3, 3, 3], 1);
        let scale = of(&[3], &[0.1f32, 0.01, 0.5]);
        one(K::QuantizeLinear, &[("axis", int(axis))], vec![x, scale, of(&[3], &[1i8, -2, 0])]);
    }
    let attrs = [("axis", int(1)), ("block_size", int(2))];
    let scale = of(&[2, 3, 2], &[0.1f32, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2]);
    one(K::QuantizeLinear, &attrs, vec![floats(&[2, 5, 2], 1), scale, None]);
    for to in [DType::I4, DType::U4, DType::I2, DType::U2, DType::I16, DType::U16] {
        let x = floats(&[33], 5);
        let attrs = [("output_dtype", Attr::DType(to))];
        one(K::QuantizeLinear, &attrs, vec![x, of(&[], &[0.13f32]), None]);
    }
}

#[test]
fn integers_are_scaled() {
    let zero = of(&[5], &[1u8, 2, 3, 4, 255]);
    let scale = of(&[5], &[0.1f32, 2.0, f32::INFINITY, f32::NAN, -1.0]);
    one(K::DequantizeLinear, &[("axis", int(1))], vec![bytes(&[2, 5, 3], 1), scale, zero]);
    one(K::DequantizeLinear, &[], vec![of(&[2], &[i32::MIN, 7]), of(&[], &[0.5f32]), None]);
    let attrs = [("axis", int(0)), ("block_size", int(3))];
    let x: Vec<I4> = (0..14).map(|i| I4(i % 16 - 8)).collect();
    let scale = floats(&[3, 2], 2);
    one(K::DequantizeLinear, &attrs, vec![of(&[7, 2], &x), scale, of(&[3, 2], &[I4(1); 6])]);
    one(K::DequantizeLinear, &[], vec![signed(&[0], 1), of(&[], &[0.5f32]), None]);
}

#[test]
fn a_range_is_spread_over_a_byte() {
    for dims in [&[3, 5][..], &[40_000], &[0], &[1]] {
        check(K::DynamicQuantizeLinear, &[], vec![floats(dims, 3)], 3);
    }
    check(K::DynamicQuantizeLinear, &[], vec![of(&[3], &[0f32; 3])], 3);
}

#[test]
fn quantised_matrices_are_multiplied() {
    let zero = || of(&[], &[7u8]);
    for (a, b) in [
        (&[3, 5][..], &[5, 4][..]),
        (&[33, 70], &[70, 65]),
        (&[2, 3, 5], &[5, 4]),
        (&[2, 1, 3, 5], &[4, 5, 2]),
        (&[1, 300], &[300, 7]),
        (&[2, 0], &[0, 3]),
        (&[0, 2], &[2, 3]),
    ] {
        one(K::MatMulInteger, &[], vec![bytes(a, 1), signed(b, 2), None, None]);
        one(K::MatMulInteger, &[], vec![bytes(a, 1), bytes(b, 2), zero(), zero()]);
        let [scale, last] = [of(&[], &[0.02f32]), of(&[], &[0.4f32])];
        let operands = vec![
            bytes(a, 3),
            scale.clone(),
            zero(),
            signed(b, 4),
            scale,
            of(&[], &[-3i8]),
            last,
            zero(),
        ];
        one(K::QLinearMatMul, &[], operands);
    }
    let zeros = [of(&[3], &[1u8, 2, 3]), of(&[4], &[4i8, 0, -9, 100])];
    let [a_zero, b_zero] = zeros;
    one(K::MatMulInteger, &[], vec![bytes(&[3, 5], 1), signed(&[5, 4], 2), a_zero, b_zero]);
}

#[test]
fn weights_of_a_few_bits_are_multiplied() {
    for (m, [k, n, bits, block]) in [
        (1, [64_usize, 20, 4, 32]),
        (3, [33, 3, 4, 16]),
        (17, [300, 70, 8, 256]),
        (9, [50, 5, 2, 4]),
        (70, [40, 33, 8, 1]),
        (5, [100, 20, 4, 64]),
        (5, [20, 1, 4, 32]),
        (4, [0, 3, 4, 16]),
        (0, [16, 3, 8, 16]),
    ] {
        let blocks = k.div_ceil(block);
        let sizes = [("k", k), ("n", n), ("bits", bits), ("block_size", block)];
        let mut attrs = sizes.map(|(name, n)| (name, int(n as i64))).to_vec();
        let operands = |bias, residual, zeros| {
            let b = bytes(&[n, blocks, block * bits / 8], 2);
            vec![floats(&[m, k], 1), b, bias, residual, small(&[n, blocks], 3), zeros]
        };
        one(K::MatMulNBits, &attrs, operands(None, None, None));
        attrs.push(("activation", Attr::Str("relu".into())));
        let zeros = bytes(&[n, (blocks * bits).div_ceil(8)], 4);
        one(K::MatMulNBits, &attrs, operands(floats(&[n], 5), floats(&[m, n], 6), zeros));
        one(K::MatMulNBits, &attrs, operands(floats(&[n], 7), None, floats(&[n * blocks], 8)));
    }
}

#[test]
fn a_bias_that_is_no_row_is_refused() {
    let sizes = [("k", 16), ("n", 3), ("bits", 4), ("block_size", 16)].map(|(k, n)| (k, int(n)));
    for bias in [&[3, 1][..], &[1, 3], &[1], &[3, 3]] {
        let (x, y) = (floats(&[3, 16], 1), floats(&[3, 3], 2).unwrap());
        let dense = vec![x.clone(), floats(&[16, 3], 3), floats(bias, 4)];
        let packed = vec![x, bytes(&[3, 1, 8], 3), floats(bias, 4), None, floats(&[3], 5)];
        for case in
            [Case::new(K::FusedMatMul, &[], dense, 1), Case::new(K::MatMulNBits, &sizes, packed, 1)]
        {
            let error = case.lowered(std::slice::from_ref(&y)).unwrap_err();
            assert!(error.contains("expected [3]"), "{error}");
        }
    }
}

#[test]
fn quantised_images_are_convolved() {
    let zero = || of(&[], &[9u8]);
    let attrs = [("pads", list(&[1, 2, 0, 1])), ("strides", list(&[2, 1]))];
    one(
        K::ConvInteger,
        &attrs,
        vec![bytes(&[2, 3, 7, 5], 1), signed(&[5, 3, 3, 2], 2), zero(), None],
    );
    let attrs = [("group", int(2)), ("pads", list(&[1, 1, 1, 1]))];
    let scales = || of(&[4], &[0.01f32, 0.02, 0.03, 0.005]);
    let operands = vec![
        bytes(&[1, 6, 5, 4], 1),
        of(&[], &[0.5f32]),
        zero(),
        signed(&[4, 3, 3, 3], 2),
        scales(),
        of(&[4], &[0i8, 3, -5, 1]),
        of(&[], &[0.7f32]),
        of(&[], &[-4i8]),
        of(&[4], &[100i32, -50, 0, 7]),
    ];
    one(K::QLinearConv, &attrs, operands);
}

#[test]
fn short_integers_are_converted() {
    let to = |to| [("to", Attr::DType(to))];
    for narrow in [DType::I4, DType::U4, DType::I2, DType::U2] {
        one(K::Cast, &to(narrow), vec![of(&[6], &[-9.7f32, 15.0, 3.5, f32::NAN, 1e9, -1.0])]);
        one(K::Cast, &to(narrow), vec![of(&[4], &[-9i32, 300, 7, 8])]);
        one(K::Cast, &to(narrow), vec![bytes(&[70], 1)]);
    }
    one(K::Cast, &to(DType::F32), vec![of(&[3], &[I4(-8), I4(7), I4(0)])]);
    one(K::Cast, &to(DType::I8), vec![of(&[3], &[U4(15), U4(7), U4(0)])]);
    one(K::Cast, &to(DType::F32), vec![of(&[3], &[I2(-2), I2(1), I2(0)])]);
    one(K::Cast, &to(DType::U4), vec![of(&[3], &[U2(3), U2(1), U2(0)])]);
}
