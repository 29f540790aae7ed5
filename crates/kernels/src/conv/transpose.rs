//! Transposed convolution: a product that gives each input pixel's contribution to every tap, then the sum of the
//! contributions to each output pixel, tap by tap.
//!
//! Both go band by band: some rows of the input and the rows of the output that they reach, so that the contributions
//! stay in the cache, and the scratch memory does not grow with the image.

use std::ops::Range;

use trident_simd::Isa;

use super::geometry::{ConvSpec, Geometry};
use super::im2col::Plan;
use super::{ConvEpilogue, ConvScalar, Images};
use crate::aligned::Scratch;
use crate::disjoint::{Disjoint, Rows};
use crate::gemm::{self, Epilogue, GemmShape, Item, Lhs, PackedA, Rhs, Strided};
use crate::threads::Threads;

/// The rows of a product: enough to make up for packing the image again for each block of output channels.
const ROWS: usize = 64;

/// Bytes of the contributions of a band, about a quarter of a core's L2 cache.
const BAND_BYTES: usize = 256 << 10;

/// A transposed convolution with its weights packed for one instruction set.
#[derive(Debug)]
pub struct ConvTransposePlan<T: ConvScalar> {
    spec: ConvSpec,
    isa: Isa,
    /// Output channels of a block.
    channels: usize,
    /// The blocks of each group, group after group.
    blocks: Vec<PackedA<T>>,
}

impl<T: ConvScalar> ConvTransposePlan<T> {
    /// Packs `weights` (`in_channels × out_channels / groups × kernel`) for a valid `spec`. The transposed convolution
    /// removes the pads of `spec` from its full output.
    pub fn new(isa: Isa, spec: ConvSpec, weights: &[T]) -> Self {
        let (taps, k) = (spec.taps(), spec.in_channels / spec.groups);
        let per_group = spec.out_channels / spec.groups;
        let len = spec.in_channels * per_group * taps;
        assert!(spec.is_valid() && weights.len() == len, "{spec:?}");
        let channels = ROWS.div_ceil(taps).clamp(1, per_group.max(1));
        let mut blocks = Vec::new();
        for group in 0..spec.groups {
            let weights = &weights[group * k * per_group * taps..];
            for first in (0..per_group).step_by(channels) {
                let rows = channels.min(per_group - first) * taps;
                let data = weights.get(first * taps..).unwrap_or_default();
                let source = Strided { data, outer_stride: 1, k_stride: per_group * taps };
                blocks.push(PackedA::new(isa, rows, k, &source));
            }
        }
        Self { spec, isa, channels, blocks }
    }

    /// The geometry it was made for.
    pub fn spec(&self) -> &ConvSpec {
        &self.spec
    }

    /// The memory of the packed weights.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(PackedA::bytes).sum()
    }

    /// The output's spatial extents for an input's, with `extra` elements after each dimension; `None` if a number is
    /// negative or overflows.
    pub fn output(spec: &ConvSpec, input: &[usize], extra: &[usize]) -> Option<Vec<usize>> {
        if input.len() != spec.kernel.len() || extra.len() != input.len() {
            return None;
        }
        (0..input.len())
            .map(|i| {
                let steps = input[i].checked_sub(1)?.checked_mul(spec.strides[i])?;
                let window = (spec.kernel[i] - 1).checked_mul(spec.dilations[i])?.checked_add(1)?;
                let full = steps.checked_add(window)?.checked_add(extra[i])?;
                full.checked_sub(spec.pads_begin[i])?.checked_sub(spec.pads_end[i])
            })
            .collect()
    }

    /// Computes `y` (`batch × out_channels × output`) from images. `output` may be any extents: what no contribution reaches
    /// is bias and residual alone.
    pub fn run(
        &self,
        threads: &Threads,
        images: &Images<'_, T>,
        epilogue: &ConvEpilogue<'_, T>,
        y: &mut [T],
    ) {
        let rows = self.channels * self.spec.taps();
        self.run_in_bands(BAND_BYTES / size_of::<T>() / rows, threads, images, epilogue, y);
    }

    /// The same in bands of about `most` input pixels.
    fn run_in_bands(
        &self,
        most: usize,
        threads: &Threads,
        images: &Images<'_, T>,
        epilogue: &ConvEpilogue<'_, T>,
        y: &mut [T],
    ) {
        let Images { batch, input, output, x } = *images;
        // The same relation of places as a convolution from the output to the input.
        let geometry = Geometry::new(&self.spec, output, input);
        let (pixels, n) = (geometry.pixels_in(), geometry.pixels_out());
        assert!(
            x.len() == batch * self.spec.in_channels * n
                && y.len() == batch * self.spec.out_channels * pixels,
            "operands of other sizes than {batch} images of {input:?} and results of {output:?}"
        );
        if y.is_empty() {
            return;
        }
        let stride = geometry.inner().stride;
        let (taps, k) = (self.spec.taps(), self.spec.in_channels / self.spec.groups);
        let bands = bands(&geometry, most);
        let per_group = self.spec.out_channels / self.spec.groups;
        let per_image = self.blocks.len();
        let in_group = per_image / self.spec.groups;
        let y = Disjoint::new(y);
        threads.run(batch * per_image, |task| {
            let (image, block) = (task / per_image, task % per_image);
            let (group, first) = (block / in_group, block % in_group * self.channels);
            let weights = &self.blocks[block];
            let image_in = &x[(image * self.spec.groups + group) * k * n..][..k * n];
            // The first of the block's channels, in results and residual, and its number.
            let channel = group * per_group + first;
            let at = (image * self.spec.out_channels + channel) * pixels;
            let channels = weights.m() / taps;
            // SAFETY: each output channel belongs to one block.
            let y = unsafe { y.part(at..at + channels * pixels) };
            for band in &bands {
                let width = band.pixels.len();
                let mut parts = Scratch::<T>::take(weights.m() * width);
                let source = Strided {
                    data: image_in.get(band.pixels.start..).unwrap_or_default(),
                    outer_stride: 1,
                    k_stride: n,
                };
                let item = Item {
                    a: Lhs::Packed(weights),
                    b: Rhs::Source(&source),
                    epilogue: Epilogue::default(),
                    c: Rows::new(&mut parts, width),
                };
                gemm::product(self.isa, GemmShape { m: weights.m(), n: width, k }, item);
                for j in 0..channels {
                    let y = &mut y[j * pixels..][..pixels];
                    let parts = &parts[j * taps * width..][..taps * width];
                    let begun = band.begun.clone();
                    match epilogue.residual {
                        Some(residual) => {
                            let residual = &residual[at + j * pixels..][..pixels];
                            y[begun.clone()].copy_from_slice(&residual[begun]);
                        }
                        None => y[begun].fill(T::default()),
                    }
                    band.plan.for_each_span(|tap, pixel, place, count| {
                        let parts = &parts[tap * width + pixel..][..count];
                        let y = y[place..].iter_mut().step_by(stride);
                        y.zip(parts).for_each(|(y, part)| *y = T::sum(*y, *part));
                    });
                    let y = &mut y[band.ended.clone()];
                    if let Some(bias) = epilogue.bias {
                        y.iter_mut().for_each(|y| *y = T::sum(*y, bias[channel + j]));
                    }
                    T::activate(self.isa, epilogue.activation, y);
                }
            }
        });
    }
}

/// Rows of the input along the outermost dimension.
struct Band {
    /// The input's pixels.
    pixels: Range<usize>,
    /// The places in the output of their contributions.
    plan: Plan,
    /// Output pixels that this band is the first to reach.
    begun: Range<usize>,
    /// Output pixels that no later band reaches.
    ended: Range<usize>,
}

/// Divides an input into bands of about `most` pixels, of a row at least. `geometry` is that of the convolution from
/// the output to the input. The bands depend on no number of threads, and neither do the sums.
fn bands(geometry: &Geometry, most: usize) -> Vec<Band> {
    let rows = geometry.axes[0];
    let [row_in, row_out] =
        [geometry.pixels_out() / rows.output.max(1), geometry.pixels_in() / rows.input.max(1)];
    let step = (most / row_in.max(1)).max(1);
    let (mut begun, mut ended) = (0, 0);
    // Without an input there are no contributions, and one band.
    (0..rows.output.max(1))
        .step_by(step)
        .map(|first| {
            let end = (first + step).min(rows.output);
            let is_last = end == rows.output;
            // The output rows before these have all of their contributions, or some.
            let whole = (end * rows.stride).saturating_sub(rows.pad);
            let window = (rows.kernel - 1) * rows.dilation + 1;
            let some = (end * rows.stride + window).saturating_sub(rows.stride + rows.pad);
            let until = |row: usize| if is_last { rows.input } else { row.min(rows.input) };
            let (begins, ends) = (begun, ended);
            begun = until(some.max(whole)) * row_out;
            ended = until(whole) * row_out;
            let pixels = first * row_in..end * row_in;
            let plan = Plan::new(geometry, pixels.clone());
            Band { pixels, plan, begun: begins..begun, ended: ends..ended }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::Random;
    use crate::unary::UnaryFunction;

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random::new(21);
        for seed in 0..40 {
            let dims = seed as usize % 4;
            let groups = 1 + random.below(3);
            let mut list =
                |low: usize, n: usize| (0..dims).map(|_| low + random.below(n)).collect::<Vec<_>>();
            let (kernel, strides, dilations) = (list(1, 4), list(1, 3), list(1, 2));
            let (input, extra) = (list(1, if dims > 2 { 4 } else { 9 }), list(0, 2));
            let spec = ConvSpec {
                in_channels: groups * 3,
                out_channels: groups * (1 + seed as usize % 5),
                groups,
                kernel,
                strides,
                dilations,
                pads_begin: list(0, 2),
                pads_end: list(0, 2),
            };
            let Some(output) = ConvTransposePlan::<f32>::output(&spec, &input, &extra) else {
                continue;
            };
            let batch = 1 + seed as usize % 2;
            let (pixels_in, pixels): (usize, usize) =
                (input.iter().product(), output.iter().product());
            let (taps, per_group) = (spec.taps(), spec.out_channels / groups);
            let mut random = Random::new(seed);
            let x = random.f32s(batch * spec.in_channels * pixels_in);
            let w = random.f32s(spec.in_channels * per_group * taps);
            let bias = random.f32s(spec.out_channels);
            let residual = random.f32s(batch * spec.out_channels * pixels);
            let mut want: Vec<f64> = residual.iter().map(|&r| r.into()).collect();
            for (i, want) in want.iter_mut().enumerate() {
                *want += f64::from(bias[i / pixels.max(1) % spec.out_channels]);
            }
            let coordinates = |mut i: usize, extents: &[usize]| {
                let mut at = vec![0; extents.len()];
                for (x, n) in at.iter_mut().zip(extents).rev() {
                    (*x, i) = (i % n, i / n);
                }
                at
            };
            for (i, x) in x.iter().enumerate() {
                let (b, c, pixel) = (
                    i / pixels_in / spec.in_channels,
                    i / pixels_in % spec.in_channels,
                    i % pixels_in,
                );
                let from = coordinates(pixel, &input);
                for (m, tap) in (0..per_group).flat_map(|m| (0..taps).map(move |t| (m, t))) {
                    let t = coordinates(tap, &spec.kernel);
                    let to = (0..dims).try_fold(0, |at, d| {
                        let o = (from[d] * spec.strides[d] + t[d] * spec.dilations[d])
                            .checked_sub(spec.pads_begin[d])?;
                        (o < output[d]).then_some(at * output[d] + o)
                    });
                    if let Some(to) = to {
                        let out = c / (spec.in_channels / groups) * per_group + m;
                        let w = w[(c * per_group + m) * taps + tap];
                        want[(b * spec.out_channels + out) * pixels + to] +=
                            f64::from(*x) * f64::from(w);
                    }
                }
            }
            let images = Images { batch, input: &input, output: &output, x: &x };
            for isa in Isa::available() {
                let plan = ConvTransposePlan::new(isa, spec.clone(), &w);
                let epilogue = ConvEpilogue {
                    bias: Some(&bias[..]),
                    residual: Some(&residual[..]),
                    activation: UnaryFunction::LeakyRelu(0.25),
                };
                for (threads, band) in [(1, 1000), (3, 1), (1, 1 + seed as usize % 20)] {
                    let (threads, mut y) = (Threads::new(threads), vec![f32::NAN; want.len()]);
                    plan.run_in_bands(band, &threads, &images, &epilogue, &mut y);
                    for (got, want) in y.iter().zip(&want) {
                        let want = UnaryFunction::LeakyRelu(0.25).eval(*want);
                        assert!(
                            (f64::from(*got) - want).abs() < 1e-4,
                            "{isa:?} {spec:?} {input:?}: {got} for {want}"
                        );
                    }
                }
            }
        }
    }
}
