//! Speed of the 8-bit products and of the memory-bound kernels.
//!
//! `cargo run --release -p trident-kernels --example row_bench [THREADS]`

mod timing;

use std::hint::black_box;

use timing::{best, medians};
use trident_kernels::blocked::BlockedChannels;
use trident_kernels::conv::{ConvEpilogue8, ConvLayout8, ConvPlan8, ConvSpec, Images};
use trident_kernels::gemm::int8::{Epilogue8, Lhs8, PackedB8, Rhs8, Signs, gemm8};
use trident_kernels::gemm::{GemmShape, Strided};
use trident_kernels::lrn::Lrn;
use trident_kernels::pooling::{PoolSpec, average_pool, global_average, max_pool};
use trident_kernels::{Threads, UnaryFunction, rows};
use trident_simd::Isa;

fn main() {
    let threads = Threads::new(std::env::args().nth(1).and_then(|t| t.parse().ok()).unwrap_or(1));
    let isa = Isa::detect();
    println!("{} threads, {}", threads.count(), isa.name());

    println!("8-bit products, u8 × i8, GOP/s (B packed; B packed by the product; to i32 and u8)");
    for (m, k, n) in [(1024, 1024, 1024), (128, 768, 768), (1, 768, 3072), (64, 576, 3136)] {
        let (a, b) = (vec![3u8; m * k], vec![5u8; k * n]);
        let signs = Signs { a: false, b: true };
        let (rows, columns) = (Strided::rows(&a[..], k), Strided::columns(&b[..], n));
        let packed = PackedB8::new(isa, signs, n, k, &columns);
        let shape = GemmShape { m, n, k };
        let e = Epilogue8::default();
        let (mut c, mut q) = (vec![0i32; m * n], vec![0u8; m * n]);
        let mut sums = |b| {
            best(|| {
                gemm8(&threads, isa, signs, shape, Lhs8::Source(&rows), b, &e, black_box(&mut c))
            })
        };
        let times = [
            sums(Rhs8::Packed(&packed)),
            sums(Rhs8::Source(&columns)),
            best(|| {
                gemm8(
                    &threads,
                    isa,
                    signs,
                    shape,
                    Lhs8::Source(&rows),
                    Rhs8::Packed(&packed),
                    &e,
                    black_box(&mut q),
                )
            }),
        ];
        let rates = times.map(|t| 2e-9 * (m * n * k) as f64 / t);
        println!(
            "{:>18} {:>9.1} {:>9.1} {:>9.1}",
            format!("{m},{k},{n}"),
            rates[0],
            rates[1],
            rates[2]
        );
    }

    println!(
        "8-bit convolutions, µs and GOP/s (channels in and out, groups, kernel, stride, size)"
    );
    println!("{:>28} {:>9} {:>9} {:>9} {:>9}", "", "dense", "blocked", "dense", "blocked");
    for (c, m, groups, kernel, stride, size) in [
        (64, 64, 1, 3, 1, 56),
        (128, 128, 1, 3, 1, 28),
        (128, 128, 1, 3, 2, 56),
        (256, 256, 1, 3, 1, 14),
        (512, 512, 1, 3, 1, 7),
        (64, 64, 1, 1, 1, 56),
        (64, 256, 1, 1, 1, 56),
        (256, 64, 1, 1, 1, 56),
        (256, 512, 1, 1, 2, 56),
        (512, 128, 1, 1, 1, 28),
        (1024, 256, 1, 1, 1, 14),
        (256, 1024, 1, 1, 1, 14),
        (2048, 512, 1, 1, 1, 7),
        (96, 96, 96, 3, 2, 112),
        (144, 144, 144, 3, 1, 56),
        (384, 384, 384, 3, 1, 14),
        (960, 960, 960, 3, 1, 7),
    ] {
        let spec = ConvSpec::square(c, m, groups, kernel, stride, kernel / 2);
        let input = [size; 2];
        let Some(output) = spec.output(&input) else { continue };
        let depth = c / groups * kernel * kernel;
        let x: Vec<u8> = (0..c * size * size).map(|i| (i * 7 % 251) as u8).collect();
        let w: Vec<u8> = (0..m * depth).map(|i| (i * 5 % 241) as u8).collect();
        let (bias, scale) = (vec![100; m], vec![0.01; m]);
        let e = ConvEpilogue8 {
            bias: &bias,
            scale: &scale,
            limits: (0, 255),
            ..ConvEpilogue8::sum(128, &[0])
        };
        let images = Images { batch: 1, input: &input, output: &output, x: &x };
        let blocked = ConvLayout8 { blocked_image: true, blocked_result: true };
        let plans = [ConvLayout8::DENSE, blocked]
            .map(|layout| ConvPlan8::new(isa, spec.clone(), true, false, &w, layout));
        let [mut y0, mut y1] = [(); 2].map(|()| vec![0u8; m * output[0] * output[1]]);
        let times =
            medians([&mut || plans[0].run(&threads, &images, &e, black_box(&mut y0)), &mut || {
                plans[1].run(&threads, &images, &e, black_box(&mut y1))
            }]);
        let rates = times.map(|t| 2e-9 * (m * output[0] * output[1] * depth) as f64 / t);
        println!(
            "{:>28} {:>9.1} {:>9.1} {:>9.1} {:>9.1}",
            format!("{c},{m},{groups},{kernel},{stride},{size}"),
            times[0] * 1e6,
            times[1] * 1e6,
            rates[0],
            rates[1]
        );
    }

    println!("channels in blocks of 4, 256×56×56 bytes, GB/s read and written (1 thread)");
    let shape =
        BlockedChannels { outer: 1, channels: 256, inner: 56 * 56, block: 4, element_size: 1 };
    let (src, mut dst) = (vec![3u8; shape.bytes()], vec![0u8; shape.bytes()]);
    let one = Threads::new(1);
    let rate = |time: f64| 2e-9 * src.len() as f64 / time;
    let pack = best(|| shape.pack(&one, isa, &src, black_box(&mut dst)));
    let unpack = best(|| shape.unpack(&one, isa, &src, black_box(&mut dst)));
    let copy = best(|| black_box(&mut dst).copy_from_slice(black_box(&src)));
    println!("{:>28} {:>9.1}", "pack", rate(pack));
    println!("{:>28} {:>9.1}", "unpack", rate(unpack));
    println!("{:>28} {:>9.1}", "copy", rate(copy));

    println!("elementwise, 2^16 elements, GB/s read and written");
    let x: Vec<f32> = (0..1 << 16).map(|i| (i % 1000) as f32 / 100.0 - 5.0).collect();
    let mut y = vec![0.0; x.len()];
    for a in [
        UnaryFunction::Relu,
        UnaryFunction::Exp,
        UnaryFunction::Tanh,
        UnaryFunction::Sigmoid,
        UnaryFunction::Gelu,
        UnaryFunction::GeluTanh,
    ] {
        let time = best(|| a.apply_to(isa, &x, black_box(&mut y)));
        println!("{:>28} {:>9.1}", format!("{a:?}"), 8e-9 * x.len() as f64 / time);
    }

    println!("rows of 1024, 4096 of them, GB/s read and written");
    let x: Vec<f32> = (0..1 << 22).map(|i| (i % 1000) as f32 / 100.0 - 5.0).collect();
    let mut y = vec![0.0; x.len()];
    let gamma = vec![1.0; 1024];
    let time = best(|| {
        threads.for_chunks_mut(&mut y, 1024, |i, y| {
            rows::softmax(isa, &x[i * 1024..(i + 1) * 1024], y)
        })
    });
    println!("{:>28} {:>9.1}", "softmax", 8e-9 * x.len() as f64 / time);
    let time = best(|| {
        threads.for_chunks_mut(&mut y, 1024, |i, y| {
            rows::layer_norm(
                isa,
                &x[i * 1024..(i + 1) * 1024],
                Some(&gamma),
                Some(&gamma),
                1e-5,
                y,
            );
        })
    });
    println!("{:>28} {:>9.1}", "layer norm", 8e-9 * x.len() as f64 / time);
    let time = best(|| _ = black_box(rows::sum(isa, &x)));
    println!("{:>28} {:>9.1}", "sum (1 thread)", 4e-9 * x.len() as f64 / time);

    println!("images, µs");
    let mut y = vec![0.0; x.len()];
    let lrn = Lrn { size: 5, alpha: 1e-4, beta: 0.75, bias: 1.0 };
    let size = 192 * 56 * 56;
    let time = best(|| lrn.run(&threads, isa, 192, 56 * 56, &x[..size], black_box(&mut y[..size])));
    println!("{:>28} {:>9.1}", "LRN 192×56×56", time * 1e6);
    let pool = |kernel: usize, stride: usize, pad: usize| PoolSpec {
        kernel: vec![kernel; 2],
        strides: vec![stride; 2],
        dilations: vec![1; 2],
        pads_begin: vec![pad; 2],
        pads_end: vec![pad; 2],
    };
    let (input, output) = ([112; 2], [56; 2]);
    let time = best(|| {
        max_pool(
            &threads,
            isa,
            &pool(3, 2, 1),
            64,
            &input,
            &output,
            &x[..64 * 12544],
            black_box(&mut y[..64 * 3136]),
        )
    });
    println!("{:>28} {:>9.1}", "max pool 3/2 64×112×112", time * 1e6);
    let (input, output) = ([28; 2], [28; 2]);
    let n = 192 * 784;
    let time = best(|| {
        average_pool(
            &threads,
            isa,
            &pool(3, 1, 1),
            false,
            192,
            &input,
            &output,
            &x[..n],
            black_box(&mut y[..n]),
        )
    });
    println!("{:>28} {:>9.1}", "average pool 3/1 192×28×28", time * 1e6);
    let time = best(|| global_average(&threads, isa, &x[..2048 * 49], black_box(&mut y[..2048])));
    println!("{:>28} {:>9.1}", "global average 2048×7×7", time * 1e6);
}
