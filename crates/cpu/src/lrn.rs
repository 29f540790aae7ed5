//! Local response normalisation across channels (Krizhevsky et al., 2012).

// The kernel is unsafe for the instruction set, which `kernel!` guarantees, and for pointers into its own slices.
#![allow(unsafe_op_in_unsafe_fn)]

use crate::math;
use crate::simd::{Float32, Isa, kernel};
use crate::threads::{Disjoint, Threads};

/// `y[c] = x[c] / (bias + alpha / size * Σ x[i]²)^beta`, the sum over the `size` channels around `c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lrn {
    /// Channels in the window: `(size - 1) / 2` before and the rest after the channel.
    pub size: usize,
    /// The scale of the sum.
    pub alpha: f32,
    /// The exponent.
    pub beta: f32,
    /// What is added to the sum.
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
        debug_assert_eq!(x.len(), y.len());
        let image = channels * pixels;
        if image == 0 {
            return;
        }
        let blocks = pixels.div_ceil(PIXELS);
        let y = Disjoint(y.as_mut_ptr());
        threads.run(x.len() / image * blocks, |i| {
            let (batch, first) = (i / blocks, i % blocks * PIXELS);
            let n = PIXELS.min(pixels - first);
            let at = batch * image + first;
            // SAFETY: the pixels of different blocks are different elements of `y`.
            block(isa, self, channels, pixels, n, &x[at..], unsafe { y.get().add(at) });
        });
    }
}

kernel! {
    fn block(lrn: &Lrn, channels: usize, pixels: usize, n: usize, x: &[f32], y: *mut f32) => block_lanes
}

#[inline(always)]
unsafe fn block_lanes<V: Float32>(
    lrn: &Lrn,
    channels: usize,
    pixels: usize,
    n: usize,
    x: &[f32],
    y: *mut f32,
) {
    debug_assert!(x.len() >= (channels - 1) * pixels + n);
    let before = (lrn.size.max(1) - 1) / 2;
    let (bias, alpha) = (V::splat(lrn.bias), V::splat(lrn.alpha / lrn.size.max(1) as f32));
    for c in 0..channels {
        let window = c.saturating_sub(before)..channels.min(c + lrn.size.max(1) - before);
        let mut i = 0;
        while i < n {
            let mut sum = V::splat(0.0);
            for w in window.clone() {
                let v = V::load_up_to(x.as_ptr().add(w * pixels + i), n - i);
                sum = v.mul_add(v, sum);
            }
            let s = sum.mul_add(alpha, bias);
            let v = V::load_up_to(x.as_ptr().add(c * pixels + i), n - i);
            let power = if lrn.beta == 0.75 {
                let root = s.sqrt();
                root.mul(root.sqrt())
            } else if lrn.beta == 0.5 {
                s.sqrt()
            } else if lrn.beta == 1.0 {
                s
            } else {
                math::exp(math::ln(s).mul(V::splat(lrn.beta)))
            };
            v.div(power).store_up_to(y.add(c * pixels + i), n - i);
            i += V::LANES;
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
