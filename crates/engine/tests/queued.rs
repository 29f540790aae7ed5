//! Sessions on a device that is late, and on a mix of it and the CPU: the same results, errors and memory as on the CPU.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::Arc;
use std::time::{Duration, Instant};
use trident_cpu::CpuDevice;
use trident_engine::{Options, PassOptions, RunContext, RunError, Session};
use trident_ir::{Element, Func, Module};
use trident_runtime::{Device, Pool, Queued, QueuedOptions, Tensor, Value};

const NUMBER: usize = 40;

fn queued(max_delay: Duration, share: u64, seed: u64) -> Arc<dyn Device> {
    let options = QueuedOptions { seed, max_delay, share };
    Arc::new(Queued::new(Arc::new(CpuDevice::new(1)), options))
}

fn session_on(text: &str, devices: &[Arc<dyn Device>]) -> Session {
    let func: Func = text.parse().unwrap();
    let module = Module { funcs: vec![func], ..Module::default() };
    let options = Options { passes: PassOptions::none(), ..Options::default() };
    Session::new(module, devices, &options).unwrap()
}

/// The CPU, the queue, and both with different shares of the ops.
fn sessions(text: &str) -> Vec<Session> {
    let delay = Duration::from_micros(300);
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(1));
    let mixed = (1..4).map(|seed| vec![queued(delay, 50, seed), cpu.clone()]);
    let alone = [vec![cpu.clone()], vec![queued(delay, 100, 1)]];
    alone.into_iter().chain(mixed).map(|devices| session_on(text, &devices)).collect()
}

fn tensor<T: Element>(dims: &[usize], values: &[T]) -> Value {
    Tensor::from_slice(&Pool::new(), dims, values).unwrap().into()
}

/// Dimensions and bytes of all results.
fn bits(results: &[(String, Value)]) -> Vec<(Vec<usize>, Vec<u8>)> {
    let tensors = results.iter().map(|(_, value)| value.as_tensor().unwrap());
    tensors.map(|t| (t.dims().to_vec(), t.bytes().unwrap().to_vec())).collect()
}

/// Memory comes back a moment after a run that was cut short: what had begun goes on.
fn is_freed(session: &Session) -> bool {
    let until = Instant::now() + Duration::from_secs(5);
    while session.memory().live > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    session.memory().live == 0
}

/// Shapes that follow, shapes computed on the way, shapes that depend on contents, values used twice.
const SHAPES: &str =
    "func @f graph (%x: f32[N, 4], %y: f32[N, 4]) -> (f32[*], f32[*], f32[*], i64[*]) {
    %a = add(%x, %y) : f32[*]
    %b = exp(%a) : f32[*]
    %k = shape(%b) : i64[2]
    %two = constant {value = i64[1](2)}
    %kk = concat(%k, %two) {axis = 0} : i64[3]
    %r = expand(%two, %kk) : i64[*]
    %t = transpose(%b) {perm = [1, 0]} : f32[*]
    %p = matmul(%b, %t) : f32[*]
    %q = relu(%p) : f32[*]
    %n = non_zero(%q) : i64[*]
    %m = mul(%n, %two) : i64[*]
    %s = neg(%q) : f32[*]
    %u = tanh(%s) : f32[*]
    %v = add(%u, %s) : f32[*]
    return %v, %b, %q, %m
}";

#[test]
fn results_are_those_of_the_cpu() {
    let values: Vec<f32> = (0..12).map(|i| (i as f32 - 6.0) / 7.0).collect();
    let inputs = [("x", tensor(&[3, 4], &values)), ("y", tensor(&[3, 4], &values))];
    let sessions = sessions(SHAPES);
    let expected = bits(&sessions[0].run(&inputs).unwrap());
    for session in &sessions {
        for _ in 0..NUMBER {
            assert_eq!(bits(&session.run(&inputs).unwrap()), expected);
        }
        let constants = session.memory().live;
        session.run(&inputs).unwrap();
        assert_eq!(session.memory().live, constants, "everything is given back");
    }
}

#[test]
fn a_mix_uses_both_devices() {
    let used = |session: &Session| {
        let report = session.report(&[]).unwrap();
        let mut used: Vec<String> = report.steps.into_iter().map(|step| step.device).collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    let sessions = sessions(SHAPES);
    assert_eq!(used(&sessions[0]), ["cpu"]);
    assert_eq!(used(&sessions[1]), ["queued"]);
    for session in &sessions[2..] {
        assert_eq!(used(session), ["cpu", "queued"]);
    }
}

#[test]
fn control_flow_waits_for_what_it_reads() {
    let text =
        "func @f graph (%n: i64[], %x: f32[2], %limit: f32[]) -> (f32[2], f32[?, 2], f32[2]) {
        %one = constant {value = f32[](1.0)}
        %zero = constant {value = i64[](0)}
        %trips = add(%n, %n) : i64[]
        %last, %all = loop(%trips, _, %x) : f32[2], f32[?, 2]
          region (%i: i64[], %c: bool[], %v: f32[2]) {
            %w = add(%v, %one) : f32[2]
            %first = gather(%w, %zero) : f32[]
            %on = less(%first, %limit) : bool[]
            yield %on, %w, %v
          }
        %h = gather(%last, %zero) : f32[]
        %low = less(%h, %limit) : bool[]
        %y = if(%low) : f32[2] region { yield %last } region {
          %z = mul(%last, %last) : f32[2]
          yield %z
        }
        return %last, %all, %y
      }";
    let sessions = sessions(text);
    for (n, limit) in [(1i64, 100f32), (50, 5.0), (0, 1.0)] {
        let inputs = [
            ("n", tensor(&[], &[n])),
            ("x", tensor(&[2], &[0f32, 10.0])),
            ("limit", tensor(&[], &[limit])),
        ];
        let expected = bits(&sessions[0].run(&inputs).unwrap());
        for session in &sessions[1..] {
            assert_eq!(bits(&session.run(&inputs).unwrap()), expected);
        }
    }
}

#[test]
fn errors_name_the_op_where_they_began() {
    let text = "func @f graph (%x: f32[4], %i: i64[2]) -> (f32[*]) {
        %a = exp(%x) : f32[*]
        %b = gather(%a, %i) : f32[*] loc(\"pick\")
        %c = neg(%b) : f32[*] loc(\"later\")
        %d = tanh(%c) : f32[*] loc(\"last\")
        return %d
    }";
    let sessions = sessions(text);
    let inputs = [("x", tensor(&[4], &[1f32; 4])), ("i", tensor(&[2], &[1i64, 9]))];
    let expected = sessions[0].run(&inputs).unwrap_err();
    assert!(
        matches!(&expected, RunError::Op(failure) if failure.at.to_string().contains("pick")),
        "{expected}"
    );
    for session in &sessions {
        for _ in 0..NUMBER {
            assert_eq!(session.run(&inputs).unwrap_err(), expected);
        }
        assert!(is_freed(session));
    }
}

#[test]
fn errors_of_results_that_nobody_reads_are_errors_of_the_run() {
    let text = "func @f graph (%x: f32[4], %i: i64[2]) -> (f32[*]) {
        %b, %unused = split(%x, %i) {axis = 0} : f32[*], f32[*] loc(\"pick\")
        %c = exp(%x) : f32[*]
        return %c
    }";
    let inputs = [("x", tensor(&[4], &[1f32; 4])), ("i", tensor(&[2], &[1i64, 9]))];
    let runs = sessions(text);
    let expected = runs[0].run(&inputs).map(|_| ());
    for session in &runs[1..] {
        assert_eq!(session.run(&inputs).map(|_| ()), expected);
    }
}

fn chain(n: usize) -> String {
    let mut text = "func @f graph (%v0: f32[64, 64]) -> (f32[*]) {\n".to_owned();
    for i in 0..n {
        let op = if i % 2 == 0 { "sin" } else { "exp" };
        text.push_str(&format!("%v{} = {op}(%v{i}) : f32[*]\n", i + 1));
    }
    text.push_str(&format!("return %v{n}\n}}"));
    text
}

#[test]
fn the_time_limit_holds_while_work_is_queued() {
    let slow = queued(Duration::from_millis(60), 100, 1);
    let session = session_on(&chain(40), &[slow]);
    let x = [("v0", tensor(&[64, 64], &[1f32; 4096]))];
    let limit = Duration::from_millis(30);
    let options = RunContext::within(limit);
    let start = Instant::now();
    let error = session.run_with(&x, options).unwrap_err();
    assert!(matches!(&error, RunError::Deadline { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_millis(600), "{:?}", start.elapsed());
    assert!(is_freed(&session), "launches that had not begun are left out");
}

#[test]
fn memory_on_its_way_is_waited_for_before_it_is_refused() {
    let x = [("v0", tensor(&[64, 64], &[1f32; 4096]))];
    let func: Func = chain(30).parse().unwrap();
    let module = Module { funcs: vec![func], ..Module::default() };
    // A few tensors of 16 KiB: far less than all that are queued would hold.
    let options = Options { memory_limit: 6 * 16384, ..Options::default() };
    let device = queued(Duration::from_millis(1), 100, 1);
    let session = Session::new(module, &[device], &options).unwrap();
    for _ in 0..3 {
        session.run(&x).unwrap();
        assert!(session.memory().peak <= 6 * 16384);
    }
}

#[test]
fn sessions_may_run_at_once() {
    let values: Vec<f32> = (0..12).map(|i| i as f32 / 7.0).collect();
    let inputs = [("x", tensor(&[3, 4], &values)), ("y", tensor(&[3, 4], &values))];
    let session = &sessions(SHAPES)[2];
    let expected = bits(&session.run(&inputs).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..NUMBER {
                    assert_eq!(bits(&session.run(&inputs).unwrap()), expected);
                }
            });
        }
    });
}

#[test]
fn a_profile_times_launches_until_they_have_ended() {
    let session = session_on(&chain(6), &[queued(Duration::from_millis(4), 100, 3)]);
    let x = [("v0", tensor(&[64, 64], &[1f32; 4096]))];
    let options = RunContext::profiled();
    let (_, profile) = session.run_with(&x, options).unwrap();
    assert_eq!(profile.events.len(), 6);
    let sum: Duration = profile.events.iter().map(|event| event.duration).sum();
    assert!(
        sum <= profile.total && sum * 10 >= profile.total * 9,
        "{sum:?} of {:?}",
        profile.total
    );
}
