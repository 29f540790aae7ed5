//! Where the windows of a plane lie.

use std::ops::Range;

use super::PoolSpec;
use crate::conv::geometry::{Axis, unravel};

/// The windows of one plane at a known size.
pub struct PoolPlan {
    axes: Vec<Axis>,
    /// The step in the input between neighbouring outputs of a row.
    pub(super) stride: usize,
    /// The outputs of a row whose windows lie inside the input along the inner dimension.
    pub(super) interior: Range<usize>,
    /// For each row of the output: the rows of the input (their offsets) that its windows cover.
    rows: Vec<Vec<usize>>,
    /// For each inner tap: the first output inside the input, how many there are, and the first one's input coordinate.
    spans: Vec<(usize, usize, usize)>,
}

/// Neighbouring outputs and the inputs of one tap, at the plan's stride.
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) len: usize,
}

impl PoolPlan {
    pub(super) fn new(spec: &PoolSpec, input: &[usize], output: &[usize]) -> Self {
        let lists = [&spec.kernel, &spec.strides, &spec.dilations, &spec.pads_begin];
        let axes = Axis::all(lists, input, output);
        let (inner, outer) = (axes[axes.len() - 1], &axes[..axes.len() - 1]);
        let outputs: usize = outer.iter().map(|a| a.output).product();
        let taps: usize = outer.iter().map(|a| a.kernel).product();
        let taps: Vec<_> = (0..taps).map(|t| unravel(t, outer, |a| a.kernel)).collect();
        let rows = (0..outputs)
            .map(|row| {
                let o = unravel(row, outer, |a| a.output);
                let offset = |tap: &Vec<usize>| {
                    let mut row = 0;
                    for ((axis, &o), &t) in outer.iter().zip(&o).zip(tap) {
                        row = row * axis.input + axis.source(o, t)?;
                    }
                    Some(row * inner.input)
                };
                taps.iter().filter_map(offset).collect()
            })
            .collect();
        let spans = (0..inner.kernel)
            .map(|tap| {
                let (first, end) = inner.inside(0, inner.output, tap);
                let from = if first < end {
                    first * inner.stride + tap * inner.dilation - inner.pad
                } else {
                    0
                };
                (first, end - first, from)
            })
            .filter(|s| s.1 > 0)
            .collect();
        let inside = (0..inner.kernel).map(|tap| inner.inside(0, inner.output, tap));
        let (first, end) =
            inside.fold((0, inner.output), |(a, b), (first, end)| (a.max(first), b.min(end)));
        let interior = first.min(end)..end;
        Self { axes, stride: inner.stride, interior, rows, spans }
    }

    pub(super) fn pixels_in(&self) -> usize {
        self.axes.iter().map(|a| a.input).product()
    }

    pub(super) fn pixels_out(&self) -> usize {
        self.axes.iter().map(|a| a.output).product()
    }

    pub(super) fn taps(&self) -> usize {
        self.axes.iter().map(|a| a.kernel).product()
    }

    fn inner(&self) -> Axis {
        self.axes[self.axes.len() - 1]
    }

    /// Calls `f(the rows of the input that a row's windows cover, the row)` for each row of the output.
    #[inline(always)]
    pub(super) fn for_each_row<T>(&self, y: &mut [T], mut f: impl FnMut(&[usize], &mut [T])) {
        for (rows, y) in self.rows.iter().zip(y.chunks_exact_mut(self.inner().output)) {
            f(rows, y);
        }
    }

    /// The coordinates in a row of the input that the window of output `o` covers.
    #[inline(always)]
    pub(super) fn inner_window(&self, o: usize) -> impl Iterator<Item = usize> + use<> {
        let inner = self.inner();
        (0..inner.kernel).filter_map(move |tap| inner.source(o, tap))
    }

    /// The first coordinate of [`inner_window`](Self::inner_window) for an output of the interior.
    pub(super) fn inner_start(&self, o: usize) -> usize {
        o * self.stride - self.inner().pad
    }

    /// The number of inner taps and their distance.
    pub(super) fn inner_taps(&self) -> (usize, usize) {
        (self.inner().kernel, self.inner().dilation)
    }

    /// Calls `f` for every tap of every row of the output.
    #[inline(always)]
    pub(super) fn for_each_span(&self, mut f: impl FnMut(Span)) {
        let width = self.inner().output;
        for (i, rows) in self.rows.iter().enumerate() {
            for row in rows {
                for &(first, len, from) in &self.spans {
                    f(Span { from: row + from, to: i * width + first, len });
                }
            }
        }
    }

    /// Calls `f(output, the inputs of its window)`, the inputs as offsets in the plane, in rising order.
    pub(super) fn for_each_window(
        &self,
        mut f: impl FnMut(usize, &mut dyn Iterator<Item = usize>),
    ) {
        let inner = self.inner();
        for (i, rows) in self.rows.iter().enumerate() {
            for o in 0..inner.output {
                let taps = |row: &usize| {
                    let row = *row;
                    self.inner_window(o).map(move |x| row + x)
                };
                f(i * inner.output + o, &mut rows.iter().flat_map(taps));
            }
        }
    }

    /// The elements of each output's window: inside the input, or inside the padded input.
    pub(super) fn counts(&self, spec: &PoolSpec, with_pads: bool) -> Vec<usize> {
        let count = |axis: &Axis, d: usize, o: usize| {
            let padded = axis.input + axis.pad + spec.pads_end.get(d).copied().unwrap_or(0);
            let inside = |t: &usize| {
                if with_pads {
                    o * axis.stride + t * axis.dilation < padded
                } else {
                    axis.source(o, *t).is_some()
                }
            };
            (0..axis.kernel).filter(inside).count()
        };
        // The window is a product of intervals, and so is the count.
        let mut counts = vec![1];
        for (d, axis) in self.axes.iter().enumerate() {
            let along: Vec<usize> = (0..axis.output).map(|o| count(axis, d, o)).collect();
            counts = counts.iter().flat_map(|n| along.iter().map(move |a| n * a)).collect();
        }
        // A window without elements has a sum of 0 and no mean; 0 / 1 is the harmless answer.
        counts.into_iter().map(|n: usize| n.max(1)).collect()
    }

    /// The offset of an element if the dimensions were stored in reverse order.
    pub(super) fn transposed(&self, at: usize) -> usize {
        let at = unravel(at, &self.axes, |a| a.input);
        at.iter().zip(&self.axes).rev().fold(0, |o, (x, a)| o * a.input + x)
    }
}
