//! Convolutions of 8-bit numbers with 32-bit sums.

use trident_simd::Isa;

use super::geometry::{ConvSpec, Geometry};
use super::im2col::{Im2col, Plans};
use super::{Images, depthwise};
use crate::aligned::Scratch;
use crate::disjoint::Disjoint;
use crate::gemm::int8::{
    Along, Epilogue8, Lhs8, Output8, PackedA8, Rhs8, Row, Signs, gemm8, panel_columns,
};
use crate::gemm::{GemmShape, Source, Strided};
use crate::threads::Threads;

/// Zero points and what follows a sum; the lists have one entry per output channel or one for all.
#[derive(Clone, Copy, Debug)]
pub struct ConvEpilogue8<'a> {
    /// The image's zero point, which is also what lies around it.
    pub x_zero: i32,
    /// The weights' zero points.
    pub w_zero: &'a [i32],
    /// Added to the sum; may be empty.
    pub bias: &'a [i32],
    /// The factor from sum to result.
    pub scale: &'a [f32],
    /// The result's zero point.
    pub zero: i32,
    /// The limits of the result (a fused activation), within its type's own.
    pub limits: (i32, i32),
}

impl ConvEpilogue8<'_> {
    /// The plain sum with the given zero points.
    pub fn sum(x_zero: i32, w_zero: &[i32]) -> ConvEpilogue8<'_> {
        ConvEpilogue8 {
            x_zero,
            w_zero,
            bias: &[],
            scale: &[1.0],
            zero: 0,
            limits: (i32::MIN, i32::MAX),
        }
    }

    /// The part of channels `first..first + count`, as the rows of a product.
    fn rows(&self, first: usize, count: usize) -> Epilogue8<'_> {
        fn part<T: Copy>(list: &[T], none: T, first: usize, count: usize) -> Along<'_, T> {
            match list {
                [] => Along::One(none),
                [one] => Along::One(*one),
                list => Along::Rows(&list[first..first + count]),
            }
        }
        Epilogue8 {
            a_zero: part(self.w_zero, 0, first, count),
            b_zero: Along::One(self.x_zero),
            bias: part(self.bias, 0, first, count),
            scale: part(self.scale, 1.0, first, count),
            zero: self.zero,
            limits: self.limits,
        }
    }
}

/// A convolution of 8-bit numbers with its weights packed for one instruction set.
#[derive(Debug)]
pub struct ConvPlan8 {
    spec: ConvSpec,
    isa: Isa,
    signs: Signs,
    algorithm: Algorithm,
}

#[derive(Debug)]
enum Algorithm {
    /// A product per group.
    Gemm(Vec<PackedA8>),
    /// A direct sum per output channel, in `f32`, whose integers it does not leave.
    Depthwise(Vec<u8>),
}

/// As many products of differences of bytes (at most 255² each) stay below 2²⁴ and are exact in `f32`.
const EXACT_TAPS: usize = (1 << 24) / (255 * 255);

impl ConvPlan8 {
    /// Packs `weights` (`out_channels × in_channels / groups × kernel`, the raw bytes of `i8` or `u8`) for a valid `spec`.
    pub fn new(
        isa: Isa,
        spec: ConvSpec,
        weights_signed: bool,
        image_signed: bool,
        weights: &[u8],
    ) -> Self {
        assert!(spec.is_valid() && weights.len() == spec.out_channels * spec.depth(), "{spec:?}");
        let signs = Signs { a: weights_signed, b: image_signed };
        let algorithm =
            if spec.in_channels == spec.groups && spec.groups > 1 && spec.taps() <= EXACT_TAPS {
                Algorithm::Depthwise(weights.to_vec())
            } else {
                let (m, k) = (spec.out_channels / spec.groups, spec.depth());
                let pack = |g| {
                    let rows = Strided::rows(&weights[g * m * k..(g + 1) * m * k], k);
                    PackedA8::new(isa, signs, m, k, &rows)
                };
                Algorithm::Gemm((0..spec.groups).map(pack).collect())
            };
        Self { spec, isa, signs, algorithm }
    }

    /// The geometry it was made for.
    pub fn spec(&self) -> &ConvSpec {
        &self.spec
    }

    /// The algorithm, for reports.
    pub fn name(&self) -> &'static str {
        match &self.algorithm {
            Algorithm::Gemm(_) if self.spec.is_pointwise() => "int8.pointwise",
            Algorithm::Gemm(_) => "int8.im2col",
            Algorithm::Depthwise(_) => "int8.depthwise",
        }
    }

    /// The memory of the packed weights.
    pub fn bytes(&self) -> usize {
        match &self.algorithm {
            Algorithm::Gemm(groups) => groups.iter().map(PackedA8::bytes).sum(),
            Algorithm::Depthwise(weights) => weights.len(),
        }
    }

    /// Convolves images of raw bytes into `y`, as [`ConvPlan::run`](super::ConvPlan::run) does.
    pub fn run<O: Output8>(
        &self,
        threads: &Threads,
        images: &Images<'_, u8>,
        epilogue: &ConvEpilogue8<'_>,
        y: &mut [O],
    ) {
        let Images { batch, input, output, x } = *images;
        let geometry = Geometry::new(&self.spec, input, output);
        assert!(
            x.len() == batch * self.spec.in_channels * geometry.pixels_in()
                && y.len() == batch * self.spec.out_channels * geometry.pixels_out(),
            "operands of other sizes than {batch} images of {input:?} and results of {output:?}"
        );
        if y.is_empty() {
            return;
        }
        match &self.algorithm {
            Algorithm::Gemm(weights) => {
                self.products(threads, &geometry, batch, weights, x, epilogue, y)
            }
            Algorithm::Depthwise(weights) => {
                self.depthwise(threads, &geometry, weights, x, epilogue, y)
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn products<O: Output8>(
        &self,
        threads: &Threads,
        geometry: &Geometry,
        batch: usize,
        weights: &[PackedA8],
        x: &[u8],
        epilogue: &ConvEpilogue8<'_>,
        y: &mut [O],
    ) {
        let groups = self.spec.groups;
        let (pixels_in, n) = (geometry.pixels_in(), geometry.pixels_out());
        let (m, k) = (self.spec.out_channels / groups, self.spec.depth());
        let channels = self.spec.in_channels / groups * pixels_in;
        let plans = Plans::new(geometry, panel_columns(self.isa));
        let y = Disjoint::new(y);
        let item = |i: usize| {
            let image = &x[i * channels..(i + 1) * channels];
            let group = i % groups;
            let pointwise = Strided::columns(image, pixels_in);
            let padding = epilogue.x_zero as u8;
            let patches = Im2col { isa: self.isa, image, plans: &plans, padding };
            let source: &dyn Source<u8> =
                if self.spec.is_pointwise() { &pointwise } else { &patches };
            let (a, b) = (Lhs8::Packed(&weights[group]), Rhs8::Source(source));
            let epilogue = epilogue.rows(group * m, m);
            // SAFETY: image and group `i` come once, and their results are this part of `y`.
            let y = unsafe { y.part(i * m * n..(i + 1) * m * n) };
            gemm8(threads, self.isa, self.signs, GemmShape { m, n, k }, a, b, &epilogue, y);
        };
        // Whole items per thread share nothing; a few large items are better split inside.
        let count = batch * groups;
        if count.is_multiple_of(threads.count()) || count >= 4 * threads.count() {
            threads.run(count, item);
        } else {
            (0..count).for_each(item);
        }
    }

    fn depthwise<O: Output8>(
        &self,
        threads: &Threads,
        geometry: &Geometry,
        weights: &[u8],
        x: &[u8],
        epilogue: &ConvEpilogue8<'_>,
        y: &mut [O],
    ) {
        let layout = depthwise::Layout::new(geometry, depthwise::lanes(self.isa));
        let (pixels_in, pixels_out) = (geometry.pixels_in(), geometry.pixels_out());
        let (taps, multiplier) = (self.spec.taps(), self.spec.out_channels / self.spec.groups);
        let number =
            |byte: u8, signed: bool| if signed { i32::from(byte as i8) } else { i32::from(byte) };
        // The results of an input channel follow one another.
        let row = multiplier * pixels_out;
        let work = |first: usize, y: &mut [O]| {
            let mut padded = Scratch::<f32>::take(layout.scratch());
            let mut image = Scratch::<f32>::take(pixels_in);
            let mut exact = Scratch::<f32>::take(pixels_out);
            let mut sums = Scratch::<i32>::take(pixels_out);
            let mut kernel = vec![0.0; taps];
            padded.fill(0.0);
            for (i, y) in y.chunks_exact_mut(row).enumerate() {
                let channel = first + i;
                let bytes = &x[channel * pixels_in..(channel + 1) * pixels_in];
                for (f, b) in image.iter_mut().zip(bytes) {
                    *f = (number(*b, self.signs.b) - epilogue.x_zero) as f32;
                }
                depthwise::pad(self.isa, &layout, &image, &mut padded);
                let group = channel % self.spec.groups;
                for (j, y) in y.chunks_exact_mut(pixels_out).enumerate() {
                    let out = group * multiplier + j;
                    let rows = epilogue.rows(out, 1);
                    let w_zero = match rows.a_zero {
                        Along::One(zero) => zero,
                        Along::Rows(zeros) | Along::Columns(zeros) => zeros[0],
                    };
                    for (f, w) in kernel.iter_mut().zip(&weights[out * taps..(out + 1) * taps]) {
                        *f = (number(*w, self.signs.a) - w_zero) as f32;
                    }
                    let finish = depthwise::Finish { bias: 0.0, residual: None, limits: None };
                    depthwise::channel(self.isa, &layout, &padded, &kernel, &finish, &mut exact);
                    for (s, f) in sums.iter_mut().zip(exact.iter()) {
                        *s = *f as i32;
                    }
                    // The zero points are taken away already.
                    let rest = Epilogue8 { a_zero: Along::One(0), b_zero: Along::One(0), ..rows };
                    let row = Row {
                        row: 0,
                        col: 0,
                        k: 0,
                        sum: 0,
                        column_sums: &[],
                        a_shift: 0,
                        b_shift: 0,
                    };
                    O::finish(self.isa, &row, &rest, &mut sums, y);
                }
            }
        };
        let cost = pixels_out * taps * multiplier + 4 * pixels_in;
        threads.for_rows_mut(y, row, (1 << 19) / cost.max(1) + 1, work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::Random;

    #[test]
    fn sums_and_results_are_exact() {
        for (seed, (c, m, groups, kernel, stride, pad, size)) in [
            (3, 8, 1, 3, 1, 1, 9),
            (16, 20, 1, 1, 1, 0, 7),
            (8, 12, 2, 3, 2, 1, 11),
            (6, 6, 6, 3, 1, 1, 20),
            (4, 8, 4, 5, 2, 2, 13),
        ]
        .into_iter()
        .enumerate()
        {
            for (w_signed, x_signed) in [(true, false), (true, true), (false, false), (false, true)]
            {
                let spec = ConvSpec::square(c, m, groups, kernel, stride, pad);
                let (input, batch) = ([size, size + 1], 2);
                let output = spec.output(&input).unwrap();
                let mut random = Random::new(seed as u64);
                let mut bytes =
                    |n: usize| (0..n).map(|_| random.below(256) as u8).collect::<Vec<_>>();
                let x = bytes(batch * c * size * (size + 1));
                let w = bytes(m * spec.depth());
                let number =
                    |b: u8, signed: bool| if signed { i64::from(b as i8) } else { i64::from(b) };
                let x_zero = if x_signed { -5 } else { 130 };
                let w_zero: Vec<i32> =
                    (0..m as i32).map(|i| if w_signed { i % 3 - 1 } else { 120 + i }).collect();
                let bias: Vec<i32> = (0..m as i32).map(|i| i * 100 - 150).collect();
                let scale: Vec<f32> = (0..m).map(|i| 0.002 + 0.0003 * i as f32).collect();
                let mut exact = Vec::new();
                let per_group = c / groups;
                for b in 0..batch {
                    for o in 0..m {
                        let g = o / (m / groups);
                        for (oy, ox) in
                            (0..output[0]).flat_map(|y| (0..output[1]).map(move |x| (y, x)))
                        {
                            let mut sum = 0;
                            for i in 0..per_group {
                                for (ky, kx) in
                                    (0..kernel).flat_map(|y| (0..kernel).map(move |x| (y, x)))
                                {
                                    let (iy, ix) = (
                                        (oy * stride + ky).wrapping_sub(pad),
                                        (ox * stride + kx).wrapping_sub(pad),
                                    );
                                    if iy < input[0] && ix < input[1] {
                                        let x = x[((b * c + g * per_group + i) * input[0] + iy)
                                            * input[1]
                                            + ix];
                                        let w = w[(o * per_group + i) * kernel * kernel
                                            + ky * kernel
                                            + kx];
                                        sum += (number(x, x_signed) - x_zero)
                                            * (number(w, w_signed) - i64::from(w_zero[o]));
                                    }
                                }
                            }
                            exact.push(sum as i32);
                        }
                    }
                }
                let images = Images { batch, input: &input, output: &output, x: &x };
                for isa in Isa::available() {
                    let plan = ConvPlan8::new(isa, spec.clone(), w_signed, x_signed, &w);
                    for threads in [1, 3].map(Threads::new) {
                        let mut y = vec![0i32; exact.len()];
                        let sum = ConvEpilogue8::sum(x_zero as i32, &w_zero);
                        plan.run(&threads, &images, &sum, &mut y);
                        assert_eq!(y, exact, "{isa:?} {} {spec:?}", plan.name());
                        let epilogue = ConvEpilogue8 {
                            bias: &bias,
                            scale: &scale,
                            zero: 3,
                            limits: (3, 255),
                            ..ConvEpilogue8::sum(x_zero as i32, &w_zero)
                        };
                        let mut y = vec![0u8; exact.len()];
                        plan.run(&threads, &images, &epilogue, &mut y);
                        let pixels = output[0] * output[1];
                        for (i, &got) in y.iter().enumerate() {
                            let o = i / pixels % m;
                            let want = ((exact[i] + bias[o]) as f32 * scale[o]).round_ties_even()
                                as i64
                                + 3;
                            assert_eq!(i64::from(got), want.clamp(3, 255));
                        }
                    }
                }
            }
        }
    }
}
