//! The first `k` elements of an order, along an axis.
//!
//! A scan compares blocks of elements with a bound and collects those below it, so that for a small `k` it takes little more time than
//! to read the elements. Long lines are split into parts of a fixed length: tasks select and sort the first `k` of each, and merge
//! them. Elements are ordered by rank and place, so that results do not depend on the parts. No task takes long, because a run can only
//! be stopped between tasks.

mod least;
mod merge;
mod rank;
#[cfg(test)]
mod tests;

use std::mem::{size_of, take};
use std::ops::Range;

use crate::threads::Threads;
use least::{Bound, Least};
pub use rank::{Rank, Ranked};

/// Elements that a task selects from.
const PART: usize = 1 << 16;

/// Elements in all below which one thread is faster than waking others.
const FEW: usize = 1 << 15;

/// The most neighbouring lines that are scanned together: as many as there are 32-bit elements in a cache line.
const LINES: usize = 16;

/// The first `k` elements of each line of a tensor [outer, n, inner]. A line is `n` elements along the middle axis.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// Extents of the axes before the middle one.
    pub outer: usize,
    /// Length of a line.
    pub n: usize,
    /// Extents of the axes after the middle one.
    pub inner: usize,
    /// Elements selected from each line, at most `n`.
    pub k: usize,
}

impl Selection {
    /// Bytes that [`Selection::places`] allocates for elements of type `T`, on as many threads.
    pub fn working_bytes<T: Ranked>(&self, threads: usize) -> usize {
        let key = size_of::<<T::Rank as Rank>::Key>();
        let keys = match self.is_long() {
            // What the parts leave, and what they are merged into.
            true => self.k.min(PART).saturating_mul(self.n.div_ceil(PART)).saturating_mul(2),
            false => self.room(),
        };
        let tasks = match self.is_long() {
            true => 1,
            false => threads.min(self.outer.saturating_mul(self.inner)),
        };
        let scanned = self.room().saturating_mul(if self.is_long() { threads } else { 0 });
        keys.saturating_mul(tasks).saturating_add(scanned).saturating_mul(self.lines() * key)
    }

    fn is_long(&self) -> bool {
        self.n > 2 * PART
    }

    /// Keys that the scan of a line, or of a part of it, holds.
    fn room(&self) -> usize {
        least::room(self.k, if self.is_long() { PART } else { self.n })
    }

    /// The number of neighbouring lines that are scanned together: fewer if their keys take much memory.
    fn lines(&self) -> usize {
        let parts = if self.is_long() { self.n.div_ceil(PART) } else { 1 };
        let keys = self.room().saturating_mul(parts);
        let most = (LINES * 4 * PART / keys.max(1)).clamp(1, LINES);
        // Groups of nearly the same size.
        self.inner.div_ceil(self.inner.div_ceil(most).max(1))
    }

    /// Writes the places, along the axis, of the first `k` elements of each line, in their order: [outer, inner, k]. The order is
    /// ascending, or descending if `largest`, with NaN above everything; of equal elements the one with the lower place is first.
    pub fn places<T: Ranked>(&self, threads: &Threads, x: &[T], largest: bool, places: &mut [i64]) {
        let &Selection { outer, n, inner, k } = self;
        let lines = outer * inner;
        assert!(k <= n && x.len() == lines * n && places.len() == lines * k, "sizes differ");
        assert!(n as u64 <= T::Rank::PLACES, "a line is too long for the keys of its elements");
        if places.is_empty() {
            return;
        }
        if self.is_long() {
            for group in self.groups(0..lines) {
                let places = &mut places[group.start * k..group.end * k];
                self.long_places(threads, x, group, largest, places);
            }
            return;
        }
        let together = match x.len() <= FEW {
            true => lines,
            false => (PART / n).max(self.lines()),
        };
        threads.for_chunks_mut(places, together * k, |i, places| {
            let first = i * together;
            let mut rest = places.chunks_mut(k);
            for group in self.groups(first..first + rest.len()) {
                let bounds: Vec<Bound> = group.clone().map(|_| Bound::new()).collect();
                let least = self.scan(x, &group, 0..n, largest, &bounds);
                for (least, places) in least.into_iter().zip(rest.by_ref()) {
                    write::<T>(&least.sorted(), places);
                }
            }
        });
    }

    fn long_places<T: Ranked>(
        &self,
        threads: &Threads,
        x: &[T],
        group: Range<usize>,
        largest: bool,
        places: &mut [i64],
    ) {
        let bounds: Vec<Bound> = group.clone().map(|_| Bound::new()).collect();
        let mut parts = vec![vec![]; self.n.div_ceil(PART)];
        threads.for_chunks_mut(&mut parts, 1, |i, part| {
            let places = i * PART..(i * PART + PART).min(self.n);
            let least = self.scan(x, &group, places, largest, &bounds);
            part[0] = least.into_iter().map(Least::sorted).collect();
        });
        for (i, places) in places.chunks_mut(self.k).enumerate() {
            let lists = parts.iter_mut().map(|lists| take(&mut lists[i])).collect();
            let keys = merge::first(threads, lists, self.k);
            threads.for_rows_mut(places, 1, PART, |first, places| {
                write::<T>(&keys[first..first + places.len()], places);
            });
        }
    }

    /// Splits lines into groups that are scanned together: neighbours with the same outer index.
    fn groups(&self, lines: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (inner, most) = (self.inner, self.lines());
        let mut next = lines.start;
        std::iter::from_fn(move || {
            let start = next;
            next = (start + most).min((start / inner + 1) * inner).min(lines.end);
            (start < next).then_some(start..next)
        })
    }

    /// The first `k` elements of each line of a group, among those at `places`.
    fn scan<'a, T: Ranked>(
        &self,
        x: &[T],
        group: &Range<usize>,
        places: Range<usize>,
        largest: bool,
        bounds: &'a [Bound],
    ) -> Vec<Least<'a, T::Rank>> {
        let (outer, column) = (group.start / self.inner, group.start % self.inner);
        let row = |place: usize| (outer * self.n + place) * self.inner;
        let x = &x[row(places.start)..row(places.end)];
        let least = bounds.iter().map(|bound| Least::new(self.k, places.len(), bound));
        let mut least: Vec<_> = least.collect();
        match least.as_mut_slice() {
            [least] if self.inner == 1 => least::scan(least, x, places.start, largest),
            all => least::scan_columns(all, x, (self.inner, column), places.start, largest),
        }
        least
    }
}

fn write<T: Ranked>(keys: &[<T::Rank as Rank>::Key], places: &mut [i64]) {
    for (place, &key) in places.iter_mut().zip(keys) {
        *place = T::Rank::place(key) as i64;
    }
}
