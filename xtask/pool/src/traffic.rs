//! Traffic like that of models, timed beside mimalloc.

use std::alloc::{GlobalAlloc, Layout};
use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use mimalloc::MiMalloc;
use trident_runtime::{Buffer, HostMemory, Pool, PoolSettings};

use crate::random::Random;

/// Most that the pool may reserve for each byte in use at the peak, and the most time it may take for each of mimalloc's.
const RESERVED: f64 = 1.25;
const TIME: f64 = 2.0;

/// Nanoseconds that this thread has been running: what else the machine does is not counted.
fn busy() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split_whitespace().next().context("no time")?.parse()?)
}

/// How often the same traffic follows itself in a measurement: the system counts time in units of milliseconds.
const REPEATS: usize = 20;

/// An operation on one of several places.
enum Operation {
    Take(usize, usize),
    Drop(usize),
}

struct Traffic {
    name: &'static str,
    operations: Vec<Operation>,
    places: usize,
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

impl Traffic {
    fn repeated(&self) -> impl Iterator<Item = &Operation> {
        (0..REPEATS).flat_map(|_| &self.operations)
    }

    /// Nanoseconds of an operation with the pool.
    fn pool(&self, pool: &Pool) -> Result<f64> {
        let mut live: Vec<Option<Buffer>> = (0..self.places).map(|_| None).collect();
        let start = busy()?;
        for operation in self.repeated() {
            match *operation {
                Operation::Take(place, bytes) => {
                    live[place] = Some(black_box(pool.alloc(bytes).context("no memory")?));
                }
                Operation::Drop(place) => live[place] = None,
            }
        }
        Ok((busy()? - start) / (REPEATS * self.operations.len()) as f64)
    }

    /// The same with mimalloc.
    fn mimalloc(&self) -> Result<f64> {
        let mut live: Vec<Option<(*mut u8, Layout)>> = vec![None; self.places];
        let start = busy()?;
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
        Ok((busy()? - start) / (REPEATS * self.operations.len()) as f64)
    }

    /// The most bytes that are asked for at once.
    fn peak(&self) -> usize {
        let (mut sizes, mut now, mut peak) = (vec![0; self.places], 0, 0);
        for operation in &self.operations {
            match *operation {
                Operation::Take(place, bytes) => {
                    sizes[place] = bytes;
                    now += bytes;
                }
                Operation::Drop(place) => now -= std::mem::take(&mut sizes[place]),
            }
            peak = peak.max(now);
        }
        peak
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

pub(crate) fn run(rounds: usize) -> Result<()> {
    let (mut product, mut met) = (1.0, true);
    let all = [
        runs("small", 1, 20, 64 << 10),
        runs("medium", 2, 4, 1 << 20),
        runs("large", 3, 2, 8 << 20),
    ];
    for traffic in &all {
        let pool = Pool::with(HostMemory::provider(), PoolSettings::default());
        let (mut ours, mut theirs) = (vec![], vec![]);
        for _ in 0..rounds {
            ours.push(traffic.pool(&pool)?);
            theirs.push(traffic.mimalloc()?);
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let reserved = pool.device_stats().peak_reserved as f64 / traffic.peak() as f64;
        let (time, mib) = (ours / theirs, traffic.peak() >> 20);
        println!(
            "{:<7} {mib} MiB at the peak, reserved {reserved:.2} times as much; {ours:.0} ns an operation, mimalloc {theirs:.0}: ratio {time:.2}",
            traffic.name
        );
        met &= reserved <= RESERVED && time <= TIME;
        product *= time;
    }
    let mean = f64::powf(product, 1.0 / all.len() as f64);
    println!("geomean ratio {mean:.2} vs mimalloc");
    ensure!(
        met,
        "at most {RESERVED} times the bytes in use and {TIME} times mimalloc's time are wanted"
    );
    Ok(())
}
