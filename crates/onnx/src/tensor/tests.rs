//! Tests of decoding and encoding tensors.

use super::*;
use half::f16;
use trident_ir::element::{B8, I2, I4, U4};

fn proto(data_type: i32, dims: &[i64]) -> TensorProto {
    TensorProto { name: "t".into(), data_type, dims: dims.to_vec(), ..Default::default() }
}

fn reason(t: &TensorProto) -> TensorFault {
    match inline(t).unwrap_err() {
        OnnxErrorKind::BadTensor { tensor, reason } if tensor == "t" => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn typed_fields() {
    let ints = |data_type, values: &[i32]| {
        let t =
            TensorProto { int32_data: values.to_vec(), ..proto(data_type, &[values.len() as i64]) };
        inline(&t)
    };
    assert_eq!(ints(3, &[-128, 127]).unwrap().to_vec(), Some(vec![-128i8, 127]));
    assert_eq!(ints(2, &[0, 255]).unwrap().to_vec(), Some(vec![0u8, 255]));
    assert_eq!(ints(5, &[-5]).unwrap().to_vec(), Some(vec![-5i16]));
    assert_eq!(ints(6, &[i32::MIN]).unwrap().to_vec(), Some(vec![i32::MIN]));
    assert_eq!(ints(9, &[1, 0]).unwrap().to_vec(), Some(vec![B8(1), B8(0)]));
    assert_eq!(ints(10, &[0x3c00]).unwrap().to_vec(), Some(vec![f16::ONE]));
    assert!(ints(3, &[128]).is_err() && ints(2, &[-1]).is_err() && ints(10, &[-1]).is_err());
    let t = TensorProto { uint64_data: vec![7, u32::MAX.into()], ..proto(12, &[2]) };
    assert_eq!(inline(&t).unwrap().to_vec(), Some(vec![7, u32::MAX]));
    let t = TensorProto { float_data: vec![1.0, 2.0, 3.0, 4.0], ..proto(14, &[2]) };
    assert_eq!(inline(&t).unwrap().dims(), [2]);
    let t = TensorProto { double_data: vec![0.5], ..proto(11, &[]) };
    assert_eq!(inline(&t).unwrap().to_vec(), Some(vec![0.5f64]));
    let t = TensorProto { string_data: vec!["ä".into(), "".into()], ..proto(8, &[2]) };
    assert!(matches!(inline(&t).unwrap().data(), LiteralData::Strings(s) if s[0] == "ä"));
}

#[test]
fn narrow_elements_are_packed_from_the_low_bits_on() {
    let t = TensorProto { raw_data: Some(Bytes::from_static(&[0x8f, 0x07])), ..proto(22, &[3]) };
    assert_eq!(inline(&t).unwrap().to_vec(), Some(vec![I4(-1), I4(-8), I4(7)]));
    let t = TensorProto { int32_data: vec![0x8f, 0x07], ..proto(21, &[3]) };
    assert_eq!(inline(&t).unwrap().to_vec(), Some(vec![U4(15), U4(8), U4(7)]));
    let t =
        TensorProto { raw_data: Some(Bytes::from_static(&[0b1110_0100, 1])), ..proto(26, &[5]) };
    let values = inline(&t).unwrap();
    assert_eq!(values.to_vec(), Some(vec![I2(0), I2(1), I2(-2), I2(-1), I2(1)]));
    for dtype in DType::ALL.iter().filter(|d| d.bits() > 0 && d.bits() < 8) {
        let signed = matches!(dtype.class(), trident_ir::dtype::Class::Int);
        let count = 1u8 << dtype.bits();
        let value = |v: u8| if signed && v >= count / 2 { v.wrapping_sub(count) } else { v };
        let bytes: Bytes = (0..7).map(|v| value(v % count)).collect();
        let literal = Literal::from_bytes(*dtype, vec![7], bytes).unwrap();
        assert_eq!(inline(&tensor_proto("t", &literal)).unwrap(), literal, "{dtype}");
    }
    let t = TensorProto { raw_data: Some(Bytes::from_static(&[1, 2])), ..proto(21, &[2]) };
    assert!(matches!(reason(&t), TensorFault::Count { expected: 1, .. }));
}

#[test]
fn raw_data_are_shared() {
    let data = Bytes::from(vec![1u8; 1 << 12]);
    let t = TensorProto { raw_data: Some(data), ..proto(2, &[1 << 12]) };
    let message = Bytes::from(prost::Message::encode_to_vec(&t));
    let t: TensorProto = prost::Message::decode(message.clone()).unwrap();
    let literal = inline(&t).unwrap();
    let LiteralData::Bytes(bytes) = literal.data() else { panic!() };
    assert!(message.as_ptr_range().contains(&bytes.as_ptr()));
}

#[test]
fn what_does_not_hold_together_is_refused() {
    let raw = |n: usize| Some(Bytes::from(vec![0; n]));
    assert_eq!(reason(&proto(0, &[0])), TensorFault::DataType(0));
    assert_eq!(reason(&proto(27, &[0])), TensorFault::DataType(27));
    assert_eq!(reason(&proto(1, &[-1])), TensorFault::Negative(-1));
    let too_large =
        |t: &TensorProto| matches!(reason(t), TensorFault::Literal(LiteralError::TooLarge { .. }));
    assert!(too_large(&proto(1, &[i64::MAX, 2])));
    assert!(too_large(&proto(21, &[1 << 62])));
    // A request for 2³¹ elements fails for want of data before anything is allocated.
    for (data_type, unit) in [(1, "element"), (21, "element"), (8, "element")] {
        let error = reason(&proto(data_type, &[1 << 31]));
        assert!(matches!(error, TensorFault::Count { unit: u, found: 0, .. } if u == unit));
    }
    let t = TensorProto { raw_data: raw(5), ..proto(1, &[1]) };
    assert!(matches!(reason(&t), TensorFault::Literal(LiteralError::Size { .. })));
    let t = TensorProto { raw_data: raw(5), ..proto(8, &[1]) };
    assert!(matches!(reason(&t), TensorFault::Literal(LiteralError::Kind { .. })));
    let t = TensorProto { int64_data: vec![1], ..proto(1, &[1]) };
    assert!(matches!(reason(&t), TensorFault::Count { found: 0, .. }));
    let t = TensorProto { string_data: vec![Bytes::from_static(b"\xff")], ..proto(8, &[1]) };
    assert_eq!(reason(&t), TensorFault::Text(0));
    let t = TensorProto { segment: Some(Default::default()), ..proto(1, &[0]) };
    assert_eq!(reason(&t), TensorFault::Segment);
    let t = TensorProto { data_location: 1, ..proto(1, &[0]) };
    assert!(matches!(reason(&t), TensorFault::Missing(_)));
}

#[test]
fn sparse_tensors_become_dense() {
    let folder = Folder::new(None);
    let sparse = |indices: Literal, dims: &[i64]| {
        let values = tensor_proto("s", &Literal::vector(&[5.0f32, 6.0]));
        let (values, indices) = (Some(values), Some(tensor_proto("", &indices)));
        dense(&SparseTensorProto { values, indices, dims: dims.to_vec() }, &folder)
    };
    let rows = |v: &[i64]| Literal::vector(v).with_dims(vec![2, 2]).unwrap();
    let expected = Some(vec![0.0f32, 5.0, 0.0, 0.0, 0.0, 6.0]);
    assert_eq!(sparse(Literal::vector(&[1i64, 5]), &[2, 3]).unwrap().to_vec(), expected);
    let dense_rows = sparse(rows(&[0, 1, 1, 2]), &[2, 3]).unwrap();
    assert_eq!((dense_rows.dims(), dense_rows.to_vec()), (&[2, 3][..], expected));
    for wrong in [&[1i64, 6], &[5, 1], &[1, 1], &[-1, 2]] {
        assert!(sparse(Literal::vector(wrong), &[2, 3]).is_err());
    }
    assert!(sparse(rows(&[0, 3, 1, 0]), &[2, 3]).is_err());
    let huge = sparse(Literal::vector(&[1i64, 5]), &[1 << 20, 1 << 20]).unwrap_err();
    assert!(
        matches!(huge, OnnxErrorKind::BadTensor { reason: TensorFault::TooLarge(_), .. }),
        "{huge}"
    );
    let values = Some(tensor_proto("s", &Literal::vector(&[1.0f32])));
    let t = SparseTensorProto { values, indices: None, dims: vec![2] };
    assert!(dense(&t, &folder).is_err() && dense(&Default::default(), &folder).is_err());
}
