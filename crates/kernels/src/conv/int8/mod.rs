//! Convolutions of 8-bit numbers with 32-bit sums.
//!
//! Images and results are dense, or blocked by four channels ([`ConvLayout8`]). Four channels of a pixel are the word
//! that 8-bit products consume along `k`. So panels are made of a blocked image by moving words, and `k` runs over blocks of
//! channels, then taps, then the channels of a block.

mod depthwise;
mod layout;

pub use layout::ConvLayout8;
use trident_simd::Isa;

use super::Images;
use super::geometry::{ConvSpec, Geometry};
use super::im2col::{Im2col, Plans};
use crate::aligned::Scratch;
use crate::disjoint::Disjoint;
use crate::gemm::int8::{
    Along, Epilogue8, Lhs8, Output8, PackedA8, Rhs8, Signs, gemm8, panel_columns,
};
use crate::gemm::{GemmShape, Strided};
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
            interleaved: false,
        }
    }
}

/// A convolution of 8-bit numbers with its weights packed for one instruction set.
#[derive(Debug)]
pub struct ConvPlan8 {
    spec: ConvSpec,
    isa: Isa,
    signs: Signs,
    layout: ConvLayout8,
    algorithm: Algorithm,
}

#[derive(Debug)]
enum Algorithm {
    /// A product per group.
    Gemm(Vec<PackedA8>),
    /// A direct sum per output channel, in `f32`, whose integers it does not leave.
    Depthwise(Vec<u8>),
}

impl ConvPlan8 {
    /// Packs `weights` (`out_channels × in_channels / groups × kernel`, the raw bytes of `i8` or `u8`) for a valid `spec`. They are dense
    /// in every layout.
    ///
    /// # Panics
    /// If the spec is not valid or does not [fit](ConvLayout8::fits) the layout, or there are more or fewer weights.
    pub fn new(
        isa: Isa,
        spec: ConvSpec,
        weights_signed: bool,
        image_signed: bool,
        weights: &[u8],
        layout: ConvLayout8,
    ) -> Self {
        assert!(spec.is_valid() && weights.len() == spec.out_channels * spec.depth(), "{spec:?}");
        assert!(layout.fits(&spec), "{spec:?} in {layout:?}");
        let signs = Signs { a: weights_signed, b: image_signed };
        let alike = layout == ConvLayout8::DENSE || spec.out_channels == spec.groups;
        let algorithm = if layout::is_direct(&spec) && alike {
            Algorithm::Depthwise(weights.to_vec())
        } else {
            let (m, k, taps) = (spec.out_channels / spec.groups, spec.depth(), spec.taps());
            // With one tap, blocked weights are the dense ones.
            let ordered = (layout.blocked_image && taps > 1).then(|| blocked(weights, taps));
            let weights = ordered.as_deref().unwrap_or(weights);
            let pack = |g| {
                let rows = Strided::rows(&weights[g * m * k..(g + 1) * m * k], k);
                PackedA8::new(isa, signs, m, k, &rows)
            };
            Algorithm::Gemm((0..spec.groups).map(pack).collect())
        };
        Self { spec, isa, signs, layout, algorithm }
    }

    /// The geometry it was made for.
    pub fn spec(&self) -> &ConvSpec {
        &self.spec
    }

    /// The layout it was made for.
    pub fn layout(&self) -> ConvLayout8 {
        self.layout
    }

    /// The algorithm, for reports.
    pub fn name(&self) -> &'static str {
        match (&self.algorithm, self.layout == ConvLayout8::DENSE) {
            (Algorithm::Gemm(_), true) if self.spec.is_pointwise() => "int8.pointwise",
            (Algorithm::Gemm(_), false) if self.spec.is_pointwise() => "int8.blocked.pointwise",
            (Algorithm::Gemm(_), true) => "int8.im2col",
            (Algorithm::Gemm(_), false) => "int8.blocked.im2col",
            (Algorithm::Depthwise(_), true) => "int8.depthwise",
            (Algorithm::Depthwise(_), false) => "int8.blocked.depthwise",
        }
    }

    /// The memory of the packed weights.
    pub fn bytes(&self) -> usize {
        match &self.algorithm {
            Algorithm::Gemm(groups) => groups.iter().map(PackedA8::bytes).sum(),
            Algorithm::Depthwise(weights) => weights.len(),
        }
    }

    /// Convolves images of raw bytes into `y`, as [`ConvPlan::run`](super::ConvPlan::run) does, both in the plan's layout.
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
            Algorithm::Gemm(weights) if self.layout.blocked_image => {
                let mut aligned = Scratch::<i32>::take(0);
                let words = bytemuck::try_cast_slice(x).unwrap_or_else(|_| {
                    aligned = Scratch::take(x.len() / size_of::<i32>());
                    bytemuck::cast_slice_mut(&mut aligned).copy_from_slice(x);
                    &aligned
                });
                let padding = i32::from_le_bytes([epilogue.x_zero as u8; 4]);
                self.products(threads, &geometry, weights, words, padding, epilogue, y)
            }
            Algorithm::Gemm(weights) => {
                let padding = epilogue.x_zero as u8;
                self.products(threads, &geometry, weights, x, padding, epilogue, y)
            }
            Algorithm::Depthwise(weights) => {
                let plan = depthwise::Direct8 {
                    spec: &self.spec,
                    isa: self.isa,
                    signs: self.signs,
                    layout: self.layout,
                    weights,
                };
                plan.run(threads, &geometry, x, epilogue, y)
            }
        }
    }

    /// A product per image and group, of images in elements of one or of four channels.
    #[allow(clippy::too_many_arguments)]
    fn products<T: Channels, O: Output8>(
        &self,
        threads: &Threads,
        geometry: &Geometry,
        weights: &[PackedA8],
        x: &[T],
        padding: T,
        epilogue: &ConvEpilogue8<'_>,
        y: &mut [O],
    ) {
        let groups = self.spec.groups;
        let (pixels_in, n) = (geometry.pixels_in(), geometry.pixels_out());
        let (m, k) = (self.spec.out_channels / groups, self.spec.depth());
        // Without input channels there is no image, but there are results.
        let group_len = self.spec.in_channels / groups / size_of::<T>() * pixels_in;
        let count = y.len() / (m * n);
        let plans = Plans::new(geometry, panel_columns(self.isa));
        let y = Disjoint::new(y);
        let item = |i: usize| {
            let image = &x[i * group_len..(i + 1) * group_len];
            let group = i % groups;
            let pointwise = Strided::columns(image, pixels_in);
            let patches = Im2col { isa: self.isa, image, plans: &plans, padding };
            let b = match self.spec.is_pointwise() {
                true => T::pixels(&pointwise),
                false => T::patches(&patches),
            };
            let epilogue = Epilogue8 {
                interleaved: self.layout.blocked_result,
                ..epilogue.rows(group * m, m)
            };
            // SAFETY: image and group `i` come once, and their results are this part of `y`.
            let y = unsafe { y.part(i * m * n..(i + 1) * m * n) };
            let a = Lhs8::Packed(&weights[group]);
            gemm8(threads, self.isa, self.signs, GemmShape { m, n, k }, a, b, &epilogue, y);
        };
        // Whole items per thread share nothing; a few large items are better split inside.
        if count.is_multiple_of(threads.count()) || count >= 4 * threads.count() {
            threads.run(count, item);
        } else {
            (0..count).for_each(item);
        }
    }
}

/// Weights in the order of a blocked image: the channels of a block after the taps.
fn blocked(weights: &[u8], taps: usize) -> Vec<u8> {
    let mut ordered = vec![0; weights.len()];
    let (words, _) = ordered.as_chunks_mut::<{ ConvLayout8::BLOCK }>();
    for (words, block) in
        words.chunks_exact_mut(taps).zip(weights.chunks_exact(ConvLayout8::BLOCK * taps))
    {
        let (low, high) = block.split_at(2 * taps);
        let ((c0, c1), (c2, c3)) = (low.split_at(taps), high.split_at(taps));
        for ((((word, c0), c1), c2), c3) in words.iter_mut().zip(c0).zip(c1).zip(c2).zip(c3) {
            *word = [*c0, *c1, *c2, *c3];
        }
    }
    ordered
}

/// The elements of an image: a byte for a channel, or a word for four.
trait Channels: Copy + Sync {
    /// An image as the right operand of a pointwise convolution.
    fn pixels<'a>(source: &'a Strided<'a, Self>) -> Rhs8<'a>;
    /// An image as the right operand of another convolution.
    fn patches<'a>(source: &'a Im2col<'a, Self>) -> Rhs8<'a>;
}

impl Channels for u8 {
    fn pixels<'a>(source: &'a Strided<'a, u8>) -> Rhs8<'a> {
        Rhs8::Source(source)
    }
    fn patches<'a>(source: &'a Im2col<'a, u8>) -> Rhs8<'a> {
        Rhs8::Source(source)
    }
}

impl Channels for i32 {
    fn pixels<'a>(source: &'a Strided<'a, i32>) -> Rhs8<'a> {
        Rhs8::Fours(source)
    }
    fn patches<'a>(source: &'a Im2col<'a, i32>) -> Rhs8<'a> {
        Rhs8::Fours(source)
    }
}

#[cfg(test)]
mod tests;
