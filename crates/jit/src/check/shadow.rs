//! A record of the programs' accesses to memory.

use std::collections::HashMap;

/// A set of programs, as disjoint, non-adjacent ranges: programs run in ascending order, so there are few.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Programs(Vec<(u32, u32)>);

impl Programs {
    pub(super) fn contains(&self, program: u32) -> bool {
        let after = self.0.partition_point(|&(first, _)| first <= program);
        after.checked_sub(1).is_some_and(|i| program <= self.0[i].1)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn insert(&mut self, program: u32) {
        self.add((program, program));
    }

    pub(super) fn extend(&mut self, other: &Programs) {
        for &range in &other.0 {
            self.add(range);
        }
    }

    fn add(&mut self, (mut first, mut last): (u32, u32)) {
        // The ranges from `from` to `to` meet the new one and are merged into it.
        let from = self.0.partition_point(|r| r.1.saturating_add(1) < first);
        let to = self.0.partition_point(|r| r.0 <= last.saturating_add(1));
        if let Some(met) = self.0.get(from..to)
            && let (Some(low), Some(high)) = (met.first(), met.last())
        {
            (first, last) = (first.min(low.0), last.max(high.1));
        }
        self.0.splice(from..to.max(from), [(first, last)]);
    }
}

/// A program and the site of its access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) program: u32,
    pub(super) site: u32,
}

/// The known accesses to bytes that were always accessed together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// The last write, plain or atomic.
    pub(super) writer: Option<Mark>,
    /// Whether the last write was atomic: atomics do not race with each other.
    pub(super) atomic: bool,
    /// The first and the last reader since then. There may be others in between.
    pub(super) readers: Option<(Mark, Mark)>,
}

/// log2 of the bytes described together; most launches access few such pages.
const PAGE: u32 = 12;

struct Page {
    /// log2 of the bytes per cell, the smallest element size so far.
    grain: u32,
    cells: Vec<Cell>,
}

impl Page {
    fn new(grain: u32) -> Page {
        Page { grain, cells: vec![Cell::default(); 1 << (PAGE - grain)] }
    }

    /// Splits cells to at most 2^`grain` bytes.
    fn split(&mut self, grain: u32) {
        if grain < self.grain {
            let times = 1 << (self.grain - grain);
            self.cells = self.cells.iter().flat_map(|&c| std::iter::repeat_n(c, times)).collect();
            self.grain = grain;
        }
    }
}

/// Cells for all memory that was accessed.
#[derive(Default)]
pub(super) struct Shadow(HashMap<u64, Page>);

impl Shadow {
    /// The cells of an element. `address` is a multiple of `bytes`, a power of two that is no larger than a page.
    pub(super) fn cells(&mut self, address: u64, bytes: usize) -> &mut [Cell] {
        let grain = bytes.trailing_zeros().min(PAGE);
        let page = self.0.entry(address >> PAGE).or_insert_with(|| Page::new(grain));
        page.split(grain);
        let within = (address & ((1 << PAGE) - 1)) as usize;
        let first = within >> page.grain;
        let count = bytes.div_ceil(1 << page.grain);
        page.cells.get_mut(first..first + count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_kept_as_ranges() {
        let mut set = Programs::default();
        for p in [5, 7, 6, 1, 9, 1] {
            set.insert(p);
        }
        assert_eq!(set, Programs(vec![(1, 1), (5, 7), (9, 9)]));
        let mut other = Programs::default();
        other.insert(8);
        other.insert(2);
        other.extend(&set);
        assert_eq!(other, Programs(vec![(1, 2), (5, 9)]));
        for p in 0..12 {
            assert_eq!(other.contains(p), matches!(p, 1..=2 | 5..=9), "{p}");
        }
        other.insert(u32::MAX);
        assert!(other.contains(u32::MAX) && !other.contains(u32::MAX - 1));
    }

    #[test]
    fn cells_become_smaller_and_keep_what_they_know() {
        let mut shadow = Shadow::default();
        let mark = Mark { program: 3, site: 0 };
        shadow.cells(0x1008, 8)[0].writer = Some(mark);
        assert_eq!(shadow.cells(0x1008, 2).len(), 1);
        let cells = shadow.cells(0x1008, 8);
        assert_eq!(cells.len(), 4);
        assert!(cells.iter().all(|c| c.writer == Some(mark)));
        assert!(shadow.cells(0x1010, 8).iter().all(|c| c.writer.is_none()));
        assert!(shadow.cells(0x1000, 8).iter().all(|c| c.writer.is_none()));
    }
}
