//! Transposed convolution.

use crate::kernel::{Call, Compile, CpuKernel, Last, Made};
use crate::ops::window::WindowSpec;
use crate::real::{Real, for_real, produce, read};
use std::sync::Arc;
use trident_ir::ops::{ConvTranspose, ConvTransposeAt};
use trident_kernels::UnaryFunction;
use trident_kernels::conv::{ConvEpilogue, ConvScalar, ConvSpec, ConvTransposePlan, Images};
use trident_runtime::KernelError;
use trident_simd::Isa;

const AT: ConvTransposeAt = ConvTranspose::AT;

pub(super) fn conv_transpose(cx: &Compile<'_>) -> Made {
    let op = cx.view(ConvTranspose::of)?;
    let list = |list: Option<&[i64]>| list.map(<[i64]>::to_vec);
    let form = Form {
        windows: WindowSpec::new(op.window(), op.dilated(), op.auto_pad()),
        group: op.group(),
        padding: list(op.output_padding()),
        shape: list(op.output_shape()),
        last: Last::default(),
    };
    for_real!(cx, AT.x, R => Ok(Box::new(Transposed::<R>::new(cx, form))))
}

/// The attributes of a transposed convolution, and its geometry for the last operands.
struct Form {
    windows: WindowSpec,
    group: i64,
    padding: Option<Vec<i64>>,
    shape: Option<Vec<i64>>,
    last: Last<Geometry>,
}

/// A transposed convolution of operands of certain dimensions.
struct Geometry {
    /// Dimensions of the result.
    dims: Vec<usize>,
    /// The numeric kernel's specification. It needs no border at the end, because it is given the size of the result.
    spec: ConvSpec,
}

impl Form {
    fn geometry(&self, x: &[usize], w: &[usize]) -> Result<Arc<Geometry>, KernelError> {
        self.last.of(&[x, w], || {
            let sizes = [self.padding.as_deref(), self.shape.as_deref()];
            let found = self.windows.transpose(x, w, self.group, sizes)?;
            let axes = &found.axes;
            let before = axes.iter().map(|a| usize::try_from(a.before)).collect::<Result<_, _>>();
            let spec = ConvSpec {
                in_channels: x[1],
                out_channels: found.dims[1],
                groups: self.group as usize,
                kernel: axes.iter().map(|a| a.kernel).collect(),
                strides: axes.iter().map(|a| a.stride).collect(),
                dilations: axes.iter().map(|a| a.dilation).collect(),
                pads_begin: before.map_err(|_| {
                    KernelError::shape(
                        "attribute `pads` leads to a negative border, which is not supported",
                    )
                })?,
                pads_end: vec![0; axes.len()],
            };
            Ok(Geometry { dims: found.dims, spec })
        })
    }
}

/// A transposed convolution that computes in `R`: float types narrower than f32 compute in f32.
struct Transposed<R: ConvScalar> {
    isa: Isa,
    form: Form,
    /// Weights that are constant, packed, with their dimensions, where the size of the image is known.
    packed: Option<(ConvTransposePlan<R>, Vec<usize>)>,
    name: String,
}

impl<R: Real + ConvScalar> Transposed<R> {
    fn new(cx: &Compile<'_>, form: Form) -> Self {
        let isa = Isa::detect();
        let packed = cx.constant(AT.w).zip(cx.dims(AT.x)).and_then(|(w, x)| {
            let spec = form.geometry(&x, w.dims()).ok()?.spec.clone();
            let plan = ConvTransposePlan::new(isa, spec, &read::<R>(&w).ok()?);
            Some((plan, w.dims().to_vec()))
        });
        Transposed { isa, form, packed, name: format!("conv_transpose.{}", isa.name()) }
    }
}

impl<R: Real + ConvScalar> CpuKernel for Transposed<R> {
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
        let (x, bias) = (call.tensor(AT.x)?, call.opt(AT.b)?);
        let made;
        let (plan, geometry) = match &self.packed {
            Some((plan, w)) => (plan, self.form.geometry(x.dims(), w)?),
            None => {
                let w = call.tensor(AT.w)?;
                let geometry = self.form.geometry(x.dims(), w.dims())?;
                let spec = geometry.spec.clone();
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
            ConvEpilogue { bias: bias.as_deref(), residual: None, activation: UnaryFunction::None };
        let (input, threads) = (read::<R>(&x)?, call.threads);
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
