//! Attention and its kin.

use super::common::like;
use crate::axes::{self, Axes};
use crate::cost::{Work, two_each};
use crate::decompose::Written;
use crate::op::grammar::ops;
use crate::op::kinds::Int;
use crate::op::{Operands, TypeError, view};
use crate::ops;
use crate::shape::{ShapeError, Shapes, View, dims, nothing};
use crate::{AttrName, Builder, DType, Dim, Literal, Op, Type, ValueId};

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
    } onnx "" 23 shape attention flops attention_flops axes attention_axes;
    /// `attention` as ONNX Runtime's operator of that name: operands [batch, length, heads·size], or all three side by
    /// side in `query`. The keys and values of a step are appended to the cached ones, in caches that have room for
    /// `total_sequence_length`. `seqlens_k` is the resulting number of keys, less one. With `do_rotary` queries and
    /// keys are rotated, by their positions after the cached ones or by `position_ids`. Each query sees the keys up to
    /// its own position, at most the last `local_window_size` of them if that is set. A scale of 0 is 1/√head size.
    GroupQueryAttention "group_query_attention" Contract
        (query: Float T, key[opt]: Float T, value[opt]: Float T, past_key[opt]: Float T, past_value[opt]: Float T,
         seqlens_k: Index, total_sequence_length: Index, cos_cache[opt]: Float T, sin_cache[opt]: Float T, position_ids[opt]: I64)
        -> (y: Elem(0), present_key[opt]: Elem(0), present_value[opt]: Elem(0)) {
        num_heads: Int, kv_num_heads: Int, scale: Float = 0.0, softcap: Float = 0.0, do_rotary: Flag = false,
        rotary_interleaved: Flag = false, local_window_size: Int = -1, smooth_softmax: Int = -1, qk_output: Int = 0,
    } onnx "com.microsoft" 1 composite group_query shape group_query_shapes flops two_each axes "n*, n*, n*, n*, n*, n*, *, *, *, n* -> n*";
    /// Attention as a recurrence over a state S [batch, kv heads, d_k, d_v], operands packed as [batch, length,
    /// heads·size]: S += k⊗v (`linear`), with S·exp(decay) before it (`gated`), or k⊗(beta·(v − Sᵀk)) for k⊗v (`delta`,
    /// `gated_delta`). The output is scale·Sᵀq, scale 1/√d_k if 0. `chunk_size` does not change results.
    LinearAttention "linear_attention" Contract (query, key, value, past_state[opt], decay[opt], beta[opt])
        -> (y: Elem(0), present_state: Rule::Fn(linear_state_type)) {
        chunk_size: Int = 64, kv_num_heads: Int, q_num_heads: Int,
        scale: Float = 0.0, update_rule: UpdateRule = UpdateRule::GatedDelta,
    } onnx "" 27 shape linear_attention flops two_each axes "n* -> n*";
    /// Rotates pairs of features, halves of a head or neighbours if `interleaved`, by the angles whose cosines and
    /// sines are cached: [max position, size/2] with `position_ids`, else [batch, length, size/2]. `x` is [batch,
    /// heads, length, size], or [batch, length, heads·size] with `num_heads`. Features from `rotary_embedding_dim` on
    /// (0: none) stay.
    RotaryEmbedding "rotary_embedding" Contract (x, cos_cache, sin_cache, position_ids[opt]) -> (y: Elem(0)) {
        interleaved: Flag = false, num_heads[opt]: Int, rotary_embedding_dim: Int = 0,
    } onnx "" 23 shape like flops two_each axes rotary_axes;
}

/// The type of the incoming state, else that of the query.
fn linear_state_type(op: &Op, operands: &Operands<'_>) -> Result<Type, TypeError> {
    let state = operands(3).or_else(|| operands(0)).and_then(Type::dtype);
    state.map(Type::unranked).ok_or(TypeError::MissingOperand {
        op: op.decl().name,
        name: "query",
        index: 0,
    })
}

/// A head count attribute.
fn heads(cx: &View<'_>, name: AttrName<Int>) -> Result<i64, ShapeError> {
    match view::set_or_declared(cx.op, name) {
        Some(h) if h > 0 => Ok(h),
        Some(h) => Err(cx.error(format!("`{}` is {h}", name.text()))),
        None => Err(cx.error(format!("needs `{}` for inputs of rank 3", name.text()))),
    }
}

/// [batch, heads, length, size] of operand `i`, which has that shape or [batch, length, heads·size].
fn by_heads(cx: &View<'_>, i: usize, attr: AttrName<Int>) -> Result<Option<[Dim; 4]>, ShapeError> {
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
    let at = ops::Attention::AT;
    let q = by_heads(cx, at.q, at.q_num_heads)?;
    let k = by_heads(cx, at.k, at.kv_num_heads)?;
    let v = by_heads(cx, at.v, at.kv_num_heads)?;
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
    let at = ops::LinearAttention::AT;
    let (q_heads, kv_heads) = (heads(cx, at.q_num_heads)?, heads(cx, at.kv_num_heads)?);
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

/// GroupQueryAttention; how long the caches become is not followed.
fn group_query_shapes(cx: &View<'_>) -> Shapes {
    let Some(op) = ops::GroupQueryAttention::of(cx.op) else { return nothing() };
    let at = ops::GroupQueryAttention::AT;
    cx.expect_rank(at.query, 3)?;
    let Some([batch, length, width]) = cx.shape(at.query) else { return nothing() };
    let (heads, kv_heads) = (op.num_heads(), op.kv_num_heads());
    if heads < 1 || kv_heads < 1 || heads % kv_heads != 0 {
        return Err(cx.error(format!("{heads} query heads for {kv_heads} heads of keys")));
    }
    let packed = if op.key().is_none() { heads + 2 * kv_heads } else { heads };
    let size = dims::part(width, packed);
    let y = vec![batch.clone(), length.clone(), dims::times(&size, heads)];
    let present = vec![batch.clone(), Dim::from(kv_heads as usize), Dim::Unknown, size];
    Ok(vec![Some(y), Some(present.clone()), Some(present)])
}

fn group_query(op: ops::GroupQueryAttention<'_>, b: &mut Builder<'_>) -> Written {
    let at = ops::GroupQueryAttention::AT;
    for (name, refused) in
        [(at.smooth_softmax, op.smooth_softmax() > 0), (at.qk_output, op.qk_output() != 0)]
    {
        if refused {
            return Err(TypeError::AttributeValue {
                op: op.as_op().decl().name,
                name: name.text(),
                actual: view::shown(op.as_op(), name),
                expected: "0".into(),
            });
        }
    }
    let (heads, kv_heads) = (op.num_heads(), op.kv_num_heads());
    let [q, k, v] = by_head(b, op, heads, kv_heads)?;
    let length = vector(b, op.query(), 1)?;
    let first = first_place(b, op.seqlens_k(), length)?;
    let places = {
        let (steps, column) = (steps(b, length)?, ints(b, &[1]));
        let first = b.add(ops::Unsqueeze::new(first, column))?;
        b.add(ops::Add::new(first, steps))?
    };
    let rotated = |b: &mut Builder<'_>, x: ValueId| rotate(b, op, x, places);
    let (q, k) = match op.do_rotary() {
        true => (rotated(b, q)?, rotated(b, k)?),
        false => (q, k),
    };
    let k = cached(b, op, op.past_key(), k, first)?;
    let v = cached(b, op, op.past_value(), v, first)?;
    let mask = seen(b, op.local_window_size(), places, k)?;
    let mut attention =
        ops::Attention::new(q, k, v, Some(mask), None, None, None).softcap(op.softcap());
    if op.scale() != 0.0 {
        attention = attention.scale(op.scale());
    }
    let y = b.add(attention)?;
    let y = b.add(ops::Transpose::new(y).perm(vec![0, 2, 1, 3]))?;
    let packed = ints(b, &[0, 0, -1]);
    let y = b.add(ops::Reshape::new(y, packed))?;
    Ok(vec![Some(y), Some(k), Some(v)])
}

fn ints(b: &mut Builder<'_>, values: &[i64]) -> ValueId {
    b.literal(Literal::vector(values))
}

/// One dimension of a tensor, as a vector of one element.
fn vector(b: &mut Builder<'_>, x: ValueId, axis: i64) -> Result<ValueId, TypeError> {
    b.add(ops::Shape::new(x).start(axis).end(axis + 1))
}

/// 0 … n − 1 for a vector of one element n.
fn steps(b: &mut Builder<'_>, n: ValueId) -> Result<ValueId, TypeError> {
    let (zero, one) = (b.literal(Literal::scalar(0i64)), b.literal(Literal::scalar(1i64)));
    let axis = ints(b, &[0]);
    let n = b.add(ops::Squeeze::new(n, Some(axis)))?;
    b.add(ops::Range::new(zero, n, one))
}

/// Queries, keys and values as [batch, heads, length, size].
fn by_head(
    b: &mut Builder<'_>,
    op: ops::GroupQueryAttention<'_>,
    heads: i64,
    kv_heads: i64,
) -> Result<[ValueId; 3], TypeError> {
    let divided = |b: &mut Builder<'_>, x: ValueId, heads: i64| {
        let to = ints(b, &[0, 0, heads, -1]);
        b.add(ops::Reshape::new(x, to))
    };
    let parts = match (op.key(), op.value()) {
        (Some(k), Some(v)) => {
            [divided(b, op.query(), heads)?, divided(b, k, kv_heads)?, divided(b, v, kv_heads)?]
        }
        _ => {
            let all = divided(b, op.query(), heads + 2 * kv_heads)?;
            let sizes = ints(b, &[heads, kv_heads, kv_heads]);
            let parts = b.add_all(ops::Split::new(all, Some(sizes)).axis(2), 3)?;
            [parts[0], parts[1], parts[2]]
        }
    };
    let mut transposed = [op.query(); 3];
    for (to, part) in transposed.iter_mut().zip(parts) {
        *to = b.add(ops::Transpose::new(part).perm(vec![0, 2, 1, 3]))?;
    }
    Ok(transposed)
}

/// For each sequence, the position of its first new key: after the cached keys. A prompt may be shorter than the
/// operand that holds it, and starts at 0.
fn first_place(
    b: &mut Builder<'_>,
    seqlens_k: ValueId,
    length: ValueId,
) -> Result<ValueId, TypeError> {
    let lens = b.add(ops::Cast::new(seqlens_k).to(DType::I64))?;
    let flat = ints(b, &[-1]);
    let lens = b.add(ops::Reshape::new(lens, flat))?;
    let (one, zero) = (ints(b, &[1]), ints(b, &[0]));
    let ends = b.add(ops::Add::new(lens, one))?;
    let first = b.add(ops::Sub::new(ends, length))?;
    b.add(ops::Max::new(&[first, zero]))
}

fn rotate(
    b: &mut Builder<'_>,
    op: ops::GroupQueryAttention<'_>,
    x: ValueId,
    places: ValueId,
) -> Result<ValueId, TypeError> {
    let (Some(cos), Some(sin)) = (op.cos_cache(), op.sin_cache()) else {
        let at = ops::GroupQueryAttention::AT.cos_cache;
        let op = op.as_op().decl().name;
        return Err(TypeError::MissingOperand { op, name: "cos_cache", index: at });
    };
    // Caches of fewer angles rotate fewer features.
    let angles = b.func.ty(cos).shape().and_then(|dims| dims.last()?.fixed());
    let features = angles.map_or(0, |angles| 2 * angles as i64);
    let places = op.position_ids().unwrap_or(places);
    let rotation = ops::RotaryEmbedding::new(x, cos, sin, Some(places));
    b.add(rotation.interleaved(op.rotary_interleaved()).rotary_embedding_dim(features))
}

/// The cache with the new keys or values [batch, heads, length, size] from these places on.
fn cached(
    b: &mut Builder<'_>,
    op: ops::GroupQueryAttention<'_>,
    past: Option<ValueId>,
    new: ValueId,
    first: ValueId,
) -> Result<ValueId, TypeError> {
    let Some(past) = past else { return Ok(new) };
    let room = vector(b, past, 2)?;
    let total = b.add(ops::Cast::new(op.total_sequence_length()).to(DType::I64))?;
    let flat = ints(b, &[-1]);
    let total = b.add(ops::Reshape::new(total, flat))?;
    let length = b.add(ops::Max::new(&[room, total]))?;
    let more = b.add(ops::Sub::new(length, room))?;
    let (before, after) = (ints(b, &[0; 6]), ints(b, &[0]));
    let pads = b.add(ops::Concat::new(&[before, more, after]).axis(0))?;
    let cache = b.add(ops::Pad::new(past, pads, None, None))?;
    b.add(ops::TensorScatter::new(cache, new, Some(first)).axis(2))
}

/// Which keys each query sees, [batch, 1, queries, keys].
fn seen(
    b: &mut Builder<'_>,
    window: i64,
    places: ValueId,
    keys: ValueId,
) -> Result<ValueId, TypeError> {
    let count = vector(b, keys, 2)?;
    let keys = steps(b, count)?;
    let axes = ints(b, &[1, 3]);
    let places = b.add(ops::Unsqueeze::new(places, axes))?;
    let past = b.add(ops::LessOrEqual::new(keys, places))?;
    if window < 0 {
        return Ok(past);
    }
    let window = b.literal(Literal::scalar(window));
    let start = b.add(ops::Sub::new(places, window))?;
    let near = b.add(ops::Greater::new(keys, start))?;
    b.add(ops::And::new(past, near))
}

/// Attention.
fn attention_axes(cx: &View<'_>) -> Option<Axes> {
    let mask = axes::rank(cx, ops::Attention::AT.attn_mask);
    Axes::pattern(
        cx,
        &match axes::rank(cx, ops::Attention::AT.q)? {
            4 => {
                let mask = match mask {
                    Some(4) => "n?h?__",
                    Some(3) => "h?__",
                    _ => "*",
                };
                format!("nh__, nh__, nh__, {mask}, nh__, nh__, n -> nh__")
            }
            _ => {
                let mask = if mask == Some(4) { "n?___" } else { "*" };
                format!("n__, n__, n__, {mask}, n___, n___, n -> n__, n___")
            }
        },
    )
}

/// RotaryEmbedding: without positions, the angles are those of each entry of the batch.
fn rotary_axes(cx: &View<'_>) -> Option<Axes> {
    Axes::pattern(
        cx,
        match cx.has(ops::RotaryEmbedding::AT.position_ids) {
            true => "nh__, *, *, n_ -> nh__ | n__, *, *, n_ -> n__",
            false => "nh__, n__, n__ -> nh__ | n__ -> n__",
        },
    )
}
