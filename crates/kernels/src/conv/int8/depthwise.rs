//! Direct convolutions of 8-bit numbers whose groups have one input channel.
//!
//! Sums are made in `f32`, whose integers they do not leave. Where a side is blocked, four channels are computed at once.

use trident_simd::{Isa, Simd, kernel};

use super::{ConvEpilogue8, ConvLayout8};
use crate::aligned::Scratch;
use crate::blocked::transpose;
use crate::conv::depthwise::{BLOCK_WEIGHTS, Finish, Layout, channel, lanes, pad};
use crate::conv::geometry::{ConvSpec, Geometry};
use crate::gemm::int8::{Along, Epilogue8, Output8, Row, Signs};
use crate::threads::Threads;

/// As many products of differences of bytes (at most 255² each) stay below 2²⁴ and are exact in `f32`.
pub(super) const EXACT_TAPS: usize = (1 << 24) / (255 * 255);

/// Results of a block of channels that are finished at a time.
const CHUNK: usize = 256;

/// A convolution of this kind.
pub(super) struct Direct8<'a> {
    pub(super) spec: &'a ConvSpec,
    pub(super) isa: Isa,
    pub(super) signs: Signs,
    pub(super) layout: ConvLayout8,
    pub(super) weights: &'a [u8],
}

impl Direct8<'_> {
    pub(super) fn run<O: Output8>(
        &self,
        threads: &Threads,
        geometry: &Geometry,
        x: &[u8],
        epilogue: &ConvEpilogue8<'_>,
        y: &mut [O],
    ) {
        let block = if self.layout == ConvLayout8::DENSE { 1 } else { ConvLayout8::BLOCK };
        let layout = Layout::new(geometry, lanes(self.isa), block);
        let (isa, groups) = (self.isa, self.spec.groups);
        let (taps, multiplier) = (self.spec.taps(), self.spec.out_channels / groups);
        let (inputs, outputs) = (block * geometry.pixels_in(), block * geometry.pixels_out());
        let work = |first: usize, y: &mut [O]| {
            let mut buffers = Buffers::new(&layout, inputs, outputs);
            let mut kernel = vec![0.0; taps * if block == 1 { 1 } else { BLOCK_WEIGHTS }];
            for (i, y) in y.chunks_exact_mut(multiplier * outputs).enumerate() {
                let bytes = &x[(first + i) * inputs..(first + i + 1) * inputs];
                let bytes = if block > 1 && !self.layout.blocked_image {
                    transpose(isa, bytes, [block, inputs / block], 1, &mut buffers.bytes);
                    &buffers.bytes
                } else {
                    bytes
                };
                differences(isa, bytes, self.signs.b, epilogue.x_zero, &mut buffers.image);
                pad(isa, &layout, &buffers.image, &mut buffers.padded);
                let group = (first + i) * block % groups;
                for (j, y) in y.chunks_exact_mut(outputs).enumerate() {
                    let out = group * multiplier + j;
                    let rows = epilogue.rows(out, block);
                    self.kernel(out, block, rows.a_zero, &mut kernel);
                    let (padded, exact) = (&buffers.padded, &mut buffers.exact);
                    channel(isa, &layout, padded, &kernel, &PLAIN_SUM, exact);
                    integers(isa, exact, &mut buffers.sums);
                    // The zero points are taken away already.
                    let rest = Epilogue8 { a_zero: Along::One(0), b_zero: Along::One(0), ..rows };
                    if block == 1 {
                        O::finish(isa, &THE_ROW, &rest, &mut buffers.sums, y);
                    } else if self.layout.blocked_result {
                        finish_block(isa, &rest, &mut buffers.sums, y);
                    } else {
                        let mut results = Scratch::<O>::take(outputs);
                        finish_block(isa, &rest, &mut buffers.sums, &mut results);
                        let (from, to) =
                            (bytemuck::cast_slice(&results), bytemuck::cast_slice_mut(y));
                        transpose(isa, from, [outputs / block, block], size_of::<O>(), to);
                    }
                }
            }
        };
        let cost = outputs * taps * multiplier + 4 * inputs;
        threads.for_rows_mut(y, multiplier * outputs, (1 << 19) / cost.max(1) + 1, work);
    }

    /// The weights of output channels `out..out + block` less their zero points, tap by tap.
    fn kernel(&self, out: usize, block: usize, zeros: Along<'_, i32>, kernel: &mut [f32]) {
        let taps = self.spec.taps();
        let weight = |c: usize, tap: usize| {
            let zero = match zeros {
                Along::One(zero) => zero,
                Along::Rows(zeros) | Along::Columns(zeros) => zeros[c],
            };
            (number(self.weights[(out + c) * taps + tap], self.signs.a) - zero) as f32
        };
        if block == 1 {
            return kernel.iter_mut().enumerate().for_each(|(tap, f)| *f = weight(0, tap));
        }
        for (tap, kernel) in kernel.chunks_exact_mut(BLOCK_WEIGHTS).enumerate() {
            let four: [f32; ConvLayout8::BLOCK] = std::array::from_fn(|c| weight(c, tap));
            kernel.as_chunks_mut().0.fill(four);
        }
    }
}

/// The steps of a channel, or of a block of channels.
struct Buffers {
    /// A dense image's bytes, blocked.
    bytes: Scratch<u8>,
    image: Scratch<f32>,
    padded: Scratch<f32>,
    exact: Scratch<f32>,
    sums: Scratch<i32>,
}

impl Buffers {
    fn new(layout: &Layout, inputs: usize, outputs: usize) -> Self {
        let mut padded = Scratch::take(layout.scratch());
        padded.fill(0.0);
        Self {
            bytes: Scratch::take(inputs),
            image: Scratch::take(inputs),
            padded,
            exact: Scratch::take(outputs),
            sums: Scratch::take(outputs),
        }
    }
}

const PLAIN_SUM: Finish<'static> = Finish { bias: 0.0, residual: None, limits: None };

/// The row of a sum from which no zero point is to be taken away.
const THE_ROW: Row<'static> =
    Row { row: 0, col: 0, k: 0, sum: 0, column_sums: &[], a_shift: 0, b_shift: 0 };

/// Finishes the sums of a block of channels, whose parameters follow one another.
fn finish_block<O: Output8>(isa: Isa, e: &Epilogue8<'_>, sums: &mut [i32], out: &mut [O]) {
    let (mut bias, mut scale) = ([0; CHUNK], [0.0; CHUNK]);
    let used = out.len().min(CHUNK);
    let e = Epilogue8 {
        bias: repeated(e.bias, &mut bias[..used]),
        scale: repeated(e.scale, &mut scale[..used]),
        ..*e
    };
    for (sums, out) in sums.chunks_mut(CHUNK).zip(out.chunks_mut(CHUNK)) {
        O::finish(isa, &THE_ROW, &e, sums, out);
    }
}

/// Parameters of a block's channels as those of columns, which belong to one channel after the other.
fn repeated<'a, T: Copy>(rows: Along<'a, T>, columns: &'a mut [T]) -> Along<'a, T> {
    match rows {
        Along::Rows(rows) => {
            let four: [T; ConvLayout8::BLOCK] = std::array::from_fn(|c| rows[c]);
            columns.as_chunks_mut().0.fill(four);
            Along::Columns(columns)
        }
        other => other,
    }
}

#[inline(always)]
fn number(byte: u8, signed: bool) -> i32 {
    if signed { i32::from(byte as i8) } else { i32::from(byte) }
}

// In the functions below the token only names the instruction set: the loops are vectorised by the compiler.

kernel! {
    /// The numbers less a zero point.
    fn differences(bytes: &[u8], signed: bool, zero: i32, to: &mut [f32]) => differences_lanes
}

#[inline(always)]
fn differences_lanes<S: Simd>(_: S, bytes: &[u8], signed: bool, zero: i32, to: &mut [f32]) {
    for (f, b) in to.iter_mut().zip(bytes) {
        *f = (number(*b, signed) - zero) as f32;
    }
}

kernel! {
    /// Integers that `f32` has.
    fn integers(exact: &[f32], to: &mut [i32]) => integers_lanes
}

#[inline(always)]
fn integers_lanes<S: Simd>(_: S, exact: &[f32], to: &mut [i32]) {
    let limit = (1 << 24) as f32;
    for (i, f) in to.iter_mut().zip(exact) {
        let f = if *f > -limit { *f } else { -limit };
        let f = if f < limit { f } else { limit };
        // SAFETY: within the limits, and not NaN, of which comparisons are false. A saturating cast is not vectorised.
        *i = unsafe { f.to_int_unchecked() };
    }
}
