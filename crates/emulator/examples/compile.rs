//! Compiles a Metal text as the emulator does, and prints what is wrong with it: `compile FILE`.
use trident_apple::metal::{CompileOptions, Metal, MetalError};
use trident_emulator::{Check, Emulator, EmulatorOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: compile FILE")?;
    let source = std::fs::read_to_string(path)?;
    for check in [None, Some(Check::default())] {
        let start = std::time::Instant::now();
        let emulator = Emulator::new(EmulatorOptions { check, ..EmulatorOptions::default() })?;
        let library = match emulator.library(&source, &CompileOptions::default()) {
            Err(error @ MetalError::Compile(_)) => {
                println!("{error}");
                std::process::exit(1);
            }
            other => other?,
        };
        let mode = if check.is_some() { "checked" } else { "plain" };
        println!("{mode}: {:?} in {:?}", library.functions(), start.elapsed());
    }
    Ok(())
}
