//! ONNX Runtime's product with packed weights.

use super::Step;
use crate::error::{LoadError, LoadErrorKind};
use crate::import::node::Node;
use trident_ir::{Attr, Builder};

/// Operands (A, B, scales, zero_points, g_idx, bias) as those of a fused product: (a, b, bias, residual, scales, zero_points).
pub(super) fn matmul_n_bits(_: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Step, LoadError> {
    let unsupported = |reason| LoadErrorKind::Unsupported { op: "MatMulNBits".to_owned(), reason };
    if node.input(4).is_some() {
        return Err(unsupported("operand `g_idx`, weights in an order of their own").into());
    }
    if node.take_int("weight_prepacked")?.unwrap_or(0) != 0 {
        return Err(
            unsupported("attribute `weight_prepacked`, the layout of a GPU's kernels").into()
        );
    }
    for (from, to) in [("K", "k"), ("N", "n")] {
        let missing = || LoadErrorKind::MissingAttribute { name: from.to_owned() };
        let size = node.take_int(from)?.ok_or_else(missing)?;
        node.set(to, Attr::Int(size));
    }
    let bits = node.take_int("bits")?.unwrap_or(4);
    if !matches!(bits, 2 | 4 | 8) {
        let (name, found) = ("bits".to_owned(), bits.to_string());
        return Err(LoadErrorKind::AttributeValue { name, found, expected: "2, 4 or 8" }.into());
    }
    node.set("bits", Attr::Int(bits));
    let [scales, zeros, bias] = [2, 3, 5].map(|i| node.input(i));
    for (i, value) in [(2, bias), (3, None), (4, scales), (5, zeros)] {
        node.set_input(i, value);
    }
    Ok(Step::Continue)
}
