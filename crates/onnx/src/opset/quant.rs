//! ONNX Runtime's product with packed weights.

use super::{Step, missing};
use crate::error::{LoadError, LoadErrorKind};
use crate::import::node::Node;
use trident_ir::{Builder, Op, ops};

/// The operator has the operands A, B, scales, zero_points, g_idx and bias.
pub(crate) fn matmul_n_bits(
    _: &mut Builder<'_>,
    node: &mut Node<'_>,
    op: &mut Op,
) -> Result<Step, LoadError> {
    let unsupported = |reason| LoadErrorKind::Unsupported { op: "MatMulNBits".to_owned(), reason };
    let [_, _, _, zero_points, g_idx, bias] = node.operands()?;
    let (a, b, scales) = (node.need(0, "a")?, node.need(1, "b")?, node.need(2, "scales")?);
    if g_idx.is_some() {
        return Err(unsupported("operand `g_idx`, weights in an order of their own").into());
    }
    if node.take_int("weight_prepacked")?.unwrap_or(0) != 0 {
        return Err(
            unsupported("attribute `weight_prepacked`, the layout of a GPU's kernels").into()
        );
    }
    // The least accuracy that is asked for: products here have more.
    node.remove("accuracy_level");
    let mut size = |name| node.take_int(name)?.ok_or_else(|| missing(name));
    let (k, n, block_size) = (size("K")?, size("N")?, size("block_size")?);
    let bits = node.take_int("bits")?.unwrap_or(4);
    if !matches!(bits, 2 | 4 | 8) {
        let (name, found) = ("bits".to_owned(), bits.to_string());
        return Err(LoadErrorKind::AttributeValue { name, found, expected: "2, 4 or 8" }.into());
    }
    // What is left is none of the operator's, though the op may have an attribute of that name.
    node.finish()?;
    let product = ops::MatMulNBits::new(a, b, bias, None, scales, zero_points);
    *op = product.k(k).n(n).bits(bits).block_size(block_size).into_op();
    Ok(Step::Continue)
}
