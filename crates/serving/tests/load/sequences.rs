//! Sequences: what the scheduler gives, and what it keeps.

use crate::{normalized, signature, tensor};
use trident_ir::DType;
use trident_serving::*;

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
