//! Index spaces: axes, and where arrays have the element of each index.

use trident_ir::{DType, ValueId, geometry};

use super::writer::Writer;
use super::{Arg, Result};

/// How an array is read or written over the axes of a space.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) array: Arg,
    pub(super) dtype: DType,
    /// Offset of the element with index 0 along all axes.
    pub(super) start: isize,
    /// Distance in elements of neighbours along each axis.
    pub(super) strides: Vec<isize>,
}

impl View {
    /// A dense array with these dimensions, over its own axes.
    pub(super) fn dense(array: Arg, dtype: DType, dims: &[usize]) -> View {
        View { array, dtype, start: 0, strides: signed(&geometry::strides(dims)) }
    }

    /// A dense array that broadcasts to `to`.
    pub(super) fn broadcast(array: Arg, dtype: DType, dims: &[usize], to: &[usize]) -> View {
        let strides = signed(&geometry::broadcast_strides(dims, to));
        View { array, dtype, start: 0, strides }
    }
}

/// Strides of the same axes as numbers that may be negative.
pub(super) fn signed(strides: &[usize]) -> Vec<isize> {
    strides.iter().map(|&n| isize::try_from(n).unwrap_or(isize::MAX)).collect()
}

/// Merges neighbouring axes that all views pass through in one stride, and drops axes of length 1.
pub(super) fn merge(dims: &[usize], views: &mut [View]) -> Vec<usize> {
    let mut merged: Vec<usize> = vec![];
    let mut strides: Vec<Vec<isize>> = vec![vec![]; views.len()];
    for (axis, &n) in dims.iter().enumerate().filter(|(_, n)| **n != 1) {
        let follows = |(view, kept): (&View, &Vec<isize>)| {
            kept.last() == Some(&view.strides[axis].saturating_mul(n as isize))
        };
        if !merged.is_empty() && views.iter().zip(&strides).all(follows) {
            let last = merged.len() - 1;
            merged[last] *= n;
            views.iter().zip(&mut strides).for_each(|(view, kept)| kept[last] = view.strides[axis]);
        } else {
            merged.push(n);
            views.iter().zip(&mut strides).for_each(|(view, kept)| kept.push(view.strides[axis]));
        }
    }
    views.iter_mut().zip(strides).for_each(|(view, kept)| view.strides = kept);
    merged
}

impl Writer {
    /// The index along each axis of elements that are counted in row-major order.
    pub(super) fn unravel(&mut self, linear: ValueId, dims: &[usize]) -> Result<Vec<ValueId>> {
        let mut rest = linear;
        let mut found = vec![];
        for (axis, &n) in dims.iter().enumerate().rev() {
            if axis == 0 {
                found.push(rest);
                break;
            }
            let n = self.size(n)?;
            let (outer, own) = self.divide(rest, n)?;
            found.push(own);
            rest = outer;
        }
        found.reverse();
        Ok(found)
    }

    /// start + Σ index·stride; `None` where that is 0.
    pub(super) fn offset(
        &mut self,
        indices: &[ValueId],
        strides: &[isize],
        start: isize,
    ) -> Result<Option<ValueId>> {
        let mut sum = match start {
            0 => None,
            start => Some(self.size(start as i64)?),
        };
        for (&index, &stride) in indices.iter().zip(strides) {
            let part = match stride {
                0 => continue,
                1 => index,
                stride => {
                    let stride = self.size(stride as i64)?;
                    self.mul(index, stride)?
                }
            };
            sum = Some(match sum {
                Some(sum) => self.add(sum, part)?,
                None => part,
            });
        }
        Ok(sum)
    }

    /// The elements of a view at these indices; of one that is the same everywhere, a scalar.
    pub(super) fn read(
        &mut self,
        view: &View,
        indices: &[ValueId],
        mask: ValueId,
    ) -> Result<ValueId> {
        let base = self.array(view.array, view.dtype)?;
        match self.offset(indices, &view.strides, view.start)? {
            None => self.first(base),
            Some(offset) => self.load(base, offset, Some(mask), None),
        }
    }
}
