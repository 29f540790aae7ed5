//! Quantisation.

use super::common::{joined_along, like};
use crate::axes::{self, Axes, Axis, OperandAxes};
use crate::op::grammar::ops;
use crate::op::{Operands, TypeError};
use crate::ops;
use crate::shape::{Shapes, View};
use crate::{DType, Dim, Op, Type};

ops! {
    /// (x − zero_point)·scale, per tensor, axis or block, computed in the result's type.
    DequantizeLinear "dequantize_linear" Quant (x[form]: Any T, x_scale[form], x_zero_point[opt form]: Any T) -> (y: AttrOr(ops::DequantizeLinear::AT.output_dtype, 1)) {
        axis: Int = 1, block_size: Int = 0, output_dtype[opt]: DType,
    } onnx "" 10 shape like axes scaled_axes;
    /// Quantises to u8: the scale is (max(x, 0) − min(x, 0))/255, the zero point round(−min/scale), both results too.
    DynamicQuantizeLinear "dynamic_quantize_linear" Quant (x) -> (y: Is(DType::U8), y_scale: F32, y_zero_point: Is(DType::U8)) {}
        onnx "" 11 shape dynamic_quantize axes "* -> *";
    /// round(x/scale) + zero_point, ties to even, clamped to the result's type; per tensor, axis or block. `saturate`
    /// governs 8-bit floats as in `cast`, `precision` is the type of the division.
    QuantizeLinear "quantize_linear" Quant (x, y_scale, y_zero_point[opt]) -> (y: Fn(quantized_type)) {
        axis: Int = 1, block_size: Int = 0, output_dtype[opt]: DType, precision[opt]: DType, saturate: Flag = true,
    } onnx "" 10 shape like axes scaled_axes;
}

/// The type that the attribute states, else that of the zero point, else u8.
fn quantized_type(op: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    let zero_point = operands(2).and_then(Type::dtype);
    Ok(Type::unranked(
        ops::QuantizeLinear::of(op)
            .and_then(|op| op.output_dtype())
            .or(zero_point)
            .unwrap_or(DType::U8),
    ))
}

/// DynamicQuantizeLinear: scale and zero point are scalars.
fn dynamic_quantize(cx: &View<'_>) -> Shapes {
    Ok(vec![cx.shape(0).map(<[Dim]>::to_vec), Some(vec![]), Some(vec![])])
}

/// QuantizeLinear, DequantizeLinear: scales and zero points are for the whole, for each entry of an axis or for blocks.
fn scaled_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let scale = cx.shape(1)?;
    let axis = || axes::axis(cx, ops::QuantizeLinear::AT.axis);
    if scale.len() <= 1 && scale.iter().all(|dim| *dim == Dim::Fixed(1)) {
        return Axes::keeping(cx, |_| false);
    }
    if let [_] = scale {
        let scales = OperandAxes::Elements(vec![Axis::carried(axis()?)]);
        return Some(Axes::keeping(cx, |_| false)?.with(1, scales.clone()).with(2, scales));
    }
    (scale.len() == rank).then(|| joined_along(cx, axis()?)).flatten()
}
