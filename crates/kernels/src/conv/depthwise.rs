//! Convolutions whose groups have one input channel: direct, on a padded copy of the channel.
//!
//! The copy splits each row by the stride's phases, so that the taps of neighbouring outputs are neighbours in memory
//! for every stride and dilation; it stays in the first- or second-level cache. Where four channels are blocked, they are
//! computed at once: what is a channel here is then a block of them, and a pixel is four elements.

#![allow(
    clippy::needless_range_loop,
    reason = "plain index loops keep the accumulators in registers"
)]

use trident_simd::{Arithmetic, Isa, Simd, Vector, kernel};

use super::geometry::{Geometry, unravel};

/// Vectors computed side by side, to hide the latency of the multiply-add.
const BLOCK: usize = 6;
/// Readable elements after the last row, for whole-vector loads.
const SLACK: usize = 16;
/// The weights of a tap of a block of channels: those of the channels, repeated as often as the widest vector holds them.
pub(crate) const BLOCK_WEIGHTS: usize = SLACK;

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
    /// Elements of a pixel: 1, or 4 for a block of channels.
    block: usize,
    /// The part of an input row that is used, and the padded coordinate of its first pixel.
    width: usize,
    pad: usize,
    stride: usize,
    len: usize,
    /// Elements of a channel of the input and of the output.
    inputs: usize,
    outputs: usize,
}

impl Layout {
    /// The layout for vectors of so many lanes, and pixels of `block` elements: 1, or 4 for a block of channels.
    pub(crate) fn new(geometry: &Geometry, lanes: usize, block: usize) -> Self {
        assert!(block == 1 || block == 4 && lanes.is_multiple_of(4), "a block of {block} channels");
        let (inner, outer) = (geometry.inner(), geometry.outer());
        let reach = |a: &super::geometry::Axis| {
            (a.output.max(1) - 1) * a.stride + (a.kernel - 1) * a.dilation + 1
        };
        // Padded extents only as far as some output reaches.
        let phase = reach(&inner).div_ceil(inner.stride) * block;
        let pitch = phase * inner.stride;
        let extents: Vec<usize> = outer.iter().map(reach).collect();
        let offset = |at: &[usize]| at.iter().zip(&extents).fold(0, |o, (x, n)| o * n + x) * pitch;
        let outputs: usize = outer.iter().map(|a| a.output).product();
        let mut places = Vec::new();
        for row in 0..outputs {
            let at = unravel(row, outer, |a| a.output);
            let at: Vec<usize> = at.iter().zip(outer).map(|(o, a)| o * a.stride).collect();
            let width = inner.output * block;
            for x in (0..width).step_by(lanes) {
                places.push(Place {
                    from: offset(&at) + x,
                    to: row * width + x,
                    lanes: lanes.min(width - x),
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
                taps.push(offset(&at) + x % inner.stride * phase + x / inner.stride * block);
            }
        }
        let inputs: usize = outer.iter().map(|a| a.input).product();
        let rows: Vec<(usize, usize)> = (0..inputs)
            .filter_map(|row| {
                let at = unravel(row, outer, |a| a.input);
                let at: Vec<usize> = at.iter().zip(outer).map(|(i, a)| i + a.pad).collect();
                let inside = at.iter().zip(&extents).all(|(x, n)| x < n);
                inside.then(|| (row * inner.input * block, offset(&at)))
            })
            .collect();
        let len = extents.iter().product::<usize>() * pitch + SLACK;
        let width = inner.input.min(reach(&inner).saturating_sub(inner.pad));
        let (pad, stride) = (inner.pad, inner.stride);
        let (inputs, outputs) = (inputs * inner.input * block, outputs * inner.output * block);
        // What the unchecked accesses of `block` and `pad` rely on.
        let tap = taps.iter().copied().max().unwrap_or(0);
        let end = |first: usize| {
            let x = first + pad;
            x % stride * phase + (x / stride + (width - first).div_ceil(stride)) * block
        };
        let end = (0..stride.min(width)).map(end).max().unwrap_or(0);
        let place = |p: &Place| p.from + tap + SLACK <= len && p.to + p.lanes <= outputs;
        let row = |&(from, to): &(usize, usize)| from + width * block <= inputs && to + end <= len;
        assert!(
            lanes <= SLACK && places.iter().all(place) && rows.iter().all(row),
            "a layout leaves its channel"
        );
        Self { places, taps, rows, phase, block, width, pad, stride, len, inputs, outputs }
    }

    /// The elements of the padded copy; it starts zeroed and keeps its zeros from channel to channel.
    pub(crate) fn scratch(&self) -> usize {
        self.len
    }
}

/// The epilogue of a channel's sum.
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
    let Layout { phase, block, width, pad, stride, .. } = *layout;
    assert!(
        image.len() == layout.inputs && padded.len() >= layout.len,
        "a channel of another size"
    );
    let lanes = S::F32::LANES;
    for &(from, to) in &layout.rows {
        let (row, padded) =
            (image.as_ptr().wrapping_add(from), padded.as_mut_ptr().wrapping_add(to));
        for first in 0..stride.min(width) {
            let x = first + pad;
            let n = (width - first).div_ceil(stride);
            let to = padded.wrapping_add(x % stride * phase + x / stride * block);
            let from = row.wrapping_add(first * block);
            let mut i = 0;
            // SAFETY: from `first` on the row has `n` pixels that are `stride` apart, and there are as many places, which
            // `Layout::new` asserts.
            unsafe {
                match (stride, block) {
                    (1, _) => {
                        let n = n * block;
                        while i < n {
                            let v = S::F32::load_up_to_at(s, from.add(i), n - i);
                            v.store_up_to_at(to.add(i), n - i);
                            i += lanes;
                        }
                    }
                    (2, 1) => {
                        while i < n {
                            let some = (n - i).min(lanes);
                            let v = S::F32::load_even_at(s, from.add(2 * i), some);
                            v.store_up_to_at(to.add(i), some);
                            i += lanes;
                        }
                    }
                    (_, 1) => {
                        for i in 0..n {
                            *to.add(i) = *from.add(i * stride);
                        }
                    }
                    _ => {
                        for i in 0..n {
                            let pixel = from.add(4 * i * stride).cast::<[f32; 4]>();
                            to.add(4 * i)
                                .cast::<[f32; 4]>()
                                .write_unaligned(pixel.read_unaligned());
                        }
                    }
                }
            }
        }
    }
}

kernel! {
    /// One output channel from the padded copy of its input channel; with blocked channels, a block of
    /// them, with [`BLOCK_WEIGHTS`] weights a tap.
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
    match layout.block {
        1 => every_place::<S, 1>(s, layout, padded, weights, finish, out),
        _ => every_place::<S, BLOCK_WEIGHTS>(s, layout, padded, weights, finish, out),
    }
}

/// All outputs of a channel, or of a block of channels, with `W` weights a tap.
#[inline(always)]
fn every_place<S: Simd, const W: usize>(
    s: S,
    layout: &Layout,
    padded: &[f32],
    weights: &[f32],
    finish: &Finish<'_>,
    out: &mut [f32],
) {
    assert!(
        padded.len() >= layout.len
            && weights.len() == layout.taps.len() * W
            && out.len() == layout.outputs
            && finish.residual.is_none_or(|r| r.len() == layout.outputs),
        "the operands of a channel have other sizes"
    );
    let (blocks, rest) = layout.places.as_chunks();
    // SAFETY: the operands are those of the layout, as asserted.
    unsafe {
        for places in blocks {
            block::<S, BLOCK, W>(s, layout, padded, weights, finish, places, out);
        }
        for place in rest {
            let places = std::array::from_ref(place);
            block::<S, 1, W>(s, layout, padded, weights, finish, places, out);
        }
    }
}

/// `N` vectors of outputs, each a chain of multiply-adds in the order of the taps.
///
/// # Safety
/// The places are the layout's, and `padded` is as long as it says.
#[inline(always)]
unsafe fn block<S: Simd, const N: usize, const W: usize>(
    s: S,
    layout: &Layout,
    padded: &[f32],
    weights: &[f32],
    finish: &Finish<'_>,
    places: &[Place; N],
    out: &mut [f32],
) {
    let from = places.map(|place| padded.as_ptr().wrapping_add(place.from));
    let mut acc = [s.splat(0.0); N];
    let (weights, _) = weights.as_chunks::<W>();
    for (&tap, w) in layout.taps.iter().zip(weights) {
        let w = if W == 1 { s.splat(w[0]) } else { s.load(w) };
        for i in 0..N {
            // SAFETY: the copy has a vector at each position and tap, which `Layout::new` asserts.
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
            let Place { to, lanes, .. } = places[i];
            acc[i] = acc[i].add(s.load_up_to(&residual[to..to + lanes]));
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
        let Place { to, lanes, .. } = places[i];
        acc[i].store_up_to(&mut out[to..to + lanes]);
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
