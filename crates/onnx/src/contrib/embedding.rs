//! Sums of embeddings, normalised.

use super::qlinear::dequantized;
use super::{operator, unsupported};
use crate::catalog::By::Composed;
use crate::catalog::Translation;
use crate::error::OnnxError;
use crate::import::control::Outputs;
use crate::import::node::Node;
use crate::opset::shape::ints;
use trident_ir::{Builder, DType, Literal, ValueId, ops};

pub(super) static OPERATORS: &[Translation] = &[
    operator("EmbedLayerNormalization", Composed(embed_layer_norm)),
    operator("QEmbedLayerNormalization", Composed(quantized_embed_layer_norm)),
];

/// The rows of the tables, and the operands of the normalisation.
struct Embedding {
    ids: ValueId,
    words: ValueId,
    positions: ValueId,
    segments: Option<ValueId>,
    gamma: ValueId,
    beta: ValueId,
    mask: Option<ValueId>,
}

/// The numbers 0 … length − 1 of the second axis of `ids`, the positions of a row.
fn every_position(b: &mut Builder<'_>, ids: ValueId) -> Result<ValueId, OnnxError> {
    let scalar = ints(b, &[]);
    let length = b.add(ops::Shape::new(ids).start(1).end(2))?;
    let count = b.add(ops::Reshape::new(length, scalar))?;
    let [zero, one] = [0i64, 1].map(|n| b.literal(Literal::scalar(n)));
    Ok(b.add(ops::Range::new(zero, count, one))?)
}

/// The number of ones in each row of the mask; without a mask, zeros.
fn mask_index(b: &mut Builder<'_>, of: &Embedding) -> Result<ValueId, OnnxError> {
    let Some(mask) = of.mask else {
        let batch = b.add(ops::Shape::new(of.ids).end(1))?;
        return Ok(b.add(ops::ConstantOfShape::new(batch).value(Literal::vector(&[0i32])))?);
    };
    let one = b.literal(Literal::scalar(1i32));
    let ones = b.add(ops::Equal::new(mask, one))?;
    let ones = b.add(ops::Cast::new(ones).to(DType::I32))?;
    let axes = ints(b, &[1]);
    Ok(b.add(ops::ReduceSum::new(ones, Some(axes)).keepdims(false))?)
}

/// The results: the normalised sum of the embeddings, the mask's index, and the sum.
fn normalized(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
    of: &Embedding,
) -> Result<Outputs, OnnxError> {
    let epsilon = node.take_float("epsilon")?.unwrap_or(1e-12);
    let mut sum = b.add(ops::Add::new(of.words, of.positions))?;
    if let Some(segments) = of.segments {
        sum = b.add(ops::Add::new(sum, segments))?;
    }
    let norm = ops::LayerNormalization::new(sum, of.gamma, Some(of.beta)).axis(-1);
    let mut results = vec![Some(b.add(norm.epsilon(epsilon))?)];
    if node.outputs() > 1 {
        results.push(Some(mask_index(b, of)?));
    }
    if node.outputs() > 2 {
        results.push(Some(sum));
    }
    Ok(results)
}

fn embed_layer_norm(b: &mut Builder<'_>, node: &mut Node<'_>) -> Result<Outputs, OnnxError> {
    let [_, segment_ids, _, _, segment_table, _, _, mask, position_ids] = node.operands()?;
    // The shape of `mask_index`, which follows from the operands.
    node.take_int("mask_index_type")?;
    let ids = node.need(0, "input_ids")?;
    let (words, positions) = (node.need(2, "word_embedding")?, node.need(3, "position_embedding")?);
    let (gamma, beta) = (node.need(5, "gamma")?, node.need(6, "beta")?);
    let at = match position_ids {
        Some(at) => at,
        None => every_position(b, ids)?,
    };
    let segments = match (segment_ids, segment_table) {
        (Some(at), Some(table)) => Some(b.add(ops::Gather::new(table, at))?),
        (None, _) => None,
        (Some(_), None) => {
            let reason = "input `segment_ids` without `segment_embedding`";
            return Err(unsupported(node, reason).into());
        }
    };
    let of = Embedding {
        ids,
        words: b.add(ops::Gather::new(words, ids))?,
        positions: b.add(ops::Gather::new(positions, at))?,
        segments,
        gamma,
        beta,
        mask,
    };
    normalized(b, node, &of)
}

/// The tables are quantised. Only the gathered rows are dequantised.
fn quantized_embed_layer_norm(
    b: &mut Builder<'_>,
    node: &mut Node<'_>,
) -> Result<Outputs, OnnxError> {
    let given: [Option<ValueId>; 18] = node.operands()?;
    let ids = node.need(0, "input_ids")?;
    // Operand `at` is quantised, with the scale and zero point at these places.
    let numbers = |b: &mut Builder<'_>, at, scale, zero_point: usize, rows| {
        let table = node.need(at, "a quantised table")?;
        let scale = node.need(scale, "a scale")?;
        let gathered = match rows {
            Some(rows) => b.add(ops::Gather::new(table, rows))?,
            None => table,
        };
        dequantized(b, gathered, scale, given[zero_point])
    };
    let at = every_position(b, ids)?;
    let of = Embedding {
        ids,
        words: numbers(b, 2, 8, 13, Some(ids))?,
        positions: numbers(b, 3, 9, 14, Some(at))?,
        segments: match given[1] {
            Some(at) => Some(numbers(b, 4, 10, 15, Some(at))?),
            None => None,
        },
        gamma: numbers(b, 5, 11, 16, None)?,
        beta: numbers(b, 6, 12, 17, None)?,
        mask: given[7],
    };
    normalized(b, node, &of)
}
