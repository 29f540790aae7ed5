//! ConvInteger and QLinearConv.

use super::params::{factors, scales, signed, zero_points};
use crate::kernel::{Call, Compile, CpuKernel, Made};
use crate::ops::contract::conv::Convolution;
use trident_ir::DType;
use trident_ir::ops::{ConvInteger, QLinearConv};
use trident_kernels::conv::{ConvEpilogue8, ConvLayout8, ConvPlan8, Images};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

pub(super) fn conv_integer(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(ConvInteger::of)?, ConvInteger::AT);
    let conv = Convolution::new(op.window(), op.dilated(), op.auto_padded(), op.grouped());
    let [x, x_zero, w, w_zero] = [at.x, at.x_zero_point, at.w, at.w_zero_point];
    Conv8::boxed(cx, conv, Places { x, x_zero, w, w_zero, scaled: false })
}

pub(super) fn qlinear_conv(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(QLinearConv::of)?, QLinearConv::AT);
    let conv = Convolution::new(op.window(), op.dilated(), op.auto_padded(), op.grouped());
    let [x, x_zero, w, w_zero] = [at.x, at.x_zero_point, at.w, at.w_zero_point];
    Conv8::boxed(cx, conv, Places { x, x_zero, w, w_zero, scaled: true })
}

/// Where the operands that both ops have are.
struct Places {
    x: usize,
    x_zero: usize,
    w: usize,
    w_zero: usize,
    /// Whether the sums are scaled and rounded to 8 bits, as [`QLinearConv`] does.
    scaled: bool,
}

struct Conv8 {
    isa: Isa,
    conv: Convolution,
    at: Places,
    /// Constant weights, packed, with their dimensions and type.
    packed: Option<(ConvPlan8, Vec<usize>, DType)>,
    packed_operands: Vec<usize>,
    name: String,
}

impl Conv8 {
    fn boxed(cx: &Compile<'_>, conv: Convolution, at: Places) -> Made {
        let isa = Isa::detect();
        let packed = cx.constant(at.w).and_then(|w| {
            let dims = conv.plan_dims(cx, at.x, w.dims())?;
            let image_signed = cx.dtype(at.x)? == DType::I8;
            let plan = plan(&conv, isa, &dims, image_signed, &w).ok()?;
            Some((plan, w.dims().to_vec(), w.dtype()))
        });
        let algorithm = packed.as_ref().map_or("int8.unpacked", |(plan, ..)| plan.name());
        let name = format!("conv.{algorithm}.{}", isa.name());
        let packed_operands = if packed.is_some() { vec![at.w] } else { vec![] };
        Ok(Box::new(Conv8 { isa, conv, at, packed, packed_operands, name }))
    }
}

fn plan(
    conv: &Convolution,
    isa: Isa,
    x: &[usize],
    image_signed: bool,
    w: &Tensor,
) -> Result<ConvPlan8, KernelError> {
    let spec = conv.geometry(x, w.dims())?.spec.clone();
    Ok(ConvPlan8::new(isa, spec, signed(w)?, image_signed, w.bytes()?, ConvLayout8::DENSE))
}

impl CpuKernel for Conv8 {
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
        let Places { x, x_zero, w, w_zero, scaled } = self.at;
        let x = call.tensor(x)?;
        let x_signed = signed(&x)?;
        let made;
        let unpacked;
        let (plan, w_dims, w_type) = match &self.packed {
            Some((plan, dims, dtype)) => (plan, dims.as_slice(), *dtype),
            None => {
                unpacked = call.tensor(w)?;
                made = plan(&self.conv, self.isa, x.dims(), x_signed, &unpacked)?;
                (&made, unpacked.dims(), unpacked.dtype())
            }
        };
        let geometry = self.conv.geometry(x.dims(), w_dims)?;
        let dims = geometry.dims.as_slice();
        let x_zero = zero_points(call, x_zero, x.dtype(), 1)?[0];
        let w_zero = zero_points(call, w_zero, w_type, dims[1])?;
        let (input, output) = (&x.dims()[2..], &dims[2..]);
        let images = Images { batch: dims[0], input, output, x: x.bytes()? };
        let sum = ConvEpilogue8::sum(x_zero, &w_zero);
        if !scaled {
            let mut out = call.alloc(ConvInteger::AT.y, DType::I32, dims)?;
            let y = out.slice_mut::<i32>()?;
            plan.run(call.threads, &images, &sum, y);
            call.set(ConvInteger::AT.y, out);
            return Ok(());
        }
        let at = QLinearConv::AT;
        let bias = match call.opt(at.b)? {
            Some(b) if b.dims() == [dims[1]] => b.slice::<i32>()?.to_vec(),
            None => vec![],
            Some(b) => {
                let b = b.dims();
                return Err(KernelError::shape(format!(
                    "the bias has dimensions {b:?}, expected [{}]",
                    dims[1]
                )));
            }
        };
        let scale = factors(
            DType::F32,
            &scales(call, at.x_scale, 1)?,
            &scales(call, at.w_scale, dims[1])?,
            scales(call, at.y_scale, 1)?[0],
        );
        let y_zero = call.tensor(at.y_zero_point)?;
        let zero = zero_points(call, at.y_zero_point, y_zero.dtype(), 1)?[0];
        let epilogue = ConvEpilogue8 { bias: &bias, scale: &scale, zero, ..sum };
        let mut out = call.alloc(at.y, y_zero.dtype(), dims)?;
        if signed(&y_zero)? {
            let y = out.slice_mut::<i8>()?;
            plan.run(call.threads, &images, &epilogue, y);
        } else {
            let y = out.slice_mut::<u8>()?;
            plan.run(call.threads, &images, &epilogue, y);
        }
        call.set(at.y, out);
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
