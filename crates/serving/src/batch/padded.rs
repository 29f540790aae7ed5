//! Requests of different lengths in one batch: inputs are padded at the end of an axis, and results are cut back.

use super::part::Source;
use trident_runtime::ByteSource;

/// Padded elements are at most one for so many real ones.
const REAL_PER_PADDED: usize = 4;

/// The lengths of requests that may share a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    longest: usize,
    rows: usize,
    /// The sum of the lengths of all rows.
    real: usize,
}

impl Lengths {
    pub(crate) fn of(length: usize, rows: usize) -> Lengths {
        Lengths { longest: length, rows, real: length.saturating_mul(rows) }
    }

    /// The lengths of both, unless padding would be more than a quarter of the real elements.
    pub(crate) fn with(self, other: Lengths) -> Option<Lengths> {
        let longest = self.longest.max(other.longest);
        let (rows, real) = (self.rows + other.rows, self.real.saturating_add(other.real));
        let padded = longest.saturating_mul(rows) - real;
        (padded.saturating_mul(REAL_PER_PADDED) <= real).then_some(Lengths { longest, rows, real })
    }

    /// The lengths of two batches as one; `None` if they must not be one. Without padding, there are no lengths to look at.
    pub(crate) fn join(one: Option<Lengths>, other: Option<Lengths>) -> Option<Option<Lengths>> {
        match (one, other) {
            (Some(one), Some(other)) => one.with(other).map(Some),
            (None, None) => Some(None),
            _ => None,
        }
    }
}

/// An input of a request on its way into a longer tensor.
pub(super) struct Padded<'p> {
    pub(super) sources: Vec<Source<'p>>,
    /// How often the axis occurs: the product of the dimensions before it.
    pub(super) count: usize,
    /// The bytes of the axis once, in the request and in the tensor.
    pub(super) real: usize,
    pub(super) padded: usize,
    /// The bytes of an element of the padding.
    pub(super) element: &'p [u8],
}

impl ByteSource for Padded<'_> {
    fn size(&self) -> usize {
        self.count * self.padded
    }

    /// Writes the parts one after the other, and then moves them apart.
    fn copy_to(&self, to: &mut [u8]) {
        let mut at = 0;
        for source in &self.sources {
            let end = at + source.size();
            source.copy_to(&mut to[at..end]);
            at = end;
        }
        let (real, padded) = (self.real, self.padded);
        for k in (0..self.count).rev() {
            to.copy_within(k * real..(k + 1) * real, k * padded);
            for element in
                to[k * padded + real..(k + 1) * padded].chunks_exact_mut(self.element.len())
            {
                element.copy_from_slice(self.element);
            }
        }
    }
}

/// Items of a tensor, without those of an axis that are beyond a length; the axis occurs `count` times.
pub(super) fn cut<T: Clone>(items: &[T], count: usize, length: usize, kept: usize) -> Vec<T> {
    let size = items.len().checked_div(count.saturating_mul(length)).unwrap_or(0);
    let mut left = Vec::with_capacity(count * kept * size);
    for k in 0..count {
        let start = k * length * size;
        left.extend_from_slice(&items[start..start + kept * size]);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_pads_at_most_a_quarter() {
        let batch = Lengths::of(8, 3);
        // 3·10 + 10 elements, of which 34 are real; 3·11 + 11 with 35.
        assert!(batch.with(Lengths::of(10, 1)).is_some());
        assert!(batch.with(Lengths::of(11, 1)).is_none());
        assert!(batch.with(Lengths::of(1, 1)).is_none());
        assert_eq!(batch.with(Lengths::of(8, 2)), Some(Lengths::of(8, 5)));
        assert_eq!(Lengths::join(Some(batch), None), None);
        assert_eq!(Lengths::join(None, None), Some(None));
        assert_eq!(Lengths::of(0, 1).with(Lengths::of(0, 1)), Some(Lengths::of(0, 2)));
    }

    #[test]
    fn a_cut_keeps_the_start_of_each_axis() {
        let items: Vec<u8> = (0..12).collect();
        assert_eq!(cut(&items, 2, 3, 2), [0, 1, 2, 3, 6, 7, 8, 9]);
        assert_eq!(cut(&items, 1, 12, 1), [0]);
        assert_eq!(cut(&items, 3, 4, 0), Vec::<u8>::new());
        assert!(cut::<u8>(&[], 3, 0, 0).is_empty());
    }
}
