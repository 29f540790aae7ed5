//! The image as the right operand of a product: a column per output pixel, a row per channel and tap, made on the fly.

// The packing is unsafe for its unchecked addresses, whose bounds are established per run of pixels.
#![allow(unsafe_op_in_unsafe_fn)]

use std::ops::Range;

use super::geometry::{Geometry, unravel};
use crate::gemm::Source;
use crate::simd::{Float32, Isa, kernel};

/// The channels of one group of one image.
pub(crate) struct Im2col<'a, T> {
    pub(crate) isa: Isa,
    pub(crate) image: &'a [T],
    pub(crate) geometry: &'a Geometry,
    /// What lies around the image.
    pub(crate) padding: T,
}

/// Output pixels that follow one another in a row of the output.
struct Run {
    /// The first one's place in the panel.
    at: usize,
    len: usize,
    /// The innermost coordinate of the first, and the outer ones.
    x: usize,
    outer: Vec<usize>,
}

/// Where the pixels of a panel find their inputs.
pub(super) struct Plan {
    runs: Vec<Run>,
    /// The offset in a channel of the input row for each outer tap and run; `None` in the padding.
    rows: Vec<Option<usize>>,
    /// For each inner tap and run: the pixels inside the image, and the first one's input coordinate.
    spans: Vec<(usize, usize, usize)>,
    inner_taps: usize,
    outer_taps: usize,
    channel: usize,
    stride: usize,
}

impl Plan {
    pub(super) fn new(geometry: &Geometry, pixels: Range<usize>) -> Self {
        let (inner, outer) = (geometry.inner(), geometry.outer());
        let mut runs = Vec::new();
        let mut pixel = pixels.start;
        while pixel < pixels.end {
            let x = pixel % inner.output;
            let len = (inner.output - x).min(pixels.end - pixel);
            let outer = unravel(pixel / inner.output, outer, |a| a.output);
            runs.push(Run { at: pixel - pixels.start, len, x, outer });
            pixel += len;
        }
        let outer_taps: usize = outer.iter().map(|a| a.kernel).product();
        let mut rows = Vec::with_capacity(outer_taps * runs.len());
        for tap in 0..outer_taps {
            let tap = unravel(tap, outer, |a| a.kernel);
            rows.extend(runs.iter().map(|run| {
                let mut row = 0;
                for ((axis, &o), &t) in outer.iter().zip(&run.outer).zip(&tap) {
                    row = row * axis.input + axis.source(o, t)?;
                }
                Some(row * inner.input)
            }));
        }
        let mut spans = Vec::with_capacity(inner.kernel * runs.len());
        for tap in 0..inner.kernel {
            spans.extend(runs.iter().map(|run| {
                let (first, end) = inner.inside(run.x, run.len, tap);
                let source = if first < end {
                    (run.x + first) * inner.stride + tap * inner.dilation - inner.pad
                } else {
                    0
                };
                (first, end, source)
            }));
        }
        Self {
            runs,
            rows,
            spans,
            inner_taps: inner.kernel,
            outer_taps,
            channel: geometry.pixels_in(),
            stride: inner.stride,
        }
    }

    /// Calls `f(tap, pixel, place, n)` for `n` neighbouring pixels whose inputs by `tap` (in row-major order of the kernel)
    /// start at `place` of the channel and follow at the inner stride; taps in order.
    pub(super) fn for_each_span(&self, mut f: impl FnMut(usize, usize, usize, usize)) {
        let n = self.runs.len();
        for outer in 0..self.outer_taps {
            for inner in 0..self.inner_taps {
                for (i, run) in self.runs.iter().enumerate() {
                    let (first, end, source) = self.spans[inner * n + i];
                    if let (Some(row), true) = (self.rows[outer * n + i], first < end) {
                        f(
                            outer * self.inner_taps + inner,
                            run.at + first,
                            row + source,
                            end - first,
                        );
                    }
                }
            }
        }
    }

    /// Fills `dst` with rows `k`, of `width` elements each. `copy(from, to, n)` copies `n` elements at the inner stride,
    /// `zero(to, n)` clears.
    ///
    /// # Safety
    /// `image` holds all channels that `k` names; `dst` holds `k.len() * width` elements.
    #[inline(always)]
    unsafe fn fill<T>(
        &self,
        image: *const T,
        k: Range<usize>,
        width: usize,
        dst: *mut T,
        copy: impl Fn(*const T, *mut T, usize),
        zero: impl Fn(*mut T, usize),
    ) {
        let n = self.runs.len();
        let used = self.runs.last().map_or(0, |r| r.at + r.len);
        let mut inner = k.start % self.inner_taps;
        let mut outer = k.start / self.inner_taps % self.outer_taps;
        let mut channel = image.add(k.start / self.inner_taps / self.outer_taps * self.channel);
        let mut to = dst;
        for _ in k {
            let rows = self.rows.get_unchecked(outer * n..(outer + 1) * n);
            let spans = self.spans.get_unchecked(inner * n..(inner + 1) * n);
            for ((run, row), &(first, end, source)) in self.runs.iter().zip(rows).zip(spans) {
                let to = to.add(run.at);
                match row {
                    Some(row) if first < end => {
                        if first > 0 {
                            zero(to, first);
                        }
                        copy(channel.add(row + source), to.add(first), end - first);
                        if end < run.len {
                            zero(to.add(end), run.len - end);
                        }
                    }
                    _ => zero(to, run.len),
                }
            }
            if used < width {
                zero(to.add(used), width - used);
            }
            to = to.add(width);
            inner += 1;
            if inner == self.inner_taps {
                inner = 0;
                outer += 1;
                if outer == self.outer_taps {
                    outer = 0;
                    channel = channel.wrapping_add(self.channel);
                }
            }
        }
    }
}

kernel! {
    fn fill_f32(plan: &Plan, image: *const f32, k: Range<usize>, width: usize, dst: *mut f32) => fill_lanes
}

#[inline(always)]
unsafe fn fill_lanes<V: Float32>(
    plan: &Plan,
    image: *const f32,
    k: Range<usize>,
    width: usize,
    dst: *mut f32,
) {
    let zero = |to: *mut f32, n: usize| {
        let mut i = 0;
        while i < n {
            V::splat(0.0).store_up_to(to.add(i), n - i);
            i += V::LANES;
        }
    };
    match plan.stride {
        1 => plan.fill(
            image,
            k,
            width,
            dst,
            |from, to, n| {
                let mut i = 0;
                while i < n {
                    V::load_up_to(from.add(i), n - i).store_up_to(to.add(i), n - i);
                    i += V::LANES;
                }
            },
            zero,
        ),
        2 => plan.fill(
            image,
            k,
            width,
            dst,
            |from, to, n| {
                let mut i = 0;
                while i < n {
                    let some = (n - i).min(V::LANES);
                    V::load_even(from.add(2 * i), some).store_up_to(to.add(i), some);
                    i += V::LANES;
                }
            },
            zero,
        ),
        stride => plan.fill(image, k, width, dst, |from, to, n| strided(from, to, n, stride), zero),
    }
}

#[inline(always)]
unsafe fn strided<T: Copy>(from: *const T, to: *mut T, n: usize, stride: usize) {
    for i in 0..n {
        *to.add(i) = *from.add(i * stride);
    }
}

impl Source<f32> for Im2col<'_, f32> {
    fn pack(&self, pixels: Range<usize>, k: Range<usize>, width: usize, dst: &mut [f32]) {
        debug_assert!(pixels.len() <= width && dst.len() >= k.len() * width);
        let plan = Plan::new(self.geometry, pixels);
        fill_f32(self.isa, &plan, self.image.as_ptr(), k, width, dst.as_mut_ptr());
    }
}

/// The path of the other element types.
fn pack_plain<T: Copy>(
    source: &Im2col<'_, T>,
    pixels: Range<usize>,
    k: Range<usize>,
    width: usize,
    dst: &mut [T],
) {
    debug_assert!(pixels.len() <= width && dst.len() >= k.len() * width);
    let plan = Plan::new(source.geometry, pixels);
    let stride = plan.stride;
    // SAFETY: `image` holds all channels and `dst` the panel; the plan keeps to the image.
    unsafe {
        plan.fill(
            source.image.as_ptr(),
            k,
            width,
            dst.as_mut_ptr(),
            |from, to, n| {
                if stride == 1 {
                    to.copy_from_nonoverlapping(from, n)
                } else {
                    strided(from, to, n, stride)
                }
            },
            |to, n| (0..n).for_each(|i| *to.add(i) = source.padding),
        );
    }
}

macro_rules! plain_sources {
    ($($t:ty),*) => { $(
        impl Source<$t> for Im2col<'_, $t> {
            fn pack(&self, pixels: Range<usize>, k: Range<usize>, width: usize, dst: &mut [$t]) {
                pack_plain(self, pixels, k, width, dst);
            }
        }
    )* };
}
plain_sources!(f64, u8);
