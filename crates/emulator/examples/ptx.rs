//! Compiles a Metal text, or the tile function of a `.tir` file through one, for an NVIDIA processor. The output is
//! written next to the file: `ptx [--without-matrices] FILE [PROCESSOR]`. Without matrices each thread multiplies and
//! adds separately.
use std::fs;
use std::path::PathBuf;
use trident_apple::metal::CompileOptions;
use trident_apple::msl;
use trident_ir::Module;
use trident_tile_to_lane::{self as lane, GpuFigures};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const PLAIN: &str = "--without-matrices";
    let matrices = std::env::args().all(|argument| argument != PLAIN);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != PLAIN);
    let path =
        PathBuf::from(arguments.next().ok_or("usage: ptx [--without-matrices] FILE [PROCESSOR]")?);
    let processor = arguments.next().unwrap_or_else(|| "sm_90".to_owned());
    let mut text = fs::read_to_string(&path)?;
    if path.extension().is_some_and(|extension| extension == "tir") {
        let module: Module = text.parse()?;
        let figures = GpuFigures { matrices, ..GpuFigures::APPLE };
        text = msl::write(&lane::lower(&module, &figures)?.module, 1)?.source;
        fs::write(path.with_extension("metal"), &text)?;
    }
    let ptx = trident_emulator::ptx(&text, &CompileOptions::default(), &processor)?;
    Ok(fs::write(path.with_extension("ptx"), ptx)?)
}
