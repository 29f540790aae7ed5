//! Operators that the standard defines by other operators and that have no op of their own.

mod flex_attention;
mod sequence_map;

use crate::error::{Fault, LoadError};
use crate::import::node::Node;
use trident_ir::{Attr, Builder, OpKind, ValueId};

/// Expands a node; `None` if it is not one of these operators.
pub(crate) fn expand(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
) -> Result<Option<Vec<Option<ValueId>>>, LoadError> {
    match node.op {
        "CastLike" => cast_like(b, node).map(Some),
        _ => Ok(None),
    }
}

/// A cast to the element type of the second operand.
fn cast_like(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Vec<Option<ValueId>>, LoadError> {
    let (x, like) = (node.need(0, "input")?, node.need(1, "target_type")?);
    let to = b.func.ty(like).dtype().ok_or_else(|| Fault::BadType {
        tensor: b.func.info(like).name.clone(),
        reason: "it is no tensor".to_owned(),
    })?;
    let mut attrs = vec![("to", Attr::DType(to))];
    attrs.extend(node.take("saturate")?.map(|v| ("saturate", v)));
    attrs.extend(node.take("round_mode")?.map(|v| ("round_mode", v)));
    node.finish()?;
    Ok(vec![Some(b.op(OpKind::Cast, &[x], &attrs)?)])
}
