//! Ensembles in a repository. Texts and states are those of the Triton Inference Server 2.51, to which the same was sent.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use trident_server::infer::{InferOutput, InferRequest, Parameter};
use trident_server::memory::Regions;
use trident_server::repository::{ControlMode, LoadOptions, RepositoryOptions};
use trident_serving::{Cancel, Correlation, DataType, ErrorCode, Sequence};

use crate::bench::*;

/// An ensemble `y = b(a(x))` on numbers.
fn chain(first: &str, second: &str) -> String {
    format!(
        "platform: 'ensemble' max_batch_size: 4
         input {{ name: 'x' data_type: TYPE_FP32 dims: 2 }} output {{ name: 'y' data_type: TYPE_FP32 dims: 2 }}
         ensemble_scheduling {{
           step {{ model_name: '{first}' model_version: -1 input_map {{ key: 'x' value: 'x' }} output_map {{ key: 'y' value: 'p' }} }}
           step {{ model_name: '{second}' model_version: -1 input_map {{ key: 'x' value: 'p' }} output_map {{ key: 'y' value: 'y' }} }}
         }}"
    )
}

pub(crate) fn ensemble(folder: &Path, name: &str, config: &str) {
    let files: [(&str, &[u8]); 2] = [("config.pbtxt", config.as_bytes()), ("1/none", b"")];
    write(&folder.join(name), &files);
}

/// Models `neg` and `abs`, and the ensemble `e` of both: `y = -|x|`.
fn bench() -> Bench {
    Bench::new(|folder| {
        put(folder, "neg", 1, "Neg");
        put(folder, "abs", 1, "Abs");
        ensemble(folder, "e", &chain("abs", "neg"));
    })
}

fn failed(bench: &Bench, name: &str) -> String {
    let fault = bench.load(name).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidArg, "{}", fault.text);
    fault.text
}

#[test]
fn an_ensemble_is_loaded_after_its_steps_and_answers() {
    let bench = bench();
    bench.load("e").unwrap();
    assert_eq!(bench.index(), ["abs:1 READY", "e:1 READY", "neg:1 READY"]);
    assert_eq!(bench.ask("e", &[1.0, -2.0]), Ok(vec![-1.0, -2.0]));
    let model = bench.repository.model("e", None).unwrap();
    let config = model.config_json();
    assert!(
        config.contains("\"model_transaction_policy\":{\"decoupled\":false}")
            && config.contains("\"instance_group\":[]")
            && !config.contains("optimization"),
        "{config}"
    );
    let statistics = |name: &str| bench.repository.statistics(Some(name), None).unwrap().remove(0);
    let (whole, abs, neg) = (statistics("e"), statistics("abs"), statistics("neg"));
    assert_eq!(
        (whole.inference_count, whole.execution_count, whole.requests.success.count),
        (1, 1, 1)
    );
    let run = abs.requests.compute_infer.ns + neg.requests.compute_infer.ns;
    assert_eq!(whole.requests.compute_infer.ns, run, "the times of the steps");
    assert_eq!(whole.batches[&1].compute_infer.count, 1);
    assert!(whole.requests.success.ns >= run);
}

#[test]
fn answers_have_the_parameters_of_the_sequence() {
    let bench = bench();
    bench.load("e").unwrap();
    let mut request =
        InferRequest { inputs: vec![floats("x", &[1, 2], &[1.0, 2.0])], ..Default::default() };
    request.parameters.sequence =
        Sequence { id: Correlation::Text("abc".into()), start: true, end: false };
    let answer = bench.infer("e", request).unwrap();
    let expected = [
        ("sequence_id".to_owned(), Parameter::Text("abc".into())),
        ("sequence_start".to_owned(), Parameter::Bool(true)),
        ("sequence_end".to_owned(), Parameter::Bool(false)),
    ];
    assert_eq!(answer.parameters, expected);
}

#[test]
fn steps_that_are_missing_or_failed_are_errors_of_the_ensemble() {
    let bench = bench();
    let folder = bench.folder.path();
    ensemble(folder, "missing", &chain("abs", "nope"));
    assert_eq!(
        failed(&bench, "missing"),
        "load failed for model 'missing': ensemble missing contains models that are not available or ambiguous: nope\n"
    );
    let index = bench.index().concat();
    assert!(
        index.contains("`ensemble_scheduling.step[1].model_name`: ensemble missing"),
        "{index}"
    );
    write(&folder.join("broken"), &[("1/model.onnx", b"no model")]);
    ensemble(folder, "above", &chain("abs", "broken"));
    let text = failed(&bench, "above");
    let start = "load failed for model 'above': ensemble 'above' depends on 'broken' which has no loaded version. Model 'broken' \
                 loading failed with error: version 1 is at UNAVAILABLE state: Internal: ";
    assert!(text.starts_with(start) && text.ends_with(";\n\n"), "{text}");
    ensemble(folder, "higher", &chain("abs", "missing"));
    assert_eq!(
        failed(&bench, "higher"),
        "load failed for model 'higher': ensemble 'higher' depends on 'missing' which is not valid. Model 'missing' failed with \
         error: ensemble missing contains models that are not available or ambiguous: nope\n"
    );
    ensemble(
        folder,
        "seven",
        &chain("abs", "neg").replacen("model_version: -1", "model_version: 7", 1),
    );
    assert_eq!(
        failed(&bench, "seven"),
        "load failed for model 'seven': ensemble 'seven' depends on 'abs' whose required version 7 is not loaded.\n"
    );
    ensemble(
        folder,
        "map",
        &chain("abs", "neg").replace("key: 'y' value: 'y'", "key: 'z' value: 'y'"),
    );
    assert_eq!(
        failed(&bench, "map"),
        "load failed for model 'map': in ensemble map, ensemble tensor y is mapped from non-existing output z in model neg\n"
    );
    ensemble(folder, "one", &chain("abs", "two"));
    ensemble(folder, "two", &chain("one", "abs"));
    assert_eq!(
        failed(&bench, "one"),
        "load failed for model 'one': circular dependency between ensembles: one -> ... -> two -> one\n"
    );
    assert!(bench.repository.has_failed());
    // An ensemble whose step appears later is loaded with it.
    put(folder, "nope", 1, "Neg");
    bench.load("nope").unwrap();
    assert_eq!(bench.ask("missing", &[3.0, -4.0]), Ok(vec![-3.0, -4.0]));
    assert_eq!(bench.ask("higher", &[3.0, -4.0]), Ok(vec![-3.0, -4.0]), "and the one above it");
}

#[test]
fn an_ensemble_goes_and_comes_with_its_steps() {
    let bench = bench();
    ensemble(bench.folder.path(), "outer", &chain("e", "neg"));
    bench.load("outer").unwrap();
    assert_eq!(bench.ask("outer", &[3.0, -4.0]), Ok(vec![3.0, 4.0]));
    bench.repository.unload("abs", false).unwrap();
    let states = [
        "abs:1 UNAVAILABLE unloaded",
        "e:1 UNAVAILABLE unloaded",
        "neg:1 READY",
        "outer:1 UNAVAILABLE unloaded",
    ];
    assert_eq!(bench.settled_index(), states);
    assert!(!bench.repository.has_failed(), "unloaded on request");
    let text = bench.ask("e", &[1.0, 1.0]).unwrap_err().text;
    assert_eq!(text, "Request for unknown model: 'e' has no available versions");
    bench.load("abs").unwrap();
    assert_eq!(bench.ask("outer", &[3.0, -4.0]), Ok(vec![3.0, 4.0]));
    // A version that takes over is found by requests, and the ensemble starts to count anew.
    put(bench.folder.path(), "abs", 2, "Sigmoid");
    bench.load("abs").unwrap();
    assert_eq!(bench.ask("e", &[0.0, 0.0]), Ok(vec![-0.5, -0.5]));
    let counted = bench.repository.statistics(Some("e"), None).unwrap().remove(0);
    assert_eq!(counted.requests.success.count, 1);
    // One that does not fit unloads the ensemble.
    let other = LoadOptions {
        config: Some(r#"{"max_batch_size": 2, "backend": "onnxruntime"}"#.into()),
        files: vec![("1/model.onnx".into(), model("Abs"))],
    };
    bench.repository.load("abs", other).unwrap();
    assert!(bench.ask("e", &[0.0, 0.0]).is_err());
    assert!(
        bench.logged("ensemble e allows maximum batch size 4, but it contains model abs"),
        "{:?}",
        bench.log
    );
}

#[test]
fn steps_are_unloaded_with_their_ensemble_if_nothing_else_needs_them() {
    let bench = bench();
    ensemble(bench.folder.path(), "outer", &chain("e", "neg"));
    bench.load("neg").unwrap();
    bench.load("outer").unwrap();
    bench.repository.unload("outer", false).unwrap();
    assert_eq!(
        bench.settled_index(),
        ["abs:1 READY", "e:1 READY", "neg:1 READY", "outer:1 UNAVAILABLE unloaded"]
    );
    bench.load("outer").unwrap();
    bench.repository.unload("outer", true).unwrap();
    let states = [
        "abs:1 UNAVAILABLE unloaded",
        "e:1 UNAVAILABLE unloaded",
        "neg:1 READY",
        "outer:1 UNAVAILABLE unloaded",
    ];
    assert_eq!(bench.settled_index(), states, "`neg` was loaded by its name");
    // A step of another ensemble stays.
    ensemble(bench.folder.path(), "other", &chain("abs", "abs"));
    bench.load("other").unwrap();
    bench.load("e").unwrap();
    bench.repository.unload("e", true).unwrap();
    assert_eq!(bench.index()[0], "abs:1 READY");
}

#[test]
fn all_models_of_a_start_are_loaded_in_the_order_of_their_steps() {
    let options = RepositoryOptions { mode: ControlMode::Poll, ..Default::default() };
    let bench = Bench::with(options, |folder| {
        ensemble(folder, "a", &chain("b", "neg"));
        ensemble(folder, "b", &chain("z", "neg"));
        put(folder, "neg", 1, "Neg");
        put(folder, "z", 1, "Abs");
        ensemble(folder, "bad", &chain("z", "later"));
    });
    let failed: Vec<String> = bench.repository.start().into_iter().map(|(name, _)| name).collect();
    assert_eq!(failed, ["bad"]);
    assert_eq!(bench.ask("a", &[3.0, -4.0]), Ok(vec![3.0, 4.0]));
    let failures =
        || bench.log.lock().unwrap().iter().filter(|l| l.contains("failed to load")).count();
    let before = failures();
    bench.repository.poll();
    assert_eq!(failures(), before, "not tried again without a change");
    put(bench.folder.path(), "later", 1, "Neg");
    bench.repository.poll();
    assert_eq!(bench.ask("bad", &[3.0, -4.0]), Ok(vec![-3.0, -4.0]));
    std::fs::remove_dir_all(bench.path("later")).unwrap();
    bench.repository.poll();
    assert!(bench.ask("bad", &[3.0, -4.0]).is_err());
}

/// An ensemble of one step of a built-in model.
pub(crate) fn over(model: &str, tensors: &[(&str, &str)], ends: &str) -> String {
    let [inputs, outputs] = ["IN", "OUT"].map(|kind| {
        let field = if kind == "IN" { "input_map" } else { "output_map" };
        let of_kind = tensors.iter().filter(|(own, _)| *own == kind);
        of_kind
            .map(|(_, name)| format!("{field} {{ key: '{name}' value: '{name}' }} "))
            .collect::<String>()
    });
    format!(
        "platform: 'ensemble' {ends} ensemble_scheduling {{ step {{ model_name: '{model}' model_version: -1 {inputs} {outputs} }} }}"
    )
}

#[test]
fn strings_that_are_not_utf8_pass() {
    let ends = "input { name: 'x' data_type: TYPE_STRING dims: -1 } output { name: 'y' data_type: TYPE_STRING dims: -1 }";
    let bench = Bench::new(|folder| {
        ensemble(folder, "id", &format!("backend: 'identity' {ends}"));
        ensemble(folder, "e", &over("id", &[("IN", "x"), ("OUT", "y")], ends));
    });
    bench.load("e").unwrap();
    let strings: &[u8] = &[2, 0, 0, 0, 0xff, 0xfe, 0, 0, 0, 0];
    let input = tensor("x", DataType::String, &[2], strings.to_vec());
    let answer =
        bench.infer("e", InferRequest { inputs: vec![input], ..Default::default() }).unwrap();
    assert_eq!(answer.outputs[0].data, Some(Bytes::from_static(strings)));
    let short = tensor("x", DataType::String, &[1], strings.to_vec());
    let fault =
        bench.infer("e", InferRequest { inputs: vec![short], ..Default::default() }).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidArg);
}

#[test]
fn a_decoupled_step_makes_a_decoupled_ensemble() {
    let inputs = "input { name: 'IN' data_type: TYPE_INT32 dims: -1 } input { name: 'DELAY' data_type: TYPE_UINT32 dims: -1 } \
                  input { name: 'WAIT' data_type: TYPE_UINT32 dims: 1 }";
    let outputs = "output { name: 'OUT' data_type: TYPE_INT32 dims: 1 } output { name: 'IDX' data_type: TYPE_UINT32 dims: 1 }";
    let bench = Bench::new(|folder| {
        let policy = "model_transaction_policy { decoupled: true }";
        ensemble(folder, "repeat", &format!("backend: 'repeat' {policy} {inputs} {outputs}"));
        let ends = "input { name: 'OUT' data_type: TYPE_INT32 dims: 1 } output { name: 'COPY' data_type: TYPE_INT32 dims: 1 }";
        ensemble(folder, "copy", &format!("backend: 'identity' {ends}"));
        let outputs = "output { name: 'COPY' data_type: TYPE_INT32 dims: 1 } output { name: 'IDX' data_type: TYPE_UINT32 dims: 1 }";
        let maps = [("IN", "IN"), ("IN", "DELAY"), ("IN", "WAIT"), ("OUT", "OUT"), ("OUT", "IDX")];
        let config = over("repeat", &maps, &format!("{inputs} {outputs}"));
        let copy = "step { model_name: 'copy' model_version: -1 input_map { key: 'OUT' value: 'OUT' } output_map { key: 'COPY' value: 'COPY' } } }";
        ensemble(folder, "e", &format!("{} {copy}", config.trim_end().strip_suffix('}').unwrap()));
        ensemble(folder, "mixed", &format!("{} {}", config.trim_end().strip_suffix('}').unwrap(),
            copy.replace("'copy'", "'repeat'").replace("input_map { key: 'OUT' value: 'OUT' }",
            "input_map { key: 'IN' value: 'OUT' } input_map { key: 'DELAY' value: 'DELAY' } input_map { key: 'WAIT' value: 'WAIT' }").replace("key: 'COPY'", "key: 'OUT'")));
    });
    bench.load("e").unwrap();
    let model = bench.repository.model("e", None).unwrap();
    assert!(model.is_decoupled());
    assert!(model.config_json().contains("\"decoupled\":true"));
    let words = |name: &str, data_type, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        tensor(name, data_type, &[words.len() as i64], bytes)
    };
    let request = |delays: &[u32]| InferRequest {
        inputs: vec![
            words("IN", DataType::Int32, &[7, 8, 9]),
            words("DELAY", DataType::Uint32, delays),
            words("WAIT", DataType::Uint32, &[0]),
        ],
        ..Default::default()
    };
    let mut replies = bench.replies("e", request(&[0, 5, 0])).unwrap();
    let end = replies.pop().unwrap();
    assert!(end.is_last && end.answer.is_none());
    assert_eq!(replies.len(), 3);
    for (at, reply) in (0u32..).zip(&replies) {
        let outputs = &reply.answer.as_ref().unwrap().as_ref().unwrap().outputs;
        let found: Vec<(&str, &[u8])> =
            outputs.iter().map(|output| (&*output.name, output.data.as_deref().unwrap())).collect();
        assert_eq!(found, [("COPY", &(7 + at).to_le_bytes()[..]), ("IDX", &at.to_le_bytes()[..])]);
        assert!(!reply.is_last);
    }
    let counted = bench.repository.statistics(Some("e"), None).unwrap().remove(0);
    assert_eq!((counted.requests.success.count, counted.inference_count), (1, 1));
    assert!(counted.responses.is_empty());
    // A client that leaves ends the answers.
    let (sender, receiver) = std::sync::mpsc::channel();
    let replies = Box::new(move |reply| sender.send(reply).unwrap());
    let ticket = model.infer(request(&[0, 60_000, 0]), &Regions::default(), replies);
    let first = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
    assert!(!first.is_last);
    ticket.cancel();
    let last = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(last.answer.unwrap().unwrap_err().code, ErrorCode::Cancelled);
    assert_eq!(
        failed(&bench, "mixed"),
        "load failed for model 'mixed': in ensemble mixed, step of model 'repeat' receives inputs originated from different \
         decoupled models\n"
    );
}

#[test]
fn outputs_without_labels_have_those_of_the_steps_model() {
    let config = "input { name: 'x' data_type: TYPE_FP32 dims: 2 } max_batch_size: 4
                  output { name: 'y' data_type: TYPE_FP32 dims: 2 label_filename: 'names.txt' }";
    let bench = Bench::new(|folder| {
        put(folder, "neg", 1, "Neg");
        put(folder, "abs", 1, "Abs");
        let files: [(&str, &[u8]); 2] =
            [("config.pbtxt", config.as_bytes()), ("names.txt", b"left\nright\n")];
        write(&folder.join("abs"), &files);
        ensemble(folder, "inner", &chain("neg", "abs"));
        ensemble(folder, "outer", &chain("inner", "inner"));
        ensemble(folder, "unnamed", &chain("abs", "neg"));
        let own = chain("neg", "abs").replacen(
            "name: 'y' data_type",
            "label_filename: 'own.txt' name: 'y' data_type",
            1,
        );
        ensemble(folder, "own", &own);
        write(&folder.join("own"), &[("own.txt", b"one\ntwo\n")]);
    });
    let class = |name: &str| {
        bench.load(name).unwrap();
        let outputs = vec![InferOutput { name: "y".into(), classes: 1, ..Default::default() }];
        let inputs = vec![floats("x", &[1, 2], &[-1.0, 2.0])];
        let request = InferRequest { inputs, outputs, ..Default::default() };
        let answer = bench.infer(name, request).unwrap();
        String::from_utf8(answer.outputs[0].data.as_ref().unwrap()[4..].to_vec()).unwrap()
    };
    assert_eq!(class("inner"), "2.000000:1:right");
    assert_eq!(class("outer"), "2.000000:1:right", "through an ensemble");
    assert_eq!(class("own"), "2.000000:1:two");
    assert_eq!(class("unnamed"), "-1.000000:0", "labels belong to one output");
}

#[test]
fn steps_that_no_output_needs_do_not_run_and_errors_name_the_ensemble() {
    let bench = Bench::new(|folder| {
        put(folder, "neg", 1, "Neg");
        put(folder, "abs", 1, "Abs");
        let both = chain("abs", "neg")
            .replace("input_map { key: 'x' value: 'p' }", "input_map { key: 'x' value: 'x' }")
            .replace(
                "ensemble_scheduling",
                "output { name: 'p' data_type: TYPE_FP32 dims: 2 } ensemble_scheduling",
            );
        ensemble(folder, "both", &both);
        ensemble(folder, "loose", &chain("abs", "neg").replace("dims: 2", "dims: -1"));
    });
    bench.load("both").unwrap();
    bench.load("loose").unwrap();
    let outputs = vec![InferOutput { name: "p".into(), ..Default::default() }];
    let inputs = vec![floats("x", &[1, 2], &[-1.0, 2.0])];
    let answer =
        bench.infer("both", InferRequest { inputs, outputs, ..Default::default() }).unwrap();
    assert_eq!(answer.outputs.len(), 1);
    let counted = bench.repository.statistics(Some("neg"), None).unwrap().remove(0);
    assert_eq!(counted.requests.success.count, 0);
    let inputs = vec![floats("x", &[1, 3], &[1.0, 2.0, 3.0])];
    let fault = bench
        .infer("loose", InferRequest { id: "q".into(), inputs, ..Default::default() })
        .unwrap_err();
    let start = "in ensemble 'loose', [request id: q] unexpected shape for input 'x' for model 'abs'. Expected [-1,2], got [1,3]. NOTE: ";
    assert!(fault.code == ErrorCode::InvalidArg && fault.text.starts_with(start), "{}", fault.text);
    let counted = bench.repository.statistics(Some("loose"), None).unwrap().remove(0);
    assert_eq!((counted.requests.fail.count, counted.failures.other), (1, 1));
}
