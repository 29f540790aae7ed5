//! Transposed convolution: a product that gives each input pixel's contribution to every tap, then the sum of the
//! contributions to each output pixel, tap by tap.

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
        let plan = Plan::new(&geometry, 0..n);
        let stride = geometry.inner().stride;
        let (taps, k) = (self.spec.taps(), self.spec.in_channels / self.spec.groups);
        let per_group = self.spec.out_channels / self.spec.groups;
        let per_image = self.blocks.len();
        let in_group = per_image / self.spec.groups;
        let y = Disjoint::new(y);
        threads.run(batch * per_image, |task| {
            let (image, block) = (task / per_image, task % per_image);
            let (group, first) = (block / in_group, block % in_group * self.channels);
            let weights = &self.blocks[block];
            let image_in = &x[(image * self.spec.groups + group) * k * n..][..k * n];
            let source = Strided::columns(image_in, n);
            let mut parts = Scratch::<T>::take(weights.m() * n);
            let item = Item {
                a: Lhs::Packed(weights),
                b: Rhs::Source(&source),
                epilogue: Epilogue::default(),
                c: Rows::new(&mut parts, n),
            };
            gemm::product(self.isa, GemmShape { m: weights.m(), n, k }, item);
            for (j, parts) in parts.chunks_exact((taps * n).max(1)).enumerate() {
                let channel = group * per_group + first + j;
                let at = (image * self.spec.out_channels + channel) * pixels;
                // SAFETY: each output channel belongs to one block.
                let y = unsafe { y.part(at..at + pixels) };
                match epilogue.residual {
                    Some(residual) => y.copy_from_slice(&residual[at..at + pixels]),
                    None => y.fill(T::default()),
                }
                plan.for_each_span(|tap, pixel, place, count| {
                    let parts = &parts[tap * n + pixel..][..count];
                    let y = y[place..].iter_mut().step_by(stride);
                    y.zip(parts).for_each(|(y, part)| *y = T::sum(*y, *part));
                });
                if let Some(bias) = epilogue.bias {
                    y.iter_mut().for_each(|y| *y = T::sum(*y, bias[channel]));
                }
                T::activate(self.isa, epilogue.activation, y);
            }
        });
    }
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
                for threads in [1, 3] {
                    let mut y = vec![f32::NAN; want.len()];
                    plan.run(&Threads::new(threads), &images, &epilogue, &mut y);
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
