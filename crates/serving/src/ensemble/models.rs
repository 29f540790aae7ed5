//! Models of threads that meet at an ensemble's request: its steps and its client (`cargo xtask sanitize models`).
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::*;
use crate::batch::{Input, Output, Part};
use crate::config::DataType;
use crate::sync::Mutex;
use shuttle::{check_pct, check_random, thread};

const SCHEDULES: usize = 500;

/// A model whose answers come from a thread of their own: the sum of its inputs.
struct Sum(ModelConfig);

struct Nothing;

impl Cancel for Nothing {
    fn cancel(&self) {}
}

fn number(input: &Input<'_>) -> i32 {
    match &*input.data {
        [Part::Shared(bytes)] => i32::from_le_bytes(bytes[..].try_into().unwrap()),
        other => panic!("{other:?}"),
    }
}

impl StepModel for Sum {
    fn config(&self) -> &ModelConfig {
        &self.0
    }

    fn version(&self) -> u64 {
        1
    }

    fn submit(
        &self,
        _: &str,
        asked: InferenceRequest<'static>,
        mut reply: StepReply,
    ) -> Box<dyn Cancel> {
        thread::spawn(move || {
            let sum: i32 = asked.inputs.iter().map(number).sum();
            let data = sum.to_le_bytes().to_vec().into();
            let (name, data_type, shape) = ("y".into(), DataType::Int32, vec![1]);
            let mut response = Response::default();
            response.outputs.push(Output { at: 0, name, data_type, shape, data });
            reply(StepAnswer::only(Ok(response)));
        });
        Box::new(Nothing)
    }
}

struct Models(Vec<Arc<dyn StepModel>>);

impl StepModels for Models {
    fn find(&self, name: &str, _: i64) -> Result<Arc<dyn StepModel>, Fault> {
        Ok(Arc::clone(self.0.iter().find(|model| model.config().name == name).unwrap()))
    }
}

fn model(name: &str, inputs: &[&str]) -> Arc<dyn StepModel> {
    let ends = inputs
        .iter()
        .map(|name| format!("input {{ name: '{name}' data_type: TYPE_INT32 dims: 1 }}"));
    let ends: String = ends.collect();
    let text =
        format!("name: '{name}' {ends} output {{ name: 'y' data_type: TYPE_INT32 dims: 1 }}");
    Arc::new(Sum(ModelConfig::from_text(&text).unwrap()))
}

/// `Y = X + X`, by two copies of `X`.
fn ensemble() -> Arc<Ensemble> {
    let step = |model: &str, inputs: &[(&str, &str)], output: &str| {
        let map =
            |(key, value): &(&str, &str)| format!("input_map {{ key: '{key}' value: '{value}' }}");
        let inputs: String = inputs.iter().map(map).collect();
        format!(
            "step {{ model_name: '{model}' {inputs} output_map {{ key: 'y' value: '{output}' }} }}"
        )
    };
    let steps = [
        step("copy", &[("x", "X")], "P"),
        step("copy", &[("x", "X")], "Q"),
        step("sum", &[("a", "P"), ("b", "Q")], "Y"),
    ];
    let text = format!(
        "name: 'e' platform: 'ensemble'
         input {{ name: 'X' data_type: TYPE_INT32 dims: 1 }} output {{ name: 'Y' data_type: TYPE_INT32 dims: 1 }}
         ensemble_scheduling {{ {} max_inflight_requests: 1 }}",
        steps.concat()
    );
    let models = Models(vec![model("copy", &["x"]), model("sum", &["a", "b"])]);
    let config = ModelConfig::from_text(&text).unwrap();
    Arc::new(Ensemble::new(config, Arc::new(models)).unwrap())
}

fn meet() {
    let ensemble = ensemble();
    let answers = Arc::new(Mutex::new(vec![]));
    let ask = |number: i32| {
        let data = vec![Part::Shared(number.to_le_bytes().to_vec().into())];
        let input = Input { name: "X".into(), data_type: DataType::Int32, shape: vec![1], data };
        let request = InferenceRequest { inputs: vec![input], ..InferenceRequest::default() };
        let answers = Arc::clone(&answers);
        ensemble.submit("", request, move |answer| {
            let sum = answer.answer.unwrap().map(|response| response.outputs[0].data[0]);
            answers.lock().unwrap().push((number, sum));
        })
    };
    let tickets = [1, 2, 3].map(ask);
    let [_, second, _] = tickets;
    let client = thread::spawn(move || second.cancel());
    while answers.lock().unwrap().len() < 3 {
        thread::yield_now();
    }
    client.join().unwrap();
    let mut answers = answers.lock().unwrap();
    answers.sort_by_key(|(number, _)| *number);
    for (number, (asked, sum)) in (1..).zip(&*answers) {
        assert_eq!(*asked, number);
        let is_cancelled = number == 2 && *sum == Err(RequestError::Cancelled);
        assert!(is_cancelled || *sum == Ok(2 * number as u8), "{number}: {sum:?}");
    }
}

#[test]
fn a_request_is_answered_once_by_its_last_step_or_its_client() {
    check_random(meet, SCHEDULES);
    check_pct(meet, SCHEDULES, 3);
}
