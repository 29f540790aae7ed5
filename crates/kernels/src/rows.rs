//! Functions of a contiguous row of `f32`: reductions, softmax and normalisation.
//!
//! Sums run over blocks of [`BLOCK`] elements, four vectors side by side, and the blocks are added in `f64`: the order
//! depends on the length and the instruction set only. Functions from one row to another panic if their lengths differ.

use trident_simd::{
    Arithmetic, Arithmetic32, Float32, InOut, Isa, Simd, Vector, kernel, map, math,
};

const BLOCK: usize = 4096;
/// The lanes of the widest vector.
const WIDEST: usize = 16;

/// Reduces a row by `f`: `f(accumulator, vector)`; missing lanes of the last vector are `fill`.
#[inline(always)]
fn reduce<S: Simd>(
    s: S,
    x: &[f32],
    fill: f32,
    start: f32,
    f: impl Fn(S::F32, S::F32) -> S::F32,
    join: impl Fn(S::F32, S::F32) -> S::F32,
) -> S::F32 {
    let (lanes, n) = (S::F32::LANES, x.len());
    let mut acc = [s.splat(start); 4];
    let mut i = 0;
    while i + 4 * lanes <= n {
        // SAFETY: the row has these four vectors.
        unsafe {
            let p = x.as_ptr().add(i);
            acc[0] = f(acc[0], S::F32::load_at(s, p));
            acc[1] = f(acc[1], S::F32::load_at(s, p.add(lanes)));
            acc[2] = f(acc[2], S::F32::load_at(s, p.add(2 * lanes)));
            acc[3] = f(acc[3], S::F32::load_at(s, p.add(3 * lanes)));
        }
        i += 4 * lanes;
    }
    while i < n {
        acc[0] = f(acc[0], load_or(s, &x[i..], fill));
        i += lanes;
    }
    join(join(acc[0], acc[1]), join(acc[2], acc[3]))
}

/// Loads the first elements of `x`, up to a vector; missing lanes are `fill`.
#[inline(always)]
fn load_or<S: Simd>(s: S, x: &[f32], fill: f32) -> S::F32 {
    if x.len() >= S::F32::LANES {
        return s.load(x);
    }
    let mut lanes = [fill; WIDEST];
    lanes[..x.len()].copy_from_slice(x);
    s.load(&lanes)
}

/// A sum of `term` over the row; `term(fill)` must be 0.
#[inline(always)]
fn sum_of<S: Simd>(s: S, x: &[f32], fill: f32, term: impl Fn(S::F32, S::F32) -> S::F32) -> f64 {
    let mut total = 0.0;
    for block in x.chunks(BLOCK) {
        total += f64::from(reduce(s, block, fill, 0.0, &term, |a, b| a.add(b)).reduce_add());
    }
    total
}

kernel! {
    /// The sum of the elements.
    pub fn sum(x: &[f32]) -> f64 => sum_lanes
}
#[inline(always)]
fn sum_lanes<S: Simd>(s: S, x: &[f32]) -> f64 {
    sum_of(s, x, 0.0, |acc, x| acc.add(x))
}

kernel! {
    /// The sum of the squares.
    pub fn sum_squares(x: &[f32]) -> f64 => sum_squares_lanes
}
#[inline(always)]
fn sum_squares_lanes<S: Simd>(s: S, x: &[f32]) -> f64 {
    sum_of(s, x, 0.0, |acc, x| x.mul_add(x, acc))
}

kernel! {
    /// The sum of the magnitudes.
    pub fn sum_abs(x: &[f32]) -> f64 => sum_abs_lanes
}
#[inline(always)]
fn sum_abs_lanes<S: Simd>(s: S, x: &[f32]) -> f64 {
    sum_of(s, x, 0.0, |acc, x| acc.add(x.abs()))
}

kernel! {
    /// The greatest element, -∞ for an empty row; NaN if there is one.
    pub fn max(x: &[f32]) -> f32 => max_lanes
}
#[inline(always)]
fn max_lanes<S: Simd>(s: S, x: &[f32]) -> f32 {
    let m = reduce(
        s,
        x,
        f32::NEG_INFINITY,
        f32::NEG_INFINITY,
        |acc, x| keep_nan(acc, acc.max(x)),
        |a, b| keep_nan(a, a.max(b)),
    );
    spread(m)
        .into_iter()
        .take(S::F32::LANES)
        .fold(f32::NEG_INFINITY, |a, b| if a.is_nan() || a > b { a } else { b })
}

kernel! {
    /// The least element, ∞ for an empty row; NaN if there is one.
    pub fn min(x: &[f32]) -> f32 => min_lanes
}
#[inline(always)]
fn min_lanes<S: Simd>(s: S, x: &[f32]) -> f32 {
    let m = reduce(
        s,
        x,
        f32::INFINITY,
        f32::INFINITY,
        |acc, x| keep_nan(acc, acc.min(x)),
        |a, b| keep_nan(a, a.min(b)),
    );
    spread(m)
        .into_iter()
        .take(S::F32::LANES)
        .fold(f32::INFINITY, |a, b| if a.is_nan() || a < b { a } else { b })
}

/// `next`, but a NaN in `before` stays: `max` and `min` pass on only one of their second operand.
#[inline(always)]
fn keep_nan<V: Float32>(before: V, next: V) -> V {
    // Ordinary values are below ∞ or equal to it, so that only NaN fails both comparisons.
    let inf = before.splat(f32::INFINITY);
    let below = before.select_lt(inf, next, before);
    before.splat(f32::MAX).select_lt(before, next, below)
}

#[inline(always)]
fn spread<V: Float32>(v: V) -> [f32; WIDEST] {
    let mut lanes = [0.0; WIDEST];
    v.store(&mut lanes);
    lanes
}

/// `y = exp(x - max(x)) / sum(exp(x - max(x)))`.
pub fn softmax(isa: Isa, x: &[f32], y: &mut [f32]) {
    softmax_kernel(isa, InOut::new(x, y));
}

/// [`softmax`] of a row in its place.
pub fn softmax_in_place(isa: Isa, y: &mut [f32]) {
    softmax_kernel(isa, InOut::in_place(y));
}

kernel! {
    fn softmax_kernel(row: InOut<'_, f32>) => softmax_lanes
}
#[inline(always)]
fn softmax_lanes<S: Simd>(s: S, mut row: InOut<'_, f32>) {
    let shift = s.splat(greatest(s, row.input()));
    map!(s, S::F32, row.reborrow(), |x| math::exp(x.sub(shift)));
    let y = row.output();
    let scale = s.splat((1.0 / sum_lanes(s, y)) as f32);
    map!(s, S::F32, InOut::in_place(y), |y| y.mul(scale));
}

/// The greatest element. A NaN may be lost here, because later steps on the row produce it again.
#[inline(always)]
fn greatest<S: Simd>(s: S, x: &[f32]) -> f32 {
    reduce(s, x, f32::NEG_INFINITY, f32::NEG_INFINITY, |acc, x| acc.max(x), |a, b| a.max(b))
        .reduce_max()
}

kernel! {
    /// `y = x - max(x) - ln(sum(exp(x - max(x))))`.
    pub fn log_softmax(x: &[f32], y: &mut [f32]) => log_softmax_lanes
}
#[inline(always)]
fn log_softmax_lanes<S: Simd>(s: S, x: &[f32], y: &mut [f32]) {
    let greatest = greatest(s, x);
    let shift = s.splat(greatest);
    let mut total = 0.0;
    for block in x.chunks(BLOCK) {
        let (mut sum, mut i) = (s.splat(0.0), 0);
        while i < block.len() {
            let x = load_or(s, &block[i..], f32::NEG_INFINITY);
            sum = sum.add(math::exp(x.sub(shift)));
            i += S::F32::LANES;
        }
        total += f64::from(sum.reduce_add());
    }
    let log = s.splat(total.ln() as f32);
    map!(s, S::F32, InOut::new(x, y), |x| x.sub(shift).sub(log));
}

/// The mean and the reciprocal of the standard deviation that a row was normalised with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The mean (0 for RMS normalisation).
    pub mean: f32,
    /// `1 / sqrt(variance + epsilon)`.
    pub inverse: f32,
}

kernel! {
    /// `y = (x - mean) / sqrt(variance + epsilon) * gamma + beta`; `gamma` and `beta` are as long as the row or absent.
    pub fn layer_norm(x: &[f32], gamma: Option<&[f32]>, beta: Option<&[f32]>, epsilon: f32, y: &mut [f32]) -> Moments => layer_norm_lanes
}
#[inline(always)]
fn layer_norm_lanes<S: Simd>(
    s: S,
    x: &[f32],
    gamma: Option<&[f32]>,
    beta: Option<&[f32]>,
    epsilon: f32,
    y: &mut [f32],
) -> Moments {
    let n = x.len() as f64;
    let mean = (sum_lanes(s, x) / n) as f32;
    let shift = s.splat(mean);
    // With `mean` for a fill the missing lanes add nothing.
    let squares = sum_of(s, x, mean, |acc, x| {
        let d = x.sub(shift);
        d.mul_add(d, acc)
    });
    let inverse = (1.0 / (squares / n + f64::from(epsilon)).sqrt()) as f32;
    scale_rows(s, x, mean, inverse, gamma, beta, y);
    Moments { mean, inverse }
}

kernel! {
    /// `y = x / sqrt(mean(x²) + epsilon) * gamma`.
    pub fn rms_norm(x: &[f32], gamma: Option<&[f32]>, epsilon: f32, y: &mut [f32]) -> Moments => rms_norm_lanes
}
#[inline(always)]
fn rms_norm_lanes<S: Simd>(
    s: S,
    x: &[f32],
    gamma: Option<&[f32]>,
    epsilon: f32,
    y: &mut [f32],
) -> Moments {
    let mean_square = sum_squares_lanes(s, x) / x.len() as f64;
    let inverse = (1.0 / (mean_square + f64::from(epsilon)).sqrt()) as f32;
    scale_rows(s, x, 0.0, inverse, gamma, None, y);
    Moments { mean: 0.0, inverse }
}

#[inline(always)]
fn scale_rows<S: Simd>(
    s: S,
    x: &[f32],
    mean: f32,
    inverse: f32,
    gamma: Option<&[f32]>,
    beta: Option<&[f32]>,
    y: &mut [f32],
) {
    let n = y.len();
    let fits = |row: Option<&[f32]>| row.is_none_or(|row| row.len() == n);
    assert!(
        x.len() == n && fits(gamma) && fits(beta),
        "the row, gamma and beta must have {n} elements as the result has"
    );
    let (mean, inverse) = (s.splat(mean), s.splat(inverse));
    let mut i = 0;
    while i < n {
        // SAFETY: all have `n` elements, as asserted.
        unsafe {
            let x = S::F32::load_up_to_at(s, x.as_ptr().add(i), n - i);
            let mut v = x.sub(mean).mul(inverse);
            if let Some(gamma) = gamma {
                v = v.mul(S::F32::load_up_to_at(s, gamma.as_ptr().add(i), n - i));
            }
            if let Some(beta) = beta {
                v = v.add(S::F32::load_up_to_at(s, beta.as_ptr().add(i), n - i));
            }
            v.store_up_to_at(y.as_mut_ptr().add(i), n - i);
        }
        i += S::F32::LANES;
    }
}

kernel! {
    /// `y = x * scale + shift` with one scale and shift for the row (batch and instance normalisation).
    pub fn scale_shift(x: &[f32], scale: f32, shift: f32, y: &mut [f32]) => scale_shift_lanes
}
#[inline(always)]
fn scale_shift_lanes<S: Simd>(s: S, x: &[f32], scale: f32, shift: f32, y: &mut [f32]) {
    let (scale, shift) = (s.splat(scale), s.splat(shift));
    map!(s, S::F32, InOut::new(x, y), |x| x.mul_add(scale, shift));
}

kernel! {
    /// The natural logarithm of each element.
    pub fn ln(x: &[f32], y: &mut [f32]) => ln_lanes
}
#[inline(always)]
fn ln_lanes<S: Simd>(s: S, x: &[f32], y: &mut [f32]) {
    map!(s, S::F32, InOut::new(x, y), |x| math::ln(x));
}

#[cfg(test)]
mod tests;
