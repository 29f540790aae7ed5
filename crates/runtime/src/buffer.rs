//! Page-aligned memory that is reused.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError};

use crate::sync::{Mutex, MutexGuard};

/// Alignment of large blocks: a page of the largest size in use (Apple silicon has 16 KiB).
const PAGE: usize = 16 << 10;
/// Alignment of small blocks: a cache line.
const LINE: usize = 64;

/// Nothing, aligned for every element type: slices of no bytes are read as slices of no numbers.
#[repr(align(64))]
struct Empty;
static EMPTY: Empty = Empty;

/// Raw memory, initialised from the start: safe code may read all of it.
#[derive(Debug)]
struct Block {
    ptr: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block owns its memory, which is not bound to a thread.
unsafe impl Send for Block {}
// SAFETY: through a shared block nothing is accessed; buffers and arenas see to who may read and write which part of it.
unsafe impl Sync for Block {}

impl Block {
    /// Zeroed memory, or `None` where there is not enough.
    fn new(size: usize) -> Option<Block> {
        let align = if size >= PAGE { PAGE } else { LINE };
        let layout = Layout::from_size_align(size, align).ok()?;
        // SAFETY: `size_class` never gives 0.
        let ptr = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Block { ptr, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.ptr.as_ptr(), self.layout) }
    }
}

/// Where a buffer's bytes are.
#[derive(Debug)]
enum Memory {
    /// There are none.
    Nothing,
    /// A block of its own.
    Block(Block, Pool),
    /// A part of an arena, at this offset.
    Part(Arc<Ground>, usize),
}

/// Bytes from a [`Pool`] or an [`Arena`], given back when dropped. They are zero, or what an earlier buffer left there.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory,
    len: usize,
}

impl Buffer {
    fn ptr(&self) -> NonNull<u8> {
        match &self.memory {
            Memory::Nothing => NonNull::from(&EMPTY).cast(),
            Memory::Block(block, _) => block.ptr,
            // SAFETY: `Arena::alloc` checked that the part lies within the block.
            Memory::Part(ground, offset) => unsafe { ground.block.ptr.add(*offset) },
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `len` initialised bytes lie there for as long as `self` lives, and no other buffer has them: a block of
        // its own is handed out once at a time, and of an arena no part that overlaps one alive.
        unsafe { std::slice::from_raw_parts(self.ptr().as_ptr(), self.len) }
    }

    /// The bytes, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.ptr().as_ptr(), self.len) }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.memory, Memory::Nothing) {
            Memory::Nothing => {}
            Memory::Block(block, pool) => pool.give_back(block),
            Memory::Part(ground, offset) => {
                ground.live().remove(&offset);
            }
        }
    }
}

/// One block that is given out in parts, at offsets that a plan has worked out.
///
/// The plan need not be trusted: a part that overlaps another one still alive is refused. The block goes back to its
/// pool when the arena and all its parts are dropped.
#[derive(Clone, Debug)]
pub struct Arena(Arc<Ground>);

#[derive(Debug)]
struct Ground {
    block: std::mem::ManuallyDrop<Block>,
    pool: Pool,
    /// Lengths of the parts that are alive, by offset.
    live: Mutex<BTreeMap<usize, usize>>,
}

impl Ground {
    fn live(&self) -> MutexGuard<'_, BTreeMap<usize, usize>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // SAFETY: `self` is being dropped, so the block is not used again.
        let block = unsafe { std::mem::ManuallyDrop::take(&mut self.block) };
        self.pool.give_back(block);
    }
}

impl Arena {
    /// Offsets have to be multiples of this.
    pub const ALIGN: usize = LINE;

    /// An arena of `len` bytes, or `None` where there is not enough memory.
    pub fn new(pool: &Pool, len: usize) -> Option<Arena> {
        let block = std::mem::ManuallyDrop::new(pool.block(len.max(1))?);
        Some(Arena(Arc::new(Ground { block, pool: pool.clone(), live: Mutex::default() })))
    }

    /// The part of `len` bytes at `offset`; `None` if it is not aligned, leaves the block or overlaps a part alive.
    pub fn alloc(&self, offset: usize, len: usize) -> Option<Buffer> {
        if len == 0 {
            return Some(Buffer { memory: Memory::Nothing, len });
        }
        let end = offset.checked_add(len)?;
        if !offset.is_multiple_of(Arena::ALIGN) || end > self.0.block.layout.size() {
            return None;
        }
        let mut live = self.0.live();
        // Parts are disjoint, so only the last one that starts before `end` can reach beyond `offset`.
        let clash = live.range(..end).next_back().is_some_and(|(&at, &n)| at + n > offset);
        if clash {
            return None;
        }
        live.insert(offset, len);
        drop(live);
        Some(Buffer { memory: Memory::Part(self.0.clone(), offset), len })
    }
}

/// Counters of a pool, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// In buffers that are alive.
    pub live: usize,
    /// The most that was ever alive at once since the last [`Pool::reset_peak`].
    pub peak: usize,
    /// Kept for reuse.
    pub cached: usize,
}

#[derive(Debug, Default)]
struct State {
    /// Free blocks by size.
    free: BTreeMap<usize, Vec<Block>>,
    stats: PoolStats,
    limit: usize,
}

/// A thread-safe source of buffers that keeps what is given back for the next request of about that size.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<State>>);

/// Rounds up so that requests of about one size share blocks: at most an eighth is wasted.
fn size_class(len: usize) -> Option<usize> {
    let unit = (len.checked_next_power_of_two()? / 16).clamp(LINE, usize::MAX);
    len.checked_next_multiple_of(unit)
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Pool {
        Pool::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between any two statements, so a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses requests that would bring the live bytes above `bytes`; 0 lifts the limit.
    pub fn set_limit(&self, bytes: usize) {
        self.state().limit = bytes;
    }

    /// Whether `bytes` more would stay within the limit: for what lives elsewhere, such as strings.
    pub fn fits(&self, bytes: usize) -> bool {
        let state = self.state();
        state.limit == 0 || state.stats.live.checked_add(bytes).is_some_and(|n| n <= state.limit)
    }

    /// A buffer of `len` bytes with arbitrary contents, or `None` where there is not enough memory.
    pub fn alloc(&self, len: usize) -> Option<Buffer> {
        if len == 0 {
            return Some(Buffer { memory: Memory::Nothing, len });
        }
        Some(Buffer { memory: Memory::Block(self.block(len)?, self.clone()), len })
    }

    /// A block of at least `len` bytes; `len` must not be 0.
    fn block(&self, len: usize) -> Option<Block> {
        let size = size_class(len)?;
        let mut state = self.state();
        let most = match state.limit {
            0 => usize::MAX,
            limit => limit.saturating_sub(state.stats.live),
        };
        if size > most {
            return None;
        }
        // A block of another size may be too large for what is left below the limit.
        let sizes = size..=size.saturating_mul(2).min(most);
        let fit = state.free.range(sizes).next().map(|(&s, _)| s);
        let reused = fit.and_then(|s| {
            let blocks = state.free.get_mut(&s)?;
            let block = blocks.pop();
            if blocks.is_empty() {
                state.free.remove(&s);
            }
            block
        });
        let block = match reused {
            Some(block) => {
                state.stats.cached -= block.layout.size();
                block
            }
            None => {
                // Cached blocks that nothing fits are dead weight: let the oldest sizes go first.
                while state.stats.cached > state.stats.peak.max(size) {
                    let Some((s, blocks)) = state.free.pop_first() else { break };
                    state.stats.cached -= s * blocks.len();
                }
                Block::new(size)?
            }
        };
        state.stats.live += block.layout.size();
        state.stats.peak = state.stats.peak.max(state.stats.live);
        Some(block)
    }

    fn give_back(&self, block: Block) {
        let size = block.layout.size();
        let mut state = self.state();
        state.stats.live -= size;
        state.stats.cached += size;
        state.free.entry(size).or_default().push(block);
    }

    /// The counters.
    pub fn stats(&self) -> PoolStats {
        self.state().stats
    }

    /// Starts a fresh peak from what is alive.
    pub fn reset_peak(&self) {
        let mut state = self.state();
        state.stats.peak = state.stats.live;
    }

    /// Gives cached memory back to the system.
    pub fn trim(&self) {
        let mut state = self.state();
        state.free.clear();
        state.stats.cached = 0;
    }
}

#[cfg(all(test, feature = "models"))]
mod models;

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_reused() {
        let pool = Pool::new();
        let a = pool.alloc(100_000).unwrap();
        let at = a.bytes().as_ptr();
        assert_eq!(at as usize % PAGE, 0);
        drop(a);
        assert_eq!(pool.alloc(99_000).unwrap().bytes().as_ptr(), at);
        assert_eq!(pool.stats().live, 0);
        assert!(pool.stats().peak >= 100_000);
    }

    #[test]
    fn the_limit_and_absurd_sizes_are_refused() {
        let pool = Pool::new();
        assert!(pool.alloc(usize::MAX).is_none());
        assert!(pool.alloc(isize::MAX as usize).is_none());
        pool.set_limit(1 << 20);
        assert!(pool.alloc(2 << 20).is_none());
        assert!(pool.alloc(1 << 19).is_some());
    }

    #[test]
    fn reused_blocks_stay_within_the_limit() {
        let pool = Pool::new();
        drop(pool.alloc(150 << 10).unwrap());
        pool.set_limit(100 << 10);
        let small = pool.alloc(90 << 10).unwrap();
        assert!(pool.stats().live <= 100 << 10, "{:?}", pool.stats());
        assert!(pool.alloc(20 << 10).is_none());
        drop(small);
        pool.set_limit(0);
        assert_eq!(pool.alloc(140 << 10).unwrap().len(), 140 << 10);
    }

    #[test]
    fn fresh_memory_is_zero() {
        let pool = Pool::new();
        for len in [1, 100, 20_000, 3 << 20] {
            assert!(pool.alloc(len).unwrap().bytes().iter().all(|&b| b == 0), "{len}");
            pool.trim();
        }
    }

    #[test]
    fn parts_of_an_arena_never_overlap() {
        let pool = Pool::new();
        let arena = Arena::new(&pool, 1000).unwrap();
        let mut a = arena.alloc(0, 100).unwrap();
        let mut b = arena.alloc(128, 64).unwrap();
        a.bytes_mut().fill(1);
        b.bytes_mut().fill(2);
        assert!(a.bytes().iter().all(|&v| v == 1) && b.bytes().iter().all(|&v| v == 2));
        for (offset, len) in [(0, 1), (64, 65), (128, 1), (64, 200), (100, 4), (960, 100)] {
            assert!(arena.alloc(offset, len).is_none(), "{offset}, {len}");
        }
        assert!(arena.alloc(usize::MAX - 63, 64).is_none());
        assert_eq!(arena.alloc(128, 0).unwrap().bytes(), []);
        drop(a);
        assert!(arena.alloc(64, 64).is_some() && arena.alloc(0, 128).is_some());
        drop(arena);
        assert!(pool.stats().live >= 1000, "a part keeps the block alive");
        drop(b);
        assert_eq!(pool.stats().live, 0);
    }
}
