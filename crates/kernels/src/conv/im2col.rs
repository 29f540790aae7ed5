//! The image as the right operand of a product: a column per output pixel, a row per channel and tap, made on the fly.

use std::ops::Range;
use std::sync::OnceLock;

use trident_simd::{Isa, Simd, Vector, kernel};

use super::geometry::{Geometry, unravel};
use crate::gemm::Source;

/// The channels of one group of one image.
pub(crate) struct Im2col<'a, T> {
    pub(crate) isa: Isa,
    pub(crate) image: &'a [T],
    pub(crate) plans: &'a Plans<'a>,
    /// The value around the image.
    pub(crate) padding: T,
}

/// The plans of all panels of `width` pixels, made when first used and shared by images, groups and blocks of `k`.
pub(crate) struct Plans<'a> {
    geometry: &'a Geometry,
    width: usize,
    cells: Vec<OnceLock<Plan>>,
}

impl<'a> Plans<'a> {
    pub(crate) fn new(geometry: &'a Geometry, width: usize) -> Self {
        let panels = geometry.pixels_out().div_ceil(width);
        Self { geometry, width, cells: (0..panels).map(|_| OnceLock::new()).collect() }
    }

    /// Calls `f` with the plan of `pixels`.
    fn with(&self, pixels: Range<usize>, f: impl FnOnce(&Plan)) {
        let i = pixels.start / self.width;
        let end = self.geometry.pixels_out().min((i + 1) * self.width);
        match self.cells.get(i) {
            Some(cell) if pixels == (i * self.width..end) => {
                f(cell.get_or_init(|| Plan::new(self.geometry, pixels)))
            }
            _ => f(&Plan::new(self.geometry, pixels)),
        }
    }
}

/// Neighbouring pixels of a row of the output, for one tap.
#[derive(Clone, Copy)]
struct Span {
    /// The first one's place in the panel.
    at: usize,
    len: usize,
    /// The first one's input in a channel; unused in the padding.
    from: usize,
}

/// Taps with a constant distance between the pixels of a panel and their inputs: the input of pixel `i` is at `from +
/// i` of a channel, if it is inside the image. This holds at stride 1 if rows of output and input are equally long.
struct Shifts {
    from: Vec<isize>,
    /// A bit for each pixel of the panel, set if it is inside, in words of 64 bits: all words of a tap, then those of
    /// the next.
    inside: Vec<u64>,
    words: usize,
}

impl Shifts {
    /// `None` if distances differ.
    fn new<'a>(taps: impl Iterator<Item = &'a [Span]>, pixels: usize) -> Option<Shifts> {
        let mut shifts = Shifts { from: vec![], inside: vec![], words: pixels.div_ceil(64) };
        for spans in taps {
            let distance = |s: &Span| s.from as isize - s.at as isize;
            let from = spans.first().map_or(0, distance);
            let start = shifts.inside.len();
            shifts.inside.resize(start + shifts.words, 0);
            for span in spans {
                if distance(span) != from {
                    return None;
                }
                let end = span.at + span.len;
                for word in span.at / 64..end.div_ceil(64) {
                    let first = span.at.saturating_sub(word * 64);
                    let last = (end - word * 64).min(64) - 1;
                    shifts.inside[start + word] |= !0 << first & !0 >> (63 - last);
                }
            }
            shifts.from.push(from);
        }
        Some(shifts)
    }

    /// Which pixels from `i` on are inside, up to the end of a word.
    #[inline(always)]
    fn lanes(&self, tap: usize, i: usize) -> u32 {
        match i / 64 < self.words {
            true => (self.inside[tap * self.words + i / 64] >> (i % 64)) as u32,
            false => 0,
        }
    }
}

/// Where the pixels of a panel find their inputs: for each tap the spans inside the image, and those in the padding.
pub(super) struct Plan {
    inside: Vec<Span>,
    padding: Vec<Span>,
    /// Where each tap's spans end in `inside` and in `padding`.
    ends: Vec<(usize, usize)>,
    /// All taps as shifts, if they are: then `f32` goes by these instead of spans.
    shifts: Option<Shifts>,
    pixels: usize,
    channel: usize,
    stride: usize,
}

impl Plan {
    pub(super) fn new(geometry: &Geometry, pixels: Range<usize>) -> Self {
        let (inner, outer) = (geometry.inner(), geometry.outer());
        // Pixels that follow one another in a row of the output: place, count, inner and outer coordinates.
        let mut runs = Vec::new();
        let mut pixel = pixels.start;
        while pixel < pixels.end {
            let x = pixel % inner.output;
            let len = (inner.output - x).min(pixels.end - pixel);
            runs.push((
                pixel - pixels.start,
                len,
                x,
                unravel(pixel / inner.output, outer, |a| a.output),
            ));
            pixel += len;
        }
        let outer_taps: usize = outer.iter().map(|a| a.kernel).product();
        let (mut inside, mut padding, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for tap in 0..outer_taps {
            let tap = unravel(tap, outer, |a| a.kernel);
            let row = |o: &[usize]| {
                let mut row = 0;
                for ((axis, &o), &t) in outer.iter().zip(o).zip(&tap) {
                    row = row * axis.input + axis.source(o, t)?;
                }
                Some(row * inner.input)
            };
            let rows: Vec<_> = runs.iter().map(|(.., o)| row(o)).collect();
            for t in 0..inner.kernel {
                for (&(at, len, x, _), row) in runs.iter().zip(&rows) {
                    let (first, end) =
                        if row.is_some() { inner.inside(x, len, t) } else { (len, len) };
                    if let (Some(row), true) = (row, first < end) {
                        let from =
                            row + (x + first) * inner.stride + t * inner.dilation - inner.pad;
                        inside.push(Span { at: at + first, len: end - first, from });
                    }
                    let outside =
                        |at: usize, len: usize| (len > 0).then_some(Span { at, len, from: 0 });
                    if first < end {
                        padding.extend(
                            outside(at, first).into_iter().chain(outside(at + end, len - end)),
                        );
                    } else {
                        padding.extend(outside(at, len));
                    }
                }
                ends.push((inside.len(), padding.len()));
            }
        }
        let (pixels, channel) = (pixels.len(), geometry.pixels_in());
        // The unchecked accesses of `fill` rely on this.
        let last = |s: &Span| (s.len - 1).checked_mul(inner.stride)?.checked_add(s.from);
        let (mut reads, mut writes) = (inside.iter(), inside.iter().chain(&padding));
        assert!(
            reads.all(|s| s.len > 0 && last(s).is_some_and(|last| last < channel))
                && writes.all(|s| s.at + s.len <= pixels),
            "a plan leaves its image"
        );
        let mut plan =
            Self { inside, padding, ends, shifts: None, pixels, channel, stride: inner.stride };
        if plan.stride == 1 {
            let taps = (0..plan.ends.len()).map(|tap| plan.spans(tap).0);
            plan.shifts = Shifts::new(taps, pixels);
        }
        plan
    }

    /// The spans of `tap` inside the image, and those in the padding.
    #[inline(always)]
    fn spans(&self, tap: usize) -> (&[Span], &[Span]) {
        let (start, end) = (if tap == 0 { (0, 0) } else { self.ends[tap - 1] }, self.ends[tap]);
        (&self.inside[start.0..end.0], &self.padding[start.1..end.1])
    }

    /// Calls `f(tap, pixel, place, n)` for `n` neighbouring pixels whose inputs by `tap` (in row-major order of the kernel)
    /// start at `place` of the channel and follow at the inner stride; taps in order.
    pub(super) fn for_each_span(&self, mut f: impl FnMut(usize, usize, usize, usize)) {
        for tap in 0..self.ends.len() {
            self.spans(tap).0.iter().for_each(|s| f(tap, s.at, s.from, s.len));
        }
    }

    /// Fills `dst` with rows `k`, of `width` elements each. `copy(from, to, n)` copies `n` elements, those to read at the
    /// inner stride; `zero(to, n)` clears.
    ///
    /// The elements passed to both are readable and writable.
    #[inline(always)]
    fn fill<T>(
        &self,
        image: &[T],
        k: Range<usize>,
        width: usize,
        dst: &mut [T],
        copy: impl Fn(*const T, *mut T, usize),
        zero: impl Fn(*mut T, usize),
    ) {
        self.each_row(image, k, width, dst, |tap, channel, to| {
            let (inside, padding) = self.spans(tap);
            // SAFETY: the channel and the row are there, and the spans lie inside of both, as `new` has asserted.
            unsafe {
                for span in inside {
                    copy(channel.add(span.from), to.add(span.at), span.len);
                }
                for span in padding {
                    zero(to.add(span.at), span.len);
                }
                if self.pixels < width {
                    zero(to.add(self.pixels), width - self.pixels);
                }
            }
        });
    }

    /// Calls `f(tap, channel, row)` for rows `k` of `dst`, of `width` elements each. `f` may rely on a readable channel and a
    /// writable row.
    #[inline(always)]
    fn each_row<T>(
        &self,
        image: &[T],
        k: Range<usize>,
        width: usize,
        dst: &mut [T],
        f: impl Fn(usize, *const T, *mut T),
    ) {
        let taps = self.ends.len();
        let channels = k.end.div_ceil(taps);
        assert!(
            channels.checked_mul(self.channel).is_some_and(|len| len <= image.len())
                && k.len().checked_mul(width).is_some_and(|len| len <= dst.len())
                && self.pixels <= width,
            "a panel of {width} × {k:?} from {} elements into {}",
            image.len(),
            dst.len()
        );
        let mut tap = k.start % taps;
        let mut channel = image.as_ptr().wrapping_add(k.start / taps * self.channel);
        let mut to = dst.as_mut_ptr();
        for _ in k {
            f(tap, channel, to);
            to = to.wrapping_add(width);
            tap += 1;
            if tap == taps {
                tap = 0;
                channel = channel.wrapping_add(self.channel);
            }
        }
    }
}

kernel! {
    /// Fills the rows of a panel by vectors, with `padding` or zeros around the image. Lanes are moved by their bits, whatever
    /// they mean.
    fn fill_words(plan: &Plan, image: &[f32], k: Range<usize>, width: usize, dst: &mut [f32], padding: Option<f32>) => fill_lanes
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn fill_lanes<S: Simd>(
    s: S,
    plan: &Plan,
    image: &[f32],
    k: Range<usize>,
    width: usize,
    dst: &mut [f32],
    padding: Option<f32>,
) {
    let lanes = S::F32::LANES;
    let around = s.splat(padding.unwrap_or(0.0));
    let zero = |to: *mut f32, n: usize| {
        let mut i = 0;
        while i < n {
            // SAFETY: `fill` gives `n` elements.
            unsafe { around.store_up_to_at(to.add(i), n - i) };
            i += lanes;
        }
    };
    if let Some(shifts) = plan.shifts.as_ref().filter(|_| width.is_multiple_of(lanes)) {
        let within = image.as_ptr_range();
        return plan.each_row(image, k, width, dst, |tap, channel, to| {
            let from = channel.wrapping_offset(shifts.from[tap]);
            let inside = |from: *const f32, n: usize| {
                within.start <= from && from.wrapping_add(n) <= within.end
            };
            let row_inside = inside(from, width);
            for i in (0..width).step_by(lanes) {
                let (from, pixels) = (from.wrapping_add(i), shifts.lanes(tap, i));
                // SAFETY: `each_row` gives the row, and the channel has the inputs of all pixels that are inside.
                unsafe {
                    let v = match row_inside || inside(from, lanes) {
                        true => S::F32::load_where_at(s, from, pixels),
                        false => S::F32::load(s, &gathered(from, pixels)),
                    };
                    let v = if padding.is_some() { v.keep_lanes(pixels, around) } else { v };
                    v.store_at(to.add(i));
                }
            }
        });
    }
    match plan.stride {
        1 => {
            let copy = |from: *const f32, to: *mut f32, n: usize| {
                let mut i = 0;
                while i < n {
                    // SAFETY: `fill` gives `n` elements.
                    unsafe {
                        let v = S::F32::load_up_to_at(s, from.add(i), n - i);
                        v.store_up_to_at(to.add(i), n - i);
                    }
                    i += lanes;
                }
            };
            plan.fill(image, k, width, dst, copy, zero);
        }
        2 => {
            let copy = |from: *const f32, to: *mut f32, n: usize| {
                let mut i = 0;
                while i < n {
                    let some = (n - i).min(lanes);
                    // SAFETY: `fill` gives `n` elements, those to read two apart.
                    unsafe {
                        let v = S::F32::load_even_at(s, from.add(2 * i), some);
                        v.store_up_to_at(to.add(i), some);
                    }
                    i += lanes;
                }
            };
            plan.fill(image, k, width, dst, copy, zero);
        }
        stride => {
            let copy = |from: *const f32, to: *mut f32, n: usize| {
                // SAFETY: `fill` gives `n` elements, those to read as far apart.
                unsafe { strided(from, to, n, stride) }
            };
            plan.fill(image, k, width, dst, copy, zero);
        }
    }
}

/// Loads the lanes of a vector at `from` one by one, and zeros for the others. A masked load that reaches into an
/// unmapped page takes a hundred times as long as others, and the page before or after an image may be unmapped.
///
/// # Safety
/// The lanes are readable.
#[cold]
unsafe fn gathered(from: *const f32, lanes: u32) -> [f32; 16] {
    let mut all = [0.0; 16];
    for (i, lane) in all.iter_mut().enumerate().filter(|(i, _)| lanes >> i & 1 == 1) {
        // SAFETY: lanes whose bit is set are readable, and the filter leaves no others.
        *lane = unsafe { *from.wrapping_add(i) };
    }
    all
}

/// Copies elements that are `stride` apart.
///
/// # Safety
/// `n` such are readable, and `n` neighbours writable.
#[inline(always)]
unsafe fn strided<T: Copy>(from: *const T, to: *mut T, n: usize, stride: usize) {
    for i in 0..n {
        // SAFETY: `i` is below `n`, the number of elements that can be read `stride` apart and written side by side.
        unsafe { *to.add(i) = *from.add(i * stride) };
    }
}

impl Source<f32> for Im2col<'_, f32> {
    fn pack(&self, pixels: Range<usize>, k: Range<usize>, width: usize, dst: &mut [f32]) {
        self.plans.with(pixels, |plan| fill_words(self.isa, plan, self.image, k, width, dst, None));
    }
}

/// Words of four bytes, which move as `f32` do.
impl Source<i32> for Im2col<'_, i32> {
    fn pack(&self, pixels: Range<usize>, k: Range<usize>, width: usize, dst: &mut [i32]) {
        let (image, dst) = (bytemuck::cast_slice(self.image), bytemuck::cast_slice_mut(dst));
        let padding = Some(f32::from_bits(self.padding as u32));
        self.plans.with(pixels, |plan| fill_words(self.isa, plan, image, k, width, dst, padding));
    }
}

/// Copies a few elements without a call: whole blocks, then a last block that may overlap them.
///
/// # Safety
/// `n` are readable, and as many writable.
#[inline(always)]
unsafe fn copy_short<T: Copy>(from: *const T, to: *mut T, n: usize) {
    // SAFETY: the blocks lie in `0..n`.
    in_blocks(n, |i, block| unsafe {
        let (from, to) = (from.add(i), to.add(i));
        match block {
            16 => to.cast::<[T; 16]>().write_unaligned(from.cast::<[T; 16]>().read_unaligned()),
            4 => to.cast::<[T; 4]>().write_unaligned(from.cast::<[T; 4]>().read_unaligned()),
            _ => *to = *from,
        }
    });
}

/// Writes an element to a few places as [`copy_short`] does.
///
/// # Safety
/// `n` are writable.
#[inline(always)]
unsafe fn fill_short<T: Copy>(to: *mut T, x: T, n: usize) {
    // SAFETY: the blocks lie in `0..n`.
    in_blocks(n, |i, block| unsafe {
        let to = to.add(i);
        match block {
            16 => to.cast::<[T; 16]>().write_unaligned([x; 16]),
            4 => to.cast::<[T; 4]>().write_unaligned([x; 4]),
            _ => *to = x,
        }
    });
}

/// Covers `0..n` by blocks of 16, 4 or 1.
#[inline(always)]
fn in_blocks(n: usize, mut f: impl FnMut(usize, usize)) {
    let block = if n >= 16 {
        16
    } else if n >= 4 {
        4
    } else {
        1
    };
    let mut i = 0;
    while i + block <= n {
        f(i, block);
        i += block;
    }
    if i < n {
        f(n - block, block);
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
    source.plans.with(pixels, |plan| {
        let stride = plan.stride;
        // SAFETY: `fill` gives `n` elements, those to read at the inner stride.
        let copy = |from: *const T, to: *mut T, n: usize| unsafe {
            if stride == 1 { copy_short(from, to, n) } else { strided(from, to, n, stride) }
        };
        // SAFETY: `fill` gives `n` elements to write.
        let zero = |to: *mut T, n: usize| unsafe { fill_short(to, source.padding, n) };
        plan.fill(source.image, k, width, dst, copy, zero);
    });
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
