//! From a configuration and a model's own signature to what a loaded model has. The expected error texts are the server's.

#![allow(clippy::unwrap_used)] // a failure is what the tests look for

mod accelerators;
mod completion;
mod contradictions;
mod files;
mod instances;
mod places;
mod sequences;

use trident_ir::{DType, Dim, Type, ValueInfo};
use trident_model::Interface;
use trident_serving::*;

fn config(text: &str) -> ModelConfig {
    ModelConfig::from_text(text).unwrap()
}

/// Inputs and outputs of these types.
fn interface(inputs: &[(&str, Type)], outputs: &[(&str, Type)]) -> Interface {
    let infos = |values: &[(&str, Type)]| -> Vec<ValueInfo> {
        let info = |(name, ty): &(&str, Type)| ValueInfo { name: (*name).into(), ty: ty.clone() };
        values.iter().map(info).collect()
    };
    Interface { inputs: infos(inputs), optional: vec![], outputs: infos(outputs) }
}

fn tensor(dtype: DType, dims: &[i64]) -> Type {
    let dim = |n: &i64| usize::try_from(*n).map_or(Dim::Unknown, Dim::Fixed);
    Type::tensor(dtype, dims.iter().map(dim))
}

fn signature(inputs: &[(&str, Type)], outputs: &[(&str, Type)]) -> ModelSignature {
    ModelSignature::of("m", &interface(inputs, outputs)).unwrap()
}

/// FP32 `[?,16]` to INT64 `[?,3]`.
fn usual() -> ModelSignature {
    let a = ("A", tensor(DType::F32, &[-1, 16]));
    signature(&[a], &[("B", tensor(DType::I64, &[-1, 3]))])
}

fn normalized(text: &str) -> ModelConfig {
    let mut config = config(text);
    config.complete_backend("m", &["model.onnx"]).unwrap();
    config.normalize(&Host::default());
    config
}

#[test]
fn the_backend_follows_from_platform_file_or_folder() {
    let complete = |text: &str, files: &[&str]| {
        let mut config = config(text);
        config.complete_backend("m.custom", files).map_err(|e| e.to_string())?;
        Ok::<_, String>([config.platform, config.backend, config.default_model_filename].join(" "))
    };
    let onnx = Ok("onnxruntime_onnx onnxruntime model.onnx".to_owned());
    assert_eq!(complete("", &["model.onnx"]), onnx);
    assert_eq!(complete("backend: \"onnxruntime\"", &[]), onnx);
    assert_eq!(complete("platform: \"onnxruntime_onnx\"", &[]), onnx);
    assert_eq!(complete("default_model_filename: \"model.onnx\"", &[]), onnx);
    assert_eq!(complete("", &["model.py"]), Ok(" python model.py".into()));
    assert_eq!(complete("backend: \"trident\"", &["model.onnx"]), Ok(" trident ".into()));
    assert_eq!(complete("", &[]), Ok(" custom model.custom".into()));
    let fault =
        "unexpected directory name 'm.custom' for model 'x', directory name must equal model name";
    assert_eq!(complete("name: \"x\"", &[]), Err(fault.into()));
    let fault = config("").complete_backend("m", &[]).unwrap_err().to_string();
    assert!(fault.starts_with("Invalid model name: Could not determine backend for model 'm'"));
}

#[test]
fn fields_have_places_in_the_text() {
    let text = "backend: \"x\"
instance_group [
  { kind: KIND_CPU },
  { count: 1
    kind: KIND_GPU }
]
instance_group { kind: KIND_GPU gpus: [ 0 ] }
instance_group: { count: 2 }";
    let place = |field: &str| {
        ModelConfig::position(text, field).map(|Position { line, column }| (line, column))
    };
    assert_eq!(place("backend"), Some((1, 1)));
    assert_eq!(place("instance_group[0].kind"), Some((3, 5)));
    assert_eq!(place("instance_group[1].kind"), Some((5, 5)));
    assert_eq!(place("instance_group[1]"), Some((4, 3)));
    assert_eq!(place("instance_group[2].kind"), Some((7, 18)));
    assert_eq!(place("instance_group[2].gpus"), Some((7, 33)));
    assert_eq!(place("instance_group[3].count"), Some((8, 19)));
    for absent in ["instance_group[3].kind", "instance_group[4]", "input[0].dims", "", "a[", "a[x]"]
    {
        assert_eq!(place(absent), None, "{absent}");
    }
    assert_eq!(ModelConfig::position("{", "backend"), None);
}
