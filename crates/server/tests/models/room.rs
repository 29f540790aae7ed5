//! Models that are unloaded while they are idle, and loaded again.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use trident_server::infer::{InferRequest, Reply, RunTicket};
use trident_server::memory::Regions;
use trident_server::repository::{ControlMode, RepositoryOptions};
use trident_serving::{Cancel, ErrorCode};

use crate::bench::*;

const IDLE: Duration = Duration::from_millis(40);

fn repository(memory_limit: Option<u64>, idle_unload: Option<Duration>, names: &[&str]) -> Bench {
    let mode = ControlMode::Explicit;
    let options =
        RepositoryOptions { mode, threads: 1, memory_limit, idle_unload, ..Default::default() };
    Bench::with(options, |folder| names.iter().for_each(|name| heavy(folder, name)))
}

/// Writes a model whose weights take memory.
fn heavy(folder: &std::path::Path, name: &str) {
    write(&folder.join(name), &[("1/model.onnx", &weights(1 << 16))]);
}

fn memory(bench: &Bench, name: &str) -> u64 {
    bench.repository.model(name, None).unwrap().memory()
}

/// Bytes of one such model.
fn size() -> u64 {
    let bench = repository(None, None, &["m"]);
    bench.load("m").unwrap();
    memory(&bench, "m")
}

/// Runs steps while a thread tends to the repository, as the server does.
fn tended<T>(bench: &Bench, steps: impl FnOnce() -> T) -> T {
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ends.load(Ordering::Relaxed) {
                bench.repository.tend(Duration::from_millis(2));
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(steps));
        ends.store(true, Ordering::Relaxed);
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_model_that_is_idle_longest_makes_room() {
    let limit = size() * 5 / 2;
    let bench = repository(Some(limit), None, &["a", "b", "c"]);
    let loaded = || ["a", "b", "c"].map(|name| memory(&bench, name) > 0);
    for name in ["a", "b", "c"] {
        bench.load(name).unwrap();
        thread::sleep(Duration::from_millis(3));
    }
    assert_eq!(loaded(), [false, true, true], "{:?}", bench.log);
    let ready = ["a:1 READY", "b:1 READY", "c:1 READY"];
    assert_eq!(bench.index(), ready, "a model that is unloaded while it is idle answers");
    assert!(bench.logged("unloaded 'a' version 1, idle for 0."), "{:?}", bench.log);
    let answers = tended(&bench, || {
        let ask = |name| {
            let answer = bench.ask(name, &[1.0, 2.0]);
            thread::sleep(Duration::from_millis(3));
            answer
        };
        let first = ask("b").unwrap();
        assert_eq!(loaded(), [false, true, true]);
        let second = ask("a").unwrap();
        assert_eq!(loaded(), [true, true, false], "c was idle longest: {:?}", bench.log);
        [first, second].map(|answer| answer.len())
    });
    assert_eq!(answers, [1 << 16; 2]);
}

#[test]
fn a_model_that_cannot_fit_is_a_load_error() {
    let bench = repository(Some(size() * 3 / 2), None, &["a"]);
    bench.load("a").unwrap();
    let own = memory(&bench, "a");
    write(&bench.path("b"), &[("1/model.onnx", &weights(1 << 18))]);
    let fault = bench.load("b").unwrap_err();
    let expected = "version 1 is at UNAVAILABLE state: Unavailable: it takes ";
    assert!(fault.text.contains(expected), "{}", fault.text);
    assert!(fault.text.contains("`--memory-limit` leaves"), "{}", fault.text);
    // A new version counts beside the other models, and not beside the one that it replaces.
    write(&bench.path("a"), &[("2/model.onnx", &weights(1 << 16))]);
    bench.load("a").unwrap();
    assert_eq!(memory(&bench, "a"), own);
    // One that does not fit leaves the old one.
    write(&bench.path("a"), &[("3/model.onnx", &weights(1 << 18))]);
    bench.load("a").unwrap_err();
    let index = bench.index();
    assert!(index.contains(&"a:2 READY".to_owned()), "{index:?}");
}

/// triton-inference-server/server#7279, openvinotoolkit/model_server#4141
#[test]
fn idle_models_give_their_memory_back() {
    let bench = repository(None, Some(IDLE), &["a", "kept"]);
    let sequences = "max_batch_size: 4 sequence_batching { direct {} }";
    write(&bench.path("kept"), &[("config.pbtxt", sequences.as_bytes())]);
    ["a", "kept"].iter().for_each(|name| bench.load(name).unwrap());
    let own = memory(&bench, "a");
    tended(&bench, || {
        for round in 1..4 {
            wait_until(|| memory(&bench, "a") == 0);
            // All of several requests wait for the model.
            thread::scope(|scope| {
                let clients: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| bench.ask("a", &[1.0, 2.0]))).collect();
                for client in clients {
                    assert_eq!(client.join().unwrap().unwrap()[0], 3.0);
                }
            });
            let statistics = bench.repository.statistics(Some("a"), None).unwrap();
            assert_eq!(statistics[0].requests.success.count, 4 * round, "they count on");
        }
    });
    assert!(own > 0 && memory(&bench, "kept") > 0, "sequences keep their model");
    assert!(bench.logged("loaded 'a' version 1 again"));
}

#[test]
fn requests_to_a_model_that_does_not_load_again_have_the_cause() {
    let bench = repository(None, Some(IDLE), &["a"]);
    bench.load("a").unwrap();
    let file = bench.path("a/1/model.onnx");
    let text = fs::read(&file).unwrap();
    tended(&bench, || {
        wait_until(|| memory(&bench, "a") == 0);
        fs::remove_file(&file).unwrap();
        let fault = bench.ask("a", &[1.0, 2.0]).unwrap_err();
        assert_eq!(fault.code, ErrorCode::Unavailable);
        let start = "model 'a' was unloaded while it was idle, and cannot be loaded again: ";
        assert!(fault.text.starts_with(start), "{}", fault.text);
        let index = bench.index();
        assert!(index[0].starts_with("a:1 UNAVAILABLE its files did not load"), "{index:?}");
        assert!(bench.repository.has_failed());
        fs::write(&file, &text).unwrap();
        bench.ask("a", &[1.0, 2.0]).unwrap();
        assert_eq!(bench.index(), ["a:1 READY"]);
        assert!(!bench.repository.has_failed());
    });
}

#[test]
fn a_model_whose_files_have_changed_is_not_unloaded() {
    let bench = repository(None, Some(IDLE), &["a", "b"]);
    ["a", "b"].iter().for_each(|name| bench.load(name).unwrap());
    // A load has failed from these files, and nobody has tried those.
    write(&bench.path("a"), &[("1/model.onnx", b"no model")]);
    bench.load("a").unwrap_err();
    write(&bench.path("b"), &[("1/model.onnx", b"none either")]);
    thread::sleep(2 * IDLE);
    bench.repository.tend(Duration::ZERO);
    for name in ["a", "b"] {
        assert!(memory(&bench, name) > 0, "{name}: {:?}", bench.log);
        assert_eq!(bench.ask(name, &[1.0, 2.0]).unwrap()[0], 3.0);
    }
}

#[test]
fn no_model_is_unloaded_in_vain() {
    let bench = repository(Some(size() * 5 / 2), None, &["a", "b"]);
    ["a", "b"].iter().for_each(|name| bench.load(name).unwrap());
    write(&bench.path("large"), &[("1/model.onnx", &weights(1 << 18))]);
    bench.load("large").unwrap_err();
    assert!(memory(&bench, "a") > 0 && memory(&bench, "b") > 0, "{:?}", bench.log);
    // A model without memory makes no room.
    write(&bench.path("c"), &[("1/model.onnx", &weights(1 << 16))]);
    bench.load("c").unwrap();
    write(&bench.path("d"), &[("1/model.onnx", &weights(1 << 16))]);
    bench.load("d").unwrap();
    assert!(!bench.logged(": 0 bytes; the next"), "{:?}", bench.log);
    assert_eq!(
        bench.log.lock().unwrap().iter().filter(|line| line.starts_with("unloaded")).count(),
        2
    );
}

#[test]
fn answers_that_are_kept_end_when_an_idle_model_is_loaded_again() {
    let options = RepositoryOptions {
        mode: ControlMode::Explicit,
        idle_unload: Some(IDLE),
        response_cache: Some(1 << 20),
        ..Default::default()
    };
    let bench = Bench::with(options, |folder| {
        heavy(folder, "a");
        fs::write(folder.join("a/config.pbtxt"), "response_cache { enable: true }").unwrap();
    });
    bench.load("a").unwrap();
    let hits = || bench.repository.statistics(Some("a"), None).unwrap()[0].requests.cache_hit.count;
    bench.ask("a", &[1.0, 2.0]).unwrap();
    wait_until(|| {
        bench.repository.tend(Duration::ZERO);
        memory(&bench, "a") == 0
    });
    bench.ask("a", &[1.0, 2.0]).unwrap();
    assert_eq!((hits(), memory(&bench, "a")), (1, 0), "a hit needs no model");
    tended(&bench, || {
        bench.ask("a", &[3.0, 2.0]).unwrap();
        bench.ask("a", &[1.0, 2.0]).unwrap();
    });
    assert_eq!(hits(), 1, "the files may have changed");
}

#[test]
fn large_requests_have_cached_answers_too() {
    let config = "backend: 'identity' input { name: 'x' data_type: TYPE_FP32 dims: -1 } \
                  output { name: 'y' data_type: TYPE_FP32 dims: -1 } response_cache { enable: true }";
    let options = RepositoryOptions {
        mode: ControlMode::Explicit,
        response_cache: Some(64 << 20),
        ..Default::default()
    };
    let bench = Bench::with(options, |folder| {
        let files: [(&str, &[u8]); 2] = [("config.pbtxt", config.as_bytes()), ("1/none", b"")];
        write(&folder.join("m"), &files);
    });
    bench.load("m").unwrap();
    let ask = |first: f32| {
        let mut numbers = vec![0.5; 1 << 20];
        numbers[0] = first;
        let input = floats("x", &[numbers.len() as i64], &numbers);
        let request = InferRequest { inputs: vec![input], ..Default::default() };
        let answer = bench.infer("m", request).unwrap();
        assert_eq!(answer.outputs[0].data.as_ref().unwrap()[..4], first.to_le_bytes());
    };
    [1.0, 2.0, 1.0, 1.0].into_iter().for_each(ask);
    let counted = bench.repository.statistics(Some("m"), None).unwrap().remove(0).requests;
    assert_eq!((counted.cache_hit.count, counted.cache_miss.count), (2, 2));
}

#[test]
fn the_response_cache_gives_way_before_models() {
    let limit = size() * 5;
    let options = RepositoryOptions {
        mode: ControlMode::Explicit,
        memory_limit: Some(limit),
        response_cache: Some(1 << 30),
        ..Default::default()
    };
    let bench = Bench::with(options, |folder| {
        ["a", "b"].iter().for_each(|name| heavy(folder, name));
        fs::write(folder.join("a/config.pbtxt"), "response_cache { enable: true }").unwrap();
    });
    let cached = || bench.repository.cached_bytes().unwrap() as u64;
    bench.load("a").unwrap();
    for round in 0..24 {
        bench.ask("a", &[round as f32, 2.0]).unwrap();
    }
    let used = memory(&bench, "a") + cached();
    assert!(used > limit && memory(&bench, "a") < limit, "{used} of {limit}");
    bench.repository.tend(Duration::ZERO);
    let (model, answers) = (memory(&bench, "a"), cached());
    assert!(model > 0 && answers > 0 && model + answers <= limit, "{model}, {answers}");
    // A model that is loaded needs some of it, too.
    bench.load("b").unwrap();
    let models = memory(&bench, "a") + memory(&bench, "b");
    assert!(memory(&bench, "a") > 0 && models + cached() <= limit, "{models}, {}", cached());
}

#[test]
fn requests_that_wait_for_a_model_obey_the_policy_of_its_queue() {
    let bench = repository(None, Some(IDLE), &["a"]);
    let policy = "default_timeout_microseconds: 20000 max_queue_size: 2";
    let config =
        format!("max_batch_size: 4 dynamic_batching {{ default_queue_policy {{ {policy} }} }}");
    write(&bench.path("a"), &[("config.pbtxt", config.as_bytes())]);
    bench.load("a").unwrap();
    wait_until(|| {
        bench.repository.tend(Duration::ZERO);
        memory(&bench, "a") == 0
    });
    // Nobody tends to the repository while they wait.
    let fault = |answer: Result<Vec<f32>, trident_serving::Fault>| answer.unwrap_err().text;
    thread::scope(|scope| {
        let pending = || bench.repository.statistics(Some("a"), None).unwrap()[0].pending;
        let mut texts: Vec<String> = vec![];
        let clients: Vec<_> =
            (0..3).map(|_| scope.spawn(|| fault(bench.ask("a", &[1.0, 2.0])))).collect();
        texts.extend(clients.into_iter().map(|client| client.join().unwrap()));
        let count = |part: &str| texts.iter().filter(|text| text.contains(part)).count();
        let (full, late) = (count("Exceeds maximum queue size"), count("Request timeout expired"));
        // The third one may come when the others have ended.
        assert!(full <= 1 && full + late == 3, "{texts:?}");
        assert_eq!(pending(), 0);
    });
    tended(&bench, || wait_until(|| bench.ask("a", &[1.0, 2.0]).is_ok()));
}

#[test]
fn requests_that_wait_for_their_model_are_answered_at_the_end() {
    let bench = repository(None, Some(IDLE), &["a"]);
    bench.load("a").unwrap();
    wait_until(|| {
        bench.repository.tend(Duration::ZERO);
        memory(&bench, "a") == 0
    });
    // Nobody tends to the repository any more.
    thread::scope(|scope| {
        let client = scope.spawn(|| bench.ask("a", &[1.0, 2.0]));
        let pending = || bench.repository.statistics(Some("a"), None).unwrap()[0].pending;
        wait_until(|| pending() == 1);
        bench.repository.close();
        assert_eq!(client.join().unwrap().unwrap_err().text, "Server exiting");
    });
}

#[test]
fn clients_may_leave_while_their_model_is_loaded() {
    let bench = repository(None, Some(IDLE), &["a"]);
    bench.load("a").unwrap();
    wait_until(|| {
        bench.repository.tend(Duration::ZERO);
        memory(&bench, "a") == 0
    });
    let model = bench.repository.model("a", None).unwrap();
    let submit = || -> (RunTicket, mpsc::Receiver<Reply>) {
        let inputs = vec![floats("x", &[1, 2], &[1.0, 2.0])];
        let (sender, receiver) = mpsc::channel();
        let replies = Box::new(move |reply| drop(sender.send(reply)));
        let request = InferRequest { inputs, ..Default::default() };
        (model.infer(request, &Regions::default(), replies), receiver)
    };
    let statistics = || bench.repository.statistics(Some("a"), None).unwrap().remove(0);
    let (leaving, left) = submit();
    let (staying, stayed) = submit();
    assert_eq!(statistics().pending, 2);
    leaving.cancel();
    let fault = left.try_recv().unwrap().answer.unwrap().unwrap_err();
    assert_eq!((fault.code, statistics().pending), (ErrorCode::Cancelled, 1));
    bench.repository.tend(Duration::ZERO);
    let answer = stayed.recv_timeout(Duration::from_secs(60)).unwrap().answer.unwrap();
    assert_eq!(answer.unwrap().outputs.len(), 1);
    // Its answer is given.
    staying.cancel();
    let counted = statistics();
    assert_eq!((counted.failures.cancelled, counted.requests.success.count), (1, 1));
    wait_until(|| {
        bench.repository.tend(Duration::ZERO);
        memory(&bench, "a") == 0
    });
}
