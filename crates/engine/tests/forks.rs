//! Models in forked children: runs that other threads of the parent have begun are nobody's there.
#![allow(clippy::unwrap_used, unsafe_code)] // what does not fit fails the test; `fork` is unsafe

#[path = "../../runtime/tests/forked/mod.rs"]
mod forked;

use forked::{child, settle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use trident_cpu::CpuDevice;
use trident_engine::{Options, RunContext, Session};
use trident_ir::{Func, Module};
use trident_runtime::{Device, Pool, Queued, QueuedOptions, Tensor, Value};

/// Number of forks.
const FORKS: usize = 200;

/// Work for several threads, sizes that depend on the input, an op that is compiled when its shapes are known.
const MODEL: &str = "func @f graph (%x: f32[N, 64]) -> (f32[*], f32[*]) {
    %t = transpose(%x) {perm = [1, 0]} : f32[*]
    %p = matmul(%x, %t) : f32[*]
    %q = matmul(%p, %x) : f32[*]
    %e = tanh(%q) : f32[*]
    %s = softmax(%e) {axis = 1} : f32[*]
    %b = softsign(%s) : f32[*]
    return %s, %b
}";

fn session(devices: &[Arc<dyn Device>]) -> Session {
    let func: Func = MODEL.parse().unwrap();
    let module = Module { funcs: vec![func], ..Module::default() };
    Session::new(module, devices, &Options::default()).unwrap()
}

/// The memory of inputs. A pool of its own would start and end a thread for each input, see [`forked`].
static INPUTS: LazyLock<Pool> = LazyLock::new(Pool::new);

fn input(rows: usize) -> Value {
    let values: Vec<f32> = (0..rows * 64).map(|i| ((i * 37 % 101) as f32 - 50.0) / 80.0).collect();
    Tensor::from_slice(&INPUTS, &[rows, 64], &values).unwrap().into()
}

/// The bits of all results for an input of so many rows.
fn bits(session: &Session, rows: usize, context: RunContext) -> Vec<Vec<u8>> {
    let (results, _) = session.run_with(&[("x", input(rows))], context).unwrap();
    let tensors = results.iter().map(|(_, value)| value.as_tensor().unwrap());
    tensors.map(|t| t.bytes().unwrap().to_vec()).collect()
}

/// Forks while four threads run the model, with ever other sizes.
fn fork_during_runs(session: &Session, forks: usize) {
    let expected: Vec<_> = (1..80).map(|n| bits(session, n, RunContext::default())).collect();
    let done = AtomicBool::new(false);
    let statuses = std::thread::scope(|scope| {
        for thread in 0..4 {
            let (done, expected) = (&done, &expected);
            scope.spawn(move || {
                for n in (1..80).cycle().skip(thread * 20) {
                    assert_eq!(bits(session, n, RunContext::default()), expected[n - 1]);
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let in_child = |fork: usize| {
            // Sizes that are known, sizes that are new, and runs that wait for each other.
            let right = |n: usize| bits(session, n, RunContext::default()) == expected[n - 1];
            let known = right(fork % 79 + 1) && right(79);
            let new = bits(session, 100 + fork, RunContext::default());
            let together = std::thread::scope(|scope| {
                let runs: Vec<_> = (1..5).map(|n| scope.spawn(move || right(n))).collect();
                runs.into_iter().all(|run| run.join().unwrap_or(false))
            });
            known && new[0].len() == (100 + fork) * 64 * 4 && together
        };
        settle();
        let statuses: Vec<_> = (0..forks).map(|i| child(|| in_child(i))).collect();
        done.store(true, Ordering::Relaxed);
        statuses
    });
    let wrong: Vec<_> =
        statuses.iter().enumerate().filter(|(_, status)| **status != Ok(0)).collect();
    assert!(wrong.is_empty(), "of {forks} children: {wrong:?}");
}

/// Forks while another thread compiles models.
fn fork_during_compilation() {
    let device: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(2))];
    let parents = session(&device);
    let done = AtomicBool::new(false);
    let statuses = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                bits(&session(&device), 9, RunContext::default());
            }
        });
        let expected = bits(&parents, 9, RunContext::default());
        let in_child = || {
            let own = session(&[Arc::new(CpuDevice::new(2))]);
            bits(&own, 9, RunContext::default()) == expected
        };
        settle();
        let statuses: Vec<_> = (0..20).map(|_| child(in_child)).collect();
        done.store(true, Ordering::Relaxed);
        statuses
    });
    assert_eq!(statuses, [Ok(0); 20]);
}

#[test]
fn forked_children_of_a_running_parent_run() {
    fork_during_runs(&session(&[Arc::new(CpuDevice::new(3))]), FORKS);

    // Children open queues of their own.
    let options =
        QueuedOptions { max_delay: Duration::from_micros(20), ..QueuedOptions::default() };
    let device: Arc<dyn Device> = Arc::new(Queued::new(Arc::new(CpuDevice::new(2)), options));
    fork_during_runs(&session(&[device]), 20);

    fork_during_compilation();
}
