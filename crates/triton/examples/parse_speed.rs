//! How long texts of Triton IR take to become modules: the median of each file given, in microseconds.
//!
//! `cargo run --release -p trident-triton --example parse_speed -- kernel.ttir …`

use std::time::Instant;

fn main() -> std::io::Result<()> {
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file)?;
        let mut times: Vec<_> = (0..101)
            .map(|_| {
                let start = Instant::now();
                let module = trident_triton::parse(&text);
                let time = start.elapsed();
                (time, module.is_ok())
            })
            .collect();
        times.sort();
        let (time, ok) = times[times.len() / 2];
        let outcome = if ok { "" } else { " (refused)" };
        println!("{:10.1} µs {:7} bytes {file}{outcome}", time.as_secs_f64() * 1e6, text.len());
    }
    Ok(())
}
