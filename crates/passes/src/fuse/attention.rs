//! Scaled dot-product attention written out.

use super::epilogue::multiple;
use crate::rewrite::{Change, Rewriter, instead};
use crate::simplify::permutation;
use trident_ir::{Attr, Dim, Op, OpKind as K, ValueId};

/// softmax(scale·Q·Kᵀ + mask)·V over [batch, heads, length, size].
pub(super) fn attention(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::MatMul || cx.rank(op.output(0)?) != Some(4) || !cx.is_f32(op.output(0)?) {
        return None;
    }
    let values = op.input(1)?;
    let softmax = cx.only(op, 0, K::Softmax)?;
    if !matches!(softmax.int("axis")?, -1 | 3) {
        return None;
    }
    let (scores, mask) = unmasked(cx, softmax.input(0)?)?;
    let (scores, outer) = unscaled(cx, scores);
    let product = cx.only_value(scores, K::MatMul)?;
    let (q, of_q) = unscaled(cx, product.input(0)?);
    let (transposed, of_k) = unscaled(cx, product.input(1)?);
    // Batch and heads of all three are the same: the op broadcasts neither.
    let outer_dims = |v: ValueId| cx.shape(v).filter(|s| s.len() == 4).map(|s| s[..2].to_vec());
    let (of_queries, of_keys) = (outer_dims(q)?, outer_dims(transposed)?);
    let agree = |a: &[Dim], b: &[Dim]| a.iter().zip(b).all(|(a, b)| a.same(b));
    if !agree(&of_queries, &of_keys) || !agree(&of_keys, &outer_dims(values)?) {
        return None;
    }
    let keys = untransposed(cx, transposed)?;
    let mut new = instead(op, K::Attention, vec![Some(q), Some(keys), Some(values)]);
    new.inputs.extend(mask.map(Some));
    new.attrs.set("scale", Attr::Float((outer * of_q * of_k) as f32));
    // A softmax written out gives NaN for keys that are all masked, the op 0.
    new.attrs.set("plain_mask", Attr::Int(1));
    Some(Change::Op(new))
}

/// A value without the number it is multiplied with, and that number.
fn unscaled(cx: &Rewriter<'_>, value: ValueId) -> (ValueId, f64) {
    let op = cx.producer(value).filter(|_| cx.single(value));
    match op.and_then(|op| multiple(cx, op)) {
        Some((x, k)) if cx.same_shape(x, value) => (x, k),
        _ => (value, 1.0),
    }
}

/// Scores without the mask added to them, and the mask.
fn unmasked(cx: &Rewriter<'_>, scores: ValueId) -> Option<(ValueId, Option<ValueId>)> {
    let Some(add) = cx.only_value(scores, K::Add) else { return Some((scores, None)) };
    let (a, b) = (add.input(0)?, add.input(1)?);
    let (shape, masks) = (cx.shape(scores)?, [(a, b), (b, a)]);
    let usable = |(s, m): &(ValueId, ValueId)| {
        let (Some(mask), true) = (cx.shape(*m), cx.same_shape(*s, scores)) else { return false };
        let keys = mask.last().zip(shape.last()).is_some_and(|(m, k)| m.same(k));
        (2..=4).contains(&mask.len()) && keys
    };
    masks.into_iter().find(usable).map(|(s, m)| (s, Some(m)))
}

/// Keys [batch, heads, length, size] from [batch, heads, size, length].
fn untransposed(cx: &mut Rewriter<'_>, value: ValueId) -> Option<ValueId> {
    let transpose = cx.only_value(value, K::Transpose)?;
    let perm = permutation(cx, &transpose)?;
    let [a, b, c, d] = perm.as_slice() else { return None };
    let x = transpose.input(0)?;
    if (*a, *b, *d, *c) == (0, 1, 2, 3) {
        return Some(x);
    }
    let perm = [*a, *b, *d, *c].map(|p| p as i64).to_vec();
    cx.emit(K::Transpose, &[Some(x)], &[("perm", Attr::Ints(perm))])
}

/// Attention between the reshapes and transposes that split and join heads: it takes [batch, length,
/// heads·size] as it is.
pub(super) fn heads(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Reshape || cx.rank(op.output(0)?) != Some(3) {
        return None;
    }
    let join = cx.only(op, 0, K::Transpose)?;
    let core = cx.only(&join, 0, K::Attention)?;
    if permutation(cx, &join)? != [0, 2, 1, 3] || core.inputs.len() > 4 || core.outputs.len() > 1 {
        return None;
    }
    // The result [batch, length, heads, size] joins its last two axes.
    let (split, joined) = (cx.shape(join.output(0)?)?, cx.shape(op.output(0)?)?);
    let width = split[2].fixed()?.checked_mul(split[3].fixed()?)?;
    if !split[0].same(&joined[0]) || !split[1].same(&joined[1]) || joined[2].fixed() != Some(width)
    {
        return None;
    }
    let heads: Vec<(ValueId, usize)> =
        (0..3).map(|i| split_heads(cx, core.input(i)?)).collect::<Option<_>>()?;
    let [(q, q_heads), (k, k_heads), (v, v_heads)] = heads.as_slice() else { return None };
    if k_heads != v_heads {
        return None;
    }
    let mut new = instead(op, K::Attention, vec![Some(*q), Some(*k), Some(*v)]);
    new.inputs.extend_from_slice(&core.inputs[3..]);
    new.attrs = core.attrs.clone();
    new.attrs.set("q_num_heads", Attr::Int(*q_heads as i64));
    new.attrs.set("kv_num_heads", Attr::Int(*k_heads as i64));
    Some(Change::Op(new))
}

/// The value [batch, length, heads·size] that Reshape and Transpose make [batch, heads, length, size], and
/// the number of heads.
fn split_heads(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, usize)> {
    let transpose = cx.made_by(value, K::Transpose)?;
    let reshape = cx.made_by(transpose.input(0)?, K::Reshape)?;
    let x = reshape.input(0)?;
    let (from, to) = (cx.shape(x)?, cx.shape(reshape.output(0)?)?);
    let ([b, s, packed], [b2, s2, heads, size]) = (from, to) else { return None };
    let width = heads.fixed()?.checked_mul(size.fixed()?)?;
    let fits = b.same(b2) && s.same(s2) && packed.fixed() == Some(width);
    let order = permutation(cx, &transpose)? == [0, 2, 1, 3];
    (fits && order).then_some((x, heads.fixed()?))
}
