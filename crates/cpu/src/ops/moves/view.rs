//! Strided views of a tensor and their copies: what transposing, slicing, expanding and tiling have in common.
#![allow(unsafe_code)]

use trident_ir::geometry::strides;
use trident_kernels::disjoint::Disjoint;
use trident_kernels::parallel::for_rows;
use trident_kernels::threads::Threads;

/// Runs a block on the elements of a source tensor and a destination tensor, as slices of one Rust type: unsigned
/// integers of their width for numbers, because they are only moved, or references to strings. The block writes every
/// element that is not an empty string.
macro_rules! with_elements {
    ($call:expr, $x:expr, $y:expr, |$src:ident, $dst:ident| $body:expr) => {
        if $x.dtype() == trident_ir::DType::Str {
            let $src = &*$crate::picks::Picks::of($call.pool(), &$x)?;
            let mut picks = $crate::picks::Picks::empty($call.pool(), &$y)?;
            let $dst = &mut *picks;
            $body;
            picks.write($y.write_strings()?)?;
        } else {
            $crate::dispatch_width!($x.dtype(), T => {
                let $src: &[T] = bytemuck::cast_slice($x.bytes()?);
                let $dst: &mut [T] = bytemuck::cast_slice_mut($y.bytes_mut()?);
                $body
            }, else => return Err(trident_runtime::KernelError::Unsupported($x.dtype())))
        }
    };
}
pub(super) use with_elements;

/// Dimensions with a distance in the source for each; distances may be 0 (repeat) or negative (reverse).
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) offset: usize,
    pub(super) axes: Vec<(usize, isize)>,
}

/// Side of the square blocks in which two axes are swapped: rows of a cache line or more on both sides.
const BLOCK: usize = 16;

impl View {
    /// All elements of a tensor, in order.
    pub(super) fn dense(dims: &[usize]) -> View {
        let axes = dims.iter().zip(strides(dims)).map(|(&d, s)| (d, s as isize)).collect();
        View { offset: 0, axes }
    }

    fn len(&self) -> usize {
        if self.axes.iter().any(|a| a.0 == 0) { 0 } else { self.axes.iter().map(|a| a.0).product() }
    }

    /// The same view with neighbouring axes merged where one loop covers both, and without axes of length 1.
    fn merged(&self) -> View {
        let mut axes: Vec<(usize, isize)> = vec![];
        for &(d, s) in self.axes.iter().filter(|a| a.0 != 1) {
            match axes.last_mut() {
                Some(last) if last.1 == s * d as isize => *last = (last.0 * d, s),
                _ => axes.push((d, s)),
            }
        }
        View { offset: self.offset, axes }
    }

    /// Copies the view of `src` to `dst`, which has the same number of elements.
    pub(super) fn copy<T: Copy + Send + Sync>(&self, threads: &Threads, src: &[T], dst: &mut [T]) {
        debug_assert_eq!(self.len(), dst.len());
        if dst.is_empty() {
            return;
        }
        let mut view = self.merged();
        let (n, step) = view.axes.pop().unwrap_or((1, 1));
        let unit = view.axes.iter().position(|a| a.1 == 1);
        match unit {
            Some(j) if step != 1 && step != 0 && view.axes[j].0 >= 4 && n >= 4 => {
                let other = view.axes.remove(j);
                let stride = view.axes[j..].iter().map(|a| a.0).product::<usize>() * n;
                view.swap(threads, j, (other.0, stride), (n, step), src, dst);
            }
            _ => view.rows(threads, (n, step), src, dst),
        }
    }

    /// Rows of `n` elements `step` apart, one for each position of the view.
    fn rows<T: Copy + Send + Sync>(
        &self,
        threads: &Threads,
        (n, step): (usize, isize),
        src: &[T],
        dst: &mut [T],
    ) {
        for_rows(threads, dst, n, 1, |first, piece| {
            let mut walk = Walk::new(self, first);
            for row in piece.chunks_mut(n) {
                match step {
                    1 => row.copy_from_slice(&src[walk.at..walk.at + n]),
                    0 => row.fill(src[walk.at]),
                    _ => {
                        let mut at = walk.at as isize;
                        for slot in row {
                            *slot = src[at as usize];
                            at += step;
                        }
                    }
                }
                walk.next();
            }
        });
    }

    /// Transposes in blocks of two axes, one contiguous in the source and the other (`inner`) in the result. The view
    /// has the remaining axes: `split` of them come before `outer`, the rest after it. The stride of `outer` in the
    /// result is given.
    fn swap<T: Copy + Send + Sync>(
        &self,
        threads: &Threads,
        split: usize,
        (m, stride): (usize, usize),
        (n, step): (usize, isize),
        src: &[T],
        dst: &mut [T],
    ) {
        // Distances in the result of the positions left: those before `outer` pass over it.
        let mut to = vec![0usize; self.axes.len()];
        let mut distance = n;
        for i in (0..self.axes.len()).rev() {
            if i + 1 == split {
                distance = stride * m;
            }
            to[i] = distance;
            distance *= self.axes[i].0;
        }
        let positions: usize = self.axes.iter().map(|a| a.0).product();
        let blocks = m.div_ceil(BLOCK);
        let (count, len) = (positions * blocks, dst.len());
        let dst = Disjoint::new(dst);
        let work = |range: std::ops::Range<usize>| {
            for task in range {
                let (position, block) = (task / blocks, task % blocks * BLOCK);
                let from = Walk::new(self, position).at;
                let (mut rest, mut start) = (position, 0);
                for (a, &s) in self.axes.iter().zip(&to).rev() {
                    start += rest % a.0 * s;
                    rest /= a.0;
                }
                let height = BLOCK.min(m - block);
                let last = (from + block + height - 1) as isize + (n - 1) as isize * step.max(0);
                let lowest = (from + block) as isize + (n - 1) as isize * step.min(0);
                assert!(lowest >= 0 && (last as usize) < src.len());
                for column in (0..n).step_by(BLOCK) {
                    for i in block..block + height {
                        let at = start + i * stride + column;
                        let width = BLOCK.min(n - column);
                        // SAFETY: tasks differ in the position or in `i`, so their rows are different parts of `dst`.
                        let row = unsafe { dst.part(at..at + width) };
                        let mut at = (from + i) as isize + column as isize * step;
                        for slot in row {
                            // SAFETY: between `lowest` and `last`, which are checked above.
                            *slot = unsafe { *src.get_unchecked(at as usize) };
                            at += step;
                        }
                    }
                }
            }
        };
        if len < 1 << 15 { work(0..count) } else { threads.for_range(count, 1, work) }
    }
}

/// Offsets of the positions of a view, in order.
struct Walk<'a> {
    view: &'a View,
    index: Vec<usize>,
    at: usize,
}

impl<'a> Walk<'a> {
    fn new(view: &'a View, mut position: usize) -> Walk<'a> {
        let mut index = vec![0; view.axes.len()];
        let mut at = view.offset as isize;
        for (i, &(d, s)) in view.axes.iter().enumerate().rev() {
            index[i] = position % d;
            position /= d;
            at += index[i] as isize * s;
        }
        Walk { view, index, at: at as usize }
    }

    fn next(&mut self) {
        for (i, &(d, s)) in self.view.axes.iter().enumerate().rev() {
            self.index[i] += 1;
            self.at = self.at.wrapping_add_signed(s);
            if self.index[i] < d {
                return;
            }
            self.index[i] = 0;
            self.at = self.at.wrapping_add_signed(-(s * d as isize));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_what_the_distances_say() {
        let dims = [3usize, 17, 2, 33];
        let src: Vec<u32> = (0..dims.iter().product::<usize>() as u32).collect();
        let own = strides(&dims);
        for perm in
            [[0, 1, 2, 3], [3, 1, 2, 0], [0, 3, 1, 2], [0, 2, 3, 1], [3, 2, 1, 0], [1, 0, 3, 2]]
        {
            for reverse in [false, true] {
                let axes: Vec<(usize, isize)> = perm
                    .map(|a| {
                        (
                            dims[a],
                            if reverse && a == 1 { -(own[a] as isize) } else { own[a] as isize },
                        )
                    })
                    .to_vec();
                let offset = if reverse { (dims[1] - 1) * own[1] } else { 0 };
                let view = View { offset, axes: axes.clone() };
                for threads in [1, 2] {
                    let mut got = vec![0; src.len()];
                    view.copy(&Threads::new(threads), &src, &mut got);
                    let out = perm.map(|a| dims[a]);
                    for (flat, &v) in got.iter().enumerate() {
                        let (mut rest, mut at) = (flat, offset as isize);
                        for i in (0..4).rev() {
                            at += (rest % out[i]) as isize * axes[i].1;
                            rest /= out[i];
                        }
                        assert_eq!(v, src[at as usize], "{perm:?} at {flat}");
                    }
                }
            }
        }
    }
}
