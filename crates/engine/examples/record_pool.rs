//! Records the allocations and frees of models' runs: the traces that `cargo xtask bench pool` replays.
//!
//! `cargo run -p trident-engine --features trace --example record_pool -- OUT CONV TRANSFORMER`: OUT is the folder for the traces, CONV
//! a convolutional network and TRANSFORMER an encoder, as `cargo xtask bench models` makes them (`resnet50`, `minilm`).
//!
//! A trace is a sequence of numbers of 7 bits a byte, the least first, all bytes but a number's last with the top bit.
//! The two lowest bits are the kind of event: 0 frees the block with this number; 1 allocates a block of this many
//! bytes, which gets the lowest free number; 2 names the thread of the following events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};
use trident_cpu::CpuDevice;
use trident_engine::{Options, Session};
use trident_ir::element::B8;
use trident_ir::{DType, Func, Module};
use trident_runtime::buffer::{TraceEvent, end_trace, start_trace};
use trident_runtime::{Device, Pool, Tensor, Value};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A decoder in outline: each step appends to a state that grows, and works on all of it.
const LOOP: &str = "func @decode graph (%n: i64[], %go: bool[], %x: f32[B, 1, 256], %w: f32[256, 256]) -> (f32[*], f32[*]) {
    %last, %state, %all = loop(%n, %go, %x, %x) : f32[*], f32[*], f32[*]
      region (%i: i64[], %c: bool[], %v: f32[B, 1, 256], %s: f32[*]) {
        %q = matmul(%v, %w) : f32[*]
        %t = transpose(%s) {perm = [0, 2, 1]} : f32[*]
        %scores = matmul(%q, %t) : f32[*]
        %p = softmax(%scores) : f32[*]
        %mixed = matmul(%p, %s) : f32[*]
        %next = tanh(%mixed) : f32[*]
        %longer = concat(%s, %next) {axis = 1} : f32[*]
        yield %c, %next, %longer, %next
      }
    return %all, %state
}";

struct Model {
    session: Session,
}

impl Model {
    fn open(file: &str, device: &Arc<dyn Device>) -> Outcome<Model> {
        let model = trident_onnx::load(file)?;
        let session = Session::new(model.module, &[Arc::clone(device)], &Options::default())?;
        Ok(Model { session })
    }

    /// Runs with this batch and, of inputs with more symbolic dimensions, length.
    fn run(&self, batch: usize, length: usize) -> Outcome<Vec<(String, Value)>> {
        let pool = Pool::new();
        let mut inputs = vec![];
        for input in &self.session.signature().inputs {
            let shape = input.ty.shape().ok_or("an input without a shape")?;
            let mut sizes = [batch, length].into_iter();
            let dims = shape.iter().map(|dim| dim.fixed().or_else(|| sizes.next()).unwrap_or(1));
            let dims: Vec<usize> = dims.collect();
            let n: usize = dims.iter().product();
            let tensor = match input.ty.dtype() {
                Some(DType::I64) => Tensor::from_slice(&pool, &dims, &vec![1i64; n])?,
                _ => Tensor::from_slice(&pool, &dims, &vec![0.5f32; n])?,
            };
            inputs.push((input.name.as_str(), Value::Tensor(tensor)));
        }
        Ok(self.session.run(&inputs)?)
    }
}

fn decode(device: &Arc<dyn Device>) -> Outcome<()> {
    let module = Module { funcs: vec![LOOP.parse::<Func>()?], ..Module::default() };
    let session = Session::new(module, &[Arc::clone(device)], &Options::default())?;
    let pool = Pool::new();
    let weight = Tensor::from_slice(&pool, &[256, 256], &vec![0.01f32; 256 * 256])?;
    for (batch, steps) in [(1usize, 64i64), (4, 24), (1, 100), (8, 16), (2, 48)] {
        let inputs = [
            ("n", Tensor::from_slice(&pool, &[], &[steps])?.into()),
            ("go", Tensor::from_slice(&pool, &[], &[B8::from(true)])?.into()),
            ("x", Tensor::from_slice(&pool, &[batch, 1, 256], &vec![1f32; batch * 256])?.into()),
            ("w", Value::Tensor(weight.clone())),
        ];
        session.run(&inputs)?;
    }
    Ok(())
}

/// A number of up to 7 bits a byte.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn encoded(events: &[TraceEvent]) -> Vec<u8> {
    let mut bytes = vec![];
    let mut free: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let mut live: BTreeMap<u32, u64> = BTreeMap::new();
    let mut now = 0;
    for event in events {
        let (TraceEvent::Taken { thread, .. } | TraceEvent::Dropped { thread, .. }) = *event;
        if thread != now {
            put(&mut bytes, u64::from(thread) << 2 | 2);
            now = thread;
        }
        match *event {
            TraceEvent::Taken { block, bytes: size, .. } => {
                let number = free.pop().map_or(live.len() as u64, |Reverse(number)| number);
                live.insert(block, number);
                put(&mut bytes, (size as u64) << 2 | 1);
            }
            TraceEvent::Dropped { block, .. } => {
                if let Some(number) = live.remove(&block) {
                    put(&mut bytes, number << 2);
                    free.push(Reverse(number));
                }
            }
        }
    }
    bytes
}

fn record(out: &Path, name: &str, work: impl FnOnce() -> Outcome<()>) -> Outcome<()> {
    start_trace();
    let done = work();
    let events = end_trace();
    done?;
    let bytes = encoded(&events);
    println!("{name}: {} operations in {} bytes", events.len(), bytes.len());
    Ok(fs::write(out.join(format!("{name}.trace")), bytes)?)
}

fn main() -> Outcome<()> {
    let [out, conv, transformer] = &env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("which folder, and which two models?".into());
    };
    let out = Path::new(out);
    fs::create_dir_all(out)?;
    let device: Arc<dyn Device> = Arc::new(CpuDevice::new(2));
    record(out, "control-flow", || decode(&device))?;
    record(out, "sessions", || {
        // Two models that stay, which several threads use, and one that comes and goes.
        let (first, second) = (Model::open(conv, &device)?, Model::open(transformer, &device)?);
        std::thread::scope(|scope| {
            let clients = (0..3usize).map(|client| {
                let (first, second, device) = (&first, &second, &device);
                scope.spawn(move || -> Outcome<()> {
                    let mut kept = vec![];
                    for i in 0..12usize {
                        kept.push(match client {
                            0 => first.run(1 + i % 2, 1)?,
                            1 => second.run(1 + i * 5 % 8, 8 + i * 29 % 121)?,
                            _ => Model::open(transformer, device)?.run(2, 16 + i * 8)?,
                        });
                        // Callers hold results for a while.
                        if kept.len() > 3 {
                            kept.remove(0);
                        }
                    }
                    Ok(())
                })
            });
            let clients: Vec<_> = clients.collect();
            clients.into_iter().try_for_each(|client| match client.join() {
                Ok(outcome) => outcome,
                Err(_) => Err("a client panicked".into()),
            })
        })
    })?;
    record(out, "conv", || {
        let model = Model::open(conv, &device)?;
        let batches = [1, 1, 4, 2, 1, 3, 1, 2].into_iter().cycle().take(40);
        batches.into_iter().try_for_each(|batch| model.run(batch, 1).map(drop))
    })?;
    record(out, "transformer", || {
        let model = Model::open(transformer, &device)?;
        for i in 0..150usize {
            // Requests as they come: batches of 1 to 8, of 8 to 128 tokens.
            model.run(1 + i * 7 % 8, 8 + i * 37 % 121)?;
        }
        Ok(())
    })
}
