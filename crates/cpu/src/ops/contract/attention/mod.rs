//! Scaled dot-product attention: operands and results of the op around its [`kernel`].

mod kernel;
mod layout;
mod mask;
#[cfg(test)]
mod tests;

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, narrow, produce, read, round_to};
use kernel::{Operands, Stage};
use layout::{Heads, Layout, View};
use mask::{Mask, Visible};
use trident_ir::DType;
use trident_ir::ops::{Attention, AttentionAt};
use trident_runtime::{KernelError, Tensor};

const AT: AttentionAt = Attention::AT;

/// The attributes.
struct Form {
    heads: Heads,
    visible: Visible,
    /// Factor of the scores; by the length of a key if there is none.
    scale: Option<f32>,
    softcap: f32,
    /// The type of the softmax, if it is not that of the queries.
    softmax: Option<DType>,
    /// The scores that the last result shows.
    stage: Stage,
}

impl Form {
    fn of(op: Attention<'_>) -> Result<Form, KernelError> {
        let softmax = match op.softmax_precision() {
            Some(d) if !d.is_float() => {
                return Err(KernelError::attr(
                    "softmax_precision",
                    format!("{d} is not supported: give a type of floats"),
                ));
            }
            precision => precision,
        };
        let stage = match op.qk_matmul_output_mode() {
            0 => Stage::Product,
            1 => Stage::Capped,
            2 => Stage::Masked,
            3 => Stage::Weights,
            n => {
                return Err(KernelError::attr(
                    "qk_matmul_output_mode",
                    format!("there is no mode {n}: give 0 to 3"),
                ));
            }
        };
        Ok(Form {
            heads: Heads { q: op.q_num_heads(), kv: op.kv_num_heads() },
            visible: Visible::of(op)?,
            scale: op.scale(),
            softcap: op.softcap(),
            softmax,
            stage,
        })
    }
}

pub(super) fn attention(cx: &Compile<'_>) -> Made {
    let form = Form::of(cx.view(Attention::of)?).map_err(|e| cx.refused(e))?;
    for_real!(cx, AT.q, R => Prepared::boxed(cx, move |call| attend::<R>(call, &form)))
}

fn attend<R: Real>(call: &mut Call<'_, '_>, form: &Form) -> Result<(), KernelError> {
    let (q, k, v) = (call.tensor(AT.q)?, call.tensor(AT.k)?, call.tensor(AT.v)?);
    let dtype = q.dtype();
    for (index, t) in [(AT.k, &k), (AT.v, &v)] {
        if !t.dtype().is_float() || index == AT.k && t.dtype() != dtype {
            let (actual, expected) = (t.dtype(), dtype.to_string());
            return Err(KernelError::DType { index, actual, expected });
        }
    }
    let past = match (call.opt(AT.past_key)?, call.opt(AT.past_value)?) {
        (None, None) => None,
        (Some(k), Some(v)) => Some((k, v)),
        _ => return Err(KernelError::shape("`past_key` and `past_value` must be given together")),
    };
    if past.is_some() && call.value(AT.nonpad_kv_seqlen).is_some() {
        return Err(KernelError::shape(
            "`nonpad_kv_seqlen` cannot be given together with `past_key` and `past_value`",
        ));
    }
    let at = Layout::new(form.heads, [&q, &k, &v], past.as_ref().map(|(k, v)| (k, v)))?;
    let keys = cached::<R>(call, past.as_ref().map(|p| &p.0), AT.present_key, &at, &k, at.size)?;
    let values =
        cached::<R>(call, past.as_ref().map(|p| &p.1), AT.present_value, &at, &v, at.v_size)?;

    let mut q_data = read::<R>(&q)?;
    let mut k_data = read::<R>(keys.as_ref().unwrap_or(&k))?;
    let v_data = read::<R>(values.as_ref().unwrap_or(&v))?;
    let mut scale = match form.scale {
        Some(s) => R::of(s.into()),
        None => R::of(1.0 / (at.size as f64).sqrt()),
    };
    if matches!(dtype, DType::F16 | DType::BF16) {
        // The standard scales both operands by the root and rounds, which narrow types show in their results.
        let mut root = [scale.sqrt()];
        round_to(dtype, &mut root);
        for data in [&mut q_data, &mut k_data] {
            data.to_mut().iter_mut().for_each(|x| *x *= root[0]);
            round_to(dtype, data.to_mut());
        }
        scale = R::one();
    }
    let (total, heads) = (at.total(), at.kv_heads);
    let view = |cached: bool, data, size| match cached {
        true => View { data, batch: heads * total * size, head: total * size, row: size },
        false => at.view(data, heads, at.kv_len, size),
    };
    let operands = Operands {
        at,
        q: at.view(&q_data, at.q_heads, at.q_len, at.size),
        k: view(keys.is_some(), &*k_data, at.size),
        v: view(values.is_some(), &*v_data, at.v_size),
        mask: Mask::new(call, form.visible, &at)?,
        scale,
        softcap: R::of(form.softcap.into()),
        dtype,
        softmax: form.softmax.unwrap_or(dtype),
    };
    let scores = [at.batch, at.q_heads, at.q_len, total];
    let mut shown = match call.wants(AT.qk_matmul_output) {
        true => Some(call.temp(R::DTYPE, &scores)?),
        false => None,
    };
    let dims = match at.packed {
        true => vec![at.batch, at.q_len, at.q_heads * at.v_size],
        false => vec![at.batch, at.q_heads, at.q_len, at.v_size],
    };
    let threads = call.threads;
    produce::<R>(call, AT.y, dtype, &dims, |y| {
        let shown = match &mut shown {
            Some(t) => Some((form.stage, t.slice_mut::<R>()?)),
            None => None,
        };
        operands.run(threads, y, shown);
        Ok(())
    })?;
    shown.map_or(Ok(()), |t| set::<R>(call, AT.qk_matmul_output, dtype, t))
}

/// Keys or values with the cache before them as `[batch, heads, keys, size]`, if there is a cache or result `result` is
/// in use; sets that result.
fn cached<R: Real>(
    call: &mut Call<'_, '_>,
    past: Option<&Tensor>,
    result: usize,
    at: &Layout,
    fresh: &Tensor,
    size: usize,
) -> Result<Option<Tensor>, KernelError> {
    if past.is_none() && !call.wants(result) {
        return Ok(None);
    }
    let mut joined = call.temp(R::DTYPE, &[at.batch, at.kv_heads, at.total(), size])?;
    let past = past.map(read::<R>).transpose()?;
    let fresh_data = read::<R>(fresh)?;
    let view = at.view(&fresh_data, at.kv_heads, at.kv_len, size);
    let (head_len, old_len) = (at.total() * size, at.past * size);
    for (i, head) in joined.slice_mut::<R>()?.chunks_exact_mut(head_len.max(1)).enumerate() {
        let (old, new) = head.split_at_mut(old_len);
        if let Some(past) = &past {
            old.copy_from_slice(&past[i * old_len..][..old_len]);
        }
        for (r, row) in new.chunks_exact_mut(size).enumerate() {
            let start = view.start(i / at.kv_heads, i % at.kv_heads, r);
            row.copy_from_slice(&view.data[start..start + size]);
        }
    }
    if call.wants(result) {
        set::<R>(call, result, fresh.dtype(), joined.clone())?;
    }
    Ok(Some(joined))
}

/// Sets result `i` of type `dtype` to a tensor computed in `R`.
fn set<R: Real>(
    call: &mut Call<'_, '_>,
    i: usize,
    dtype: DType,
    wide: Tensor,
) -> Result<(), KernelError> {
    let out = match dtype == R::DTYPE {
        true => wide,
        false => {
            let out = call.alloc(i, dtype, wide.dims())?;
            narrow::<R>(wide.slice()?, out)?
        }
    };
    call.set(i, out);
    Ok(())
}
