//! Pools: shares of a device's memory, each with counters and a limit.

use super::heap::{Block, GivenBack, Heap, Reason, block_len};
use super::pages::{HostMemory, MemoryProvider};
use super::settings::PoolSettings;
use super::timer::Timer;
use super::{Buffer, Memory};
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError};

/// Counters of a pool. Sizes are those of blocks in bytes, slightly more than the requested sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Bytes in live buffers, and those of `elsewhere`.
    pub live: usize,
    /// The part of `live` that is allocated elsewhere: weights and strings ([`Pool::charge`]).
    pub elsewhere: usize,
    /// The most bytes live at once since the last [`Pool::reset_peak`].
    pub peak: usize,
    /// Buffers for which the device had memory.
    pub hits: u64,
    /// Buffers for which memory was taken from the system.
    pub misses: u64,
}

/// Counters of a device's memory, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryStats {
    /// All pools together.
    pub buffers: PoolStats,
    /// Memory of buffers and unused memory: pages that the system has handed out and not got back since.
    pub reserved: usize,
    /// The most that was reserved since the last [`Pool::reset_device_peaks`].
    pub peak_reserved: usize,
    /// Reserved memory that belongs to no buffer.
    pub cached: usize,
    /// Given back to the system.
    pub given_back: GivenBack,
    /// The part of the memory cached in regions that no single buffer can use, because it is not contiguous: from 0 to
    /// 1.
    pub fragmentation: f64,
    /// The pools that have a name, with their counters.
    pub pools: Vec<(String, PoolStats)>,
}

/// Counters that many threads change.
#[derive(Debug, Default)]
pub(super) struct Counters {
    live: AtomicUsize,
    peak: AtomicUsize,
    /// The part of `live` that is not in blocks.
    elsewhere: AtomicUsize,
    /// The most bytes in blocks so far; never reset.
    high: AtomicUsize,
    misses: AtomicU64,
}

impl Counters {
    pub(super) fn live(&self) -> usize {
        self.live.load(Relaxed)
    }

    /// Bytes in blocks.
    pub(super) fn blocks(&self) -> usize {
        self.live().saturating_sub(self.elsewhere.load(Relaxed))
    }

    /// The most bytes in blocks so far.
    pub(super) fn high_blocks(&self) -> usize {
        self.high.load(Relaxed)
    }

    /// Counts `size` more bytes, not yet as a peak, unless there would be more than `limit`. How many there are then.
    fn reserve(&self, size: usize, limit: usize) -> Option<usize> {
        let fits = |live: usize| live.checked_add(size).filter(|n| *n <= limit);
        Some(self.live.fetch_update(Relaxed, Relaxed, fits).ok()? + size)
    }

    /// Counts `size` more bytes of a block.
    fn add_block(&self, size: usize) {
        self.raise(self.live.fetch_add(size, Relaxed) + size);
    }

    /// Raises the peak: `live` bytes are live, including the newest block.
    fn raise(&self, live: usize) {
        self.raise_peak(live);
        let blocks = live.saturating_sub(self.elsewhere.load(Relaxed));
        if blocks > self.high.load(Relaxed) {
            self.high.fetch_max(blocks, Relaxed);
        }
    }

    fn raise_peak(&self, live: usize) {
        // Mostly it is not a peak, and reading is cheaper.
        if live > self.peak.load(Relaxed) {
            self.peak.fetch_max(live, Relaxed);
        }
    }

    /// Counts `size` bytes that are allocated elsewhere, unless there would be more than `limit` bytes live; whether there are not.
    fn add_elsewhere(&self, size: usize, limit: usize) -> bool {
        // In this order, as below, blocks never seem to be more than they are.
        self.elsewhere.fetch_add(size, Relaxed);
        let live = self.reserve(size, limit);
        match live {
            Some(live) => self.raise_peak(live),
            None => drop(self.elsewhere.fetch_sub(size, Relaxed)),
        }
        live.is_some()
    }

    fn remove_elsewhere(&self, size: usize) {
        self.live.fetch_sub(size, Relaxed);
        self.elsewhere.fetch_sub(size, Relaxed);
    }

    fn remove(&self, size: usize) {
        self.live.fetch_sub(size, Relaxed);
    }

    fn miss(&self) {
        self.misses.fetch_add(1, Relaxed);
    }

    fn reset_peak(&self) {
        self.peak.store(self.live(), Relaxed);
    }

    /// The figures of this many buffers.
    pub(super) fn stats(&self, buffers: u64) -> PoolStats {
        let misses = self.misses.load(Relaxed);
        let hits = buffers.saturating_sub(misses);
        let (peak, elsewhere) = (self.peak.load(Relaxed), self.elsewhere.load(Relaxed));
        PoolStats { live: self.live(), elsewhere, peak, hits, misses }
    }
}

/// Bytes that count as a pool's though they are allocated elsewhere, until this is dropped.
#[derive(Debug)]
pub struct Charge {
    pool: Pool,
    bytes: usize,
}

impl Charge {
    /// How many they are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where they count.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Counts `bytes` more; false, with no change, if the pool's limit would be exceeded.
    pub fn grow(&mut self, bytes: usize) -> bool {
        let Shared { heap, counters, .. } = &*self.pool.0;
        let limit = match self.pool.limit() {
            0 => usize::MAX,
            limit => limit,
        };
        if !counters.add_elsewhere(bytes, limit) {
            return false;
        }
        if !heap.counters.add_elsewhere(bytes, usize::MAX) {
            counters.remove_elsewhere(bytes);
            return false;
        }
        self.bytes += bytes;
        true
    }

    /// Counts `bytes` instead; false, with no change, if the pool's limit would be exceeded.
    pub fn resize(&mut self, bytes: usize) -> bool {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.grow(more),
            None => {
                self.shrink(self.bytes - bytes);
                true
            }
        }
    }

    fn shrink(&mut self, bytes: usize) {
        let Shared { heap, counters, .. } = &*self.pool.0;
        [counters, &heap.counters].iter().for_each(|counters| counters.remove_elsewhere(bytes));
        self.bytes -= bytes;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

/// A thread-safe source of buffers. Pools of one device share its free memory, and each counts its own buffers.
#[derive(Clone, Debug)]
pub struct Pool(Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    heap: Arc<Heap>,
    name: Option<String>,
    counters: Counters,
    /// Number of buffers so far.
    buffers: AtomicU64,
    limit: AtomicUsize,
}

impl Shared {
    fn new(heap: Arc<Heap>, name: Option<String>) -> Shared {
        let (buffers, limit) = (AtomicU64::new(0), AtomicUsize::new(0));
        Shared { heap, name, counters: Counters::default(), buffers, limit }
    }

    fn stats(&self) -> PoolStats {
        self.counters.stats(self.buffers.load(Relaxed))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // None of it is live. A model's memory is not kept for others, because they may not need it.
        if self.name.is_some() {
            self.heap.give_back(Reason::Unload, 0, self.counters.high_blocks());
        }
    }
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::host().share(None)
    }
}

impl Pool {
    /// A pool of host memory.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// The first pool of the host's memory.
    #[cfg(not(all(test, feature = "models")))]
    pub fn host() -> Pool {
        static HOST: std::sync::LazyLock<Pool> =
            std::sync::LazyLock::new(|| Pool::of(HostMemory::provider()));
        HOST.clone()
    }

    /// Nothing outlives the schedule of a model.
    #[cfg(all(test, feature = "models"))]
    pub fn host() -> Pool {
        Pool::of(HostMemory::provider())
    }

    /// The first pool of a device's memory, with the settings that are installed.
    pub fn of(provider: Arc<dyn MemoryProvider>) -> Pool {
        Pool::with(provider, PoolSettings::installed())
    }

    /// The first pool of a device's memory.
    pub fn with(provider: Arc<dyn MemoryProvider>, settings: PoolSettings) -> Pool {
        let heap = Arc::new(Heap::new(provider, settings));
        #[cfg(not(all(test, feature = "models")))]
        super::forked::register(&heap);
        Pool(Arc::new(Shared::new(heap, None)))
    }

    fn share(&self, name: Option<String>) -> Pool {
        Pool(Arc::new(Shared::new(Arc::clone(&self.0.heap), name)))
    }

    /// Another pool of the same device's memory, without a limit. It is listed by name until it and its buffers are
    /// dropped; then memory as large as its peak is given back to the system.
    pub fn child(&self, name: &str) -> Pool {
        let pool = self.share(Some(name.to_owned()));
        let mut pools = self.0.heap.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|pool| pool.strong_count() > 0);
        pools.push(Arc::downgrade(&pool.0));
        drop(pools);
        pool
    }

    /// Refuses requests that would raise the live bytes above `bytes`; 0 removes the limit.
    pub fn set_limit(&self, bytes: usize) {
        self.0.limit.store(bytes, Relaxed);
    }

    /// The most live bytes, as [`Pool::set_limit`] has it; 0 for no limit.
    pub fn limit(&self) -> usize {
        self.0.limit.load(Relaxed)
    }

    /// Counts `bytes` that are allocated elsewhere, such as strings and weights, until the charge is dropped; `None` if the limit
    /// would be exceeded.
    pub fn charge(&self, bytes: usize) -> Option<Charge> {
        let mut charge = Charge { pool: self.clone(), bytes: 0 };
        charge.grow(bytes).then_some(charge)
    }

    /// A buffer of `len` bytes with arbitrary contents; `None` if memory is insufficient or the limit would be
    /// exceeded.
    pub fn alloc(&self, len: usize) -> Option<Buffer> {
        self.alloc_within(len, len)
    }

    /// Like [`Pool::alloc`], in memory of at least `room` bytes.
    pub(crate) fn alloc_within(&self, len: usize, room: usize) -> Option<Buffer> {
        let room = room.max(len);
        if room == 0 {
            return Some(Buffer { memory: Memory::Nothing, len, loan: None });
        }
        let block = self.block(room)?;
        Some(Buffer { memory: Memory::Block(block, self.clone()), len, loan: None })
    }

    /// A block of at least `len` bytes, which must not be 0.
    #[inline(always)]
    pub(super) fn block(&self, len: usize) -> Option<Block> {
        let size = block_len(len)?;
        let Shared { heap, counters, buffers, .. } = &*self.0;
        // With a limit, a request counts as live at once. A request that fails does not raise the peak.
        let live = match self.limit() {
            0 => None,
            limit => Some(counters.reserve(size, limit)?),
        };
        let Some((block, touched)) = heap.take(size) else {
            live.inspect(|_| counters.remove(size));
            return None;
        };
        match live {
            Some(live) => counters.raise(live),
            None => counters.add_block(size),
        }
        heap.counters.add_block(size);
        buffers.fetch_add(1, Relaxed);
        if touched > 0 {
            counters.miss();
            heap.counters.miss();
        }
        #[cfg(feature = "trace")]
        super::trace::taken(&block, len);
        Some(block)
    }

    pub(super) fn give_back(&self, block: Block) {
        #[cfg(feature = "trace")]
        super::trace::dropped(&block);
        self.0.counters.remove(block.len());
        self.0.heap.counters.remove(block.len());
        self.0.heap.give(block);
        Timer::watch(&self.0.heap);
    }

    /// The counters.
    pub fn stats(&self) -> PoolStats {
        self.0.stats()
    }

    /// Resets the peak to the live bytes.
    pub fn reset_peak(&self) {
        self.0.counters.reset_peak();
    }

    /// The counters of the device's memory.
    pub fn device_stats(&self) -> MemoryStats {
        let heap = &self.0.heap;
        let pools = heap.pools.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let alive: Vec<Arc<Shared>> = pools.iter().filter_map(std::sync::Weak::upgrade).collect();
        let named = |pool: &Arc<Shared>| Some((pool.name.clone()?, pool.stats()));
        let (free, largest) = heap.free();
        MemoryStats {
            buffers: heap.stats(),
            reserved: heap.reserved(),
            peak_reserved: heap.peak_reserved(),
            cached: heap.cached(),
            given_back: heap.given_back(),
            fragmentation: if free == 0 { 0.0 } else { 1.0 - largest as f64 / free as f64 },
            pools: alive.iter().filter_map(named).collect(),
        }
    }

    /// Resets the peaks of the device's memory to what is live and reserved.
    pub fn reset_device_peaks(&self) {
        self.0.heap.counters.reset_peak();
        self.0.heap.reset_peak_reserved();
    }

    /// Returns the device's unused memory to the system, except parts of pages that small buffers share. The bytes that were
    /// returned.
    pub fn empty_cache(&self) -> usize {
        self.0.heap.give_back(Reason::Asked, 0, usize::MAX)
    }

    /// Like [`Pool::empty_cache`], but returns at most the pages of a buffer of `bytes` bytes.
    pub fn give_back_at_most(&self, bytes: usize) -> usize {
        let most = if bytes == 0 { 0 } else { block_len(bytes).unwrap_or(usize::MAX) };
        self.0.heap.give_back(Reason::Asked, 0, most)
    }
}
