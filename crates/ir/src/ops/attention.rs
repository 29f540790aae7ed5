//! Attention and its kin.

use super::common::like;
use crate::cost::{Work, two_each};
use crate::op::grammar::ops;
use crate::op::{Operands, TypeError};
use crate::ops;
use crate::shape::{ShapeError, Shapes, View, dims, nothing};
use crate::{Dim, Op, Type};

ops! {
    /// Scaled dot-product attention by heads: softmax(softcap(scale·q·kᵀ) + mask)·v, where softcap(s) is
    /// softcap·tanh(s/softcap) if that is not 0 and scale is 1/√head size if absent. q, k and v are [batch, heads,
    /// length, size], or [batch, length, heads·size] with the numbers of heads given; several query heads may share one
    /// of k and v. The past key and value precede k and v along the length. A bool mask tells what takes part, a float
    /// one is added; `is_causal` and the windows (−1: open) count positions from the end of the keys. A row with
    /// everything masked gives 0; with `plain_mask`, which fusion sets, the mask is a summand and no more, and such
    /// a row gives NaN as softmax does. `qk_matmul_output` is the scores: 0 plain, 1 after the soft cap, 2 after the mask, 3
    /// after softmax.
    Attention "attention" Contract
        (q: Float T, k: Float T, v: Any U, attn_mask[opt], past_key[opt]: Float T, past_value[opt]: Any U, nonpad_kv_seqlen[opt])
        -> (y: Elem(0), present_key[opt]: Elem(1), present_value[opt]: Elem(2), qk_matmul_output[opt]: Elem(0)) {
        is_causal: Flag = false, q_num_heads[opt]: Int, kv_num_heads[opt]: Int, scale[opt]: Float, softcap: Float = 0.0,
        softmax_precision[opt]: DType, qk_matmul_output_mode: Int = 0, left_window_size: Int = -1, right_window_size: Int = -1,
        plain_mask[internal]: Flag = false,
    } onnx "" 23 shape attention flops attention_flops;
    /// Attention as a recurrence over a state S [batch, kv heads, d_k, d_v], operands packed as [batch, length,
    /// heads·size]: S += k⊗v (`linear`), with S·exp(decay) before it (`gated`), or k⊗(beta·(v − Sᵀk)) for k⊗v (`delta`,
    /// `gated_delta`). The output is scale·Sᵀq, scale 1/√d_k if 0. `chunk_size` does not change results.
    LinearAttention "linear_attention" Contract (query, key, value, past_state[opt], decay[opt], beta[opt])
        -> (y: Elem(0), present_state: Rule::Fn(linear_state_type)) {
        chunk_size: Int = 64, kv_num_heads: Int, q_num_heads: Int,
        scale: Float = 0.0, update_rule: UpdateRule = UpdateRule::GatedDelta,
    } onnx "" 27 shape linear_attention flops two_each;
    /// Rotates pairs of features, halves of a head or neighbours if `interleaved`, by the angles whose cosines and
    /// sines are cached: [max position, size/2] with `position_ids`, else [batch, length, size/2]. `x` is [batch,
    /// heads, length, size], or [batch, length, heads·size] with `num_heads`. Features from `rotary_embedding_dim` on
    /// (0: none) stay.
    RotaryEmbedding "rotary_embedding" Contract (x, cos_cache, sin_cache, position_ids[opt]) -> (y: Elem(0)) {
        interleaved: Flag = false, num_heads[opt]: Int, rotary_embedding_dim: Int = 0,
    } onnx "" 23 shape like flops two_each;
}

/// As the state that comes in, else as the query.
fn linear_state_type(op: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    let state = operands(3).or_else(|| operands(0)).and_then(Type::dtype);
    state.map(Type::unranked).ok_or(TypeError::MissingOperand {
        op: op.decl().name,
        name: "query",
        index: 0,
    })
}

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
fn attention(cx: &View<'_>) -> Shapes {
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
fn linear_attention(cx: &View<'_>) -> Shapes {
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

/// q·kᵀ and softmax·v, for rank 4 [batch, heads, length, size] and rank 3 [batch, length, heads·size].
fn attention_flops(work: &Work<'_>) -> f64 {
    let f = |n: usize| n as f64;
    let Some(op) = ops::Attention::of(work.op) else { return 0.0 };
    let at = ops::Attention::AT;
    match (work.operand(at.q), work.operand(at.k), work.operand(at.v)) {
        (&[b, h, m, d], &[_, _, n, _], &[_, _, _, e]) => {
            2.0 * f(b) * f(h) * f(m) * f(n) * (f(d) + f(e))
        }
        (&[b, m, d], &[_, n, _], &[_, _, e]) => {
            // Values of all query heads: grouped heads are used several times.
            let heads = |count: Option<i64>| count.map_or(1.0, |n| n as f64).max(1.0);
            let repeat = heads(op.q_num_heads()) / heads(op.kv_num_heads());
            2.0 * f(b) * f(m) * f(n) * (f(d) + f(e) * repeat)
        }
        _ => 0.0,
    }
}
