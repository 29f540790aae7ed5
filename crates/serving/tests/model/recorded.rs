//! The models of the recordings of a server, which are not part of the repository; see `golden.rs`.

use crate::models::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;
use trident_onnx::files::Disk;
use trident_serving::{
    Clock, Correlation, DataType, ErrorCode, InferenceRequest, Input, ManualClock, ModelConfig,
    Part, ScheduledModel, Scheduler, Sequence, ServedModel,
};

fn model(name: &str) -> Option<ServedModel> {
    configured(name).map(|(model, _)| model)
}

fn configured(name: &str) -> Option<(ServedModel, ModelConfig)> {
    let named = std::env::var_os("TRIDENT_SERVER_GOLDEN").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/server-golden");
    let folder = named.unwrap_or(beside).join("models").join(name);
    let asked = std::env::var_os("TRIDENT_SERVER_GOLDEN").is_some();
    if !asked && !folder.is_dir() {
        println!("skipped: there are no recordings of a server");
        return None;
    }
    let text = std::fs::read_to_string(folder.join("config.pbtxt")).unwrap();
    let (file, config) = completed(&text, &Disk::repository(&folder.join("1"))).unwrap();
    let model = ServedModel::new(file, &config, &hardware(), &mut |_, _| {}).unwrap();
    Some((model, config))
}

#[test]
fn sums_and_differences() {
    let Some(model) = model("simple") else { return };
    let a: Vec<i32> = (0..16).collect();
    let data = [bytes(&a), bytes(&[1i32; 16])];
    let of = |name, at: usize| input(name, DataType::Int32, &[1, 16], &[&data[at]]);
    let requests = [(0, 1), (1, 0)]
        .map(|(first, second)| request(vec![of("INPUT0", first), of("INPUT1", second)]));
    let responses = model.execute(requests).responses;
    let outputs = |at: usize| &responses[at].as_ref().unwrap().outputs;
    let sum: Vec<i32> = a.iter().map(|a| a + 1).collect();
    let difference: Vec<i32> = a.iter().map(|a| a - 1).collect();
    let opposite: Vec<i32> = a.iter().map(|a| 1 - a).collect();
    assert_eq!([&outputs(0)[0].data, &outputs(1)[0].data], [&bytes(&sum), &bytes(&sum)]);
    assert_eq!(
        [&outputs(0)[1].data, &outputs(1)[1].data],
        [&bytes(&difference), &bytes(&opposite)]
    );
}

#[test]
fn numbers_as_texts() {
    let Some(model) = model("simple_string") else { return };
    let texts: Vec<String> = (0..16).map(|n: i32| (n * 3).to_string()).collect();
    let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let data = [strings(&texts), strings(&[b"1" as &[u8]; 16])];
    let of = |name, at: usize| input(name, DataType::String, &[1, 16], &[&data[at]]);
    let response = answer(&model, request(vec![of("INPUT0", 0), of("INPUT1", 1)])).unwrap();
    let sums: Vec<String> = (0..16).map(|n: i32| (n * 3 + 1).to_string()).collect();
    let sums: Vec<&[u8]> = sums.iter().map(String::as_bytes).collect();
    assert_eq!(response.outputs[0].data, strings(&sums));
}

#[test]
fn sequences_with_controls() {
    let Some(model) = model("simple_sequence") else { return };
    let data = [5i32, 7, 1, 0].map(|value| bytes(&[value]));
    let made = |value: usize, start: usize, ready: usize| {
        let of = |name, at: usize| input(name, DataType::Int32, &[1, 1], &[&data[at]]);
        request(vec![of("INPUT", value), of("START", start), of("READY", ready)])
    };
    let requests: [InferenceRequest<'_>; 3] = [made(0, 2, 2), made(1, 3, 2), made(1, 2, 3)];
    let responses = model.execute(requests).responses;
    let values = responses.iter().map(|r| r.as_ref().unwrap().outputs[0].data.to_vec());
    assert_eq!(values.collect::<Vec<_>>(), [6i32, 7, 0].map(|value| bytes(&[value])));
}

/// A recorded request with one number, of a sequence.
struct Recorded {
    case: String,
    model: String,
    value: i32,
    sequence: Sequence,
    /// The answer's number, or the error's text.
    answer: Result<i32, String>,
    /// The answer of a newer server, if it is another one.
    newer: String,
}

/// A request over HTTP; `None` if its parameters are not those of a sequence, which the protocol's reader refuses.
fn over_http(line: &serde_json::Value) -> Option<Recorded> {
    let request = &line["request"];
    let body: serde_json::Value = serde_json::from_str(request["body"].as_str()?).ok()?;
    let parameters = &body["parameters"];
    let id = match &parameters["sequence_id"] {
        serde_json::Value::Null => Correlation::default(),
        serde_json::Value::String(text) => Correlation::Text(text.clone()),
        number => Correlation::Number(number.as_u64()?),
    };
    let flag = |name: &str| match &parameters[name] {
        serde_json::Value::Null => Some(false),
        value => value.as_bool(),
    };
    let sequence = Sequence { id, start: flag("sequence_start")?, end: flag("sequence_end")? };
    let answer: serde_json::Value =
        serde_json::from_str(line["response"]["body"].as_str()?).ok()?;
    let number = &answer["outputs"][0]["data"][0];
    Some(Recorded {
        case: line["case"].as_str()?.to_owned(),
        model: request["path"].as_str()?.split('/').nth(3)?.to_owned(),
        value: body["inputs"][0]["data"][0].as_i64()?.try_into().ok()?,
        sequence,
        answer: match number.as_i64() {
            Some(number) => Ok(number.try_into().ok()?),
            None => Err(answer["error"].as_str()?.to_owned()),
        },
        newer: line["head"].as_str().unwrap_or_default().to_owned(),
    })
}

/// A scheduler and its clock.
struct Bench {
    scheduler: Scheduler,
    clock: Arc<ManualClock>,
}

fn submit(bench: &Bench, model: &ScheduledModel, asked: &Recorded) -> Result<i32, String> {
    let data = vec![Part::Shared(bytes(&[asked.value]).into())];
    let name = "INPUT".into();
    let input = Input { name, data_type: DataType::Int32, shape: vec![1, 1], data };
    let (sender, answers) = channel();
    let request = InferenceRequest { sequence: asked.sequence.clone(), ..request(vec![input]) };
    model.submit(request, move |answer| drop(sender.send(answer)));
    while bench.scheduler.run_next() {}
    // One of the models waits for more requests, for 10 ms.
    bench.clock.advance(Duration::from_millis(10));
    while bench.scheduler.run_next() {}
    let answer = answers.try_recv().unwrap();
    answer
        .map(|response| i32::from_le_bytes(response.outputs[0].data[..].try_into().unwrap()))
        .map_err(|error| {
            assert_eq!(error.code(), ErrorCode::InvalidArg);
            error.to_string()
        })
}

#[test]
fn sequences_are_answered_as_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/server/http.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    let clock = Arc::new(ManualClock::new());
    let scheduler = Scheduler::new(1, Arc::clone(&clock) as Arc<dyn Clock>);
    let bench = Bench { scheduler, clock };
    let names = ["simple_sequence", "simple_dyna_sequence"];
    let models = names.map(|name| {
        let (model, config) = configured(name)?;
        Some(bench.scheduler.add(Arc::new(model), &config).unwrap())
    });
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    let is_sequence = |recorded: &Recorded| {
        ["seq_", "dyna_"].iter().any(|prefix| recorded.case.starts_with(prefix))
    };
    let mut replayed = 0;
    for recorded in lines.filter_map(|line| over_http(&line)).filter(is_sequence) {
        let at = names.iter().position(|name| *name == recorded.model).unwrap();
        let Some(model) = &models[at] else { return };
        let mut answer = submit(&bench, model, &recorded);
        if let Err(error) = &answer
            && recorded.newer.contains(error)
        {
            answer = recorded.answer.clone();
        }
        assert_eq!(answer, recorded.answer, "{}", recorded.case);
        replayed += 1;
    }
    assert_eq!(replayed, 12);
}
