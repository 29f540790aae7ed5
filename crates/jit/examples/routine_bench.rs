//! Speed of the routines that compiled kernels call, on one thread, for each instruction set of the machine.
//!
//! `cargo run --release -p trident-jit --example routine_bench [FILTER]`
//!
//! Strips lie in the first-level cache. Each rate is printed with its fraction of a limit: the bytes per second of a
//! plain copy, or the multiply-adds of a long product with operands in the first-level cache (the `f32` product for
//! narrow types).
#![allow(unsafe_code)]

#[path = "../../kernels/examples/timing/mod.rs"]
mod timing;

use std::hint::black_box;
use std::mem::transmute;

use timing::best;
use trident_ir::DType;
use trident_jit::routine::{
    Dot, Format, Function, Reduction, Rmw, Rounding, Routine, dot_scratch_bytes, table,
};
use trident_simd::Isa;

/// Elements of a strip.
const N: usize = 1024;

/// Memory for any strip, aligned to cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

fn address(routine: Routine, isa: Isa) -> Option<usize> {
    Some(table(isa)[routine.slot()?])
}

/// Gigacalls a second, over runs of about 50 µs: short enough to lie between two interruptions.
fn rate(f: impl Fn()) -> f64 {
    let once = best_of_few(&f);
    let calls = (50e-6 / once).clamp(1.0, 1000.0) as u32;
    1e-9 * f64::from(calls) / best(|| (0..calls).for_each(|_| f()))
}

fn best_of_few(f: &impl Fn()) -> f64 {
    let times = (0..10).map(|_| {
        let start = std::time::Instant::now();
        f();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min).max(1e-9)
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    for isa in Isa::available() {
        println!("{}", isa.name());
        strips(isa, &filter);
        products(isa, &filter);
    }
}

/// A strip for results and one for operands, half a page apart: were both at the same place of a page, loads would wait for
/// stores that only look like theirs.
struct Strips(Vec<Line>);

impl Strips {
    fn new() -> Self {
        Strips(vec![Line([0; 64]); (2 * N * 8 + 2048) / 64])
    }

    fn split(&mut self) -> (*mut Line, &mut [Line]) {
        let (out, x) = self.0.split_at_mut((N * 8 + 2048) / 64);
        (out.as_mut_ptr(), x)
    }
}

/// Fills a strip with numbers near 1 of the type, where it matters.
fn fill(x: &mut [Line], dtype: DType) {
    // SAFETY: plain memory of `N` elements of 8 bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(x.as_mut_ptr().cast::<u8>(), N * 8) };
    for i in 0..N {
        let value = 0.2 + i as f64 * 0.003;
        match dtype {
            DType::F64 => bytes[8 * i..][..8].copy_from_slice(&value.to_le_bytes()),
            DType::F32 => bytes[4 * i..][..4].copy_from_slice(&(value as f32).to_le_bytes()),
            // Small numbers of the 16-bit and 8-bit formats.
            _ => bytes[dtype.size() * i..][..dtype.size()].fill(0x30 + (i % 8) as u8),
        }
    }
}

fn strips(isa: Isa, filter: &str) {
    let mut strips = Strips::new();
    let (out, x) = strips.split();
    let copy = address(Routine::CopyMasked { bytes: 4 }, isa).map_or(f64::INFINITY, |a| {
        // SAFETY: the routine's signature; both strips have room for `N` elements.
        let f: unsafe extern "C" fn(*mut Line, *const Line, *const u8, usize) =
            unsafe { transmute(a) };
        // SAFETY: both strips have room for `N` elements of 4 bytes; without a mask, all are copied.
        rate(|| unsafe { f(black_box(out), x.as_ptr(), std::ptr::null(), N) }) * (8 * N) as f64
    });
    println!("  copy {copy:.0} GB/s");
    let mut one = |name: &str, routine: Routine, from: DType, to: DType| {
        if !name.contains(filter) {
            return;
        }
        let Some(a) = address(routine, isa) else { return };
        fill(x, from);
        // SAFETY: a function of one operand; both strips have room for `N` elements.
        let f: unsafe extern "C" fn(*mut Line, *const Line, usize) = unsafe { transmute(a) };
        // SAFETY: both strips have room for `N` elements of 8 bytes, and no type is larger.
        let r = rate(|| unsafe { f(black_box(out), x.as_ptr(), N) }) * N as f64;
        let bytes = r * (from.size() + to.size()) as f64;
        println!("  {name:<24} {r:7.3} Gelem/s {:4.0} % of a copy", 100.0 * bytes / copy);
    };
    for dtype in [DType::F32, DType::F64] {
        let names = [
            "exp", "exp2", "log", "log2", "log10", "sin", "cos", "tanh", "erf", "sqrt", "rsqrt",
            "floor", "expm1", "log1p", "tan", "atan", "erfc", "cbrt", "lgamma",
        ];
        for name in names {
            if let Some(f) = Function::find(name, &[dtype]) {
                one(&format!("{name} {dtype}"), Routine::Function(f), dtype, dtype);
            }
        }
    }
    let pairs = [
        (DType::F16, DType::F32),
        (DType::F32, DType::F16),
        (DType::BF16, DType::F32),
        (DType::F32, DType::BF16),
        (DType::F8E4M3FN, DType::F32),
        (DType::F32, DType::F8E4M3FN),
        (DType::F8E5M2, DType::F16),
        (DType::F16, DType::F8E5M2),
        (DType::F64, DType::F32),
        (DType::F64, DType::F16),
        (DType::I32, DType::F32),
        (DType::F32, DType::I32),
    ];
    for (from, to) in pairs {
        let routine =
            Routine::Convert { from, to, rounding: Rounding::NearestEven, saturate: false };
        one(&format!("{from} to {to}"), routine, from, to);
    }
    for (dtype, op) in [
        (DType::F32, Reduction::Sum),
        (DType::F32, Reduction::MaxNum),
        (DType::F64, Reduction::Sum),
        (DType::I32, Reduction::Sum),
        (DType::I8, Reduction::Max),
        (DType::F16, Reduction::Sum),
    ] {
        let name = format!("{op:?} {dtype}");
        if !name.contains(filter) {
            continue;
        }
        for n in [64, N] {
            let Some(a) = address(Routine::Reduce { op, dtype }, isa) else { continue };
            fill(x, dtype);
            // SAFETY: the routine's signature; one row of `n` elements.
            let f: unsafe extern "C" fn(*mut Line, *const Line, usize, usize, usize) =
                unsafe { transmute(a) };
            // SAFETY: `x` has a row of `n <= N` elements, and `out` room for its one result.
            let r = rate(|| unsafe { f(black_box(out), x.as_ptr(), 1, n, n) }) * n as f64;
            let part = 100.0 * r * dtype.size() as f64 / (copy / 2.0);
            println!(
                "  {:<24} {r:7.3} Gelem/s {part:4.0} % of a copy's reads",
                format!("{name} of {n}")
            );
        }
    }
    scattered(isa, filter);
}

fn scattered(isa: Isa, filter: &str) {
    let mut strips = Strips::new();
    let (_, x) = strips.split();
    let addresses: Vec<u64> =
        (0..N).map(|i| x.as_mut_ptr() as u64 + 4 * (i * 37 % N) as u64).collect();
    let mut former = vec![0u32; N];
    let out = former.as_mut_ptr();
    if "gather".contains(filter)
        && let Some(a) = address(Routine::Gather { bytes: 4 }, isa)
    {
        // SAFETY: the routine's signature; the addresses are inside `x`.
        let f: unsafe extern "C" fn(*mut u32, *const u64, *const u8, usize) =
            unsafe { transmute(a) };
        // SAFETY: all of the `N` addresses are those of elements of `x`, and `out` has room for `N` values.
        let r = rate(|| unsafe { f(out, addresses.as_ptr(), std::ptr::null(), N) }) * N as f64;
        println!("  {:<24} {r:7.3} Gelem/s", "gather of 4 bytes");
    }
    let routine = Routine::AtomicRmw { op: Rmw::Add, dtype: DType::F32 };
    if "atomic".contains(filter)
        && let Some(a) = address(routine, isa)
    {
        // SAFETY: the routine's signature; the addresses are inside `x`.
        let f: unsafe extern "C" fn(*mut u32, *const u64, *const u32, *const u8, usize) =
            unsafe { transmute(a) };
        let values = vec![0u32; N];
        // SAFETY: the `N` addresses are those of aligned elements of `x`; `values` has `N` elements, and `out` room for as many.
        let r = rate(|| unsafe {
            f(out, addresses.as_ptr(), values.as_ptr(), std::ptr::null(), N);
        }) * N as f64;
        println!("  {:<24} {r:7.3} Gelem/s", "atomic add f32");
    }
}

fn products(isa: Isa, filter: &str) {
    if !"dot".contains(filter) {
        return;
    }
    use DType::{BF16, F8E5M2, F16, F32, F64, I8, I32};
    let mut limit = 0.0;
    for dtypes in [
        [F64, F64, F64],
        [F32, F32, F32],
        [F16, F16, F32],
        [BF16, BF16, F32],
        [F8E5M2, F8E5M2, F32],
        [I8, I8, I32],
    ] {
        let [a, b, c] = dtypes;
        let Some(([a_format, b_format, c_format], wide)) = Format::of(dtypes) else { continue };
        let Some(address) = address(Routine::Dot { wide }, isa) else { continue };
        // SAFETY: the routine's signature.
        let f: unsafe extern "C" fn(*const Dot) = unsafe { transmute(address) };
        let run = |m: usize, n: usize, k: usize, columns: bool| {
            let block = |dtype: DType, elements: usize| {
                vec![
                    Line([if dtype == I8 { 3 } else { 0x30 }; 64]);
                    (elements * dtype.size()).div_ceil(64)
                ]
            };
            let (x, y, mut z) = (block(a, m * k), block(b, k * n), block(c, m * n));
            let bytes = dot_scratch_bytes(dtypes, m, n, k).unwrap_or(0);
            let mut scratch = vec![Line([0; 64]); bytes / 64 + 1];
            let (b_row, b_col) = if columns { (1, k as isize) } else { (n as isize, 1) };
            let d = Dot {
                batch: 1,
                m,
                n,
                k,
                a_format,
                b_format,
                c_format,
                a: x.as_ptr().cast(),
                a_batch: 0,
                a_row: k as isize,
                a_col: 1,
                b: y.as_ptr().cast(),
                b_batch: 0,
                b_row,
                b_col,
                c: z.as_mut_ptr().cast(),
                c_batch: 0,
                c_row: n as isize,
                fresh: 0,
                scratch: scratch.as_mut_ptr().cast(),
            };
            // SAFETY: `d` describes the blocks above.
            rate(|| unsafe { f(black_box(&d)) }) * (2 * m * n * k) as f64
        };
        if a.size() >= 4 {
            let columns = if isa.name() == "portable" { 8 } else { 32 } * 4 / a.size();
            limit = run(8, columns, 512, false);
        }
        println!("  dot {a} {b} {c}: limit {limit:.1} GFLOP/s");
        for (m, n, k) in [
            (16, 16, 16),
            (64, 64, 32),
            (128, 128, 32),
            (64, 64, 64),
            (128, 128, 128),
            (128, 256, 64),
        ] {
            let rates = [false, true].map(|columns| run(m, n, k, columns));
            println!(
                "    {:<14} {:7.1} GFLOP/s {:3.0} %; b by columns {:7.1} {:3.0} %",
                format!("{m}x{n}x{k}"),
                rates[0],
                100.0 * rates[0] / limit,
                rates[1],
                100.0 * rates[1] / limit,
            );
        }
    }
}
