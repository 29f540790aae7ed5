//! Models without a file.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use trident_server::infer::{Fault, InferInput, InferRequest, Reply, RunTicket};
use trident_server::memory::Regions;
use trident_serving::{Cancel, Correlation, DataType, ErrorCode, Sequence};

use crate::bench::*;

const REPEAT: &str = "backend: \"repeat\" model_transaction_policy { decoupled: true } \
    input { name: \"IN\" data_type: TYPE_INT32 dims: [ -1 ] } input { name: \"DELAY\" data_type: TYPE_UINT32 dims: [ -1 ] } \
    input { name: \"WAIT\" data_type: TYPE_UINT32 dims: [ 1 ] } \
    output { name: \"OUT\" data_type: TYPE_INT32 dims: [ 1 ] } output { name: \"IDX\" data_type: TYPE_UINT32 dims: [ 1 ] }";

fn bench(config: &str) -> Bench {
    Bench::new(|folder| {
        write(&folder.join("m"), &[("config.pbtxt", config.as_bytes()), ("1/none", b"")]);
    })
}

fn words(name: &str, data_type: DataType, words: &[u32]) -> InferInput {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    tensor(name, data_type, &[words.len() as i64], bytes)
}

fn repeat(values: &[u32], delays: &[u32]) -> InferRequest {
    let inputs = vec![
        words("WAIT", DataType::Uint32, &[0]),
        words("IN", DataType::Int32, values),
        words("DELAY", DataType::Uint32, delays),
    ];
    InferRequest { id: "r".into(), inputs, ..Default::default() }
}

#[test]
fn repeat_answers_with_each_element_and_then_ends() {
    let bench = bench(REPEAT);
    bench.load("m").unwrap();
    assert!(bench.repository.model("m", None).unwrap().is_decoupled());
    let start = Instant::now();
    let request = InferRequest { is_timed: true, ..repeat(&[7, 8, 9], &[0, 20, 30]) };
    let mut replies = bench.replies("m", request).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(50), "delays add up");
    let end = replies.pop().unwrap();
    assert!(end.is_last && end.answer.is_none());
    for (at, reply) in replies.iter().enumerate() {
        let answer = reply.answer.as_ref().unwrap().as_ref().unwrap();
        let outputs: Vec<(&str, &[u8])> = answer
            .outputs
            .iter()
            .map(|output| (&*output.name, output.data.as_deref().unwrap()))
            .collect();
        let (value, index) = ((7 + at as u32).to_le_bytes(), (at as u32).to_le_bytes());
        assert_eq!(outputs, [("OUT", &value[..]), ("IDX", &index[..])]);
        assert!(!reply.is_last && answer.id == "r");
        let least = Duration::from_millis([0, 20, 50][at]);
        assert!(answer.timing.as_ref().is_some_and(|timing| timing.run >= least), "{at}");
    }
    assert_eq!(replies.len(), 3);
    assert_eq!(bench.replies("m", repeat(&[], &[])).unwrap().len(), 1, "only the end");
    let fault = bench.replies("m", repeat(&[1, 2], &[0])).unwrap().pop().unwrap();
    let text = fault.answer.unwrap().unwrap_err().text;
    assert_eq!(text, "expected as many elements of 'DELAY' as of 'IN', got 1 and 2");
    let counted = bench.repository.statistics(Some("m"), None).unwrap().remove(0);
    assert_eq!((counted.requests.success.count, counted.execution_count), (2, 2));
    let responses: Vec<(u64, u64, u64)> = counted
        .responses
        .iter()
        .map(|(at, tallies)| (*at, tallies.success.count, tallies.empty_response.count))
        .collect();
    assert_eq!(responses, [(0, 1, 1), (1, 1, 0), (2, 1, 0), (3, 0, 1)]);
}

#[test]
fn identity_waits_as_its_parameter_says() {
    let config = |more: &str| {
        format!(
            "max_batch_size: 4 backend: \"identity\" input {{ name: \"x\" data_type: TYPE_FP32 dims: [ 2 ] }} \
             output {{ name: \"y\" data_type: TYPE_FP32 dims: [ 2 ] }} {more}"
        )
    };
    let delay = "parameters { key: \"execute_delay_ms\" value { string_value: \"30\" } }";
    let bench = bench(&config(delay));
    bench.load("m").unwrap();
    let start = Instant::now();
    assert_eq!(bench.ask("m", &[1.0, 2.0]), Ok(vec![1.0, 2.0]));
    assert!(start.elapsed() >= Duration::from_millis(30));
    let json = bench.repository.model("m", None).unwrap().config_json().to_owned();
    assert!(json.contains("\"backend\":\"identity\"") && json.contains("KIND_CPU"), "{json}");
    for (more, expected) in [
        ("output { name: \"z\" data_type: TYPE_FP32 dims: [ 2 ] }", "an output for each input"),
        (&*delay.replace("30", "soon"), "is 'soon', and a whole number is expected"),
        ("model_transaction_policy { decoupled: true }", "remove 'decoupled'"),
    ] {
        write(&bench.path("m"), &[("config.pbtxt", config(more).as_bytes())]);
        let text = bench.load("m").unwrap_err().text;
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn square_answers_a_number_so_many_times() {
    let config = |more: &str| {
        format!(
            "backend: \"square\" model_transaction_policy {{ decoupled: true }} \
             input {{ name: \"IN\" data_type: TYPE_INT32 dims: [ 1 ] }} output {{ name: \"OUT\" data_type: TYPE_INT32 dims: [ 1 ] }} {more}"
        )
    };
    let bench = bench(&config(""));
    bench.load("m").unwrap();
    let square = |n: u32| InferRequest {
        inputs: vec![words("IN", DataType::Int32, &[n])],
        ..Default::default()
    };
    for n in [0, 1, 5] {
        let mut replies = bench.replies("m", square(n)).unwrap();
        assert!(replies.pop().unwrap().answer.is_none());
        assert_eq!(replies.len(), n as usize);
        for reply in replies {
            let outputs = reply.answer.unwrap().unwrap().outputs;
            assert_eq!(outputs[0].data.as_deref(), Some(&n.to_le_bytes()[..]));
        }
    }
    let failing = "parameters { key: \"CUSTOM_FAIL_COUNT\" value { string_value: \"2\" } } \
        parameters { key: \"CUSTOM_EMPTY_COUNT\" value { string_value: \"1\" } }";
    write(&bench.path("m"), &[("config.pbtxt", config(failing).as_bytes())]);
    bench.load("m").unwrap();
    let replies = bench.replies("m", square(5)).unwrap();
    let answers = replies.iter().map(|reply| reply.answer.as_ref().map(Result::is_ok));
    let answers: Vec<Option<bool>> = answers.collect();
    assert_eq!(answers, [Some(true), Some(true), Some(false), Some(false), None]);
    let failure = replies[3].answer.as_ref().unwrap().as_ref().unwrap_err();
    assert_eq!((failure.code, &*failure.text), (ErrorCode::Unknown, "simulated failure"));
    let counted = bench.repository.statistics(Some("m"), None).unwrap().remove(0);
    let kinds = counted
        .responses
        .values()
        .map(|own| [own.success, own.fail, own.empty_response].map(|tally| tally.count));
    let expected = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]];
    assert!(kinds.eq(expected), "{:?}", counted.responses);
    write(
        &bench.path("m"),
        &[(
            "config.pbtxt",
            config("max_batch_size: 0 input { name: \"X\" data_type: TYPE_INT32 dims: [ 1 ] }")
                .as_bytes(),
        )],
    );
    let text = bench.load("m").unwrap_err().text;
    assert!(text.contains("must have one input, 'IN'"), "{text}");
}

#[test]
fn steps_that_give_nothing_leave_others_their_turn() {
    let most = i32::MAX as u32;
    let bench = bench(&format!(
        "backend: \"square\" model_transaction_policy {{ decoupled: true }} instance_group {{ kind: KIND_CPU count: 1 }} \
         input {{ name: \"IN\" data_type: TYPE_INT32 dims: [ 1 ] }} output {{ name: \"OUT\" data_type: TYPE_INT32 dims: [ 1 ] }} \
         parameters {{ key: \"CUSTOM_EMPTY_COUNT\" value {{ string_value: \"{most}\" }} }}"
    ));
    bench.load("m").unwrap();
    let square = |n: u32| InferRequest {
        inputs: vec![words("IN", DataType::Int32, &[n])],
        ..Default::default()
    };
    let (endless, endless_reply) = submit(&bench, square(most));
    let (_, reply) = submit(&bench, square(1));
    let second = reply.recv_timeout(Duration::from_secs(10));
    let first = endless_reply.try_recv();
    endless.cancel();
    assert!(second.unwrap().is_last, "the first one keeps the instance");
    assert!(first.is_err(), "it goes on");
    let counted = bench.repository.statistics(Some("m"), None).unwrap().remove(0);
    assert!(counted.responses.len() <= 1024);
}

#[test]
fn a_client_that_leaves_and_a_deadline_end_a_request() {
    let config = "backend: \"identity\" input { name: \"x\" data_type: TYPE_FP32 dims: [ 1 ] } \
        output { name: \"y\" data_type: TYPE_FP32 dims: [ 1 ] } \
        parameters { key: \"execute_delay_ms\" value { string_value: \"60000\" } }";
    let bench = bench(config);
    bench.load("m").unwrap();
    let model = bench.repository.model("m", None).unwrap();
    let request = |deadline| InferRequest {
        inputs: vec![floats("x", &[1], &[1.0])],
        deadline,
        ..Default::default()
    };
    let start = Instant::now();
    let (sender, receiver) = mpsc::channel();
    let replies = Box::new(move |reply| drop(sender.send(reply)));
    let ticket = model.infer(request(None), &Regions::default(), replies);
    assert!(receiver.try_recv().is_err());
    ticket.cancel();
    let last = receiver.try_recv().unwrap();
    assert_eq!(last.answer.unwrap().unwrap_err().code, ErrorCode::Cancelled);
    assert!(receiver.recv().is_err(), "nothing follows");
    let late = bench.infer("m", request(Some(start + Duration::from_millis(30))));
    assert_eq!(late.unwrap_err().text, "Request timeout expired");
    assert!(start.elapsed() < Duration::from_secs(30));
    let counted = bench.repository.statistics(Some("m"), None).unwrap().remove(0);
    assert_eq!((counted.failures.cancelled, counted.failures.rejected), (1, 1));
    assert_eq!((counted.requests.success.count, counted.requests.fail.count), (0, 2));
}

#[test]
fn requests_that_wait_are_answered_when_the_server_closes() {
    let bench = bench(REPEAT);
    bench.load("m").unwrap();
    let start = Instant::now();
    let replies = std::thread::scope(|scope| {
        let client = scope.spawn(|| bench.replies("m", repeat(&[1, 2], &[0, 4_000_000_000])));
        std::thread::sleep(Duration::from_millis(50));
        bench.repository.close();
        client.join().unwrap().unwrap()
    });
    assert!(start.elapsed() < Duration::from_secs(30));
    let last = replies.last().unwrap();
    assert_eq!(last.answer.as_ref().unwrap().as_ref().unwrap_err().text, "Server exiting");
}

/// Submits a request to model `m`, whose answers come from the receiver.
fn submit(bench: &Bench, request: InferRequest) -> (RunTicket, mpsc::Receiver<Reply>) {
    let model = bench.repository.model("m", None).unwrap();
    let (sender, receiver) = mpsc::channel();
    let replies = Box::new(move |reply| drop(sender.send(reply)));
    (model.infer(request, &Regions::default(), replies), receiver)
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn requests_wait_in_the_queue_that_the_configuration_describes() {
    let config = "max_batch_size: 2 backend: \"identity\" input { name: \"x\" data_type: TYPE_FP32 dims: [ 1 ] } \
        output { name: \"y\" data_type: TYPE_FP32 dims: [ 1 ] } \
        parameters { key: \"execute_delay_ms\" value { string_value: \"60000\" } } \
        dynamic_batching { priority_levels: 2 default_priority_level: 2 \
          default_queue_policy { max_queue_size: 2 default_timeout_microseconds: 50000 allow_timeout_override: true } \
          priority_queue_policy { key: 1 value { max_queue_size: 1 } } }";
    let bench = bench(config);
    bench.load("m").unwrap();
    let request = |priority| {
        let inputs = vec![floats("x", &[1, 1], &[1.0])];
        let mut request = InferRequest { inputs, ..Default::default() };
        request.parameters.priority = priority;
        request
    };
    let statistics = || bench.repository.statistics(Some("m"), None).unwrap().remove(0);
    let (first, _first_reply) = submit(&bench, request(0));
    wait_until("the first one runs", || statistics().pending == 0);
    let (urgent, urgent_reply) = submit(&bench, request(1));
    let (_, late_reply) = submit(&bench, request(2));
    let (_, full_reply) = submit(&bench, request(1));
    let text = |reply: Reply| reply.answer.unwrap().unwrap_err().text;
    let full = text(full_reply.try_recv().unwrap());
    assert_eq!(full, "[request id: <id_unknown>] Exceeds maximum queue size");
    let late = late_reply.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(text(late), "Request timeout expired", "while the instance is busy");
    assert_eq!(statistics().pending, 1);
    first.cancel();
    wait_until("the urgent one runs", || statistics().pending == 0);
    assert!(urgent_reply.try_recv().is_err());
    urgent.cancel();
    assert_eq!(
        urgent_reply.try_recv().unwrap().answer.unwrap().unwrap_err().code,
        ErrorCode::Cancelled
    );
    let failures = statistics().failures;
    assert_eq!((failures.rejected, failures.cancelled), (2, 2));
}

#[test]
fn requests_that_wait_share_a_batch() {
    let config = "max_batch_size: 4 backend: \"identity\" input { name: \"x\" data_type: TYPE_STRING dims: [ 1 ] } \
        output { name: \"y\" data_type: TYPE_STRING dims: [ 1 ] } \
        dynamic_batching { preferred_batch_size: 3 max_queue_delay_microseconds: 600000000 } \
        parameters { key: \"execute_delay_ms\" value { string_value: \"100\" } }";
    let bench = bench(config);
    bench.load("m").unwrap();
    // No UTF-8.
    let text = |n: u8| [&2u32.to_le_bytes()[..], &[0xff, n]].concat();
    let request = |n| InferRequest {
        inputs: vec![tensor("x", DataType::String, &[1, 1], text(n))],
        ..Default::default()
    };
    let pending = || bench.repository.statistics(Some("m"), None).unwrap()[0].pending;
    // Two wait for a third one, for as long as it takes.
    let mut answers: Vec<_> = (0..2).map(|n| submit(&bench, request(n)).1).collect();
    assert_eq!(pending(), 2);
    std::thread::sleep(Duration::from_millis(50));
    answers.push(submit(&bench, request(2)).1);
    for (n, answer) in (0..).zip(answers) {
        let reply = answer.recv_timeout(Duration::from_secs(30)).unwrap();
        assert_eq!(reply.answer.unwrap().unwrap().outputs[0].data.as_ref().unwrap()[..], text(n));
    }
    let counted = bench.repository.statistics(Some("m"), None).unwrap().remove(0);
    assert_eq!((counted.requests.success.count, counted.execution_count), (3, 1));
    assert_eq!(counted.batches[&3].compute_infer.count, 1);
    assert!(counted.batches[&3].compute_infer.ns >= 100_000_000, "the run takes the time");
    assert!(counted.requests.queue.ns >= 2 * 50_000_000, "two have waited for the third one");
}

#[test]
fn repeat_takes_its_next_request_after_the_time_to_wait() {
    let bench = bench(REPEAT);
    bench.load("m").unwrap();
    let request = |wait: u32, delay: u32| {
        let mut request = repeat(&[1], &[delay]);
        request.inputs[0] = words("WAIT", DataType::Uint32, &[wait]);
        request
    };
    let start = Instant::now();
    let (slow, _slow_reply) = submit(&bench, request(80, 60_000));
    let (_, reply) = submit(&bench, request(0, 0));
    assert!(!reply.recv_timeout(Duration::from_secs(30)).unwrap().is_last);
    let time = start.elapsed();
    assert!(time >= Duration::from_millis(80) && time < Duration::from_secs(30), "{time:?}");
    // A client that leaves before its turn.
    let (_, _reply) = submit(&bench, request(60_000, 0));
    let (waiting, reply) = submit(&bench, request(0, 0));
    waiting.cancel();
    let fault = reply.try_recv().unwrap().answer.unwrap().unwrap_err();
    assert_eq!(fault.code, ErrorCode::Cancelled);
    let statistics = || bench.repository.statistics(Some("m"), None).unwrap().remove(0);
    wait_until("the one before it begins", || statistics().pending == 0);
    assert_eq!(statistics().failures.cancelled, 1);
    slow.cancel();
}

/// A configuration of a backend that adds up.
fn sums(backend: &str, controls: &[&str], more: &str) -> String {
    let control = |name: &&str| {
        let value = match *name {
            "CORRID" => "data_type: TYPE_UINT64",
            _ => "int32_false_true: [ 0, 1 ]",
        };
        format!("{{ name: \"{name}\" control {{ kind: CONTROL_SEQUENCE_{name} {value} }} }}")
    };
    let controls: Vec<String> = controls.iter().map(control).collect();
    format!(
        "backend: \"{backend}\" max_batch_size: 4 input {{ name: \"INPUT\" data_type: TYPE_INT32 dims: [ -1 ] }} \
         output {{ name: \"OUTPUT\" data_type: TYPE_INT32 dims: [ -1 ] }} \
         sequence_batching {{ control_input [ {} ] {more} }}",
        controls.join(", ")
    )
}

/// The elements of the answer to a request of a sequence. `(` starts it, `)` ends it.
fn added(bench: &Bench, id: Correlation, flags: &str, elements: &[i32]) -> Result<Vec<i32>, Fault> {
    let bytes: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    let inputs = vec![tensor("INPUT", DataType::Int32, &[1, elements.len() as i64], bytes)];
    let mut request = InferRequest { inputs, ..Default::default() };
    let (start, end) = (flags.contains('('), flags.contains(')'));
    request.parameters.sequence = Sequence { id, start, end };
    let answer = bench.infer("m", request)?;
    let (sums, _) = answer.outputs[0].data.as_ref().unwrap().as_chunks::<4>();
    Ok(sums.iter().map(|sum| i32::from_le_bytes(*sum)).collect())
}

#[test]
fn sequence_adds_up_the_inputs_of_each_sequence() {
    let bench = bench(&sums("sequence", &["START", "READY"], ""));
    bench.load("m").unwrap();
    let add =
        |id, flags, elements| added(&bench, Correlation::Number(id), flags, elements).unwrap();
    assert_eq!(add(1, "(", &[1, 2]), [3, 3]);
    assert_eq!(add(2, "(", &[100]), [100]);
    assert_eq!(add(1, "", &[4]), [7]);
    assert_eq!(add(2, ")", &[1]), [101]);
    assert_eq!(add(1, "(", &[i32::MAX, 1]), [i32::MIN; 2], "it starts anew, and wraps");
    let fault = added(&bench, Correlation::Number(2), "", &[1]).unwrap_err();
    assert!(fault.text.contains("must specify the START flag"), "{}", fault.text);
    for (config, expected) in [
        (sums("sequence", &["START"], ""), "the control inputs 'START' and 'READY'"),
        (sums("dyna_sequence", &["START", "READY"], ""), "'START', 'END', 'READY' and 'CORRID'"),
        (
            sums("sequence", &["START", "READY"], "").replace("\"OUTPUT\"", "\"SUM\""),
            "the input 'INPUT' and the output 'OUTPUT'",
        ),
        (
            sums("dyna_sequence", &["START", "END", "READY", "CORRID"], "")
                .replace("UINT64", "INT32"),
            "'CORRID' of type TYPE_UINT64 or TYPE_STRING",
        ),
        (
            sums(
                "sequence",
                &["START", "READY"],
                "state { input_name: \"a\" output_name: \"b\" data_type: TYPE_INT32 dims: [ 1 ] }",
            ),
            "specifies 'sequence_batching.state', which is not supported",
        ),
    ] {
        write(&bench.path("m"), &[("config.pbtxt", config.as_bytes())]);
        let text = bench.load("m").unwrap_err().text;
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_request_that_fails_does_not_move_its_sequence_on() {
    let delay = "parameters { key: \"execute_delay_ms\" value { string_value: \"200\" } }";
    let bench = bench(&format!("{} {delay}", sums("sequence", &["START", "READY"], "")));
    bench.load("m").unwrap();
    let id = || Correlation::Number(1);
    assert_eq!(added(&bench, id(), "(", &[1]), Ok(vec![1]));
    let mut late = InferRequest {
        inputs: vec![tensor("INPUT", DataType::Int32, &[1, 1], 2i32.to_le_bytes().to_vec())],
        deadline: Some(Instant::now() + Duration::from_millis(50)),
        ..Default::default()
    };
    late.parameters.sequence = Sequence { id: id(), start: false, end: false };
    assert_eq!(bench.infer("m", late).unwrap_err().text, "Request timeout expired");
    assert_eq!(added(&bench, id(), "", &[2]), Ok(vec![3]));
    assert_eq!(added(&bench, id(), ")", &[4]), Ok(vec![7]));
}

#[test]
fn dyna_sequence_adds_the_id_at_the_end() {
    let config = sums(
        "dyna_sequence",
        &["START", "END", "READY", "CORRID"],
        "oldest { max_candidate_sequences: 4 }",
    );
    let bench = bench(&config);
    bench.load("m").unwrap();
    let number = Correlation::Number(1 << 32 | 5);
    assert_eq!(added(&bench, number.clone(), "(", &[1]), Ok(vec![1]));
    assert_eq!(added(&bench, number, ")", &[2]), Ok(vec![8]), "the lower half of the id");
    assert_eq!(added(&bench, Correlation::Number(7), "()", &[1, 1]), Ok(vec![9, 9]));
    write(&bench.path("m"), &[("config.pbtxt", config.replace("UINT64", "STRING").as_bytes())]);
    bench.load("m").unwrap();
    let text = |text: &str| Correlation::Text(text.to_owned());
    assert_eq!(added(&bench, text("30"), "()", &[1]), Ok(vec![31]));
    let fault = added(&bench, text("x"), "()", &[1]).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidArg);
    assert_eq!(fault.text, "the sequence's id is 'x', and a number is expected");
}

#[test]
fn query_answers_with_its_outputs() {
    let config = "backend: \"query\" max_batch_size: 1 input { name: \"INPUT\" data_type: TYPE_UINT8 dims: [ 1 ] } \
        output { name: \"OUTPUT0\" data_type: TYPE_UINT8 dims: [ 2 ] } \
        output { name: \"OUTPUT1\" data_type: TYPE_UINT8 dims: [ 2 ] }";
    let bench = bench(config);
    bench.load("m").unwrap();
    let inputs = vec![tensor("INPUT", DataType::Uint8, &[1, 1], vec![1])];
    let answer = bench.infer("m", InferRequest { inputs, ..Default::default() }).unwrap();
    let outputs = answer.outputs.iter().map(|own| (&*own.name, own.data.as_deref().unwrap()));
    let outputs: Vec<(&str, &[u8])> = outputs.collect();
    assert_eq!(outputs, [("OUTPUT0", &[0, 0][..]), ("OUTPUT1", &[0, 0][..])]);
    write(&bench.path("m"), &[("config.pbtxt", config.replace("OUTPUT1", "OTHER").as_bytes())]);
    let text = bench.load("m").unwrap_err().text;
    assert!(text.contains("must have the outputs 'OUTPUT0' and 'OUTPUT1'"), "{text}");
}
