//! All types of the protocol.

use crate::models::*;
use trident_ir::DType;
use trident_serving::{DataType, InferenceRequest, ServedModel};

fn identity(dtype: DType) -> ServedModel {
    let graph = graph(&[("x", tensor(dtype, "N K"))], vec![node("y = Identity(x)")], &["y"]);
    load("name: 'm' max_batch_size: 8", graph).unwrap()
}

/// All bit patterns of a byte, of all numbers of bytes.
fn patterns(rows: usize, width: usize) -> Vec<u8> {
    (0..rows * 5 * width).map(|i| (i * 37 % 256) as u8).collect()
}

#[test]
fn numbers_of_every_type_keep_their_bits() {
    use DataType::*;
    let types =
        [Uint8, Uint16, Uint32, Uint64, Int8, Int16, Int32, Int64, Fp16, Fp32, Fp64, Bf16, Bool];
    for data_type in types {
        let model = identity(data_type.dtype().unwrap());
        let width = data_type.byte_size().unwrap();
        let data: Vec<Vec<u8>> = [2, 0, 1, 3].map(|rows| patterns(rows, width)).into();
        let data: Vec<Vec<u8>> = match data_type {
            Bool => data.into_iter().map(|d| d.into_iter().map(|b| b & 1).collect()).collect(),
            _ => data,
        };
        let requests: Vec<InferenceRequest<'_>> = data
            .iter()
            .map(|data| {
                let rows = (data.len() / width / 5) as i64;
                let parts: Vec<&[u8]> = data.chunks(3).collect();
                request(vec![input("x", data_type, &[rows, 5], &parts)])
            })
            .collect();
        for (data, response) in data.iter().zip(model.execute(requests).responses) {
            let output = &response.unwrap().outputs[0];
            assert_eq!((&*output.data, output.data_type), (&**data, data_type));
        }
    }
}

#[test]
fn strings_keep_their_bytes() {
    let model = identity(DType::Str);
    let data = [
        strings(&[b"", "zwölf Boxkämpfer".as_bytes(), &[b'x'; 300]]),
        strings(&[b"a\0b", b"c", b""]),
        strings(&["\u{10ffff}".as_bytes(), b"1", b"2", b"3", b"4", b"5"]),
    ];
    let requests: Vec<InferenceRequest<'_>> = data
        .iter()
        .zip([1, 1, 2])
        .map(|(data, rows)| {
            let parts: Vec<&[u8]> = data.chunks(3).collect();
            request(vec![input("x", DataType::String, &[rows, 3], &parts)])
        })
        .collect();
    for (data, response) in data.iter().zip(model.execute(requests).responses) {
        let output = &response.unwrap().outputs[0];
        assert_eq!((&*output.data, output.data_type), (&**data, DataType::String));
    }
}

#[test]
fn strings_that_are_none_are_named() {
    let model = identity(DType::Str);
    let cases: &[(&[u8], &str)] = &[
        (
            &strings(&[b"a", b"b", b"c"]),
            "unexpected number of string elements 3 for inference input 'x' for model 'm', expecting 2",
        ),
        (
            &strings(&[b"a"]),
            "expected 2 string elements for inference input 'x' for model 'm', got 1",
        ),
        (&[], "expected 2 string elements for inference input 'x' for model 'm', got 0"),
        (
            &[strings(&[b"a"]), vec![1, 0]].concat(),
            "incomplete string length indicator for inference input 'x' for model 'm', expecting 4 bytes but only 2 bytes \
             available",
        ),
        (
            &[strings(&[b"a"]), vec![255, 255, 255, 255, b'x']].concat(),
            "incomplete string data for inference input 'x' for model 'm', expecting string of length 4294967295 but only 1 \
             bytes available",
        ),
        (
            &strings(&[b"a", b"ab\xff"]),
            "string element 1 of inference input 'x' is not valid UTF-8 for model 'm', at its byte 2",
        ),
    ];
    let good = strings(&[b"p", b"q"]);
    for (data, text) in cases {
        let wrong = request(vec![input("x", DataType::String, &[1, 2], &[data])]);
        let right = request(vec![input("x", DataType::String, &[1, 2], &[&good])]);
        let responses = model.execute([right.clone(), wrong, right]).responses;
        let error = responses[1].as_ref().unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
        for response in [&responses[0], &responses[2]] {
            assert_eq!(response.as_ref().unwrap().outputs[0].data, good);
        }
    }
    // A shape does not decide how much memory is taken.
    let huge = request(vec![input("x", DataType::String, &[1, 1 << 60], &[&good])]);
    let error = model.execute([huge]).responses.remove(0).unwrap_err().to_string();
    assert!(error.starts_with("expected 1152921504606846976 string elements"), "{error}");
}
