//! Quantised arithmetic.

use super::operator;
use crate::catalog::By::Composed;
use crate::catalog::Translation;
use crate::error::OnnxError;
use crate::import::control::Outputs;
use crate::import::node::Node;
use trident_ir::{Builder, DType, ValueId, ops};

pub(super) static OPERATORS: &[Translation] = &[
    operator("DynamicQuantizeMatMul", Composed(dynamic_matmul)),
    operator("MatMulIntegerToFloat", Composed(matmul_to_float)),
    operator("QLinearAdd", Composed(add)),
    operator("QLinearMul", Composed(mul)),
];

/// Numbers, their scale and their zero point.
struct Quantized {
    numbers: ValueId,
    scale: ValueId,
    zero_point: Option<ValueId>,
}

/// (a·b)·a's scale·b's scale + bias, the product summed in i32.
fn widened(
    b: &mut Builder<'_>,
    x: &Quantized,
    y: &Quantized,
    bias: Option<ValueId>,
) -> Result<Outputs, OnnxError> {
    let sums = ops::MatMulInteger::new(x.numbers, y.numbers, x.zero_point, y.zero_point);
    let sums = b.add(sums)?;
    let dtype = b.func.ty(x.scale).dtype().unwrap_or(DType::F32);
    let sums = b.add(ops::Cast::new(sums).to(dtype))?;
    let scale = b.add(ops::Mul::new(x.scale, y.scale))?;
    let mut product = b.add(ops::Mul::new(sums, scale))?;
    if let Some(bias) = bias {
        product = b.add(ops::Add::new(product, bias))?;
    }
    Ok(vec![Some(product)])
}

/// A is quantised as a whole, by its range.
fn dynamic_matmul(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, _, _, zero_point, bias] = node.operands()?;
    let y = Quantized { numbers: node.need(1, "B")?, scale: node.need(2, "b_scale")?, zero_point };
    let quantized = b.add_all(ops::DynamicQuantizeLinear::new(node.need(0, "A")?), 3)?;
    let x = Quantized {
        numbers: quantized[ops::DynamicQuantizeLinear::AT.y],
        scale: quantized[ops::DynamicQuantizeLinear::AT.y_scale],
        zero_point: Some(quantized[ops::DynamicQuantizeLinear::AT.y_zero_point]),
    };
    widened(b, &x, &y, bias)
}

fn matmul_to_float(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, _, _, _, a_zero_point, b_zero_point, bias] = node.operands()?;
    let x = Quantized {
        numbers: node.need(0, "A")?,
        scale: node.need(2, "a_scale")?,
        zero_point: a_zero_point,
    };
    let y = Quantized {
        numbers: node.need(1, "B")?,
        scale: node.need(3, "b_scale")?,
        zero_point: b_zero_point,
    };
    widened(b, &x, &y, bias)
}

/// The operands of arithmetic on quantised numbers, widened: A, its scale and zero point, and those of B.
fn operands(b: &mut Builder<'_>, node: &Node<'_>) -> Result<[ValueId; 2], OnnxError> {
    let [_, _, a_zero_point, _, _, b_zero_point, _, _] = node.operands()?;
    let (x, x_scale) = (node.need(0, "A")?, node.need(1, "A_scale")?);
    let (y, y_scale) = (node.need(3, "B")?, node.need(4, "B_scale")?);
    Ok([
        b.add(ops::DequantizeLinear::new(x, x_scale, a_zero_point))?,
        b.add(ops::DequantizeLinear::new(y, y_scale, b_zero_point))?,
    ])
}

/// The result of arithmetic on quantised numbers in the type of A, by the scale and zero point of C.
fn quantized(b: &mut Builder<'_>, node: &Node<'_>, c: ValueId) -> Result<Outputs, OnnxError> {
    let [_, _, _, _, _, _, _, zero_point] = node.operands()?;
    let scale = node.need(6, "C_scale")?;
    let dtype = b.func.ty(node.need(0, "A")?).dtype().unwrap_or(DType::U8);
    let mut quantize = ops::QuantizeLinear::new(c, scale, zero_point);
    if zero_point.is_none() {
        quantize = quantize.output_dtype(dtype);
    }
    Ok(vec![Some(b.add(quantize)?)])
}

fn add(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [x, y] = operands(b, node)?;
    let sum = b.add(ops::Add::new(x, y))?;
    quantized(b, node, sum)
}

fn mul(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [x, y] = operands(b, node)?;
    let product = b.add(ops::Mul::new(x, y))?;
    quantized(b, node, product)
}
