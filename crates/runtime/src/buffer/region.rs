//! Memory from the system, with a record of the pages that may be backed by memory.

use super::PAGE;
use super::pages::{MemoryProvider, Pages};
use std::ops::Range;
use std::ptr::NonNull;
// Not those of models: a page's owner alone changes its bit.
use std::sync::atomic::{AtomicU64, Ordering};

/// Pages from the provider. A page is touched once it has been handed out: from then on it takes memory, until it is discarded.
#[derive(Debug)]
pub(super) struct Region {
    pages: Pages,
    /// A bit for each page.
    touched: Box<[AtomicU64]>,
}

/// The bits of `range` that lie in each word.
fn words(range: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    let end = if range.is_empty() { 0 } else { range.end.div_ceil(64) };
    (range.start / 64..end).map(move |word| {
        let (from, to) = (range.start.max(word * 64), range.end.min(word * 64 + 64));
        let bits = u64::MAX >> (64 - (to - from));
        (word, bits << (from - word * 64))
    })
}

impl Region {
    /// `len` bytes of the provider, a multiple of [`PAGE`] other than 0; `None` if it has no memory of just that length.
    pub(super) fn of(provider: &dyn MemoryProvider, len: usize) -> Option<Region> {
        provider.pages(len).filter(|pages| pages.len() == len).map(Region::new)
    }

    fn new(pages: Pages) -> Region {
        let words = (pages.len() / PAGE).div_ceil(64);
        Region { touched: (0..words).map(|_| AtomicU64::new(0)).collect(), pages }
    }

    pub(super) fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Address of a byte of it.
    pub(super) fn ptr(&self, offset: usize) -> NonNull<u8> {
        assert!(offset < self.pages.len());
        // SAFETY: the byte lies in the pages.
        unsafe { self.pages.ptr().add(offset) }
    }

    /// The place of a byte of it.
    pub(super) fn offset(&self, ptr: NonNull<u8>) -> usize {
        ptr.addr().get() - self.pages.ptr().addr().get()
    }

    /// Marks pages as touched; how many were not.
    pub(super) fn touch(&self, pages: Range<usize>) -> usize {
        words(pages)
            .map(|(word, bits)| {
                let before = self.touched[word].fetch_or(bits, Ordering::Relaxed);
                (bits & !before).count_ones() as usize
            })
            .sum()
    }

    /// Marks pages as not touched; how many were.
    fn untouch(&self, pages: Range<usize>) -> usize {
        words(pages)
            .map(|(word, bits)| {
                let before = self.touched[word].fetch_and(!bits, Ordering::Relaxed);
                (bits & before).count_ones() as usize
            })
            .sum()
    }

    /// The first touched page of a range.
    pub(super) fn first_touched(&self, pages: Range<usize>) -> Option<usize> {
        words(pages).find_map(|(word, bits)| {
            let touched = self.touched[word].load(Ordering::Relaxed) & bits;
            (touched != 0).then(|| word * 64 + touched.trailing_zeros() as usize)
        })
    }

    pub(super) fn is_touched(&self, page: usize) -> bool {
        self.touched[page / 64].load(Ordering::Relaxed) >> (page % 64) & 1 == 1
    }

    /// Number of pages of a range that are touched.
    pub(super) fn touched(&self, pages: Range<usize>) -> usize {
        let touched = |(word, bits): (usize, u64)| {
            (self.touched[word].load(Ordering::Relaxed) & bits).count_ones() as usize
        };
        words(pages).map(touched).sum()
    }

    /// Returns the memory of pages to the system, which leaves zeros. The result is the number of pages that had been
    /// touched, or 0 if the provider's memory cannot be returned in parts.
    ///
    /// # Safety
    ///
    /// The pages are not in use, and are not handed out before this returns.
    pub(super) unsafe fn discard(&self, pages: Range<usize>) -> usize {
        let bytes = pages.start * PAGE..pages.end * PAGE;
        // SAFETY: nobody has the pages.
        if unsafe { self.pages.discard(bytes) } { self.untouch(pages) } else { 0 }
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::super::HostMemory;
    use super::super::testing::parts_go_back;
    use super::*;

    #[test]
    fn pages_are_touched_once() {
        const N: usize = 200;
        let made = || Region::of(&HostMemory, N * PAGE);
        for (start, end) in
            [(0, 0), (5, 5), (64, 64), (3, 64), (63, 65), (64, 128), (10, 199), (0, N)]
        {
            let Some(region) = made() else { panic!("there is no memory") };
            assert_eq!(region.touch(start..end), end - start, "{start}..{end}");
            assert!((0..N).all(|page| region.is_touched(page) == (start..end).contains(&page)));
            assert_eq!(
                (region.touched(0..N), region.touch(0..N)),
                (end - start, N - (end - start))
            );
        }
        let Some(region) = made() else { panic!("there is no memory") };
        assert_eq!(region.first_touched(0..N), None);
        region.touch(70..72);
        for (range, first) in [(0..N, 70), (71..N, 71), (64..71, 70)] {
            assert_eq!(region.first_touched(range), Some(first));
        }
        for range in [0..70, 72..N, 71..71] {
            assert_eq!(region.first_touched(range), None);
        }
        // SAFETY: nobody has the pages.
        let given = unsafe { region.discard(71..N) };
        let expected = if parts_go_back() { (1, 1) } else { (0, 2) };
        assert_eq!((given, region.touched(0..N)), expected);
        assert_eq!(region.touched(71..90), expected.1 - 1);
    }
}
