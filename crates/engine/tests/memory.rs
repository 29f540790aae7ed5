//! Counts of sessions' pools: weights, strings, results that outlive the session, and temporaries while launches are in flight.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use half::f16;
use std::sync::Arc;
use std::time::Duration;
use trident_cpu::CpuDevice;
use trident_engine::{Optimized, Options, PassOptions, PlanError, RunContext, RunError, Session};
use trident_ir::{DType, Element, Func, Module, Op, OpKind, Type, ValueInfo};
use trident_runtime::{
    Admission, AdmissionRequest, Cost, Declined, Device, DeviceInfo, Executable, KernelError, Pool,
    PoolStats, Queued, QueuedOptions, Stream, Tensor, Unit, Value,
};

fn module(text: &str) -> Module {
    Module { funcs: vec![text.parse::<Func>().unwrap()], ..Module::default() }
}

fn plain(memory_limit: usize) -> Options {
    Options { passes: PassOptions::none(), memory_limit, ..Options::default() }
}

fn tensor<T: Element>(dims: &[usize], values: &[T]) -> Value {
    Tensor::from_slice(&Pool::new(), dims, values).unwrap().into()
}

fn words(dims: &[usize], values: &[&str]) -> Value {
    let values = values.iter().map(|word| (*word).to_owned()).collect();
    Tensor::from_strings(dims, values).unwrap().into()
}

fn queued(max_delay: Duration) -> Arc<dyn Device> {
    let options = QueuedOptions { seed: 1, max_delay, share: 100 };
    Arc::new(Queued::new(Arc::new(CpuDevice::new(1)), options))
}

/// A function that multiplies by a weight of 64 × 64, 16 KiB of them.
fn product(name: &str) -> Module {
    let weight: Vec<String> = (0..64 * 64).map(|i| format!("{}", i % 7)).collect();
    module(&format!(
        "func @{name} graph (%x: f32[N, 64]) -> (f32[*]) {{
            %w = constant {{value = f32[64, 64]({})}}
            %y = matmul(%x, %w) : f32[*]
            return %y
        }}",
        weight.join(", ")
    ))
}

/// The counters of a pool that a device lists under this name.
fn listed(device: &Arc<dyn Device>, name: &str) -> Option<PoolStats> {
    let pools = device.memory().device_stats().pools;
    pools.into_iter().find(|(own, _)| own == name).map(|(_, stats)| stats)
}

#[test]
fn a_session_is_listed_until_it_and_its_results_are_gone() {
    let inputs = [("x", tensor(&[300, 64], &[1f32; 300 * 64]))];
    for (name, device) in [
        ("outlived_on_the_cpu", Arc::new(CpuDevice::new(1)) as Arc<dyn Device>),
        ("outlived_on_a_queue", queued(Duration::from_micros(100))),
    ] {
        let devices = [Arc::clone(&device)];
        let session = Session::new(product(name), &devices, &plain(0)).unwrap();
        let result = session.run(&inputs).unwrap().remove(0).1;
        let expected = result.as_tensor().unwrap().bytes().unwrap().to_vec();
        let loaded = listed(&device, name).unwrap();
        assert!(loaded.live >= 16 << 10 && loaded == session.memory(), "{loaded:?}");
        drop(session);
        let left = listed(&device, name).unwrap();
        let size = 300 * 64 * 4;
        assert!((size..size + size / 8 + (16 << 10)).contains(&left.live), "{left:?}");
        assert_eq!(left.elsewhere, 0, "packed weights go with the session");
        assert_eq!(result.as_tensor().unwrap().bytes().unwrap(), expected);
        drop(result);
        assert_eq!(listed(&device, name), None);
    }
}

#[test]
fn unloading_leaves_nothing_of_a_device_s_memory() {
    let device = queued(Duration::from_micros(100));
    for _ in 0..20 {
        let sessions = ["first", "second"].map(|name| {
            let session = Session::new(product(name), &[Arc::clone(&device)], &plain(0)).unwrap();
            session.run(&[("x", tensor(&[40, 64], &[1f32; 40 * 64]))]).unwrap();
            session
        });
        assert_eq!(device.memory().device_stats().pools.len(), 2);
        drop(sessions);
        let stats = device.memory().device_stats();
        assert!(stats.pools.is_empty(), "{stats:?}");
        assert_eq!((stats.buffers.live, stats.reserved, stats.cached), (0, 0, 0), "{stats:?}");
    }
}

#[test]
fn packed_weights_count_and_are_limited() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let session = Session::new(product("packed"), &devices, &plain(0)).unwrap();
    let packed = session.report(&[("x", vec![1, 64])]).unwrap().packed_bytes;
    let stats = session.memory();
    assert!(packed >= 16 << 10 && stats.elsewhere == packed, "{packed} of {stats:?}");
    assert!(stats.live >= packed && stats.peak >= packed);
    for (limit, fits) in [(packed - 1, false), (packed, true)] {
        let made = Session::new(product("packed"), &devices, &plain(limit));
        match made.map(|session| session.memory().elsewhere) {
            Ok(elsewhere) => assert!(fits && elsewhere == packed),
            Err(PlanError::Memory { op, bytes, limit: told, .. }) => {
                assert!(!fits && op.to_string() == "matmul" && bytes == packed && told == limit);
            }
            Err(other) => panic!("{other}"),
        }
    }
    // Runs get what the weights leave.
    let session = Session::new(product("packed"), &devices, &plain(packed + 8192)).unwrap();
    let rows = |n: usize| [("x", tensor(&[n, 64], &vec![1f32; n * 64]))];
    assert!(session.run(&rows(16)).is_ok());
    let error = session.run(&rows(64)).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

#[test]
fn weights_beyond_the_limit_are_not_packed() {
    /// A device that ends where it would compile.
    struct Never(CpuDevice);
    impl Device for Never {
        fn info(&self) -> &DeviceInfo {
            self.0.info()
        }
        fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost> {
            self.0.estimate(func, ops)
        }
        fn compile(&self, _: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
            panic!("it is asked to compile")
        }
    }
    let devices: [Arc<dyn Device>; 1] = [Arc::new(Never(CpuDevice::new(1)))];
    for (limit, asked) in [(0, true), (SUM, true), (SUM - 1, false)] {
        let made = Session::new(product("never"), &devices, &plain(limit));
        match made.map(|_| ()) {
            Err(PlanError::Panic { .. }) => assert!(asked),
            Err(PlanError::Memory { bytes: SUM, live: 0, .. }) => assert!(!asked),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_stored_is_folded_or_refused() {
    let weight = vec!["0.5"; 64 * 64].join(", ");
    let text = format!(
        "func @folded graph (%x: f32[64, 64]) -> (f32[64, 64]) {{
            %w = constant {{value = f32[64, 64]({weight})}}
            %e = exp(%w) : f32[64, 64]
            %y = add(%x, %e) : f32[64, 64]
            return %y
        }}"
    );
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let options = |memory_limit| Options { memory_limit, ..Options::default() };
    let made = |limit| Optimized::new(module(&text), vec![], &devices, &options(limit));
    let is_folded = |func: &Func| func.body.ops.iter().all(|op| op.kind != OpKind::Exp);
    assert!(is_folded(&made(0).unwrap().entries[0].func));
    match made(SUM - 1) {
        Err(PlanError::Constant { source: KernelError::TooLarge { .. }, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_folded_for_lack_of_memory_is_told() {
    let weight = |step: usize| {
        let values: Vec<String> = (0..64 * 64).map(|i| (i / step % 7).to_string()).collect();
        values.join(", ")
    };
    // 4 KiB each, and 16 KiB when they are folded.
    let text = format!(
        "func @casts graph (%x: f32[64, 64]) -> (f32[64, 64]) {{
            %v = constant {{value = i8[64, 64]({})}}
            %w = constant {{value = i8[64, 64]({})}}
            %a = cast(%v) {{to = f32}} : f32[64, 64]
            %b = cast(%w) {{to = f32}} : f32[64, 64]
            %c = add(%x, %a) : f32[64, 64]
            %y = mul(%c, %b) : f32[64, 64]
            return %y
        }}",
        weight(1),
        weight(2)
    );
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let unfolded = |memory_limit| {
        let options = Options { memory_limit, ..Options::default() };
        Session::new(module(&text), &devices, &options).unwrap().unfolded().cloned()
    };
    assert_eq!(unfolded(0), None);
    assert_eq!(unfolded(64 << 10), None);
    let one = unfolded(24 << 10).unwrap();
    assert_eq!((one.ops.len(), one.limit), (1, 24 << 10));
    assert!(one.ops[0].starts_with("cast"), "{one:?}");
    let told = format!(
        "1 operation on constants runs each time ({}), because the memory limit of 24576 bytes leaves too little to run \
         them once beforehand",
        one.ops[0]
    );
    assert_eq!(one.to_string(), told);
    let both = unfolded(12 << 10).unwrap();
    assert_eq!(both.ops.len(), 2);
    assert!(
        both.to_string().starts_with("2 operations on constants run each time (the first: cast")
    );
}

/// Bytes of the weight of [`sum`].
const SUM: usize = 16 << 10;

/// `3 x + w`; the CPU packs neither constant.
fn sum(name: &str) -> Func {
    let weight = vec!["1"; SUM / 4].join(", ");
    let text = format!(
        "func @{name} graph (%x: f32[N, 4096]) -> (f32[*]) {{
            %k = constant {{value = f32[](3)}}
            %w = constant {{value = f32[4096]({weight})}}
            %v = mul(%x, %k) : f32[*]
            %y = add(%v, %w) : f32[*]
            return %y
        }}"
    );
    text.parse().unwrap()
}

#[test]
fn weights_that_are_not_packed_count_once_and_are_limited() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let one = sum("first");
    // Clones share the bytes.
    let mut other = one.clone();
    other.name = "second".into();
    let module = || Module { funcs: vec![one.clone(), other.clone()], ..Module::default() };
    let bytes = SUM + 4;
    for (limit, fits) in [(0, true), (bytes, true), (bytes - 1, false)] {
        match Session::new(module(), &devices, &plain(limit)) {
            Ok(session) => {
                let stats = session.memory();
                assert_eq!((fits, stats.live, stats.elsewhere), (true, bytes, bytes));
            }
            Err(PlanError::Memory { op, limit: told, .. }) => {
                assert!(!fits && op.to_string().starts_with("constant") && told == limit, "{op}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    // Runs get what the weights leave.
    let session = Session::new(module(), &devices, &plain(bytes + (40 << 10))).unwrap();
    let rows = |n: usize| [("x", tensor(&[n, 4096], &vec![1f32; n * 4096]))];
    assert!(session.run(&rows(1)).is_ok());
    let error = session.run(&rows(3)).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    assert_eq!(session.memory().live, bytes);
}

#[test]
fn plans_for_optional_inputs_share_weights() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let module = Module { funcs: vec![sum("optional")], ..Module::default() };
    let k = ValueInfo { name: "k".into(), ty: Type::fixed(DType::F32, &[]) };
    let session = Session::with_optional(module, vec![k], &devices, &plain(0)).unwrap();
    assert_eq!(session.memory().live, SUM + 4);
    let x = || ("x", tensor(&[1, 4096], &[1f32; 4096]));
    for k in [5.0, 7.0] {
        let results = session.run(&[x(), ("k", tensor(&[], &[k]))]).unwrap();
        let y = results[0].1.as_tensor().unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [k + 1.0; 4096]);
        drop(results);
        assert_eq!(session.memory().live, SUM + 4);
    }
}

#[test]
fn folded_weights_count_in_the_pool_alone() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let weight = vec!["1"; SUM / 4].join(", ");
    let text = format!(
        "func @folded graph (%x: f32[N, 4096]) -> (f32[*], f32[*]) {{
            %w = constant {{value = f32[4096]({weight})}}
            %v = sqrt(%w) : f32[*]
            %y = add(%x, %v) : f32[*]
            return %y, %v
        }}"
    );
    let session = Session::new(module(&text), &devices, &Options::default()).unwrap();
    let stats = session.memory();
    assert_eq!((stats.live, stats.elsewhere), (SUM, 0));
    let report = session.report(&[]).unwrap();
    assert_eq!((report.constant_bytes, report.steps.len()), (SUM, 1));
}

#[test]
fn strings_count_and_are_limited() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let text = "func @words graph (%x: str[N]) -> (str[*]) {
        %c = constant {value = str[1](\"0123456789012345678901234567890123456789\")}
        %y = string_concat(%x, %c) : str[*]
        return %y
    }";
    let session = Session::new(module(text), &devices, &plain(0)).unwrap();
    let constant = session.memory();
    assert!((64..200).contains(&constant.live) && constant.elsewhere == constant.live);
    let inputs = |n: usize| [("x", words(&[n], &vec!["a word "; n]))];
    let result = session.run(&inputs(1000)).unwrap();
    let stats = session.memory();
    let bytes = stats.live - constant.live;
    assert!((71_000..200_000).contains(&bytes) && stats.elsewhere == stats.live, "{stats:?}");
    // Clones share.
    let clone = result.clone();
    drop(result);
    assert_eq!(session.memory().live, stats.live);
    drop(clone);
    assert_eq!(session.memory().live, constant.live);

    let session = Session::new(module(text), &devices, &plain(64 << 10)).unwrap();
    let error = session.run(&inputs(1000)).unwrap_err();
    let RunError::Op(failure) = &error else { panic!("{error}") };
    assert!(matches!(failure.source, KernelError::TooLarge { .. }), "{error}");
    assert_eq!(session.memory().live, constant.live);
    assert!(session.run(&inputs(100)).is_ok());
    assert!(matches!(
        Session::new(module(text), &devices, &plain(32)),
        Err(PlanError::Constant { .. })
    ));
}

#[test]
fn what_kernels_make_of_attributes_counts() {
    let names: Vec<String> = (0..1000).map(|i| format!("\"name {i}\"")).collect();
    let numbers: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
    let (names, numbers) = (names.join(", "), numbers.join(", "));
    let text = |keys: &str, values: &str, from: &str, to: &str| {
        format!(
            "func @labels graph (%x: {from}[N]) -> ({to}[N]) {{
                %y = label_encoder(%x) {{keys_{keys}, values_{values}}} : {to}[N]
                return %y
            }}"
        )
    };
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let (strings, ints) = (format!("strings = [{names}]"), format!("int64s = [{numbers}]"));
    for (text, least) in [
        (text(&strings, &ints, "str", "i64"), 1000 * (size_of::<String>() + 8 + 16)),
        (text(&ints, &strings, "i64", "str"), 1000 * (size_of::<String>() + 8 + 16)),
    ] {
        let session = Session::new(module(&text), &devices, &plain(0)).unwrap();
        let live = session.memory().live;
        assert!((least..4 * least).contains(&live), "{live} of {least}");
        drop(session);
        let refused = Session::new(module(&text), &devices, &plain(1000));
        let Err(error) = refused.map(|_| ()) else { panic!("it has fitted") };
        assert!(error.to_string().contains("too large"), "{error}");
    }
}

#[test]
fn strings_for_a_session_count_before_they_are_copied() {
    let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
    let text = "func @given graph (%x: str[N]) -> (str[N]) {
        return %x
    }";
    let session = Session::new(module(text), &devices, &plain(1024)).unwrap();
    let values = ["", "a", "a word that is not short"];
    let tensor = session.strings(&[3], values.into_iter()).unwrap();
    assert_eq!(tensor.strings().unwrap(), values);
    let bytes = 3 * size_of::<String>() + 25;
    assert_eq!((session.memory().live, session.memory().elsewhere), (bytes, bytes));
    let error = session.strings(&[1 << 24], std::iter::repeat_n("", 1 << 24)).unwrap_err();
    assert!(matches!(error, KernelError::TooLarge { .. }), "{error}");
    assert!(session.strings(&[2], values.into_iter()).is_err());
    drop(tensor);
    assert_eq!(session.memory().live, 0);
    assert_eq!(
        session.memory().peak,
        bytes + 2 * size_of::<String>(),
        "what was refused is not a peak"
    );
}

/// A device that takes some ops only.
struct Only(Arc<dyn Device>, fn(OpKind) -> bool);

impl Device for Only {
    fn info(&self) -> &DeviceInfo {
        self.0.info()
    }
    fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost> {
        self.0.estimate(func, ops).filter(|_| ops.iter().all(|op| self.1(op.kind)))
    }
    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        self.0.compile(unit)
    }
    fn stream(&self) -> Arc<dyn Stream> {
        self.0.stream()
    }
    fn admit(&self, request: AdmissionRequest) -> Option<Admission> {
        self.0.admit(request)
    }
    fn memory(&self) -> Pool {
        self.0.memory()
    }
}

#[test]
fn temporaries_wait_for_memory_on_its_way() {
    // Three results of 64 KiB are on their way, two of which nobody needs then, when a sum asks for 128 KiB of 256.
    let text = "func @f graph (%x: f32[N, 64], %h: f16[M]) -> (f32[*], f16[*]) {
        %a = sin(%x) : f32[*]
        %b = exp(%a) : f32[*]
        %c = sin(%b) : f32[*]
        %s = reduce_sum(%h) {keepdims = 0} : f16[*]
        return %c, %s
    }";
    let late = Only(queued(Duration::from_millis(30)), |kind| kind != OpKind::ReduceSum);
    let cpu = Only(Arc::new(CpuDevice::new(1)), |kind| kind == OpKind::ReduceSum);
    let devices: [Arc<dyn Device>; 2] = [Arc::new(late), Arc::new(cpu)];
    let inputs = [
        ("x", tensor(&[256, 64], &[1f32; 256 * 64])),
        ("h", tensor(&[32 << 10], &vec![f16::from_f32(0.25); 32 << 10])),
    ];
    let enough = Session::new(module(text), &devices, &plain(0)).unwrap();
    let expected = enough.run_with(&inputs, RunContext::default()).unwrap().0;
    let session = Session::new(module(text), &devices, &plain(256 << 10)).unwrap();
    for _ in 0..5 {
        let results = session.run(&inputs).unwrap();
        for ((_, found), (_, expected)) in results.iter().zip(&expected) {
            let bytes = |value: &Value| value.as_tensor().unwrap().bytes().unwrap().to_vec();
            assert_eq!(bytes(found), bytes(expected));
        }
        assert!(session.memory().peak <= 256 << 10);
    }
    assert!(enough.memory().peak > 256 << 10, "{:?}", enough.memory());
}
