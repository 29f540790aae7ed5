//! Index arithmetic that shape rules and kernels share, so that both always agree.

mod einsum;
mod layout;
mod packed;
mod resize;
mod slice;
mod window;

pub use einsum::{Equation, Label};
pub use layout::{
    expand, flatten, pack, permutation, reshape, squeeze, transpose, unpack, unsqueeze,
};
pub use packed::PackedWeights;
pub use resize::{CoordinateMap, ResizeSpec, ResizedAxis, TIE, resize, scaled_len};
pub use slice::{
    Borders, Cut, center_crop_pad, concat, pad, range_len, reduced, reduction_axes, shape_bounds,
    slice, slices, split,
};
pub use window::{
    TransposedAxis, TransposedConv, Window, conv_dims, per_axis, transposed_conv, unpooled,
    window_size, window_sizes, windows,
};

/// Why dimensions do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeometryError {
    /// Two shapes that do not broadcast.
    #[error("shapes {0:?} and {1:?} do not broadcast together")]
    Broadcast(Vec<usize>, Vec<usize>),
    /// An axis outside the rank.
    #[error("axis {axis} is outside rank {rank}")]
    Axis {
        /// The axis as given.
        axis: i64,
        /// The rank.
        rank: usize,
    },
    /// Axes named twice.
    #[error("axis {0} is named twice")]
    TwiceAxis(usize),
    /// A size beyond what a tensor may have.
    #[error("the result would be too large")]
    TooLarge,
    /// A number in an operand that is wrong whatever the shapes are, as a message.
    #[error("{0}")]
    Value(String),
    /// Any other mismatch, as a message.
    #[error("{0}")]
    Invalid(String),
}

fn invalid<T>(text: impl Into<String>) -> Result<T, GeometryError> {
    Err(GeometryError::Invalid(text.into()))
}

fn wrong<T>(text: impl Into<String>) -> Result<T, GeometryError> {
    Err(GeometryError::Value(text.into()))
}

/// The shape to which both broadcast by NumPy's rule.
pub fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, GeometryError> {
    let rank = a.len().max(b.len());
    let dim = |s: &[usize], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |j| s[j]);
    (0..rank)
        .map(|i| match (dim(a, i), dim(b, i)) {
            (x, y) if x == y => Ok(x),
            (1, y) => Ok(y),
            (x, 1) => Ok(x),
            _ => Err(GeometryError::Broadcast(a.to_vec(), b.to_vec())),
        })
        .collect()
}

/// `axis`, negative counted from the end, as an index below `rank`.
pub fn axis(axis: i64, rank: usize) -> Result<usize, GeometryError> {
    let wrapped = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
    match wrapped.and_then(|a| usize::try_from(a).ok()) {
        Some(a) if a < rank => Ok(a),
        _ => Err(GeometryError::Axis { axis, rank }),
    }
}

/// Several axes as sorted indices; naming one twice is an error.
pub fn axes(axes: &[i64], rank: usize) -> Result<Vec<usize>, GeometryError> {
    let mut found = axes.iter().map(|&a| axis(a, rank)).collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    match found.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => Err(GeometryError::TwiceAxis(w[0])),
        None => Ok(found),
    }
}

/// Product of dimensions that stops at the greatest number: beside an axis of length 0 others may be of any size.
pub fn extent(dims: &[usize]) -> usize {
    dims.iter().fold(1, |n, &d| n.saturating_mul(d))
}

/// Row-major strides, in elements.
pub fn strides(dims: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; dims.len()];
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i].saturating_mul(dims[i]);
    }
    strides
}

/// Strides for reading a tensor of shape `from` as if it had shape `to`: 0 along broadcast axes.
pub fn broadcast_strides(from: &[usize], to: &[usize]) -> Vec<usize> {
    let own = strides(from);
    let skip = to.len() - from.len();
    (0..to.len()).map(|i| if i < skip || from[i - skip] == 1 { 0 } else { own[i - skip] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting() {
        assert_eq!(broadcast(&[3, 1], &[4]), Ok(vec![3, 4]));
        assert_eq!(broadcast(&[], &[2, 0]), Ok(vec![2, 0]));
        assert!(broadcast(&[3], &[4]).is_err());
        assert_eq!(broadcast_strides(&[3, 1], &[2, 3, 4]), [0, 1, 0]);
    }

    #[test]
    fn axes_wrap_and_are_checked() {
        assert_eq!(axis(-1, 3), Ok(2));
        assert!(axis(3, 3).is_err() && axis(-4, 3).is_err() && axis(i64::MIN, 3).is_err());
        assert_eq!(axes(&[-1, 0], 2), Ok(vec![0, 1]));
        assert_eq!(axes(&[0, -2], 2), Err(GeometryError::TwiceAxis(0)));
    }
}
