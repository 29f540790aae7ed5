//! Reused memory: pages from a device's provider, blocks from a pool of them, buffers.
#![allow(unsafe_code)]

mod pages;
mod pool;

pub use pages::{HostMemory, MemoryProvider, PAGE, Pages};
pub use pool::{Pool, PoolStats};

use crate::sync::{Mutex, MutexGuard};
use pool::Block;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError};

/// Alignment of small blocks: a cache line.
const LINE: usize = 64;

/// An empty buffer's memory, aligned for every element type: empty byte slices are read as empty slices of numbers.
#[repr(align(64))]
struct Empty;
static EMPTY: Empty = Empty;

/// The location of a buffer's bytes.
#[derive(Debug)]
enum Memory {
    /// The buffer is empty.
    Nothing,
    /// A separate block.
    Block(Block, Pool),
    /// A part of an arena, at this offset.
    Part(Arc<ArenaBlock>, usize),
}

/// Bytes from a [`Pool`] or an [`Arena`], returned when dropped. They are zero, or what an earlier buffer left there.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory,
    len: usize,
}

impl Buffer {
    fn ptr(&self) -> NonNull<u8> {
        match &self.memory {
            Memory::Nothing => NonNull::from(&EMPTY).cast(),
            Memory::Block(block, _) => block.ptr(),
            // SAFETY: `Arena::alloc` checked that the part lies within the block.
            Memory::Part(ground, offset) => unsafe { ground.block.ptr().add(*offset) },
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `len` initialised bytes lie there for as long as `self` lives, and no other buffer has them: a
        // separate block belongs to one buffer at a time, and an arena refuses parts that overlap a live one.
        unsafe { std::slice::from_raw_parts(self.ptr().as_ptr(), self.len) }
    }

    /// The bytes, mutably.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.ptr().as_ptr(), self.len) }
    }

    /// The pages that the bytes lie in, and the offset of the bytes in them, in bytes: for devices that map pages.
    /// `None` if the buffer is empty.
    pub fn pages(&self) -> Option<(&Pages, usize)> {
        let block = match &self.memory {
            Memory::Nothing => return None,
            Memory::Block(block, _) => block,
            Memory::Part(ground, _) => &*ground.block,
        };
        let pages = block.pages();
        Some((pages, self.ptr().addr().get() - pages.ptr().addr().get()))
    }

    /// The pool that the memory comes from; `None` if the buffer is empty.
    pub fn pool(&self) -> Option<&Pool> {
        match &self.memory {
            Memory::Nothing => None,
            Memory::Block(_, pool) => Some(pool),
            Memory::Part(ground, _) => Some(&ground.pool),
        }
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

/// One block that is handed out in parts, at offsets determined by a plan.
///
/// The plan need not be trusted: a part that overlaps a live one is refused. The block returns to its pool when the
/// arena and all its parts have been dropped.
#[derive(Clone, Debug)]
pub struct Arena(Arc<ArenaBlock>);

#[derive(Debug)]
struct ArenaBlock {
    block: std::mem::ManuallyDrop<Block>,
    pool: Pool,
    /// Lengths of the live parts, by offset.
    live: Mutex<BTreeMap<usize, usize>>,
}

impl ArenaBlock {
    fn live(&self) -> MutexGuard<'_, BTreeMap<usize, usize>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ArenaBlock {
    fn drop(&mut self) {
        // SAFETY: `self` is being dropped, so the block is not used again.
        let block = unsafe { std::mem::ManuallyDrop::take(&mut self.block) };
        self.pool.give_back(block);
    }
}

impl Arena {
    /// Offsets must be multiples of this.
    pub const ALIGN: usize = LINE;

    /// An arena of `len` bytes; `None` if memory is insufficient.
    pub fn new(pool: &Pool, len: usize) -> Option<Arena> {
        let block = std::mem::ManuallyDrop::new(pool.block(len.max(1))?);
        Some(Arena(Arc::new(ArenaBlock { block, pool: pool.clone(), live: Mutex::default() })))
    }

    /// The part of `len` bytes at `offset`; `None` if it is not aligned, exceeds the block or overlaps a live part.
    pub fn alloc(&self, offset: usize, len: usize) -> Option<Buffer> {
        if len == 0 {
            return Some(Buffer { memory: Memory::Nothing, len });
        }
        let end = offset.checked_add(len)?;
        if !offset.is_multiple_of(Arena::ALIGN) || end > self.0.block.len() {
            return None;
        }
        let mut live = self.0.live();
        // Parts are disjoint, so only the last one that starts before `end` can extend beyond `offset`.
        let clash = live.range(..end).next_back().is_some_and(|(&at, &n)| at + n > offset);
        if clash {
            return None;
        }
        live.insert(offset, len);
        drop(live);
        Some(Buffer { memory: Memory::Part(self.0.clone(), offset), len })
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

    #[test]
    fn large_blocks_are_whole_pages_and_small_ones_share_them() {
        let pool = Pool::new();
        let large = pool.alloc(20_000).unwrap();
        let (pages, offset) = large.pages().unwrap();
        assert_eq!((pages.len(), offset), (2 * PAGE, 0));
        let small: Vec<Buffer> = (0..300).map(|_| pool.alloc(100).unwrap()).collect();
        let mut found: Vec<usize> = vec![];
        for buffer in &small {
            let (pages, offset) = buffer.pages().unwrap();
            assert!(offset + buffer.len() <= pages.len() && offset % LINE == 0);
            found.push(pages.ptr().addr().get());
        }
        found.dedup();
        assert_eq!(found.len(), 2, "a slab of one page, then one of four");
        assert_eq!(pool.stats().live, 2 * PAGE + 300 * 128);
        drop((small, large));
        assert_eq!(pool.stats().live, 0);
        pool.trim();
        assert_eq!(pool.stats().cached, 0);
    }

    #[test]
    fn slabs_stay_while_part_of_them_is_alive() {
        let pool = Pool::new();
        let mut small: Vec<Buffer> = (0..300).map(|_| pool.alloc(100).unwrap()).collect();
        let kept = small.swap_remove(10);
        drop(small);
        pool.trim();
        // The blocks cut from the first slab are free, but not all of the slab is.
        assert_eq!(pool.stats().cached, (PAGE / 128 - 1) * 128);
        assert!(kept.bytes().iter().all(|&b| b == 0));
        drop(kept);
        pool.trim();
        assert_eq!(pool.stats(), PoolStats { live: 0, peak: 300 * 128, cached: 0 });
    }

    #[test]
    fn providers_make_and_see_their_memory() {
        #[derive(Debug)]
        struct Marked;
        impl MemoryProvider for Marked {
            fn pages(&self, len: usize) -> Option<Pages> {
                HostMemory.pages(len)
            }
            fn recycle(&self, bytes: &mut [u8]) {
                bytes.fill(7);
            }
        }
        let pool = Pool::of(Arc::new(Marked));
        for len in [10, 40_000] {
            drop(pool.alloc(len).unwrap());
            assert!(pool.alloc(len).unwrap().bytes().iter().all(|&b| b == 7), "{len}");
        }
    }
}
