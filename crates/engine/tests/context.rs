//! Arguments of a run beside its inputs: limits, a switch, memory for results, a sink.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use trident_cpu::CpuDevice;
use trident_engine::{
    CancelFlag, Options, Partial, PassOptions, RunContext, RunError, Session, Sink,
};
use trident_ir::{DType, Element, Func, Module};
use trident_runtime::{Device, Handover, Pool, Queued, QueuedOptions, Tensor, Value};

fn cpu(threads: usize) -> Arc<dyn Device> {
    Arc::new(CpuDevice::new(threads))
}

fn queued(max_delay: Duration) -> Arc<dyn Device> {
    let options = QueuedOptions { max_delay, ..QueuedOptions::default() };
    Arc::new(Queued::new(cpu(1), options))
}

fn session(text: &str, device: Arc<dyn Device>) -> Session {
    let func: Func = text.parse().unwrap();
    let module = Module { funcs: vec![func], ..Module::default() };
    let options = Options { passes: PassOptions::none(), ..Options::default() };
    Session::new(module, &[device], &options).unwrap()
}

fn tensor<T: Element>(dims: &[usize], values: &[T]) -> Tensor {
    Tensor::from_slice(&Pool::new(), dims, values).unwrap()
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_tensor().unwrap().slice::<f32>().unwrap().to_vec()
}

const ENDLESS: &str = "func @f graph (%x: f32[1]) -> (f32[1]) {
    %y = loop(_, _, %x) : f32[1] loc(\"forever\") region (%i: i64[], %c: bool[], %v: f32[1]) {
      %w = neg(%v) : f32[1]
      yield %c, %w
    }
    return %y
}";

#[test]
fn a_flag_stops_a_run_from_outside() {
    for device in [cpu(1), queued(Duration::from_micros(50))] {
        let session = session(ENDLESS, device);
        let flag = CancelFlag::new();
        let context = RunContext { cancel: Some(flag.clone()), ..RunContext::default() };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                flag.cancel();
            });
            let error = session.run_with(&[("x", tensor(&[1], &[1f32]).into())], context);
            assert!(matches!(error, Err(RunError::Cancelled { .. })), "{error:?}");
        });
        // It stays set.
        let context = RunContext { cancel: Some(flag), ..RunContext::default() };
        let error = session.run_with(&[("x", tensor(&[1], &[1f32]).into())], context).unwrap_err();
        assert!(error.to_string().contains("loop `forever`"), "{error}");
    }
}

#[test]
fn a_flag_may_be_a_question() {
    for device in [cpu(1), queued(Duration::from_micros(50))] {
        let session = session(ENDLESS, device);
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let flag = CancelFlag::when(move || counted.fetch_add(1, Ordering::Relaxed) == 20);
        let context = RunContext { cancel: Some(flag.clone()), ..RunContext::default() };
        let error = session.run_with(&[("x", tensor(&[1], &[1f32]).into())], context);
        assert!(matches!(error, Err(RunError::Cancelled { .. })), "{error:?}");
        // What was answered once is not asked again.
        assert!(flag.is_cancelled());
        assert_eq!(asked.load(Ordering::Relaxed), 21);
        assert_eq!(Arc::strong_count(&asked), 2, "the run keeps nothing");
    }
}

#[test]
fn inputs_are_gathered_in_the_sessions_memory() {
    let func: Func = CHAIN.parse().unwrap();
    let module = Module { funcs: vec![func], ..Module::default() };
    let options = Options { name: Some("gathered".into()), ..Options::default() };
    let session = Session::new(module, &[cpu(1)], &options).unwrap();
    let before = session.memory().live;
    let values: Vec<u8> = (0..1000u16).flat_map(|i| f32::from(i).to_le_bytes()).collect();
    let parts = [&values[..10], &[], &values[10..4000]];
    let x = session.gather(DType::F32, &[1000], parts).unwrap();
    assert!(session.memory().live >= before + 4000);
    let listed = cpu(1).memory().device_stats().pools;
    assert!(listed.iter().any(|(name, pool)| name == "gathered" && pool.live >= 4000));
    let results = session.run(&[("x", x.into())]).unwrap();
    let expected: Vec<f32> = (0..1000u16).map(f32::from).collect();
    assert_eq!(floats(&results[2].1), expected);
    for parts in [&[&values[..3999]][..], &[&values, &[0]]] {
        let error = session.gather(DType::F32, &[1000], parts.iter().copied()).unwrap_err();
        assert!(error.to_string().contains("f32[1000] is not filled by"), "{error}");
    }
}

const CHAIN: &str = "func @f graph (%x: f32[N]) -> (f32[N], f32[*], f32[N]) {
    %a = exp(%x) : f32[N]
    %y = neg(%a) : f32[N]
    %two = constant {value = i64[2](1, -1)}
    %view = reshape(%y, %two) : f32[*]
    return %y, %view, %x
}";

#[test]
fn a_flag_and_a_deadline_end_waits() {
    let session = session(CHAIN, queued(Duration::from_secs(3)));
    // Some seed's first delay may be none, so a few runs.
    for i in 0..4 {
        let start = Instant::now();
        let flag = CancelFlag::new();
        let context = match i % 2 {
            0 => RunContext { cancel: Some(flag.clone()), ..RunContext::default() },
            _ => RunContext {
                deadline: Some(start + Duration::from_millis(30)),
                ..RunContext::default()
            },
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                flag.cancel();
            });
            match session.run_with(&[("x", tensor(&[2], &[0f32, 1.0]).into())], context) {
                Ok(_) => {}
                Err(RunError::Cancelled { .. }) => assert_eq!(i % 2, 0),
                Err(RunError::Deadline { .. }) => assert_eq!(i % 2, 1),
                Err(other) => panic!("{other}"),
            }
        });
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
}

#[test]
fn results_lie_in_the_memory_bound_to_them() {
    for device in [cpu(1), queued(Duration::from_micros(200))] {
        let session = session(CHAIN, device);
        let memory =
            [tensor(&[2], &[0f32; 2]), tensor(&[1, 2], &[0f32; 2]), tensor(&[2], &[0f32; 2])];
        let places = memory.each_ref().map(|t| t.bytes().unwrap().as_ptr().addr());
        let outputs = ["y", "view", "x"].map(String::from).into_iter().zip(memory).collect();
        let context = RunContext { outputs, ..RunContext::default() };
        let x = [("x", tensor(&[2], &[0f32, 0.0]).into())];
        let (results, _) = session.run_with(&x, context).unwrap();
        for ((name, value), place) in results.iter().zip(places) {
            assert_eq!(
                value.as_tensor().unwrap().bytes().unwrap().as_ptr().addr(),
                place,
                "{name}"
            );
            assert_eq!(floats(value), if name == "x" { [0.0; 2] } else { [-1.0; 2] });
        }
    }
}

#[test]
fn memory_that_does_not_fit_is_refused_by_name() {
    let session = session(CHAIN, cpu(1));
    let run = |outputs: Vec<(&str, Tensor)>| {
        let outputs = outputs.into_iter().map(|(n, t)| (n.to_owned(), t)).collect();
        let context = RunContext { outputs, ..RunContext::default() };
        let x = [("x", tensor(&[2], &[0f32, 0.0]).into())];
        session.run_with(&x, context).unwrap_err().to_string()
    };
    let fit = || tensor(&[2], &[0f32; 2]);
    assert_eq!(run(vec![("z", fit())]), "output `z`: the model has no such output");
    assert_eq!(run(vec![("y", fit()), ("y", fit())]), "output `y`: it is bound twice");
    let wrong = "output `y`: it is f32[2], but its memory is for f32[3]";
    assert_eq!(run(vec![("y", tensor(&[3], &[0f32; 3]))]), wrong);
    let shared = fit();
    let text = "output `y`: its memory is shared or constant, so it cannot be written";
    assert_eq!(run(vec![("y", shared.clone())]), text);
    drop(shared);
}

/// Writes down what comes, and stops the run after some slices.
struct Notes {
    seen: Mutex<Vec<String>>,
    stop_after: usize,
    flag: CancelFlag,
}

impl Sink for Notes {
    fn partial(&self, output: &str, part: Partial<'_>) {
        let mut seen = self.seen.lock().unwrap();
        match part {
            Partial::Whole(value) => seen.push(format!("{output}: {:?}", floats(value))),
            Partial::Slice { iteration, value } => {
                seen.push(format!("{output} {iteration}: {:?}", floats(value)));
            }
        }
        if seen.len() >= self.stop_after {
            self.flag.cancel();
        }
    }
}

#[test]
fn a_sink_gets_results_before_the_run_is_over() {
    let text = "func @f graph (%n: i64[], %x: f32[1]) -> (f32[1], f32[*], f32[?, 1]) {
        %one = constant {value = f32[1](1.0)}
        %first = neg(%x) : f32[1]
        %inner = exp(%first) : f32[1]
        %last, %all = loop(%n, _, %x) : f32[*], f32[?, 1]
          region (%i: i64[], %c: bool[], %v: f32[1]) {
            %w = add(%v, %one) : f32[1]
            yield %c, %w, %v
          }
        return %first, %last, %all
      }";
    for device in [cpu(1), queued(Duration::from_micros(200))] {
        let session = session(text, device);
        let run = |stop_after| {
            let flag = CancelFlag::new();
            let sink = Arc::new(Notes { seen: Mutex::default(), stop_after, flag: flag.clone() });
            let context = RunContext {
                sink: Some(sink.clone()),
                cancel: Some(flag),
                ..RunContext::default()
            };
            let inputs = [("n", tensor(&[], &[3i64]).into()), ("x", tensor(&[1], &[5f32]).into())];
            let outcome = session.run_with(&inputs, context).map(|(results, _)| results);
            (outcome, std::mem::take(&mut *sink.seen.lock().unwrap()))
        };
        let (outcome, seen) = run(usize::MAX);
        assert_eq!(floats(&outcome.unwrap()[2].1), [5.0, 6.0, 7.0]);
        let slices = ["first: [-5.0]", "all 0: [5.0]", "all 1: [6.0]", "all 2: [7.0]"];
        assert_eq!(seen[..4], slices);
        assert_eq!(seen[4..], ["last: [8.0]", "all: [5.0, 6.0, 7.0]"]);
        let (outcome, seen) = run(3);
        assert!(matches!(outcome, Err(RunError::Cancelled { .. })));
        assert_eq!(seen, slices[..3]);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads_allowed() {
    let text = "func @f graph (%x: f32[300, 200], %w: f32[200, 300]) -> (f32[*]) {
        %p = matmul(%x, %w) : f32[*]
        %y = tanh(%p) : f32[*]
        return %y
    }";
    let session = session(text, cpu(3));
    let values: Vec<f32> = (0..60_000).map(|i| (i % 89) as f32 / 89.0 - 0.5).collect();
    let inputs =
        [("x", tensor(&[300, 200], &values).into()), ("w", tensor(&[200, 300], &values).into())];
    let run = |threads| {
        let context = RunContext { threads, ..RunContext::default() };
        floats(&session.run_with(&inputs, context).unwrap().0[0].1)
    };
    let all = run(0);
    for threads in [1, 2, 3, 64] {
        assert_eq!(run(threads), all);
    }
}

/// Suspends its run wherever that is possible, and runs another one on its core meanwhile.
struct Everywhere {
    session: Session,
    inputs: Vec<(&'static str, Value)>,
    expected: Vec<f32>,
    suspended: AtomicUsize,
}

impl Handover for Everywhere {
    fn is_due(&self) -> bool {
        true
    }

    fn wait(&self, has_to_stop: &dyn Fn() -> bool) {
        assert!(!has_to_stop());
        self.suspended.fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| floats(&self.session.run(&self.inputs).unwrap()[0].1));
            assert_eq!(other.join().unwrap(), self.expected);
        });
    }
}

/// Convolutions, products, an op of each program, and a loop with a step that is not spread over threads.
const MIXED: &str = "func @f graph (%x: f32[2, 8, 24, 24], %w: f32[16, 8, 3, 3], %m: f32[24, 24], %n: i64[]) -> (f32[*]) {
    %c = conv(%x, %w) {pads = [1, 1, 1, 1]} : f32[*]
    %r = relu(%c) : f32[*]
    %y = loop(%n, _, %r) : f32[*] loc(\"steps\") region (%i: i64[], %g: bool[], %v: f32[*]) {
      %p = matmul(%v, %m) : f32[*]
      %t = tanh(%p) : f32[*]
      yield %g, %t
    }
    %s = softmax(%y) : f32[*]
    return %s
}";

#[test]
fn a_run_that_is_suspended_wherever_possible_has_the_same_bits() {
    let values =
        |n: usize| -> Vec<f32> { (0..n).map(|i| (i * 7 % 89) as f32 / 89.0 - 0.5).collect() };
    let inputs = || -> Vec<(&'static str, Value)> {
        vec![
            ("x", tensor(&[2, 8, 24, 24], &values(2 * 8 * 576)).into()),
            ("w", tensor(&[16, 8, 3, 3], &values(16 * 72)).into()),
            ("m", tensor(&[24, 24], &values(576)).into()),
            ("n", tensor(&[], &[3i64]).into()),
        ]
    };
    let alone = floats(&session(MIXED, cpu(1)).run(&inputs()).unwrap()[0].1);
    for threads in [1, 2, 4] {
        let expected = alone.clone();
        let handover = Arc::new(Everywhere {
            session: session(MIXED, cpu(threads)),
            inputs: inputs(),
            expected,
            suspended: AtomicUsize::new(0),
        });
        let context = RunContext {
            handover: Some(Arc::clone(&handover) as Arc<dyn Handover>),
            deadline: Some(Instant::now() + Duration::from_secs(600)),
            ..RunContext::default()
        };
        let found = handover.session.run_with(&inputs(), context).unwrap().0;
        let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&floats(&found[0].1)), bits(&alone), "{threads} threads");
        let suspended = handover.suspended.load(Ordering::Relaxed);
        // Before each op at least.
        assert!(suspended >= 8, "{threads} threads: {suspended}");
    }
}

#[test]
fn a_suspended_run_keeps_its_deadline_and_its_flag() {
    struct Suspended(Option<CancelFlag>);
    impl Handover for Suspended {
        fn is_due(&self) -> bool {
            true
        }
        fn wait(&self, has_to_stop: &dyn Fn() -> bool) {
            self.0.iter().for_each(CancelFlag::cancel);
            while !has_to_stop() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    let session = session(CHAIN, cpu(2));
    let run = |flag: Option<CancelFlag>, limit: Duration| {
        let context = RunContext {
            handover: Some(Arc::new(Suspended(flag.clone()))),
            cancel: flag,
            time_limit: Some(limit),
            ..RunContext::default()
        };
        session.run_with(&[("x", tensor(&[2], &[0f32, 1.0]).into())], context)
    };
    let late = run(None, Duration::from_millis(20));
    assert!(matches!(late, Err(RunError::Deadline { .. })), "{late:?}");
    let cancelled = run(Some(CancelFlag::new()), Duration::from_secs(600));
    assert!(matches!(cancelled, Err(RunError::Cancelled { .. })), "{cancelled:?}");
}

/// Keeps its run, and the run's core, until told.
struct Hold<'a>(&'a AtomicBool);

impl Sink for Hold<'static> {
    fn partial(&self, _: &str, _: Partial<'_>) {
        while !self.0.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn runs_that_wait_for_a_core_heed_limits_and_flags() {
    static RELEASED: AtomicBool = AtomicBool::new(false);
    let session = session(CHAIN, cpu(1));
    let inputs = || [("x", tensor(&[2], &[0f32, 1.0]).into())];
    std::thread::scope(|scope| {
        // More than a machine has cores, or than may be active anyway.
        for _ in 0..64.max(std::thread::available_parallelism().unwrap().get()) {
            let context =
                RunContext { sink: Some(Arc::new(Hold(&RELEASED))), ..RunContext::default() };
            let (session, inputs) = (&session, inputs());
            scope.spawn(move || session.run_with(&inputs, context).unwrap());
        }
        std::thread::sleep(Duration::from_millis(100));
        let limit = Duration::from_millis(20);
        let late = session.run_with(&inputs(), RunContext::within(limit)).unwrap_err();
        let flag = CancelFlag::new();
        flag.cancel();
        let context = RunContext { cancel: Some(flag), ..RunContext::default() };
        let cancelled = session.run_with(&inputs(), context).unwrap_err();
        RELEASED.store(true, Ordering::Relaxed);
        let text = "the run was stopped at its beginning, while it waited for device `cpu`: its time limit of 20ms has passed";
        assert_eq!(late.to_string(), text);
        let text = "the run was cancelled at its beginning, while it waited for device `cpu`";
        assert_eq!(cancelled.to_string(), text);
    });
}
