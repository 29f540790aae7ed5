//! ConvInteger and QLinearConv, the latter also between images in blocks of channels.

use super::params::{factors, scales, signed, zero_points};
use crate::kernel::{Call, Compile, CpuKernel, Made};
use crate::ops::contract::conv::Convolution;
use std::borrow::Cow;
use trident_ir::ops::{BlockedQLinearConv, ConvInteger, QLinearConv};
use trident_ir::{DType, geometry};
use trident_kernels::conv::{ConvEpilogue8, ConvLayout8, ConvPlan8, Images};
use trident_runtime::{Declined, KernelError, Tensor};
use trident_simd::Isa;

/// The axis of channels, and the channels of a block.
const CHANNELS: i64 = 1;
const BLOCK: i64 = ConvLayout8::BLOCK as i64;

pub(super) fn conv_integer(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(ConvInteger::of)?, ConvInteger::AT);
    let conv = Convolution::new(op.window(), op.dilated(), op.auto_padded(), op.grouped());
    let [x, x_zero, w, w_zero] = [at.x, at.x_zero_point, at.w, at.w_zero_point];
    let places = Places { x, x_zero, w, w_zero, scaled: false };
    Conv8::boxed(cx, conv, places, ConvLayout8::DENSE)
}

pub(super) fn qlinear_conv(cx: &Compile<'_>) -> Made {
    let op = cx.view(QLinearConv::of)?;
    let conv = Convolution::new(op.window(), op.dilated(), op.auto_padded(), op.grouped());
    Conv8::boxed(cx, conv, SCALED, ConvLayout8::DENSE)
}

pub(super) fn blocked_qlinear_conv(cx: &Compile<'_>) -> Made {
    let op = cx.view(BlockedQLinearConv::of)?;
    let conv = Convolution::new(op.window(), op.dilated(), op.auto_padded(), op.grouped());
    let blocked_image = is_blocked(cx, "x_block", op.x_block())?;
    let blocked_result = is_blocked(cx, "y_block", op.y_block())?;
    Conv8::boxed(cx, conv, SCALED, ConvLayout8 { blocked_image, blocked_result })
}

fn is_blocked(cx: &Compile<'_>, name: &'static str, block: i64) -> Result<bool, Declined> {
    match block {
        0 => Ok(false),
        BLOCK => Ok(true),
        other => {
            let reason = format!("there are no kernels for blocks of {other}, only of {BLOCK}");
            Err(cx.refused(KernelError::attr(name, reason)))
        }
    }
}

/// Where the operands that all of these ops have are.
struct Places {
    x: usize,
    x_zero: usize,
    w: usize,
    w_zero: usize,
    /// Whether the sums are scaled and rounded to 8 bits, as [`QLinearConv`] does.
    scaled: bool,
}

/// The places of [`QLinearConv`], which are those of [`BlockedQLinearConv`].
const SCALED: Places = {
    let at = QLinearConv::AT;
    let [x, x_zero, w, w_zero] = [at.x, at.x_zero_point, at.w, at.w_zero_point];
    Places { x, x_zero, w, w_zero, scaled: true }
};
const _: () = {
    let (a, b) = (QLinearConv::AT, BlockedQLinearConv::AT);
    assert!(a.x == b.x && a.x_scale == b.x_scale && a.x_zero_point == b.x_zero_point);
    assert!(a.w == b.w && a.w_scale == b.w_scale && a.w_zero_point == b.w_zero_point);
    assert!(a.y_scale == b.y_scale && a.y_zero_point == b.y_zero_point && a.b == b.b);
};

struct Conv8 {
    isa: Isa,
    conv: Convolution,
    at: Places,
    layout: ConvLayout8,
    /// Constant weights, packed, with their dimensions and type.
    packed: Option<(ConvPlan8, Vec<usize>, DType)>,
    packed_operands: Vec<usize>,
    name: String,
}

impl Conv8 {
    fn boxed(cx: &Compile<'_>, conv: Convolution, at: Places, layout: ConvLayout8) -> Made {
        let isa = Isa::detect();
        let mut conv8 = Conv8 {
            isa,
            conv,
            at,
            layout,
            packed: None,
            packed_operands: vec![],
            name: String::new(),
        };
        conv8.packed = cx.constant(conv8.at.w).and_then(|w| conv8.pack(cx, &w));
        if conv8.packed.is_some() {
            conv8.packed_operands.push(conv8.at.w);
        }
        let algorithm = conv8.packed.as_ref().map_or("int8.unpacked", |(plan, ..)| plan.name());
        conv8.name = format!("conv.{algorithm}.{}", isa.name());
        Ok(Box::new(conv8))
    }

    fn pack(&self, cx: &Compile<'_>, w: &Tensor) -> Option<(ConvPlan8, Vec<usize>, DType)> {
        let known = cx.dims(self.at.x).and_then(|dims| Some(self.image(&dims).ok()?.into_owned()));
        let dims = self.conv.plan_dims(known, w.dims())?;
        let image_signed = cx.dtype(self.at.x)? == DType::I8;
        let plan = self.plan(&dims, image_signed, w).ok()?;
        Some((plan, w.dims().to_vec(), w.dtype()))
    }

    /// The row-major dimensions of an image, which may be in blocks.
    fn image<'a>(&self, dims: &'a [usize]) -> Result<Cow<'a, [usize]>, KernelError> {
        Ok(match self.layout.blocked_image {
            true => Cow::Owned(geometry::unpack(dims, CHANNELS, BLOCK)?),
            false => Cow::Borrowed(dims),
        })
    }

    fn plan(
        &self,
        image: &[usize],
        image_signed: bool,
        w: &Tensor,
    ) -> Result<ConvPlan8, KernelError> {
        let spec = self.conv.geometry(image, w.dims())?.spec.clone();
        if !self.layout.fits(&spec) {
            return Err(KernelError::shape(format!(
                "{} input channels and {} output channels in groups of {} do not divide into blocks of {BLOCK}",
                spec.in_channels, spec.out_channels, spec.groups
            )));
        }
        Ok(ConvPlan8::new(self.isa, spec, signed(w)?, image_signed, w.bytes()?, self.layout))
    }
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
        let image = self.image(x.dims())?;
        let x_signed = signed(&x)?;
        let made;
        let unpacked;
        let (plan, w_dims, w_type) = match &self.packed {
            Some((plan, dims, dtype)) => (plan, dims.as_slice(), *dtype),
            None => {
                unpacked = call.tensor(w)?;
                made = self.plan(&image, x_signed, &unpacked)?;
                (&made, unpacked.dims(), unpacked.dtype())
            }
        };
        let geometry = self.conv.geometry(&image, w_dims)?;
        let dims = geometry.dims.as_slice();
        let x_zero = zero_points(call, x_zero, x.dtype(), 1)?[0];
        let w_zero = zero_points(call, w_zero, w_type, dims[1])?;
        let (input, output) = (&image[2..], &dims[2..]);
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
        let mut out = match self.layout.blocked_result {
            true => {
                let dims = geometry::pack(dims, CHANNELS, BLOCK)?;
                call.alloc(at.y, y_zero.dtype(), &dims)?
            }
            false => call.alloc(at.y, y_zero.dtype(), dims)?,
        };
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
    use trident_runtime::{KernelError, Value};

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

    /// A convolution of 8 channels in `group` groups, with its sides in blocks of `blocks` channels.
    fn in_blocks(
        kind: OpKind,
        group: usize,
        blocks: [i64; 2],
        batch: usize,
    ) -> Result<Value, KernelError> {
        let byte = |i: usize| (i * 37 % 251) as u8;
        let x: Vec<u8> = (0..batch * 8 * 30).map(byte).collect();
        let mut x = tensor(&[batch, 8, 5, 6], &x);
        let axis = [("block", Attr::Int(4))];
        if blocks[0] == 4 {
            x = run(OpKind::Pack, &axis, vec![x])?;
        }
        let w: Vec<i8> = (0..8 * 8 / group * 9).map(|i| byte(i) as i8).collect();
        let scales: Vec<f32> = (0..8).map(|i| 0.001 + i as f32 * 0.0005).collect();
        let inputs = vec![
            x,
            tensor(&[], &[0.5f32]),
            tensor(&[], &[7u8]),
            tensor(&[8, 8 / group, 3, 3], &w),
            tensor(&[8], &scales),
            tensor(&[8], &[0i8, 1, 0, -2, 0, 0, 3, 0]),
            tensor(&[], &[0.25f32]),
            tensor(&[], &[100u8]),
            tensor(&[8], &[4i32, 0, -900, 2000, 0, 1, 2, 3]),
        ];
        let mut attrs = vec![
            ("group", Attr::Int(group as i64)),
            ("pads", Attr::Ints(vec![1; 4])),
            ("strides", Attr::Ints(vec![2, 1])),
        ];
        if kind == OpKind::BlockedQLinearConv {
            attrs.extend([("x_block", Attr::Int(blocks[0])), ("y_block", Attr::Int(blocks[1]))]);
        }
        let y = run(kind, &attrs, inputs)?;
        if blocks[1] == 4 { run(OpKind::Unpack, &axis, vec![y]) } else { Ok(y) }
    }

    #[test]
    fn blocks_change_no_bit() {
        for (group, batch) in [(1, 2), (2, 1), (8, 2), (1, 0)] {
            let dense = in_blocks(OpKind::QLinearConv, group, [0, 0], batch).unwrap();
            for blocks in [[0, 0], [4, 0], [0, 4], [4, 4]] {
                let y = in_blocks(OpKind::BlockedQLinearConv, group, blocks, batch).unwrap();
                assert_eq!(y.as_tensor().unwrap().dims(), [batch, 8, 3, 6]);
                assert_eq!(elements::<u8>(&y), elements::<u8>(&dense), "{group} {blocks:?}");
            }
        }
    }

    #[test]
    fn blocks_without_kernels_are_refused() {
        let error = |group, blocks| {
            in_blocks(OpKind::BlockedQLinearConv, group, blocks, 1).unwrap_err().to_string()
        };
        assert!(error(1, [0, 8]).contains("blocks of 8"), "{}", error(1, [0, 8]));
        assert!(error(4, [0, 4]).contains("do not divide"), "{}", error(4, [0, 4]));
    }
}
