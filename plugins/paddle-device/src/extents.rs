//! Dimensions and strides of Paddle's tensors.

use std::fmt;

/// The highest rank of Paddle's tensors.
pub(crate) const MAX_RANK: usize = 9;

/// Dimensions or strides, without an allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extents {
    values: [i64; MAX_RANK],
    rank: usize,
}

impl Extents {
    /// The values of a rank; `None` if it is higher than Paddle's tensors have.
    pub(crate) fn new(rank: i64, value: impl Fn(usize) -> i64) -> Option<Extents> {
        let rank = usize::try_from(rank).ok().filter(|rank| *rank <= MAX_RANK)?;
        let mut values = [0; MAX_RANK];
        for (i, slot) in values.iter_mut().take(rank).enumerate() {
            *slot = value(i);
        }
        Some(Extents { values, rank })
    }

    /// The values.
    pub(crate) fn as_slice(&self) -> &[i64] {
        &self.values[..self.rank]
    }

    /// The dimensions as sizes; `None` if one is not known or their product is too large.
    pub(crate) fn sizes(&self) -> Option<Sizes> {
        let mut sizes = Sizes { values: [0; MAX_RANK], rank: self.rank, count: 1 };
        for (size, value) in sizes.values.iter_mut().zip(self.as_slice()) {
            *size = usize::try_from(*value).ok()?;
        }
        let dims = &sizes.values[..self.rank];
        // Beside an axis of length 0, the product of the others may overflow.
        sizes.count = match dims.contains(&0) {
            true => 0,
            false => dims.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim))?,
        };
        Some(sizes)
    }
}

impl fmt::Debug for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// Dimensions that are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    values: [usize; MAX_RANK],
    rank: usize,
    /// The number of elements.
    pub(crate) count: usize,
}

impl Sizes {
    /// The dimensions.
    pub(crate) fn dims(&self) -> &[usize] {
        &self.values[..self.rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_counted_beside_empty_axes() {
        let sizes = |dims: &[i64]| {
            Extents::new(dims.len() as i64, |i| dims[i]).unwrap().sizes().map(|sizes| sizes.count)
        };
        assert_eq!(sizes(&[]), Some(1));
        assert_eq!(sizes(&[0, i64::MAX, i64::MAX]), Some(0));
        assert_eq!((sizes(&[i64::MAX, 3]), sizes(&[-1])), (None, None));
        assert!(Extents::new(10, |_| 1).is_none());
    }
}
