//! Finding and preparing models.

use crate::models::*;
use bytes::Bytes;
use std::sync::Arc;
use trident_onnx::files::Disk;
use trident_onnx::proto::{GraphProto, StringStringEntryProto, TensorProto};
use trident_serving::{
    DataType, ErrorCode, Hardware, ModelConfig, ModelFile, ServeError, ServedModel, VersionFolder,
};

fn fault(config: &str, folder: &Folder) -> (ErrorCode, String) {
    let error = completed(config, folder).err().unwrap();
    (error.code(), error.to_string())
}

#[test]
fn files_that_are_no_models_are_named() {
    let folder = Folder::of([("broken.onnx", Bytes::from_static(b"\xff\xff"))]);
    assert_eq!(
        fault("name: 'm'", &folder),
        (
            ErrorCode::Unavailable,
            "unable to find 'models/m/1/model.onnx' for model instance 'm'".into()
        )
    );
    let (code, text) = fault("name: 'm' default_model_filename: 'broken.onnx'", &folder);
    assert_eq!(code, ErrorCode::Internal);
    let start = "failed to load 'models/m/1/broken.onnx' for model 'm': ";
    assert!(text.starts_with(start), "{text}");
    for outside in ["../model.onnx", "a/../../b", "/model.onnx"] {
        let (code, text) =
            fault(&format!("name: 'm' default_model_filename: '{outside}'"), &folder);
        assert_eq!(code, ErrorCode::InvalidArg);
        assert!(
            text.ends_with(&format!("leads out of the version's folder: '{outside}'")),
            "{text}"
        );
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("model.onnx")).unwrap();
    let config = ModelConfig { name: "m".into(), ..ModelConfig::default() };
    let files = Disk::repository(dir.path());
    let error = ModelFile::read(&config, &VersionFolder { path: "1", files: &files }).err();
    assert_eq!(
        error.unwrap().to_string(),
        "unable to find '1/model.onnx/model.onnx' for model instance 'm'"
    );
}

#[test]
fn compiled_models_are_found_where_the_server_names_the_file() {
    let folder = || Folder::of([("model.mps", encoded(add()))]);
    for config in ["name: 'm' backend: 'onnxruntime'", "name: 'm' backend: 'trident'"] {
        completed(config, &folder()).unwrap_or_else(|error| panic!("{error}"));
    }
    let (code, text) = fault("name: 'm' default_model_filename: 'other.onnx'", &folder());
    assert_eq!(code, ErrorCode::Unavailable);
    assert!(text.starts_with("unable to find 'models/m/1/other.onnx'"), "{text}");
}

/// `add` with its constant in a file.
fn external() -> GraphProto {
    let mut graph = add();
    let entry =
        |key: &str, value: &str| StringStringEntryProto { key: key.into(), value: value.into() };
    graph.initializer[0] = TensorProto {
        raw_data: None,
        data_location: 1,
        external_data: vec![entry("location", "weights/w.bin"), entry("length", "12")],
        ..graph.initializer[0].clone()
    };
    graph
}

#[test]
fn models_may_be_folders_with_data_files_and_links() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = dir.path().join("blobs");
    let version = dir.path().join("m/1");
    let inner = version.join("model.onnx");
    std::fs::create_dir_all(inner.join("weights")).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("model"), encoded(external())).unwrap();
    std::fs::write(elsewhere.join("w"), bytes(&[1.0f32, 2.0, 3.0])).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(elsewhere.join("model"), inner.join("model.onnx")).unwrap();
        std::os::unix::fs::symlink(elsewhere.join("w"), inner.join("weights/w.bin")).unwrap();
    }
    let files = Disk::repository(&version);
    let (file, config) = completed("name: 'm' max_batch_size: 2", &files).unwrap();
    let model = ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap();
    let data = bytes(&[0.0f32; 3]);
    let x = input("x", DataType::Fp32, &[1, 3], &[&data]);
    let response = answer(&model, request(vec![x])).unwrap();
    assert_eq!(floats(&response.outputs[0].data), [1.0, 2.0, 3.0]);
}

const ASKS: &str = "name: 'm' max_batch_size: 2
    optimization { execution_accelerators {
      gpu_execution_accelerator { name: 'tensorrt' }
      gpu_execution_accelerator { name: 'metal' }
      cpu_execution_accelerator { name: 'amx' }
      gpu_execution_accelerator { name: 'metal' }
    } }";

#[test]
fn hardware_that_is_absent_is_told_once_or_refused() {
    let (model, log) = load_on(ASKS, add(), &hardware()).unwrap();
    let placement = model.placement();
    assert_eq!(placement.devices, ["cpu"]);
    assert_eq!(placement.absent, ["metal", "amx"]);
    assert_eq!(placement.ignored, ["tensorrt"]);
    assert_eq!(placement.to_string(), "cpu; not here: metal, amx; of other hardware: tensorrt");
    assert_eq!(
        log,
        [
            "Info: Execution Accelerator 'tensorrt' is ignored for 'm': it is of other hardware",
            "Warning: Execution Accelerator 'metal' is not available here, 'm' runs on cpu",
            "Warning: Execution Accelerator 'amx' is not available here, 'm' runs on cpu",
        ]
    );
    let refusing =
        format!("{ASKS} parameters {{ key: 'fallback' value {{ string_value: 'refused' }} }}");
    let error = load(&refusing, add()).err().unwrap();
    assert!(matches!(&error, ServeError::Accelerator { accelerator: "metal", .. }), "{error}");
    assert_eq!(error.code(), ErrorCode::Unavailable);
    let unknown = ASKS.replace("'amx'", "'x'");
    let error = load(&unknown, add()).err().unwrap();
    assert_eq!(
        (error.to_string(), error.code()),
        ("unknown Execution Accelerator 'x' is requested".into(), ErrorCode::InvalidArg)
    );
}

#[test]
fn hardware_that_is_there_comes_first() {
    let cpu = hardware();
    let options = trident_runtime::QueuedOptions::default();
    let gpu = Arc::new(trident_runtime::Queued::new(Arc::clone(&cpu.folder), options));
    let hardware = Hardware { accelerators: vec![("metal".into(), gpu)], ..cpu };
    let (model, _) = load_on(ASKS, add(), &hardware).unwrap();
    assert_eq!(model.placement().devices, ["queued", "cpu"]);
    let report = model.report().unwrap();
    assert!(report.steps.iter().any(|step| step.device == "queued"), "{report:?}");
    let data = bytes(&[0.0f32; 3]);
    let x = input("x", DataType::Fp32, &[1, 3], &[&data]);
    let response = answer(&model, request(vec![x])).unwrap();
    assert_eq!(floats(&response.outputs[0].data), [10.0, 20.0, 30.0]);
    // Those that ask for nothing run on the server's devices.
    let (model, _) = load_on("name: 'm'", add(), &hardware).unwrap();
    assert_eq!(model.placement().devices, ["cpu"]);
}

#[test]
fn settings_of_the_backend_are_applied_or_told() {
    let set = |key: &str, value: &str| {
        format!("name: 'm' parameters {{ key: '{key}' value {{ string_value: '{value}' }} }}")
    };
    let (_, log) = load_on(&set("enable_mem_arena", "false"), add(), &hardware()).unwrap();
    assert_eq!(log, ["Verbose: 'enable_mem_arena' has no effect on model 'm'"]);
    let error = |config: String| load(&config, add()).err().unwrap().to_string();
    assert_eq!(
        error(set("memory_limit", "lots")),
        "failed to convert 'lots' to a number of bytes, such as 512M (parameter 'memory_limit' of model 'm')"
    );
    for none in ["0", "0K"] {
        let text =
            format!("parameter 'memory_limit' of model 'm' is '{none}'; leave it out for no limit");
        assert_eq!(error(set("memory_limit", none)), text);
    }
    assert_eq!(
        error("name: 'm' model_operations { op_library_filename: 'ops.so' }".into()),
        "model 'm' specifies 'model_operations', which is not supported"
    );
    // How much is optimised.
    let nodes = vec![
        node("t = Mul(x, two)"),
        node("u = Sigmoid(t)"),
        node("v = Mul(t, u)"),
        node("y = Identity(v)"),
    ];
    let x = ("x", tensor(trident_ir::DType::F32, "N 3"));
    let mut silu = graph(&[x], nodes, &["y"]);
    constant(&mut silu, "two", trident_ir::Literal::vector(&[2.0f32]));
    let steps = |level: &str| {
        let config = format!("name: 'm' optimization {{ graph {{ level: {level} }} }}");
        load(&config, silu.clone()).unwrap().report().unwrap().steps.len()
    };
    let counts = ["2", "-1", "1", "0"].map(steps);
    assert!(counts[0] > counts[1] && counts[1] > counts[2], "{counts:?}");
    assert_eq!(counts[2], counts[3]);
}

#[test]
fn parameters_that_nobody_reads_are_told() {
    let log = |key: &str| {
        let config =
            format!("name: 'm' parameters {{ key: '{key}' value {{ string_value: '1' }} }}");
        load_on(&config, add(), &hardware()).unwrap().1
    };
    let told = |key: &str, hint: &str| {
        [format!("Warning: parameter '{key}' of model 'm' is unknown and ignored{hint}")]
    };
    for (key, hint) in [
        ("memroy_limit", ", did you mean `memory_limit`?"),
        ("Device", ", did you mean `device`?"),
        ("enable_mem_arenas", ", did you mean `enable_mem_arena`?"),
        ("owner", ""),
    ] {
        assert_eq!(log(key), told(key, hint));
    }
    for key in ["TRITON_BATCH_STRATEGY_PATH", "EXECUTION_ENV_PATH", "gpu_mem_limit"] {
        assert_eq!(log(key), [""; 0], "{key}");
    }
}

#[test]
fn operations_are_timed_as_often_as_the_configuration_says() {
    let graph = || {
        let nodes = vec![node("t = Relu(x)"), node("u = Cos(t)"), node("y = Cos(u)")];
        graph(&[("x", tensor(trident_ir::DType::F32, "N 3"))], nodes, &["y"])
    };
    let timed = |parameters: &str| {
        // Without fusions: an operation for each node.
        let config = format!(
            "name: 'm' max_batch_size: 4 optimization {{ graph {{ level: 2 }} }} {parameters}"
        );
        let model = load(&config, graph()).unwrap();
        assert_eq!(model.operations(), []);
        for _ in 0..3 {
            let data = bytes(&[1.0f32, -2.0, 3.0]);
            answer(&model, request(vec![input("x", DataType::Fp32, &[1, 3], &[&data])])).unwrap();
        }
        let times = model.operations();
        assert!(times.iter().all(|time| time.device == "cpu" && !time.duration.is_zero()));
        let mut counts: Vec<_> = times.iter().map(|time| (time.op, time.count)).collect();
        counts.sort_unstable();
        counts
    };
    let set = |value: &str| {
        format!("parameters {{ key: 'time_operations' value {{ string_value: '{value}' }} }}")
    };
    assert_eq!(timed(&set("all")), [("cos", 6), ("relu", 3)]);
    assert_eq!(timed(&set("never")), []);
    // Three runs within a second.
    assert_eq!(timed(&set("sampled")), [("cos", 2), ("relu", 1)]);
    assert_eq!(timed(""), timed(&set("sampled")));
    let error = load(&format!("name: 'm' {}", set("often")), graph()).err().unwrap();
    assert!(error.to_string().contains("'often' to `never`, `sampled` or `all`"), "{error}");
}

#[test]
fn paddle_models_have_the_names_that_its_backend_expects() {
    let config = "name: 'm' backend: 'paddle'";
    let missing = Folder::of([("model.onnx", encoded(add()))]);
    let (code, text) = fault(config, &missing);
    assert_eq!(code, ErrorCode::Unavailable);
    assert!(text.contains("'models/m/1/__model__'"), "{text}");
    // Both are found and read, so that the error is of their contents.
    for file in ["__model__", "model.pdmodel", "model.json", "inference.json"] {
        let folder = Folder::of([(file, Bytes::from_static(b"\x80\x02}q\x00."))]);
        let (code, text) = fault(config, &folder);
        assert_eq!(code, ErrorCode::Internal);
        assert!(text.contains(file) && text.contains("pickle"), "{text}");
    }
}
