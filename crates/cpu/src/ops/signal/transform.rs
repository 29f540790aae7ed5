//! DFT and STFT.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, in_real, produce, read};
use trident_ir::counted;
use trident_ir::geometry::axis;
use trident_ir::ops::{DFT, STFT};
use trident_kernels::fft::{Complex, Fft};
use trident_runtime::KernelError;

/// The one number that operand `i` holds; `None` if absent.
fn number(call: &Call<'_, '_>, i: usize, what: &str) -> Result<Option<i64>, KernelError> {
    match call.ints(i)?.as_deref() {
        None => Ok(None),
        Some([v]) => Ok(Some(*v)),
        Some(other) => {
            Err(KernelError::shape(format!("`{what}` must be one number, not {}", other.len())))
        }
    }
}

fn length(v: i64, what: &str) -> Result<usize, KernelError> {
    usize::try_from(v)
        .ok()
        .filter(|&n| n > 0)
        .ok_or_else(|| KernelError::domain(format!("{what} is {v}, expected at least 1")))
}

/// DFT.
pub(super) fn dft(cx: &Compile<'_>) -> Made {
    let op = cx.view(DFT::of)?;
    let (inverse, onesided) = (op.inverse(), op.onesided());
    Prepared::boxed(cx, move |call| whole(call, inverse, onesided))
}

/// Transforms whole signals.
fn whole(call: &mut Call<'_, '_>, inverse: bool, onesided: bool) -> Result<(), KernelError> {
    let x = call.tensor(DFT::AT.x)?;
    let (dims, rank) = (x.dims().to_vec(), x.rank());
    let parts = dims.last().copied().unwrap_or(0);
    if rank < 2 || !(1..=2).contains(&parts) {
        return Err(KernelError::shape(format!(
            "{dims:?} are not the dimensions of a signal: the last axis must have length 1 or 2"
        )));
    }
    let at = axis(number(call, DFT::AT.axis, "axis")?.unwrap_or(-2), rank)?;
    if at == rank - 1 {
        return Err(KernelError::domain(
            "`axis` is the last axis, which holds real and imaginary parts; name another axis",
        ));
    }
    let have = dims[at];
    let n = match number(call, DFT::AT.dft_length, "dft_length")? {
        Some(n) => length(n, "dft_length")?,
        None if inverse && onesided => length(2 * (have as i64 - 1), "dft_length")?,
        None => length(have as i64, "the signal's length")?,
    };
    if onesided && !inverse && parts == 2 {
        return Err(KernelError::domain(
            "attribute `onesided` needs a real signal, and this one is complex",
        ));
    }
    let bins = if onesided && !inverse { n / 2 + 1 } else { n };
    let out_parts = if onesided && inverse { 1 } else { 2 };
    let mut out_dims = dims.clone();
    (out_dims[at], out_dims[rank - 1]) = (bins, out_parts);
    let inner: usize = dims[at + 1..rank - 1].iter().product();
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let values = read::<R>(&x)?;
        produce::<R>(call, DFT::AT.y, x.dtype(), &out_dims, |out| {
            if out.is_empty() {
                return Ok(());
            }
            let fft = Fft::new(n);
            threads.for_chunks_mut(out, bins * inner * out_parts, |outer, out| {
                for i in 0..inner {
                    let mut line = vec![Complex::default(); n];
                    for (k, slot) in line.iter_mut().enumerate().take(have) {
                        let p = ((outer * have + k) * inner + i) * parts;
                        let im = if parts == 2 { values[p + 1].wide() } else { 0.0 };
                        *slot = Complex::new(values[p].wide(), im);
                    }
                    if inverse {
                        if onesided {
                            mirror(&mut line, have);
                        }
                        line.iter_mut().for_each(|v| *v = v.conj());
                    }
                    let mut y = fft.transform(&line);
                    if inverse {
                        y.iter_mut().for_each(|v| *v = Complex::new(v.re / n as f64, -v.im / n as f64));
                    }
                    for (k, v) in y.iter().take(bins).enumerate() {
                        let p = (k * inner + i) * out_parts;
                        out[p] = R::of(v.re);
                        if out_parts == 2 {
                            out[p + 1] = R::of(v.im);
                        }
                    }
                }
            });
            Ok(())
        })
    })
}

/// Fills the upper half of a spectrum whose first `have` bins are given, so that the signal is real.
fn mirror(line: &mut [Complex], have: usize) {
    let n = line.len();
    let half = n / 2 + 1;
    line[have.min(half)..].fill(Complex::default());
    line[0].im = 0.0;
    if n.is_multiple_of(2) {
        line[n / 2].im = 0.0;
    }
    for k in half..n {
        line[k] = line[n - k].conj();
    }
}

/// STFT.
pub(super) fn stft(cx: &Compile<'_>) -> Made {
    let onesided = cx.view(STFT::of)?.onesided();
    Prepared::boxed(cx, move |call| framed(call, onesided))
}

/// Transforms frames of signals.
fn framed(call: &mut Call<'_, '_>, onesided: bool) -> Result<(), KernelError> {
    let operands = STFT::AT;
    let x = call.tensor(operands.signal)?;
    let &[batch, samples, parts @ 1..=2] = x.dims() else {
        let dims = x.dims();
        return Err(KernelError::shape(format!(
            "the input has dimensions {dims:?}, expected [batch, samples, 1 or 2]"
        )));
    };
    let step = number(call, operands.frame_step, "frame_step")?;
    let step = length(step.ok_or(KernelError::Missing(operands.frame_step))?, "frame_step")?;
    let window = call.opt(operands.window)?;
    let given = number(call, operands.frame_length, "frame_length")?;
    let given = given.map(|n| length(n, "frame_length")).transpose()?;
    let n = given.or(window.as_ref().map(|w| w.len())).unwrap_or(samples);
    if n == 0 || n > samples || window.as_ref().is_some_and(|w| w.dims() != [n]) {
        return Err(KernelError::shape(format!(
            "frames of {} do not fit the signal, which has {samples} samples, or the window",
            counted(n, "sample")
        )));
    }
    if onesided && parts == 2 {
        return Err(KernelError::domain(
            "attribute `onesided` needs a real signal, and this one is complex",
        ));
    }
    let bins = if onesided { n / 2 + 1 } else { n };
    let frames = (samples - n) / step + 1;
    let threads = call.threads;
    in_real!(x.dtype(), R => {
        let values = read::<R>(&x)?;
        let window = window.as_ref().map(read::<R>).transpose()?;
        produce::<R>(call, operands.y, x.dtype(), &[batch, frames, bins, 2], |out| {
            if out.is_empty() {
                return Ok(());
            }
            let fft = Fft::new(n);
            threads.for_chunks_mut(out, bins * 2, |i, out| {
                let start = i / frames * samples + i % frames * step;
                let sample = |k: usize| {
                    let w = window.as_ref().map_or(1.0, |w| w[k].wide());
                    let p = (start + k) * parts;
                    let im = if parts == 2 { values[p + 1].wide() } else { 0.0 };
                    Complex::new(values[p].wide() * w, im * w)
                };
                let y = fft.transform(&(0..n).map(sample).collect::<Vec<_>>());
                for (slot, v) in out.chunks_exact_mut(2).zip(y) {
                    (slot[0], slot[1]) = (R::of(v.re), R::of(v.im));
                }
            });
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn a_spectrum_goes_back_to_its_signal() {
        let signal: Vec<f64> = (0..2 * 7 * 3).map(|i| f64::from(i * i % 13)).collect();
        let x = tensor(&[2, 7, 3, 1], &signal);
        let axis = || Some(tensor(&[], &[1i64]));
        let onesided = [("onesided", Attr::Int(1))];
        let y = run_on(2, OpKind::DFT, &onesided, vec![Some(x), None, axis()], 1).unwrap();
        assert_eq!(y[0].as_tensor().unwrap().dims(), [2, 4, 3, 2]);
        let back = [("onesided", Attr::Int(1)), ("inverse", Attr::Int(1))];
        let length = Some(tensor(&[], &[7i64]));
        let z = run_on(2, OpKind::DFT, &back, vec![Some(y[0].clone()), length, axis()], 1).unwrap();
        assert_eq!(z[0].as_tensor().unwrap().dims(), [2, 7, 3, 1]);
        for (a, b) in elements::<f64>(&z[0]).iter().zip(&signal) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn frames_are_windowed_transforms() {
        let x = tensor(&[1, 6, 1], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let w = tensor(&[2], &[1.0f32, 0.5]);
        let y = run(OpKind::STFT, &[], vec![x.clone(), tensor(&[], &[3i64]), w]).unwrap();
        assert_eq!(y.as_tensor().unwrap().dims(), [1, 2, 2, 2]);
        assert_eq!(elements::<f32>(&y), [2.0, 0.0, 0.0, 0.0, 6.5, 0.0, 1.5, 0.0]);
        let zero = tensor(&[], &[0i64]);
        assert!(run(OpKind::STFT, &[], vec![x, zero]).is_err());
    }
}
