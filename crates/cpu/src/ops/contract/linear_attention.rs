//! Linear attention: a state of keys by values is updated and read at each position (Yang et al. 2024 for the gated
//! delta rule).

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use trident_ir::counted;
use trident_ir::op::words::UpdateRule;
use trident_ir::ops::{LinearAttention, LinearAttentionAt};
use trident_kernels::threads::checkpoint;
use trident_runtime::{KernelError, Tensor};

const AT: LinearAttentionAt = LinearAttention::AT;

/// The attributes.
struct Form {
    q_heads: usize,
    kv_heads: usize,
    /// Factor of the results; by the length of a key if there is none.
    scale: Option<f32>,
}

impl Form {
    fn of(op: LinearAttention<'_>) -> Result<Form, KernelError> {
        let heads = |name: &'static str, n: i64| {
            let heads = usize::try_from(n).ok().filter(|&n| n > 0);
            heads.ok_or_else(|| KernelError::attr(name, format!("it is {n}, expected at least 1")))
        };
        let (gated, delta) = match op.update_rule() {
            UpdateRule::Linear => (false, false),
            UpdateRule::Gated => (true, false),
            UpdateRule::Delta => (false, true),
            UpdateRule::GatedDelta => (true, true),
        };
        if gated != op.decay().is_some() || delta != op.beta().is_some() {
            let reason = "gated rules need input `decay`, delta rules need `beta`, and other rules must not have them";
            return Err(KernelError::attr("update_rule", reason));
        }
        Ok(Form {
            q_heads: heads("q_num_heads", op.q_num_heads())?,
            kv_heads: heads("kv_num_heads", op.kv_num_heads())?,
            scale: Some(op.scale()).filter(|&scale| scale != 0.0),
        })
    }
}

pub(super) fn linear_attention(cx: &Compile<'_>) -> Made {
    let form = Form::of(cx.view(LinearAttention::of)?).map_err(|e| cx.refused(e))?;
    for_real!(cx, AT.query, R => Prepared::boxed(cx, move |call| attend::<R>(call, &form)))
}

fn attend<R: Real>(call: &mut Call<'_, '_>, form: &Form) -> Result<(), KernelError> {
    let (q, k, v) = (call.tensor(AT.query)?, call.tensor(AT.key)?, call.tensor(AT.value)?);
    let past = call.opt(AT.past_state)?;
    let (decay, beta) = (call.opt(AT.decay)?, call.opt(AT.beta)?);
    let Form { q_heads, kv_heads, scale } = *form;
    let misfit = || {
        let (q, k, v) = (q.dims(), k.dims(), v.dims());
        KernelError::shape(format!(
            "queries of dimensions {q:?}, keys of {k:?} and values of {v:?} do not fit {} and {}, or each other",
            counted(q_heads, "query head"),
            counted(kv_heads, "key head")
        ))
    };
    let (&[batch, len, q_width], &[kb, kt, k_width], &[vb, vt, v_width]) =
        (q.dims(), k.dims(), v.dims())
    else {
        return Err(misfit());
    };
    let (dk, dv) = (k_width / kv_heads, v_width / kv_heads);
    let fits = [kb, kt, vb, vt] == [batch, len, batch, len]
        && [q_width, k_width, v_width] == [q_heads * dk, kv_heads * dk, kv_heads * dv]
        && q_heads % kv_heads == 0
        && past.as_ref().is_none_or(|p| p.dims() == [batch, kv_heads, dk, dv]);
    if !fits {
        return Err(misfit());
    }
    // Width of a per-position operand that is one value for each of `choices` columns.
    let width = |t: &Option<Tensor>, choices: [usize; 2]| match t.as_ref().map(Tensor::dims) {
        None => Ok(0),
        Some(&[b, s, w]) if [b, s] == [batch, len] && choices.contains(&w) => Ok(w),
        Some(_) => Err(misfit()),
    };
    let decay_width = width(&decay, [kv_heads, k_width])?;
    let beta_width = width(&beta, [kv_heads, 1])?;
    let scale = R::of(scale.map_or_else(|| 1.0 / (dk as f64).sqrt(), f64::from));
    let state_dtype = past.as_ref().map_or(q.dtype(), Tensor::dtype);
    let (qs, ks, vs) = (read::<R>(&q)?, read::<R>(&k)?, read::<R>(&v)?);
    let past = past.as_ref().map(read::<R>).transpose()?;
    let decay = decay.as_ref().map(read::<R>).transpose()?;
    let beta = beta.as_ref().map(read::<R>).transpose()?;

    let group = q_heads / kv_heads;
    // For each sample and key head: the outputs of its query heads by position, then the state.
    let (out_len, state_len) = (len * group * dv, dk * dv);
    let mut work = call.temp(R::DTYPE, &[batch * kv_heads, out_len + state_len])?;
    let threads = call.threads;
    threads.for_chunks_mut(work.slice_mut::<R>()?, out_len + state_len, |item, chunk| {
        let (b, h) = (item / kv_heads, item % kv_heads);
        let (outputs, state) = chunk.split_at_mut(out_len);
        match &past {
            Some(p) => state.copy_from_slice(&p[item * state_len..(item + 1) * state_len]),
            None => state.fill(R::zero()),
        }
        let mut update = vec![R::zero(); dv];
        for t in 0..len {
            checkpoint();
            let at = b * len + t;
            let key = &ks[at * k_width + h * dk..][..dk];
            let value = &vs[at * v_width + h * dv..][..dv];
            if let Some(g) = &decay {
                for (d, row) in state.chunks_exact_mut(dv.max(1)).enumerate() {
                    let column = if decay_width == kv_heads { h } else { h * dk + d };
                    let keep = g[at * decay_width + column].exp();
                    row.iter_mut().for_each(|s| *s *= keep);
                }
            }
            update.copy_from_slice(value);
            if let Some(beta) = &beta {
                for (row, &k) in state.chunks_exact(dv.max(1)).zip(key) {
                    update.iter_mut().zip(row).for_each(|(u, &s)| *u -= s * k);
                }
                let rate = beta[at * beta_width + if beta_width == 1 { 0 } else { h }];
                update.iter_mut().for_each(|u| *u *= rate);
            }
            for (row, &k) in state.chunks_exact_mut(dv.max(1)).zip(key) {
                row.iter_mut().zip(&update).for_each(|(s, &u)| *s += k * u);
            }
            for g in 0..group {
                let query = &qs[at * q_width + (h * group + g) * dk..][..dk];
                let y = &mut outputs[(t * group + g) * dv..][..dv];
                y.fill(R::zero());
                for (row, &q) in state.chunks_exact(dv.max(1)).zip(query) {
                    y.iter_mut().zip(row).for_each(|(y, &s)| *y += q * s);
                }
                y.iter_mut().for_each(|y| *y *= scale);
            }
        }
    });
    let work = work.slice::<R>()?;
    let chunk = |b: usize, h: usize| &work[(b * kv_heads + h) * (out_len + state_len)..];
    produce::<R>(call, AT.y, q.dtype(), &[batch, len, q_heads * dv], |out| {
        let block = group * dv;
        for (i, slot) in out.chunks_exact_mut(block.max(1)).enumerate() {
            let (at, h) = (i / kv_heads, i % kv_heads);
            slot.copy_from_slice(&chunk(at / len, h)[at % len * block..][..block]);
        }
        Ok(())
    })?;
    if !call.wants(AT.present_state) {
        return Ok(());
    }
    produce::<R>(call, AT.present_state, state_dtype, &[batch, kv_heads, dk, dv], |out| {
        for (item, slot) in out.chunks_exact_mut(state_len.max(1)).enumerate() {
            slot.copy_from_slice(&chunk(0, item)[out_len..][..state_len]);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ABSENT, elements, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn delta_rule_by_hand() {
        // One head, keys and values of length 1: s ← s + β·k·(v − s·k), y = 2·q·s.
        let t = |v: &[f32]| Some(tensor(&[1, 2, 1], v));
        let attrs = [
            ("q_num_heads", Attr::Int(1)),
            ("kv_num_heads", Attr::Int(1)),
            ("scale", Attr::Float(2.0)),
            ("update_rule", Attr::Str("delta".into())),
        ];
        let inputs =
            vec![t(&[1.0, 3.0]), t(&[1.0, 2.0]), t(&[4.0, 8.0]), ABSENT, ABSENT, t(&[0.5, 0.25])];
        let y = run_on(1, OpKind::LinearAttention, &attrs, inputs, 2).unwrap();
        // s₁ = 2, s₂ = 2 + 0.25·2·(8 − 4) = 4.
        assert_eq!(elements::<f32>(&y[0]), [4.0, 24.0]);
        assert_eq!(elements::<f32>(&y[1]), [4.0]);
        let no_beta = vec![t(&[1.0, 3.0]), t(&[1.0, 2.0]), t(&[4.0, 8.0])];
        assert!(run_on(1, OpKind::LinearAttention, &attrs, no_beta, 2).is_err());
    }
}
