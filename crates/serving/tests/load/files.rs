//! The files beside a model: labels, and the data of warm-up requests.

use crate::config;
use std::io;
use trident_serving::{Labels, ModelConfig, WarmupRequest};

#[test]
fn labels_are_lines_of_a_file() {
    let given = config(
        "name: \"m\" output { name: \"B\" label_filename: \"l.txt\" } output { name: \"C\" }",
    );
    let read = |bytes: &'static [u8]| {
        Labels::read(
            &given,
            |file| if file == "l.txt" { Ok(bytes.to_vec()) } else { panic!("{file}") },
        )
    };
    let labels = read(b"cat\r\n\ndog").unwrap();
    assert_eq!([0, 1, 2, 3].map(|n| labels.get("B", n)), [Some("cat"), None, Some("dog"), None]);
    assert_eq!(labels.get("C", 0), None);
    let fault = "the label file 'l.txt' for model 'm' is not valid UTF-8 (line 2)";
    assert_eq!(read(b"a\n\xff").unwrap_err().to_string(), fault);
    let absent = Labels::read(&given, |_| Err(io::ErrorKind::NotFound.into())).unwrap_err();
    assert!(absent.to_string().starts_with("failed to read 'l.txt' for model 'm': "));
}

#[test]
fn warm_up_requests_have_their_data() {
    let warmup = |max: i32, text: &str, file: &'static [u8]| {
        let text =
            format!("name: \"m\" max_batch_size: {max} model_warmup {{ name: \"w\" {text} }}");
        WarmupRequest::read(&config(&text), |path| {
            assert_eq!(path, "warmup/f");
            Ok(file.to_vec())
        })
        .map_err(|e| e.to_string())
    };
    let input = |text: &str| format!("batch_size: 2 inputs {{ key: \"A\" value {{ {text} }} }}");
    let zero = warmup(4, &input("data_type: TYPE_INT16 dims: [ 3 ] zero_data: true"), b"").unwrap();
    assert_eq!((zero[0].count, &*zero[0].inputs[0].shape), (1, &[2, 3][..]));
    assert_eq!(zero[0].inputs[0].data, [0; 12]);
    let random = input("data_type: TYPE_FP32 dims: [ 5 ] random_data: true");
    let random = warmup(4, &random, b"").unwrap().remove(0).inputs.remove(0).data;
    let floats = random.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    assert_eq!(floats.filter(|x| (1.0..2.0).contains(x)).count(), 10);
    let file = input("data_type: TYPE_UINT8 dims: [ 2 ] input_data_file: \"f\"");
    assert_eq!(warmup(2, &file, b"ab").unwrap()[0].inputs[0].data, b"abab");
    assert!(warmup(2, &file, b"abc").unwrap_err().contains("expects 2 bytes"));
    let strings = input("data_type: TYPE_STRING dims: [ 2 ] input_data_file: \"f\"");
    assert!(warmup(2, &strings, b"\x01\0\0\0x\0\0\0\0").is_ok());
    assert!(warmup(2, &strings, b"\x01\0\0\0x").is_err());
    assert!(warmup(2, &strings, b"\x09\0\0\0x\0\0\0\0").is_err());

    assert_eq!(warmup(0, "batch_size: 0", b""), Ok(vec![]));
    let fault = "warm-up request 'w' for model 'm', input 'A': ";
    for (text, expected) in [
        ("dims: 1 zero_data: true", "must specify 'data_type'"),
        (
            "data_type: TYPE_INT8 dims: -1 zero_data: true",
            "'dims' must be sizes of a tensor of at most 1 GiB",
        ),
        (
            "data_type: TYPE_INT8 dims: [ 4294967296, 4294967296 ] zero_data: true",
            "'dims' must be sizes of a tensor of at most 1 GiB",
        ),
        (
            "data_type: TYPE_INT8 dims: 1",
            "must specify one of 'zero_data', 'random_data', 'input_data_file'",
        ),
    ] {
        assert_eq!(warmup(2, &input(text), b""), Err(format!("{fault}{expected}")));
    }
    let fault = warmup(1, &input("data_type: TYPE_INT8 dims: 1 zero_data: true"), b"").unwrap_err();
    assert!(fault.ends_with("batch size 2 exceeds the largest, 1"), "{fault}");
}

#[test]
fn warm_up_requests_begin_sequences() {
    let text = "name: \"m\" max_batch_size: 4
        model_warmup { name: \"w\" batch_size: 2 inputs { key: \"READY\" value { data_type: TYPE_INT32 dims: 1 zero_data: true } } }
        sequence_batching {
          control_input { name: \"START\" control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 2 ] } }
          control_input { name: \"END\" control { kind: CONTROL_SEQUENCE_END bool_false_true: [ true, false ] } }
          control_input { name: \"READY\" control { kind: CONTROL_SEQUENCE_READY int32_false_true: [ 0, 1 ] } }
          control_input { name: \"ID\" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING } }
          state { input_name: \"S\" output_name: \"T\" data_type: TYPE_INT16 dims: [ 2 ]
                  initial_state { name: \"s\" data_type: TYPE_INT16 dims: [ 2 ] data_file: \"f\" } }
        }";
    let read = |text: &str| {
        let requests = WarmupRequest::read(&config(text), |path| {
            assert_eq!(path, "initial_state/f");
            Ok(b"abcd".to_vec())
        });
        requests.unwrap().remove(0).inputs
    };
    let given: Vec<_> = read(text).into_iter().map(|own| (own.name, own.shape, own.data)).collect();
    let of =
        |name: &str, shape: &[i64], data: &[u8]| (name.to_owned(), shape.to_vec(), data.to_vec());
    let expected = [
        of("READY", &[2, 1], &[0; 8]),
        of("START", &[2, 1], &2f32.to_le_bytes().repeat(2)),
        of("END", &[2, 1], &[1, 1]),
        of("ID", &[2, 1], &b"\x01\0\0\x001".repeat(2)),
        of("S", &[2, 2], b"abcdabcd"),
    ];
    assert_eq!(given, expected);
    let single = text.replace("max_batch_size: 4", "").replace("batch_size: 2", "batch_size: 1");
    let single = read(&single.replace("TYPE_STRING", "TYPE_UINT32"));
    assert_eq!((&*single[3].shape, &*single[3].data), (&[1][..], &[1, 0, 0, 0][..]));
    assert_eq!((&*single[4].shape, &*single[4].data), (&[2][..], &b"abcd"[..]));
}

/// Without batches, a row is made once, whatever the batch size of the request.
#[test]
fn inputs_that_are_not_repeated_count_once() {
    let text = "name: 'm' input { name: 'X' data_type: TYPE_INT8 dims: 1 } \
        sequence_batching { control_input { name: 'ID' control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } } } \
        model_warmup { name: 'w' batch_size: 4000000000 }";
    let config = ModelConfig::from_text(text).unwrap();
    let requests = WarmupRequest::read(&config, |_| unreachable!("no file")).unwrap();
    let sizes: Vec<usize> = requests[0].inputs.iter().map(|input| input.data.len()).collect();
    assert_eq!(sizes, [8]);
}

#[test]
fn the_data_of_all_warm_up_requests_is_limited() {
    // Zeros take no memory until they are looked at.
    let request = |data: &str, bytes: usize| {
        format!(
            "model_warmup {{ name: \"w\" batch_size: 1 inputs {{ key: \"A\" \
             value {{ data_type: TYPE_INT8 dims: {bytes} {data} }} }} }}"
        )
    };
    let read = |last: &str| {
        let whole = request("zero_data: true", 1 << 30).repeat(3);
        let most = request("zero_data: true", (1 << 30) - 9);
        let requests = WarmupRequest::read(&config(&(whole + &most + last)), |_| {
            Ok([5u32.to_le_bytes().as_slice(), b"12345"].concat())
        });
        requests.map(|requests| requests.len()).map_err(|e| e.to_string())
    };
    let limit = "warm-up request 'w' for model '', input 'A': the data of all requests must be at most 4 GiB";
    for data in ["zero_data: true", "random_data: true"] {
        assert_eq!(read(&request(data, 10)), Err(limit.into()), "{data}");
    }
    assert_eq!(read(&request("random_data: true", 9)), Ok(5));
    let strings = request("input_data_file: \"f\"", 1).replace("INT8", "STRING");
    assert_eq!(read(&strings), Ok(5));
    assert_eq!(read(&(request("zero_data: true", 1) + &strings)), Err(limit.into()));
}
