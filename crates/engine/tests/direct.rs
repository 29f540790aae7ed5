//! Direct launches: functions of one short launch, on memory of the caller.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Options, Session};
use trident_ir::{Element, Module};
use trident_runtime::{Device, Pool, Queued, QueuedOptions, Tensor, TensorView, TensorViewMut};

fn session_on(device: Arc<dyn Device>, text: &str) -> Session {
    let module = Module { funcs: vec![text.parse().unwrap()], ..Module::default() };
    Session::new(module, &[device], &Options::default()).unwrap()
}

fn session(text: &str) -> Session {
    session_on(Arc::new(CpuDevice::new(2)), text)
}

/// An operand or a result: dimensions and elements.
type Array<T> = (Vec<usize>, Vec<T>);

fn array<T: Element>(dims: &[usize], value: impl Fn(usize) -> T) -> Array<T> {
    (dims.to_vec(), (0..dims.iter().product()).map(value).collect())
}

fn bytes<T: Element>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

/// Whether the inputs are computed directly into a result of these dimensions, and the result. It must be that of a run.
fn direct<T: Element, U: Element>(
    session: &Session,
    inputs: &[&Array<T>],
    dims: &[usize],
) -> Option<Vec<U>> {
    let views: Vec<TensorView<'_>> = inputs
        .iter()
        .map(|array| TensorView::new(T::DTYPE, &array.0, bytes(&array.1)).unwrap())
        .collect();
    let mut result = vec![U::default(); dims.iter().product()];
    let out = TensorViewMut::new(U::DTYPE, dims, bytemuck::cast_slice_mut(&mut result)).unwrap();
    if !session.direct(&views, &mut [out]) {
        return None;
    }
    let names = session.signature().inputs.iter().map(|input| &*input.name);
    let tensors = inputs
        .iter()
        .map(|(dims, values)| Tensor::from_slice(&Pool::new(), dims, values).unwrap().into());
    let inputs: Vec<_> = names.zip(tensors).collect();
    let run = session.run(&inputs).unwrap();
    let tensor = run[0].1.as_tensor().unwrap();
    assert_eq!(tensor.dims(), dims);
    assert_eq!(tensor.bytes().unwrap(), bytes(&result));
    Some(result)
}

fn floats(dims: &[usize]) -> Array<f32> {
    array(dims, |i| [0.5, -1.25, f32::NAN, -0.0, 3e38, f32::INFINITY][i % 6] + i as f32)
}

#[test]
fn operands_are_broadcast_as_in_a_run() {
    for op in ["add", "sub", "mul", "div"] {
        let text = format!(
            "func @f graph (%x: f32[?, ?], %y: f32[?]) -> (f32[?, ?]) {{\n    %z = {op}(%x, %y) : f32[?, ?]\n    return %z\n}}"
        );
        let session = session(&text);
        for (x, y, z) in [
            ([7, 5], [5], [7, 5]),
            ([7, 1], [5], [7, 5]),
            ([1, 1], [3], [1, 3]),
            ([2, 3], [1], [2, 3]),
            ([1, 1], [1], [1, 1]),
            ([0, 3], [3], [0, 3]),
        ] {
            let (x, y) = (floats(&x), floats(&y));
            assert!(direct::<f32, f32>(&session, &[&x, &y], &z).is_some(), "{op} {z:?}");
        }
        let (x, y) = (floats(&[2, 3]), floats(&[3]));
        assert!(direct::<f32, f32>(&session, &[&x, &y], &[3, 2]).is_none(), "other dimensions");
        assert!(direct::<f32, i32>(&session, &[&x, &y], &[2, 3]).is_none(), "another type");
        assert!(direct::<f32, f32>(&session, &[&x], &[2, 3]).is_none(), "an operand is missing");
        assert!(direct::<f32, f32>(&session, &[&y, &y], &[3]).is_none(), "another rank");
        let two = floats(&[2]);
        assert!(direct::<f32, f32>(&session, &[&x, &two], &[2, 3]).is_none(), "no broadcast");
    }
}

#[test]
fn functions_of_an_element_and_relations_are_direct() {
    let text = |op: &str, to: &str| {
        format!(
            "func @f graph (%x: f32[?]) -> ({to}[?]) {{\n    %z = {op}(%x) : {to}[?]\n    return %z\n}}"
        )
    };
    for op in ["relu", "exp", "neg", "abs", "sqrt", "tanh", "log"] {
        let session = session(&text(op, "f32"));
        assert!(direct::<f32, f32>(&session, &[&floats(&[1000])], &[1000]).is_some(), "{op}");
    }
    let less = session(
        "func @f graph (%x: f32[?], %y: f32[?]) -> (bool[?]) {\n    %z = less(%x, %y) : bool[?]\n    return %z\n}",
    );
    let x = floats(&[9]);
    let holds: Option<Vec<trident_ir::element::B8>> = direct(&less, &[&x, &x], &[9]);
    assert!(holds.unwrap().iter().all(|holds| holds.0 == 0));
}

#[test]
fn declared_dimensions_are_checked() {
    let session = session(
        "func @f graph (%x: f32[N, 2], %y: f32[N, 1]) -> (f32[N, 2]) {\n    %z = add(%x, %y) : f32[N, 2]\n    return %z\n}",
    );
    let x = floats(&[3, 2]);
    assert!(direct::<f32, f32>(&session, &[&x, &floats(&[3, 1])], &[3, 2]).is_some());
    assert!(direct::<f32, f32>(&session, &[&x, &floats(&[1, 1])], &[3, 2]).is_none(), "N is 3");
    let wide = floats(&[3, 1]);
    assert!(direct::<f32, f32>(&session, &[&wide, &wide], &[3, 1]).is_none(), "an axis is 2 long");
}

#[test]
fn long_launches_failures_and_other_functions_are_for_a_run() {
    let add = "func @f graph (%x: f32[?], %y: f32[?]) -> (f32[?]) {\n    %z = add(%x, %y) : f32[?]\n    return %z\n}";
    let long = floats(&[1 << 17]);
    let session_of = session(add);
    assert!(direct::<f32, f32>(&session_of, &[&long, &long], &[1 << 17]).is_none());
    let queued = Queued::new(Arc::new(CpuDevice::new(1)), QueuedOptions::default());
    let queued = session_on(Arc::new(queued), add);
    assert!(direct::<f32, f32>(&queued, &[&floats(&[4]), &floats(&[4])], &[4]).is_none());
    let divided = session(
        "func @f graph (%x: i32[?], %y: i32[?]) -> (i32[?]) {\n    %z = div(%x, %y) : i32[?]\n    return %z\n}",
    );
    let (x, y) = (array(&[4], |i| 7 * i as i32), array(&[4], |i| i as i32 - 1));
    assert!(direct::<i32, i32>(&divided, &[&x, &y], &[4]).is_none(), "a divisor is 0");
    let ones = array(&[4], |i| i as i32 + 1);
    assert_eq!(direct(&divided, &[&x, &ones], &[4]), Some(vec![0, 3, 4, 5]));
    let two = session(
        "func @f graph (%x: f32[?]) -> (f32[?]) {\n    %y = exp(%x) : f32[?]\n    %z = softmax(%y) : f32[?]\n    return %z\n}",
    );
    assert!(direct::<f32, f32>(&two, &[&floats(&[4])], &[4]).is_none(), "two launches");
}
