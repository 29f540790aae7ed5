//! Local response normalisation across channels (Krizhevsky et al., 2012).

use trident_simd::{Arithmetic, Isa, Simd, Vector, kernel, math};

use crate::disjoint::Disjoint;
use crate::threads::Threads;

/// `y[c] = x[c] / (bias + alpha / size * Σ x[i]²)^beta`, the sum over the `size` channels around `c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lrn {
    /// Channels in the window: `(size - 1) / 2` before and the rest after the channel.
    pub size: usize,
    /// The scale of the sum.
    pub alpha: f32,
    /// The exponent.
    pub beta: f32,
    /// The summand beside the sum.
    pub bias: f32,
}

/// Pixels that a task takes through all channels: enough for long runs in memory, few enough that the window stays in the
/// first-level cache.
const PIXELS: usize = 512;

impl Lrn {
    /// Normalises `x` (`batch × channels × pixels`) into `y`.
    pub fn run(
        &self,
        threads: &Threads,
        isa: Isa,
        channels: usize,
        pixels: usize,
        x: &[f32],
        y: &mut [f32],
    ) {
        let image = channels * pixels;
        assert!(
            x.len() == y.len() && x.len().checked_rem(image).unwrap_or(x.len()) == 0,
            "{} elements of images of {image} into {}",
            x.len(),
            y.len()
        );
        if image == 0 {
            return;
        }
        let blocks = pixels.div_ceil(PIXELS);
        let y = Disjoint::new(y);
        threads.run(x.len() / image * blocks, |i| {
            let (batch, first) = (i / blocks, i % blocks * PIXELS);
            let n = PIXELS.min(pixels - first);
            let x = &x[batch * image..(batch + 1) * image];
            let part = |channel: usize| {
                let at = batch * image + channel * pixels + first;
                // SAFETY: blocks of different pixels, and different channels, are different elements of `y`.
                unsafe { y.part(at..at + n) }
            };
            let mut y: Vec<&mut [f32]> = (0..channels).map(part).collect();
            block(isa, self, pixels, &x[first..], &mut y);
        });
    }
}

kernel! {
    /// Normalises neighbouring pixels: channel `c` of `x` is from `c * pixels` on, its results go to `y[c]`.
    fn block(lrn: &Lrn, pixels: usize, x: &[f32], y: &mut [&mut [f32]]) => block_lanes
}

#[inline(always)]
fn block_lanes<S: Simd>(s: S, lrn: &Lrn, pixels: usize, x: &[f32], y: &mut [&mut [f32]]) {
    let (before, channels) = ((lrn.size.max(1) - 1) / 2, y.len());
    let (bias, alpha) = (s.splat(lrn.bias), s.splat(lrn.alpha / lrn.size.max(1) as f32));
    let n = y.iter().map(|y| y.len()).max().unwrap_or(0);
    let end = channels.saturating_sub(1).checked_mul(pixels).and_then(|last| last.checked_add(n));
    assert!(end.is_some_and(|end| end <= x.len()), "the image is smaller than its channels");
    for (c, y) in y.iter_mut().enumerate() {
        let window = c.saturating_sub(before)..channels.min(c + lrn.size.max(1) - before);
        let n = y.len();
        let mut i = 0;
        while i < n {
            let at = x.as_ptr().wrapping_add(i);
            let mut sum = s.splat(0.0);
            for w in window.clone() {
                // SAFETY: every channel of `x` has as many pixels, as asserted.
                let v = unsafe { S::F32::load_up_to_at(s, at.add(w * pixels), n - i) };
                sum = v.mul_add(v, sum);
            }
            let v = s.load_up_to(&x[c * pixels..][i..n]);
            let d = sum.mul_add(alpha, bias);
            let power = if lrn.beta == 0.75 {
                let root = d.sqrt();
                root.mul(root.sqrt())
            } else if lrn.beta == 0.5 {
                d.sqrt()
            } else if lrn.beta == 1.0 {
                d
            } else {
                math::exp(math::ln(d).mul(s.splat(lrn.beta)))
            };
            v.div(power).store_up_to(&mut y[i..]);
            i += S::F32::LANES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::Random;

    #[test]
    fn agrees_with_the_definition() {
        let threads = Threads::new(2);
        for isa in Isa::available() {
            for (batch, channels, pixels, size, beta) in [
                (1, 7, 5, 5, 0.75),
                (2, 3, 600, 3, 0.5),
                (1, 4, 33, 4, 1.0),
                (2, 9, 40, 7, 0.6),
                (1, 2, 3, 11, 0.75),
                (1, 5, 17, 1, 0.9),
            ] {
                let lrn = Lrn { size, alpha: 0.3, beta, bias: 1.5 };
                let x = Random::new(3).f32s(batch * channels * pixels);
                let mut y = vec![0.0; x.len()];
                lrn.run(&threads, isa, channels, pixels, &x, &mut y);
                for (i, &got) in y.iter().enumerate() {
                    let (b, c, p) = (i / pixels / channels, i / pixels % channels, i % pixels);
                    let first = c.saturating_sub((size - 1) / 2);
                    let end = channels.min(c + size / 2 + 1);
                    let sum: f64 = (first..end)
                        .map(|w| f64::from(x[(b * channels + w) * pixels + p]).powi(2))
                        .sum();
                    let want = f64::from(x[i]) / (1.5 + 0.3 / size as f64 * sum).powf(beta.into());
                    assert!(
                        (f64::from(got) - want).abs() < 1e-6,
                        "{isa:?} {size} {beta} at {i}: {got} for {want}"
                    );
                }
            }
        }
    }
}
