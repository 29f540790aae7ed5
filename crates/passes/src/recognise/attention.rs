//! Scaled dot-product attention written out.

use crate::matching::{multiple, permutation};
use crate::rewrite::{Change, Rewriter, instead, operand, pair, placed};
use trident_ir::{Dim, Op, OpKind as K, ValueId, ops};

/// softmax(scale·Q·Kᵀ + mask)·V over [batch, heads, length, size].
pub(super) fn attention(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let weighted = ops::MatMul::of(op)?;
    let (y, values) = (weighted.y()?, weighted.b());
    if cx.rank(y) != Some(4) || !cx.is_f32(y) {
        return None;
    }
    let softmax = cx.only(weighted.a(), K::Softmax)?;
    let softmax = ops::Softmax::of(&softmax).filter(|softmax| matches!(softmax.axis(), -1 | 3))?;
    let (scores, mask) = unmasked(cx, softmax.x())?;
    let (scores, outer) = unscaled(cx, scores);
    let (a, b) = pair(&cx.only(scores, K::MatMul)?)?;
    let (q, of_q) = unscaled(cx, a);
    let (transposed, of_k) = unscaled(cx, b);
    // Batch and heads of all three are the same: the op broadcasts neither.
    let outer_dims = |v: ValueId| cx.shape(v).filter(|s| s.len() == 4).map(|s| s[..2].to_vec());
    let (of_queries, of_keys) = (outer_dims(q)?, outer_dims(transposed)?);
    let agree = |a: &[Dim], b: &[Dim]| a.iter().zip(b).all(|(a, b)| a.same(b));
    if !agree(&of_queries, &of_keys) || !agree(&of_keys, &outer_dims(values)?) {
        return None;
    }
    let keys = untransposed(cx, transposed)?;
    let new = ops::Attention::new(q, keys, values, mask, None, None, None);
    let new = new.scale((outer * of_q * of_k) as f32);
    // A softmax written out gives NaN for keys that are all masked, the op 0.
    Some(instead(op, new.plain_mask(true)))
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
    let Some(add) = cx.only(scores, K::Add) else { return Some((scores, None)) };
    let (a, b) = pair(&add)?;
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
    let transpose = cx.only(value, K::Transpose)?;
    let perm = permutation(cx, &transpose)?;
    let [a, b, c, d] = perm.as_slice() else { return None };
    let x = operand(&transpose)?;
    if (*a, *b, *d, *c) == (0, 1, 2, 3) {
        return Some(x);
    }
    let perm = [*a, *b, *d, *c].map(|p| p as i64).to_vec();
    cx.emit(ops::Transpose::new(x).perm(perm))
}

/// Attention between the reshapes and transposes that split and join heads: it takes [batch, length,
/// heads·size] as it is.
pub(super) fn heads(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let reshape = ops::Reshape::of(op)?;
    let y = reshape.y().filter(|y| cx.rank(*y) == Some(3))?;
    let join = cx.only(reshape.x(), K::Transpose)?;
    let core = cx.only(operand(&join)?, K::Attention)?;
    let whole = ops::Attention::of(&core)?;
    let more_operands = [whole.past_key(), whole.past_value(), whole.nonpad_kv_seqlen()]
        .iter()
        .any(Option::is_some);
    if permutation(cx, &join)? != [0, 2, 1, 3] || more_operands || core.defined().count() > 1 {
        return None;
    }
    // The result [batch, length, heads, size] joins its last two axes.
    let (split, joined) = (cx.shape(reshape.x())?, cx.shape(y)?);
    let width = split[2].fixed()?.checked_mul(split[3].fixed()?)?;
    if !split[0].same(&joined[0]) || !split[1].same(&joined[1]) || joined[2].fixed() != Some(width)
    {
        return None;
    }
    let (q, q_heads) = split_heads(cx, whole.q())?;
    let (k, k_heads) = split_heads(cx, whole.k())?;
    let (v, v_heads) = split_heads(cx, whole.v())?;
    if k_heads != v_heads {
        return None;
    }
    let new = ops::Attention::new(q, k, v, whole.attn_mask(), None, None, None).into_op();
    let mut new = placed(op, Op { attrs: core.attrs.clone(), ..new });
    let (q_heads, k_heads) = (q_heads as i64, k_heads as i64);
    ops::Attention::edit(&mut new)?.q_num_heads(q_heads).kv_num_heads(k_heads);
    Some(Change::Op(new))
}

/// The value [batch, length, heads·size] that Reshape and Transpose make [batch, heads, length, size], and
/// the number of heads.
fn split_heads(cx: &Rewriter<'_>, value: ValueId) -> Option<(ValueId, usize)> {
    let transpose = cx.made_by(value, K::Transpose)?;
    let split = operand(&transpose)?;
    let x = operand(&cx.made_by(split, K::Reshape)?)?;
    let (from, to) = (cx.shape(x)?, cx.shape(split)?);
    let ([b, s, packed], [b2, s2, heads, size]) = (from, to) else { return None };
    let width = heads.fixed()?.checked_mul(size.fixed()?)?;
    let fits = b.same(b2) && s.same(s2) && packed.fixed() == Some(width);
    let order = permutation(cx, &transpose)? == [0, 2, 1, 3];
    (fits && order).then_some((x, heads.fixed()?))
}
