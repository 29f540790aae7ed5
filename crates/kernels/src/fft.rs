//! Discrete Fourier transforms in `f64`: mixed radix (Cooley and Tukey 1965) where the length has small prime factors
//! only, else by a convolution of a power of two (Bluestein 1970).

use std::f64::consts::TAU;
use std::ops::{Add, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Complex {
    /// `re + i·im`.
    #[inline]
    pub fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    /// exp(−2πi·k/n).
    fn root(k: usize, n: usize) -> Complex {
        let angle = -TAU * (k % n) as f64 / n as f64;
        Complex::new(angle.cos(), angle.sin())
    }

    /// The conjugate.
    #[inline]
    pub fn conj(self) -> Complex {
        Complex::new(self.re, -self.im)
    }
}

impl Add for Complex {
    type Output = Complex;
    #[inline]
    fn add(self, o: Complex) -> Complex {
        Complex::new(self.re + o.re, self.im + o.im)
    }
}

impl Sub for Complex {
    type Output = Complex;
    #[inline]
    fn sub(self, o: Complex) -> Complex {
        Complex::new(self.re - o.re, self.im - o.im)
    }
}

impl Mul for Complex {
    type Output = Complex;
    #[inline]
    fn mul(self, o: Complex) -> Complex {
        Complex::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}

/// Longest butterfly; lengths with a larger prime factor go by Bluestein's way.
const MAX_RADIX: usize = 31;

/// A forward transform of one length, made ready.
pub struct Fft {
    n: usize,
    /// exp(−2πi·k/n) for each k.
    roots: Vec<Complex>,
    way: Way,
}

enum Way {
    Radices(Vec<usize>),
    Bluestein {
        inner: Box<Fft>,
        /// exp(−πi·k²/n).
        chirp: Vec<Complex>,
        /// Transform of the conjugate chirp.
        kernel: Vec<Complex>,
    },
}

/// Prime factors (and 4), if none is above [`MAX_RADIX`].
fn radices(mut n: usize) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for p in std::iter::once(4).chain(2..=MAX_RADIX) {
        while n > 1 && n.is_multiple_of(p) {
            found.push(p);
            n /= p;
        }
    }
    (n <= 1).then_some(found)
}

impl Fft {
    /// A transform of length `n`; at least 1.
    pub fn new(n: usize) -> Fft {
        let n = n.max(1);
        let Some(radices) = radices(n) else { return Fft::bluestein(n) };
        let roots = (0..n).map(|k| Complex::root(k, n)).collect();
        Fft { n, roots, way: Way::Radices(radices) }
    }

    fn bluestein(n: usize) -> Fft {
        let m = (2 * n - 1).next_power_of_two();
        let inner = Box::new(Fft::new(m));
        // k² is reduced modulo 2n before the division to keep the angle exact.
        let square = |k: usize| ((k as u128 * k as u128) % (2 * n as u128)) as usize;
        let chirp: Vec<_> = (0..n).map(|k| Complex::root(square(k), 2 * n)).collect();
        let mut kernel = vec![Complex::default(); m];
        for (k, c) in chirp.iter().enumerate() {
            kernel[k] = c.conj();
            kernel[(m - k) % m] = c.conj();
        }
        let kernel = inner.transform(&kernel);
        Fft { n, roots: vec![], way: Way::Bluestein { inner, chirp, kernel } }
    }

    /// Σₖ x[k]·exp(−2πi·jk/n) for each j; `x` has the transform's length.
    pub fn transform(&self, x: &[Complex]) -> Vec<Complex> {
        match &self.way {
            Way::Radices(radices) => {
                let mut y = vec![Complex::default(); self.n];
                self.mixed(x, 1, &mut y, radices);
                y
            }
            Way::Bluestein { inner, chirp, kernel } => {
                let mut a = vec![Complex::default(); inner.n];
                for (slot, (&v, &c)) in a.iter_mut().zip(x.iter().zip(chirp)) {
                    *slot = v * c;
                }
                let a = inner.transform(&a);
                // The inverse transform is the conjugate of the transform of the conjugate.
                let product: Vec<_> = a.iter().zip(kernel).map(|(&a, &k)| (a * k).conj()).collect();
                let scale = Complex::new(1.0 / inner.n as f64, 0.0);
                let y = inner.transform(&product);
                chirp.iter().zip(y).map(|(&c, v)| v.conj() * c * scale).collect()
            }
        }
    }

    /// Transforms `y.len()` elements of `x`, each `stride` apart.
    fn mixed(&self, x: &[Complex], stride: usize, y: &mut [Complex], radices: &[usize]) {
        let Some((&p, rest)) = radices.split_first() else {
            y[0] = x[0];
            return;
        };
        let part = y.len() / p;
        for (j, sub) in y.chunks_exact_mut(part).enumerate() {
            self.mixed(&x[j * stride..], stride * p, sub, rest);
        }
        let root = |k: usize| self.roots[k % self.n];
        let mut leg = [Complex::default(); MAX_RADIX];
        for k in 0..part {
            for (j, slot) in leg[..p].iter_mut().enumerate() {
                *slot = y[j * part + k] * root(j * k * stride);
            }
            match leg {
                [a, b, ..] if p == 2 => {
                    y[k] = a + b;
                    y[part + k] = a - b;
                }
                [a, b, c, d, ..] if p == 4 => {
                    let (even, odd) = (a + c, b + d);
                    let (low, high) = (a - c, b - d);
                    let high = Complex::new(high.im, -high.re);
                    y[k] = even + odd;
                    y[part + k] = low + high;
                    y[2 * part + k] = even - odd;
                    y[3 * part + k] = low - high;
                }
                _ => {
                    for q in 0..p {
                        let terms = leg[1..p].iter().enumerate();
                        y[q * part + k] = terms.fold(leg[0], |sum, (j, &v)| {
                            sum + v * root((j + 1) * q % p * (self.n / p))
                        });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_match_the_definition() {
        for n in [1, 2, 3, 4, 5, 8, 12, 30, 31, 37, 64, 74, 100, 101, 210] {
            let x: Vec<_> =
                (0..n).map(|k| Complex::new((k * k % 17) as f64 - 8.0, (k % 5) as f64)).collect();
            let y = Fft::new(n).transform(&x);
            for (j, got) in y.iter().enumerate() {
                let want = x
                    .iter()
                    .enumerate()
                    .fold(Complex::default(), |s, (k, &v)| s + v * Complex::root(j * k, n));
                let error = (*got - want).re.abs().max((*got - want).im.abs());
                assert!(error < 1e-10, "n = {n}, j = {j}: {got:?}, expected {want:?}");
            }
        }
    }
}
