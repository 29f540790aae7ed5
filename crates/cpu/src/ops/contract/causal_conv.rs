//! Depthwise causal convolution with a carried state.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read, round_to};
use trident_ir::op::words::CausalActivation;
use trident_ir::ops::{CausalConvWithState, CausalConvWithStateAt};
use trident_runtime::KernelError;

const AT: CausalConvWithStateAt = CausalConvWithState::AT;

/// CausalConvWithState.
pub(super) fn causal_conv(cx: &Compile<'_>) -> Made {
    let silu = match cx.view(CausalConvWithState::of)?.activation() {
        CausalActivation::Silu | CausalActivation::Swish => true,
        CausalActivation::None => false,
    };
    for_real!(cx, AT.x, R => Prepared::boxed(cx, move |call| convolve::<R>(call, silu)))
}

fn convolve<R: Real>(call: &mut Call<'_, '_>, silu: bool) -> Result<(), KernelError> {
    let (x, w) = (call.tensor(AT.x)?, call.tensor(AT.weight)?);
    let (bias, past) = (call.opt(AT.bias)?, call.opt(AT.past_state)?);
    let misfit = || {
        let (x, w) = (x.dims(), w.dims());
        KernelError::shape(format!("input {x:?}, weight {w:?}, bias and state do not fit"))
    };
    let (&[batch, channels, len], &[rows, 1, taps]) = (x.dims(), w.dims()) else {
        return Err(misfit());
    };
    let state = [batch, channels, taps.saturating_sub(1)];
    let fits = rows == channels
        && taps > 0
        && bias.as_ref().is_none_or(|b| b.dims() == [channels])
        && past.as_ref().is_none_or(|p| p.dims() == state);
    if !fits {
        return Err(misfit());
    }
    let (values, w) = (read::<R>(&x)?, read::<R>(&w)?);
    let bias = bias.as_ref().map(read::<R>).transpose()?;
    let past = past.as_ref().map(read::<R>).transpose()?;
    // The elements before the input, row by row, then the input.
    let padded = |row: usize| {
        let before = match &past {
            Some(p) => p[row * (taps - 1)..(row + 1) * (taps - 1)].to_vec(),
            None => vec![R::zero(); taps - 1],
        };
        [&before, &values[row * len..(row + 1) * len]].concat()
    };
    let (threads, dtype) = (call.threads, x.dtype());
    produce::<R>(call, AT.y, dtype, x.dims(), |out| {
        threads.for_chunks_mut(out, len, |row, out| {
            let (c, line) = (row % channels, padded(row));
            let kernel = &w[c * taps..(c + 1) * taps];
            for (i, slot) in out.iter_mut().enumerate() {
                let terms = line[i..i + taps].iter().zip(kernel);
                *slot = terms.fold(R::zero(), |sum, (&a, &b)| sum + a * b)
                    + bias.as_ref().map_or(R::zero(), |b| b[c]);
            }
            round_to(dtype, out);
            if silu {
                out.iter_mut().for_each(|v| *v /= R::one() + (-*v).exp());
            }
        });
        Ok(())
    })?;
    if !call.wants(AT.present_state) {
        return Ok(());
    }
    produce::<R>(call, AT.present_state, dtype, &state, |out| {
        for (row, slot) in out.chunks_exact_mut((taps - 1).max(1)).enumerate() {
            slot.copy_from_slice(&padded(row)[len..]);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ABSENT, elements, run_on, tensor};
    use trident_ir::OpKind;
    use trident_runtime::Value;

    #[test]
    fn a_state_carries_over() {
        let x: Vec<f32> = (0..2 * 5).map(|v| v as f32 - 3.0).collect();
        let w = || Some(tensor(&[2, 1, 3], &[1.0f32, -2.0, 0.5, 0.25, 1.0, 3.0]));
        let b = || Some(tensor(&[2], &[0.5f32, -1.0]));
        let go = |x: Value, state: Option<Value>| {
            run_on(1, OpKind::CausalConvWithState, &[], vec![Some(x), w(), b(), state], 2).unwrap()
        };
        let whole = go(tensor(&[1, 2, 5], &x), ABSENT);
        let part = |r: std::ops::Range<usize>| {
            let n = r.len();
            tensor(&[1, 2, n], &[&x[r.clone()], &x[r.start + 5..r.end + 5]].concat())
        };
        let first = go(part(0..1), ABSENT);
        let second = go(part(1..5), Some(first[1].clone()));
        let (a, b, c) =
            (elements::<f32>(&first[0]), elements::<f32>(&second[0]), elements::<f32>(&whole[0]));
        assert_eq!([&a[..1], &b[..4], &a[1..], &b[4..]].concat(), c);
        assert_eq!(elements::<f32>(&second[1]), elements::<f32>(&whole[1]));
        // Last output of channel 0: −2·x[3] + 0.5·x[4] + x[2] + 0.5.
        assert_eq!(c[4], -1.0 - 2.0 * 0.0 + 0.5 * 1.0 + 0.5);
    }
}
