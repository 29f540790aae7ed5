//! Attention and its kin.

use crate::Dim;
use crate::shape::dims;
use crate::shape::error::ShapeError;
use crate::shape::view::{Shapes, View, nothing, one};

/// A head count attribute.
fn heads(cx: &View<'_>, name: &str) -> Result<i64, ShapeError> {
    match cx.op.int(name) {
        Some(h) if h > 0 => Ok(h),
        Some(h) => Err(cx.error(format!("`{name}` is {h}"))),
        None => Err(cx.error(format!("needs `{name}` for operands of rank 3"))),
    }
}

/// [batch, heads, length, size] of operand `i`, which has that shape or [batch, length, heads·size].
fn by_heads(cx: &View<'_>, i: usize, attr: &str) -> Result<Option<[Dim; 4]>, ShapeError> {
    match cx.shape(i) {
        None => Ok(None),
        Some([b, h, s, d]) => Ok(Some([b, h, s, d].map(Clone::clone))),
        Some([b, s, packed]) => {
            let h = heads(cx, attr)?;
            if packed.fixed().is_some_and(|n| n as i64 % h != 0) {
                let x = cx.name_shape(i);
                return Err(cx.error(format!("{x} does not divide into {h} heads")));
            }
            let size = dims::part(packed, h);
            Ok(Some([b.clone(), Dim::from(h as usize), s.clone(), size]))
        }
        Some(_) => Err(cx.error(format!("{} has neither rank 3 nor 4", cx.name_shape(i)))),
    }
}

/// Attention.
pub(crate) fn attention(cx: &View<'_>) -> Shapes {
    let q = by_heads(cx, 0, "q_num_heads")?;
    let k = by_heads(cx, 1, "kv_num_heads")?;
    let v = by_heads(cx, 2, "kv_num_heads")?;
    let packed = cx.rank(0) == Some(3);
    let past = |i: usize| match cx.shape(i) {
        Some([_, _, n, _]) => n.clone(),
        Some(_) => Dim::Unknown,
        None if cx.has(i) => Dim::Unknown,
        None => Dim::Fixed(0),
    };
    if let (Some([b, _, _, d]), Some([kb, kh, t, kd])) = (&q, &k) {
        cx.equal(b, kb, "batches of queries and keys")?;
        cx.equal(d, kd, "sizes of queries and keys")?;
        if let Some([vb, vh, vt, _]) = &v {
            cx.equal(b, vb, "batches of queries and values")?;
            cx.equal(kh, vh, "heads of keys and values")?;
            cx.equal(t, vt, "lengths of keys and values")?;
        }
    }
    let y = match (&q, &v) {
        (Some([b, h, s, _]), Some([.., size])) if packed => {
            Some(vec![b.clone(), s.clone(), dims::mul(h, size)])
        }
        (Some([b, h, s, _]), Some([.., size])) => {
            Some(vec![b.clone(), h.clone(), s.clone(), size.clone()])
        }
        _ => cx.rank(0).map(dims::unknown),
    };
    let present = |kv: &Option<[Dim; 4]>, i: usize| {
        let [b, h, t, d] = kv.clone()?;
        Some(vec![b, h, dims::add(&past(i), &t), d])
    };
    let scores = match (&q, &k) {
        (Some([b, h, s, _]), Some([_, _, t, _])) => {
            Some(vec![b.clone(), h.clone(), s.clone(), dims::add(&past(4), t)])
        }
        _ => None,
    };
    Ok(vec![y, present(&k, 4), present(&v, 5), scores])
}

/// LinearAttention: operands [batch, length, heads·size].
pub(crate) fn linear_attention(cx: &View<'_>) -> Shapes {
    for i in 0..3 {
        cx.expect_rank(i, 3)?;
    }
    let (q_heads, kv_heads) = (heads(cx, "q_num_heads")?, heads(cx, "kv_num_heads")?);
    let (Some([b, t, _]), Some([_, _, k]), Some([_, _, v])) =
        (cx.shape(0), cx.shape(1), cx.shape(2))
    else {
        return nothing();
    };
    let (key, value) = (dims::part(k, kv_heads), dims::part(v, kv_heads));
    let y = vec![b.clone(), t.clone(), dims::times(&value, q_heads)];
    Ok(vec![Some(y), Some(vec![b.clone(), Dim::from(kv_heads as usize), key, value])])
}

/// CausalConvWithState.
pub(crate) fn causal_conv(cx: &View<'_>) -> Shapes {
    cx.expect_rank(0, 3)?;
    cx.expect_rank(1, 3)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let Some([_, _, k]) = cx.shape(1) else { return one(x.to_vec()) };
    let kept = dims::map(k, |k| k.sub(&1.into()));
    Ok(vec![Some(x.to_vec()), Some(vec![x[0].clone(), x[1].clone(), kept])])
}
