//! Compiles a Metal text for an NVIDIA processor, and prints the PTX: `ptx FILE [PROCESSOR]`.
use trident_apple::metal::CompileOptions;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: ptx FILE [PROCESSOR]")?;
    let processor = arguments.next().unwrap_or_else(|| "sm_90".to_owned());
    let source = std::fs::read_to_string(path)?;
    print!("{}", trident_emulator::ptx(&source, &CompileOptions::default(), &processor)?);
    Ok(())
}
