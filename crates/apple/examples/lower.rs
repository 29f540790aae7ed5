//! Prints the plan of a tile function, and the median time from it to its Metal text: `cargo run --release -p trident-apple
//! --example lower FILE...`.

use std::error::Error;
use std::time::Instant;
use trident_apple::msl;
use trident_ir::Module;
use trident_tile_to_lane::{self as lane, GpuFigures};

/// Number of runs; their median counts.
const RUNS: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        let module: Module = std::fs::read_to_string(&file)?.parse()?;
        let mut times = vec![];
        let (mut plan, mut lines) = (String::new(), 0);
        for _ in 0..RUNS {
            let start = Instant::now();
            let lowered = lane::lower(&module, &GpuFigures::APPLE)?;
            let program = msl::write(&lowered.module, lowered.programs)?;
            times.push(start.elapsed());
            (plan, lines) = (lowered.plan, program.source.lines().count());
        }
        times.sort_unstable();
        println!("{file}: {lines} lines in {:.2?}\n{plan}", times[RUNS / 2]);
    }
    Ok(())
}
