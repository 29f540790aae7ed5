//! Requests that fit a model's configuration, and those that do not. Texts are the recorded server's.

use bytes::Bytes;
use trident_server::infer::{InferInput, InferOutput, InferRequest};
use trident_serving::{DataType, ErrorCode};

use crate::bench::*;

/// `simple` of the recordings, as far as requests are concerned: two inputs `[-1,16]`, in batches of up to 8.
const SIMPLE: &str = "max_batch_size: 8 backend: \"identity\" \
    input { name: \"INPUT0\" data_type: TYPE_INT32 dims: [ 16 ] } input { name: \"INPUT1\" data_type: TYPE_INT32 dims: [ 16 ] } \
    output { name: \"OUTPUT0\" data_type: TYPE_INT32 dims: [ 16 ] } output { name: \"OUTPUT1\" data_type: TYPE_INT32 dims: [ 16 ] }";

fn bench() -> Bench {
    let bench = Bench::new(|folder| {
        write(&folder.join("simple"), &[("config.pbtxt", SIMPLE.as_bytes()), ("1/none", b"")]);
        put(folder, "m", 1, "Neg");
    });
    bench.load("simple").unwrap();
    bench
}

fn ints(name: &str, shape: &[i64], count: usize) -> InferInput {
    tensor(name, DataType::Int32, shape, vec![1; count * 4])
}

fn refused(bench: &Bench, inputs: Vec<InferInput>) -> String {
    let fault = bench.infer("simple", InferRequest { inputs, ..Default::default() }).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidArg, "{}", fault.text);
    fault.text
}

#[test]
fn requests_that_do_not_fit_are_refused_in_the_servers_order() {
    let bench = bench();
    let (one, two) = (|| ints("INPUT0", &[1, 16], 16), || ints("INPUT1", &[1, 16], 16));
    let cases = [
        (
            vec![one()],
            "[request id: <id_unknown>] expected 2 inputs but got 1 inputs for model 'simple'. Got input(s) ['INPUT0'], but missing \
             required input(s) ['INPUT1']. Please provide all required input(s).",
        ),
        (
            vec![],
            "[request id: <id_unknown>] expected 2 inputs but got 0 inputs for model 'simple'. Got input(s) [], but missing required \
             input(s) ['INPUT0','INPUT1']. Please provide all required input(s).",
        ),
        (
            vec![one(), two(), ints("X", &[1, 16], 16)],
            "[request id: <id_unknown>] expected 2 inputs but got 3 inputs for model 'simple'. Got input(s) ['INPUT0','INPUT1','X'], \
             but missing required input(s) ]. Please provide all required input(s).",
        ),
        (vec![ints("X", &[1, 16], 16), two()], "unexpected inference input 'X' for model 'simple'"),
        (
            vec![ints("INPUT0", &[16], 16), two()],
            "[request id: <id_unknown>] input 'INPUT0' batch size does not match other inputs for 'simple'",
        ),
        (
            vec![one(), ints("INPUT1", &[2, 16], 32)],
            "[request id: <id_unknown>] input 'INPUT0' batch size does not match other inputs for 'simple'",
        ),
        (
            vec![ints("INPUT0", &[9, 16], 144), ints("INPUT1", &[9, 16], 144)],
            "[request id: <id_unknown>] inference request batch-size must be <= 8 for 'simple'",
        ),
        (
            vec![tensor("INPUT0", DataType::Fp32, &[1, 16], vec![0; 64]), two()],
            "[request id: <id_unknown>] inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'",
        ),
        (
            vec![ints("INPUT0", &[1, 8], 8), two()],
            "[request id: <id_unknown>] unexpected shape for input 'INPUT0' for model 'simple'. Expected [-1,16], got [1,8]. NOTE: \
             Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each input shape. If \
             you want to specify the full shape including the batch dim in your input dims config, try setting max_batch_size to \
             zero. See the model configuration docs for more info on max_batch_size.",
        ),
        (
            vec![ints("INPUT0", &[0, 16], 0), ints("INPUT1", &[0, 16], 0)],
            "[request id: <id_unknown>] input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 0",
        ),
        (
            vec![one(), ints("INPUT1", &[1, 16], 8)],
            "[request id: <id_unknown>] input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 32",
        ),
    ];
    for (inputs, expected) in cases {
        assert_eq!(refused(&bench, inputs), expected);
    }
    let output = InferOutput { name: "NOPE".into(), ..Default::default() };
    let request = InferRequest { outputs: vec![output], ..Default::default() };
    let fault = bench.infer("simple", request).unwrap_err();
    assert_eq!(fault.text, "unexpected inference output 'NOPE' for model 'simple'");
    let request = InferRequest { id: "7".into(), ..Default::default() };
    let fault = bench.infer("simple", request).unwrap_err();
    assert!(fault.text.starts_with("[request id: 7] expected 2 inputs"), "{}", fault.text);
    assert_eq!(
        bench.repository.statistics(Some("simple"), None).unwrap()[0].requests,
        Default::default()
    );
}

#[test]
fn shapes_are_those_of_the_configuration() {
    let config = "max_batch_size: 4 input { name: \"x\" data_type: TYPE_FP32 dims: [ 1, 2 ] reshape { shape: [ 2 ] } } \
                  output { name: \"y\" data_type: TYPE_FP32 dims: [ 2, 1 ] reshape { shape: [ 2 ] } }";
    let bench = bench();
    write(&bench.path("m"), &[("config.pbtxt", config.as_bytes())]);
    bench.load("m").unwrap();
    let input = floats("x", &[3, 1, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let answer =
        bench.infer("m", InferRequest { inputs: vec![input], ..Default::default() }).unwrap();
    assert_eq!(answer.outputs[0].shape, [3, 2, 1]);
    assert_eq!(numbers(answer.outputs[0].data.as_ref().unwrap())[4..], [-5.0, -6.0]);
}

#[test]
fn strings_that_are_not_utf8_pass_built_in_models() {
    let config = "max_batch_size: 8 backend: \"identity\" input { name: \"INPUT0\" data_type: TYPE_STRING dims: [ -1 ] } \
                  output { name: \"OUTPUT0\" data_type: TYPE_STRING dims: [ -1 ] }";
    let bench = bench();
    write(&bench.path("identity"), &[("config.pbtxt", config.as_bytes()), ("1/none", b"")]);
    bench.load("identity").unwrap();
    let ask = |shape: &[i64], bytes: &[u8]| {
        let input = tensor("INPUT0", DataType::String, shape, Bytes::copy_from_slice(bytes));
        bench.infer("identity", InferRequest { inputs: vec![input], ..Default::default() })
    };
    let bytes = [2, 0, 0, 0, 0xFF, 0xC0, 0, 0, 0, 0];
    let answer = ask(&[1, 2], &bytes).unwrap();
    assert_eq!(answer.outputs[0].data.as_deref(), Some(&bytes[..]));
    assert_eq!((&*answer.outputs[0].name, &*answer.outputs[0].shape), ("OUTPUT0", &[1, 2][..]));
    let cases: [(&[i64], &[u8], &str); 3] = [
        (
            &[1, 2],
            &[1, 0, 0, 0, b'a', 1, 0],
            "[request id: <id_unknown>] incomplete string length indicator for inference input 'INPUT0' for model 'identity', \
             expecting 4 bytes but only 2 bytes available. Please make sure the string length indicator is in one buffer.",
        ),
        (
            &[1, 2],
            &bytes[..6],
            "[request id: <id_unknown>] expected 2 string elements for inference input 'INPUT0' for model 'identity', got 1",
        ),
        (
            &[1, 1],
            &bytes,
            "[request id: <id_unknown>] unexpected number of string elements 2 for inference input 'INPUT0' for model 'identity', \
             expecting 1",
        ),
    ];
    for (shape, bytes, expected) in cases {
        assert_eq!(ask(shape, bytes).unwrap_err().text, expected);
    }
}
