//! Fourier transforms, window functions and mel weights.

mod transform;
mod window;

use crate::kernel::{Entry, entry};
use trident_ir::ops::{BlackmanWindow, DFT, HammingWindow, HannWindow, MelWeightMatrix, STFT};

pub(super) const KERNELS: &[Entry] = &[
    entry(DFT::KIND, transform::dft),
    entry(STFT::KIND, transform::stft),
    entry(MelWeightMatrix::KIND, window::mel),
    entry(BlackmanWindow::KIND, window::blackman),
    entry(HammingWindow::KIND, window::hamming),
    entry(HannWindow::KIND, window::hann),
];
