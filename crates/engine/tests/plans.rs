//! Partition, packing, memory and robustness, on devices made for the purpose.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use trident_cpu::CpuDevice;
use trident_engine::{CancelFlag, Options, PassOptions, PlanError, RunContext, RunError, Session};
use trident_ir::{DType, Dim, Element, Func, Module, Op, OpKind, Type, ValueInfo};
use trident_runtime::{
    Claim, Cost, Declined, Device, DeviceInfo, Executable, Fence, KernelError, Launch, OutputShape,
    Pool, Stream, Submitted, Tensor, Unit, Value,
};

/// How a [`Fake`] treats an op.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Runs it: the first operand plus one, in f32.
    Runs,
    /// Runs it and packs a constant second operand.
    Packs,
    Declines,
    Ignores,
    PanicsAtRun,
    PanicsAtCompile,
}

struct Fake {
    info: DeviceInfo,
    nanos: f64,
    manner: fn(OpKind) -> Manner,
}

fn fake(name: &str, nanos: f64, manner: fn(OpKind) -> Manner) -> Arc<dyn Device> {
    let info = DeviceInfo {
        name: name.into(),
        description: "for tests".into(),
        threads: 1,
        features: vec![],
    };
    Arc::new(Fake { info, nanos, manner })
}

impl Device for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn estimate(&self, _: &Func, ops: &[&Op]) -> Option<Cost> {
        let known = ops.iter().all(|op| (self.manner)(op.kind) != Manner::Ignores);
        known.then_some(Cost { nanos: self.nanos, ..Cost::default() })
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        let op = &unit.ops[0];
        let manner = (self.manner)(op.kind);
        match manner {
            Manner::Declines => Err(Declined::op(op, "it is Tuesday")),
            Manner::PanicsAtCompile => panic!("no compiler"),
            _ => {
                let packed = match op.input(1) {
                    Some(v) if manner == Manner::Packs && (unit.constant)(v).is_some() => vec![1],
                    _ => vec![],
                };
                Ok(Arc::new(PlusOne { panics: manner == Manner::PanicsAtRun, packed }))
            }
        }
    }
}

struct PlusOne {
    panics: bool,
    packed: Vec<usize>,
}

impl Executable for PlusOne {
    fn kernel(&self) -> &str {
        "plus_one"
    }

    fn packed(&self) -> &[usize] {
        &self.packed
    }

    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        let x = inputs[0].as_ref().and_then(Value::as_tensor).ok_or(KernelError::Missing(0))?;
        Ok(vec![OutputShape::Known { dtype: x.dtype(), dims: x.dims().to_vec() }])
    }

    fn submit(
        &self,
        _: &dyn Stream,
        call: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError> {
        call.settle(after)?;
        assert!(!self.panics, "out of luck");
        for &i in &self.packed {
            assert!(call.inputs[i].is_none(), "a packed operand is handed over");
        }
        let Some(Value::Tensor(x)) = call.inputs[0].take() else {
            return Err(KernelError::Missing(0));
        };
        let mut y = (call.alloc)(0, x.dtype(), x.dims())?;
        for (y, x) in y.slice_mut::<f32>()?.iter_mut().zip(x.slice::<f32>()?) {
            *y = x + 1.0;
        }
        Ok(Submitted::ended(vec![Some(y.into())]))
    }
}

fn module(text: &str) -> Module {
    Module { funcs: vec![text.parse::<Func>().unwrap()], ..Module::default() }
}

fn plain() -> Options {
    Options { passes: PassOptions::none(), ..Options::default() }
}

fn tensor<T: Element>(dims: &[usize], values: &[T]) -> Value {
    Tensor::from_slice(&Pool::new(), dims, values).unwrap().into()
}

const CHAIN: &str = "func @f graph (%x: f32[3]) -> (f32[3]) {
    %a = relu(%x) : f32[3] loc(\"first\")
    %b = exp(%a) : f32[3] loc(\"second\")
    return %b
}";

#[test]
fn the_cheapest_device_that_takes_an_op_gets_it_and_the_plan_tells_why() {
    let devices = [
        fake("slow", 100.0, |_| Manner::Runs),
        fake("fast", 1.0, |kind| if kind == OpKind::Exp { Manner::Declines } else { Manner::Runs }),
        fake("shy", 0.0, |_| Manner::Ignores),
    ];
    let session = Session::new(module(CHAIN), &devices, &plain()).unwrap();
    let steps = session.report(&[]).unwrap().steps;
    assert_eq!((steps[0].device.as_str(), steps[1].device.as_str()), ("fast", "slow"));
    assert!(steps[0].reason.contains("cheapest of 2"), "{}", steps[0].reason);
    assert!(steps[0].reason.contains("shy does not run this operation"), "{}", steps[0].reason);
    assert!(steps[1].reason.contains("the only device that can run it"), "{}", steps[1].reason);
    assert!(steps[1].reason.contains("fast declined: it is Tuesday"), "{}", steps[1].reason);
    let results = session.run(&[("x", tensor(&[3], &[0f32, 1.0, 2.0]))]).unwrap();
    assert_eq!(results[0].1.as_tensor().unwrap().slice::<f32>().unwrap(), [2.0, 3.0, 4.0]);
}

#[test]
fn an_op_that_no_device_takes_is_an_error_that_names_it() {
    let devices = [fake("a", 1.0, |_| Manner::Declines), fake("b", 1.0, |_| Manner::Ignores)];
    let error = Session::new(module(CHAIN), &devices, &plain()).err().unwrap();
    assert!(matches!(error, PlanError::Unsupported { .. }));
    assert_eq!(
        error.to_string(),
        "no device can run relu `first` (x: f32[3]): b: does not run this operation; a: it is Tuesday"
    );
    let none = Session::new(module(CHAIN), &[], &plain()).err().unwrap();
    assert_eq!(none, PlanError::NoDevices);
}

#[test]
fn limits_on_ops_and_broken_modules_are_errors() {
    let devices = [fake("a", 1.0, |_| Manner::Runs)];
    let options = Options { max_ops: 1, ..plain() };
    let error = Session::new(module(CHAIN), &devices, &options).err().unwrap();
    assert_eq!(error, PlanError::TooManyOps { limit: 1 });
    let mut broken = module(CHAIN);
    broken.funcs[0].body.ops.reverse();
    assert!(matches!(Session::new(broken, &devices, &plain()), Err(PlanError::Verify(_))));
    let empty = Session::new(Module::default(), &devices, &plain());
    assert!(matches!(empty, Err(PlanError::Verify(_))));
}

#[test]
fn panics_of_a_device_become_errors_that_name_the_op() {
    let at_run = [fake("a", 1.0, |_| Manner::PanicsAtRun)];
    let session = Session::new(module(CHAIN), &at_run, &plain()).unwrap();
    let error = session.run(&[("x", tensor(&[3], &[0f32; 3]))]).unwrap_err();
    assert_eq!(error.to_string(), "internal error: relu `first` panicked: out of luck");
    assert!(matches!(error, RunError::Panic { .. }));
    let at_compile = [fake("a", 1.0, |_| Manner::PanicsAtCompile)];
    let error = Session::new(module(CHAIN), &at_compile, &plain()).err().unwrap();
    assert_eq!(error.to_string(), "internal error: compiling relu `first` panicked: no compiler");
}

#[test]
fn constants_that_every_user_has_packed_are_dropped() {
    let text = "func @f graph (%x: f32[4]) -> (f32[4]) {
        %w = constant {value = f32[4](1.0, 2.0, 3.0, 4.0)}
        %v = constant {value = f32[1](1.0)}
        %a = add(%x, %w) : f32[4]
        %b = add(%a, %w) : f32[4]
        %c = add(%b, %v) : f32[4]
        %d = mul(%c, %v) : f32[4]
        return %d
    }";
    let packs_add = |kind| if kind == OpKind::Add { Manner::Packs } else { Manner::Runs };
    let session = Session::new(module(text), &[fake("a", 1.0, packs_add)], &plain()).unwrap();
    // Of `w` nothing is left; `v` is still an operand of mul.
    assert_eq!(session.report(&[]).unwrap().constant_bytes, 4);
    let results = session.run(&[("x", tensor(&[4], &[0f32; 4]))]).unwrap();
    assert_eq!(results[0].1.as_tensor().unwrap().slice::<f32>().unwrap(), [4.0; 4]);
}

/// A chain of `n` matrix additions with a skip over all of it.
fn long_chain(n: usize, dims: &str) -> String {
    let mut text = format!("func @f graph (%x: f32[{dims}]) -> (f32[{dims}]) {{\n");
    text.push_str(&format!("%v0 = transpose(%x) {{perm = [1, 0]}} : f32[{dims}]\n"));
    for i in 0..n {
        let next = i + 1;
        text.push_str(&format!("%v{next} = transpose(%v{i}) {{perm = [1, 0]}} : f32[{dims}]\n"));
    }
    text.push_str(&format!("%y = add(%v{n}, %v0) : f32[{dims}]\nreturn %y\n}}"));
    text
}

#[test]
fn the_planned_peak_is_what_a_run_takes() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    for dims in ["128, 128", "N, N"] {
        let session = Session::new(module(&long_chain(9, dims)), &devices, &plain()).unwrap();
        let report = session.report(&[("x", vec![128, 128])]).unwrap();
        let one = 128 * 128 * 4;
        // v0 lives through the chain, of the others two at a time.
        assert_eq!((report.memory.live, report.unplanned), (3 * one, 0), "{dims}");
        assert_eq!(report.memory.arena, 3 * one);
        assert_eq!(report.memory.results, one);
        let x: Vec<f32> = (0..128 * 128).map(|i| i as f32).collect();
        session.run(&[("x", tensor(&[128, 128], &x))]).unwrap();
        let peak = session.memory().peak;
        assert!(peak <= report.peak_bytes() * 9 / 8, "{peak} of {}", report.peak_bytes());
        assert!(peak >= report.memory.live);
        assert_eq!(session.memory().live, 0, "everything is given back");
    }
}

#[test]
fn what_no_memory_can_hold_is_no_plan() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let outer = "func @f graph (%x: f32[N, 1], %y: f32[1, M]) -> (f32[N, M]) {
        %z = mul(%x, %y) : f32[N, M]
        return %z
    }";
    let session = Session::new(module(outer), &devices, &plain()).unwrap();
    let sides = |n, m| session.report(&[("x", vec![n, 1]), ("y", vec![1, m])]);
    let large = sides(1 << 30, 1 << 25).unwrap();
    assert_eq!(large.memory.results, 1 << 57);
    let error = sides(1 << 40, 1 << 40).unwrap_err();
    assert!(matches!(error, PlanError::TooLarge { .. }));
    let text = "result of mul `z` (f32[1099511627776, 1099511627776]) takes more bytes than memory can have";
    assert_eq!(error.to_string(), text);
    // Each value could be had, but not all of them.
    let session = Session::new(module(&long_chain(3, "N, N")), &devices, &plain()).unwrap();
    assert!(session.report(&[("x", vec![1 << 29, 1 << 29])]).is_ok());
    let error = session.report(&[("x", vec![1 << 30, 1 << 30])]).unwrap_err();
    assert!(error.to_string().contains("alive at once"), "{error}");
    let error = session.report(&[("x", vec![1 << 40, 1 << 40])]).unwrap_err();
    assert!(error.to_string().contains("input `x`"), "{error}");
    // Dimensions that contradict the model give no figures of another model.
    let error = session.report(&[("x", vec![3])]).unwrap_err();
    assert!(matches!(error, PlanError::Optimize(_)), "{error}");
}

#[test]
fn other_input_shapes_get_plans_of_their_own() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let session = Session::new(module(&long_chain(3, "N, N")), &devices, &plain()).unwrap();
    for round in 0..2 {
        for n in 1..20usize {
            let x: Vec<f32> = (0..n * n).map(|i| (i * round) as f32).collect();
            let results = session.run(&[("x", tensor(&[n, n], &x))]).unwrap();
            let y = results[0].1.as_tensor().unwrap().slice::<f32>().unwrap().to_vec();
            // Four transpositions are none; the skip adds the first one.
            for (i, y) in y.iter().enumerate() {
                assert_eq!(*y, x[i] + x[i % n * n + i / n]);
            }
        }
    }
}

#[test]
fn the_memory_limit_is_an_error_and_leaves_the_session_usable() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let options = Options { memory_limit: 1 << 20, ..plain() };
    let session = Session::new(module(&long_chain(3, "N, N")), &devices, &options).unwrap();
    let error = session.run(&[("x", tensor(&[1000, 1000], &vec![0f32; 1_000_000]))]).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    assert!(error.hint().is_some_and(|h| h.contains("smaller")), "{error}");
    assert!(session.run(&[("x", tensor(&[10, 10], &[0f32; 100]))]).is_ok());
}

#[test]
fn preparation_can_be_cancelled_at_each_step() {
    let text = "func @f graph (%x: f32[2]) -> (f32[2]) {
        %a = constant {value = f32[2](0.0, 0.0)}
        %one = exp(%a) : f32[2]
        %s = sum(%one, %x) : f32[2]
        %y = softmax(%s) : f32[2]
        return %y
    }";
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    for questions in 0.. {
        let asked = AtomicUsize::new(0);
        let flag = CancelFlag::when(move || asked.fetch_add(1, Ordering::Relaxed) >= questions);
        let options = Options { cancel: Some(flag), ..plain() };
        match Session::new(module(text), &devices, &options) {
            Err(error) => assert_eq!(error, PlanError::Cancelled),
            Ok(session) => {
                // One op is folded, two passes end, and at least two ops are compiled.
                assert!(questions >= 5, "{questions}");
                let results = session.run(&[("x", tensor(&[2], &[1f32, 1.0]))]).unwrap();
                let y = results[0].1.as_tensor().unwrap();
                assert_eq!(y.slice::<f32>().unwrap(), [0.5, 0.5]);
                break;
            }
        }
    }
}

const MIXED: &str = "func @f graph (%x: f32[N, 65], %w: f32[65, 33]) -> (f32[N, 33], f32[N, 65]) {
    %e = exp(%x) : f32[N, 65]
    %s = sum(%e, %x, %e) : f32[N, 65]
    %m = matmul(%s, %w) : f32[N, 33]
    %t = tanh(%m) : f32[N, 33]
    return %t, %s
}";

#[test]
fn results_are_the_same_bits_for_all_thread_counts_runs_and_overlapping_runs() {
    let x: Vec<f32> = (0..97 * 65).map(|i| ((i * 37 % 101) as f32 - 50.0) / 25.0).collect();
    let w: Vec<f32> = (0..65 * 33).map(|i| ((i * 53 % 97) as f32 - 48.0) / 99.0).collect();
    let inputs = [("x", tensor(&[97, 65], &x)), ("w", tensor(&[65, 33], &w))];
    let bits = |session: &Session| -> Vec<Vec<u8>> {
        let results = session.run(&inputs).unwrap();
        results.iter().map(|(_, v)| v.as_tensor().unwrap().bytes().unwrap().to_vec()).collect()
    };
    let mut expected: Option<Vec<Vec<u8>>> = None;
    for threads in [1, 2, 3, 8] {
        let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(threads))];
        let session = Session::new(module(MIXED), &devices, &Options::default()).unwrap();
        for _ in 0..3 {
            let found = bits(&session);
            assert_eq!(*expected.get_or_insert_with(|| found.clone()), found, "{threads} threads");
        }
        let wrong = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let same = expected.as_ref() == Some(&bits(&session));
                    wrong.fetch_add(usize::from(!same), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(wrong.into_inner(), 0);
    }
}

#[test]
fn a_profile_has_an_event_for_each_step() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let session = Session::new(module(MIXED), &devices, &plain()).unwrap();
    let inputs = [("x", tensor(&[2, 65], &[0f32; 130])), ("w", tensor(&[65, 33], &[0f32; 2145]))];
    let options = RunContext::profiled();
    let (_, profile) = session.run_with(&inputs, options).unwrap();
    let ops: Vec<&str> = profile.events.iter().map(|e| e.op).collect();
    assert_eq!(ops, ["exp", "sum", "matmul", "tanh"]);
    let product = &profile.events[2];
    assert_eq!(product.flops, 2.0 * 2.0 * 65.0 * 33.0);
    assert_eq!(product.types, "f32[2, 65], f32[65, 33] -> f32[2, 33]");
    assert_eq!(product.bytes, 4 * (130 + 2145 + 66));
    assert!(profile.events.iter().all(|e| e.start + e.duration <= profile.total));
}

#[test]
fn a_caller_keeps_its_inputs_and_results() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let session = Session::new(module(CHAIN), &devices, &plain()).unwrap();
    let x = tensor(&[3], &[-1f32, 0.0, 1.0]);
    let kept = Mutex::new(Vec::new());
    for _ in 0..3 {
        kept.lock().unwrap().push(session.run(&[("x", x.clone())]).unwrap());
    }
    for results in kept.into_inner().unwrap() {
        let y = results[0].1.as_tensor().unwrap().slice::<f32>().unwrap().to_vec();
        assert_eq!(y, [1.0, 1.0, 1f32.exp()]);
    }
    assert_eq!(x.as_tensor().unwrap().slice::<f32>().unwrap(), [-1.0, 0.0, 1.0]);
}

#[test]
fn optional_inputs_are_constants_until_they_are_given() {
    let text = "func @f graph (%x: f32[2, 2]) -> (f32[*]) {
    %w = constant {value = f32[2, 2](1, 2, 3, 4)}
    %k = constant {value = f32[](2)}
    %v = mul(%w, %k) : f32[*]
    %y = matmul(%x, %v) : f32[*]
    return %y
}";
    let info = |name: &str, ty| ValueInfo { name: name.into(), ty };
    let shape = |n: &str| Type::tensor(DType::F32, [Dim::Fixed(2), Dim::sym(n)]);
    let optional = vec![info("w", shape("N")), info("k", Type::fixed(DType::F32, &[]))];
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let make =
        |optional| Session::with_optional(module(text), optional, &devices, &Options::default());
    let session = make(optional).unwrap();
    // The product of the constants is folded.
    assert_eq!(session.report(&[]).unwrap().steps.len(), 1);
    let x = || ("x", tensor(&[2, 2], &[1.0f32, 0.0, 0.0, 1.0]));
    let run = |inputs: &[(&str, Value)]| {
        let y = session.run(inputs).unwrap().remove(0).1;
        let y = y.as_tensor().unwrap().clone();
        (y.dims().to_vec(), y.slice::<f32>().unwrap().to_vec())
    };
    assert_eq!(run(&[x()]).1, [2.0, 4.0, 6.0, 8.0]);
    let k = || ("k", tensor(&[], &[10.0f32]));
    assert_eq!(run(&[k(), x()]).1, [10.0, 20.0, 30.0, 40.0]);
    let w = || ("w", tensor(&[2, 1], &[5.0f32, 6.0]));
    assert_eq!(run(&[w(), x()]), (vec![2, 1], vec![10.0, 12.0]));
    assert_eq!(run(&[k(), x(), w()]), (vec![2, 1], vec![50.0, 60.0]));
    assert_eq!(run(&[x()]).1, [2.0, 4.0, 6.0, 8.0]);
    let bad = session.run(&[x(), ("k", tensor(&[1], &[1.0f32]))]).unwrap_err();
    assert!(
        matches!(&bad, RunError::Input { hint, .. } if hint.contains("optional ones are w: f32[2, N], k"))
    );
    let missing = make(vec![info("z", shape("N"))]).map(|_| ()).unwrap_err();
    assert!(matches!(missing, PlanError::NoDefault { input } if input == "z"));
}

/// In nanoseconds: so long that it does not matter what it costs to cross devices.
const MILLISECOND: f64 = 1e6;

/// Claims regions: each of its ops adds one, so a region of n adds n.
struct Regions {
    info: DeviceInfo,
    /// Places of the ops that it claims together, and what they cost in milliseconds.
    claims: Vec<(std::ops::Range<usize>, f64)>,
    declines: bool,
}

struct PlusMany {
    n: usize,
    outputs: usize,
}

impl Device for Regions {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn estimate(&self, _: &Func, _: &[&Op]) -> Option<Cost> {
        None
    }

    fn claim(&self, _: &Func, _: &[Op]) -> Vec<Claim> {
        let claim = |(ops, nanos): &(std::ops::Range<usize>, f64)| Claim {
            ops: ops.clone().collect(),
            cost: Cost { nanos: *nanos * MILLISECOND, ..Cost::default() },
        };
        self.claims.iter().map(claim).collect()
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        if self.declines {
            return Err(Declined::op(&unit.ops[0], "it is Tuesday"));
        }
        assert_eq!(unit.inputs.len(), 1, "{:?}", unit.inputs);
        Ok(Arc::new(PlusMany { n: unit.ops.len(), outputs: unit.outputs.len() }))
    }
}

impl Executable for PlusMany {
    fn kernel(&self) -> &str {
        "plus_many"
    }

    fn shapes(&self, _: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        Ok(vec![OutputShape::AfterLaunch; self.outputs])
    }

    fn submit(
        &self,
        _: &dyn Stream,
        call: &mut Launch<'_>,
        _: &[Fence],
    ) -> Result<Submitted, KernelError> {
        let Some(Value::Tensor(x)) = call.inputs[0].take() else {
            return Err(KernelError::Missing(0));
        };
        // The last output has all added, the one before one less.
        let output = |i: usize| -> Result<Option<Value>, KernelError> {
            let more = (self.n - (self.outputs - 1 - i)) as f32;
            let mut y = (call.alloc)(i, x.dtype(), x.dims())?;
            for (y, x) in y.slice_mut::<f32>()?.iter_mut().zip(x.slice::<f32>()?) {
                *y = x + more;
            }
            Ok(Some(y.into()))
        };
        Ok(Submitted::ended((0..self.outputs).map(output).collect::<Result<_, _>>()?))
    }
}

const FIVE: &str = "func @f graph (%x: f32[3]) -> (f32[3], f32[3]) {
    %a = neg(%x) : f32[3] loc(\"one\")
    %b = neg(%a) : f32[3]
    %c = neg(%b) : f32[3]
    %d = neg(%c) : f32[3] loc(\"four\")
    %e = neg(%d) : f32[3]
    return %e, %d
}";

fn with_regions(claims: &[(std::ops::Range<usize>, f64)], declines: bool) -> Session {
    let single = fake("single", 10.0 * MILLISECOND, |_| Manner::Runs);
    let mut info = single.info().clone();
    info.name = "regions".into();
    let regions = Arc::new(Regions { info, claims: claims.to_vec(), declines });
    Session::new(module(FIVE), &[single, regions], &plain()).unwrap()
}

#[test]
fn regions_are_taken_where_they_cost_less() {
    let steps = |claims: &[(std::ops::Range<usize>, f64)], declines| {
        let session = with_regions(claims, declines);
        let results = session.run(&[("x", tensor(&[3], &[0f32, 1.0, 2.0]))]).unwrap();
        let values = |i: usize| {
            let value: &Value = &results[i].1;
            value.as_tensor().unwrap().slice::<f32>().unwrap().to_vec()
        };
        assert_eq!((values(0), values(1)), (vec![5.0, 6.0, 7.0], vec![4.0, 5.0, 6.0]));
        drop(results);
        assert_eq!(session.memory().live, 0);
        let steps = session.report(&[]).unwrap().steps;
        steps.iter().map(|step| step.ops).collect::<Vec<_>>()
    };
    assert_eq!(steps(&[(0..5, 60.0)], false), [1; 5], "dearer than its ops alone");
    assert_eq!(steps(&[(0..3, 25.0)], false), [3, 1, 1]);
    assert_eq!(
        steps(&[(0..3, 25.0), (2..5, 20.0)], false),
        [1, 1, 3],
        "of those that overlap the better"
    );
    assert_eq!(steps(&[(0..3, 25.0), (3..5, 15.0)], false), [3, 2]);
    assert_eq!(
        steps(&[(0..4, 35.0), (0..9, 1.0), (2..2, 0.0)], false),
        [4, 1],
        "others are not claims"
    );
    assert_eq!(steps(&[(0..3, 25.0)], true), [1; 5], "declined");
}

#[test]
fn a_region_is_named_by_its_ends() {
    let session = with_regions(&[(0..4, 5.0)], false);
    let step = &session.report(&[]).unwrap().steps[0];
    assert_eq!((step.device.as_str(), step.results.len()), ("regions", 1));
    let (_, profile) =
        session.run_with(&[("x", tensor(&[3], &[0f32; 3]))], RunContext::profiled()).unwrap();
    assert_eq!((profile.events.len(), profile.events[0].kernel.as_str()), (2, "plus_many"));
}
