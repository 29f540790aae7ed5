//! Runs on memory of other owners: inputs and outputs lie where these have them.
#![allow(clippy::unwrap_used)] // what does not fit fails the test
// The tests lend memory, as bindings of other languages do.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use trident_cpu::CpuDevice;
use trident_engine::{Options, Partial, RunContext, RunError, Session, Sink};
use trident_ir::{DType, Module};
use trident_runtime::{
    AliasGroup, Device, ForeignMemory, Pool, Queued, QueuedOptions, Tensor, Value,
};

/// An array of another library.
struct Array {
    values: Vec<f32>,
    drops: Arc<AtomicUsize>,
}

impl Drop for Array {
    fn drop(&mut self) {
        // Whoever reads it later finds other values.
        self.values.fill(f32::NAN);
        self.drops.fetch_add(1, Relaxed);
    }
}

/// An array whose parts are lent, and how often it was dropped.
struct Lender {
    array: Arc<Array>,
    start: NonNull<u8>,
    drops: Arc<AtomicUsize>,
    group: AliasGroup,
}

impl Lender {
    fn new(values: &[f32]) -> Lender {
        let drops = Arc::new(AtomicUsize::new(0));
        // With room for an array that begins one element later.
        let values = values.iter().copied().chain([0.0]).collect();
        let mut array = Array { values, drops: drops.clone() };
        let start = NonNull::new(array.values.as_mut_ptr().cast::<u8>()).unwrap();
        Lender { array: Arc::new(array), start, drops, group: AliasGroup::new() }
    }

    /// The memory of `count` floats from byte `at` on.
    fn memory(&self, at: usize, count: usize, writable: bool) -> ForeignMemory {
        assert!(at + 4 * count <= 4 * self.array.values.len());
        let owner = self.array.clone();
        let make = if writable { ForeignMemory::writable } else { ForeignMemory::readable };
        // SAFETY: the bytes lie in the array, which the owner holds; they are accessed by members of the group only, until `values`
        // reads them once no tensor is left.
        unsafe { make(self.start.add(at), 4 * count, owner) }.in_group(&self.group)
    }

    fn input(&self, at: usize, count: usize) -> Value {
        let memory = self.memory(at, count, false);
        Tensor::of_foreign(&Pool::new(), DType::F32, &[count], memory).unwrap().into()
    }

    fn output(&self, at: usize, count: usize) -> Tensor {
        let memory = self.memory(at, count, true);
        Tensor::in_foreign(&Pool::new(), DType::F32, &[count], memory).unwrap()
    }

    /// The first values, once everything that was lent has been dropped.
    fn values(self, count: usize) -> Vec<f32> {
        assert_eq!(Arc::strong_count(&self.array), 1, "some memory is still lent");
        self.array.values[..count].to_vec()
    }

    /// Gives the array up, and returns the count of its drops.
    fn leave(self) -> Arc<AtomicUsize> {
        self.drops
    }
}

fn devices() -> [Vec<Arc<dyn Device>>; 2] {
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::new(1));
    let options = QueuedOptions { max_delay: Duration::from_millis(2), share: 100, seed: 3 };
    [vec![cpu.clone()], vec![Arc::new(Queued::new(cpu, options))]]
}

fn session(text: &str, devices: &[Arc<dyn Device>]) -> Session {
    let module = Module { funcs: vec![text.parse().unwrap()], ..Module::default() };
    Session::new(module, devices, &Options::default()).unwrap()
}

/// A sum and a view of an input, which no step computes.
const SUM: &str = "func @f graph (%x: f32[N], %y: f32[N]) -> (f32[N], f32[N]) {
    %z = add(%x, %y) : f32[N]
    return %z, %x
}";

/// An element of a sum.
const PICK: &str = "func @f graph (%x: f32[N], %i: i64[]) -> (f32[N], f32[]) {
    %z = add(%x, %x) : f32[N]
    %e = gather(%z, %i) : f32[]
    return %z, %e
}";

fn bound(outputs: Vec<(&str, Tensor)>) -> RunContext {
    let outputs = outputs.into_iter().map(|(name, tensor)| (name.to_owned(), tensor)).collect();
    RunContext { outputs, ..RunContext::default() }
}

#[test]
fn results_are_written_where_their_owner_has_them() {
    for devices in devices() {
        let session = session(SUM, &devices);
        let (x, y, z) =
            (Lender::new(&[1., 2., 3.]), Lender::new(&[4., 5., 6.]), Lender::new(&[0.; 4]));
        let view = Lender::new(&[0.; 3]);
        // Aligned for floats, and not for more.
        let context = bound(vec![("z", z.output(4, 3)), ("x", view.output(0, 3))]);
        let inputs = [("x", x.input(0, 3)), ("y", y.input(0, 3))];
        let (results, _) = session.run_with(&inputs, context).unwrap();
        let place = |tensor: &Tensor| tensor.bytes().unwrap().as_ptr().addr();
        let at = |i: usize| place(results[i].1.as_tensor().unwrap());
        assert_eq!((at(0), at(1)), (z.start.addr().get() + 4, view.start.addr().get()));
        drop((results, inputs));
        assert_eq!(z.values(4), [0., 5., 7., 9.]);
        assert_eq!(view.values(3), [1., 2., 3.]);
        let drops = [x, y].map(Lender::leave);
        assert!(drops.iter().all(|drops| drops.load(Relaxed) == 1));
    }
}

#[test]
fn inputs_are_read_where_they_are_and_may_overlap() {
    for devices in devices() {
        let session = session(SUM, &devices);
        let lender = Lender::new(&[1., 2., 3., 4.]);
        let inputs = [("x", lender.input(0, 3)), ("y", lender.input(4, 3))];
        let results = session.run(&inputs).unwrap();
        let tensor = |i: usize| results[i].1.as_tensor().unwrap();
        assert_eq!(tensor(0).slice::<f32>().unwrap(), [3., 5., 7.]);
        // The second result is the input itself, without a copy, and keeps its owner.
        let own = tensor(1).bytes().unwrap().as_ptr().addr();
        assert!(own == lender.start.addr().get() || devices[0].info().name == "queued");
        drop(inputs);
        let drops = lender.leave();
        drop(results);
        assert_eq!(drops.load(Relaxed), 1);
    }
}

#[test]
fn misaligned_inputs_are_copied_and_misaligned_outputs_are_errors() {
    for devices in devices() {
        let session = session(SUM, &devices);
        let lender = Lender::new(&[0.; 4]);
        let odd = lender.memory(1, 3, true);
        assert!(Tensor::in_foreign(&Pool::new(), DType::F32, &[3], odd).is_err());
        let inputs = [("x", lender.input(1, 3)), ("y", lender.input(2, 3))];
        let results = session.run(&inputs).unwrap();
        assert_eq!(results[0].1.as_tensor().unwrap().slice::<f32>().unwrap(), [0.; 3]);
        drop((inputs, results));
        assert_eq!(lender.leave().load(Relaxed), 1);
    }
}

#[test]
fn an_output_that_overlaps_an_input_or_another_output_is_an_error() {
    for devices in devices() {
        let session = session(SUM, &devices);
        let lender = Lender::new(&[1., 2., 3., 4., 5., 6., 7., 8.]);
        let run = |outputs: Vec<(&str, Tensor)>| {
            let inputs = [("x", lender.input(0, 3)), ("y", lender.input(4, 3))];
            let error = session.run_with(&inputs, bound(outputs)).unwrap_err();
            assert!(matches!(error, RunError::Output { .. }), "{error}");
            error.to_string()
        };
        let error = run(vec![("z", lender.output(12, 3))]);
        assert!(error.contains("output `z`") && error.contains("input `y`"), "{error}");
        let error = run(vec![("z", lender.output(16, 3)), ("x", lender.output(20, 3))]);
        assert!(error.contains("overlaps") && error.contains("output `"), "{error}");
        // Beside the inputs there is room.
        let inputs = [("x", lender.input(0, 3)), ("y", lender.input(4, 3))];
        let context = bound(vec![("z", lender.output(16, 3))]);
        drop(session.run_with(&inputs, context).unwrap());
        drop(inputs);
        assert_eq!(lender.values(8), [1., 2., 3., 4., 3., 5., 7., 8.]);
    }
}

#[test]
fn memory_that_is_only_read_is_no_place_for_results() {
    let [devices, _] = devices();
    let session = session(SUM, &devices);
    let lender = Lender::new(&[0.; 3]);
    let memory = Tensor::in_foreign(&Pool::new(), DType::F32, &[3], lender.memory(0, 3, false));
    let x = || -> Value { Tensor::from_slice(&Pool::new(), &[3], &[1f32; 3]).unwrap().into() };
    let context = bound(vec![("z", memory.unwrap())]);
    let error = session.run_with(&[("x", x()), ("y", x())], context).unwrap_err();
    assert!(matches!(error, RunError::Output { .. }), "{error}");
    assert_eq!(lender.values(3), [0.; 3]);
}

struct Panics;

impl Sink for Panics {
    fn partial(&self, _: &str, _: Partial<'_>) {
        panic!("a sink that panics");
    }
}

#[test]
fn owners_are_dropped_once_after_errors_and_panics() {
    for devices in devices() {
        let session = session(PICK, &devices);
        for panics in [false, true] {
            let (x, z) = (Lender::new(&[1., 2., 3.]), Lender::new(&[0.; 3]));
            let i =
                Tensor::from_slice(&Pool::new(), &[], &[if panics { 0i64 } else { 7 }]).unwrap();
            let inputs = [("x", x.input(0, 3)), ("i", i.into())];
            let mut context = bound(vec![("z", z.output(0, 3))]);
            if panics {
                context.sink = Some(Arc::new(Panics));
            }
            let drops = [x, z].map(Lender::leave);
            let outcome = catch_unwind(AssertUnwindSafe(|| session.run_with(&inputs, context)));
            match outcome {
                Ok(result) => assert!(matches!(result, Err(RunError::Op(_))) && !panics),
                Err(_) => assert!(panics),
            }
            drop(inputs);
            // A launch that is still in flight has the memory until it ends.
            let dropped = || drops.iter().all(|drops| drops.load(Relaxed) == 1);
            let start = std::time::Instant::now();
            while !dropped() && start.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(dropped());
        }
    }
}
