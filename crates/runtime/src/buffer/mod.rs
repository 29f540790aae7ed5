//! Reused memory: pages from a device's provider, blocks of them, pools that count blocks, buffers.
//!
//! A device's memory is a heap that its pools share. Blocks of up to 64 KiB are cut from slabs of one size. Larger
//! blocks are runs of pages, which a buddy allocator takes from regions of 64 MiB. A block of more than 64 MiB gets a
//! separate region.
#![allow(unsafe_code)]

mod buddy;
mod clock;
#[cfg(not(all(test, feature = "models")))]
mod forked;
mod heap;
mod large;
mod loan;
mod pages;
mod pool;
mod region;
mod segments;
mod settings;
mod slab;
mod timer;
#[cfg(feature = "trace")]
mod trace;

#[cfg(not(all(test, feature = "models")))]
pub(crate) use forked::{after_fork, before_fork, in_forked_child};
pub use heap::GivenBack;
pub(crate) use loan::Home;
pub use pages::{HostMemory, MemoryProvider, PAGE, Pages};
pub use pool::{Charge, MemoryStats, Pool, PoolStats};
pub use segments::Segment;
pub use settings::{PoolSettings, PoolSettingsError, buffer_size};
#[cfg(feature = "trace")]
pub use trace::{TraceEvent, end_trace, start_trace};

use crate::sync::{Mutex, MutexGuard};
use heap::Block;
use loan::Loan;
use slab::LINE;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError};

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

/// Bytes from a [`Pool`] or an [`Arena`], returned when dropped. They are zero, or left over from an earlier buffer.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory,
    /// At most the length of the memory.
    len: usize,
    loan: Option<Box<Loan>>,
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
        // SAFETY: `len` initialised bytes lie there for as long as `self` lives, no other buffer has them, and `&mut self` makes
        // the access exclusive.
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
        if let Some(loan) = self.loan.take() {
            return self.return_to(*loan);
        }
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
            return Some(Buffer { memory: Memory::Nothing, len, loan: None });
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
        Some(Buffer { memory: Memory::Part(self.0.clone(), offset), len, loan: None })
    }
}

#[cfg(all(test, feature = "models"))]
mod models;

#[cfg(all(test, not(feature = "models")))]
mod testing;
#[cfg(all(test, not(feature = "models")))]
mod tests;
