//! Fourier transforms and windows.

use crate::Dim;
use crate::ops;
use crate::shape::dims;
use crate::shape::expr::Expr;
use crate::shape::view::{Shapes, View, nothing, one};

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
pub(crate) fn dft(cx: &View<'_>) -> Shapes {
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
pub(crate) fn stft(cx: &View<'_>) -> Shapes {
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
pub(crate) fn mel_weights(cx: &View<'_>) -> Shapes {
    one(vec![one_sided(&scalar(cx, 1)), scalar(cx, 0)])
}

/// Blackman, Hamming and Hann windows.
pub(crate) fn signal_window(cx: &View<'_>) -> Shapes {
    one(vec![scalar(cx, 0)])
}
