//! Convolutions whose groups have one input channel: direct, on a padded copy of the channel.
//!
//! The copy splits each row by the stride's phases, so that the taps of neighbouring outputs are neighbours in memory
//! for every stride and dilation; it stays in the first- or second-level cache.

#![allow(
    clippy::needless_range_loop,
    reason = "plain index loops keep the accumulators in registers"
)]

use super::geometry::{Geometry, unravel};
use crate::simd::{Arithmetic, Isa, Simd, Vector, kernel};

/// Vectors computed side by side, to hide the latency of the multiply-add.
const BLOCK: usize = 6;
/// Readable elements after the last row, for whole-vector loads.
const SLACK: usize = 16;

/// One vector of outputs: where its inputs start in the padded copy, where it goes, and how many lanes exist.
#[derive(Clone, Copy, Default)]
struct Place {
    from: usize,
    to: usize,
    lanes: usize,
}

/// Everything about a depthwise convolution that does not depend on the channel.
pub(crate) struct Layout {
    places: Vec<Place>,
    /// The offset of each tap in the padded copy.
    taps: Vec<usize>,
    /// For each row of the input: where it starts in the channel, and where in the padded copy.
    rows: Vec<(usize, usize)>,
    /// Elements of one phase of a row.
    phase: usize,
    /// The part of an input row that is used, and the padded coordinate of its first element.
    width: usize,
    pad: usize,
    stride: usize,
    len: usize,
    /// Elements of a channel of the output.
    outputs: usize,
}

impl Layout {
    pub(crate) fn new(geometry: &Geometry, lanes: usize) -> Self {
        let (inner, outer) = (geometry.inner(), geometry.outer());
        let reach = |a: &super::geometry::Axis| {
            (a.output.max(1) - 1) * a.stride + (a.kernel - 1) * a.dilation + 1
        };
        // Padded extents only as far as some output reaches.
        let phase = reach(&inner).div_ceil(inner.stride);
        let pitch = phase * inner.stride;
        let extents: Vec<usize> = outer.iter().map(reach).collect();
        let offset = |at: &[usize]| at.iter().zip(&extents).fold(0, |o, (x, n)| o * n + x) * pitch;
        let outputs: usize = outer.iter().map(|a| a.output).product();
        let mut places = Vec::new();
        for row in 0..outputs {
            let at = unravel(row, outer, |a| a.output);
            let at: Vec<usize> = at.iter().zip(outer).map(|(o, a)| o * a.stride).collect();
            for x in (0..inner.output).step_by(lanes) {
                places.push(Place {
                    from: offset(&at) + x,
                    to: row * inner.output + x,
                    lanes: lanes.min(inner.output - x),
                });
            }
        }
        let outer_taps: usize = outer.iter().map(|a| a.kernel).product();
        let mut taps = Vec::new();
        for tap in 0..outer_taps {
            let at = unravel(tap, outer, |a| a.kernel);
            let at: Vec<usize> = at.iter().zip(outer).map(|(t, a)| t * a.dilation).collect();
            for t in 0..inner.kernel {
                let x = t * inner.dilation;
                taps.push(offset(&at) + x % inner.stride * phase + x / inner.stride);
            }
        }
        let inputs: usize = outer.iter().map(|a| a.input).product();
        let rows = (0..inputs)
            .filter_map(|row| {
                let at = unravel(row, outer, |a| a.input);
                let at: Vec<usize> = at.iter().zip(outer).map(|(i, a)| i + a.pad).collect();
                let inside = at.iter().zip(&extents).all(|(x, n)| x < n);
                inside.then(|| (row * inner.input, offset(&at)))
            })
            .collect();
        let len = extents.iter().product::<usize>() * pitch + SLACK;
        let width = inner.input.min(reach(&inner).saturating_sub(inner.pad));
        // What the unchecked accesses of `block` rely on.
        let (outputs, tap) = (outputs * inner.output, taps.iter().copied().max().unwrap_or(0));
        let fits = |p: &Place| p.from + tap + SLACK <= len && p.to + p.lanes <= outputs;
        assert!(lanes <= SLACK && places.iter().all(fits), "a layout leaves its channel");
        let (pad, stride) = (inner.pad, inner.stride);
        Self { places, taps, rows, phase, width, pad, stride, len, outputs }
    }

    /// The elements of the padded copy; it starts zeroed and keeps its zeros from channel to channel.
    pub(crate) fn scratch(&self) -> usize {
        self.len
    }
}

/// What follows the sum of a channel.
pub(crate) struct Finish<'a> {
    pub(crate) bias: f32,
    pub(crate) residual: Option<&'a [f32]>,
    pub(crate) limits: Option<(f32, f32)>,
}

kernel! {
    /// Copies a channel into the padded layout.
    pub(crate) fn pad(layout: &Layout, image: &[f32], padded: &mut [f32]) => pad_lanes
}

#[inline(always)]
fn pad_lanes<S: Simd>(s: S, layout: &Layout, image: &[f32], padded: &mut [f32]) {
    let Layout { phase, width, pad, stride, .. } = *layout;
    for &(from, to) in &layout.rows {
        let (row, padded) = (&image[from..from + width], &mut padded[to..]);
        for first in 0..stride.min(width) {
            let (x, from) = (first + pad, &row[first..]);
            let n = from.len().div_ceil(stride);
            let to = &mut padded[x % stride * phase + x / stride..][..n];
            let lanes = S::F32::LANES;
            match stride {
                1 => {
                    for (to, from) in to.chunks_mut(lanes).zip(from.chunks(lanes)) {
                        s.load_up_to(from).store_up_to(to);
                    }
                }
                2 => {
                    for (to, from) in to.chunks_mut(lanes).zip(from.chunks(2 * lanes)) {
                        let from = &from[..2 * to.len() - 1];
                        S::F32::load_even(s, from).store_up_to(to);
                    }
                }
                _ => {
                    for (to, from) in to.iter_mut().zip(from.iter().step_by(stride)) {
                        *to = *from;
                    }
                }
            }
        }
    }
}

kernel! {
    /// One output channel from the padded copy of its input channel.
    pub(crate) fn channel(layout: &Layout, padded: &[f32], weights: &[f32], finish: &Finish<'_>, out: &mut [f32]) => channel_lanes
}

#[inline(always)]
fn channel_lanes<S: Simd>(
    s: S,
    layout: &Layout,
    padded: &[f32],
    weights: &[f32],
    finish: &Finish<'_>,
    out: &mut [f32],
) {
    assert!(
        padded.len() >= layout.len
            && weights.len() == layout.taps.len()
            && out.len() == layout.outputs
            && finish.residual.is_none_or(|r| r.len() == layout.outputs),
        "the operands of a channel have other sizes"
    );
    let blocks = layout.places.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    // SAFETY: the operands are those of the layout, as asserted.
    unsafe {
        for places in blocks {
            block::<S, BLOCK>(s, layout, padded, weights, finish, places, out);
        }
        for places in rest.chunks(1) {
            block::<S, 1>(s, layout, padded, weights, finish, places, out);
        }
    }
}

/// `N` vectors of outputs, each a chain of multiply-adds in the order of the taps.
///
/// # Safety
/// There are `N` places of the layout; `padded` is as long as it says, `out` and the residual have its outputs.
#[inline(always)]
unsafe fn block<S: Simd, const N: usize>(
    s: S,
    layout: &Layout,
    padded: &[f32],
    weights: &[f32],
    finish: &Finish<'_>,
    places: &[Place],
    out: &mut [f32],
) {
    let mut place = [Place::default(); N];
    let mut from = [padded.as_ptr(); N];
    for i in 0..N {
        place[i] = places[i];
        from[i] = from[i].wrapping_add(place[i].from);
    }
    let mut acc = [s.splat(0.0); N];
    for (&tap, &w) in layout.taps.iter().zip(weights) {
        let w = s.splat(w);
        for i in 0..N {
            // SAFETY: the copy has a vector behind each place and tap, which `Layout::new` asserts.
            let x = unsafe { S::F32::load_at(s, from[i].add(tap)) };
            acc[i] = w.mul_add(x, acc[i]);
        }
    }
    let bias = s.splat(finish.bias);
    for i in 0..N {
        acc[i] = acc[i].add(bias);
    }
    if let Some(residual) = finish.residual {
        for i in 0..N {
            let Place { to, lanes, .. } = place[i];
            // SAFETY: the outputs have the place.
            let r = unsafe { S::F32::load_up_to_at(s, residual.as_ptr().add(to), lanes) };
            acc[i] = acc[i].add(r);
        }
    }
    if let Some((lo, hi)) = finish.limits {
        let (lo, hi) = (s.splat(lo), s.splat(hi));
        for i in 0..N {
            // In this order a NaN stays.
            acc[i] = hi.min(lo.max(acc[i]));
        }
    }
    for i in 0..N {
        let Place { to, lanes, .. } = place[i];
        // SAFETY: as above.
        unsafe { acc[i].store_up_to_at(out.as_mut_ptr().add(to), lanes) };
    }
}

/// The lanes of the vectors that `channel` works with.
pub(crate) fn lanes(isa: Isa) -> usize {
    kernel! { fn lanes() -> usize => lanes_of }
    #[inline(always)]
    fn lanes_of<S: Simd>(_: S) -> usize {
        S::F32::LANES
    }
    lanes(isa)
}
