//! From a configuration and a model's own signature to what a loaded model has. The expected error texts are the server's.

#![allow(clippy::unwrap_used)] // a failure is what the tests look for

use std::io;
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
fn instances_have_names_kinds_and_counts() {
    let text = "backend: \"custom\" instance_group [ { }, { name: \"x\" kind: KIND_GPU count: 3 }, { gpus: 7 } ]";
    let mut given = config(text);
    given.complete_backend("m", &[]).unwrap();
    let host = Host { gpus: vec![0, 1] };
    given.normalize(&host);
    let groups = given.instance_group.iter().map(|g| (&*g.name, g.kind, g.count, &*g.gpus));
    let expected: [(&str, InstanceKind, i32, &[i32]); 3] = [
        ("m_0", InstanceKind::Gpu, 1, &[0, 1]),
        ("x", InstanceKind::Gpu, 3, &[0, 1]),
        ("m_2", InstanceKind::Cpu, 1, &[7]),
    ];
    assert_eq!(groups.collect::<Vec<_>>(), expected);
    let fault = "instance group m_2 of model m has kind KIND_CPU but specifies one or more GPUs";
    assert_eq!(given.validate(&host).unwrap_err().to_string(), fault);
}

/// The configuration as a host has it, and the fields whose GPUs are not there.
fn on_host(text: &str, gpus: &[i32]) -> Result<(ModelConfig, Vec<String>), String> {
    let host = Host { gpus: gpus.to_vec() };
    let mut given = config(text);
    given.complete_backend("m", &["model.onnx"]).unwrap();
    let fields = given.fall_back(&host).map_err(|e| e.to_string())?;
    given.normalize(&host);
    given.validate(&host).map_err(|e| e.to_string())?;
    Ok((given, fields))
}

#[test]
fn gpus_that_are_there_are_taken() {
    let text =
        "instance_group { count: 1 kind: KIND_GPU gpus: [ 0 ] } instance_group { kind: KIND_GPU }";
    let (given, fields) = on_host(text, &[0]).unwrap();
    let groups: Vec<_> = given.instance_group.iter().map(|g| (g.kind, &*g.gpus)).collect();
    assert_eq!(groups, [(InstanceKind::Gpu, &[0][..]), (InstanceKind::Gpu, &[0])]);
    assert_eq!(fields, [""; 0]);
}

#[test]
fn without_a_gpu_the_cpu_runs_the_model_or_the_model_is_refused() {
    let text = "instance_group { kind: KIND_CPU } instance_group { count: 1 kind: KIND_GPU gpus: [ 0 ] }
        instance_group { gpus: [ 0, 1 ] } instance_group { kind: KIND_AUTO } instance_group { kind: KIND_MODEL }";
    let (given, fields) = on_host(text, &[]).unwrap();
    let kinds: Vec<_> = given.instance_group.iter().map(|group| group.kind).collect();
    let cpu = InstanceKind::Cpu;
    assert_eq!(kinds, [cpu, cpu, cpu, cpu, InstanceKind::Model]);
    assert!(given.instance_group.iter().all(|group| group.gpus.is_empty()));
    assert_eq!(fields, ["instance_group[1].kind", "instance_group[2].gpus"]);

    let fallback = |value: &str, group: &str| {
        let parameter = format!("key: \"fallback\" value {{ string_value: \"{value}\" }}");
        on_host(&format!("parameters {{ {parameter} }} instance_group {{ {group} }}"), &[])
    };
    assert!(fallback("allowed", "kind: KIND_GPU").is_ok());
    let refused = "instance group m_0 of model m has kind KIND_GPU but no GPUs are available";
    for group in ["kind: KIND_GPU", "count: 1 kind: KIND_GPU gpus: [ 0 ]"] {
        assert_eq!(fallback("refused", group), Err(refused.into()), "{group}");
    }
    let refused = "instance group m_0 of model m has kind KIND_CPU but specifies one or more GPUs";
    assert_eq!(fallback("refused", "gpus: [ 0 ]"), Err(refused.into()));
    assert!(fallback("maybe", "kind: KIND_GPU").is_err());
}

#[test]
fn a_gpu_that_is_not_there_beside_others_is_an_error() {
    let fault = "instance group m_0 of model m specifies invalid or unsupported gpu id 7";
    for fallback in ["allowed", "refused"] {
        let text = |group: &str| {
            format!(
                "parameters {{ key: \"fallback\" value {{ string_value: \"{fallback}\" }} }} instance_group {{ {group} }}"
            )
        };
        let found = on_host(&text("kind: KIND_GPU gpus: [ 0, 7 ]"), &[0, 1]);
        assert_eq!(found, Err(fault.into()));
        let found = on_host(&text("gpus: [ 7 ]"), &[0, 1]).unwrap_err();
        assert!(found.ends_with("has kind KIND_CPU but specifies one or more GPUs"), "{found}");
        // A CPU has no GPUs, whatever the host.
        let found = on_host(&text("kind: KIND_CPU gpus: [ 0 ]"), &[]).unwrap_err();
        assert!(found.ends_with("has kind KIND_CPU but specifies one or more GPUs"), "{found}");
    }
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

#[test]
fn a_model_fills_in_what_the_configuration_leaves_out() {
    let mut given = normalized("");
    assert_eq!(given.complete(&usual(), 4), Ok(true));
    given.normalize(&Host::default());
    assert_eq!(given.max_batch_size, 4);
    assert_eq!(given.input[0].dims, [16]);
    assert_eq!((given.output[0].data_type, &*given.output[0].dims), (DataType::Int64, &[3][..]));
    let SchedulingChoice::Dynamic(batching) = &given.scheduling else { panic!() };
    assert_eq!(batching.preferred_batch_size, [4]);
    given.validate(&Host::default()).unwrap();
    given.check(&usual()).unwrap();

    // A batch size of 1, or a scheduler that is given, adds none.
    let mut one = normalized("max_batch_size: 1");
    assert_eq!(one.complete(&usual(), 4), Ok(false));
    assert_eq!((one.max_batch_size, one.scheduling), (1, SchedulingChoice::Unset));
    let mut none = normalized("");
    assert_eq!(none.complete(&usual(), 0), Ok(true));
    assert_eq!((none.max_batch_size, &*none.input[0].dims), (0, &[-1, 16][..]));

    // A vector with one element for each item of the batch is a scalar to the model.
    let vector =
        signature(&[("A", tensor(DType::Bool, &[-1]))], &[("B", tensor(DType::Str, &[-1]))]);
    let mut given = normalized("max_batch_size: 2");
    given.complete(&vector, 4).unwrap();
    assert_eq!(given.input[0].dims, [1]);
    assert_eq!(given.input[0].reshape, Some(ModelTensorReshape::default()));
    given.normalize(&Host::default());
    given.validate(&Host::default()).unwrap();
    given.check(&vector).unwrap();

    // Both given: nothing is filled in.
    let text = "input { name: \"X\" } output { name: \"Y\" }";
    let mut given = normalized(text);
    assert_eq!(given.complete(&usual(), 4), Ok(false));
    assert_eq!(given.max_batch_size, 0);
}

#[test]
fn names_of_dimensions_tell_whether_rows_depend_on_each_other() {
    let named = |dims: &str| {
        let dim = |text: &str| match text.parse() {
            Ok(n) => Dim::Fixed(n),
            Err(_) if text == "?" => Dim::Unknown,
            Err(_) => Dim::sym(text),
        };
        Type::tensor(DType::F32, dims.split_whitespace().map(dim))
    };
    let of = |a: &str, b: &str, y: &str| {
        signature(&[("a", named(a)), ("b", named(b))], &[("y", named(y))])
    };
    for (a, b, y) in [
        ("N", "M", "?"),
        ("N", "?", "M"),
        ("N K", "K M", "N M"),
        ("N", "N", "N N"),
        ("N", "N", "N 2*N"),
        ("N N", "N", "N"),
    ] {
        let signature = of(a, b, y);
        assert!(signature.dependent_rows().is_some(), "{a}, {b}, {y}");
        let mut given = normalized("");
        assert_eq!(given.complete(&signature, 4), Ok(true));
        assert_eq!((given.max_batch_size, given.scheduling), (4, SchedulingChoice::Unset));
    }
    for (a, b, y) in [
        ("N", "N", "N"),
        ("? 3", "? 3", "?"),
        ("N K", "N K", "N K"),
        ("N K", "? K", "?"),
        ("unk__1", "unk__2", "Addy_dim_0"),
        ("DynamicDimension.0", "DynamicDimension.1", "?"),
        ("N K", "N K", "floor((N*K)/(K)) floor((N*K)/(N))"),
        ("batch", "batch", "batch batch_2"),
    ] {
        let signature = of(a, b, y);
        assert_eq!(signature.dependent_rows(), None, "{a}, {b}, {y}");
        let mut given = normalized("");
        given.complete(&signature, 4).unwrap();
        assert!(matches!(given.scheduling, SchedulingChoice::Dynamic(_)), "{a}, {b}, {y}");
    }
}

#[test]
fn scalars_and_optional_inputs_are_understood() {
    let mut scalar =
        interface(&[("A", tensor(DType::F32, &[]))], &[("B", tensor(DType::F32, &[]))]);
    let default = ValueInfo { name: "OPTIONAL".into(), ty: tensor(DType::F32, &[2]) };
    scalar.optional.push(default);
    let scalar = ModelSignature::of("m", &scalar).unwrap();
    let mut given = normalized("");
    assert_eq!(given.complete(&scalar, 4), Ok(false));
    assert_eq!(
        (given.input.len(), &*given.input[0].dims, &given.input[0].reshape),
        (1, &[1][..], &None)
    );
    given.check(&scalar).unwrap();
    let optional = ModelInput {
        name: "OPTIONAL".into(),
        data_type: DataType::Fp32,
        dims: vec![2],
        ..Default::default()
    };
    given.input.push(optional);
    given.check(&scalar).unwrap();
    given.output[0].dims = vec![1, 2];
    let fault = given.check(&scalar).unwrap_err().to_string();
    assert!(fault.contains("scalar tensor 'B', should only provide 1"), "{fault}");
}

#[test]
fn models_that_cannot_be_completed_are_refused() {
    let fixed = signature(&[("A", tensor(DType::F32, &[1, 16]))], &[]);
    let fault = normalized("max_batch_size: 8").complete(&fixed, 4).unwrap_err().to_string();
    let expected = "autofill failed for model 'm': model does not support batching while non-zero max_batch_size is specified";
    assert_eq!(fault, expected);
    let unranked = signature(&[("A", Type::unranked(DType::F32))], &[]);
    let fault = normalized("").complete(&unranked, 4).unwrap_err().to_string();
    assert!(fault.contains("the number of dimensions of input 'A' is unknown"), "{fault}");
    let list = interface(&[("A", Type::Seq(Box::new(Type::unranked(DType::F32))))], &[]);
    let fault = ModelSignature::of("m", &list).unwrap_err().to_string();
    assert!(fault.contains("for input 'A' for model 'm'"), "{fault}");
}

#[test]
fn contradictions_with_the_model_are_refused() {
    const A: &str = "input { name: \"A\" data_type: TYPE_FP32 dims: 16 }";
    const B: &str = "output { name: \"B\" data_type: TYPE_INT64 dims: 3 }";
    let fault = |text: String| normalized(&text).check(&usual()).unwrap_err().to_string();
    assert_eq!(normalized(&format!("max_batch_size: 8 {A} {B}")).check(&usual()), Ok(()));
    assert_eq!(
        fault(format!("max_batch_size: 8 {A} {A} {B}")),
        "unable to load model 'm', configuration expects 2 inputs, model provides 1"
    );
    assert_eq!(
        fault(format!(
            "max_batch_size: 8 {A} output {{ name: \"C\" data_type: TYPE_INT64 dims: 3 }}"
        )),
        "unexpected inference output 'C', allowed outputs are: B"
    );
    assert_eq!(
        fault(format!(
            "max_batch_size: 8 {A} output {{ name: \"B\" data_type: TYPE_STRING dims: 3 }}"
        )),
        "unable to load model 'm', configuration expects datatype TYPE_STRING for output 'B', model provides TYPE_INT64"
    );
    assert_eq!(
        fault(format!("{A} {B}")),
        "model 'm', tensor 'A': the model expects 2 dimensions (shape [-1,16]) but the model configuration specifies 1 \
         dimensions (shape [16])"
    );
    assert_eq!(
        fault(format!(
            "max_batch_size: 8 {A} output {{ name: \"B\" data_type: TYPE_INT64 dims: 4 }}"
        )),
        "model 'm', tensor 'B': the model expects 2 dimensions (shape [-1,3]) but the model configuration specifies 2 \
         dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making \
         complete shape [-1,4])"
    );
    // Less may be said of a result than is known of it.
    let open =
        format!("max_batch_size: 8 {A} output {{ name: \"B\" data_type: TYPE_INT64 dims: -1 }}");
    assert_eq!(normalized(&open).check(&usual()), Ok(()));
    let fixed = signature(&[("A", tensor(DType::F32, &[1, 16]))], &[]);
    let given = normalized(&format!("max_batch_size: 8 {A}"));
    assert!(
        given.check(&fixed).unwrap_err().to_string().contains("the first dimension must be -1")
    );
    let control = "sequence_batching { control_input { name: \"S\" } }";
    let given = normalized(&format!("max_batch_size: 8 {control} {A} {B}"));
    let fault = given.check(&usual()).unwrap_err().to_string();
    assert!(
        fault.contains("specified sequence control 'S', but model does not provide"),
        "{fault}"
    );
}

/// A model with controls and a state.
fn sequential() -> ModelSignature {
    let float = |dims: &[i64]| tensor(DType::F32, dims);
    let inputs = [
        ("A", float(&[-1, 16])),
        ("START", tensor(DType::I32, &[-1, 1])),
        ("ID", tensor(DType::U64, &[-1, 1])),
        ("OLD", float(&[-1, 4])),
    ];
    signature(&inputs, &[("B", float(&[-1, 3])), ("NEXT", float(&[-1, 4]))])
}

const SEQUENCE: &str = "sequence_batching {
  control_input { name: \"START\" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } }
  control_input { name: \"ID\" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } }
  state { input_name: \"OLD\" output_name: \"NEXT\" data_type: TYPE_FP32 dims: 4 }
}";

#[test]
fn what_the_scheduler_gives_is_no_input_and_what_it_keeps_no_output() {
    let mut given = normalized(&format!("max_batch_size: 2 {SEQUENCE}"));
    given.complete(&sequential(), 4).unwrap();
    let inputs: Vec<&str> = given.input.iter().map(|input| &*input.name).collect();
    let outputs: Vec<&str> = given.output.iter().map(|output| &*output.name).collect();
    assert_eq!((inputs, outputs), (vec!["A"], vec!["B"]));
    given.validate(&Host::default()).unwrap();
    assert_eq!(given.check(&sequential()), Ok(()));
    // A state may be an output, too.
    let outputs = "output { name: \"NEXT\" data_type: TYPE_FP32 dims: 4 }";
    let mut given = normalized(&format!("max_batch_size: 2 {SEQUENCE} {outputs}"));
    given.complete(&sequential(), 4).unwrap();
    assert_eq!(given.check(&sequential()), Ok(()));
}

#[test]
fn controls_and_states_that_the_model_has_otherwise_are_refused() {
    let fault = |from: &str, to: &str| {
        assert!(SEQUENCE.contains(from), "{from}");
        let ends = "input { name: \"A\" data_type: TYPE_FP32 dims: 16 }
            output { name: \"B\" data_type: TYPE_FP32 dims: 3 }";
        let sequence = SEQUENCE.replace(from, to);
        let given = normalized(&format!("max_batch_size: 2 {sequence} {ends}"));
        given.check(&sequential()).unwrap_err().to_string()
    };
    for (from, to, expected) in [
        (
            "int32_false_true",
            "fp32_false_true",
            "configuration expects datatype TYPE_FP32 for sequence control 'START', model provides TYPE_INT32",
        ),
        (
            "TYPE_UINT64",
            "TYPE_INT64",
            "configuration expects datatype TYPE_INT64 for sequence control 'ID', model provides TYPE_UINT64",
        ),
        (
            "\"NEXT\" data_type: TYPE_FP32",
            "\"NEXT\" data_type: TYPE_FP16",
            "configuration expects datatype TYPE_FP16 for sequence state 'OLD', model provides TYPE_FP32",
        ),
        (
            "dims: 4",
            "dims: 5",
            "model 'm', tensor 'OLD': the model expects 2 dimensions (shape [-1,4])",
        ),
        (
            "\"NEXT\"",
            "\"C\"",
            "unexpected inference sequence state output 'C', allowed sequence state outputs are: B, NEXT",
        ),
        (
            "\"NEXT\"",
            "\"B\"",
            "model 'm', tensor 'B': the model expects 2 dimensions (shape [-1,3])",
        ),
        (
            "\"OLD\"",
            "\"OLDER\"",
            "specified sequence state 'OLDER', but model does not provide that input",
        ),
        ("\"ID\"", "\"START\"", "configuration specifies sequence control 'START' more than once"),
        ("\"OLD\"", "\"A\"", "configuration specifies sequence state 'A' more than once"),
    ] {
        let found = fault(from, to);
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn tensors_that_are_given_twice_are_refused() {
    let inputs = ["A", "C"].map(|name| (name, tensor(DType::F32, &[16])));
    let both = signature(&inputs, &[("B", tensor(DType::F32, &[16]))]);
    let of = |inputs: [&str; 2], outputs: &[&str]| {
        let tensor = |role: &str, name: &&str| {
            format!("{role} {{ name: \"{name}\" data_type: TYPE_FP32 dims: 16 }}\n")
        };
        let inputs = inputs.iter().map(|name| tensor("input", name));
        let text: String =
            inputs.chain(outputs.iter().map(|name| tensor("output", name))).collect();
        normalized(&text).check(&both).map_err(|error| error.to_string())
    };
    let twice = |role: &str, name: &str| {
        format!("unable to load model 'm', configuration specifies {role} '{name}' more than once")
    };
    assert_eq!(of(["A", "C"], &["B"]), Ok(()));
    assert_eq!(of(["A", "A"], &["B"]), Err(twice("input", "A")));
    assert_eq!(of(["A", "C"], &["B", "B"]), Err(twice("output", "B")));
}

#[test]
fn fields_that_contradict_each_other_are_refused() {
    for (text, expected) in [
        ("max_batch_size: -1", "'max_batch_size' must be non-negative value for m"),
        ("platform: \"tensorrt_plan\"", "unexpected platform type 'tensorrt_plan' for m"),
        (
            "backend: \"onnxruntime\" platform: \"x\"",
            "unexpected 'platform' and 'backend' pair, got:x, onnxruntime",
        ),
        (
            "platform: \"ensemble\"",
            "ensemble scheduling must be set for ensemble m whose platform is ensemble",
        ),
        (
            "max_batch_size: 2 dynamic_batching { preferred_batch_size: [ 2, 4 ] }",
            "dynamic batching preferred size must be <= max batch size for m",
        ),
        (
            "dynamic_batching { preferred_batch_size: 0 }",
            "dynamic batching preferred size must be positive for m",
        ),
        (
            "dynamic_batching { priority_levels: 2 default_priority_level: 3 }",
            "default priority level must be in range [1, 2] for m",
        ),
        (
            "dynamic_batching { preserve_ordering: true default_queue_policy { timeout_action: DELAY \
             default_timeout_microseconds: 1 } }",
            "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for m",
        ),
        (
            "sequence_batching { control_input { name: \"S\" control { kind: CONTROL_SEQUENCE_START int32_false_true: 1 } } }",
            "sequence batching control 'int32_false_true' must have exactly 2 entries for CONTROL_SEQUENCE_START for m",
        ),
        (
            "sequence_batching { direct { minimum_slot_utilization: nan } }",
            "sequence batching minimum slot utilization must be in range (0.0, 1.0] for m",
        ),
        ("input { }", "model input must specify 'name' for m"),
        ("input { name: \"A\" }", "model input 'A' must specify 'data_type' for m"),
        (
            "output { name: \"A\" data_type: TYPE_FP32 }",
            "model output 'A' must specify 'dims' for m",
        ),
        (
            "input { name: \"A\" data_type: TYPE_FP32 dims: 0 }",
            "model input 'A' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for m",
        ),
        (
            "input { name: \"A\" data_type: TYPE_FP32 dims: [ 2, -1, 6 ] reshape { shape: [ 3, -1, 6 ] } }",
            "model input 'A' has different size for dims and reshape for m",
        ),
        (
            "input { name: \"A\" data_type: TYPE_FP32 dims: [ 4611686018427387904, 4 ] reshape { shape: 1 } }",
            "model input 'A' has different size for dims and reshape for m",
        ),
        (
            "instance_group { kind: KIND_GPU }",
            "instance group m_0 of model m has kind KIND_GPU but no GPUs are available",
        ),
    ] {
        let fault = normalized(text).validate(&Host::default()).unwrap_err();
        assert_eq!(fault.to_string(), expected, "{text}");
    }
}

#[test]
fn accelerators_are_known_ignored_or_refused() {
    let of = |text: &str| {
        let text = format!("optimization {{ execution_accelerators {{ {text} }} }}");
        Accelerators::of(&config(&text)).map_err(|e| e.to_string())
    };
    let found = of(
        "gpu_execution_accelerator [ { name: \"apple_neural_engine\" parameters { key: \"precision\" value: \"FP16\" } \
                    parameters { key: \"power_mode\" value: \"low\" } }, { name: \"tensorrt\" parameters { key: \"x\" } } ] \
                    cpu_execution_accelerator { name: \"amx\" }",
    );
    let found = found.unwrap();
    let engine = Accelerator::NeuralEngine {
        precision: Some(Precision::Fp16),
        power_mode: Some(PowerMode::Low),
    };
    assert_eq!(found.requested, [engine, Accelerator::Amx]);
    assert_eq!(found.log_lines("m").len(), 1);
    assert!(
        found.log_lines("m")[0].starts_with("Execution Accelerator 'tensorrt' is ignored for 'm'")
    );
    assert_eq!(found.fallback, Fallback::Allowed);
    for (text, expected) in [
        ("{ name: \"x\" }", "unknown Execution Accelerator 'x' is requested"),
        (
            "{ name: \"metal\" parameters { key: \"k\" } }",
            "unknown parameter 'k' is provided for metal Execution Accelerator; hint: it takes none",
        ),
        (
            "{ name: \"apple_neural_engine\" parameters { key: \"k\" } }",
            "unknown parameter 'k' is provided for apple_neural_engine Execution Accelerator; hint: it takes `precision` and \
             `power_mode`",
        ),
        (
            "{ name: \"apple_neural_engine\" parameters { key: \"precision\" value: \"INT4\" } }",
            "unsupported precision mode 'INT4' is requested; hint: FP16, FP32, INT8 are accepted, in any case",
        ),
        (
            "{ name: \"apple_neural_engine\" parameters { key: \"power_mode\" value: \"fast\" } }",
            "unsupported power mode 'fast' is requested; hint: low, low_power, balanced, high, high_performance are \
             accepted, in any case",
        ),
    ] {
        assert_eq!(of(&format!("cpu_execution_accelerator {text}")), Err(expected.into()));
    }
    let fallback = |value: &str| {
        let text =
            format!("parameters {{ key: \"fallback\" value {{ string_value: \"{value}\" }} }}");
        Accelerators::of(&config(&text)).map(|found| found.fallback)
    };
    assert_eq!(fallback("refused"), Ok(Fallback::Refused));
    assert_eq!(fallback("Allowed"), Ok(Fallback::Allowed));
    assert!(fallback("maybe").is_err());
}

#[test]
fn settings_of_accelerators_are_read_in_any_case() {
    let engine = |key: &str, value: &str| {
        let text = format!(
            "optimization {{ execution_accelerators {{ gpu_execution_accelerator {{ name: \"apple_neural_engine\"
             parameters {{ key: \"{key}\" value: \"{value}\" }} }} }} }}"
        );
        Accelerators::of(&config(&text)).map(|found| found.requested[0])
    };
    for (value, expected) in [
        ("fp16", Precision::Fp16),
        ("FP16", Precision::Fp16),
        ("Fp32", Precision::Fp32),
        ("int8", Precision::Int8),
        ("INT8", Precision::Int8),
    ] {
        let precision = Some(expected);
        let expected = Accelerator::NeuralEngine { precision, power_mode: None };
        assert_eq!(engine("precision", value), Ok(expected), "{value}");
    }
    for (value, expected) in [
        ("low", PowerMode::Low),
        ("LOW_POWER", PowerMode::Low),
        ("balanced", PowerMode::Balanced),
        ("High", PowerMode::High),
        ("high_performance", PowerMode::High),
    ] {
        let power_mode = Some(expected);
        let expected = Accelerator::NeuralEngine { precision: None, power_mode };
        assert_eq!(engine("power_mode", value), Ok(expected), "{value}");
    }
    assert!(engine("precision", "").is_err() && engine("power_mode", "high performance").is_err());
}

#[test]
fn settings_of_onnx_runtime_are_read() {
    let of = |parameters: &[(&str, &str)]| {
        let mut config = config("optimization { graph { level: 1 } }");
        for (key, value) in parameters {
            let value = ModelParameter { string_value: (*value).into() };
            config.parameters.insert((*key).into(), value);
        }
        OnnxRuntimeOptions::of(&config).map_err(|e| e.to_string())
    };
    let expected = OnnxRuntimeOptions {
        graph_level: GraphLevel::Extended,
        execution_mode: ExecutionMode::Parallel,
        intra_op_threads: Some(3),
        memory_arena: Some(false),
        shrink_arenas: vec!["cpu:0".into(), "gpu:0".into()],
        ..Default::default()
    };
    let given = [
        ("execution_mode", "1"),
        ("intra_op_thread_count", "3"),
        ("inter_op_thread_count", "0"),
        ("enable_mem_arena", "False"),
        ("memory.enable_memory_arena_shrinkage", "cpu:0;gpu:0"),
        ("cudnn_conv_algo_search", "1"),
    ];
    assert_eq!(of(&given), Ok(expected));
    let fault = "failed to convert 'x' to integral number (parameter 'execution_mode' of model '')";
    assert_eq!(of(&[("execution_mode", "x")]), Err(fault.into()));
    assert!(of(&[("execution_mode", "2")]).is_err());
    assert!(of(&[("enable_mem_pattern", "yes")]).is_err());
}

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
    assert_eq!(
        [0, 1, 2, 3].map(|n| labels.get("B", n)),
        [Some("cat"), Some(""), Some("dog"), None]
    );
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
