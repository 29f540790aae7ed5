//! Convolutions whose groups have one input channel: direct, on a padded copy of the channel.
//!
//! The copy splits each row by the stride's phases, so that the taps of neighbouring outputs are neighbours in memory
//! for every stride and dilation; it stays in the first- or second-level cache.

// A kernel is one unsafe operation after the other; the contract stands on each function.
#![allow(unsafe_op_in_unsafe_fn)]
#![allow(
    clippy::needless_range_loop,
    reason = "plain index loops keep the accumulators in registers"
)]

use super::geometry::{Geometry, unravel};
use crate::simd::{Float32, Isa, Vector, kernel};

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
        Self { places, taps, rows, phase, width, pad: inner.pad, stride: inner.stride, len }
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
unsafe fn pad_lanes<V: Float32>(layout: &Layout, image: &[f32], padded: &mut [f32]) {
    debug_assert!(padded.len() >= layout.len);
    let Layout { phase, width, pad, stride, .. } = *layout;
    for &(from, to) in &layout.rows {
        let from = image.as_ptr().add(from);
        let to = padded.as_mut_ptr().add(to);
        for first in 0..stride.min(width) {
            let x = first + pad;
            let to = to.add(x % stride * phase + x / stride);
            let from = from.add(first);
            let n = (width - first).div_ceil(stride);
            let mut i = 0;
            match stride {
                1 => {
                    while i < n {
                        V::load_up_to(from.add(i), n - i).store_up_to(to.add(i), n - i);
                        i += V::LANES;
                    }
                }
                2 => {
                    while i < n {
                        let some = (n - i).min(V::LANES);
                        V::load_even(from.add(2 * i), some).store_up_to(to.add(i), some);
                        i += V::LANES;
                    }
                }
                _ => {
                    for i in 0..n {
                        *to.add(i) = *from.add(i * stride);
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
unsafe fn channel_lanes<V: Float32>(
    layout: &Layout,
    padded: &[f32],
    weights: &[f32],
    finish: &Finish<'_>,
    out: &mut [f32],
) {
    debug_assert!(padded.len() >= layout.len && weights.len() == layout.taps.len());
    let blocks = layout.places.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    for places in blocks {
        block::<V, BLOCK>(layout, padded.as_ptr(), weights, finish, places, out.as_mut_ptr());
    }
    for places in rest.chunks(1) {
        block::<V, 1>(layout, padded.as_ptr(), weights, finish, places, out.as_mut_ptr());
    }
}

/// `N` vectors of outputs, each a chain of multiply-adds in the order of the taps.
#[inline(always)]
unsafe fn block<V: Float32, const N: usize>(
    layout: &Layout,
    padded: *const f32,
    weights: &[f32],
    finish: &Finish<'_>,
    places: &[Place],
    out: *mut f32,
) {
    let mut from = [padded; N];
    for i in 0..N {
        from[i] = padded.add(places.get_unchecked(i).from);
    }
    let mut acc = [V::splat(0.0); N];
    for (&tap, &w) in layout.taps.iter().zip(weights) {
        let w = V::splat(w);
        for i in 0..N {
            acc[i] = w.mul_add(V::load(from[i].add(tap)), acc[i]);
        }
    }
    let bias = V::splat(finish.bias);
    for i in 0..N {
        acc[i] = acc[i].add(bias);
    }
    if let Some(residual) = finish.residual {
        for i in 0..N {
            let place = places.get_unchecked(i);
            acc[i] = acc[i].add(V::load_up_to(residual.as_ptr().add(place.to), place.lanes));
        }
    }
    if let Some((lo, hi)) = finish.limits {
        let (lo, hi) = (V::splat(lo), V::splat(hi));
        for i in 0..N {
            // In this order a NaN stays.
            acc[i] = hi.min(lo.max(acc[i]));
        }
    }
    for i in 0..N {
        let place = places.get_unchecked(i);
        acc[i].store_up_to(out.add(place.to), place.lanes);
    }
}

/// The lanes of the vectors that `channel` works with.
pub(crate) fn lanes(isa: Isa) -> usize {
    kernel! { fn lanes() -> usize => lanes_of }
    #[inline(always)]
    unsafe fn lanes_of<V: Vector>() -> usize {
        V::LANES
    }
    lanes(isa)
}
