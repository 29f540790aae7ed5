//! Prints how fast the emulator compiles and runs kernels, plainly and checked: `cargo run --release -p trident-emulator
//! --example speed`.
#![allow(unsafe_code)] // commits batches

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;
use trident_apple::metal::{Batch, CompileOptions, Dispatch, Metal, MetalBuffer};
use trident_emulator::{Check, Emulator, EmulatorOptions};

/// A kernel, its grid, the bytes of its buffers, and its inline bytes with their slot.
struct Case {
    name: &'static str,
    source: &'static str,
    groups: [u32; 3],
    threads: u32,
    buffers: &'static [usize],
    inline: (u32, Vec<u8>),
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    for check in [None, Some(Check { schedules: 1 })] {
        let scale = if check.is_some() { 16 } else { 1 };
        let n = (4 << 20) / scale;
        let side = if check.is_some() { 64 } else { 256 };
        let cases = [
            Case {
                name: "vector add",
                source: include_str!("../tests/kernels/vadd.metal"),
                groups: [n / 1024, 1, 1],
                threads: 256,
                buffers: &[16 << 20, 16 << 20, 4 << 20, 16 << 20],
                inline: (4, words(&[n, 0x3f00_0000])),
            },
            Case {
                name: "softmax",
                source: include_str!("../tests/kernels/softmax.metal"),
                groups: [1024 / scale, 1, 1],
                threads: 256,
                buffers: &[4 << 20, 4 << 20],
                inline: (2, words(&[1024])),
            },
            Case {
                name: "matmul",
                source: include_str!("../tests/kernels/matmul.metal"),
                groups: [side / 32, side / 32, 1],
                threads: 128,
                buffers: &[128 << 10, 128 << 10, 256 << 10],
                inline: (3, words(&[side; 3])),
            },
        ];
        for case in cases {
            let folder = tempfile::tempdir()?;
            let cache = Some(folder.path().to_owned());
            let emulator =
                Emulator::new(EmulatorOptions { check, cache, ..EmulatorOptions::default() })?;
            let start = Instant::now();
            let library = emulator.library(case.source, &CompileOptions::default())?;
            let compiled = start.elapsed();
            let pipeline = library.pipeline(&library.functions()[0], &[])?;
            let mut dispatch = Dispatch::new(pipeline, case.groups, [case.threads, 1, 1]);
            for (slot, bytes) in (0..).zip(case.buffers) {
                let buffer: Arc<dyn MetalBuffer> =
                    emulator.buffer(bytes / if slot < 4 { scale as usize } else { 1 })?;
                dispatch = dispatch.buffer(slot, &buffer, 0);
            }
            let dispatch = dispatch.bytes(case.inline.0, &case.inline.1);
            let queue = emulator.queue()?;
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                // SAFETY: the kernels stay inside of their buffers.
                let done = unsafe { queue.commit(Batch::from(dispatch.clone())) }?;
                best = best.min(done.wait()?.elapsed().as_secs_f64());
            }
            let threads = f64::from(case.groups.iter().product::<u32>() * case.threads);
            println!(
                "{:8} {:10} compiled in {:.2} s, ran in {:.4} s: {:.2} M threads/s",
                if check.is_some() { "checked" } else { "plain" },
                case.name,
                compiled.as_secs_f64(),
                best,
                threads / best / 1e6
            );
        }
    }
    Ok(())
}
