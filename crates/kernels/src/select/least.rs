//! The least keys of a stream of elements, in linear time.

use super::rank::{Rank, Ranked};
use crate::parallel::vectorised;
use std::sync::atomic::{AtomicU64, Ordering};

/// Elements that are compared at once with the bound.
const BLOCK: usize = 32;

/// Rows whose columns are copied at once.
const ROWS: usize = 256;

/// A rank that more than enough elements of a line have or are below, found in any part of the line: elements of greater ranks
/// cannot be selected. It only saves work.
pub(super) struct Bound(AtomicU64);

impl Bound {
    pub(super) fn new() -> Bound {
        Bound(AtomicU64::new(u64::MAX))
    }

    fn lower<R: Rank>(&self, rank: R) {
        self.0.fetch_min(rank.into(), Ordering::Relaxed);
    }

    /// The least rank that cannot be selected; `None` if all can.
    fn get<R: Rank>(&self) -> Option<R> {
        R::try_from(self.0.load(Ordering::Relaxed).checked_add(1)?).ok()
    }
}

/// The `k` least keys among the elements so far. Keys below a bound are collected, and whenever there are about twice `k`, all but
/// the `k` least are dropped and the bound falls. Dropping takes linear time, so that no order of elements is slow.
pub(super) struct Least<'a, R: Rank> {
    k: usize,
    /// The number of keys at which some are dropped.
    most: usize,
    keys: Vec<R::Key>,
    /// Ranks from this one on are not among the least. `None` if all ranks may be.
    end: Option<R>,
    shared: &'a Bound,
}

/// The most keys that [`Least`] holds for a line of `n` elements.
pub(super) fn room(k: usize, n: usize) -> usize {
    k.saturating_mul(2).saturating_add(16).min(n)
}

impl<'a, R: Rank> Least<'a, R> {
    /// For `n` elements at most. `k` is at least 1. Other parts of the line share the bound.
    pub(super) fn new(k: usize, n: usize, shared: &'a Bound) -> Self {
        let most = room(k, n);
        Self { k, most, keys: Vec::with_capacity(most), end: shared.get(), shared }
    }

    /// Drops all but the `k` least keys. Of equal elements the first counts, so that later elements of the greatest rank left are
    /// not among the least.
    #[inline(never)]
    fn drop_most(&mut self) {
        if self.keys.len() < self.k {
            return;
        }
        let (_, &mut last, _) = self.keys.select_nth_unstable(self.k - 1);
        self.keys.truncate(self.k);
        let end = R::of(last);
        self.shared.lower(end);
        self.end = [self.end, Some(end), self.shared.get()].into_iter().flatten().min();
    }

    /// Collects an element. Returns whether the bound may have fallen.
    #[inline(always)]
    fn push(&mut self, rank: R, place: usize) -> bool {
        if self.end.is_some_and(|end| rank >= end) {
            return false;
        }
        self.keys.push(rank.key(place));
        let is_full = self.keys.len() >= self.most;
        if is_full {
            self.drop_most();
        }
        is_full
    }

    /// The keys of the `k` least elements, ascending. There are fewer if others are less in other parts of the line.
    pub(super) fn sorted(mut self) -> Vec<R::Key> {
        if self.keys.len() > self.k {
            self.drop_most();
        }
        self.keys.sort_unstable();
        self.keys
    }
}

/// Whether an element is not known to have the rank of `end` or a greater one; ranks are inverted for the largest elements. It may be
/// wrong for NaN, and is vectorised.
#[inline(always)]
#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "NaN has to be looked at")]
fn may_be_less<T: PartialOrd, const LARGEST: bool>(x: T, end: T) -> bool {
    if LARGEST { !(x <= end) } else { !(x >= end) }
}

/// Collects the elements of a line; the first is at the place `first`. With `largest`, ranks are inverted.
pub(super) fn scan<T: Ranked>(
    least: &mut Least<'_, T::Rank>,
    x: &[T],
    first: usize,
    largest: bool,
) {
    vectorised(|| match largest {
        true => scan_in_order::<T, true>(least, x, first),
        false => scan_in_order::<T, false>(least, x, first),
    });
}

#[inline(always)]
fn scan_in_order<T: Ranked, const LARGEST: bool>(
    least: &mut Least<'_, T::Rank>,
    x: &[T],
    first: usize,
) {
    let flip = T::Rank::flip(LARGEST);
    let mut places = first..first + x.len();
    let mut rest = x.iter();
    while least.end.is_none() {
        let (Some(x), Some(place)) = (rest.next(), places.next()) else { return };
        least.push(x.rank() ^ flip, place);
    }
    let bound = |least: &Least<'_, T::Rank>| least.end.map(|end| T::of_rank(end ^ flip));
    let Some(mut end) = bound(least) else { return };
    for (block, first) in rest.as_slice().chunks(BLOCK).zip(places.step_by(BLOCK)) {
        if !block.iter().fold(false, |any, &x| any | may_be_less::<T, LARGEST>(x, end)) {
            continue;
        }
        for (&x, place) in block.iter().zip(first..) {
            if may_be_less::<T, LARGEST>(x, end) && least.push(x.rank() ^ flip, place) {
                end = bound(least).unwrap_or(end);
            }
        }
    }
}

/// Like [`scan`], for as many neighbouring lines as `least` has entries: `x` holds rows of `inner` elements, and the lines begin
/// at `column` of each row. The lines are first copied, some rows at a time.
pub(super) fn scan_columns<T: Ranked>(
    least: &mut [Least<'_, T::Rank>],
    x: &[T],
    (inner, column): (usize, usize),
    first: usize,
    largest: bool,
) {
    let columns = column..column + least.len();
    let Some(&any) = x.first() else { return };
    let mut lines = vec![any; ROWS * least.len()];
    vectorised(|| {
        for (rows, first) in x.chunks(ROWS * inner).zip((first..).step_by(ROWS)) {
            for (i, row) in rows.chunks_exact(inner).enumerate() {
                let places = lines.iter_mut().skip(i).step_by(ROWS);
                places.zip(&row[columns.clone()]).for_each(|(to, x)| *to = *x);
            }
            for (least, line) in least.iter_mut().zip(lines.chunks_exact(ROWS)) {
                let line = &line[..rows.len() / inner];
                match largest {
                    true => scan_in_order::<T, true>(least, line, first),
                    false => scan_in_order::<T, false>(least, line, first),
                }
            }
        }
    });
}
