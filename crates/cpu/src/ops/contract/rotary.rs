//! Rotary position embedding (Su et al. 2021).

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use trident_ir::counted;
use trident_ir::ops::{RotaryEmbedding, RotaryEmbeddingAt};
use trident_runtime::KernelError;

const AT: RotaryEmbeddingAt = RotaryEmbedding::AT;

/// The attributes.
struct Form {
    heads: Option<i64>,
    /// Features of a head that are rotated; 0 stands for all.
    rotated: i64,
    interleaved: bool,
}

pub(super) fn rotary_embedding(cx: &Compile<'_>) -> Made {
    let op = cx.view(RotaryEmbedding::of)?;
    let (heads, rotated) = (op.num_heads(), op.rotary_embedding_dim());
    let form = Form { heads, rotated, interleaved: op.interleaved() };
    for_real!(cx, AT.x, R => Prepared::boxed(cx, move |call| rotate::<R>(call, &form)))
}

impl Form {
    /// Batch, heads, positions and features of one head, and whether the heads are a separate axis.
    fn extents(&self, x: &[usize]) -> Result<([usize; 4], bool), KernelError> {
        match *x {
            [b, h, s, d] => Ok(([b, h, s, d], true)),
            [b, s, width] => match self.heads.and_then(|n| usize::try_from(n).ok()) {
                Some(h) if h > 0 && width % h == 0 => Ok(([b, h, s, width / h], false)),
                _ => Err(KernelError::attr(
                    "num_heads",
                    format!("it does not divide {width} features"),
                )),
            },
            ref other => Err(KernelError::shape(format!(
                "the input has dimensions {other:?}, expected rank 3 or 4"
            ))),
        }
    }
}

fn rotate<R: Real>(call: &mut Call<'_, '_>, form: &Form) -> Result<(), KernelError> {
    let x = call.tensor(AT.x)?;
    let ([batch, heads, len, size], split) = form.extents(x.dims())?;
    let rotated = match form.rotated {
        0 => size,
        n => usize::try_from(n).unwrap_or(usize::MAX),
    };
    if rotated > size || rotated % 2 != 0 {
        let reason = format!("{rotated} of {size} features cannot be rotated in pairs");
        return Err(KernelError::attr("rotary_embedding_dim", reason));
    }
    let (cos, sin, half) = (call.tensor(AT.cos_cache)?, call.tensor(AT.sin_cache)?, rotated / 2);
    let ids = call.opt(AT.position_ids)?;
    let (rows, fits) = match (&ids, cos.dims()) {
        (Some(ids), &[rows, width]) => (rows, width == half && ids.dims() == [batch, len]),
        (None, &[b, s, width]) => (b * s, [b, s, width] == [batch, len, half]),
        _ => (0, false),
    };
    if !fits || sin.dims() != cos.dims() {
        let (c, s) = (cos.dims(), sin.dims());
        return Err(KernelError::shape(format!(
            "caches of dimensions {c:?} and {s:?} do not fit {} of {} and {}",
            counted(batch, "sample"),
            counted(len, "position"),
            counted(rotated, "feature")
        )));
    }
    // The cache row of each position of each sample.
    let row = |id: i64| match usize::try_from(id) {
        Ok(i) if i < rows => Ok(i),
        _ => {
            let rows = counted(rows, "row");
            Err(KernelError::domain(format!(
                "position {id} is outside the caches, which have {rows}"
            )))
        }
    };
    let at: Vec<usize> = match ids {
        Some(ids) => ids.to_i64s()?.into_iter().map(row).collect::<Result<_, _>>()?,
        None => (0..batch * len).collect(),
    };
    let interleaved = form.interleaved;
    let (values, cos, sin) = (read::<R>(&x)?, read::<R>(&cos)?, read::<R>(&sin)?);
    let threads = call.threads;
    produce::<R>(call, AT.y, x.dtype(), x.dims(), |out| {
        threads.for_chunks_mut(out, size * 16, |chunk, out| {
            for (k, y) in out.chunks_exact_mut(size).enumerate() {
                let i = chunk * 16 + k;
                let position = match split {
                    true => i / (heads * len) * len + i % len,
                    false => i / heads,
                };
                let x = &values[i * size..][..size];
                let angles = at[position] * half..(at[position] + 1) * half;
                for (j, (&c, &s)) in cos[angles.clone()].iter().zip(&sin[angles]).enumerate() {
                    let (a, b) = if interleaved { (2 * j, 2 * j + 1) } else { (j, j + half) };
                    y[a] = c * x[a] - s * x[b];
                    y[b] = s * x[a] + c * x[b];
                }
                y[rotated..].copy_from_slice(&x[rotated..]);
            }
        });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn quarter_turns_swap_pairs() {
        // Position 0 turns by 0, position 1 by 90 degrees; the fifth feature stays.
        let x = tensor(&[1, 2, 5], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let cos = tensor(&[2, 2], &[1.0f32, 1.0, 0.0, 0.0]);
        let sin = tensor(&[2, 2], &[0.0f32, 0.0, 1.0, 1.0]);
        let ids = |v: &[i64]| tensor(&[1, 2], v);
        let attrs = [("num_heads", Attr::Int(1)), ("rotary_embedding_dim", Attr::Int(4))];
        let inputs = vec![x.clone(), cos.clone(), sin.clone(), ids(&[0, 1])];
        let y = elements::<f32>(&run(OpKind::RotaryEmbedding, &attrs, inputs).unwrap());
        assert_eq!(y, [1.0, 2.0, 3.0, 4.0, 5.0, -3.0, -4.0, 1.0, 2.0, 5.0]);
        let pairs = [attrs[0].clone(), attrs[1].clone(), ("interleaved", Attr::Int(1))];
        let inputs = vec![x.clone(), cos.clone(), sin.clone(), ids(&[1, 0])];
        let y = elements::<f32>(&run(OpKind::RotaryEmbedding, &pairs, inputs).unwrap());
        assert_eq!(y, [-2.0, 1.0, -4.0, 3.0, 5.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let bad = vec![Some(x), Some(cos), Some(sin), Some(ids(&[0, 2]))];
        assert!(run_on(1, OpKind::RotaryEmbedding, &attrs, bad, 1).is_err());
    }
}
