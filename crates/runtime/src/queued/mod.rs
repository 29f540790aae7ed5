//! A device for tests: any other device behind queues of its own, late and with poisoned memory.
//!
//! It shows without a GPU what goes wrong where somebody takes a launch for done when it is submitted. Each stream is a
//! thread that runs launches in order, each after a random delay. Outputs are allocated when a launch is submitted and
//! hold a pattern until it has run, as does memory between two uses.

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
use trident_ir::{DType, Func, Op};

/// What memory holds that nobody may read. As a number of any type it is absurd: NaN in 16 bits, far from 0 in others.
pub const POISON: u8 = 0xfd;

/// How a [`Queued`] device behaves.
#[derive(Clone, Debug)]
pub struct QueuedOptions {
    /// Of the delays, and of the choice of ops.
    pub seed: u64,
    /// The longest that a launch is held back.
    pub max_delay: Duration,
    /// How many in 100 ops the device claims; which ones follows from the seed. The others are left to devices beside it.
    pub share: u64,
}

impl Default for QueuedOptions {
    fn default() -> QueuedOptions {
        QueuedOptions { seed: 1, max_delay: Duration::from_micros(100), share: 100 }
    }
}

/// Another device behind queues.
pub struct Queued {
    inner: Arc<dyn Device>,
    info: DeviceInfo,
    options: QueuedOptions,
    memory: Arc<dyn MemoryProvider>,
    /// Streams made so far: each has delays of its own.
    streams: AtomicU64,
}

impl Queued {
    /// A device of the name `queued` that has `inner` do the work.
    pub fn new(inner: Arc<dyn Device>, options: QueuedOptions) -> Queued {
        let mut info = inner.info().clone();
        info.description = format!("{} behind a queue, for tests", info.name);
        info.name = "queued".into();
        Queued { inner, info, options, memory: Arc::new(Poisoned), streams: AtomicU64::new(0) }
    }

    /// Whether the op is among those that this device claims.
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

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        Ok(Arc::new(Compiled { inner: self.inner.compile(unit)? }))
    }

    fn stream(&self) -> Arc<dyn Stream> {
        let number = self.streams.fetch_add(1, Ordering::Relaxed);
        let random = Random(self.options.seed.wrapping_add(number));
        Arc::new(QueuedStream::start(self.inner.stream(), random, self.options.max_delay))
    }

    fn memory(&self) -> Arc<dyn MemoryProvider> {
        self.memory.clone()
    }
}

/// A unit that the other device has compiled.
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
        let stream = stream.ok_or_else(|| KernelError::domain("the stream is another device's"))?;
        // What cannot be told, as operands do not fit, the launch shall tell as it does on the other device.
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

/// Poisoned memory for the outputs.
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

/// What is owed to those who hold outputs.
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

/// A launch on its way. It owns what it reads and writes until it has run.
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
        // Outputs lie where the submission said, also those that a kernel writes over an operand or gives as a view.
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

/// Memory that holds the pattern between two uses.
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

/// Numbers from SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
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
