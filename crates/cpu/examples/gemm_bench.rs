//! Speed of the matrix products: GFLOP/s and the share of the multiply-add peak, which is measured first.
//!
//! `cargo run --release -p trident-cpu --example gemm_bench [THREADS]`

use std::hint::black_box;
use std::time::{Duration, Instant};

use trident_cpu::gemm::{Epilogue, Lhs, PackedA, PackedB, Rhs, Shape, Strided, gemm};
use trident_cpu::{Isa, Threads};

/// m, k, n: squares, im2col shapes of resnet50 (weights left) and linear layers (weights right).
const SHAPES: [(usize, usize, usize); 14] = [
    (256, 256, 256),
    (512, 512, 512),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (64, 576, 3136),
    (128, 1152, 784),
    (256, 2304, 196),
    (512, 4608, 49),
    (64, 256, 3136),
    (128, 768, 768),
    (128, 768, 3072),
    (128, 3072, 768),
    (8, 768, 3072),
    (1, 768, 3072),
];

/// The best of many runs, in seconds: on a shared machine the least disturbed run says what the code can do.
fn best(mut f: impl FnMut()) -> f64 {
    f();
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 5 || start.elapsed() < Duration::from_millis(400) {
        let t = Instant::now();
        f();
        best = best.min(t.elapsed());
        runs += 1;
    }
    best.as_secs_f64()
}

fn main() {
    let threads = Threads::new(std::env::args().nth(1).and_then(|t| t.parse().ok()).unwrap_or(1));
    let isa = Isa::detect();
    let fork_join =
        best(|| (0..1000).for_each(|_| threads.run(threads.count(), |i| _ = black_box(i))))
            / 1000.0;
    println!("{} threads, {}, fork-join {:.2} µs", threads.count(), isa.name(), fork_join * 1e6);
    println!("{:>18} {:>9} {:>9} {:>9} {:>9}", "m,k,n", "A packed", "B packed", "both", "neither");
    for (m, k, n) in SHAPES {
        let a: Vec<f32> = (0..m * k).map(|i| (i % 17) as f32 - 8.0).collect();
        let b: Vec<f32> = (0..k * n).map(|i| (i % 13) as f32 - 6.0).collect();
        let mut c = vec![0.0f32; m * n];
        let (rows, columns) = (Strided::rows(&a, k), Strided::columns(&b, n));
        let (pa, pb) = (PackedA::new(isa, m, k, &rows), PackedB::new(isa, n, k, &columns));
        let mut rate = |lhs: Lhs<'_, f32>, rhs: Rhs<'_, f32>| {
            let shape = Shape { m, n, k };
            let time = best(|| {
                gemm(&threads, isa, shape, lhs, rhs, &Epilogue::default(), black_box(&mut c))
            });
            2e-9 * (m * n * k) as f64 / time
        };
        let rates = [
            rate(Lhs::Packed(&pa), Rhs::Source(&columns)),
            rate(Lhs::Source(&rows), Rhs::Packed(&pb)),
            rate(Lhs::Packed(&pa), Rhs::Packed(&pb)),
            rate(Lhs::Source(&rows), Rhs::Source(&columns)),
        ];
        let [x, y, z, w] = rates;
        println!("{:>18} {x:>9.1} {y:>9.1} {z:>9.1} {w:>9.1}", format!("{m},{k},{n}"));
    }
}
