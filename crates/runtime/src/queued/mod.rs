//! A device for tests: wraps any other device in queues, with delays and poisoned memory.
//!
//! It exposes, without a GPU, code that assumes a launch to be complete once submitted. Each stream is a thread that
//! runs launches in order, each after a random delay. Outputs are allocated at submission and hold a pattern until the
//! launch has run, as does memory between two uses.

mod stream;

pub use stream::QueuedStream;

use crate::buffer::{HostMemory, MemoryProvider, Pages};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::{
    Cost, Declined, Device, DeviceInfo, Executable, Fence, KernelError, Later, Launch,
    LaunchLimits, OutputShape, Outputs, Pool, Promise, Stream, Submitted, Tensor, Unit, Value,
};
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;
use trident_ir::rewrite::{Context, RewriteError, RewriteReport};
use trident_ir::{DType, Func, Op};

/// The contents of memory that must not be read. Implausible as a number of any type: NaN in 16 bits, far from 0 in
/// others.
pub const POISON: u8 = 0xfd;

/// How a [`Queued`] device behaves.
#[derive(Clone, Debug)]
pub struct QueuedOptions {
    /// Seed of the delays and of the choice of ops.
    pub seed: u64,
    /// The longest delay of a launch.
    pub max_delay: Duration,
    /// The percentage of ops that the device claims; the seed determines which. Other devices get the rest.
    pub share: u64,
}

impl Default for QueuedOptions {
    fn default() -> QueuedOptions {
        QueuedOptions { seed: 1, max_delay: Duration::from_micros(100), share: 100 }
    }
}

/// A device behind queues.
pub struct Queued {
    inner: Arc<dyn Device>,
    info: DeviceInfo,
    options: QueuedOptions,
    memory: Pool,
    /// Number of streams opened: each has different delays.
    streams: AtomicU64,
}

impl Queued {
    /// A device named `queued` that runs its launches on `inner`.
    pub fn new(inner: Arc<dyn Device>, options: QueuedOptions) -> Queued {
        let mut info = inner.info().clone();
        info.description = format!("{} behind a queue, for tests", info.name);
        info.name = "queued".into();
        Queued {
            inner,
            info,
            options,
            memory: Pool::of(Arc::new(Poisoned)),
            streams: AtomicU64::new(0),
        }
    }

    /// Whether this device claims the op.
    fn claims(&self, func: &Func, op: &Op) -> bool {
        let place = op.defined().next().map_or(0, |v| v.index() as u64);
        let mut random = Random(self.options.seed ^ place << 20 ^ (func.values.len() as u64) << 40);
        random.below(100) < self.options.share
    }
}

impl Device for Queued {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn estimate(&self, func: &Func, ops: &[&Op]) -> Option<Cost> {
        match ops.iter().all(|op| self.claims(func, op)) {
            true => self.inner.estimate(func, ops),
            false => None,
        }
    }

    /// None, so that a share of the ops is on another device, however small they are.
    fn crossing_nanos(&self) -> f64 {
        0.0
    }

    fn rewrites(&self) -> Vec<&'static str> {
        self.inner.rewrites()
    }

    fn rewrite(&self, func: &mut Func, cx: &Context<'_>) -> Result<RewriteReport, RewriteError> {
        self.inner.rewrite(func, cx)
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        Ok(Arc::new(Compiled { inner: self.inner.compile(unit)? }))
    }

    fn stream(&self) -> Arc<dyn Stream> {
        let number = self.streams.fetch_add(1, Ordering::Relaxed);
        let random = Random(self.options.seed.wrapping_add(number));
        Arc::new(QueuedStream::start(self.inner.stream(), random, self.options.max_delay))
    }

    fn memory(&self) -> Pool {
        self.memory.clone()
    }
}

/// A unit compiled by the inner device.
struct Compiled {
    inner: Arc<dyn Executable>,
}

impl Executable for Compiled {
    fn kernel(&self) -> &str {
        self.inner.kernel()
    }

    fn packed(&self) -> &[usize] {
        self.inner.packed()
    }

    fn packed_bytes(&self) -> usize {
        self.inner.packed_bytes()
    }

    fn packed_elsewhere(&self) -> usize {
        self.inner.packed_elsewhere()
    }

    fn depends_on_rows(&self) -> bool {
        self.inner.depends_on_rows()
    }

    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        self.inner.shapes(inputs)
    }

    fn submit(
        &self,
        stream: &dyn Stream,
        launch: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError> {
        let stream = (stream as &dyn Any).downcast_ref::<QueuedStream>();
        let stream = stream.ok_or_else(|| KernelError::domain("internal error: the stream belongs to another device; please report it with the model"))?;
        // If shapes cannot be determined because operands do not match, the launch reports the inner device's error.
        let shapes = self.inner.shapes(launch.inputs).unwrap_or_default();
        let told = !shapes.is_empty() && !shapes.contains(&OutputShape::AfterLaunch);
        let memory = if told { allocate(&shapes, launch)? } else { vec![] };
        let inputs = launch.inputs.iter_mut().map(Option::take).collect();
        let (exe, pool, after) = (self.inner.clone(), launch.pool.clone(), after.to_vec());
        let work = Work { exe, inputs, memory, pool, limits: launch.limits, after };
        let submitted = stream.submit(|fence| {
            let (promises, outputs) = match told {
                true => promised(&shapes, &fence),
                false => {
                    let later = Later::new(fence.clone());
                    (Promises::All(later.clone()), Outputs::Later(later))
                }
            };
            let task = move |stream: &dyn Stream| promises.keep(work.run(stream)?);
            (Box::new(task), Submitted { outputs, fence })
        });
        Ok(submitted)
    }
}

/// Allocates poisoned memory for the outputs.
fn allocate(
    shapes: &[OutputShape],
    launch: &mut Launch<'_>,
) -> Result<Vec<Option<Tensor>>, KernelError> {
    let mut output = |(i, shape): (usize, &OutputShape)| match shape {
        OutputShape::Known { dtype, dims } => {
            let mut tensor = (launch.alloc)(i, *dtype, dims)?;
            tensor.bytes_mut()?.fill(POISON);
            Ok(Some(tensor))
        }
        _ => Ok(None),
    };
    shapes.iter().enumerate().map(&mut output).collect()
}

/// The promises made to holders of outputs.
enum Promises {
    Each(Vec<Option<Promise>>),
    All(Later),
}

fn promised(shapes: &[OutputShape], fence: &Fence) -> (Promises, Outputs) {
    let each = shapes.iter().map(|shape| match shape {
        OutputShape::Known { dtype, dims } => {
            let (tensor, promise) = Promise::new(*dtype, dims, fence.clone());
            (Some(promise), Some(Value::Tensor(tensor)))
        }
        _ => (None, None),
    });
    let (promises, outputs) = each.unzip();
    (Promises::Each(promises), Outputs::Known(outputs))
}

impl Promises {
    fn keep(self, outputs: Vec<Option<Value>>) -> Result<(), KernelError> {
        let promises = match self {
            Promises::Each(promises) => promises,
            Promises::All(later) => {
                later.keep(outputs);
                return Ok(());
            }
        };
        let mut outputs = outputs.into_iter();
        for promise in promises {
            let (Some(promise), Some(output)) = (promise, outputs.next()) else { continue };
            match output {
                Some(Value::Tensor(tensor)) => promise.keep(tensor)?,
                _ => return Err(KernelError::not_given()),
            }
        }
        Ok(())
    }
}

/// A submitted launch. It owns what it reads and writes until it has run.
struct Work {
    exe: Arc<dyn Executable>,
    inputs: Vec<Option<Value>>,
    memory: Vec<Option<Tensor>>,
    pool: Pool,
    limits: LaunchLimits,
    after: Vec<Fence>,
}

impl Work {
    fn run(mut self, stream: &dyn Stream) -> Result<Vec<Option<Value>>, KernelError> {
        let (memory, pool, limits) = (&mut self.memory, &self.pool, self.limits);
        let mut alloc = |i: usize, dtype: DType, dims: &[usize]| {
            let own = memory.get_mut(i).and_then(Option::take);
            match own.filter(|t| (t.dtype(), t.dims()) == (dtype, dims)) {
                Some(tensor) => Ok(tensor),
                None => Tensor::alloc(pool, dtype, dims),
            }
        };
        let mut launch = Launch { inputs: &mut self.inputs, alloc: &mut alloc, pool, limits };
        launch.settle(&self.after)?;
        let mut outputs = self.exe.submit(stream, &mut launch, &[])?.wait()?;
        // Outputs must lie where the submission said, even if a kernel overwrites an operand or returns a view.
        for (memory, output) in self.memory.into_iter().zip(&mut outputs) {
            if let (Some(mut memory), Some(Value::Tensor(tensor))) = (memory, output)
                && (memory.dtype(), memory.dims()) == (tensor.dtype(), tensor.dims())
            {
                memory.bytes_mut()?.copy_from_slice(tensor.bytes()?);
                *tensor = memory;
            }
        }
        Ok(outputs)
    }
}

/// Memory that is filled with the pattern between two uses.
#[derive(Debug)]
struct Poisoned;

impl MemoryProvider for Poisoned {
    fn pages(&self, len: usize) -> Option<Pages> {
        HostMemory.pages(len)
    }

    fn recycle(&self, bytes: &mut [u8]) {
        bytes.fill(POISON);
    }
}

/// Pseudo-random numbers from SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n.max(1)
    }
}

#[cfg(test)]
mod testing;
#[cfg(all(test, not(feature = "models")))]
mod tests;

#[cfg(all(test, feature = "models"))]
mod models;
