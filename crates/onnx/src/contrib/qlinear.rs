//! Operators on quantised tensors: the operands are dequantised, and the result is quantised again.

use super::{must_be_off, operator, unsupported};
use crate::catalog::By::{Composed, FormOf};
use crate::catalog::Translation;
use crate::error::OnnxError;
use crate::import::control::Outputs;
use crate::import::node::Node;
use crate::opset::shape::{ints, reshape};
use crate::opset::{Step, missing, softmax};
use trident_ir::{Builder, DType, Literal, OpKind, ValueId, ops};

pub(super) static OPERATORS: &[Translation] = &[
    // The standard's operators; ONNX Runtime has them for 16 bits in older operator sets, too.
    operator("DequantizeLinear", FormOf(OpKind::DequantizeLinear, |_, _, _| Ok(Step::Continue))),
    operator("QuantizeLinear", FormOf(OpKind::QuantizeLinear, |_, _, _| Ok(Step::Continue))),
    operator("QGemm", Composed(gemm)),
    operator("QLinearAveragePool", Composed(average_pool)),
    operator("QLinearConcat", Composed(concat)),
    operator("QLinearGlobalAveragePool", Composed(global_average_pool)),
    operator("QLinearLeakyRelu", Composed(leaky_relu)),
    operator("QLinearSigmoid", Composed(sigmoid)),
    operator("QLinearSoftmax", Composed(softmax_of_numbers)),
    operator("QLinearWhere", Composed(select)),
];

/// A scale or zero point of one element as a scalar; others as they are.
fn scalar(b: &mut Builder<'_>, x: ValueId) -> Result<ValueId, OnnxError> {
    if b.func.ty(x).dims().as_deref() != Some(&[1][..]) {
        return Ok(x);
    }
    let no_axes = ints(b, &[]);
    reshape(b, x, no_axes)
}

/// The numbers that a quantised operand stands for.
pub(super) fn dequantized(
    b: &mut Builder<'_>,
    numbers: ValueId,
    scale: ValueId,
    zero_point: Option<ValueId>,
) -> Result<ValueId, OnnxError> {
    let scale = scalar(b, scale)?;
    let zero_point = zero_point.map(|z| scalar(b, z)).transpose()?;
    Ok(b.add(ops::DequantizeLinear::new(numbers, scale, zero_point))?)
}

/// The only result: `y` quantised, without a zero point to the type of the operand `like`.
fn quantized(
    b: &mut Builder<'_>,
    y: ValueId,
    scale: ValueId,
    zero_point: Option<ValueId>,
    like: ValueId,
) -> Result<Outputs, OnnxError> {
    let scale = scalar(b, scale)?;
    let zero_point = zero_point.map(|z| scalar(b, z)).transpose()?;
    let dtype = b.func.ty(like).dtype().unwrap_or(DType::U8);
    let mut quantize = ops::QuantizeLinear::new(y, scale, zero_point);
    if zero_point.is_none() {
        quantize = quantize.output_dtype(dtype);
    }
    Ok(vec![Some(b.add(quantize)?)])
}

/// An operator of X, its scale and zero point, and those of Y: computes `of` on the dequantised X.
fn unary(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    of: impl FnOnce(&mut Builder<'_>, &mut Node<'_>, ValueId) -> Result<ValueId, OnnxError>,
) -> Result<Outputs, OnnxError> {
    let [_, _, x_zero_point, _, y_zero_point] = node.operands()?;
    let (numbers, x_scale) = (node.need(0, "X")?, node.need(1, "X_scale")?);
    let y_scale = node.need(3, "Y_scale")?;
    let x = dequantized(b, numbers, x_scale, x_zero_point)?;
    let y = of(b, node, x)?;
    quantized(b, y, y_scale, y_zero_point, numbers)
}

fn leaky_relu(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    unary(b, node, |b, node, x| {
        let alpha = node.take_float("alpha")?.unwrap_or(0.01);
        Ok(b.add(ops::LeakyRelu::new(x).alpha(alpha))?)
    })
}

fn sigmoid(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    unary(b, node, |b, _, x| Ok(b.add(ops::Sigmoid::new(x))?))
}

/// `opset` is the version of the standard whose Softmax is meant: before 13, it flattens.
fn softmax_of_numbers(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    unary(b, node, |b, node, x| {
        let opset = node.take_int("opset")?.ok_or_else(|| missing("opset"))?;
        let axis = node.take_int("axis")?.unwrap_or(-1);
        if opset < 13 {
            return softmax::over_axes_from(b, OpKind::Softmax, x, axis);
        }
        Ok(b.add(ops::Softmax::new(x).axis(axis))?)
    })
}

/// The attributes of a pool, which the standard's op has too.
const POOL: &[&str] =
    &["auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"];

const CHANNELS_LAST: &str = "attribute `channels_last`";

fn global_average_pool(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    must_be_off(node, "channels_last", CHANNELS_LAST)?;
    unary(b, node, |b, _, x| Ok(b.add(ops::GlobalAveragePool::new(x))?))
}

fn average_pool(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    must_be_off(node, "channels_last", CHANNELS_LAST)?;
    unary(b, node, |b, node, x| {
        let mut pool = ops::AveragePool::new(x).into_op();
        node.pass_on(&mut pool, POOL)?;
        Ok(b.append(pool, 1)?[0])
    })
}

/// The operands are the scale and zero point of Y, then numbers, scale and zero point of each part.
fn concat(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let (y_scale, y_zero_point) = (node.need(0, "Y_scale")?, node.need(1, "Y_zero_point")?);
    let axis = node.take_int("axis")?.ok_or_else(|| missing("axis"))?;
    let count = node.inputs.len().saturating_sub(2).div_ceil(3).max(1);
    let mut parts = Vec::with_capacity(count);
    for part in 0..count {
        let at = 2 + 3 * part;
        let (numbers, scale) = (node.need(at, "inputs")?, node.need(at + 1, "inputs")?);
        let zero_point = node.need(at + 2, "inputs")?;
        parts.push(dequantized(b, numbers, scale, Some(zero_point))?);
    }
    let joined = b.add(ops::Concat::new(&parts).axis(axis))?;
    quantized(b, joined, y_scale, Some(y_zero_point), y_zero_point)
}

fn select(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, _, _, x_zero_point, _, _, y_zero_point, _, z_zero_point] = node.operands()?;
    let condition = node.need(0, "condition")?;
    let (x, x_scale) = (node.need(1, "X")?, node.need(2, "x_scale")?);
    let (y, y_scale) = (node.need(4, "Y")?, node.need(5, "y_scale")?);
    let z_scale = node.need(7, "z_scale")?;
    let first = dequantized(b, x, x_scale, x_zero_point)?;
    let second = dequantized(b, y, y_scale, y_zero_point)?;
    let chosen = b.add(ops::Where::new(condition, first, second))?;
    quantized(b, chosen, z_scale, z_zero_point, x)
}

/// alpha·(op(A)·op(B) + C), where op transposes if it is asked to, and C has the scale of the product. The sums are
/// integers. Without a scale of Y, the result is not quantised.
fn gemm(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, _, a_zero_point, _, _, b_zero_point, c, y_scale, y_zero_point] = node.operands()?;
    let alpha = node.take_float("alpha")?.unwrap_or(1.0);
    let mut matrix = |b: &mut Builder<'_>, at, name, flag| -> Result<ValueId, OnnxError> {
        let x = node.need(at, name)?;
        match node.take_int(flag)?.unwrap_or(0) {
            0 => Ok(x),
            _ => Ok(b.add(ops::Transpose::new(x).perm(vec![1, 0]))?),
        }
    };
    let (x, y) = (matrix(b, 0, "A", "transA")?, matrix(b, 3, "B", "transB")?);
    let like = node.need(0, "A")?;
    let (a_scale, b_scale) = (node.need(1, "a_scale")?, node.need(4, "b_scale")?);
    if y_scale.is_none() && y_zero_point.is_some() {
        return Err(unsupported(node, "input `y_zero_point` without `y_scale`").into());
    }
    let mut sums = b.add(ops::MatMulInteger::new(x, y, a_zero_point, b_zero_point))?;
    if let Some(c) = c {
        sums = b.add(ops::Add::new(sums, c))?;
    }
    let sums = b.add(ops::Cast::new(sums).to(DType::F32))?;
    let mut scale = b.add(ops::Mul::new(a_scale, b_scale))?;
    if alpha != 1.0 {
        let alpha = b.literal(Literal::scalar(alpha));
        scale = b.add(ops::Mul::new(scale, alpha))?;
    }
    let Some(y_scale) = y_scale else {
        return Ok(vec![Some(b.add(ops::Mul::new(sums, scale))?)]);
    };
    // One factor, as ONNX Runtime has it: the product is rounded once before it is quantised.
    let scale = b.add(ops::Div::new(scale, y_scale))?;
    let product = b.add(ops::Mul::new(sums, scale))?;
    let one = b.literal(Literal::scalar(1f32));
    quantized(b, product, one, y_zero_point, like)
}
