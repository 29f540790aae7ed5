//! The free pages of a region, by the buddy method on page numbers alone.
//!
//! Free pages lie in blocks of 2ᵏ pages that start at multiples of 2ᵏ. A request is cut from the start of a block, and
//! the rest of the block stays free. So a run can have any number of pages, not only a power of two.

use std::ops::Range;

/// Pages of a region are numbered below this.
pub(super) const PAGES: usize = 1 << MAX_ORDER;
const MAX_ORDER: usize = 12;

/// Free blocks of one order: a bit for each position, and a summary bit for each word of these bits that is not 0.
#[derive(Debug)]
struct Order {
    words: Vec<u64>,
    any: u64,
}

impl Order {
    fn new(order: usize) -> Order {
        Order { words: vec![0; (PAGES >> order).div_ceil(64)], any: 0 }
    }

    fn has(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 == 1
    }

    fn insert(&mut self, place: usize) {
        self.words[place / 64] |= 1 << (place % 64);
        self.any |= 1 << (place / 64);
    }

    fn remove(&mut self, place: usize) {
        let word = &mut self.words[place / 64];
        *word &= !(1 << (place % 64));
        if *word == 0 {
            self.any &= !(1 << (place / 64));
        }
    }

    fn descending(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().rev().flat_map(|(word, &bits)| {
            let below = |bits: &u64| Some(bits & !(1 << bits.checked_ilog2()?));
            let left = std::iter::successors(Some(bits), below);
            left.map_while(|bits| bits.checked_ilog2()).map(move |bit| word * 64 + bit as usize)
        })
    }

    fn first(&self) -> Option<usize> {
        let word = (self.any != 0).then(|| self.any.trailing_zeros() as usize)?;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }
}

/// A free block of 2^`order` pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    /// Its first page.
    pub(super) at: usize,
    order: usize,
}

/// The free pages of a region.
#[derive(Debug)]
pub(super) struct Buddy {
    orders: Vec<Order>,
    free: usize,
}

impl Buddy {
    /// A region of `pages` pages, at most [`PAGES`], all of them free.
    pub(super) fn new(pages: usize) -> Buddy {
        assert!(pages <= PAGES);
        let mut buddy = Buddy { orders: (0..=MAX_ORDER).map(Order::new).collect(), free: 0 };
        buddy.give(0, pages);
        buddy
    }

    /// Number of free pages.
    pub(super) fn free(&self) -> usize {
        self.free
    }

    /// Allocates `n` neighbouring pages and returns the first; `None` if no block is large enough. `n` is not 0.
    #[cfg(all(test, not(feature = "models")))]
    pub(super) fn take(&mut self, n: usize) -> Option<usize> {
        let block = self.fitting(n).next()?;
        Some(self.cut(block, n))
    }

    /// The first free block of each order that has `n` neighbouring pages, the smallest block first. `n` is not 0.
    pub(super) fn fitting(&self, n: usize) -> impl Iterator<Item = Free> {
        let needed = n.next_power_of_two().trailing_zeros() as usize;
        let orders = self.orders.iter().enumerate().skip(needed);
        orders.filter_map(|(order, places)| Some(Free { at: places.first()? << order, order }))
    }

    /// Allocates the first `n` pages of a free block that is large enough, and returns the first.
    pub(super) fn cut(&mut self, Free { at, order }: Free, n: usize) -> usize {
        self.orders[order].remove(at >> order);
        self.free -= 1 << order;
        self.give(at + n, (1 << order) - n);
        at
    }

    /// Takes these pages, which are free.
    pub(super) fn claim(&mut self, pages: Range<usize>) {
        let mut at = pages.start;
        while at < pages.end {
            let order = (0..=MAX_ORDER).find(|&order| self.orders[order].has(at >> order));
            let Some(order) = order else { unreachable!("page {at} is not free") };
            let (start, n) = (at >> order << order, 1 << order);
            self.orders[order].remove(at >> order);
            self.free -= n;
            self.give(start, at - start);
            let end = (start + n).min(pages.end);
            self.give(end, start + n - end);
            at = end;
        }
    }

    /// Makes `n` taken pages from `at` on free.
    pub(super) fn give(&mut self, mut at: usize, n: usize) {
        let end = at + n;
        self.free += n;
        while at < end {
            let aligned = (at | PAGES).trailing_zeros();
            let order = aligned.min((end - at).ilog2()) as usize;
            self.insert(at, order);
            at += 1 << order;
        }
    }

    /// Adds a free block, merged with its buddy as long as that is free too.
    fn insert(&mut self, at: usize, order: usize) {
        let (mut place, mut order) = (at >> order, order);
        while order < MAX_ORDER && self.orders[order].has(place ^ 1) {
            self.orders[order].remove(place ^ 1);
            (place, order) = (place / 2, order + 1);
        }
        self.orders[order].insert(place);
    }

    /// Free blocks, those first that are taken last: first page and number of pages.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> {
        self.orders.iter().enumerate().rev().flat_map(|(order, places)| {
            places.descending().map(move |place| (place << order, 1 << order))
        })
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    use super::super::testing::{Random, below};
    use super::*;

    #[test]
    fn runs_never_overlap_and_free_pages_merge_again() {
        let mut random = Random(7);
        for most in [3, 40, 600, PAGES] {
            let mut buddy = Buddy::new(PAGES);
            let mut taken: Vec<(usize, usize)> = vec![];
            let mut model = vec![false; PAGES];
            for _ in 0..3000 {
                if below(&mut random, 5) < 3 {
                    let n = 1 + below(&mut random, most);
                    let Some(at) = buddy.take(n) else {
                        let block = n.next_power_of_two();
                        let free = |from: usize| !model[from..from + block].contains(&true);
                        assert!(!(0..PAGES).step_by(block).any(free), "{n} pages are free");
                        continue;
                    };
                    assert!(!model[at..at + n].contains(&true), "{n} pages at {at} are taken");
                    model[at..at + n].fill(true);
                    taken.push((at, n));
                } else if !taken.is_empty() {
                    let (at, n) = taken.swap_remove(below(&mut random, taken.len()));
                    model[at..at + n].fill(false);
                    buddy.give(at, n);
                }
                assert_eq!(buddy.free(), model.iter().filter(|taken| !**taken).count());
            }
            let mut free = vec![false; PAGES];
            for (at, n) in buddy.blocks() {
                assert!(!free[at..at + n].contains(&true) && at % n == 0);
                free[at..at + n].fill(true);
            }
            assert!(free.iter().zip(&model).all(|(free, taken)| free != taken));
            taken.into_iter().for_each(|(at, n)| buddy.give(at, n));
            assert_eq!(buddy.blocks().collect::<Vec<_>>(), [(0, PAGES)]);
        }
    }

    #[test]
    fn any_free_pages_can_be_claimed() {
        for pages in [3..4, 5..23, 0..PAGES, 1..PAGES - 1, 64..128, 9..9] {
            let mut buddy = Buddy::new(PAGES);
            buddy.claim(pages.clone());
            let free: Vec<usize> = buddy.blocks().flat_map(|(at, n)| at..at + n).collect();
            assert_eq!((free.len(), buddy.free()), (PAGES - pages.len(), PAGES - pages.len()));
            assert!(!free.iter().any(|page| pages.contains(page)), "{pages:?}");
            buddy.give(pages.start, pages.len());
            assert_eq!(buddy.blocks().collect::<Vec<_>>(), [(0, PAGES)]);
        }
    }

    #[test]
    fn a_region_may_be_small() {
        let mut buddy = Buddy::new(8);
        assert_eq!((buddy.take(9), buddy.take(5), buddy.take(3)), (None, Some(0), None));
        buddy.give(0, 5);
        assert_eq!((buddy.free(), buddy.take(8)), (8, Some(0)));
    }

    #[test]
    fn a_run_leaves_the_rest_of_its_block() {
        let mut buddy = Buddy::new(PAGES);
        assert_eq!(buddy.take(5), Some(0));
        assert_eq!(
            (buddy.free(), buddy.blocks().next()),
            (PAGES - 5, Some((PAGES / 2, PAGES / 2)))
        );
        assert_eq!((buddy.take(1), buddy.take(2), buddy.take(1)), (Some(5), Some(6), Some(8)));
        assert_eq!((buddy.take(PAGES), buddy.take(PAGES + 1)), (None, None));
    }
}
