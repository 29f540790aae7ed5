//! Configurations that contradict the model or themselves.

use crate::{normalized, signature, tensor, usual};
use trident_ir::DType;
use trident_serving::Host;

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
