//! Random operations of several threads, beside a model: which bytes somebody has.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use trident_runtime::{Buffer, HostMemory, Pool, PoolSettings};

use crate::random::Random;

const THREADS: u64 = 4;
/// Most buffers of a thread, and most bytes of them.
const BUFFERS: usize = 2000;
const BYTES: usize = 256 << 20;

/// Lengths of the live buffers, by address.
type Model = Mutex<BTreeMap<usize, usize>>;

fn taken(model: &Model, buffer: &Buffer) -> Result<()> {
    let (at, len) = (buffer.bytes().as_ptr().addr(), buffer.len());
    let mut live = model.lock().unwrap_or_else(PoisonError::into_inner);
    let before = live.range(..at + len).next_back();
    ensure!(before.is_none_or(|(from, n)| from + n <= at), "{len} bytes at {at:#x} are taken");
    live.insert(at, len);
    Ok(())
}

fn dropped(model: &Model, buffer: Buffer) -> Result<()> {
    let (at, len) = (buffer.bytes().as_ptr().addr(), buffer.len());
    let known = model.lock().unwrap_or_else(PoisonError::into_inner).remove(&at);
    ensure!(known == Some(len), "{len} bytes at {at:#x} were lost");
    Ok(())
}

/// Each buffer has its number in its first and last byte.
fn thread(pool: &Pool, model: &Model, seed: u64, operations: u64) -> Result<u64> {
    let mut random = Random(seed);
    let mut live: Vec<(Buffer, u8)> = vec![];
    let (mut bytes, mut made) = (0, 0);
    for _ in 0..operations {
        let full = live.len() >= BUFFERS || bytes >= BYTES;
        if live.is_empty() || !full && random.below(100) < 51 {
            // One in ten thousand is larger than a region.
            let most = if random.below(10_000) == 0 { 128 << 20 } else { 1 << 20 };
            let mut buffer = pool.alloc(random.size(most)).context("memory is refused")?;
            taken(model, &buffer)?;
            let tag = made as u8;
            let last = buffer.len() - 1;
            (buffer.bytes_mut()[0], buffer.bytes_mut()[last]) = (tag, tag);
            made += 1;
            bytes += buffer.len();
            live.push((buffer, tag));
        } else {
            let (buffer, tag) = live.swap_remove(random.below(live.len()));
            let (first, last) = (buffer.bytes()[0], buffer.bytes()[buffer.len() - 1]);
            ensure!((first, last) == (tag, tag), "somebody else has written to a buffer");
            bytes -= buffer.len();
            dropped(model, buffer)?;
        }
    }
    live.into_iter().try_for_each(|(buffer, _)| dropped(model, buffer))?;
    Ok(made)
}

pub(crate) fn run(operations: u64) -> Result<()> {
    let settings = PoolSettings { max_unused: 64 << 20, max_age: Duration::from_millis(20) };
    let pool = Pool::with(HostMemory::provider(), settings);
    let model = Model::default();
    let start = Instant::now();
    let made = std::thread::scope(|scope| {
        let run = |seed| {
            let pool = pool.child("random");
            let model = &model;
            scope.spawn(move || thread(&pool, model, seed, operations / THREADS))
        };
        let threads: Vec<_> = (0..THREADS).map(run).collect();
        let ends = threads.into_iter().map(|thread| match thread.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ends.sum::<Result<u64>>()
    })?;
    let stats = pool.device_stats();
    ensure!(stats.buffers.live == 0 && stats.pools.is_empty(), "{stats:?}");
    ensure!(stats.buffers.hits + stats.buffers.misses == made, "{made} buffers: {stats:?}");
    let given = stats.given_back;
    ensure!(given.age > 0 && given.size > 0 && given.unload > 0, "{given:?}");
    pool.empty_cache();
    let left = pool.device_stats();
    ensure!(left.reserved == 0 && left.cached == 0, "{left:?}");
    let (seconds, peak) = (start.elapsed().as_secs_f64(), stats.buffers.peak >> 20);
    println!(
        "random  {operations} operations of {THREADS} threads in {seconds:.1} s, {made} buffers, {peak} MiB at the peak: none overlap, none are lost"
    );
    Ok(())
}
