//! Control flow on the CPU device, from functions in text form.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::Arc;
use std::time::Duration;
use trident_cpu::CpuDevice;
use trident_engine::{Options, RunContext, RunError, Session};
use trident_ir::element::B8;
use trident_ir::{Element, Func, Module};
use trident_runtime::{Device, Pool, Tensor, Value};

fn session(text: &str) -> Session {
    let func: Func = text.parse().unwrap();
    let module = Module { funcs: vec![func], ..Module::default() };
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    Session::new(module, &devices, &Options::default()).unwrap()
}

fn tensor<T: Element>(dims: &[usize], values: &[T]) -> Value {
    Tensor::from_slice(&Pool::new(), dims, values).unwrap().into()
}

fn elements<T: Element>(value: &Value) -> (Vec<usize>, Vec<T>) {
    let t = value.as_tensor().unwrap();
    (t.dims().to_vec(), t.slice::<T>().unwrap().to_vec())
}

fn truth(value: bool) -> Value {
    tensor(&[], &[B8::from(value)])
}

#[test]
fn an_if_runs_one_branch_and_sees_the_values_around_it() {
    let session = session(
        "func @f graph (%c: bool[], %x: f32[2]) -> (f32[2]) {
           %twice = add(%x, %x) : f32[2]
           %y = if(%c) : f32[2] region { yield %twice } region {
             %z = mul(%twice, %x) : f32[2]
             yield %z
           }
           %sum = add(%y, %x) : f32[2]
           return %sum
         }",
    );
    let run = |c| session.run(&[("c", truth(c)), ("x", tensor(&[2], &[3f32, 4.0]))]).unwrap();
    assert_eq!(elements::<f32>(&run(true)[0].1).1, [9.0, 12.0]);
    assert_eq!(elements::<f32>(&run(false)[0].1).1, [21.0, 36.0]);
}

/// Adds one until the first element reaches the limit.
fn counting() -> Session {
    session(
        "func @f graph (%n: i64[], %go: bool[], %x: f32[2], %limit: f32[]) -> (f32[2], f32[?, 2]) {
           %one = constant {value = f32[](1.0)}
           %zero = constant {value = i64[](0)}
           %last, %all = loop(%n, %go, %x) : f32[2], f32[?, 2]
             region (%i: i64[], %c: bool[], %v: f32[2]) {
               %w = add(%v, %one) : f32[2]
               %first = gather(%w, %zero) : f32[]
               %on = less(%first, %limit) : bool[]
               yield %on, %w, %v
             }
           return %last, %all
         }",
    )
}

fn count(session: &Session, n: i64, go: bool, limit: f32) -> Vec<(String, Value)> {
    let inputs = [
        ("n", tensor(&[], &[n])),
        ("go", truth(go)),
        ("x", tensor(&[2], &[0f32, 10.0])),
        ("limit", tensor(&[], &[limit])),
    ];
    session.run(&inputs).unwrap()
}

#[test]
fn a_loop_ends_by_trip_count_or_condition_and_stacks_what_it_yields() {
    let session = counting();
    let by_count = count(&session, 2, true, 100.0);
    assert_eq!(elements::<f32>(&by_count[0].1), (vec![2], vec![2.0, 12.0]));
    assert_eq!(elements::<f32>(&by_count[1].1), (vec![2, 2], vec![0.0, 10.0, 1.0, 11.0]));
    let by_condition = count(&session, 1000, true, 3.0);
    assert_eq!(elements::<f32>(&by_condition[0].1).1, [3.0, 13.0]);
    for none in [count(&session, 0, true, 9.0), count(&session, 5, false, 9.0)] {
        assert_eq!(elements::<f32>(&none[0].1).1, [0.0, 10.0]);
        assert_eq!(elements::<f32>(&none[1].1), (vec![0, 2], vec![]));
    }
}

#[test]
fn an_endless_loop_is_stopped_by_the_time_limit() {
    let session = session(
        "func @f graph (%x: f32[1]) -> (f32[1]) {
           %y = loop(_, _, %x) : f32[1] loc(\"forever\") region (%i: i64[], %c: bool[], %v: f32[1]) {
             yield %c, %v
           }
           return %y
         }",
    );
    let options = RunContext::within(Duration::from_millis(20));
    let error = session.run_with(&[("x", tensor(&[1], &[1f32]))], options).unwrap_err();
    assert!(matches!(error, RunError::Deadline { .. }), "{error}");
    assert!(error.to_string().contains("loop `forever`"), "{error}");
}

#[test]
fn loops_carry_sequences() {
    let session = session(
        "func @f graph (%n: i64[]) -> (seq<i64[*]>) {
           %empty = sequence_empty() {dtype = i64} : seq<i64[*]>
           %all = loop(%n, _, %empty) : seq<i64[*]> region (%i: i64[], %c: bool[], %s: seq<i64[*]>) {
             %t = sequence_insert(%s, %i) : seq<i64[*]>
             yield %c, %t
           }
           return %all
         }",
    );
    let results = session.run(&[("n", tensor(&[], &[4i64]))]).unwrap();
    let Value::Seq(items) = &results[0].1 else { panic!("{:?}", results[0].1) };
    let numbers: Vec<i64> = items.iter().flat_map(|v| elements::<i64>(v).1).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
}

#[test]
fn a_scan_follows_axes_and_directions() {
    // Running sum over the columns of x, last column first; sums are put in front of each other as columns.
    let session = session(
        "func @f graph (%s: f32[2], %x: f32[2, N]) -> (f32[2], f32[2, N]) {
           %last, %sums = scan(%s, %x) {num_scan_inputs = 1, scan_input_axes = [-1], scan_output_axes = [1],
             scan_input_directions = [1], scan_output_directions = [1]} : f32[2], f32[2, N]
             region (%a: f32[2], %e: f32[2]) {
               %b = add(%a, %e) : f32[2]
               yield %b, %b
             }
           return %last, %sums
         }",
    );
    let x = tensor(&[2, 3], &[1f32, 2.0, 3.0, 10.0, 20.0, 30.0]);
    let results = session.run(&[("s", tensor(&[2], &[0f32, 0.0])), ("x", x)]).unwrap();
    assert_eq!(elements::<f32>(&results[0].1).1, [6.0, 60.0]);
    let sums = elements::<f32>(&results[1].1);
    assert_eq!(sums, (vec![2, 3], vec![6.0, 5.0, 3.0, 60.0, 50.0, 30.0]));
    let none = [("s", tensor(&[2], &[5f32, 6.0])), ("x", tensor::<f32>(&[2, 0], &[]))];
    let results = session.run(&none).unwrap();
    assert_eq!(elements::<f32>(&results[0].1).1, [5.0, 6.0]);
}

#[test]
fn errors_inside_regions_name_the_op_and_its_operands() {
    let session = session(
        "func @f graph (%c: bool[], %x: f32[A], %y: f32[B]) -> (f32[*]) {
           %z = if(%c) : f32[*] region {
             %s = add(%x, %y) : f32[*] loc(\"sum\")
             yield %s
           } region { yield %x }
           return %z
         }",
    );
    let inputs = |a: &[f32], b: &[f32]| {
        [("c", truth(true)), ("x", tensor(&[a.len()], a)), ("y", tensor(&[b.len()], b))]
    };
    assert!(session.run(&inputs(&[1.0, 2.0], &[3.0, 4.0])).is_ok());
    let error = session.run(&inputs(&[1.0, 2.0], &[3.0, 4.0, 5.0])).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("add `sum`: "), "{text}");
    assert!(text.contains("x: f32[2], y: f32[3]"), "{text}");
}
