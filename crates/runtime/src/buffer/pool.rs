//! Reused blocks: whole pages, and small ones cut from slabs.

use super::pages::{HostMemory, MemoryProvider, PAGE, Pages};
use super::{Buffer, LINE, Memory};
use crate::sync::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError};

/// Size of a slab in bytes, except for a pool's first, which is one page.
const SLAB: usize = 4 * PAGE;

/// Memory that has one owner at a time.
#[derive(Debug)]
pub(super) struct Block {
    ptr: NonNull<u8>,
    len: usize,
    home: Home,
}

#[derive(Debug)]
enum Home {
    Own(Pages),
    Slab(Arc<Pages>),
}

// SAFETY: a block owns its part of its pages, which are not bound to a thread.
unsafe impl Send for Block {}
// SAFETY: nothing is accessed through a shared block; buffers and arenas control who may read and write which part of
// it.
unsafe impl Sync for Block {}

impl Block {
    pub(super) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The pages that the block lies in.
    pub(super) fn pages(&self) -> &Pages {
        match &self.home {
            Home::Own(pages) => pages,
            Home::Slab(pages) => pages,
        }
    }

    fn own(pages: Pages) -> Block {
        Block { ptr: pages.ptr(), len: pages.len(), home: Home::Own(pages) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `len` initialised bytes lie there for as long as the block holds its pages, and no other block has
        // them: a separate block has pages to itself, and parts of a slab are cut off one after another.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

/// Pages from which blocks are cut, from the front.
#[derive(Debug)]
struct Slab {
    pages: Arc<Pages>,
    used: usize,
}

impl Slab {
    /// Cuts off `len` bytes; `None` if fewer are left.
    fn cut(&mut self, len: usize) -> Option<Block> {
        let end = self.used.checked_add(len).filter(|end| *end <= self.pages.len())?;
        // SAFETY: `used` is at most the length of the pages.
        let ptr = unsafe { self.pages.ptr().add(self.used) };
        self.used = end;
        Some(Block { ptr, len, home: Home::Slab(self.pages.clone()) })
    }

    /// The remainder as one block.
    fn rest(mut self) -> Option<Block> {
        let left = self.pages.len() - self.used;
        if left == 0 { None } else { self.cut(left) }
    }
}

/// Counters of a pool, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Bytes in live buffers.
    pub live: usize,
    /// The most bytes live at once since the last [`Pool::reset_peak`].
    pub peak: usize,
    /// Bytes of free blocks held for reuse.
    pub cached: usize,
}

#[derive(Debug, Default)]
struct State {
    /// Free blocks by size. A size stays listed once seen, as it mostly recurs: there are at most 16 per power of two.
    free: BTreeMap<usize, Vec<Block>>,
    /// The slab from which small blocks are cut.
    slab: Option<Slab>,
    stats: PoolStats,
    limit: usize,
}

impl State {
    fn keep(&mut self, block: Block) {
        self.stats.cached += block.len;
        self.free.entry(block.len).or_default().push(block);
    }

    /// Takes a free block with a size in this range.
    fn take(&mut self, sizes: std::ops::RangeInclusive<usize>) -> Option<Block> {
        let block = self.free.range_mut(sizes).find_map(|(_, blocks)| blocks.pop())?;
        self.stats.cached -= block.len;
        Some(block)
    }

    /// Cuts a block from a slab.
    fn small(&mut self, provider: &dyn MemoryProvider, size: usize) -> Option<Block> {
        if let Some(block) = self.slab.as_mut().and_then(|slab| slab.cut(size)) {
            return Some(block);
        }
        let len = if self.slab.is_some() { SLAB } else { PAGE };
        let slab = Slab { pages: Arc::new(provider.pages(len)?), used: 0 };
        let rest = self.slab.replace(slab).and_then(Slab::rest);
        rest.into_iter().for_each(|block| self.keep(block));
        self.slab.as_mut()?.cut(size)
    }

    /// Allocates a separate block.
    fn large(&mut self, provider: &dyn MemoryProvider, size: usize) -> Option<Block> {
        // Free blocks that no request fits are a waste: release the smallest sizes first.
        while self.stats.cached > self.stats.peak.max(size) {
            let Some(s) = self.free.range(PAGE..).next().map(|(&s, _)| s) else { break };
            let blocks = self.free.remove(&s).unwrap_or_default();
            self.stats.cached -= s * blocks.len();
        }
        provider.pages(size).map(Block::own)
    }
}

/// A thread-safe source of buffers that reuses returned memory for requests of similar size.
#[derive(Clone, Debug)]
pub struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    provider: Arc<dyn MemoryProvider>,
    state: Mutex<State>,
}

/// Rounds up so that requests of similar size share blocks: wastes at most an eighth, or the rest of a page.
fn size_class(len: usize) -> Option<usize> {
    let least = if len >= PAGE { PAGE } else { LINE };
    let unit = (len.checked_next_power_of_two()? / 16).clamp(least, usize::MAX);
    len.checked_next_multiple_of(unit)
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::of(HostMemory::provider())
    }
}

impl Pool {
    /// An empty pool of host memory.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// An empty pool of a device's memory.
    pub fn of(provider: Arc<dyn MemoryProvider>) -> Pool {
        Pool(Arc::new(Shared { provider, state: Mutex::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between any two statements, so a panic elsewhere does not invalidate it.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses requests that would raise the live bytes above `bytes`; 0 removes the limit.
    pub fn set_limit(&self, bytes: usize) {
        self.state().limit = bytes;
    }

    /// Whether `bytes` more would stay within the limit; for memory allocated elsewhere, such as strings.
    pub fn fits(&self, bytes: usize) -> bool {
        let state = self.state();
        state.limit == 0 || state.stats.live.checked_add(bytes).is_some_and(|n| n <= state.limit)
    }

    /// A buffer of `len` bytes with arbitrary contents; `None` if memory is insufficient or the limit would be
    /// exceeded.
    pub fn alloc(&self, len: usize) -> Option<Buffer> {
        if len == 0 {
            return Some(Buffer { memory: Memory::Nothing, len });
        }
        Some(Buffer { memory: Memory::Block(self.block(len)?, self.clone()), len })
    }

    /// A block of at least `len` bytes, which must not be 0.
    pub(super) fn block(&self, len: usize) -> Option<Block> {
        let size = size_class(len)?;
        let mut state = self.state();
        let most = match state.limit {
            0 => usize::MAX,
            limit => limit.saturating_sub(state.stats.live),
        };
        if size > most {
            return None;
        }
        // A block of another size may be too large for what remains below the limit.
        let provider = &*self.0.provider;
        let block = match state.take(size..=size.saturating_mul(2).min(most)) {
            Some(block) => block,
            None if size < PAGE => state.small(provider, size)?,
            None => state.large(provider, size)?,
        };
        state.stats.live += block.len;
        state.stats.peak = state.stats.peak.max(state.stats.live);
        Some(block)
    }

    pub(super) fn give_back(&self, mut block: Block) {
        self.0.provider.recycle(block.bytes_mut());
        let mut state = self.state();
        state.stats.live -= block.len;
        state.keep(block);
    }

    /// The counters.
    pub fn stats(&self) -> PoolStats {
        self.state().stats
    }

    /// Resets the peak to the live bytes.
    pub fn reset_peak(&self) {
        let mut state = self.state();
        state.stats.peak = state.stats.live;
    }

    /// Returns free memory to the system; of slabs, those without a live block.
    pub fn trim(&self) {
        let mut state = self.state();
        let free = std::mem::take(&mut state.free);
        state.stats.cached = 0;
        let mut of_slabs: BTreeMap<NonNull<u8>, Vec<Block>> = BTreeMap::new();
        for block in free.into_values().flatten() {
            if let Home::Slab(pages) = &block.home {
                of_slabs.entry(pages.ptr()).or_default().push(block);
            }
        }
        for (at, blocks) in of_slabs {
            let current = state.slab.as_ref().is_some_and(|slab| slab.pages.ptr() == at);
            let holders = blocks.first().map_or(0, |block| match &block.home {
                Home::Slab(pages) => Arc::strong_count(pages),
                Home::Own(_) => 0,
            });
            if holders > blocks.len() + usize::from(current) {
                blocks.into_iter().for_each(|block| state.keep(block));
            } else if current {
                state.slab = None;
            }
        }
    }
}
