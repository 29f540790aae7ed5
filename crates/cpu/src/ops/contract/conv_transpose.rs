//! Transposed convolution.

use crate::kernel::{Call, Compile, Kernel};
use crate::real::{Real, produce, read};
use trident_ir::geometry::{TransposedConv, transposed_conv};
use trident_ir::{DType, Op};
use trident_kernels::Activation;
use trident_kernels::conv::{ConvEpilogue, ConvScalar, ConvSpec, ConvTransposePlan, Images};
use trident_runtime::{Declined, KernelError};
use trident_simd::Isa;

/// The kernel of a transposed convolution; float types narrower than f32 compute in f32.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
    match cx.dtype(0) {
        Some(DType::F64) => Ok(Box::new(ConvTranspose::<f64>::new(cx))),
        Some(DType::F32 | DType::F16 | DType::BF16) => Ok(Box::new(ConvTranspose::<f32>::new(cx))),
        other => Err(cx.declined(format!("element type {other:?} is not a float type"))),
    }
}

/// Weights that are constant are packed if the borders do not depend on an image size that is not known.
struct ConvTranspose<R: ConvScalar> {
    isa: Isa,
    packed: Option<(ConvTransposePlan<R>, Vec<usize>)>,
    name: String,
}

fn geometry(op: &Op, x: &[usize], w: &[usize]) -> Result<TransposedConv, KernelError> {
    Ok(transposed_conv(
        x,
        w,
        op.int("group").unwrap_or(1),
        op.ints("kernel_shape"),
        op.ints("strides"),
        op.ints("dilations"),
        op.ints("pads"),
        op.ints("output_padding"),
        op.ints("output_shape"),
        op.str("auto_pad").unwrap_or("NOTSET"),
    )?)
}

/// The numeric kernel's view of a checked geometry: it needs no border behind, as it is told the size of the result.
fn spec(op: &Op, x: &[usize], geometry: &TransposedConv) -> Result<ConvSpec, KernelError> {
    let axes = &geometry.axes;
    let before = axes.iter().map(|a| usize::try_from(a.before)).collect::<Result<_, _>>();
    Ok(ConvSpec {
        in_channels: x[1],
        out_channels: geometry.dims[1],
        groups: op.int("group").map_or(1, |g| g as usize),
        kernel: axes.iter().map(|a| a.kernel).collect(),
        strides: axes.iter().map(|a| a.stride).collect(),
        dilations: axes.iter().map(|a| a.dilation).collect(),
        pads_begin: before.map_err(|_| KernelError::shape("a border is negative"))?,
        pads_end: vec![0; axes.len()],
    })
}

impl<R: Real + ConvScalar> ConvTranspose<R> {
    fn new(cx: &Compile<'_>) -> Self {
        let isa = Isa::detect();
        let packed = cx.constant(1).zip(cx.dims(0)).and_then(|(w, x)| {
            let geometry = geometry(cx.op, &x, w.dims()).ok()?;
            let spec = spec(cx.op, &x, &geometry).ok()?;
            let plan = ConvTransposePlan::new(isa, spec, &read::<R>(&w).ok()?);
            Some((plan, w.dims().to_vec()))
        });
        ConvTranspose { isa, packed, name: format!("conv_transpose.{}", isa.name()) }
    }
}

impl<R: Real + ConvScalar> Kernel for ConvTranspose<R> {
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
        let (x, bias) = (call.tensor(0)?, call.opt(2)?);
        let made;
        let (plan, geometry) = match &self.packed {
            Some((plan, w)) => (plan, geometry(call.op, x.dims(), w)?),
            None => {
                let w = call.tensor(1)?;
                let geometry = geometry(call.op, x.dims(), w.dims())?;
                let spec = spec(call.op, x.dims(), &geometry)?;
                made = ConvTransposePlan::new(self.isa, spec, &read::<R>(&w)?);
                (&made, geometry)
            }
        };
        let dims = &geometry.dims;
        if bias.as_ref().is_some_and(|b| b.dims() != [dims[1]]) {
            return Err(KernelError::shape(format!("the bias must have dimensions [{}]", dims[1])));
        }
        let bias = bias.as_ref().map(read::<R>).transpose()?;
        let epilogue =
            ConvEpilogue { bias: bias.as_deref(), residual: None, activation: Activation::None };
        let (input, threads) = (read::<R>(&x)?, call.threads);
        produce::<R>(call, 0, x.dtype(), dims, |y| {
            let (image, out) = (&x.dims()[2..], &dims[2..]);
            let images = Images { batch: dims[0], input: image, output: out, x: &input };
            plan.run(threads, &images, &epilogue, y);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn spreads_pixels_over_their_taps() {
        let x = tensor(&[1, 1, 2], &[1.0f32, 10.0]);
        let w = tensor(&[1, 1, 3], &[1.0f32, 2.0, 3.0]);
        let strides = [("strides", Attr::Ints(vec![2]))];
        let y = run(OpKind::ConvTranspose, &strides, vec![x, w]).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, 2.0, 13.0, 20.0, 30.0]);
    }

    #[test]
    fn groups_have_their_own_maps_and_borders_are_cut() {
        let x = tensor(&[1, 2, 2], &[1.0f64, 2.0, 3.0, 4.0]);
        let w = tensor(&[2, 1, 2], &[1.0f64, 10.0, 1.0, 100.0]);
        let b = tensor(&[2], &[0.5f64, 0.0]);
        let attrs = [("group", Attr::Int(2)), ("pads", Attr::Ints(vec![1, 0]))];
        let y = run(OpKind::ConvTranspose, &attrs, vec![x, w, b]).unwrap();
        assert_eq!(elements::<f64>(&y), [12.5, 20.5, 304.0, 400.0]);
    }
}
