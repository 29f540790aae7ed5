//! FlexAttention: attention whose scores and probabilities pass subgraphs of the model.

use crate::dtype;
use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::control::{Outputs, expect};
use crate::import::node::Node;
use crate::import::scope::Scope;
use crate::import::{Frame, Import};
use crate::opset::shape::{ints, reshape};
use crate::types;
use trident_ir::{Builder, DType, Func, Literal, ValueId, ops};

/// Dimensions `from` up to `to` of a tensor, an i64 vector.
fn dims(b: &mut Builder<'_>, x: ValueId, from: i64, to: i64) -> Result<ValueId, OnnxError> {
    Ok(b.add(ops::Shape::new(x).start(from).end(to))?)
}

fn cast(b: &mut Builder<'_>, x: ValueId, to: DType) -> Result<ValueId, OnnxError> {
    match b.func.ty(x).dtype() == Some(to) {
        true => Ok(x),
        false => Ok(b.add(ops::Cast::new(x).to(to))?),
    }
}

/// The number of heads, where it is known.
fn heads(func: &Func, x: ValueId) -> Option<usize> {
    func.ty(x).shape()?.get(1)?.fixed()
}

/// Keys or values with each head repeated for the group of query heads that share it.
fn repeat_heads(b: &mut Builder<'_>, q: ValueId, x: ValueId) -> Result<ValueId, OnnxError> {
    if heads(b.func, q).is_some_and(|n| heads(b.func, x) == Some(n)) {
        return Ok(x);
    }
    let (batch, kv_heads, tail) = (dims(b, x, 0, 1)?, dims(b, x, 1, 2)?, dims(b, x, 2, 4)?);
    let q_heads = dims(b, q, 1, 2)?;
    let group = b.add(ops::Div::new(q_heads, kv_heads))?;
    let repeated = b.add(ops::Concat::new(&[batch, kv_heads, group, tail]).axis(0))?;
    let merged = b.add(ops::Concat::new(&[batch, q_heads, tail]).axis(0))?;
    let two = ints(b, &[2]);
    let x = b.add(ops::Unsqueeze::new(x, two))?;
    let x = b.add(ops::Expand::new(x, repeated))?;
    reshape(b, x, merged)
}

/// The square root of the scale, by which both queries and keys are multiplied.
fn root_of_scale(
    b: &mut Builder<'_>,
    q: ValueId,
    scale: Option<f32>,
) -> Result<ValueId, OnnxError> {
    if let Some(scale) = scale {
        return Ok(b.literal(Literal::scalar(scale.sqrt())));
    }
    let (size, rank_0) = (dims(b, q, 3, 4)?, ints(b, &[]));
    let size = b.add(ops::Reshape::new(size, rank_0))?;
    let size = cast(b, size, DType::F32)?;
    let root = b.add(ops::Sqrt::new(size))?;
    let scale = b.add(ops::Reciprocal::new(root))?;
    Ok(b.add(ops::Sqrt::new(scale))?)
}

impl<'a> Import<'a, '_> {
    /// `prob_mod(softmax(score_mod(scale·q·kᵀ)))·v`, as the standard's function body computes it.
    pub(crate) fn flex_attention(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, OnnxError> {
        let (q, k, v) = (node.need(0, "q")?, node.need(1, "k")?, node.need(2, "v")?);
        for x in [k, v] {
            if !types::agree(b.func.ty(q), b.func.ty(x)) {
                return Err(OnnxErrorKind::Declared {
                    tensor: b.func.info(x).name.clone(),
                    declared: b.func.ty(q).clone(),
                    actual: b.func.ty(x).clone(),
                }
                .into());
            }
        }
        let own = b.func.ty(q).dtype().unwrap_or(DType::F32);
        let precision = match node.take_int("softmax_precision")? {
            None if own == DType::F64 => DType::F64,
            None => DType::F32,
            Some(number) => {
                dtype::from_number(number).filter(|d| d.is_float()).ok_or_else(|| {
                    OnnxErrorKind::AttributeValue {
                        name: "softmax_precision".to_owned(),
                        found: number.to_string(),
                        expected: "the number of a floating-point type",
                    }
                })?
            }
        };
        let scale = node.take_float("scale")?;
        let mut modifiers = vec![];
        for name in ["score_mod", "prob_mod"] {
            let graph = node.take_graph_opt(name)?;
            if let Some(graph) = graph {
                expect(name, "input", graph.input.len(), 1)?;
                expect(name, "output", graph.output.len(), 1)?;
            }
            modifiers.push(graph);
        }
        node.finish()?;
        let mut modify = |b: &mut Builder<'_>, place: usize, x: ValueId| match modifiers[place] {
            None => Ok(x),
            Some(graph) => self.inline(b, scope, graph, &[x], frame).map(|y| y[0]),
        };

        let (k, v) = (repeat_heads(b, q, k)?, repeat_heads(b, q, v)?);
        let root = root_of_scale(b, q, scale)?;
        let root = cast(b, root, own)?;
        let q = b.add(ops::Mul::new(q, root))?;
        let k = b.add(ops::Mul::new(k, root))?;
        let k = b.add(ops::Transpose::new(k).perm(vec![0, 1, 3, 2]))?;
        let scores = b.add(ops::MatMul::new(q, k))?;
        let scores = cast(b, scores, precision)?;
        let scores = modify(b, 0, scores)?;
        let probs = b.add(ops::Softmax::new(scores).axis(-1))?;
        let probs = modify(b, 1, probs)?;
        let v = cast(b, v, precision)?;
        let y = b.add(ops::MatMul::new(probs, v))?;
        Ok(vec![Some(cast(b, y, own)?)])
    }
}
