//! The memory of the process before and after a spike.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use trident_runtime::{Buffer, HostMemory, Pool, PoolSettings};

use crate::random::Random;

const AGE: Duration = Duration::from_secs(1);
/// How long after its age memory may still be there.
const GRACE: Duration = Duration::from_secs(2);

/// Bytes of the process in memory.
fn resident() -> Result<usize> {
    let statm = std::fs::read_to_string("/proc/self/statm")?;
    let pages = statm.split_whitespace().nth(1).context("no resident pages")?;
    Ok(pages.parse::<usize>()? * 4096)
}

/// Buffers of this many bytes in all, written to.
fn filled(pool: &Pool, random: &mut Random, bytes: usize) -> Result<Vec<Buffer>> {
    let (mut all, mut sum) = (vec![], 0);
    while sum < bytes {
        let mut buffer = pool.alloc(random.size(8 << 20)).context("no memory")?;
        buffer.bytes_mut().fill(1);
        sum += buffer.len();
        all.push(buffer);
    }
    Ok(all)
}

pub(crate) fn run() -> Result<()> {
    let settings = PoolSettings { max_unused: 1 << 30, max_age: AGE };
    let pool = Pool::with(HostMemory::provider(), settings);
    let mut random = Random(1);
    // What a server has loaded.
    let mut live = filled(&pool, &mut random, 100 << 20)?;
    let before = resident()?;
    let mut spike = filled(&pool, &mut random, 600 << 20)?;
    let peak = resident()?;
    // A few buffers of the spike take the places of older ones, so that regions stay in use.
    let in_use: usize = live.iter().map(Buffer::len).sum();
    for place in (0..live.len()).step_by(4) {
        let far = |other: &usize| spike[*other].len().abs_diff(live[place].len());
        if let Some(other) = (0..spike.len()).min_by_key(far) {
            live[place] = spike.swap_remove(other);
        }
    }
    drop(spike);
    // What is in use is nearly the same, but not quite.
    let before = before + live.iter().map(Buffer::len).sum::<usize>() - in_use;
    std::thread::sleep(AGE + GRACE);
    let after = resident()?;
    let ratio = after as f64 / before as f64;
    let mib = |bytes: usize| bytes >> 20;
    println!(
        "spike   {} MiB before, {} MiB at the peak, {} MiB {:?} after it: ratio {ratio:.2} (at most 1.10)",
        mib(before),
        mib(peak),
        mib(after),
        AGE + GRACE
    );
    ensure!(peak > before + (500 << 20), "there was no spike");
    ensure!(ratio <= 1.1, "the pool keeps what nobody uses");
    Ok(())
}
