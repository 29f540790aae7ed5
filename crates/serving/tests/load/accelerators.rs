//! Accelerators, and the settings of ONNX Runtime.

use crate::config;
use trident_serving::*;

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
