//! The limit of a model's memory, and when memory is free.

use crate::models::*;
use std::sync::Arc;
use trident_ir::{DType, Literal};
use trident_runtime::{Device, HostMemory, Pool, PoolSettings, Queued, QueuedOptions};
use trident_serving::{DataType, ErrorCode, Hardware, InferenceRequest, Response, ServedModel};

const ROW: usize = 1 << 15;

/// The largest `exp(-x)` of each row, which has 128 KiB.
fn rows(limit: &str) -> ServedModel {
    let x = ("x", tensor(DType::F32, "N 32768"));
    let nodes = vec![node("z = Neg(x)"), node("e = Exp(z)"), node("y = ReduceMax(e, axes)")];
    let mut graph = graph(&[x], nodes, &["y"]);
    constant(&mut graph, "axes", Literal::vector(&[1i64]));
    load(&format!("name: 'm' max_batch_size: 8 {}", self::limit(limit)), graph).unwrap()
}

/// Each row twice: an input fits the limit, its result does not.
fn twice() -> ServedModel {
    let x = ("x", tensor(DType::F32, "N 32768"));
    let graph = graph(&[x], vec![node_with("y = Concat(x, x)", "axis", 1)], &["y"]);
    load(&format!("name: 'm' max_batch_size: 8 {}", limit("200K")), graph).unwrap()
}

fn limit(bytes: &str) -> String {
    format!("parameters {{ key: 'memory_limit' value {{ string_value: '{bytes}' }} }}")
}

fn many(count: usize, data: &[u8]) -> Vec<InferenceRequest<'_>> {
    let one = || request(vec![input("x", DataType::Fp32, &[1, ROW as i64], &[data])]);
    (0..count).map(|_| one()).collect()
}

#[test]
fn a_batch_with_too_little_memory_runs_request_by_request() {
    let model = rows("700K");
    let data = bytes(&vec![0.5f32; ROW]);
    for round in 0..3 {
        for response in model.execute(many(8, &data)).responses {
            let response = response.unwrap_or_else(|error| panic!("round {round}: {error}"));
            let value = floats(&response.outputs[0].data)[0];
            assert!((value - (-0.5f32).exp()).abs() < 1e-6, "{value}");
        }
    }
    assert!(model.memory().peak <= 700 << 10);
}

/// `-x` of rows of 128 KiB: results are as large as inputs.
fn negated(config: &str) -> ServedModel {
    let graph = graph(&[("x", tensor(DType::F32, "N 32768"))], vec![node("y = Neg(x)")], &["y"]);
    load(&format!("name: 'm' {config} {}", limit("300K")), graph).unwrap()
}

#[test]
fn responses_do_not_take_the_memory_of_requests_behind_them() {
    let data = bytes(&vec![0.5f32; ROW]);
    for (config, batches) in [("max_batch_size: 8", true), ("", false)] {
        let model = negated(config);
        for _ in 0..2 {
            let responses = model.execute(many(8, &data)).responses;
            for response in &responses {
                let response =
                    response.as_ref().unwrap_or_else(|error| panic!("{batches}: {error}"));
                assert_eq!(floats(&response.outputs[0].data), [-0.5; ROW]);
            }
            assert_eq!(model.memory().live, 0, "the responses still exist");
        }
        assert!(model.memory().peak <= 300 << 10);
        // Where there is enough, they are views.
        let responses = model.execute(many(1, &data)).responses;
        assert!(model.memory().live >= ROW * 4);
        drop(responses);
    }
}

#[test]
fn a_single_request_that_lacks_memory_runs_twice() {
    let model = twice();
    let data = bytes(&vec![0.5f32; ROW]);
    let buffers = || {
        let stats = model.memory();
        stats.hits + stats.misses
    };
    for (requests, inputs) in [(1, 2), (2, 4)] {
        let before = buffers();
        model.execute(many(requests, &data)).responses.into_iter().for_each(|r| {
            r.unwrap_err();
        });
        assert_eq!(buffers() - before, inputs, "the inputs of each run");
    }
}

#[test]
fn a_request_that_no_memory_suffices_for_says_so() {
    let model = twice();
    let idle = model.memory().live;
    let data = bytes(&vec![0.5f32; ROW]);
    let responses = model.execute(many(2, &data)).responses;
    for response in responses {
        let error = response.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Unavailable, "{error}");
        assert!(error.to_string().contains("is too large"), "{error}");
        assert!(
            error
                .to_string()
                .ends_with("; the model parameter \"memory_limit\" allows 204800 bytes"),
            "{error}"
        );
    }
    assert_eq!(model.memory().live, idle);
}

#[test]
fn a_limit_that_leaves_constants_to_the_runs_is_logged() {
    // 4 KiB each in the file, and 16 KiB as floats.
    let weight = |first: i8| {
        let values: Vec<i8> = (0..4096).map(|i| first + (i % 5) as i8).collect();
        Literal::vector(&values)
    };
    let cast = |text: &str| node_with(text, "to", 1);
    let nodes = vec![
        cast("a = Cast(v)"),
        cast("b = Cast(w)"),
        node("c = Add(x, a)"),
        node("y = Mul(c, b)"),
    ];
    let mut casts = graph(&[("x", tensor(DType::F32, "N 4096"))], nodes, &["y"]);
    constant(&mut casts, "v", weight(1));
    constant(&mut casts, "w", weight(7));
    let log = |bytes: &str| {
        let config = format!("name: 'm' max_batch_size: 1 {}", limit(bytes));
        load_on(&config, casts.clone(), &hardware()).unwrap().1
    };
    assert_eq!(log("64K"), [""; 0]);
    let log = log("24K");
    assert_eq!(log.len(), 1, "{log:?}");
    assert!(
        log[0].starts_with("Warning: model 'm': 1 operation on constants runs each time (cast"),
        "{log:?}"
    );
    assert!(log[0].contains("the memory limit of 24576 bytes leaves too little"), "{log:?}");
}

#[test]
fn the_input_of_a_run_is_overwritten_if_nobody_else_has_it() {
    let data = bytes(&vec![0.5f32; ROW]);
    let model = rows("200K");
    model.execute(many(1, &data)).responses.remove(0).unwrap();
    assert!(model.memory().peak < 2 * ROW * 4, "{:?}", model.memory());
    assert_eq!(floats(&data), [0.5; ROW]);
}

#[test]
fn strings_are_limited_before_they_are_decoded() {
    let graph = graph(&[("x", tensor(DType::Str, "N K"))], vec![node("y = Identity(x)")], &["y"]);
    let model = load(&format!("name: 'm' max_batch_size: 8 {}", limit("64K")), graph).unwrap();
    // An empty string takes 4 bytes as it is sent, which are copied, and 24 as an element.
    let bytes = vec![0; 4 * 10_000];
    let empty = |count: usize| {
        let parts: Vec<&[u8]> = bytes[..4 * count].chunks(4 * 500).collect();
        request(vec![input("x", DataType::String, &[1, count as i64], &parts)])
    };
    for count in [400, 2300] {
        let responses = model.execute([empty(count), empty(count), empty(count)]).responses;
        for response in responses {
            assert_eq!(response.unwrap().outputs[0].data, bytes[..4 * count]);
        }
        let peak = model.memory().peak;
        assert!(((24 + 4) * count..=64 << 10).contains(&peak), "{peak}");
        assert_eq!(model.memory().live, 0);
    }
    for requests in [vec![empty(10_000)], vec![empty(2600), empty(2600)]] {
        for response in model.execute(requests).responses {
            let error = response.unwrap_err();
            assert_eq!(error.code(), ErrorCode::Unavailable, "{error}");
            let text = error.to_string();
            assert!(text.starts_with("failed to make input 'x' for model 'm': "), "{text}");
            assert!(
                text.contains("is too large") && text.ends_with("allows 65536 bytes"),
                "{text}"
            );
        }
    }
}

#[test]
fn requests_beside_each_other_do_not_fail_for_lack_of_memory() {
    let model = rows("700K");
    let idle = model.memory().live;
    let data = bytes(&vec![0.5f32; ROW]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    for response in model.execute(many(1, &data)).responses {
                        drop(response.unwrap());
                    }
                }
            });
        }
    });
    assert_eq!(model.memory().live, idle);
}

#[test]
fn weights_beyond_the_limit_are_a_lack_of_memory() {
    // With the default of `b` the product is a constant; else the weights are packed once `b` is given.
    let inputs = ["x", "b"].map(|name| (name, tensor(DType::F32, "1 64")));
    let mut graph = graph(&inputs, vec![node("p = MatMul(b, w)"), node("y = Add(x, p)")], &["y"]);
    for (name, rows) in [("b", 1), ("w", 64)] {
        let ones = Literal::vector(&vec![1.0f32; rows * 64]);
        constant(&mut graph, name, ones.with_dims(vec![rows, 64]).unwrap());
    }
    let with = |bytes: &str| load(&format!("name: 'm' {}", limit(bytes)), graph.clone());
    let error = with("15K").err().unwrap();
    assert_eq!(error.code(), ErrorCode::Unavailable, "{error}");
    assert!(error.to_string().ends_with("allows 15360 bytes"), "{error}");
    let model = with("24K").unwrap();
    let data = bytes(&[1.0f32; 64]);
    let of = |name| input(name, DataType::Fp32, &[1, 64], &[&data]);
    answer(&model, request(vec![of("x")])).unwrap();
    let error = answer(&model, request(vec![of("x"), of("b")])).unwrap_err();
    assert!(error.starts_with("Unavailable: failed to run model 'm': with `b` given: "), "{error}");
    assert!(error.ends_with("allows 24576 bytes"), "{error}");
}

/// A device with memory of its own.
struct Own {
    device: Arc<dyn Device>,
    memory: Pool,
}

impl Device for Own {
    fn info(&self) -> &trident_runtime::DeviceInfo {
        self.device.info()
    }
    fn estimate(
        &self,
        func: &trident_ir::Func,
        ops: &[&trident_ir::Op],
    ) -> Option<trident_runtime::Cost> {
        self.device.estimate(func, ops)
    }
    fn compile(
        &self,
        unit: &trident_runtime::Unit<'_>,
    ) -> Result<Arc<dyn trident_runtime::Executable>, trident_runtime::Declined> {
        self.device.compile(unit)
    }
    fn stream(&self) -> Arc<dyn trident_runtime::Stream> {
        self.device.stream()
    }
    fn memory(&self) -> Pool {
        self.memory.clone()
    }
}

#[test]
fn memory_is_listed_under_the_models_name_and_free_once_all_is_dropped() {
    let memory = Pool::with(HostMemory::provider(), PoolSettings::default());
    let mut hardware = hardware();
    let device = Queued::new(Arc::clone(&hardware.folder), QueuedOptions::default());
    let device = Own { device: Arc::new(device), memory: memory.clone() };
    hardware = Hardware { devices: vec![Arc::new(device)], ..hardware };
    let (model, _) = load_on("name: 'adder' max_batch_size: 8", add(), &hardware).unwrap();
    let now = || {
        let stats = memory.device_stats();
        let pool = stats.pools.iter().find(|(name, _)| name == "adder");
        (pool.map(|(_, stats)| stats.live), stats.buffers.live)
    };
    // A launch that has ended frees its memory on another thread.
    let live = || {
        let mut before = now();
        loop {
            std::thread::sleep(std::time::Duration::from_millis(50));
            match now() {
                after if after == before => return after,
                after => before = after,
            }
        }
    };
    let idle = live();
    let data = bytes(&[1.0f32; 6]);
    let request = |rows: i64| {
        let part = &data[..12 * rows as usize];
        request(vec![input("x", DataType::Fp32, &[rows, 3], &[part])])
    };
    let execution = model.execute([request(1), request(2)]);
    let mut responses: Vec<Response> =
        execution.responses.into_iter().map(Result::unwrap).collect();
    let held = live();
    assert!(held.0 > idle.0, "{held:?} {idle:?}");
    // The rows of both requests are one buffer.
    drop(responses.remove(0));
    assert_eq!(live(), held);
    let last = responses.remove(0).outputs.remove(0).data;
    assert_eq!(last.len(), 24);
    drop(model);
    assert!(live().1 > 0);
    assert_eq!(floats(&last)[..3], [11.0, 21.0, 31.0]);
    drop(last);
    assert_eq!(live(), (None, 0));
}
