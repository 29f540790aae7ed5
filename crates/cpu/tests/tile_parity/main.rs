//! Native code of tile functions against the reference interpreter: both run the same module on the same memory, which
//! has to end up with the same bits.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod blocks;
mod contract;
mod control;
mod elementwise;
mod memory;
mod products;
mod runs;

use trident_cpu::{CpuDevice, Isa};
use trident_ir::interp::{Interpreter, Memory, Value};
use trident_ir::{Element, Literal, Module};
use trident_runtime::{KernelCompiler, KernelLaunch, KernelOptions};

enum Arg {
    Tensor(String, Vec<u8>),
    Scalar(u64, Value),
}

fn tensor<T: Element>(name: &str, elements: &[T]) -> Arg {
    Arg::Tensor(name.into(), elements.iter().flat_map(|e| bytes_of(e).to_vec()).collect())
}

fn bytes_of<T: Element>(element: &T) -> Vec<u8> {
    let literal = trident_ir::Literal::scalar(*element);
    match literal.data() {
        trident_ir::literal::LiteralData::Bytes(b) => b.to_vec(),
        trident_ir::literal::LiteralData::Strings(_) => vec![],
    }
}

fn scalar<T: Element>(value: T) -> Arg {
    let mut word = [0; 8];
    let bytes = bytes_of(&value);
    word[..bytes.len()].copy_from_slice(&bytes);
    Arg::Scalar(u64::from_le_bytes(word), Value::scalar(value))
}

/// Runs the module both ways and compares the bits of all tensors.
fn compare(text: &str, grid: [u32; 3], args: &[Arg]) {
    run_both(text, grid, args, &|expected, found| expected == found);
}

/// Runs the module both ways and compares the floats of all tensors: they differ by `tolerance` at most, relative to their
/// size, and a NaN may be any.
fn compare_floats<T: Element + Into<f64>>(
    text: &str,
    grid: [u32; 3],
    args: &[Arg],
    tolerance: f64,
) {
    run_both(text, grid, args, &|expected, found| {
        let floats = |bytes: &[u8]| -> Vec<f64> {
            let dims = vec![bytes.len() / T::DTYPE.size()];
            let literal = Literal::from_bytes(T::DTYPE, dims, bytes.to_vec().into()).unwrap();
            literal.to_vec::<T>().unwrap().into_iter().map(Into::into).collect()
        };
        floats(expected).into_iter().zip(floats(found)).all(|(e, y)| {
            e == y || e.is_nan() && y.is_nan() || (e - y).abs() <= tolerance * e.abs().max(1e-30)
        })
    });
}

/// Runs the module both ways, the native code with one and three threads and from its image; `agree` judges the bytes of
/// each tensor.
fn run_both(text: &str, grid: [u32; 3], args: &[Arg], agree: &dyn Fn(&[u8], &[u8]) -> bool) {
    let module: Module = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut memory = Memory::default();
    let mut values = vec![];
    for arg in args {
        values.push(match arg {
            Arg::Tensor(name, bytes) => Value::address(memory.add(name, bytes)),
            Arg::Scalar(_, value) => value.clone(),
        });
    }
    let mut interpreter = Interpreter::new(&module).unwrap();
    interpreter.launch(grid, &values, &mut memory).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let ways = Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]);
    for (isa, threads) in ways {
        let device = CpuDevice::new(threads).with_isa(isa);
        let kernel = device.compile_kernel(&module, &KernelOptions::default());
        let kernel = kernel.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let image = kernel.image().unwrap();
        let again = device.load_kernel(&image).unwrap();
        assert_eq!(again.params(), kernel.params());
        for kernel in [kernel, again] {
            let mut tensors: Vec<Vec<u64>> = vec![];
            let mut words = vec![];
            for arg in args {
                match arg {
                    Arg::Tensor(_, bytes) => {
                        let word = |chunk: &[u8]| {
                            let mut word = [0; 8];
                            word[..chunk.len()].copy_from_slice(chunk);
                            u64::from_le_bytes(word)
                        };
                        let data: Vec<u64> = bytes.chunks(8).map(word).collect();
                        let to = data.as_ptr();
                        words.push(to as u64);
                        tensors.push(data);
                    }
                    Arg::Scalar(bits, _) => words.push(*bits),
                }
            }
            kernel.launch(&KernelLaunch { grid, args: &words, extents: &[] }).unwrap();
            let names = args.iter().filter_map(|a| match a {
                Arg::Tensor(name, bytes) => Some((name, bytes.len())),
                Arg::Scalar(..) => None,
            });
            for ((name, n), data) in names.zip(&tensors) {
                let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).take(n).collect();
                let expected = memory.bytes(name).unwrap();
                assert!(
                    agree(expected, &bytes),
                    "`{name}` of\n{text}\nexpected {expected:02x?}\nfound    {bytes:02x?}"
                );
            }
        }
    }
}

/// Numbers that look random: a linear congruential generator's upper halves.
fn noise(n: usize, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        })
        .collect()
}

fn floats(n: usize, seed: u64) -> Vec<f32> {
    noise(n, seed).into_iter().map(|x| (x as f32 / (1u64 << 30) as f32 - 1.0) * 8.0).collect()
}

fn ints(n: usize, seed: u64) -> Vec<i32> {
    noise(n, seed).into_iter().map(|x| x as i32 - (1 << 30)).collect()
}
