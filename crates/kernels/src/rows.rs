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

/// The greatest element; a NaN may be lost, as it comes back in what is made with the result.
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
mod tests {
    use super::*;
    use crate::test_data::Random;
    use crate::unary::UnaryFunction;

    /// Distance in units of the last place of `want`, where subnormal numbers count as the least normal one's.
    fn ulps(got: f32, want: f64) -> f64 {
        let step = f64::from(f32::EPSILON) * want.abs().max(f64::from(f32::MIN_POSITIVE));
        // Half an exponent's range makes this at most twice the true distance.
        (f64::from(got) - want).abs() / step * 2.0
    }

    fn inputs() -> Vec<f32> {
        let mut random = Random::new(11);
        let mut x: Vec<f32> = [1e-6, 0.01, 0.7, 2.0, 6.0, 30.0, 90.0, 1e4]
            .into_iter()
            .flat_map(|s| random.f32s(501).into_iter().map(move |x| x * s))
            .collect();
        x.extend([
            0.0,
            -0.0,
            1.0,
            -1.0,
            88.7,
            -87.4,
            -103.9,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            1e-42,
        ]);
        x
    }

    #[test]
    fn functions_are_accurate() {
        let x = inputs();
        for isa in Isa::available() {
            let run = |a: UnaryFunction| {
                let mut y = vec![0.0; x.len()];
                a.apply_to(isa, &x, &mut y);
                y
            };
            let check = |a: UnaryFunction, ok: &dyn Fn(f32, f64, f64) -> bool| {
                for (&x, got) in x.iter().zip(run(a)) {
                    let want = a.eval(x.into());
                    // What overflows must overflow here too.
                    let fine = if want.abs() > f64::from(f32::MAX) {
                        f64::from(got) == f64::INFINITY.copysign(want)
                    } else {
                        ok(got, want, x.into())
                    };
                    assert!(fine, "{isa:?} {a:?}({x:e}) = {got:e}, not {want:e}");
                }
            };
            check(UnaryFunction::Exp, &|got, want, _| ulps(got, want) <= 4.0);
            check(UnaryFunction::Erf, &|got, want, _| {
                (f64::from(got) - want).abs() < 1.2e-7 && ulps(got, want) < 8.0
            });
            check(UnaryFunction::Tanh, &|got, want, _| ulps(got, want) < 8.0);
            check(UnaryFunction::Sigmoid, &|got, want, _| (f64::from(got) - want).abs() < 1.2e-7);
            check(UnaryFunction::Elu(1.5), &|got, want, _| ulps(got, want) < 8.0);
            check(UnaryFunction::Softplus, &|got, want, _| ulps(got, want) < 10.0);
            for a in [
                UnaryFunction::Gelu,
                UnaryFunction::GeluTanh,
                UnaryFunction::Mish,
                UnaryFunction::Swish(1.0),
                UnaryFunction::Swish(0.7),
            ] {
                check(a, &|got, want, x| (f64::from(got) - want).abs() <= 3e-7 * x.abs().max(1e-6));
            }
            for a in [
                UnaryFunction::None,
                UnaryFunction::Relu,
                UnaryFunction::Clip { lo: -0.5, hi: 3.0 },
                UnaryFunction::LeakyRelu(0.1),
                UnaryFunction::HardSigmoid { alpha: 0.2, beta: 0.5 },
                UnaryFunction::HardSwish,
            ] {
                check(a, &|got, want, x| {
                    (f64::from(got) - want).abs()
                        <= 2e-7 * (want.abs() + x.abs().min(6.0)).max(1e-6)
                });
            }
            let mut y = vec![0.0; x.len()];
            ln(isa, &x, &mut y);
            for (&x, y) in x.iter().zip(y) {
                if x > 0.0 {
                    let want = f64::from(x).ln();
                    assert!(
                        ulps(y, want) <= 6.0 || (f64::from(y) - want).abs() < 1e-9,
                        "ln({x:e}) = {y:e}"
                    );
                } else {
                    assert!(
                        if x == 0.0 { y == f32::NEG_INFINITY } else { y.is_nan() },
                        "ln({x}) = {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn limits_and_nan() {
        use UnaryFunction::*;
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let all = [
            None,
            Relu,
            Clip { lo: -1.0, hi: 1.0 },
            LeakyRelu(0.1),
            HardSigmoid { alpha: 0.2, beta: 0.5 },
            HardSwish,
            Sigmoid,
            Tanh,
            Swish(1.0),
            Gelu,
            GeluTanh,
            Elu(1.0),
            Softplus,
            Mish,
            Erf,
            Exp,
        ];
        for isa in Isa::available() {
            for a in all {
                let mut y = [nan, inf, nan];
                a.apply(isa, &mut y);
                assert!(y[0].is_nan() && y[2].is_nan(), "{isa:?} {a:?}: {y:?}");
                let want = match a {
                    Clip { .. } | HardSigmoid { .. } | Sigmoid | Tanh | Erf => 1.0,
                    _ => inf,
                };
                assert_eq!(y[1], want, "{isa:?} {a:?} at ∞");
            }
            for (a, want) in [
                (Exp, 0.0),
                (Tanh, -1.0),
                (Erf, -1.0),
                (Sigmoid, 0.0),
                (Relu, 0.0),
                (Elu(2.0), -2.0),
                (Softplus, 0.0),
                (Gelu, nan),
                (GeluTanh, nan),
            ] {
                let mut y = [-inf];
                a.apply(isa, &mut y);
                let same = y[0] == want || (y[0].is_nan() && want.is_nan());
                assert!(same, "{isa:?} {a:?} at -∞: {y:?}");
            }
            let mut y = [0.0; 3];
            ln(isa, &[inf, nan, -inf], &mut y);
            assert!(y[0] == inf && y[1].is_nan() && y[2].is_nan());
        }
    }

    #[test]
    fn reductions_of_any_length() {
        for isa in Isa::available() {
            for n in [0, 1, 3, 15, 16, 17, 63, 64, 65, 200, 4096, 10_000] {
                let x = Random::new(n as u64).f32s(n);
                let wide = || x.iter().map(|&x| f64::from(x));
                assert!((sum(isa, &x) - wide().sum::<f64>()).abs() < 1e-4);
                assert!(
                    (sum_abs(isa, &x) - wide().map(f64::abs).sum::<f64>()).abs() <= 2e-6 * n as f64
                );
                assert!(
                    (sum_squares(isa, &x) - wide().map(|x| x * x).sum::<f64>()).abs()
                        <= 2e-6 * n as f64
                );
                assert_eq!(max(isa, &x), x.iter().copied().fold(f32::NEG_INFINITY, f32::max));
                assert_eq!(min(isa, &x), x.iter().copied().fold(f32::INFINITY, f32::min));
                for at in [0, n / 2, n.saturating_sub(1)].into_iter().filter(|&at| at < n) {
                    let mut x = x.clone();
                    x[at] = f32::NAN;
                    assert!(max(isa, &x).is_nan() && min(isa, &x).is_nan(), "{isa:?} {n} {at}");
                    x[at] = f32::INFINITY;
                    assert_eq!(max(isa, &x), f32::INFINITY);
                }
            }
        }
    }

    #[test]
    fn softmax_and_norms_of_any_length() {
        for isa in Isa::available() {
            for n in [1, 2, 15, 16, 33, 100, 1000, 5000] {
                let x: Vec<f32> =
                    Random::new(n as u64).f32s(n).into_iter().map(|x| x * 20.0 - 100.0).collect();
                let wide: Vec<f64> = x.iter().map(|&x| x.into()).collect();
                let total: f64 = wide.iter().map(|x| (x + 100.0).exp()).sum();
                let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
                softmax(isa, &x, &mut y);
                log_softmax(isa, &x, &mut z);
                for i in 0..n {
                    let want = (wide[i] + 100.0).exp() / total;
                    assert!((f64::from(y[i]) - want).abs() <= 1e-6 * want + 1e-12);
                    assert!((f64::from(z[i]) - want.ln()).abs() < 1e-5, "{} {}", z[i], want.ln());
                }
                let mut again = x.clone();
                softmax_in_place(isa, &mut again);
                assert_eq!(y, again);
                let (gamma, beta) = (Random::new(1).f32s(n), Random::new(2).f32s(n));
                let mean = wide.iter().sum::<f64>() / n as f64;
                let variance = wide.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
                layer_norm(isa, &x, Some(&gamma), Some(&beta), 1e-5, &mut y);
                rms_norm(isa, &x, Some(&gamma), 1e-5, &mut z);
                let rms = (wide.iter().map(|x| x * x).sum::<f64>() / n as f64 + 1e-5).sqrt();
                for i in 0..n {
                    let g = f64::from(gamma[i]);
                    let want = (wide[i] - mean) / (variance + 1e-5).sqrt() * g + f64::from(beta[i]);
                    assert!((f64::from(y[i]) - want).abs() < 2e-5, "{isa:?} {n}: {} {want}", y[i]);
                    assert!((f64::from(z[i]) - wide[i] / rms * g).abs() < 1e-5);
                }
            }
            let mut y = [0.0; 3];
            softmax(isa, &[1.0, f32::NAN, 2.0], &mut y);
            assert!(y.iter().all(|y| y.is_nan()));
            softmax(isa, &[f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY], &mut y);
            assert_eq!(y, [0.0, 1.0, 0.0]);
        }
    }
    #[test]
    fn rows_of_other_lengths_are_refused() {
        let refused = |f: &dyn Fn()| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_err();
        };
        let x = vec![1.0; 100];
        for isa in Isa::available() {
            for n in [0, 99, 101, 4000] {
                let y = || vec![0.0; n];
                refused(&|| softmax(isa, &x, &mut y()));
                refused(&|| log_softmax(isa, &x, &mut y()));
                refused(&|| ln(isa, &x, &mut y()));
                refused(&|| scale_shift(isa, &x, 1.0, 1.0, &mut y()));
                refused(&|| UnaryFunction::Exp.apply_to(isa, &x, &mut y()));
                refused(&|| UnaryFunction::None.apply_to(isa, &x, &mut y()));
                refused(&|| _ = layer_norm(isa, &x, None, None, 1.0, &mut y()));
                refused(&|| _ = rms_norm(isa, &x, Some(&y()), 1.0, &mut x.clone()));
                refused(&|| _ = layer_norm(isa, &x, Some(&x), Some(&y()), 1.0, &mut x.clone()));
            }
        }
    }
}
