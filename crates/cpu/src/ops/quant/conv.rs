//! ConvInteger and QLinearConv.

use super::params::{factors, scales, signed, zero_points};
use crate::kernel::{Call, Compile, Kernel};
use crate::ops::contract::conv::{geometry, plan_dims, spec};
use trident_ir::{DType, OpKind};
use trident_kernels::conv::{ConvEpilogue8, ConvPlan8, Images};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// Where the operands of the op are: image, its zero point, weights, their zero point.
fn places(kind: OpKind) -> [usize; 4] {
    if kind == OpKind::ConvInteger { [0, 2, 1, 3] } else { [0, 2, 3, 5] }
}

struct Conv8 {
    isa: Isa,
    /// Constant weights, packed, with their dimensions and type.
    packed: Option<(ConvPlan8, Vec<usize>, DType)>,
    packed_operands: Vec<usize>,
    name: String,
}

/// The kernel of an integer convolution.
pub(super) fn kernel(cx: &Compile<'_>) -> Box<dyn Kernel> {
    let isa = Isa::detect();
    let [image, _, weights, _] = places(cx.op.kind);
    let packed = cx.constant(weights).and_then(|w| {
        let dims = plan_dims(cx, image, w.dims())?;
        let image_signed = cx.dtype(image)? == DType::I8;
        let plan = plan(cx.op, isa, &dims, image_signed, &w).ok()?;
        Some((plan, w.dims().to_vec(), w.dtype()))
    });
    let algorithm = packed.as_ref().map_or("int8.unpacked", |(plan, ..)| plan.name());
    let name = format!("conv.{algorithm}.{}", isa.name());
    let packed_operands = if packed.is_some() { vec![weights] } else { vec![] };
    Box::new(Conv8 { isa, packed, packed_operands, name })
}

fn plan(
    op: &trident_ir::Op,
    isa: Isa,
    x: &[usize],
    image_signed: bool,
    w: &Tensor,
) -> Result<ConvPlan8, KernelError> {
    let (_, windows) = geometry(op, x, w.dims())?;
    Ok(ConvPlan8::new(isa, spec(op, x, w.dims(), &windows), signed(w)?, image_signed, w.bytes()?))
}

impl Kernel for Conv8 {
    fn name(&self) -> &str {
        &self.name
    }

    fn packed(&self) -> &[usize] {
        &self.packed_operands
    }

    fn packed_bytes(&self) -> usize {
        self.packed.as_ref().map_or(0, |(plan, ..)| plan.bytes())
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let [image, image_zero, weights, weights_zero] = places(call.op.kind);
        let x = call.tensor(image)?;
        let x_signed = signed(&x)?;
        let made;
        let (plan, w_dims, w_type) = match &self.packed {
            Some((plan, dims, dtype)) => (plan, dims.clone(), *dtype),
            None => {
                let w = call.tensor(weights)?;
                made = plan(call.op, self.isa, x.dims(), x_signed, &w)?;
                (&made, w.dims().to_vec(), w.dtype())
            }
        };
        let (dims, _) = geometry(call.op, x.dims(), &w_dims)?;
        let x_zero = zero_points(call, image_zero, x.dtype(), 1)?[0];
        let w_zero = zero_points(call, weights_zero, w_type, dims[1])?;
        let (input, output) = (&x.dims()[2..], &dims[2..]);
        let images = Images { batch: dims[0], input, output, x: x.bytes()? };
        let sum = ConvEpilogue8::sum(x_zero, &w_zero);
        if call.op.kind == OpKind::ConvInteger {
            let mut out = call.alloc(0, DType::I32, &dims)?;
            let y = out.slice_mut::<i32>()?;
            plan.run(call.threads, &images, &sum, y);
            call.set(0, out);
            return Ok(());
        }
        let bias = match call.opt(8)? {
            Some(b) if b.dims() == [dims[1]] => b.slice::<i32>()?.to_vec(),
            None => vec![],
            Some(b) => {
                let b = b.dims();
                return Err(KernelError::shape(format!("bias {b:?}, expected [{}]", dims[1])));
            }
        };
        let scale = factors(
            DType::F32,
            &scales(call, 1, 1)?,
            &scales(call, 4, dims[1])?,
            scales(call, 6, 1)?[0],
        );
        let y_zero = call.tensor(7)?;
        let zero = zero_points(call, 7, y_zero.dtype(), 1)?[0];
        let epilogue = ConvEpilogue8 { bias: &bias, scale: &scale, zero, ..sum };
        let mut out = call.alloc(0, y_zero.dtype(), &dims)?;
        if signed(&y_zero)? {
            let y = out.slice_mut::<i8>()?;
            plan.run(call.threads, &images, &epilogue, y);
        } else {
            let y = out.slice_mut::<u8>()?;
            plan.run(call.threads, &images, &epilogue, y);
        }
        call.set(0, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn borders_hold_the_zero_point() {
        let x = tensor(&[1, 1, 2, 2], &[3u8, 4, 5, 6]);
        let w = tensor(&[1, 1, 2, 2], &[1u8, 1, 1, 1]);
        let attrs = [("pads", Attr::Ints(vec![1, 1, 0, 0]))];
        let y = run(OpKind::ConvInteger, &attrs, vec![x, w, tensor(&[], &[1u8])]).unwrap();
        assert_eq!(elements::<i32>(&y), [2, 5, 6, 14]);
    }

    #[test]
    fn requantises_by_channel() {
        let inputs = vec![
            tensor(&[1, 1, 1, 2], &[10u8, 20]),
            tensor(&[], &[0.5f32]),
            tensor(&[], &[10u8]),
            tensor(&[2, 1, 1, 1], &[2i8, -3]),
            tensor(&[2], &[1.0f32, 2.0]),
            tensor(&[2], &[0i8, 0]),
            tensor(&[], &[2.0f32]),
            tensor(&[], &[100u8]),
            tensor(&[2], &[4i32, 0]),
        ];
        // (0, 10) · 2 + 4 → 4, 24, times 0.25; (0, 10) · −3 → 0, −30, times 0.5.
        let y = run(OpKind::QLinearConv, &[], inputs).unwrap();
        assert_eq!(elements::<u8>(&y), [101, 106, 100, 85]);
    }
}
