//! Models keep the bytes they were loaded with, and may come from elsewhere than the local disk.

#![allow(clippy::unwrap_used)] // what fails there fails the test

use bytes::Bytes;
use prost::Message;
use std::collections::HashMap;
use std::io;
use trident_ir::{Literal, ops};
use trident_onnx::files::{FileSource, Files};
use trident_onnx::proto::{
    GraphProto, ModelProto, NodeProto, OperatorSetIdProto, StringStringEntryProto, TensorProto,
    ValueInfoProto,
};
use trident_onnx::{OnnxModel, tensor_proto};

/// More than is read at a time.
const LEN: usize = 100_000;

fn weights() -> Literal {
    Literal::vector(&(0..LEN).map(|i| i as f32).collect::<Vec<_>>())
}

/// The data file of [`external`]: the weights behind four other bytes.
fn data() -> Vec<u8> {
    let w = tensor_proto("w", &weights());
    [&[0; 4][..], &w.raw_data.unwrap()].concat()
}

/// A model whose result is the tensor `w`.
fn model(w: TensorProto) -> Bytes {
    let node = NodeProto {
        input: vec!["w".into()],
        output: vec!["y".into()],
        op_type: "Identity".into(),
        ..NodeProto::default()
    };
    let graph = GraphProto {
        name: "g".into(),
        node: vec![node],
        initializer: vec![w],
        output: vec![ValueInfoProto { name: "y".into(), ..ValueInfoProto::default() }],
        ..GraphProto::default()
    };
    let opset = OperatorSetIdProto { domain: String::new(), version: 17 };
    let model = ModelProto {
        ir_version: 9,
        graph: Some(graph),
        opset_import: vec![opset],
        ..ModelProto::default()
    };
    model.encode_to_vec().into()
}

/// The same tensor with its data in the file `data`, from byte 4 on.
fn external() -> TensorProto {
    let entry =
        |key: &str, value: &str| StringStringEntryProto { key: key.into(), value: value.into() };
    let external_data = vec![entry("location", "folder/data"), entry("offset", "4")];
    TensorProto { raw_data: None, data_location: 1, external_data, ..tensor_proto("w", &weights()) }
}

fn constant(model: &OnnxModel) -> Literal {
    let all = &model.module.funcs[0].body.ops;
    all.iter().find_map(ops::Constant::of).unwrap().value().clone()
}

#[test]
fn files_may_be_overwritten_and_truncated_after_loading() {
    let dir = tempfile::tempdir().unwrap();
    let (inner, outer) = (dir.path().join("inner.onnx"), dir.path().join("outer.onnx"));
    std::fs::create_dir(dir.path().join("folder")).unwrap();
    let beside = dir.path().join("folder/data");
    std::fs::write(&inner, model(tensor_proto("w", &weights()))).unwrap();
    std::fs::write(&outer, model(external())).unwrap();
    std::fs::write(&beside, data()).unwrap();
    let loaded = [&inner, &outer].map(|path| trident_onnx::load(path).unwrap());
    for path in [&inner, &outer, &beside] {
        std::fs::write(path, [7; 1000]).unwrap();
    }
    for model in &loaded {
        assert_eq!(constant(model), weights());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn many_data_files_need_few_open_ones() {
    let dir = tempfile::tempdir().unwrap();
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    let files = 50;
    for i in 0..files {
        std::fs::write(dir.path().join(i.to_string()), [0; 4]).unwrap();
    }
    let disk = trident_onnx::files::Disk::beside(&dir.path().join("model.onnx"));
    let kept: Vec<_> = (0..files).map(|i| disk.open(&i.to_string()).unwrap()).collect();
    assert!(kept.iter().all(|file| file.size() == 4) && open() < before + files / 2);
}

/// Files in memory, by name.
struct Store(HashMap<&'static str, Bytes>);

impl Files for Store {
    fn open(&self, name: &str) -> io::Result<Box<dyn FileSource>> {
        let found = self.0.get(name).cloned();
        Ok(Box::new(found.ok_or(io::ErrorKind::NotFound)?))
    }
}

#[test]
fn models_come_from_a_store() {
    let store = Store(HashMap::from([("folder/data", data().into())]));
    let loaded = trident_onnx::load_from(&model(external()), Some(&store)).unwrap();
    assert_eq!(constant(&loaded), weights());
    let empty = Store(HashMap::new());
    let error = trident_onnx::load_from(&model(external()), Some(&empty)).unwrap_err().to_string();
    assert!(error.contains("`w`") && error.contains("folder/data"), "{error}");
    let error = trident_onnx::parse(model(external())).unwrap_err().to_string();
    assert!(error.contains("does not come from a folder"), "{error}");
}
