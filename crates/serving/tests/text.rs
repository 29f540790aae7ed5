//! The text format: what is read, what is refused and where, and that nothing damaged makes it panic.

#![allow(clippy::unwrap_used)] // a failure is what the tests look for

use std::time::{Duration, Instant};
use trident_serving::*;

/// A configuration with every kind of field.
const WHOLE: &str = r#"
# A comment.
name: "whole" ; platform: 'onnxruntime' "_onnx"  # two parts of a string
max_batch_size: 0x8,
version_policy { specific { versions: [1, 3] versions: 5 } }
input [
  { name: "A", data_type: TYPE_FP32, dims: [ -1, 16 ], reshape { shape: [ -1, 4, 4 ] } },
  < name: "B\n\t\"\101\x42\u00e9\\" data_type: 13 dims: 017 optional: True >
]
output { name: "C" data_type: TYPE_BF16 dims: [] dims: 1 label_filename: "labels.txt" }
optimization {
  graph { level: -1 }
  priority: PRIORITY_MAX
  execution_accelerators {
    gpu_execution_accelerator: [ {
      name: "apple_neural_engine"
      parameters { key: "precision" value: "FP16" }
      parameters [ { key: "power_mode", value: "low" } ]
    } ]
  }
}
sequence_batching {
  direct { max_queue_delay_microseconds: 18446744073709551615 minimum_slot_utilization: .5 }
  control_input { name: "START" control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ -0.0, 1e0 ] } }
  state { input_name: "S" output_name: "T" data_type: TYPE_INT32 dims: 1
    initial_state { data_type: TYPE_INT32 dims: 1 zero_data: false name: "zero" } }
}
instance_group: { count: 2 kind: KIND_CPU gpus: [] rate_limiter { resources { name: "R" global: t count: 1 } } }
parameters { key: "a" value { string_value: "1" } }
parameters { key: "empty" }
model_warmup { name: "w" batch_size: 1
  inputs { key: "A" value: { data_type: TYPE_FP32 dims: [ 2, 16 ] random_data: true } } }
model_metrics { metric_control { metric_identifier { family: "f" } histogram_options { buckets: [ 1, 2.5, inf ] } } }
"#;

#[test]
fn every_kind_of_field_is_read() {
    let config = ModelConfig::from_text(WHOLE).unwrap();
    assert_eq!((&*config.name, &*config.platform), ("whole", "onnxruntime_onnx"));
    assert_eq!(config.max_batch_size, 8);
    let specific = SpecificVersions { versions: vec![1, 3, 5] };
    let policy = config.version_policy.as_ref().unwrap();
    assert_eq!(policy.choice, VersionPolicyChoice::Specific(specific));
    assert_eq!(config.input[0].reshape.as_ref().unwrap().shape, [-1, 4, 4]);
    assert_eq!(config.input[1].name, "B\n\t\"ABé\\");
    assert_eq!((config.input[1].data_type, config.input[1].dims[0]), (DataType::String, 15));
    assert!(config.input[1].optional);
    assert_eq!(config.output[0].dims, [1]);
    let SchedulingChoice::Sequence(batching) = &config.scheduling else { panic!() };
    let SequenceStrategy::Direct(direct) = &batching.strategy else { panic!() };
    assert_eq!(direct.max_queue_delay_microseconds, u64::MAX);
    assert_eq!(direct.minimum_slot_utilization, 0.5);
    let values = &batching.control_input[0].control[0].fp32_false_true;
    assert_eq!(values.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [1 << 31, 0x3f80_0000]);
    assert_eq!(batching.state[0].initial_state[0].data, InitialStateData::Zero(false));
    assert_eq!((config.parameter("a"), config.parameter("empty")), (Some("1"), Some("")));
    let buckets = &config.model_metrics.as_ref().unwrap().metric_control[0].histogram_options;
    assert_eq!(buckets.as_ref().unwrap().buckets, [1.0, 2.5, f64::INFINITY]);
}

#[test]
fn both_forms_keep_everything() {
    let config = ModelConfig::from_text(WHOLE).unwrap();
    assert_eq!(ModelConfig::from_text(&config.to_text()).unwrap(), config);
    assert_eq!(ModelConfig::from_json(&config.to_json()).unwrap(), config);
    assert!(config.to_json().contains(r#""fp32_false_true":[-0.0,1]"#));
    let empty = ModelConfig::default();
    assert_eq!(empty.to_text(), "");
    assert_eq!(ModelConfig::from_json(&empty.to_json()).unwrap(), empty);
}

#[test]
fn the_text_form_has_a_field_a_line() {
    let text = r#"name:"m" input{name:"A" dims:[1,2]} parameters{key:"k" value{string_value:"v"}}"#;
    let expected = "name: \"m\"\ninput {\n  name: \"A\"\n  dims: 1\n  dims: 2\n}\n\
                    parameters {\n  key: \"k\"\n  value {\n    string_value: \"v\"\n  }\n}\n";
    assert_eq!(ModelConfig::from_text(text).unwrap().to_text(), expected);
}

fn fault(text: &str) -> String {
    ModelConfig::from_text(text).unwrap_err().to_string()
}

#[test]
fn errors_say_where_and_which_field() {
    for (text, expected) in [
        (
            "name: \"m\"\nmax_batchsize: 8",
            "2:1: `max_batchsize`: `ModelConfig` has no such field, did you mean `max_batch_size`?",
        ),
        ("zzz: 1", "1:1: `zzz`: `ModelConfig` has no such field"),
        (
            "input [\n  { name: \"A\" },\n  { name: \"B\"\n    data_type: TYPE_FLOAT32 }\n]",
            "4:16: `input[1].data_type`: `TYPE_FLOAT32` is not a value of `DataType`, did you mean `TYPE_FP32`?",
        ),
        (
            "input { data_type: 15 }",
            "1:20: `input[0].data_type`: `15` is not a value of `DataType`",
        ),
        (
            "instance_group { kind: \"KIND_CPU\" }",
            "1:24: `instance_group[0].kind`: expected the name of a value, found the string \"KIND_CPU\"",
        ),
        (
            "max_batch_size: \"8\"",
            "1:17: `max_batch_size`: expected an integer, found the string \"8\"",
        ),
        ("max_batch_size: 8.5", "1:17: `max_batch_size`: expected an integer, found 8.5"),
        ("max_batch_size: 2147483648", "1:17: `max_batch_size`: 2147483648 does not fit int32"),
        ("max_batch_size: 089", "1:17: `max_batch_size`: `089` is not a number"),
        ("max_batch_size: [1]", "1:17: `max_batch_size`: expected an integer, found a list"),
        ("name: m", "1:7: `name`: expected a string, found `m`"),
        ("name: \"a\"\nname: \"b\"", "2:1: `name`: given more than once"),
        ("optimization { }\noptimization { }", "2:1: `optimization`: given more than once"),
        (
            "dynamic_batching { }\nsequence_batching { }",
            "2:1: `sequence_batching`: excludes `dynamic_batching`, which is given too",
        ),
        (
            "metric_tags { key: \"a\" value: \"1\" }\nmetric_tags { key: \"a\" value: \"2\" }",
            "2:13: `metric_tags`: the key `a` is given more than once",
        ),
        ("dynamic_batching: 1", "1:19: `dynamic_batching`: expected a message, found 1"),
        (
            "model_transaction_policy { decoupled: yes }",
            "1:39: `model_transaction_policy.decoupled`: expected `true` or `false`, found `yes`",
        ),
        (
            "input { dims [ 1 ] }",
            "1:16: `input.dims`: expected a message, as there is no `:` before the list, found `1`",
        ),
        ("input { dims: [ 1, ] }", "1:20: `input.dims`: expected a value, found `]`"),
        ("input { dims: [ 1 2 ] }", "1:19: `input.dims`: expected `,` or `]`, found `2`"),
        ("name \"m\"", "1:6: `name`: expected `:` or a message, found the string \"m\""),
        ("name: \"m\n\"", "1:7: `name`: the string does not end on its line"),
        ("name: \"\\q\"", "1:8: `name`: a string has the invalid escape sequence `\\q`"),
        ("name: \"\\377\"", "1:7: `name`: the string is not valid UTF-8"),
        (
            "input {\n  name: \"A\"\n",
            "3:1: `input`: expected a field or the end of the message, found the end of the text",
        ),
        ("}", "1:1: expected a field, found `}`"),
        ("é: 1", "1:1: expected a field, found `é`"),
        ("max_batch_size: -x", "1:18: `max_batch_size`: expected a number, found `x`"),
    ] {
        assert_eq!(fault(text), expected, "{text}");
    }
    let error = fault(&"input {".repeat(100_000));
    assert!(error.ends_with("messages are nested too deeply"), "{}", &error[error.len() - 80..]);
}

#[test]
fn json_has_the_freedoms_that_protobuf_allows() {
    let text = r#"{"maxBatchSize": "8", "input": [{"dataType": "type_fp32", "dims": ["16", 2.0]}],
        "optimization": null, "sequenceBatching": null, "dynamicBatching": {"priorityQueuePolicy": {"2": {"maxQueueSize": 3}}}}"#;
    let config = ModelConfig::from_json(text).unwrap();
    assert_eq!(config.max_batch_size, 8);
    assert_eq!(config.input[0].data_type, DataType::Fp32);
    assert_eq!(config.input[0].dims, [16, 2]);
    assert_eq!(config.optimization, None);
    let SchedulingChoice::Dynamic(batching) = &config.scheduling else { panic!() };
    assert_eq!(batching.priority_queue_policy[&2].max_queue_size, 3);
}

#[test]
fn fields_of_a_later_server_are_left_out_and_named() {
    let json = r#"{"name": "m", "later": 3, "max_batch_size": 8, "input": [
        {"name": "x", "data_type": "TYPE_FP32", "dims": [4]},
        {"name": "y", "data_type": "TYPE_FP32", "dims": [5], "layout": {"of": [1]}}],
        "parameters": {"a.b": {"string_value": "c", "ints": [1]}}}"#;
    assert!(ModelConfig::from_json(json).is_err());
    let (config, unknown) = ModelConfig::from_server_json(json).unwrap();
    assert_eq!(unknown, ["later", "input[1].layout", "parameters[a.b].ints"]);
    assert_eq!((config.max_batch_size, config.parameter("a.b")), (8, Some("c")));
    assert_eq!(config.input[1].dims, [5]);
    // What is known is read as strictly as ever.
    let error = ModelConfig::from_server_json(r#"{"later": 3, "max_batch_size": "x"}"#);
    assert!(error.unwrap_err().to_string().starts_with("`max_batch_size`: "));
}

#[test]
fn errors_in_json_name_the_field() {
    for (text, expected) in [
        ("{bad", "key must be a string at line 1 column 2"),
        ("5", "expected a message, found 5"),
        (r#"{"zz": 1}"#, "`zz`: `ModelConfig` has no such field"),
        (r#"{"name": 5}"#, "`name`: expected a string, found 5"),
        (r#"{"name": "a", "name": "b"}"#, "`name`: given more than once"),
        (r#"{"input": {}}"#, "`input`: expected a list, found a message"),
        (
            r#"{"input": [{"dims": ["x"]}]}"#,
            "`input[0].dims[0]`: expected an integer, found the string \"x\"",
        ),
        (r#"{"metric_tags": []}"#, "`metric_tags`: expected an object, found a list"),
        (
            r#"{"parameters": {"k": {"string_value": 1}}}"#,
            "`parameters[k].string_value`: expected a string, found 1",
        ),
        (r#"{"max_batch_size": 1e300}"#, "`max_batch_size`: 1e300 does not fit int32"),
    ] {
        assert_eq!(ModelConfig::from_json(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn errors_show_the_start_of_long_names_and_values() {
    let json = |text: &str| ModelConfig::from_json(text).unwrap_err().to_string();
    let (long, shown) = ("x".repeat(1_000_000), format!("{}…", "x".repeat(100)));
    let (accents, shown_accents) = ("é".repeat(1_000_000), format!("{}…", "é".repeat(100)));
    let ones = "1".repeat(100);
    for (found, expected) in [
        (fault(&format!("{long}: 1")), format!("1:1: `{shown}`: `ModelConfig` has no such field")),
        (
            json(&format!(r#"{{"{accents}": 1}}"#)),
            format!("`{shown_accents}`: `ModelConfig` has no such field"),
        ),
        (
            fault(&format!("input {{ data_type: {long} }}")),
            format!("1:20: `input[0].data_type`: `{shown}` is not a value of `DataType`"),
        ),
        (
            json(&format!(r#"{{"input": [{{"data_type": "{long}"}}]}}"#)),
            format!("`input[0].data_type`: `{shown}` is not a value of `DataType`"),
        ),
        (
            fault(&format!("name: {long}")),
            format!("1:7: `name`: expected a string, found `{shown}`"),
        ),
        (
            json(&format!(r#"{{"max_batch_size": "{accents}"}}"#)),
            format!("`max_batch_size`: expected an integer, found the string \"{shown_accents}\""),
        ),
        (
            fault(&format!("name \"{long}\"")),
            format!("1:6: `name`: expected `:` or a message, found the string \"{shown}\""),
        ),
        (
            fault(&format!("name: -{long}")),
            format!("1:8: `name`: expected a number, found `{shown}`"),
        ),
        (
            fault(&format!("max_batch_size: {ones}11x")),
            format!("1:17: `max_batch_size`: `{ones}…` is not a number"),
        ),
        (
            fault(&format!("parameters {{ {long}: ] }}")),
            format!("1:1000016: `parameters.{shown}`: expected a value, found `]`"),
        ),
        (
            json(&format!(r#"{{"parameters": {{"{long}": {{"string_value": 1}}}}}}"#)),
            format!("`parameters[{shown}].string_value`: expected a string, found 1"),
        ),
        (
            json(&format!(r#"{{"metric_tags": {{"{long}": "", "{long}": ""}}}}"#)),
            format!("`metric_tags`: the key `{shown}` is given more than once"),
        ),
        (
            fault("sequence_batching { direct { minimum_slot_utilization: 1e300 } }"),
            "1:56: `sequence_batching.direct.minimum_slot_utilization`: 1e300 does not fit float"
                .into(),
        ),
    ] {
        assert_eq!(found, expected);
    }
    // What fits is shown wholly.
    assert_eq!(
        fault(&format!("name: {}", "x".repeat(100))),
        format!("1:7: `name`: expected a string, found `{}`", "x".repeat(100))
    );
}

#[test]
fn names_above_64_characters_are_no_misspelt_ones() {
    let suggested = |extra: usize| {
        let kind = format!("BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO{}", "X".repeat(extra));
        fault(&format!("batch_input {{ kind: {kind} }}")).contains("did you mean")
    };
    assert_eq!([64, 65].map(|length| suggested(length - 41)), [true, false]);
}

#[test]
fn the_time_of_reading_is_linear_in_the_number_of_repeated_fields() {
    let start = Instant::now();
    let config = ModelConfig::from_text(&"model_warmup {}\n".repeat(300_000)).unwrap();
    assert_eq!(config.model_warmup.len(), 300_000);
    // Far more than it takes, far less than a look at all earlier fields for each.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// A small generator of random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

#[test]
fn damaged_texts_are_errors_or_survive_both_forms() {
    const PARTS: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ":",
        ",",
        ";",
        "#",
        "\"",
        "'",
        "\\",
        "\\x",
        "\\u12",
        "-",
        ".",
        "0x",
        "9",
        "1e",
        "inf",
        "nan",
        "true",
        "é",
        "\n",
        "\0",
        "input",
        "name",
        "TYPE_INT8",
        "null",
        "dims: ",
    ];
    let json = ModelConfig::from_text(WHOLE).unwrap().to_json();
    let mut survivors = 0;
    for number in 0..20_000 {
        let mut random = Random(number);
        let is_json = number % 4 == 0;
        let mut chars: Vec<char> = if is_json { &json } else { WHOLE }.chars().collect();
        for _ in 0..=random.below(3) {
            let start = random.below(chars.len());
            let end = (start + random.below(12)).min(chars.len());
            let part = PARTS[random.below(PARTS.len())];
            match random.below(3) {
                0 => drop(chars.drain(start..end)),
                1 => drop(chars.splice(start..end, part.chars())),
                _ => {
                    let copied = chars[start..end].to_vec();
                    let at = random.below(chars.len());
                    chars.splice(at..at, copied);
                }
            }
        }
        let text: String = chars.into_iter().collect();
        let read =
            if is_json { ModelConfig::from_json(&text) } else { ModelConfig::from_text(&text) };
        let Ok(config) = read else { continue };
        survivors += 1;
        // NaN is not equal to itself, so texts are compared.
        let printed = config.to_text();
        assert_eq!(ModelConfig::from_text(&printed).unwrap().to_text(), printed, "mutant {number}");
        let printed = config.to_json();
        assert_eq!(ModelConfig::from_json(&printed).unwrap().to_json(), printed, "mutant {number}");
    }
    assert!(survivors > 500, "{survivors} mutants could be read");
}
