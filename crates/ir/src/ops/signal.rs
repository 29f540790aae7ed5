//! Fourier transforms and windows.

use crate::Dim;
use crate::axes::{self, Axes};
use crate::op::grammar::ops;
use crate::ops;
use crate::shape::{Expr, Shapes, View, dims, nothing, one};

ops! {
    /// Discrete Fourier transform along an axis (−2 if absent), cut or zero-padded to `dft_length`; the last axis holds
    /// the real or the real and imaginary part. The inverse divides by the length; `onesided` keeps the first ⌊n/2⌋ + 1
    /// terms.
    DFT "dft" Signal (x, dft_length[opt], axis[opt]) -> (y: Elem(0)) { inverse: Flag = false, onesided: Flag = false }
        onnx "" 17 shape dft axes dft_axes;
    /// Matrix [dft_length/2 + 1, mel bins] of triangles that map a spectrum to bins even on the mel scale 2595·log10(1
    /// + f/700).
    MelWeightMatrix "mel_weight_matrix" Signal (num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz)
        -> (y: Rule::Attr(ops::MelWeightMatrix::AT.output_datatype)) { output_datatype: DType = DType::F32 } onnx "" 17 shape mel_weights;
    /// Fourier transforms of frames of `frame_length` elements, `frame_step` apart, times the window: [batch, frames,
    /// terms, 2].
    STFT "stft" Signal (signal, frame_step, window[opt], frame_length[opt]) -> (y: Elem(0)) { onesided: Flag = true }
        onnx "" 17 shape stft axes "n*, * -> n*";
    /// Blackman window; `periodic` divides the circle into `size` parts, else into size − 1.
    BlackmanWindow "blackman_window" Signal (size) -> (y: Rule::Attr(ops::BlackmanWindow::AT.output_datatype)) { output_datatype: DType = DType::F32, periodic: Flag = true }
        onnx "" 17 shape signal_window;
    /// Hamming window, 25/46 its constant term; `periodic` as for the Blackman window.
    HammingWindow "hamming_window" Signal (size) -> (y: Rule::Attr(ops::HammingWindow::AT.output_datatype)) { output_datatype: DType = DType::F32, periodic: Flag = true }
        onnx "" 17 shape signal_window;
    /// Hann window; `periodic` as for the Blackman window.
    HannWindow "hann_window" Signal (size) -> (y: Rule::Attr(ops::HannWindow::AT.output_datatype)) { output_datatype: DType = DType::F32, periodic: Flag = true }
        onnx "" 17 shape signal_window;
}

/// The only element of an integer operand, as a dimension.
fn scalar(cx: &View<'_>, i: usize) -> Dim {
    let elem = cx.exprs(i).and_then(|e| e.into_iter().next().flatten());
    elem.map_or(Dim::Unknown, |e| e.dim())
}

/// The bins of a one-sided spectrum.
fn one_sided(n: &Dim) -> Dim {
    dims::map(n, |n| n.div_floor(&2.into())?.add(&1.into()))
}

/// DFT: the last axis holds real and imaginary parts.
fn dft(cx: &View<'_>) -> Shapes {
    cx.expect_rank_from(0, 2)?;
    let Some(x) = cx.shape(0) else { return nothing() };
    let axis = if cx.has(2) { cx.int(2) } else { Some(-2) };
    let Some(axis) = axis else { return one(dims::unknown(x.len())) };
    let axis = cx.wrap(axis, x.len())?;
    if axis + 1 == x.len() {
        return Err(cx.error("the axis is that of real and imaginary parts"));
    }
    let Some(op) = ops::DFT::of(cx.op) else { return nothing() };
    let (inverse, onesided) = (op.inverse(), op.onesided());
    let length = match (cx.has(1), inverse && onesided) {
        (true, _) => scalar(cx, 1),
        (false, false) => x[axis].clone(),
        (false, true) => dims::map(&x[axis], |n| n.sub(&1.into())?.mul(&2.into())),
    };
    let mut shape = x.to_vec();
    shape[axis] = if onesided && !inverse { one_sided(&length) } else { length };
    let last = shape.len() - 1;
    shape[last] = Dim::Fixed(if onesided && inverse { 1 } else { 2 });
    one(shape)
}

/// STFT: [batch, frames, bins, 2].
fn stft(cx: &View<'_>) -> Shapes {
    let Some(x) = cx.shape(0) else { return one(dims::unknown(4)) };
    let [batch, length, ..] = x else {
        return Err(cx.error(format!("{} has rank {}", cx.name_shape(0), x.len())));
    };
    let frame = match (cx.has(3), cx.shape(2)) {
        (true, _) => scalar(cx, 3),
        (false, Some([n])) => n.clone(),
        (false, _) if cx.has(2) => Dim::Unknown,
        (false, _) => length.clone(),
    };
    let frames = match cx.int(1) {
        Some(step) if step > 0 => dims::combine(length, &frame, |n, f| {
            n.sub(f)?.div_floor(&Expr::from(step))?.add(&1.into())
        }),
        Some(step) => return Err(cx.error(format!("`frame_step` is {step}"))),
        None => Dim::Unknown,
    };
    let Some(op) = ops::STFT::of(cx.op) else { return nothing() };
    let bins = if op.onesided() { one_sided(&frame) } else { frame };
    one(vec![batch.clone(), frames, bins, Dim::Fixed(2)])
}

/// MelWeightMatrix: [bins of the one-sided spectrum, mel bins].
fn mel_weights(cx: &View<'_>) -> Shapes {
    one(vec![one_sided(&scalar(cx, 1)), scalar(cx, 0)])
}

/// Blackman, Hamming and Hann windows.
fn signal_window(cx: &View<'_>) -> Shapes {
    one(vec![scalar(cx, 0)])
}

/// DFT: all axes but the one transformed and that of real and imaginary parts.
fn dft_axes(cx: &View<'_>) -> Option<Axes> {
    let rank = axes::rank(cx, 0)?;
    let axis = if cx.has(ops::DFT::AT.axis) { cx.int(ops::DFT::AT.axis)? } else { -2 };
    let axis = cx.wrap(axis, rank).ok()?;
    Axes::keeping(cx, |i| i == axis || i + 1 == rank)
}
