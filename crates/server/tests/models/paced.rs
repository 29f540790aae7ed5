//! Ensembles whose steps, or whose clients, are slower than the answers of a decoupled step.

use std::time::Duration;

use trident_server::infer::{InferRequest, Reading};
use trident_server::memory::Regions;
use trident_serving::{Cancel, DataType, ErrorCode};

use crate::bench::*;
use crate::ensembles::{ensemble, over};

/// An ensemble `e` that copies the answers of `square`, by a model whose runs take this time.
fn copies_of_squares(delay: &str) -> Bench {
    let number = |kind: &str, name: &str| {
        format!("{kind} {{ name: '{name}' data_type: TYPE_INT32 dims: 1 }}")
    };
    let ends = |from: &str, to: &str| format!("{} {}", number("input", from), number("output", to));
    let step = |model: &str, from: &str, to: &str| {
        format!(
            "step {{ model_name: '{model}' model_version: -1 input_map {{ key: '{from}' value: '{from}' }} \
             output_map {{ key: '{to}' value: '{to}' }} }}"
        )
    };
    Bench::new(|folder| {
        let policy = "model_transaction_policy { decoupled: true }";
        ensemble(folder, "square", &format!("backend: 'square' {policy} {}", ends("IN", "OUT")));
        let delay =
            format!("parameters {{ key: 'execute_delay_ms' value {{ string_value: '{delay}' }} }}");
        let one = "instance_group { kind: KIND_CPU count: 1 }";
        ensemble(
            folder,
            "copy",
            &format!("backend: 'identity' {one} {delay} {}", ends("OUT", "COPY")),
        );
        let steps = [step("square", "IN", "OUT"), step("copy", "OUT", "COPY")].concat();
        let scheduling = format!("ensemble_scheduling {{ {steps} }}");
        ensemble(folder, "e", &format!("platform: 'ensemble' {} {scheduling}", ends("IN", "COPY")));
    })
}

fn square(n: i32) -> InferRequest {
    let input = tensor("IN", DataType::Int32, &[1], n.to_le_bytes().to_vec());
    InferRequest { inputs: vec![input], ..Default::default() }
}

#[test]
fn a_decoupled_step_waits_for_the_steps_after_it() {
    let bench = copies_of_squares("60000");
    bench.load("e").unwrap();
    let model = bench.repository.model("e", None).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let replies = Box::new(move |reply| sender.send(reply).unwrap());
    let ticket = model.infer(square(5000), &Regions::default(), replies);
    let pending = || bench.repository.statistics(Some("copy"), None).unwrap().remove(0).pending;
    let start = std::time::Instant::now();
    while pending() < 20 && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(100));
    let pending = pending();
    ticket.cancel();
    assert!((20..=32).contains(&pending), "{pending}");
    let last = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(last.answer.unwrap().unwrap_err().code, ErrorCode::Cancelled);
}

/// A client that reads nothing stops the model of the answers, also through an ensemble of the ensemble.
#[test]
fn a_decoupled_ensemble_waits_for_its_client() {
    let ends = "input { name: 'IN' data_type: TYPE_INT32 dims: 1 } output { name: 'COPY' data_type: TYPE_INT32 dims: 1 }";
    for name in ["e", "outer", "outmost"] {
        let bench = copies_of_squares("0");
        for (outer, inner) in [("outer", "e"), ("outmost", "outer")] {
            let maps = [("IN", "IN"), ("OUT", "COPY")];
            ensemble(&bench.path(""), outer, &over(inner, &maps, ends));
        }
        bench.load(name).unwrap();
        let model = bench.repository.model(name, None).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let replies = Box::new(move |reply| drop(sender.send(reply)));
        let reading = Reading::default();
        let request = InferRequest { pace: Some(reading.pace()), ..square(3000) };
        let ticket = model.infer(request, &Regions::default(), replies);
        let (mut before, mut count, start) = (0, 0, std::time::Instant::now());
        while count < 32 || count != before {
            assert!(start.elapsed() < Duration::from_secs(60), "{name}: {count} answers");
            std::thread::sleep(Duration::from_millis(200));
            (before, count) = (count, count + receiver.try_iter().count());
        }
        // Each of the levels and steps may have as many on the way.
        assert!((32..32 * 8).contains(&count), "{name}: {count} answers");
        assert!(bench.repository.suspended_runs() > 0, "{name}");
        (0..count).for_each(|_| reading.read());
        loop {
            let reply = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
            if reply.is_last {
                break;
            }
            count += 1;
            reading.read();
        }
        assert_eq!(count, 3000, "{name}");
        drop(ticket);
        assert_eq!(bench.repository.suspended_runs(), 0, "{name}");
    }
}

#[test]
fn a_decoupled_step_gives_all_answers_in_the_end() {
    for (delay, count) in [("0", 3000), ("1", 100)] {
        let bench = copies_of_squares(delay);
        bench.load("e").unwrap();
        let replies = bench.replies("e", square(count)).unwrap();
        assert_eq!(replies.len() as i32, count + 1);
        let (last, answers) = replies.split_last().unwrap();
        assert!(last.is_last && last.answer.is_none());
        assert!(answers.iter().all(|reply| reply.answer.as_ref().unwrap().is_ok()));
    }
}
