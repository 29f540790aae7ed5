//! Rotary embeddings.

use super::{must_be_off, operator, unsupported};
use crate::catalog::By::Composed;
use crate::catalog::Translation;
use crate::error::OnnxError;
use crate::import::control::Outputs;
use crate::import::node::Node;
use crate::opset::shape::ints;
use trident_ir::{Builder, DType, Dim, Func, Literal, ValueId, ops};

pub(super) static OPERATORS: &[Translation] =
    &[operator("RotaryEmbedding", Composed(rotary_embedding))];

fn known(func: &Func, x: ValueId, axis: usize) -> Option<i64> {
    let dim = func.ty(x).shape()?.get(axis).and_then(Dim::fixed)?;
    i64::try_from(dim).ok()
}

/// The operands input, position_ids, cos_cache and sin_cache. Without a number of heads, caches and input tell it.
fn rotary_embedding(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, _, _, _] = node.operands()?;
    let (x, ids) = (node.need(0, "input")?, node.need(1, "position_ids")?);
    let (cosines, sines) = (node.need(2, "cos_cache")?, node.need(3, "sin_cache")?);
    must_be_off(node, "is_packed_batching", "attribute `is_packed_batching`")?;
    if node.take_float("scale")?.is_some_and(|scale| scale != 1.0) {
        return Err(unsupported(node, "attribute `scale` other than 1").into());
    }
    let interleaved = node.take_int("interleaved")?.unwrap_or(0) != 0;
    let size = node.take_int("rotary_embedding_dim")?.unwrap_or(0);
    let heads = node.take_int("num_heads")?.filter(|heads| *heads != 0);
    let Some(rank) = b.func.ty(x).shape().map(<[_]>::len) else {
        return Err(unsupported(node, "input `input` of unknown rank").into());
    };
    let heads = match (rank, heads) {
        (3, None) => {
            let sizes = (known(b.func, x, 2), known(b.func, cosines, 1));
            let (Some(hidden), Some(half @ 1..)) = sizes else {
                let reason =
                    "a missing attribute `num_heads` when the sizes of the input are unknown";
                return Err(unsupported(node, reason).into());
            };
            Some(hidden / (2 * half))
        }
        (3, heads) => heads,
        _ => None,
    };
    let length = if rank == 3 { 1 } else { 2 };
    let ids = positions(b, node, x, length, ids)?;
    let mut rotated = ops::RotaryEmbedding::new(x, cosines, sines, Some(ids));
    rotated = rotated.interleaved(interleaved).rotary_embedding_dim(size);
    if let Some(heads) = heads {
        rotated = rotated.num_heads(heads);
    }
    Ok(vec![Some(b.add(rotated)?)])
}

/// The position of each element of each sequence. A single number is the position of the first element of every
/// sequence.
fn positions(
    b: &mut Builder<'_>,
    node: &Node<'_>,
    x: ValueId,
    axis: i64,
    ids: ValueId,
) -> Result<ValueId, OnnxError> {
    match b.func.ty(ids).shape() {
        Some([_, _]) => return Ok(ids),
        Some([_]) => {}
        _ => return Err(unsupported(node, "input `position_ids` of unknown rank").into()),
    }
    let scalar = ints(b, &[]);
    let length = b.add(ops::Shape::new(x).start(axis).end(axis + 1))?;
    let count = b.add(ops::Reshape::new(length, scalar))?;
    let [zero, one] = [0i64, 1].map(|n| b.literal(Literal::scalar(n)));
    let steps = b.add(ops::Range::new(zero, count, one))?;
    let first = b.add(ops::Cast::new(ids).to(DType::I64))?;
    let row = b.add(ops::Add::new(steps, first))?;
    let batch = b.add(ops::Shape::new(x).end(1))?;
    let shape = b.add(ops::Concat::new(&[batch, length]).axis(0))?;
    Ok(b.add(ops::Expand::new(row, shape))?)
}
