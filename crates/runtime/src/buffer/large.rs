//! Whole pages: runs of regions that many share, and regions of their own for what is larger than those.

use super::PAGE;
use super::buddy::{Buddy, PAGES};
use super::pages::MemoryProvider;
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
        self.pages.clone().filter(|page| self.region.is_touched(*page)).count()
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
    fn is_empty(&self) -> bool {
        self.buddy.free() == PAGES
    }

    /// Whether a page takes memory that could be given back.
    fn is_unused(&self, page: usize, now: u32, age: u32) -> bool {
        self.region.is_touched(page) && elapsed(now, self.freed[page]) >= age
    }

    /// Gives back the memory behind free pages that have been free for `age`, until `most` bytes are given back.
    fn discard(&mut self, now: u32, age: u32, most: usize) -> usize {
        let mut given = 0;
        for (at, n) in self.buddy.blocks() {
            let (mut page, end) = (at, at + n);
            while given < most
                && let Some(from) = self.region.first_touched(page..end)
            {
                let used = |page: &usize| !self.is_unused(*page, now, age);
                let to = (from..end).find(used).unwrap_or(end);
                page = to.max(from + 1);
                // The last ones, as the first are taken first.
                let from = from.max(to.saturating_sub((most - given).div_ceil(PAGE)));
                if from < to {
                    // SAFETY: the pages are free, and the caller's exclusive access keeps them so.
                    given += unsafe { self.region.discard(from..to) } * PAGE;
                }
            }
        }
        given
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

/// What [`Large::give_back`] gives back: what has been free for `age`, and no more than is needed for `most` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unused {
    pub(super) now: u32,
    pub(super) age: u32,
    pub(super) most: usize,
    /// Whether memory stays of which only more than `most` bytes can go.
    pub(super) exact: bool,
}

impl Large {
    /// Takes `n` pages of a shared region, at most [`PAGES`]; of a new one if no other has them.
    pub(super) fn take(&mut self, n: usize, provider: &dyn MemoryProvider) -> Option<Run> {
        for (slot, shared) in self.shared.iter_mut().enumerate() {
            let Some(shared) = shared else { continue };
            if let Some(at) = shared.buddy.take(n) {
                let (region, slot) = (Arc::clone(&shared.region), slot as u32);
                return Some(Run { region, slot, pages: at..at + n });
            }
        }
        let region = Arc::new(Region::of(provider, REGION)?);
        let vacant = self.shared.iter().position(Option::is_none);
        let slot = vacant.unwrap_or(self.shared.len());
        if vacant.is_none() {
            self.shared.push(None);
        }
        let shared = Shared { region, buddy: Buddy::new(), freed: vec![0; PAGES] };
        let shared = self.shared[slot].insert(shared);
        let at = shared.buddy.take(n)?;
        Some(Run { region: Arc::clone(&shared.region), slot: slot as u32, pages: at..at + n })
    }

    /// Takes a free region of `len` bytes.
    pub(super) fn take_own(&mut self, len: usize) -> Option<Arc<Region>> {
        let at = self.own.iter().rposition(|own| own.region.pages().len() == len)?;
        Some(self.own.swap_remove(at).region)
    }

    /// Takes a run back, which is free since `since`.
    pub(super) fn give(&mut self, run: Run, since: u32) {
        if let Some(Some(shared)) = self.shared.get_mut(run.slot as usize) {
            shared.freed[run.pages.clone()].fill(since);
            shared.buddy.give(run.pages.start, run.pages.len());
        }
    }

    /// Takes back a region of a single block.
    pub(super) fn give_own(&mut self, region: Arc<Region>, since: u32) {
        self.own.push(Own { region, since });
    }

    /// Gives memory back to the system: regions of single blocks, the longest unused first, then shared regions that are empty, then
    /// free pages of others. The bytes that the system may have put memory behind.
    pub(super) fn give_back(&mut self, unused: Unused) -> usize {
        let Unused { now, age, most, exact } = unused;
        let mut given = 0;
        self.own.sort_by_key(|own| std::cmp::Reverse(elapsed(now, own.since)));
        self.own.retain(|own| {
            let len = own.region.pages().len();
            let enough = given >= most || exact && len > most - given;
            let keep = enough || elapsed(now, own.since) < age;
            given += if keep { 0 } else { len };
            keep
        });
        for slot in &mut self.shared {
            let Some(shared) = slot.as_mut().filter(|_| given < most) else { continue };
            let old = |page| !shared.region.is_touched(page) || shared.is_unused(page, now, age);
            let touched = shared.region.touched() * PAGE;
            let needed = touched <= most - given || !exact && !shared.region.pages().can_discard();
            if needed && shared.is_empty() && (0..PAGES).all(old) {
                given += touched;
                *slot = None;
            }
        }
        for shared in self.shared.iter_mut().flatten().rev() {
            if given < most && shared.region.pages().can_discard() {
                given += shared.discard(now, age, most - given);
            }
        }
        given
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

    /// Free bytes of shared regions, and of them the most that one request can have.
    pub(super) fn free(&self) -> (usize, usize) {
        let shared = || self.shared.iter().flatten();
        let free: usize = shared().map(|shared| shared.buddy.free()).sum();
        let largest = shared().map(|shared| shared.buddy.largest()).max().unwrap_or(0);
        (free * PAGE, largest * PAGE)
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
