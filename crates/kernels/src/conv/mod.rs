//! Convolutions over any number of spatial dimensions, channels first.
//!
//! A [`ConvPlan`] is a convolution with its weights packed; the algorithm is chosen when it is made:
//! a product with the image's patches as the right operand, made on the fly (Chellapilla et al., "High Performance
//! Convolutional Neural Networks for Document Processing", 2006), or a direct sum for groups of one channel.

mod depthwise;
pub(crate) mod geometry;
mod im2col;
mod int8;
mod transpose;

pub use geometry::ConvSpec;
use geometry::Geometry;
use im2col::{Im2col, Plans};
pub use int8::{ConvEpilogue8, ConvLayout8, ConvPlan8};
pub use transpose::ConvTransposePlan;
use trident_simd::Isa;

use crate::aligned::Scratch;
use crate::disjoint::{Disjoint, Rows};
use crate::gemm::{
    Epilogue, GemmShape, Item, Lhs, PackedA, Rhs, Scalar, Source, Strided, products,
};
use crate::threads::Threads;
use crate::unary::UnaryFunction;

/// The epilogue of an output element's sum: `activation(sum + bias + residual)`.
#[derive(Clone, Copy, Debug)]
pub struct ConvEpilogue<'a, T> {
    /// One per output channel.
    pub bias: Option<&'a [T]>,
    /// As large as the output.
    pub residual: Option<&'a [T]>,
    /// The last step.
    pub activation: UnaryFunction,
}

impl<T> Default for ConvEpilogue<'_, T> {
    fn default() -> Self {
        Self { bias: None, residual: None, activation: UnaryFunction::None }
    }
}

/// Images to convolve.
#[derive(Clone, Copy, Debug)]
pub struct Images<'a, T> {
    /// How many.
    pub batch: usize,
    /// The spatial extents of each.
    pub input: &'a [usize],
    /// The spatial extents of each result.
    pub output: &'a [usize],
    /// The elements, `batch × in_channels × input`, or blocked as [`ConvLayout8`] says.
    pub x: &'a [T],
}

/// A convolution with its weights packed for one instruction set.
#[derive(Debug)]
pub struct ConvPlan<T: ConvScalar> {
    spec: ConvSpec,
    isa: Isa,
    algorithm: Algorithm<T>,
}

#[derive(Debug)]
enum Algorithm<T> {
    /// A product per group.
    Gemm(Vec<PackedA<T>>),
    /// A direct sum per output channel.
    Depthwise(Vec<T>),
}

/// The element types of convolutions: `f32` and `f64`.
pub trait ConvScalar: Scalar + sealed::Conv {}
impl ConvScalar for f32 {}
impl ConvScalar for f64 {}

mod sealed {
    use super::*;

    #[allow(unreachable_pub, private_interfaces)]
    pub trait Conv: Sized + 'static {
        /// Runs the direct kernels, if this type has them.
        const DEPTHWISE: Option<super::DirectFn<Self>>;
        fn patches<'a>(isa: Isa, image: &'a [Self], plans: &'a Plans<'a>)
        -> impl Source<Self> + 'a;
    }

    #[allow(private_interfaces)]
    impl Conv for f32 {
        const DEPTHWISE: Option<super::DirectFn<f32>> = Some(super::depthwise_f32);
        fn patches<'a>(isa: Isa, image: &'a [f32], plans: &'a Plans<'a>) -> impl Source<f32> + 'a {
            Im2col { isa, image, plans, padding: 0.0 }
        }
    }

    #[allow(private_interfaces)]
    impl Conv for f64 {
        const DEPTHWISE: Option<super::DirectFn<f64>> = None;
        fn patches<'a>(isa: Isa, image: &'a [f64], plans: &'a Plans<'a>) -> impl Source<f64> + 'a {
            Im2col { isa, image, plans, padding: 0.0 }
        }
    }
}

/// `(threads, isa, spec, geometry, weights, images, epilogue, out)`.
type DirectFn<T> =
    fn(&Threads, Isa, &ConvSpec, &Geometry, &[T], &[T], &ConvEpilogue<'_, T>, &mut [T]);

impl<T: ConvScalar> ConvPlan<T> {
    /// Packs `weights` (`out_channels × in_channels / groups × kernel`) for a valid `spec`.
    pub fn new(threads: &Threads, isa: Isa, spec: ConvSpec, weights: &[T]) -> Self {
        assert!(spec.is_valid() && weights.len() == spec.out_channels * spec.depth(), "{spec:?}");
        let algorithm =
            if T::DEPTHWISE.is_some() && spec.in_channels == spec.groups && spec.groups > 1 {
                Algorithm::Depthwise(weights.to_vec())
            } else {
                let (m, k) = (spec.out_channels / spec.groups, spec.depth());
                let groups = 0..spec.groups;
                let pack = |g| {
                    let rows = Strided::rows(&weights[g * m * k..(g + 1) * m * k], k);
                    PackedA::by(threads, isa, m, k, &rows)
                };
                Algorithm::Gemm(groups.map(pack).collect())
            };
        Self { spec, isa, algorithm }
    }

    /// The geometry it was made for.
    pub fn spec(&self) -> &ConvSpec {
        &self.spec
    }

    /// The algorithm, for reports.
    pub fn name(&self) -> &'static str {
        match &self.algorithm {
            Algorithm::Gemm(_) if self.spec.is_pointwise() => "pointwise",
            Algorithm::Gemm(_) => "im2col",
            Algorithm::Depthwise(_) => "depthwise",
        }
    }

    /// The memory of the packed weights.
    pub fn bytes(&self) -> usize {
        match &self.algorithm {
            Algorithm::Gemm(groups) => groups.iter().map(PackedA::bytes).sum(),
            Algorithm::Depthwise(weights) => size_of_val(&weights[..]),
        }
    }

    /// Convolves images into `y` (`batch × out_channels × output`), where `output` is what [`ConvSpec::output`] gives for
    /// `input`.
    pub fn run(
        &self,
        threads: &Threads,
        images: &Images<'_, T>,
        epilogue: &ConvEpilogue<'_, T>,
        y: &mut [T],
    ) {
        let Images { batch, input, output, x } = *images;
        let geometry = Geometry::new(&self.spec, input, output);
        let (pixels_in, pixels_out) = (geometry.pixels_in(), geometry.pixels_out());
        assert!(
            x.len() == batch * self.spec.in_channels * pixels_in
                && y.len() == batch * self.spec.out_channels * pixels_out
                && epilogue.bias.is_none_or(|b| b.len() == self.spec.out_channels)
                && epilogue.residual.is_none_or(|r| r.len() == y.len()),
            "operands of other sizes than {batch} images of {input:?} and results of {output:?}"
        );
        if y.is_empty() {
            return;
        }
        match (&self.algorithm, T::DEPTHWISE) {
            (Algorithm::Depthwise(weights), Some(direct)) => {
                direct(threads, self.isa, &self.spec, &geometry, weights, x, epilogue, y);
            }
            (Algorithm::Gemm(weights), _) => {
                let groups = self.spec.groups;
                let (m, k) = (self.spec.out_channels / groups, self.spec.depth());
                let channels = self.spec.in_channels / groups * pixels_in;
                let parts: Vec<_> =
                    (0..batch * groups).map(|i| &x[i * channels..(i + 1) * channels]).collect();
                if self.spec.is_pointwise() {
                    let sources: Vec<_> =
                        parts.iter().map(|x| Strided::columns(x, pixels_in)).collect();
                    self.products(
                        threads,
                        weights,
                        GemmShape { m, n: pixels_out, k },
                        &sources,
                        epilogue,
                        y,
                    );
                } else {
                    let plans = Plans::new(&geometry, T::panel_columns(self.isa));
                    let sources: Vec<_> =
                        parts.iter().map(|x| T::patches(self.isa, x, &plans)).collect();
                    self.products(
                        threads,
                        weights,
                        GemmShape { m, n: pixels_out, k },
                        &sources,
                        epilogue,
                        y,
                    );
                }
            }
            (Algorithm::Depthwise(_), None) => {}
        }
    }

    /// A product per image and group.
    fn products(
        &self,
        threads: &Threads,
        weights: &[PackedA<T>],
        shape: GemmShape,
        sources: &[impl Source<T>],
        epilogue: &ConvEpilogue<'_, T>,
        y: &mut [T],
    ) {
        let GemmShape { m, n, .. } = shape;
        let y = Disjoint::new(y);
        let item = |i: usize| {
            let group = i % weights.len();
            let epilogue = Epilogue {
                row_bias: epilogue.bias.map(|b| &b[group * m..(group + 1) * m]),
                residual: epilogue.residual.map(|r| &r[i * m * n..(i + 1) * m * n]),
                activation: epilogue.activation,
                ..Epilogue::default()
            };
            // SAFETY: image and group `i` come once, and their results are this part of `y`.
            let c = Rows::new(unsafe { y.part(i * m * n..(i + 1) * m * n) }, n);
            Item { a: Lhs::Packed(&weights[group]), b: Rhs::Source(&sources[i]), epilogue, c }
        };
        products(threads, self.isa, shape, sources.len(), item)
    }
}

#[allow(clippy::too_many_arguments)]
fn depthwise_f32(
    threads: &Threads,
    isa: Isa,
    spec: &ConvSpec,
    geometry: &Geometry,
    weights: &[f32],
    x: &[f32],
    epilogue: &ConvEpilogue<'_, f32>,
    y: &mut [f32],
) {
    let layout = depthwise::Layout::new(geometry, depthwise::lanes(isa), 1);
    let (pixels_in, pixels_out) = (geometry.pixels_in(), geometry.pixels_out());
    let (taps, multiplier) = (spec.taps(), spec.out_channels / spec.groups);
    let limits = epilogue.activation.limits();
    // The results of an input channel follow one another.
    let row = multiplier * pixels_out;
    let work = |first: usize, y: &mut [f32]| {
        let mut padded = Scratch::<f32>::take(layout.scratch());
        padded.fill(0.0);
        for (i, y) in y.chunks_exact_mut(row).enumerate() {
            let channel = first + i;
            depthwise::pad(
                isa,
                &layout,
                &x[channel * pixels_in..(channel + 1) * pixels_in],
                &mut padded,
            );
            let group = channel % spec.groups;
            for (j, y) in y.chunks_exact_mut(pixels_out).enumerate() {
                let (out, i) = (group * multiplier + j, channel * multiplier + j);
                let finish = depthwise::Finish {
                    bias: epilogue.bias.map_or(0.0, |b| b[out]),
                    residual: epilogue.residual.map(|r| &r[i * pixels_out..(i + 1) * pixels_out]),
                    limits,
                };
                depthwise::channel(
                    isa,
                    &layout,
                    &padded,
                    &weights[out * taps..(out + 1) * taps],
                    &finish,
                    y,
                );
                if limits.is_none() {
                    epilogue.activation.apply(isa, y);
                }
            }
        }
    };
    // About 20 µs of work at a time.
    let cost = pixels_out * taps * multiplier + pixels_in;
    threads.for_rows_mut(y, row, (1 << 19) / cost.max(1) + 1, work);
}

#[cfg(test)]
mod tests;
