//! Fourier transforms, window functions and mel weights.

mod transform;
mod window;

use crate::kernel::{Compile, Kernel, Plain};
use trident_ir::OpKind;

/// The kernel for a signal op.
pub(super) fn kernel(cx: &Compile<'_>) -> Option<Box<dyn Kernel>> {
    Some(match cx.op.kind {
        OpKind::DFT => Plain::boxed("dft", transform::dft),
        OpKind::STFT => Plain::boxed("stft", transform::stft),
        OpKind::MelWeightMatrix => Plain::boxed("mel_weight_matrix", window::mel),
        OpKind::BlackmanWindow => {
            Plain::boxed("blackman_window", |call| window::cosine_sum(call, [0.42, -0.5, 0.08]))
        }
        OpKind::HammingWindow => Plain::boxed("hamming_window", |call| {
            window::cosine_sum(call, [25.0 / 46.0, -21.0 / 46.0, 0.0])
        }),
        OpKind::HannWindow => {
            Plain::boxed("hann_window", |call| window::cosine_sum(call, [0.5, -0.5, 0.0]))
        }
        _ => return None,
    })
}
