//! Whole pages: runs of pages in shared regions, and a separate region for each larger block.

use super::PAGE;
use super::buddy::{Buddy, Free, PAGES};
use super::region::Region;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a region that many share.
pub(super) const REGION: usize = PAGES * PAGE;

/// Milliseconds from `since` to `now`, which wrap; none if another thread has read `since` later.
pub(super) fn elapsed(now: u32, since: u32) -> u32 {
    now.wrapping_sub(since).cast_signed().max(0).cast_unsigned()
}

/// Pages that one owner has.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) region: Arc<Region>,
    /// The place of the region among the shared ones.
    pub(super) slot: u32,
    pub(super) pages: Range<usize>,
}

impl Run {
    /// Number of its pages that are touched.
    pub(super) fn touched(&self) -> usize {
        self.region.touched(self.pages.clone())
    }
}

/// A region that a buddy allocator divides.
#[derive(Debug)]
struct Shared {
    region: Arc<Region>,
    buddy: Buddy,
    /// When each page became free.
    freed: Vec<u32>,
}

impl Shared {
    fn new(region: Arc<Region>) -> Shared {
        let pages = region.pages().len() / PAGE;
        Shared { region, buddy: Buddy::new(pages), freed: vec![0; pages] }
    }

    fn is_empty(&self) -> bool {
        self.buddy.free() == self.freed.len()
    }

    /// Whether a page takes memory that could be given back.
    fn is_unused(&self, page: usize, now: u32, age: u32) -> bool {
        self.region.is_touched(page) && elapsed(now, self.freed[page]) >= age
    }

    /// Takes free pages that take memory and have been free for `age`, until they are `most` bytes.
    fn claim(&mut self, now: u32, age: u32, most: usize) -> Vec<Range<usize>> {
        let mut claimed = vec![];
        let mut bytes = 0;
        for (at, n) in self.buddy.blocks() {
            let (mut page, end) = (at, at + n);
            while bytes < most
                && let Some(from) = self.region.first_touched(page..end)
            {
                let used = |page: &usize| !self.is_unused(*page, now, age);
                let to = (from..end).find(used).unwrap_or(end);
                page = to.max(from + 1);
                // The last ones, as the first are taken first.
                let from = from.max(to.saturating_sub((most - bytes).div_ceil(PAGE)));
                if from < to {
                    bytes += (to - from) * PAGE;
                    claimed.push(from..to);
                }
            }
        }
        claimed.iter().for_each(|pages| self.buddy.claim(pages.clone()));
        claimed
    }
}

/// A free region of a single block, since when.
#[derive(Debug)]
struct Own {
    region: Arc<Region>,
    since: u32,
}

/// The regions of a heap.
#[derive(Debug, Default)]
pub(super) struct Large {
    shared: Vec<Option<Shared>>,
    own: Vec<Own>,
    /// How many blocks have been taken so far.
    pub(super) taken: u64,
}

/// A request to [`Large::detach`]: memory that has been free for `age`, and no more than is needed for `most` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unused {
    pub(super) now: u32,
    pub(super) age: u32,
    pub(super) most: usize,
    /// Whether memory is kept if it could only be returned in a piece of more than `most` bytes.
    pub(super) exact: bool,
}

/// Unused memory that is being returned to the system.
#[derive(Debug, Default)]
pub(super) struct Detached {
    /// The number of its bytes that may be backed by memory.
    pub(super) bytes: usize,
    pub(super) regions: Vec<Arc<Region>>,
    /// Pages of regions that stay.
    pub(super) runs: Vec<Run>,
}

impl Large {
    /// Allocates `n` contiguous pages of a shared region for `blocks` blocks, preferring the run with the fewest
    /// untouched pages, then the smallest free block. `None` if every candidate would touch more than `most` new pages.
    pub(super) fn take(&mut self, n: usize, blocks: u64, most: usize) -> Option<Run> {
        let mut best: Option<(usize, usize, Free)> = None;
        for (slot, shared) in self.shared.iter().enumerate() {
            let Some(shared) = shared else { continue };
            for block in shared.buddy.fitting(n) {
                let untouched = n - shared.region.touched(block.at..block.at + n);
                if best.is_none_or(|(least, ..)| untouched < least) {
                    best = Some((untouched, slot, block));
                }
                if untouched == 0 {
                    break;
                }
            }
        }
        let (_, slot, block) = best.filter(|(untouched, ..)| *untouched <= most)?;
        let shared = self.shared[slot].as_mut()?;
        self.taken += blocks;
        let at = shared.buddy.cut(block, n);
        Some(Run { region: Arc::clone(&shared.region), slot: slot as u32, pages: at..at + n })
    }

    /// Adds a shared region of at most [`PAGES`].
    pub(super) fn add(&mut self, region: Arc<Region>) {
        let shared = Some(Shared::new(region));
        match self.shared.iter_mut().find(|slot| slot.is_none()) {
            Some(vacant) => *vacant = shared,
            None => self.shared.push(shared),
        }
    }

    /// Takes a free region of `len` bytes.
    pub(super) fn take_own(&mut self, len: usize) -> Option<Arc<Region>> {
        let at = self.own.iter().rposition(|own| own.region.pages().len() == len)?;
        Some(self.own.swap_remove(at).region)
    }

    /// Takes a run back, which is free since `since`, or since when its pages were if that is `None`.
    pub(super) fn give(&mut self, run: &Run, since: Option<u32>) {
        if let Some(Some(shared)) = self.shared.get_mut(run.slot as usize) {
            if let Some(since) = since {
                shared.freed[run.pages.clone()].fill(since);
            }
            shared.buddy.give(run.pages.start, run.pages.len());
            // Memory that can only be returned as a whole is unused since its last page is.
            if let Some(since) = since.filter(|_| shared.is_empty())
                && !shared.region.pages().can_discard()
            {
                shared.freed.fill(since);
            }
        }
    }

    /// Takes back a region of a single block.
    pub(super) fn give_own(&mut self, region: Arc<Region>, since: u32) {
        self.own.push(Own { region, since });
    }

    /// Detaches memory that will be returned to the system: regions of single blocks, the longest unused first, then
    /// empty shared regions, then free pages of others. Returning it is slow and needs no lock.
    pub(super) fn detach(&mut self, unused: Unused) -> Detached {
        let Unused { now, age, most, exact } = unused;
        let mut all = Detached::default();
        self.own.sort_by_key(|own| std::cmp::Reverse(elapsed(now, own.since)));
        let old = self.own.extract_if(.., |own| {
            let len = own.region.pages().len();
            let enough = all.bytes >= most || exact && len > most - all.bytes;
            let goes = !enough && elapsed(now, own.since) >= age;
            all.bytes += if goes { len } else { 0 };
            goes
        });
        all.regions.extend(old.map(|own| own.region));
        for slot in &mut self.shared {
            let Some(shared) = slot.as_mut().filter(|_| all.bytes < most) else { continue };
            let pages = 0..shared.freed.len();
            let old = |page| !shared.region.is_touched(page) || shared.is_unused(page, now, age);
            let touched = shared.region.touched(pages.clone()) * PAGE;
            let whole = !exact && !shared.region.pages().can_discard();
            let needed = touched <= most - all.bytes || whole;
            if needed && shared.is_empty() && pages.clone().all(old) {
                all.bytes += touched;
                all.regions.extend(slot.take().map(|shared| shared.region));
            }
        }
        for (slot, shared) in self.shared.iter_mut().enumerate().rev() {
            let Some(shared) = shared.as_mut().filter(|_| all.bytes < most) else { continue };
            if shared.region.pages().can_discard() {
                for pages in shared.claim(now, age, most - all.bytes) {
                    all.bytes += pages.len() * PAGE;
                    let region = Arc::clone(&shared.region);
                    all.runs.push(Run { region, slot: slot as u32, pages });
                }
            }
        }
        all
    }

    /// The longest time since when memory is unused that could be given back, before `now`.
    pub(super) fn unused_for(&self, now: u32) -> Option<u32> {
        let own = self.own.iter().map(|own| elapsed(now, own.since));
        let whole = |shared: &&Shared| shared.region.pages().can_discard() || shared.is_empty();
        let shared = self.shared.iter().flatten().filter(whole).flat_map(|shared| {
            let pages = shared.buddy.blocks().flat_map(|(at, n)| at..at + n);
            let touched = pages.filter(|page| shared.region.is_touched(*page));
            touched.map(|page| elapsed(now, shared.freed[page]))
        });
        own.chain(shared).max()
    }

    /// Bytes of shared regions that are free and take memory, and of them the most in one block.
    pub(super) fn free(&self) -> (usize, usize) {
        let blocks = self.shared.iter().flatten().flat_map(|shared| {
            let blocks = shared.buddy.blocks();
            blocks.map(|(at, n)| shared.region.touched(at..at + n) * PAGE)
        });
        blocks.fold((0, 0), |(free, largest), block| (free + block, largest.max(block)))
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::*;

    #[test]
    fn time_wraps_and_is_never_negative() {
        for (now, since, expected) in [(9, 4, 5), (4, 4, 0), (4, 5, 0), (3, u32::MAX - 1, 5)] {
            assert_eq!(elapsed(now, since), expected, "{since} to {now}");
        }
        assert_eq!((elapsed(u32::MAX / 2, 0), elapsed(0, u32::MAX / 2)), (u32::MAX / 2, 0));
    }
}
