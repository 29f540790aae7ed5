//! Times the `gemm` crate: `gemm SIZE THREADS ROUNDS` prints the median GFLOP/s of a square f32 product.

use std::time::Instant;

use anyhow::{Result, bail};
use gemm::Parallelism;

fn main() -> Result<()> {
    let numbers = std::env::args().skip(1).map(|word| word.parse::<usize>());
    let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
    let [n, threads, rounds] = numbers[..] else { bail!("usage: gemm SIZE THREADS ROUNDS") };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    let value = |k: usize| (k % 251) as f32 / 251.0 - 0.5;
    let a: Vec<f32> = (0..n * n).map(value).collect();
    let b: Vec<f32> = (0..n * n).map(|k| value(k * 7 + 3)).collect();
    let mut c = vec![0.0_f32; n * n];
    let mut multiply = || {
        let stride = n as isize;
        pool.install(|| {
            // SAFETY: the three matrices are row-major with n × n elements, and c overlaps neither a nor b.
            unsafe {
                gemm::gemm(
                    n,
                    n,
                    n,
                    c.as_mut_ptr(),
                    1,
                    stride,
                    false,
                    a.as_ptr(),
                    1,
                    stride,
                    b.as_ptr(),
                    1,
                    stride,
                    0.0,
                    1.0,
                    false,
                    false,
                    false,
                    parallelism,
                );
            }
        });
    };
    multiply();
    let mut seconds: Vec<f64> = (0..rounds.max(1) * 4)
        .map(|_| {
            let start = Instant::now();
            multiply();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let median = seconds[seconds.len() / 2];
    println!("{}", 2.0 * (n as f64).powi(3) / median / 1e9);
    Ok(())
}
