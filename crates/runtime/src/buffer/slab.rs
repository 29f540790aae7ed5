//! Small blocks of one size, cut from runs of pages.

use super::PAGE;
use super::large::{Run, elapsed};
use super::region::Region;
use std::ptr::NonNull;

/// Largest size that is cut from slabs, in bytes.
pub(super) const SMALL: usize = 64 << 10;
/// Unit of sizes, and alignment: a cache line.
pub(super) const LINE: usize = 64;
/// Sizes up to this are multiples of a line; above, there are eight for each power of two.
const FINE: usize = 1 << 10;
/// Number of sizes.
pub(super) const CLASSES: usize = FINE / LINE + 8 * (SMALL / FINE).ilog2() as usize;

/// The class of blocks of at least `len` bytes, which is neither 0 nor above [`SMALL`].
pub(super) fn class_of(len: usize) -> usize {
    if len <= FINE {
        return (len - 1) / LINE;
    }
    let power = (len - 1).ilog2();
    let eighth = (len - 1 - (1 << power)) >> (power - 3);
    FINE / LINE + 8 * (power - FINE.ilog2()) as usize + eighth
}

/// Size of the blocks of a class, in bytes.
pub(super) fn size_of(class: usize) -> usize {
    match class.checked_sub(FINE / LINE) {
        None => (class + 1) * LINE,
        Some(above) => (FINE << (above / 8)) / 8 * (8 + above % 8 + 1),
    }
}

/// Number of pages of a slab: the fewest such that blocks fill at least seven eighths. The pages serve no other size
/// while one of the slab's blocks is in use.
fn pages_of(size: usize) -> usize {
    let mut pages = size.div_ceil(PAGE);
    while pages * PAGE % size > pages * PAGE / 8 {
        pages += 1;
    }
    pages
}

/// A run of pages and its free blocks. Blocks from `cut` on have not been handed out since the slab was last empty.
#[derive(Debug)]
struct Slab {
    run: Run,
    blocks: u16,
    cut: u16,
    free: Vec<u16>,
    /// Pages from the start that are known to be touched.
    touched: usize,
}

impl Slab {
    fn is_full(&self) -> bool {
        self.free.is_empty() && self.cut == self.blocks
    }
}

/// A block of a slab.
pub(super) struct Small {
    pub(super) slab: u32,
    pub(super) ptr: NonNull<u8>,
    /// The region of the slab, which holds it.
    pub(super) region: NonNull<Region>,
    /// Bytes of pages that are touched with it for the first time.
    pub(super) touched: usize,
}

/// The state of a slab after one of its blocks was given back.
pub(super) enum Left {
    /// Other blocks of it are in use.
    Used,
    /// It has none in use, and is kept for the next one.
    Empty,
    /// None of its blocks is in use, and another slab of the class is already empty.
    Unneeded(Run),
}

/// The slabs of one size.
#[derive(Debug)]
pub(super) struct Class {
    size: usize,
    slabs: Vec<Option<Slab>>,
    /// Slabs with a free block; the last is used first.
    open: Vec<u32>,
    /// A slab without a block in use, kept for the next one, and since when.
    empty: Option<(u32, u32)>,
    /// How many blocks have been taken so far.
    pub(super) taken: u64,
}

impl Class {
    pub(super) fn new(class: usize) -> Class {
        Class { size: size_of(class), slabs: vec![], open: vec![], empty: None, taken: 0 }
    }

    /// Pages that [`Class::add`] wants.
    pub(super) fn pages(&self) -> usize {
        pages_of(self.size)
    }

    /// Adds a slab.
    pub(super) fn add(&mut self, run: Run) {
        let blocks = (run.pages.len() * PAGE / self.size) as u16;
        let slab = Slab { run, blocks, cut: 0, free: vec![], touched: 0 };
        let vacant = self.slabs.iter().position(Option::is_none);
        let at = vacant.unwrap_or(self.slabs.len());
        match vacant {
            Some(at) => self.slabs[at] = Some(slab),
            None => self.slabs.push(Some(slab)),
        }
        self.open.push(at as u32);
    }

    /// Takes a block of a slab that has one.
    pub(super) fn take(&mut self) -> Option<Small> {
        let &at = self.open.last()?;
        let slab = self.slabs.get_mut(at as usize)?.as_mut()?;
        let mut touched = 0;
        let block = slab.free.pop().unwrap_or_else(|| {
            slab.cut += 1;
            let first = slab.run.pages.start;
            let end = (usize::from(slab.cut) * self.size).div_ceil(PAGE);
            if end > slab.touched {
                touched = slab.run.region.touch(first + slab.touched..first + end) * PAGE;
                slab.touched = end;
            }
            slab.cut - 1
        });
        let ptr = slab.run.region.ptr(slab.run.pages.start * PAGE + usize::from(block) * self.size);
        let region = NonNull::from(&*slab.run.region);
        if slab.is_full() {
            self.open.pop();
        }
        self.empty = self.empty.filter(|(empty, _)| *empty != at);
        self.taken += 1;
        Some(Small { slab: at, ptr, region, touched })
    }

    /// Takes a block back.
    pub(super) fn give(&mut self, at: u32, ptr: NonNull<u8>, now: impl FnOnce() -> u32) -> Left {
        let Some(Some(slab)) = self.slabs.get_mut(at as usize) else { return Left::Used };
        let offset = slab.run.region.offset(ptr) - slab.run.pages.start * PAGE;
        if slab.is_full() {
            self.open.push(at);
        }
        slab.free.push((offset as u32 / self.size as u32) as u16);
        if slab.free.len() < usize::from(slab.cut) {
            return Left::Used;
        }
        slab.free.clear();
        slab.cut = 0;
        if self.empty.is_some() {
            return self.remove(at).map_or(Left::Empty, Left::Unneeded);
        }
        self.empty = Some((at, now()));
        Left::Empty
    }

    fn remove(&mut self, at: u32) -> Option<Run> {
        self.open.retain(|open| *open != at);
        Some(self.slabs.get_mut(at as usize)?.take()?.run)
    }

    /// The empty slab, with the time since when it is, if that is at least `age` ago.
    pub(super) fn unused(&mut self, now: u32, age: u32) -> Option<(Run, u32)> {
        let (at, since) = self.empty.filter(|(_, since)| elapsed(now, *since) >= age)?;
        self.empty = None;
        Some((self.remove(at)?, since))
    }

    /// Since when a slab is empty.
    pub(super) fn empty_since(&self) -> Option<u32> {
        self.empty.map(|(_, since)| since)
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    #[test]
    fn sizes_waste_at_most_an_eighth() {
        let mut before = 0;
        for class in 0..CLASSES {
            let size = size_of(class);
            assert!(size > before && size.is_multiple_of(LINE));
            assert_eq!((class_of(before + 1), class_of(size)), (class, class));
            assert!(size <= FINE || (size - before) * 8 <= size);
            assert!(pages_of(size) * PAGE / size <= usize::from(u16::MAX));
            before = size;
        }
        assert_eq!(before, SMALL);
    }
}
