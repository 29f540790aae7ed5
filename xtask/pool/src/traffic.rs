//! Traffic of models, recorded and random, timed beside mimalloc.

use std::alloc::{GlobalAlloc, Layout};
use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use mimalloc::MiMalloc;
use rustix::time::{ClockId, clock_gettime};
use trident_runtime::{Buffer, HostMemory, Pool, PoolSettings};

use crate::random::Random;
use crate::recorded;

/// Most that the pool may reserve at its peak for each byte in use at the traffic's peak, and the most time it may take for each of
/// mimalloc's.
const RESERVED: f64 = 1.25;
const TIME: f64 = 2.0;

/// Nanoseconds that this thread has been running: what else the machine does is not counted.
fn busy() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// How many operations a measurement has at least, for which the same traffic follows itself.
const OPERATIONS: usize = 200_000;

/// How many threads replay traffic side by side, each for itself.
const THREADS: usize = 4;

/// An operation on one of several places.
pub(crate) enum Operation {
    Take(usize, usize),
    Drop(usize),
}

pub(crate) struct Traffic {
    pub(crate) name: &'static str,
    pub(crate) operations: Vec<Operation>,
    pub(crate) places: usize,
}

/// Runs of models, whose weights stay and whose tensors live for a few layers, with a batch that differs from run to run.
fn runs(name: &'static str, seed: u64, models: usize, largest: usize) -> Traffic {
    let mut random = Random(seed);
    let (mut operations, mut places) = (vec![], 0);
    let mut layers: Vec<Vec<(usize, usize)>> = vec![];
    for _ in 0..models {
        layers.push((0..60).map(|_| (random.size(largest), 1 + random.below(6))).collect());
        for _ in 0..120 {
            operations.push(Operation::Take(places, random.size(largest)));
            places += 1;
        }
    }
    let weights = places;
    for _ in 0..300 {
        let model = &layers[random.below(models)];
        let batch = 1 + random.below(8);
        let mut live: Vec<(usize, usize)> = vec![];
        for (layer, &(bytes, uses)) in model.iter().enumerate() {
            let mut free = weights;
            while live.iter().any(|(_, place)| *place == free) {
                free += 1;
            }
            operations.push(Operation::Take(free, bytes * batch));
            live.push((layer + uses, free));
            places = places.max(free + 1);
            live.retain(|&(end, place)| {
                if end <= layer {
                    operations.push(Operation::Drop(place));
                }
                end > layer
            });
        }
        operations.extend(live.iter().map(|&(_, place)| Operation::Drop(place)));
    }
    operations.extend((0..weights).map(Operation::Drop));
    Traffic { name, operations, places }
}

/// Bytes in use and reserved, at their peaks and on average over the operations.
struct Use {
    live: [f64; 2],
    reserved: [f64; 2],
}

impl Traffic {
    fn repeats(&self) -> usize {
        OPERATIONS.div_ceil(self.operations.len())
    }

    fn repeated(&self) -> impl Iterator<Item = &Operation> {
        (0..self.repeats()).flat_map(|_| &self.operations)
    }

    /// Nanoseconds of each operation since `start`.
    fn each(&self, start: f64) -> f64 {
        (busy() - start) / (self.repeats() * self.operations.len()) as f64
    }

    /// Nanoseconds of an operation with the pool.
    fn pool(&self, pool: &Pool) -> Result<f64> {
        let mut live: Vec<Option<Buffer>> = (0..self.places).map(|_| None).collect();
        let start = busy();
        for operation in self.repeated() {
            match *operation {
                Operation::Take(place, bytes) => {
                    live[place] = Some(black_box(pool.alloc(bytes).context("no memory")?));
                }
                Operation::Drop(place) => live[place] = None,
            }
        }
        Ok(self.each(start))
    }

    /// The same with mimalloc.
    fn mimalloc(&self) -> Result<f64> {
        let mut live: Vec<Option<(*mut u8, Layout)>> = vec![None; self.places];
        let start = busy();
        for operation in self.repeated() {
            match *operation {
                Operation::Take(place, bytes) => {
                    let layout = Layout::from_size_align(bytes, 64)?;
                    // SAFETY: the size is not 0.
                    let memory = black_box(unsafe { MiMalloc.alloc(layout) });
                    ensure!(!memory.is_null(), "no memory");
                    live[place] = Some((memory, layout));
                }
                Operation::Drop(place) => {
                    if let Some((memory, layout)) = live[place].take() {
                        // SAFETY: it was allocated above with this layout, and nobody else has it.
                        unsafe { MiMalloc.dealloc(memory, layout) }
                    }
                }
            }
        }
        Ok(self.each(start))
    }

    /// The memory that the traffic asks for, and the memory that a pool of its own reserves for it.
    fn usage(&self) -> Result<Use> {
        let pool = Pool::with(HostMemory::provider(), PoolSettings::default());
        let mut buffers: Vec<Option<Buffer>> = (0..self.places).map(|_| None).collect();
        let (mut now, mut live, mut reserved) = (0, [0f64; 2], [0f64; 2]);
        let share = 1.0 / self.operations.len() as f64;
        for operation in &self.operations {
            match *operation {
                Operation::Take(place, bytes) => {
                    buffers[place] = Some(pool.alloc(bytes).context("no memory")?);
                    now += bytes;
                }
                Operation::Drop(place) => {
                    now -= buffers[place].take().map_or(0, |buffer| buffer.len());
                }
            }
            let (have, own) = (now as f64, pool.device_stats().reserved as f64);
            live = [live[0].max(have), live[1] + have * share];
            reserved = [reserved[0].max(own), reserved[1] + own * share];
        }
        Ok(Use { live, reserved })
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The longest time of several threads that do the same at once.
fn at_once(work: impl Fn() -> Result<f64> + Sync) -> Result<f64> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(&work)).collect();
        threads.into_iter().try_fold(0.0, |longest, thread| match thread.join() {
            Ok(time) => Ok(f64::max(longest, time?)),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    let (mut product, mut met) = (1.0, true);
    let mut all = recorded::all()?;
    all.push(runs("random small", 1, 20, 64 << 10));
    all.push(runs("random medium", 2, 4, 1 << 20));
    all.push(runs("random large", 3, 2, 8 << 20));
    println!(
        "{:<14} {:>10} {:>10} {:>13} {:>13} {:>9} {:>9} {:>6} {:>15}",
        "traffic",
        "operations",
        "peak",
        "reserved/peak",
        "average",
        "ns each",
        "mimalloc",
        "ratio",
        format!("{THREADS} threads")
    );
    for traffic in &all {
        // Of their own, as a pool keeps as much as was in use at once.
        let [pool, shared] =
            [(); 2].map(|()| Pool::with(HostMemory::provider(), PoolSettings::default()));
        let mut times = [const { vec![] }; 4];
        for _ in 0..rounds {
            times[0].push(traffic.pool(&pool)?);
            times[1].push(traffic.mimalloc()?);
            times[2].push(at_once(|| traffic.pool(&shared))?);
            times[3].push(at_once(|| traffic.mimalloc())?);
        }
        let [ours, theirs, threads, their_threads] = times.map(median);
        let Use { live, reserved } = traffic.usage()?;
        let (ratio, threads) = (ours / theirs, threads / their_threads);
        let (peak, average) = (reserved[0] / live[0], reserved[1] / live[1]);
        println!(
            "{:<14} {:>10} {:>6.1} MiB {peak:>13.3} {average:>13.2} {ours:>9.0} {theirs:>9.0} {ratio:>6.2} {threads:>15.2}",
            traffic.name,
            traffic.operations.len(),
            live[0] / 1_048_576.0,
        );
        met &= peak <= RESERVED && ratio <= TIME;
        product *= ratio;
    }
    let mean = f64::powf(product, 1.0 / all.len() as f64);
    println!("geomean ratio {mean:.2} vs mimalloc");
    ensure!(
        met,
        "at most {RESERVED} times the bytes in use at the peak, and {TIME} times mimalloc's time on one thread, are wanted"
    );
    Ok(())
}
