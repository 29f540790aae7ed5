//! The place of each fault in the text of a configuration.

use crate::usual;
use bytes::Bytes;
use std::collections::BTreeMap;
use trident_serving::*;

/// A configuration of [`usual`]'s model, before which and after which there may be more.
const TEXT: &str = "backend: \"onnxruntime\"
max_batch_size: 8
input { name: \"A\" data_type: TYPE_FP32 dims: [ 16 ] }
output {
  name: \"B\" data_type: TYPE_INT64
  dims: [ 3 ]
}
";

fn folder(text: &str) -> ModelFolder {
    let files = [("config.pbtxt", text), ("1/model.onnx", "")];
    let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
    let files = files.map(|(name, text)| (name.to_owned(), bytes(text)));
    ModelFolder::in_memory("m", BTreeMap::from(files)).unwrap().unwrap()
}

/// Makes the checks of a load that need no device.
fn load(folder: &ModelFolder) -> Result<(), FolderError> {
    folder.served()?;
    let mut config = folder.named(Some(1))?;
    let fault = |error| folder.fault(error);
    config.complete(&usual(), DEFAULT_MAX_BATCH_SIZE).map_err(fault)?;
    folder.settle(&mut config, &Host::default(), &ReadOptions::default())?;
    folder.labels(&config)?;
    config.supported().map_err(|error| folder.model_fault(error))?;
    config.check(&usual()).map_err(fault)?;
    OnnxRuntimeOptions::of(&config).map_err(fault)?;
    Accelerators::of(&config).map_err(fault)?;
    folder.warmup(&config).map(drop)
}

/// Checks that the fault of a text names a field, and the place of `mark` in the text.
fn check(text: &str, mark: &str, field: &str) {
    let fault = load(&folder(text)).unwrap_err().to_string();
    let before = &text[..text.find(mark).unwrap_or_else(|| panic!("no {mark} in {text}"))];
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().unwrap().chars().count();
    let start = format!("`file:config.pbtxt`: {line}:{column}: `{field}`: ");
    assert!(fault.starts_with(&start), "{start}… is expected: {fault}\n{text}");
}

/// The same for a change of [`TEXT`].
fn changed(old: &str, new: &str, mark: &str, field: &str) {
    assert!(TEXT.contains(old));
    check(&TEXT.replacen(old, new, 1), mark, field);
}

/// The same for more text at its end.
fn added(more: &str, mark: &str, field: &str) {
    check(&format!("{TEXT}{more}\n"), mark, field);
}

#[test]
fn faults_of_tensors_name_their_lines() {
    load(&folder(TEXT)).unwrap();
    changed("16", "17", "dims: [ 17", "input[0].dims");
    changed("[ 16 ]", "[ 16 ] reshape { shape: [ 4, 4 ] }", "reshape", "input[0].reshape");
    changed("[ 16 ]", "[ 16 ] reshape { shape: 4 }", "shape: 4", "input[0].reshape.shape");
    changed("16", "0", "dims: [ 0", "input[0].dims");
    changed("dims: [ 3 ]", "dims: [ 3, 1 ]", "dims: [ 3", "output[0].dims");
    changed("FP32", "INT32", "data_type: TYPE_INT32", "input[0].data_type");
    changed(" data_type: TYPE_INT64", "", "output", "output[0].data_type");
    changed("\"A\"", "\"C\"", "name: \"C\"", "input[0].name");
    changed("\"B\"", "\"C\"", "name: \"C\"", "output[0].name");
    changed(
        "input",
        "input { name: \"A\" data_type: TYPE_FP32 dims: 16 }\ninput",
        "input",
        "input",
    );
    changed("TYPE_FP32", "TYPE_FP32 format: FORMAT_NCHW", "format", "input[0].format");
    changed("TYPE_FP32", "TYPE_FP32 optional: true", "optional", "input[0].optional");
    changed("TYPE_INT64", "TYPE_INT64 is_shape_tensor: true", "is_", "output[0].is_shape_tensor");
    changed("TYPE_INT64", "TYPE_INT64 label_filename: \"l\"", "label_", "output[0].label_filename");
    let twice = "output { name: \"B\" data_type: TYPE_INT64 dims: 3 }";
    added(twice, "name: \"B\" data_type: TYPE_INT64 dims: 3", "output[1].name");
    let ragged = "TYPE_FP32 allow_ragged_batch: true";
    changed("TYPE_FP32", ragged, "allow_", "input[0].allow_ragged_batch");
    let sources = "batch_input { kind: BATCH_ELEMENT_COUNT target_name: \"C\" data_type: TYPE_FP32 \
                   source_input: \"Z\" }";
    added(sources, "source_input", "batch_input[0].source_input");
    let target = "batch_output { target_name: \"Z\" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: \"A\" }";
    added(target, "target_name", "batch_output[0].target_name");
}

#[test]
fn faults_of_gpus_name_their_lines() {
    let groups = "instance_group [ { kind: KIND_CPU }, { kind: KIND_GPU gpus: [ 0, -1 ] } ]";
    added(groups, "gpus", "instance_group[1].gpus");
    added("instance_group { gpus: -7 }", "gpus", "instance_group[0].gpus");
}

#[test]
fn faults_of_histograms_name_their_lines() {
    let family = "metric_identifier { family: \"nv_inference_first_response_histogram_ms\" }";
    let control = |buckets| {
        format!("metric_control {{ {family} histogram_options {{ buckets: {buckets} }} }}")
    };
    let both =
        |buckets| format!("model_metrics {{ {} {} }}", control("[ 1, 2.5 ]"), control(buckets));
    load(&folder(&format!("{TEXT}{}", both("[ 10, 20 ]")))).unwrap();
    for wrong in ["[ 20, 10 ]", "[ 5, 5 ]", "[ 1, nan ]", "[ 1, inf ]"] {
        let field = "model_metrics.metric_control[1].histogram_options.buckets";
        added(&both(wrong), &format!("buckets: {wrong}"), field);
    }
}

#[test]
fn faults_of_schedulers_name_their_lines() {
    changed("8", "-1", "max_batch_size", "max_batch_size");
    let dynamic = |inner: &str, mark: &str, field: &str| {
        added(
            &format!("dynamic_batching {{ {inner} }}"),
            mark,
            &format!("dynamic_batching.{field}"),
        );
    };
    dynamic("preferred_batch_size: [ 2, 9, 4 ]", "9", "preferred_batch_size[1]");
    dynamic(
        "preferred_batch_size: 4 preferred_batch_size: 0",
        "preferred_batch_size: 0",
        "preferred_batch_size[1]",
    );
    dynamic("priority_levels: 2 default_priority_level: 3", "default_", "default_priority_level");
    dynamic("priority_levels: 2", "dynamic_batching", "default_priority_level");
    let policies = "priority_levels: 2 default_priority_level: 1
        priority_queue_policy { key: 1 value { } } priority_queue_policy { key: 3 value { } }";
    dynamic(policies, "priority_queue_policy { key: 3", "priority_queue_policy[3]");
    let order = "preserve_ordering: true priority_levels: 2 default_priority_level: 1";
    dynamic(order, "priority_levels", "priority_levels");
    let delay = "preserve_ordering: true default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 1 }";
    dynamic(delay, "timeout_action", "default_queue_policy.timeout_action");

    let sequence = |inner: &str, mark: &str, field: &str| {
        added(
            &format!("sequence_batching {{ {inner} }}"),
            mark,
            &format!("sequence_batching.{field}"),
        );
    };
    sequence(
        "direct { minimum_slot_utilization: 2 }",
        "minimum_",
        "direct.minimum_slot_utilization",
    );
    sequence("oldest { preferred_batch_size: 9 }", "preferred_", "oldest.preferred_batch_size[0]");
    sequence("control_input { }", "control_input", "control_input[0].name");
    let start = "control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] }";
    let twice =
        format!("control_input {{ name: \"S\" {start} }} control_input {{ name: \"T\" {start} }}");
    let second = "kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } }\n";
    check(
        &format!("{TEXT}sequence_batching {{ {twice}\n}}\n"),
        second,
        "sequence_batching.control_input[1].control[0].kind",
    );
    let one = start.replace("[ 0, 1 ]", "1");
    sequence(
        &format!("control_input {{ name: \"S\" {one} }}"),
        "int32_false_true",
        "control_input[0].control[0].int32_false_true",
    );
    sequence(
        "control_input { name: \"S\" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_FP32 } }",
        "data_type: TYPE_FP32 } }",
        "control_input[0].control[0].data_type",
    );
    sequence(
        &format!("control_input {{ name: \"S\" {start} }}"),
        "name: \"S\"",
        "control_input[0].name",
    );
    let state = "state { input_name: \"S\" output_name: \"T\" data_type: TYPE_FP32 dims: 1 }";
    sequence(state, "input_name", "state[0].input_name");
}

#[test]
fn faults_of_other_fields_name_their_lines() {
    changed("backend", "name: \"n\"\nbackend", "name", "name");
    added("version_policy { latest { num_versions: 0 } }", "version_policy", "version_policy");
    added("instance_group [ { count: 1 }, { count: -1 } ]", "count: -1", "instance_group[1].count");
    added("instance_group { kind: KIND_CPU gpus: 0 }", "gpus", "instance_group[0].gpus");
    added("instance_group { profile: \"p\" }", "profile", "instance_group[0].profile");
    added("platform: \"other\"", "platform", "platform");
    added("ensemble_scheduling { }", "ensemble_scheduling", "ensemble_scheduling");
    added("model_operations { op_library_filename: \"x\" }", "model_op", "model_operations");
    added(
        "model_transaction_policy { decoupled: true } response_cache { enable: true }",
        "response_cache",
        "response_cache",
    );
    let parameter = "parameters { key: \"a\" value { } }
        parameters { key: \"execution_mode\" value { string_value: \"3\" } }";
    added(parameter, "parameters { key: \"execution_mode\"", "parameters[execution_mode]");
    let accelerator = |inner: &str, mark: &str, field: &str| {
        let list = "optimization { execution_accelerators { cpu_execution_accelerator [";
        let first = "{ name: \"metal\" }, {";
        let place = "optimization.execution_accelerators.cpu_execution_accelerator[1]";
        added(&format!("{list} {first} {inner} }} ] }} }}"), mark, &format!("{place}.{field}"));
    };
    accelerator("name: \"xnu\"", "name: \"xnu\"", "name");
    let setting = "name: \"apple_neural_engine\" parameters { key: \"precision\" value: \"fp8\" }";
    accelerator(setting, "parameters", "parameters[precision]");
    let setting = "name: \"apple_neural_engine\" parameters { key: \"speed\" value: \"1\" }";
    accelerator(setting, "parameters", "parameters[speed]");
    let input = |text: &str| format!("inputs {{ key: \"A\" value {{ {text} }} }}");
    let warmup = format!(
        "model_warmup {{ name: \"w\" batch_size: 1 {} }}",
        input("dims: 16 zero_data: true")
    );
    added(&warmup, "inputs", "model_warmup[0].inputs[A]");
}

#[test]
fn faults_of_ensembles_name_their_lines() {
    let ensemble = |steps: &str| {
        let text = TEXT.replace("backend: \"onnxruntime\"", "platform: \"ensemble\"");
        format!("{text}ensemble_scheduling {{\n{steps}\n}}\n")
    };
    let step = |input: &str, output: &str| {
        format!(
            "step {{ model_name: \"x\" input_map {{ key: \"I\" value: \"{input}\" }} \
             output_map {{ key: \"O\" value: \"{output}\" }} }}"
        )
    };
    let place = |inner: &str| format!("ensemble_scheduling.{inner}");
    let good = step("A", "B");
    check(&ensemble(""), "ensemble_scheduling", "ensemble_scheduling");
    check(&ensemble(&good.replace("\"x\"", "\"\"")), "model_name", &place("step[0].model_name"));
    check(&ensemble(&step("Z", "B")), "name: \"A\"", "input[0].name");
    check(&ensemble(&step("A", "Z")), "name: \"B\"", "output[0].name");
    let unused = format!("{good}\n{}", step("A", "U"));
    check(
        &ensemble(&unused),
        "output_map { key: \"O\" value: \"U\"",
        &place("step[1].output_map[O]"),
    );
    let twice = format!(
        "{good}\nstep {{ model_name: \"y\" input_map {{ key: \"I\" value: \"A\" }} \
                         output_map {{ key: \"P\" value: \"B\" }} }}"
    );
    check(&ensemble(&twice), "output_map { key: \"P\"", &place("step[1].output_map[P]"));
    let group = format!("{}instance_group {{ }}\n", ensemble(&good));
    check(&group, "instance_group", "instance_group");
}

#[test]
fn a_fault_without_a_line_names_its_field() {
    let sent = ModelConfig::from_json("{\"max_batch_size\": -1}").unwrap();
    let fault = load(&folder(TEXT).with_config(sent)).unwrap_err().to_string();
    let start = "`the configuration that was sent`: `max_batch_size`: 'max_batch_size' must be";
    assert!(fault.starts_with(start), "{fault}");
}
