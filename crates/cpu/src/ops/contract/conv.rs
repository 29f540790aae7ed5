//! Convolution, with or without what fusion attaches to it.

use super::epilogue::activation;
use crate::kernel::{Call, Compile, Kernel};
use crate::real::{Real, produce, read};
use trident_ir::geometry::{Window, conv_dims};
use trident_ir::{DType, Op};
use trident_kernels::Activation;
use trident_kernels::conv::{ConvEpilogue, ConvPlan, ConvScalar, ConvSpec, Images};
use trident_runtime::{Declined, KernelError, Tensor};
use trident_simd::Isa;

/// Stands for spatial sizes that are not known: every window fits.
const ANY_SIZE: usize = 1 << 40;

/// The kernel of a convolution; float types narrower than f32 compute in f32.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
    match cx.dtype(0) {
        Some(DType::F64) => Ok(Box::new(Conv::<f64>::new(cx)?)),
        Some(DType::F32 | DType::F16 | DType::BF16) => Ok(Box::new(Conv::<f32>::new(cx)?)),
        other => Err(cx.declined(format!("element type {other:?} is not a float type"))),
    }
}

struct Conv<R: ConvScalar> {
    isa: Isa,
    activation: Activation,
    /// Weights that are constant, packed, with their dimensions.
    packed: Option<(ConvPlan<R>, Vec<usize>)>,
    name: String,
}

/// Result dimensions and windows of the op for operands of these dimensions.
pub(in crate::ops) fn geometry(
    op: &Op,
    x: &[usize],
    w: &[usize],
) -> Result<(Vec<usize>, Vec<Window>), KernelError> {
    Ok(conv_dims(
        x,
        w,
        op.int("group").unwrap_or(1),
        op.ints("kernel_shape"),
        op.ints("strides"),
        op.ints("dilations"),
        op.ints("pads"),
        op.str("auto_pad").unwrap_or("NOTSET"),
    )?)
}

/// Dimensions of the image (operand `i`) good enough to choose windows by; `None` if borders depend on an image size that is
/// not known.
pub(in crate::ops) fn plan_dims(cx: &Compile<'_>, i: usize, w: &[usize]) -> Option<Vec<usize>> {
    if let Some(dims) = cx.dims(i) {
        return Some(dims);
    }
    let auto = cx.op.str("auto_pad").unwrap_or("NOTSET");
    if w.len() < 2 || !matches!(auto, "NOTSET" | "VALID") {
        return None;
    }
    let group = usize::try_from(cx.op.int("group")?).ok()?;
    let mut dims = vec![ANY_SIZE; w.len()];
    dims[1] = w[1].checked_mul(group)?;
    Some(dims)
}

/// The numeric kernel's view of a checked geometry.
pub(in crate::ops) fn spec(op: &Op, x: &[usize], w: &[usize], windows: &[Window]) -> ConvSpec {
    let each = |f: fn(&Window) -> usize| windows.iter().map(f).collect();
    ConvSpec {
        in_channels: x[1],
        out_channels: w[0],
        groups: op.int("group").map_or(1, |g| g as usize),
        kernel: each(|w| w.kernel),
        strides: each(|w| w.stride),
        dilations: each(|w| w.dilation),
        pads_begin: each(|w| w.before),
        pads_end: each(|w| w.after),
    }
}

impl<R: Real + ConvScalar> Conv<R> {
    fn new(cx: &Compile<'_>) -> Result<Self, Declined> {
        let isa = Isa::detect();
        let packed = cx.constant(1).and_then(|w| Self::pack(cx, isa, &w));
        let algorithm = packed.as_ref().map_or("unpacked", |(plan, _)| plan.name());
        let name = format!("conv.{algorithm}.{}", isa.name());
        Ok(Conv { isa, activation: activation(cx.op)?, packed, name })
    }

    /// Packs constant weights, unless the borders depend on an image size that is not known.
    fn pack(cx: &Compile<'_>, isa: Isa, w: &Tensor) -> Option<(ConvPlan<R>, Vec<usize>)> {
        let dims = plan_dims(cx, 0, w.dims())?;
        let (_, windows) = geometry(cx.op, &dims, w.dims()).ok()?;
        let spec = spec(cx.op, &dims, w.dims(), &windows);
        let plan = ConvPlan::new(cx.threads, isa, spec, &read::<R>(w).ok()?);
        Some((plan, w.dims().to_vec()))
    }
}

impl<R: Real + ConvScalar> Kernel for Conv<R> {
    fn name(&self) -> &str {
        &self.name
    }

    fn packed(&self) -> &[usize] {
        if self.packed.is_some() { &[1] } else { &[] }
    }

    fn packed_bytes(&self) -> usize {
        self.packed.as_ref().map_or(0, |(plan, _)| plan.bytes())
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let x = call.tensor(0)?;
        let (bias, residual) = (call.opt(2)?, call.opt(3)?);
        let made;
        let (plan, dims) = match &self.packed {
            Some((plan, w)) => (plan, geometry(call.op, x.dims(), w)?.0),
            None => {
                let w = call.tensor(1)?;
                let (dims, windows) = geometry(call.op, x.dims(), w.dims())?;
                let spec = spec(call.op, x.dims(), w.dims(), &windows);
                made = ConvPlan::new(call.threads, self.isa, spec, &read::<R>(&w)?);
                (&made, dims)
            }
        };
        if bias.as_ref().is_some_and(|b| b.dims() != [dims[1]]) {
            return Err(KernelError::shape(format!("the bias must have dimensions [{}]", dims[1])));
        }
        if residual.as_ref().is_some_and(|r| r.dims() != dims) {
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
        produce::<R>(call, 0, x.dtype(), &dims, |y| {
            let (image, out) = (&x.dims()[2..], &dims[2..]);
            let images = Images { batch: dims[0], input: image, output: out, x: &input };
            plan.run(threads, &images, &epilogue, y);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
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
}
