//! Matrix products.

use super::{must_be_off, operator, unsupported};
use crate::catalog::By::{Composed, FormOf};
use crate::catalog::Translation;
use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::control::Outputs;
use crate::import::node::Node;
use crate::opset::{Step, missing, scalar_like};
use trident_ir::{Builder, Op, OpKind, ValueId, ops};

pub(super) static OPERATORS: &[Translation] = &[
    operator("FusedMatMul", Composed(fused_matmul)),
    operator("MatMulNBits", FormOf(OpKind::MatMulNBits, matmul_n_bits)),
];

/// alpha·op(A)·op(B), where op swaps the last two axes if the operand is to be transposed.
fn fused_matmul(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, _] = node.operands()?;
    let (x, y) = (node.need(0, "A")?, node.need(1, "B")?);
    for name in ["transBatchA", "transBatchB"] {
        must_be_off(node, name, "attributes `transBatchA` and `transBatchB`")?;
    }
    let x = if is_set(node, "transA")? { transposed(b, node, x)? } else { x };
    let y = if is_set(node, "transB")? { transposed(b, node, y)? } else { y };
    let alpha = node.take_float("alpha")?.unwrap_or(1.0);
    let mut product = b.add(ops::MatMul::new(x, y))?;
    if alpha != 1.0 {
        let alpha = scalar_like(b, alpha, product)?;
        product = b.add(ops::Mul::new(product, alpha))?;
    }
    Ok(vec![Some(product)])
}

fn is_set(node: &mut Node<'_>, name: &str) -> Result<bool, OnnxErrorKind> {
    Ok(node.take_int(name)?.unwrap_or(0) != 0)
}

/// Matrices transposed. Vectors stay as they are.
fn transposed(b: &mut Builder<'_>, node: &Node<'_>, x: ValueId) -> Result<ValueId, OnnxError> {
    let Some(rank) = b.func.ty(x).shape().map(<[_]>::len) else {
        let reason = "attributes `transA` and `transB` for inputs of unknown rank";
        return Err(unsupported(node, reason).into());
    };
    if rank < 2 {
        return Ok(x);
    }
    let mut axes: Vec<i64> = (0..rank as i64).collect();
    axes.swap(rank - 2, rank - 1);
    Ok(b.add(ops::Transpose::new(x).perm(axes))?)
}

/// The operator has the operands A, B, scales, zero_points, g_idx and bias.
fn matmul_n_bits(_: &mut Builder<'_>, node: &mut Node<'_>, op: &mut Op) -> Result<Step, OnnxError> {
    let [_, _, _, zero_points, g_idx, bias] = node.operands()?;
    let (a, b, scales) = (node.need(0, "a")?, node.need(1, "b")?, node.need(2, "scales")?);
    if g_idx.is_some() {
        return Err(unsupported(node, "input `g_idx`, which reorders the weights").into());
    }
    let reason = "attribute `weight_prepacked`, a layout for the kernels of one GPU";
    must_be_off(node, "weight_prepacked", reason)?;
    // The least accuracy that is asked for: products here have more.
    node.remove("accuracy_level");
    let mut size = |name| node.take_int(name)?.ok_or_else(|| missing(name));
    let (k, n, block_size) = (size("K")?, size("N")?, size("block_size")?);
    let bits = node.take_int("bits")?.unwrap_or(4);
    if !matches!(bits, 2 | 4 | 8) {
        let (name, found) = ("bits".to_owned(), bits.to_string());
        return Err(OnnxErrorKind::AttributeValue { name, found, expected: "2, 4 or 8" }.into());
    }
    // The op has attributes that the operator does not have.
    node.finish()?;
    let product = ops::MatMulNBits::new(a, b, bias, None, scales, zero_points);
    *op = product.k(k).n(n).bits(bits).block_size(block_size).into_op();
    Ok(Step::Continue)
}
