//! Fourier transforms, window functions and mel weights.

mod transform;
mod window;

use crate::kernel::{Entry, Plain, entry};
use trident_ir::ops::{BlackmanWindow, DFT, HammingWindow, HannWindow, MelWeightMatrix, STFT};

pub(super) const KERNELS: &[Entry] = &[
    entry(DFT::KIND, |_| Ok(Plain::boxed("dft", transform::dft))),
    entry(STFT::KIND, |_| Ok(Plain::boxed("stft", transform::stft))),
    entry(MelWeightMatrix::KIND, window::mel),
    entry(BlackmanWindow::KIND, window::blackman),
    entry(HammingWindow::KIND, window::hamming),
    entry(HannWindow::KIND, window::hann),
];
