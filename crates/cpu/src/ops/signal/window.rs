//! Window functions and the mel weight matrix.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::produce;
use std::f64::consts::TAU;
use trident_ir::ops::{BlackmanWindow, HammingWindow, HannWindow, MelWeightMatrix};
use trident_ir::{DType, counted};
use trident_runtime::KernelError;

pub(super) fn blackman(cx: &Compile<'_>) -> Made {
    let op = cx.view(BlackmanWindow::of)?;
    cosine_sum(cx, op.output_datatype(), op.periodic(), [0.42, -0.5, 0.08])
}

pub(super) fn hamming(cx: &Compile<'_>) -> Made {
    let op = cx.view(HammingWindow::of)?;
    cosine_sum(cx, op.output_datatype(), op.periodic(), [25.0 / 46.0, -21.0 / 46.0, 0.0])
}

pub(super) fn hann(cx: &Compile<'_>) -> Made {
    let op = cx.view(HannWindow::of)?;
    cosine_sum(cx, op.output_datatype(), op.periodic(), [0.5, -0.5, 0.0])
}

/// Σᵢ terms[i]·cos(i·2πn/N): Hann, Hamming and Blackman windows.
fn cosine_sum(cx: &Compile<'_>, dtype: DType, periodic: bool, terms: [f64; 3]) -> Made {
    Prepared::boxed(cx, move |call| {
        let size = call.required_ints(HannWindow::AT.size)?;
        let [size] = size[..] else {
            return Err(KernelError::operand(HannWindow::AT.size, "must be one number"));
        };
        let n = usize::try_from(size).map_err(|_| {
            KernelError::domain(format!("the size of the window is {size}, expected 0 or more"))
        })?;
        let period = if periodic { n as f64 } else { n as f64 - 1.0 };
        produce::<f64>(call, HannWindow::AT.y, dtype, &[n], |out| {
            for (k, slot) in out.iter_mut().enumerate() {
                let angle = TAU * k as f64 / period;
                // A symmetric window of one sample has no period; it is its own peak.
                let angle = if period == 0.0 { std::f64::consts::PI } else { angle };
                *slot = terms[0] + terms[1] * angle.cos() + terms[2] * (2.0 * angle).cos();
            }
            Ok(())
        })
    })
}

/// MelWeightMatrix: triangles over the bins of a one-sided spectrum, evenly spaced on the mel scale.
pub(super) fn mel(cx: &Compile<'_>) -> Made {
    let dtype = cx.view(MelWeightMatrix::of)?.output_datatype();
    Prepared::boxed(cx, move |call| mel_weights(call, dtype))
}

fn mel_weights(call: &mut Call<'_, '_>, dtype: DType) -> Result<(), KernelError> {
    let at = MelWeightMatrix::AT;
    let one = |i: usize| match call.ints(i)?.as_deref() {
        Some([v]) => Ok(*v),
        _ => Err(KernelError::operand(i, "must be one number")),
    };
    let (bins, length, rate) = (one(at.num_mel_bins)?, one(at.dft_length)?, one(at.sample_rate)?);
    let edge = |i: usize| match crate::real::read::<f64>(&call.tensor(i)?)?[..] {
        [hertz] => Ok(2595.0 * (hertz / 700.0).ln_1p() / std::f64::consts::LN_10),
        _ => Err(KernelError::operand(i, "must be one number")),
    };
    let (low, high) = (edge(at.lower_edge_hertz)?, edge(at.upper_edge_hertz)?);
    let domain = || {
        let (bins, samples) = (counted(bins, "mel bin"), counted(length, "sample"));
        KernelError::domain(format!(
            "{bins} of {samples} at {rate} Hz: expected a positive rate and counts of 0 or more"
        ))
    };
    let count = usize::try_from(bins).map_err(|_| domain())?;
    let rows = usize::try_from(length).map_err(|_| domain())? / 2 + 1;
    if rate <= 0 {
        return Err(domain());
    }
    let step = (high - low) / (count as f64 + 2.0);
    let bin = |k: usize| {
        let hertz = 700.0 * ((low + step * k as f64) / 2595.0 * std::f64::consts::LN_10).exp_m1();
        ((length as f64 + 1.0) * hertz / rate as f64).floor() as i64
    };
    produce::<f64>(call, at.y, dtype, &[rows, count], |out| {
        out.fill(0.0);
        for i in 0..count {
            let (lower, center, upper) = (bin(i), bin(i + 1), bin(i + 2));
            let mut put = |row: i64, v: f64| match usize::try_from(row) {
                Ok(row) if row < rows => {
                    out[row * count + i] = v;
                    Ok(())
                }
                _ => Err(KernelError::domain(format!(
                    "the mel frequencies reach bin {row}, and the spectrum has {rows}"
                ))),
            };
            if lower == center {
                put(center, 1.0)?;
            } else {
                for row in lower..=center {
                    put(row, (row - lower) as f64 / (center - lower) as f64)?;
                }
            }
            for row in center..upper {
                put(row, (upper - row) as f64 / (upper - center) as f64)?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn symmetric_windows_peak_in_the_middle() {
        for kind in [OpKind::HannWindow, OpKind::HammingWindow, OpKind::BlackmanWindow] {
            let w = run(kind, &[("periodic", Attr::Int(0))], vec![tensor(&[], &[5i64])]).unwrap();
            let w = elements::<f32>(&w);
            assert!((w[2] - 1.0).abs() < 1e-6 && (w[0] - w[4]).abs() < 1e-6 && w[0] < 0.1);
            assert!(run(kind, &[], vec![tensor(&[], &[-1i64])]).is_err());
        }
    }

    #[test]
    fn mel_triangles() {
        let f = |v: f32| tensor(&[], &[v]);
        let i = |v: i64| tensor(&[], &[v]);
        let w = run(OpKind::MelWeightMatrix, &[], vec![i(8), i(16), i(8192), f(0.0), f(4096.0)]);
        let w = w.unwrap();
        assert_eq!(w.as_tensor().unwrap().dims(), [9, 8]);
        let w = elements::<f32>(&w);
        assert!(w.iter().all(|v| (0.0..=1.0).contains(v)) && w.contains(&1.0));
        // Edges far above half the sample rate fall outside the spectrum.
        let bad = vec![i(8), i(16), i(100), f(0.0), f(4096.0)];
        assert!(run(OpKind::MelWeightMatrix, &[], bad).is_err());
    }
}
