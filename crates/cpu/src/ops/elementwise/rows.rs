//! Broadcasting as rows. Axes with the same stride pattern in all operands are merged. The last axis is the row, along
//! which an operand is either contiguous or constant.

use trident_ir::geometry::broadcast_strides;

/// How `N` operands are read for one result.
pub(crate) struct Rows<const N: usize> {
    dims: Vec<usize>,
    strides: Vec<[usize; N]>,
    /// Elements of a row.
    pub(crate) len: usize,
    /// Whether an operand advances along the row.
    pub(crate) advances: [bool; N],
}

impl<const N: usize> Rows<N> {
    /// For operands of the given dimensions, all of which broadcast to `dims`.
    pub(crate) fn new(dims: &[usize], operands: [&[usize]; N]) -> Self {
        let one = |operand: &[usize]| operand.iter().all(|&d| d == 1);
        if operands.iter().all(|operand| *operand == dims || one(operand)) {
            // One row, which needs no lists.
            let advances = operands.map(|operand| operand == dims);
            // Beside an axis of length 0, the product of the others may overflow.
            let len = if dims.contains(&0) { 0 } else { dims.iter().product() };
            return Rows { dims: vec![], strides: vec![], len, advances };
        }
        let each = operands.map(|o| broadcast_strides(o, dims));
        let (mut merged, mut strides): (Vec<usize>, Vec<[usize; N]>) = (vec![], vec![]);
        for (i, &d) in dims.iter().enumerate().filter(|(_, d)| **d != 1) {
            let step: [usize; N] = std::array::from_fn(|k| each[k][i]);
            match (merged.last_mut(), strides.last_mut()) {
                (Some(last), Some(outer)) if (0..N).all(|k| outer[k] == step[k] * d) => {
                    *last *= d;
                    *outer = step;
                }
                _ => {
                    merged.push(d);
                    strides.push(step);
                }
            }
        }
        let len = merged.pop().unwrap_or(1);
        let inner = strides.pop().unwrap_or([1; N]);
        Rows { dims: merged, strides, len, advances: inner.map(|s| s != 0) }
    }

    /// Calls `f(range, offsets)` for the parts of rows that make up the result elements `start .. start + count`: their
    /// range relative to `start`, and where each operand's part begins. Inlined, so that `f` is compiled for the caller's
    /// vector instructions.
    #[inline(always)]
    pub(crate) fn for_parts(
        &self,
        start: usize,
        count: usize,
        mut f: impl FnMut(std::ops::Range<usize>, [usize; N]),
    ) {
        if count == 0 {
            return;
        }
        let mut column = start % self.len;
        let (mut index, mut offsets) = self.row(start / self.len);
        let mut done = 0;
        loop {
            let n = (self.len - column).min(count - done);
            f(
                done..done + n,
                std::array::from_fn(|k| offsets[k] + if self.advances[k] { column } else { 0 }),
            );
            done += n;
            column = 0;
            if done >= count {
                return;
            }
            self.step(&mut index, &mut offsets);
        }
    }

    /// The indices of a row along the axes, and where it begins in each operand.
    fn row(&self, mut row: usize) -> (Vec<usize>, [usize; N]) {
        let mut index = vec![0; self.dims.len()];
        let mut offsets = [0; N];
        for i in (0..self.dims.len()).rev() {
            index[i] = row % self.dims[i];
            row /= self.dims[i];
            (0..N).for_each(|k| offsets[k] += index[i] * self.strides[i][k]);
        }
        (index, offsets)
    }

    /// Goes to the next row.
    #[inline(never)]
    fn step(&self, index: &mut [usize], offsets: &mut [usize; N]) {
        for i in (0..self.dims.len()).rev() {
            index[i] += 1;
            (0..N).for_each(|k| offsets[k] += self.strides[i][k]);
            if index[i] < self.dims[i] {
                break;
            }
            index[i] = 0;
            (0..N).for_each(|k| offsets[k] -= self.dims[i] * self.strides[i][k]);
        }
    }
}

/// Whether operands broadcast to exactly these dimensions.
pub(crate) fn broadcast_to<const N: usize>(dims: &[usize], operands: [&[usize]; N]) -> bool {
    if operands.iter().all(|operand| *operand == dims) {
        return true;
    }
    // Axes are counted from the last one; an operand of fewer axes has 1 there.
    let axis = |operand: &[usize], i: usize| operand.iter().rev().nth(i).copied().unwrap_or(1);
    operands.iter().all(|operand| operand.len() <= dims.len())
        && operands.iter().any(|operand| operand.len() == dims.len())
        && (0..dims.len()).all(|i| {
            let of = |operand: &&[usize]| axis(operand, i);
            let dim = axis(dims, i);
            operands.iter().map(of).all(|d| d == dim || d == 1)
                && operands.iter().map(of).any(|d| d == dim)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_broadcast_to_their_common_dimensions_only() {
        let fits = |dims: &[usize], a: &[usize], b: &[usize]| broadcast_to(dims, [a, b]);
        assert!(fits(&[2, 3], &[2, 3], &[2, 3]) && fits(&[2, 3], &[3], &[2, 1]));
        assert!(fits(&[], &[], &[]) && fits(&[0, 3], &[0, 1], &[3]));
        assert!(!fits(&[2, 3], &[3], &[3]), "no operand has the first axis");
        assert!(!fits(&[3], &[1, 3], &[3]), "an axis is missing");
        assert!(!fits(&[2, 3], &[2, 1], &[1, 1]), "no operand is as long");
        assert!(!fits(&[2, 3], &[2, 2], &[2, 3]), "an axis is shorter");
        assert!(!fits(&[1], &[0], &[1]), "nothing does not broadcast to something");
    }

    #[test]
    fn axes_merge_and_parts_cover() {
        let rows = Rows::new(&[2, 3, 4], [&[2, 3, 4], &[1]]);
        assert_eq!((rows.len, rows.advances), (24, [true, false]));
        let rows = Rows::new(&[2, 3, 4], [&[2, 3, 4], &[3, 1]]);
        assert_eq!((rows.len, rows.advances), (4, [true, false]));
        let mut seen = vec![];
        rows.for_parts(5, 14, |r, [a, b]| seen.extend(r.map(|i| (i + 5, a, b))));
        assert_eq!(seen.len(), 14);
        for (i, a, b) in seen {
            assert!(a <= i && a >= 5 && b == i / 4 % 3);
        }
        assert_eq!(Rows::new(&[], [&[], &[]]).len, 1);
    }
}
