//! Arithmetic between DequantizeLinear and QuantizeLinear as arithmetic on the quantised tensors.

use crate::rewrite::{Change, Rewriter, instead};
use trident_ir::{DType, Literal, Op, OpKind as K, ValueId};

/// The scales with which quantised arithmetic takes place: products and quotients of them are normal numbers, and sums of
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
    /// The parameters of an op whose quantised tensor is `quantized`, if they are constant and of 8 bits.
    fn of(cx: &Rewriter<'_>, op: &Op, quantized: ValueId) -> Option<Params> {
        let scale = op.input(1)?;
        let dtype = cx.dtype(quantized)?;
        let scales = cx.floats(scale)?;
        let plain = op.int("block_size") == Some(0)
            && cx.is_f32(scale)
            && matches!(dtype, DType::U8 | DType::I8)
            && scales.iter().all(|s| SCALES.contains(s));
        let zero_point = op.input(2);
        if zero_point.is_some_and(|z| cx.ints(z).is_none()) || !plain {
            return None;
        }
        Some(Params { scale, zero_point, scales, axis: op.int("axis")?, dtype })
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

/// The quantised tensor behind a value, and how it is quantised.
fn dequantized(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, Params)> {
    let op = cx.made_by(value, K::DequantizeLinear)?;
    let x = op.input(0)?;
    Some((x, Params::of(cx, &op, x)?))
}

/// Conv and MatMul between dequantised operands and a quantised result.
pub(super) fn compute(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::QuantizeLinear {
        return None;
    }
    let to = Params::of(cx, op, op.output(0)?)?.per_tensor()?;
    let value = without_limits(cx, op.input(0)?, &to);
    let producer = cx.producer(value).filter(|_| cx.single(value))?.clone();
    match producer.kind {
        K::Conv => conv(cx, op, producer, &to),
        K::MatMul => matmul(cx, op, &producer, &to),
        _ => None,
    }
}

/// The value before a Relu that saturation does anyway: no quantised number stands for less than 0.
fn without_limits(cx: &Rewriter<'_>, value: ValueId, to: &Params) -> ValueId {
    let least = if to.dtype == DType::U8 { 0 } else { -128 };
    let inner = cx.only_value(value, K::Relu).and_then(|op| op.input(0));
    match inner {
        Some(x) if to.zeros(cx) == [least] => x,
        _ => value,
    }
}

fn conv(cx: &mut Rewriter<'_>, root: &Op, conv: Op, to: &Params) -> Option<Change> {
    let (x, of_x) = dequantized(cx, conv.input(0)?)?;
    let (w, of_w) = dequantized(cx, conv.input(1)?)?;
    let of_x = of_x.per_tensor()?;
    let per_channel = of_w.scales.len() > 1;
    if cx.constant(w).is_none() || (per_channel && of_w.axis != 0) {
        return None;
    }
    let bias = match conv.input(2) {
        Some(b) => Some(quantized_bias(cx, b, of_x.scales[0], &of_w.scales, cx.dim(w, 0)?)?),
        None => None,
    };
    let (x_zero, w_zero) = (of_x.zero_operand(cx)?, of_w.zero_operand(cx)?);
    let y_zero = to.zero_operand(cx)?;
    let mut inputs =
        [x, of_x.scale, x_zero, w, of_w.scale, w_zero, to.scale, y_zero].map(Some).to_vec();
    inputs.extend(bias.map(Some));
    let mut new = instead(root, K::QLinearConv, inputs);
    new.attrs = conv.attrs;
    new.loc = conv.loc;
    Some(Change::Op(new))
}

/// The i32 bias of a quantised convolution, in units of the product of both scales.
fn quantized_bias(
    cx: &mut Rewriter<'_>,
    bias: ValueId,
    x_scale: f64,
    w_scales: &[f64],
    channels: usize,
) -> Option<ValueId> {
    let values = match cx.made_by(bias, K::DequantizeLinear) {
        None => cx.floats(bias)?,
        Some(op) => {
            if op.input(2).is_some_and(|z| cx.ints(z).is_none_or(|z| z.iter().any(|z| *z != 0))) {
                return None;
            }
            let (b, scales) = (cx.ints(op.input(0)?)?, cx.floats(op.input(1)?)?);
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
            // A bias between the steps cannot be told exactly; what is left here is rounding of the scales.
            let exact = (steps - whole).abs() <= 1e-2 + 1e-6 * whole.abs();
            (exact && whole.abs() < f64::from(i32::MAX)).then_some(whole as i32)
        })
        .collect();
    Some(cx.literal("bias", Literal::vector(&quantized?)))
}

fn matmul(cx: &mut Rewriter<'_>, root: &Op, product: &Op, to: &Params) -> Option<Change> {
    let (a, of_a) = dequantized(cx, product.input(0)?)?;
    let (b, of_b) = dequantized(cx, product.input(1)?)?;
    let (of_a, of_b) = (of_a.per_tensor()?, of_b.per_tensor()?);
    let (a_zero, b_zero) = (of_a.zero_operand(cx)?, of_b.zero_operand(cx)?);
    let y_zero = to.zero_operand(cx)?;
    let inputs = [a, of_a.scale, a_zero, b, of_b.scale, b_zero, to.scale, y_zero].map(Some);
    Some(Change::Op(instead(root, K::QLinearMatMul, inputs.to_vec())))
}

/// Ops that only move or choose elements, between DequantizeLinear and QuantizeLinear by the same
/// parameters; and both of these without anything between.
pub(super) fn moves(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::QuantizeLinear {
        return None;
    }
    let y = op.output(0)?;
    let to = Params::of(cx, op, y)?.per_tensor()?;
    let value = op.input(0)?;
    if let Some((x, from)) = dequantized(cx, value) {
        return from.same(cx, &to).then(|| Change::Values(vec![Some(x)]));
    }
    let mover = cx.producer(value).filter(|_| cx.single(value))?.clone();
    let operands = match mover.kind {
        K::Reshape
        | K::Transpose
        | K::Squeeze
        | K::Unsqueeze
        | K::Flatten
        | K::Slice
        | K::Gather
        | K::Expand
        | K::Tile
        | K::DepthToSpace
        | K::SpaceToDepth => 1,
        K::MaxPool if mover.outputs.len() == 1 => 1,
        K::Concat => mover.inputs.len(),
        _ => return None,
    };
    let mut new = instead(op, mover.kind, mover.inputs.clone());
    for slot in &mut new.inputs[..operands] {
        let (x, from) = dequantized(cx, (*slot)?)?;
        if !from.same(cx, &to) {
            return None;
        }
        *slot = Some(x);
    }
    new.attrs = mover.attrs;
    Some(Change::Op(new))
}
