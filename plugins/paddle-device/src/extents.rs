//! Dimensions and strides of Paddle's tensors.

use std::fmt;

/// The highest rank of Paddle's tensors.
pub(crate) const MAX_RANK: usize = 9;

/// Dimensions or strides, without an allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extents {
    values: [i64; MAX_RANK],
    rank: usize,
    /// The number of elements, if these are dimensions that are known.
    count: Option<usize>,
}

impl Extents {
    /// The values of a rank; `None` if it is higher than Paddle's tensors have.
    pub(crate) fn new(rank: i64, value: impl Fn(usize) -> i64) -> Option<Extents> {
        let rank = usize::try_from(rank).ok().filter(|rank| *rank <= MAX_RANK)?;
        let mut values = [0; MAX_RANK];
        for (i, slot) in values.iter_mut().take(rank).enumerate() {
            *slot = value(i);
        }
        let count = count(&values[..rank]);
        Some(Extents { values, rank, count })
    }

    /// The values.
    pub(crate) fn as_slice(&self) -> &[i64] {
        &self.values[..self.rank]
    }

    /// The dimensions as sizes; `None` if one is not known or their product is too large.
    pub(crate) fn sizes(&self) -> Option<Sizes<'_>> {
        // None is negative, so they are the same as unsigned numbers.
        let count = self.count?;
        let dims = bytemuck::try_cast_slice(self.as_slice()).ok()?;
        Some(Sizes { dims, count })
    }
}

/// The product of dimensions. Beside an axis of length 0, the product of the others may overflow.
fn count(dims: &[i64]) -> Option<usize> {
    let (mut count, mut overflows) = (1usize, false);
    for dim in dims {
        let dim = usize::try_from(*dim).ok()?;
        let (product, beyond) = count.overflowing_mul(dim);
        overflows |= beyond;
        count = product;
    }
    match dims.contains(&0) {
        true => Some(0),
        false => (!overflows).then_some(count),
    }
}

impl fmt::Debug for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

/// Dimensions that are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes<'a> {
    dims: &'a [usize],
    /// The number of elements.
    pub(crate) count: usize,
}

impl<'a> Sizes<'a> {
    /// The dimensions.
    pub(crate) fn dims(&self) -> &'a [usize] {
        self.dims
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
        assert_eq!((sizes(&[i64::MAX, 3, 0]), sizes(&[2, 3, 5])), (Some(0), Some(30)));
        assert_eq!((sizes(&[i64::MAX, 3]), sizes(&[-1])), (None, None));
        assert!(Extents::new(10, |_| 1).is_none());
    }
}
