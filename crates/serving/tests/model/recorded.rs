//! The models of the recordings of a server, which are not part of the repository; see `golden.rs`.

use crate::models::*;
use std::path::{Path, PathBuf};
use trident_onnx::files::Disk;
use trident_serving::{DataType, InferenceRequest, ServedModel};

fn model(name: &str) -> Option<ServedModel> {
    let named = std::env::var_os("TRIDENT_SERVER_GOLDEN").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/server-golden");
    let folder = named.unwrap_or(beside).join("models").join(name);
    let asked = std::env::var_os("TRIDENT_SERVER_GOLDEN").is_some();
    if !asked && !folder.is_dir() {
        println!("skipped: there are no recordings of a server");
        return None;
    }
    let text = std::fs::read_to_string(folder.join("config.pbtxt")).unwrap();
    let (file, config) = completed(&text, &Disk::repository(&folder.join("1"))).unwrap();
    Some(ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap())
}

#[test]
fn sums_and_differences() {
    let Some(model) = model("simple") else { return };
    let a: Vec<i32> = (0..16).collect();
    let data = [bytes(&a), bytes(&[1i32; 16])];
    let of = |name, at: usize| input(name, DataType::Int32, &[1, 16], &[&data[at]]);
    let requests = [(0, 1), (1, 0)]
        .map(|(first, second)| request(vec![of("INPUT0", first), of("INPUT1", second)]));
    let responses = model.execute(requests).responses;
    let outputs = |at: usize| &responses[at].as_ref().unwrap().outputs;
    let sum: Vec<i32> = a.iter().map(|a| a + 1).collect();
    let difference: Vec<i32> = a.iter().map(|a| a - 1).collect();
    let opposite: Vec<i32> = a.iter().map(|a| 1 - a).collect();
    assert_eq!([&outputs(0)[0].data, &outputs(1)[0].data], [&bytes(&sum), &bytes(&sum)]);
    assert_eq!(
        [&outputs(0)[1].data, &outputs(1)[1].data],
        [&bytes(&difference), &bytes(&opposite)]
    );
}

#[test]
fn numbers_as_texts() {
    let Some(model) = model("simple_string") else { return };
    let texts: Vec<String> = (0..16).map(|n: i32| (n * 3).to_string()).collect();
    let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let data = [strings(&texts), strings(&[b"1" as &[u8]; 16])];
    let of = |name, at: usize| input(name, DataType::String, &[1, 16], &[&data[at]]);
    let response = answer(&model, request(vec![of("INPUT0", 0), of("INPUT1", 1)])).unwrap();
    let sums: Vec<String> = (0..16).map(|n: i32| (n * 3 + 1).to_string()).collect();
    let sums: Vec<&[u8]> = sums.iter().map(String::as_bytes).collect();
    assert_eq!(response.outputs[0].data, strings(&sums));
}

#[test]
fn sequences_with_controls() {
    let Some(model) = model("simple_sequence") else { return };
    let data = [5i32, 7, 1, 0].map(|value| bytes(&[value]));
    let made = |value: usize, start: usize, ready: usize| {
        let of = |name, at: usize| input(name, DataType::Int32, &[1, 1], &[&data[at]]);
        request(vec![of("INPUT", value), of("START", start), of("READY", ready)])
    };
    let requests: [InferenceRequest<'_>; 3] = [made(0, 2, 2), made(1, 3, 2), made(1, 2, 3)];
    let responses = model.execute(requests).responses;
    let values = responses.iter().map(|r| r.as_ref().unwrap().outputs[0].data.to_vec());
    assert_eq!(values.collect::<Vec<_>>(), [6i32, 7, 0].map(|value| bytes(&[value])));
}
