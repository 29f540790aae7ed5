//! Pooling of whole planes.

use trident_simd::Isa;

use super::{PoolElement, root};
use crate::rows;
use crate::threads::Threads;

/// About as many elements as keep a thread busy for some microseconds.
const GRAIN: usize = 1 << 15;

fn each<T: Send, S: Sync>(threads: &Threads, x: &[S], y: &mut [T], f: impl Fn(&[S]) -> T + Sync) {
    if y.is_empty() {
        return;
    }
    let size = x.len() / y.len();
    let planes = GRAIN / size.max(1) + 1;
    threads.for_chunks_mut(y, planes, |i, y| {
        for (j, y) in y.iter_mut().enumerate() {
            let plane = i * planes + j;
            *y = f(&x[plane * size..(plane + 1) * size]);
        }
    });
}

/// The mean of each of the `y.len()` planes of `x`; NaN for empty planes.
pub fn global_average(threads: &Threads, isa: Isa, x: &[f32], y: &mut [f32]) {
    each(threads, x, y, |plane| (rows::sum(isa, plane) / plane.len() as f64) as f32);
}

/// The greatest element of each of the `y.len()` planes of `x`.
pub fn global_max<T: PoolElement>(threads: &Threads, x: &[T], y: &mut [T]) {
    each(threads, x, y, |plane| plane.iter().fold(T::LEAST, |a, &b| if b > a { b } else { a }));
}

/// `(Σ |x|^p)^(1/p)` of each of the `y.len()` planes of `x`.
pub fn global_lp(threads: &Threads, isa: Isa, p: i32, x: &[f32], y: &mut [f32]) {
    each(threads, x, y, |plane| {
        let sum = match p {
            1 => rows::sum_abs(isa, plane),
            2 => rows::sum_squares(isa, plane),
            _ => plane.iter().map(|&x| f64::from(x).abs().powi(p)).sum(),
        };
        root(sum, p) as f32
    });
}
