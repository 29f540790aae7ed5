//! Convolution, with or without what fusion attaches to it.

use super::epilogue::activation;
use crate::kernel::{Call, Compile, CpuKernel, Last, Made};
use crate::ops::window::WindowSpec;
use crate::real::{Real, for_real, produce, read};
use std::sync::Arc;
use trident_ir::geometry::Window;
use trident_ir::op::words::AutoPad;
use trident_ir::ops::{self, AutoPadded, Conv, Dilated, FusedConv, FusedConvAt, Grouped};
use trident_kernels::UnaryFunction;
use trident_kernels::conv::{ConvEpilogue, ConvPlan, ConvScalar, ConvSpec, Images};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// Stands for spatial sizes that are not known: every window fits.
const ANY_SIZE: usize = 1 << 40;

/// Places of operands and results. [`Conv`] has the first of them.
const AT: FusedConvAt = FusedConv::AT;
const _: () = assert!(AT.x == Conv::AT.x && AT.w == Conv::AT.w && AT.b == Conv::AT.b);

pub(super) fn conv(cx: &Compile<'_>) -> Made {
    let op = cx.view(Conv::of)?;
    let conv = Convolution::new(op.window(), op.dilated(), op.auto_padded(), op.grouped());
    for_real!(cx, AT.x, R => Ok(Box::new(ConvKernel::<R>::new(cx, conv, UnaryFunction::None))))
}

pub(super) fn fused(cx: &Compile<'_>) -> Made {
    let op = cx.view(FusedConv::of)?;
    let conv = Convolution::new(op.window(), op.dilated(), op.auto_padded(), op.grouped());
    let activation = activation(op.activated());
    for_real!(cx, AT.x, R => Ok(Box::new(ConvKernel::<R>::new(cx, conv, activation))))
}

/// The attributes of a convolution, and its geometry for the last operands.
pub(in crate::ops) struct Convolution {
    windows: WindowSpec,
    group: i64,
    last: Last<Geometry>,
}

/// A convolution of operands of certain dimensions.
pub(in crate::ops) struct Geometry {
    /// Dimensions of the result.
    pub(in crate::ops) dims: Vec<usize>,
    /// The numeric kernel's view.
    pub(in crate::ops) spec: ConvSpec,
}

impl Convolution {
    pub(in crate::ops) fn new(
        window: ops::Window<'_>,
        dilated: Dilated<'_>,
        padded: AutoPadded<'_>,
        grouped: Grouped<'_>,
    ) -> Convolution {
        let windows = WindowSpec::new(window, dilated, padded.auto_pad());
        Convolution { windows, group: grouped.group(), last: Last::default() }
    }

    /// The geometry for an image and weights of these dimensions.
    pub(in crate::ops) fn geometry(
        &self,
        x: &[usize],
        w: &[usize],
    ) -> Result<Arc<Geometry>, KernelError> {
        self.last.of(&[x, w], || {
            let (dims, windows) = self.windows.convolve(x, w, self.group)?;
            let each = |f: fn(&Window) -> usize| windows.iter().map(f).collect();
            let spec = ConvSpec {
                in_channels: x[1],
                out_channels: w[0],
                groups: self.group as usize,
                kernel: each(|w| w.kernel),
                strides: each(|w| w.stride),
                dilations: each(|w| w.dilation),
                pads_begin: each(|w| w.before),
                pads_end: each(|w| w.after),
            };
            Ok(Geometry { dims, spec })
        })
    }

    /// Dimensions of the image good enough to choose windows by: its own, if they are `known`. `None` if borders depend on an image
    /// size that is not known.
    pub(in crate::ops) fn plan_dims(
        &self,
        known: Option<Vec<usize>>,
        w: &[usize],
    ) -> Option<Vec<usize>> {
        if known.is_some() {
            return known;
        }
        let by_size = matches!(self.windows.auto_pad(), AutoPad::SameUpper | AutoPad::SameLower);
        if w.len() < 2 || by_size {
            return None;
        }
        let mut dims = vec![ANY_SIZE; w.len()];
        dims[1] = w[1].checked_mul(usize::try_from(self.group).ok()?)?;
        Some(dims)
    }
}

/// A convolution that computes in `R`: float types narrower than f32 compute in f32.
struct ConvKernel<R: ConvScalar> {
    isa: Isa,
    conv: Convolution,
    activation: UnaryFunction,
    /// Weights that are constant, packed, with their dimensions.
    packed: Option<(ConvPlan<R>, Vec<usize>)>,
    name: String,
}

impl<R: Real + ConvScalar> ConvKernel<R> {
    fn new(cx: &Compile<'_>, conv: Convolution, activation: UnaryFunction) -> Self {
        let isa = Isa::detect();
        let packed = cx.constant(AT.w).and_then(|w| Self::pack(cx, isa, &conv, &w));
        let algorithm = packed.as_ref().map_or("unpacked", |(plan, _)| plan.name());
        let name = format!("conv.{algorithm}.{}", isa.name());
        ConvKernel { isa, conv, activation, packed, name }
    }

    /// Packs constant weights, unless the borders depend on an image size that is not known.
    fn pack(
        cx: &Compile<'_>,
        isa: Isa,
        conv: &Convolution,
        w: &Tensor,
    ) -> Option<(ConvPlan<R>, Vec<usize>)> {
        let dims = conv.plan_dims(cx.dims(AT.x), w.dims())?;
        let spec = conv.geometry(&dims, w.dims()).ok()?.spec.clone();
        let plan = ConvPlan::new(cx.threads, isa, spec, &read::<R>(w).ok()?);
        Some((plan, w.dims().to_vec()))
    }
}

impl<R: Real + ConvScalar> CpuKernel for ConvKernel<R> {
    fn name(&self) -> &str {
        &self.name
    }

    fn packed(&self) -> &[usize] {
        if self.packed.is_some() { &[AT.w] } else { &[] }
    }

    fn packed_bytes(&self) -> usize {
        self.packed.as_ref().map_or(0, |(plan, _)| plan.bytes())
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let x = call.tensor(AT.x)?;
        let (bias, residual) = (call.opt(AT.b)?, call.opt(AT.residual)?);
        let made;
        let (plan, geometry) = match &self.packed {
            Some((plan, w)) => (plan, self.conv.geometry(x.dims(), w)?),
            None => {
                let w = call.tensor(AT.w)?;
                let geometry = self.conv.geometry(x.dims(), w.dims())?;
                let spec = geometry.spec.clone();
                made = ConvPlan::new(call.threads, self.isa, spec, &read::<R>(&w)?);
                (&made, geometry)
            }
        };
        let dims = &geometry.dims;
        if bias.as_ref().is_some_and(|b| b.dims() != [dims[1]]) {
            return Err(KernelError::shape(format!("the bias must have dimensions [{}]", dims[1])));
        }
        if residual.as_ref().is_some_and(|r| r.dims() != *dims) {
            return Err(KernelError::shape(format!("the residual must have dimensions {dims:?}")));
        }
        let bias = bias.as_ref().map(read::<R>).transpose()?;
        let residual = residual.as_ref().map(read::<R>).transpose()?;
        let (input, threads) = (read::<R>(&x)?, call.threads);
        let epilogue = ConvEpilogue {
            bias: bias.as_deref(),
            residual: residual.as_deref(),
            activation: self.activation,
        };
        produce::<R>(call, AT.y, x.dtype(), dims, |y| {
            let (image, out) = (&x.dims()[2..], &dims[2..]);
            let images = Images { batch: dims[0], input: image, output: out, x: &input };
            plan.run(threads, &images, &epilogue, y);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_in_turn, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    /// Direct sums in f64 of a 2-D convolution of one image.
    #[allow(clippy::too_many_arguments)]
    fn naive(
        x: &[f32],
        (c, h, w): (usize, usize, usize),
        k: &[f32],
        (m, kh, kw): (usize, usize, usize),
        group: usize,
        stride: usize,
        pad: usize,
    ) -> Vec<f64> {
        let (oh, ow) = ((h + 2 * pad - kh) / stride + 1, (w + 2 * pad - kw) / stride + 1);
        let (cg, mg) = (c / group, m / group);
        let mut y = vec![];
        for o in 0..m {
            for (i, j) in (0..oh).flat_map(|i| (0..ow).map(move |j| (i, j))) {
                let mut sum = 0.0;
                for ci in 0..cg {
                    for (a, b) in (0..kh).flat_map(|a| (0..kw).map(move |b| (a, b))) {
                        let (r, s) = (i * stride + a, j * stride + b);
                        if r < pad || s < pad || r - pad >= h || s - pad >= w {
                            continue;
                        }
                        let xi = ((o / mg * cg + ci) * h + r - pad) * w + s - pad;
                        sum += f64::from(x[xi]) * f64::from(k[((o * cg + ci) * kh + a) * kw + b]);
                    }
                }
                y.push(sum);
            }
        }
        y
    }

    #[test]
    fn agrees_with_direct_sums_and_ignores_the_thread_count() {
        let wave = |n: usize| (0..n).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<_>>();
        for (c, m, group, stride, pad) in
            [(3, 8, 1, 1, 1), (4, 6, 2, 2, 0), (5, 5, 5, 1, 1), (4, 8, 4, 2, 1)]
        {
            let (x, w, b) = (wave(c * 63), wave(m * c / group * 9), wave(m));
            let attrs = [
                ("group", Attr::Int(group as i64)),
                ("strides", Attr::Ints(vec![stride as i64; 2])),
                ("pads", Attr::Ints(vec![pad as i64; 4])),
                ("activation", Attr::Str("relu".into())),
            ];
            let inputs = || {
                [tensor(&[1, c, 7, 9], &x), tensor(&[m, c / group, 3, 3], &w), tensor(&[m], &b)]
                    .map(Some)
                    .to_vec()
            };
            let y = run_on(1, OpKind::FusedConv, &attrs, inputs(), 1).unwrap();
            let want = naive(&x, (c, 7, 9), &w, (m, 3, 3), group, stride, pad);
            let got = elements::<f32>(&y[0]);
            assert_eq!(got.len(), want.len());
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                let want = (want + f64::from(b[i / (want_pixels(&y[0]))])).max(0.0);
                assert!((f64::from(*got) - want).abs() < 1e-4, "{got} {want}");
            }
            let two = run_on(2, OpKind::FusedConv, &attrs, inputs(), 1).unwrap();
            assert_eq!(got, elements::<f32>(&two[0]));
        }
    }

    fn want_pixels(y: &trident_runtime::Value) -> usize {
        y.as_tensor().unwrap().dims()[2..].iter().product()
    }

    #[test]
    fn misfits_are_errors() {
        let x = || tensor(&[1, 2, 3, 3], &[0.0f32; 18]);
        let bad = [
            tensor(&[1, 3, 1, 1], &[0.0f32; 3]),
            tensor(&[1, 2, 4, 4], &[0.0f32; 32]),
            tensor(&[1], &[0.0f32]),
        ];
        for w in bad {
            assert!(run(OpKind::Conv, &[], vec![x(), w]).is_err());
        }
        let w = tensor(&[1, 2, 1, 1], &[0.0f32; 2]);
        let group = [("group", Attr::Int(0))];
        assert!(run(OpKind::Conv, &group, vec![x(), w.clone()]).is_err());
        assert!(run(OpKind::Conv, &[], vec![x(), w, tensor(&[2], &[0.0f32; 2])]).is_err());
    }

    #[test]
    fn one_kernel_takes_images_and_weights_of_any_size() {
        let wave = |n: usize| (0..n).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<_>>();
        let operands = |side: usize, taps: usize| {
            let x = tensor(&[1, 2, side, side], &wave(2 * side * side));
            vec![x, tensor(&[3, 2, taps, taps], &wave(6 * taps * taps))]
        };
        let sizes = [(5, 3), (8, 3), (8, 2), (5, 3)];
        let calls = || sizes.map(|(side, taps)| operands(side, taps)).to_vec();
        for auto_pad in ["NOTSET", "SAME_UPPER"] {
            let attrs = [("auto_pad", Attr::Str(auto_pad.into()))];
            let turns = run_in_turn(OpKind::Conv, &attrs, calls()).unwrap();
            for (turn, operands) in turns.iter().zip(calls()) {
                let alone = run(OpKind::Conv, &attrs, operands).unwrap();
                assert_eq!(turn.as_tensor().unwrap().dims(), alone.as_tensor().unwrap().dims());
                assert_eq!(elements::<f32>(turn), elements::<f32>(&alone));
            }
        }
        // The weights may change where the dimensions do not.
        let x = || tensor(&[1, 1, 1, 1], &[3.0f32]);
        let turns = [2.0f32, 5.0].map(|w| vec![x(), tensor(&[1, 1, 1, 1], &[w])]).to_vec();
        let y = run_in_turn(OpKind::Conv, &[], turns).unwrap();
        assert_eq!([elements::<f32>(&y[0]), elements(&y[1])], [[6.0], [15.0]]);
    }
}
