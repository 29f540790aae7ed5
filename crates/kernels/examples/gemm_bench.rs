//! Speed of the matrix products and convolutions in GFLOP/s.
//!
//! `cargo run --release -p trident-kernels --example gemm_bench [THREADS]`

mod timing;

use std::hint::black_box;

use timing::best;
use trident_kernels::conv::{ConvEpilogue, ConvPlan, ConvSpec, Images};
use trident_kernels::gemm::{Epilogue, GemmShape, Lhs, PackedA, PackedB, Rhs, Strided, gemm};
use trident_kernels::{Threads, UnaryFunction};
use trident_simd::Isa;

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

/// Input and output channels, groups, kernel, stride, pad, size: layers of resnet50, mobilenetv2, shufflenet.
const LAYERS: [(usize, usize, usize, usize, usize, usize, usize); 21] = [
    (3, 64, 1, 7, 2, 3, 224),
    (64, 64, 1, 3, 1, 1, 56),
    (128, 128, 1, 3, 1, 1, 28),
    (256, 256, 1, 3, 1, 1, 14),
    (512, 512, 1, 3, 1, 1, 7),
    (128, 128, 1, 3, 2, 1, 56),
    (64, 256, 1, 1, 1, 0, 56),
    (256, 64, 1, 1, 1, 0, 56),
    (1024, 256, 1, 1, 1, 0, 14),
    (512, 2048, 1, 1, 1, 0, 7),
    (256, 512, 1, 1, 2, 0, 56),
    (16, 96, 1, 1, 1, 0, 112),
    (144, 24, 1, 1, 1, 0, 56),
    (240, 240, 3, 1, 1, 0, 28),
    (544, 544, 8, 1, 1, 0, 14),
    (96, 96, 96, 3, 2, 1, 112),
    (144, 144, 144, 3, 1, 1, 56),
    (384, 384, 384, 3, 1, 1, 14),
    (960, 960, 960, 3, 1, 1, 7),
    (240, 240, 240, 5, 1, 2, 14),
    (64, 64, 16, 3, 1, 1, 28),
];

fn main() {
    let threads = Threads::new(std::env::args().nth(1).and_then(|t| t.parse().ok()).unwrap_or(1));
    let isa = Isa::detect();
    let fork_join =
        best(|| (0..1000).for_each(|_| threads.run(threads.count(), |i| _ = black_box(i))))
            / 1000.0;
    println!("{} threads, {}, fork-join {:.2} µs", threads.count(), isa.name(), fork_join * 1e6);
    println!("{:>18} {:>9} {:>9} {:>9} {:>9}", "m,k,n", "A packed", "B packed", "both", "neither");
    for (m, k, n) in SHAPES.into_iter().filter(|_| std::env::args().nth(2).is_none()) {
        let a: Vec<f32> = (0..m * k).map(|i| (i % 17) as f32 - 8.0).collect();
        let b: Vec<f32> = (0..k * n).map(|i| (i % 13) as f32 - 6.0).collect();
        let mut c = vec![0.0f32; m * n];
        let (rows, columns) = (Strided::rows(&a, k), Strided::columns(&b, n));
        let (pa, pb) = (PackedA::new(isa, m, k, &rows), PackedB::new(isa, n, k, &columns));
        let mut rate = |lhs: Lhs<'_, f32>, rhs: Rhs<'_, f32>| {
            let shape = GemmShape { m, n, k };
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
    println!(
        "{:>28} {:>10} {:>9} {:>9}",
        "c,m,groups,kernel,stride,size", "kernel", "GFLOP/s", "µs"
    );
    for (c, m, groups, kernel, stride, pad, size) in LAYERS {
        let spec = ConvSpec::square(c, m, groups, kernel, stride, pad);
        let input = [size; 2];
        let Some(output) = spec.output(&input) else { continue };
        let x: Vec<f32> = (0..c * size * size).map(|i| (i % 17) as f32 - 8.0).collect();
        let depth = c / groups * kernel * kernel;
        let w: Vec<f32> = (0..m * depth).map(|i| (i % 13) as f32 - 6.0).collect();
        let bias = vec![1.0; m];
        let mut y = vec![0.0; m * output.iter().product::<usize>()];
        let plan = ConvPlan::new(&threads, isa, spec, &w);
        let epilogue =
            ConvEpilogue { bias: Some(&bias[..]), activation: UnaryFunction::Relu, residual: None };
        let images = Images { batch: 1, input: &input, output: &output, x: &x };
        let time = best(|| plan.run(&threads, &images, &epilogue, black_box(&mut y)));
        let rate = 2e-9 * (y.len() * depth) as f64 / time;
        let shape = format!("{c},{m},{groups},{kernel},{stride},{size}");
        println!("{shape:>28} {:>10} {rate:>9.1} {:>9.1}", plan.name(), time * 1e6);
    }
}
