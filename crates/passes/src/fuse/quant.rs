//! Arithmetic between DequantizeLinear and QuantizeLinear as arithmetic on the quantised tensors.

use crate::rewrite::{Change, Rewriter, instead, operand, placed};
use trident_ir::{DType, Literal, Op, OpKind as K, ValueId, ops};

/// The scales for which quantised arithmetic is used: products and quotients of them are normal numbers, and sums of
/// dequantised products do not overflow.
const SCALES: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

/// How a tensor is quantised: by the operands of a QuantizeLinear or DequantizeLinear.
struct Params {
    scale: ValueId,
    zero_point: Option<ValueId>,
    /// The numbers in the scale: one, or one for each channel along `axis`.
    scales: Vec<f64>,
    axis: i64,
    /// Type of the quantised tensor.
    dtype: DType,
}

impl Params {
    /// The parameters of a QuantizeLinear, if they are constant and of 8 bits.
    fn of(cx: &Rewriter<'_>, op: ops::QuantizeLinear<'_>) -> Option<Params> {
        let numbers = (op.y_scale(), op.y_zero_point());
        Params::new(cx, op.y()?, numbers, op.axis()).filter(|_| op.block_size() == 0)
    }

    /// The parameters with which the tensor `quantized` is quantised: scale and zero point.
    fn new(
        cx: &Rewriter<'_>,
        quantized: ValueId,
        (scale, zero_point): (ValueId, Option<ValueId>),
        axis: i64,
    ) -> Option<Params> {
        let dtype = cx.dtype(quantized)?;
        let scales = cx.floats(scale)?;
        let plain = cx.is_f32(scale)
            && matches!(dtype, DType::U8 | DType::I8)
            && scales.iter().all(|s| SCALES.contains(s));
        if zero_point.is_some_and(|z| cx.ints(z).is_none()) || !plain {
            return None;
        }
        Some(Params { scale, zero_point, scales, axis, dtype })
    }

    fn per_tensor(self) -> Option<Params> {
        (self.scales.len() == 1).then_some(self)
    }

    /// The zero points, one for each scale.
    fn zeros(&self, cx: &Rewriter<'_>) -> Vec<i64> {
        let told = self.zero_point.and_then(|z| cx.ints(z));
        told.unwrap_or_else(|| vec![0; self.scales.len()])
    }

    fn same(&self, cx: &Rewriter<'_>, other: &Params) -> bool {
        self.dtype == other.dtype
            && self.scales == other.scales
            && self.zeros(cx) == other.zeros(cx)
    }

    /// The zero point as an operand, which the quantised ops require.
    fn zero_operand(&self, cx: &mut Rewriter<'_>) -> Option<ValueId> {
        if let Some(z) = self.zero_point {
            return Some(z);
        }
        let dims = match cx.rank(self.scale)? {
            0 => vec![],
            _ => vec![self.scales.len()],
        };
        let zeros =
            Literal::from_bytes(self.dtype, dims, vec![0u8; self.scales.len()].into()).ok()?;
        Some(cx.literal("zero_point", zeros))
    }
}

/// The quantised tensor of a dequantised value, and its parameters.
fn dequantized(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, Params)> {
    let op = ops::DequantizeLinear::of(cx.producer(value)?)?;
    let numbers = (op.x_scale(), op.x_zero_point());
    let params = Params::new(cx, op.x(), numbers, op.axis()).filter(|_| op.block_size() == 0)?;
    Some((op.x(), params))
}

/// Conv and MatMul between dequantised operands and a quantised result.
pub(super) fn compute(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let quantize = ops::QuantizeLinear::of(op)?;
    let to = Params::of(cx, quantize)?.per_tensor()?;
    let value = without_limits(cx, quantize.x(), &to);
    let producer = cx.producer(value).filter(|_| cx.single(value))?.clone();
    match producer.kind {
        K::Conv => conv(cx, op, &producer, &to),
        K::MatMul => matmul(cx, op, &producer, &to),
        _ => None,
    }
}

/// The value before a Relu that saturation does anyway: no quantised number stands for less than 0.
fn without_limits(cx: &Rewriter<'_>, value: ValueId, to: &Params) -> ValueId {
    let least = if to.dtype == DType::U8 { 0 } else { -128 };
    let inner = cx.only(value, K::Relu).and_then(|op| operand(&op));
    match inner {
        Some(x) if to.zeros(cx) == [least] => x,
        _ => value,
    }
}

fn conv(cx: &mut Rewriter<'_>, root: &Op, op: &Op, to: &Params) -> Option<Change> {
    let conv = ops::Conv::of(op)?;
    let (x, of_x) = dequantized(cx, conv.x())?;
    let (w, of_w) = dequantized(cx, conv.w())?;
    let of_x = of_x.per_tensor()?;
    let per_channel = of_w.scales.len() > 1;
    if cx.constant(w).is_none() || (per_channel && of_w.axis != 0) {
        return None;
    }
    let bias = match conv.b() {
        Some(b) => Some(quantized_bias(cx, b, of_x.scales[0], &of_w.scales, cx.dim(w, 0)?)?),
        None => None,
    };
    let (x_zero, w_zero) = (of_x.zero_operand(cx)?, of_w.zero_operand(cx)?);
    let y_zero = to.zero_operand(cx)?;
    let (x_scale, w_scale, y_scale) = (of_x.scale, of_w.scale, to.scale);
    let new = ops::QLinearConv::new(x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias);
    let (attrs, outputs, loc) = (op.attrs.clone(), root.outputs.clone(), op.loc.clone());
    Some(Change::Op(Op { attrs, outputs, loc, ..new.into_op() }))
}

/// The i32 bias of a quantised convolution, in units of the product of both scales.
fn quantized_bias(
    cx: &mut Rewriter<'_>,
    bias: ValueId,
    x_scale: f64,
    w_scales: &[f64],
    channels: usize,
) -> Option<ValueId> {
    let values = match cx.producer(bias).and_then(ops::DequantizeLinear::of) {
        None => cx.floats(bias)?,
        Some(op) => {
            let is_zero = |z: ValueId| cx.ints(z).is_some_and(|z| z.iter().all(|z| *z == 0));
            if !op.x_zero_point().is_none_or(is_zero) {
                return None;
            }
            let (b, scales) = (cx.ints(op.x())?, cx.floats(op.x_scale())?);
            let scale = |i: usize| scales.get(i).or(scales.first()).copied();
            b.iter().enumerate().map(|(i, b)| Some(*b as f64 * scale(i)?)).collect::<Option<_>>()?
        }
    };
    if values.len() != channels {
        return None;
    }
    let unit = |i: usize| w_scales.get(i).or(w_scales.first()).map(|w| x_scale * w);
    let quantized: Option<Vec<i32>> = values
        .iter()
        .enumerate()
        .map(|(i, v)| {
            let steps = v / unit(i)?;
            let whole = steps.round();
            // A bias between two steps cannot be represented exactly. The tolerance covers rounding of the scales.
            let exact = (steps - whole).abs() <= 1e-2 + 1e-6 * whole.abs();
            (exact && whole.abs() < f64::from(i32::MAX)).then_some(whole as i32)
        })
        .collect();
    Some(cx.literal("bias", Literal::vector(&quantized?)))
}

fn matmul(cx: &mut Rewriter<'_>, root: &Op, product: &Op, to: &Params) -> Option<Change> {
    let product = ops::MatMul::of(product)?;
    let (a, of_a) = dequantized(cx, product.a())?;
    let (b, of_b) = dequantized(cx, product.b())?;
    let (of_a, of_b) = (of_a.per_tensor()?, of_b.per_tensor()?);
    let (a_zero, b_zero) = (of_a.zero_operand(cx)?, of_b.zero_operand(cx)?);
    let y_zero = to.zero_operand(cx)?;
    let (a_scale, b_scale, y_scale) = (of_a.scale, of_b.scale, to.scale);
    let new = ops::QLinearMatMul::new(a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero);
    Some(instead(root, new))
}

/// Ops that only move or choose elements, between DequantizeLinear and QuantizeLinear by the same
/// parameters; and both of these without anything between.
pub(super) fn moves(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let quantize = ops::QuantizeLinear::of(op)?;
    let to = Params::of(cx, quantize)?.per_tensor()?;
    let value = quantize.x();
    if let Some((x, from)) = dequantized(cx, value) {
        return from.same(cx, &to).then(|| Change::Values(vec![Some(x)]));
    }
    let mover = cx.producer(value).filter(|_| cx.single(value))?.clone();
    let moved = mover.moved();
    if moved.is_empty() || mover.outputs.len() != 1 {
        return None;
    }
    let mut new = placed(op, mover);
    for slot in new.inputs.get_mut(moved)? {
        let (x, from) = dequantized(cx, (*slot)?)?;
        if !from.same(cx, &to) {
            return None;
        }
        *slot = Some(x);
    }
    Some(Change::Op(new))
}
