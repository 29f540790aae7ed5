//! File tests of lane functions; see `trident_filetest` for their form.

use trident_filetest::{Failed, run};
use trident_ir::Module;
use trident_ir::interp::runs;
use trident_tile_to_lane::{GpuFigures, lower};

/// The kernel at level lane and its plan; lines that say what the kernel gives hold at both levels.
fn lowered(text: &str) -> Result<String, String> {
    let module: Module = text.parse().map_err(|error| format!("{error}"))?;
    module.verify().map_err(|error| format!("{error}"))?;
    let lowered = match lower(&module, &GpuFigures::APPLE) {
        Ok(lowered) => lowered,
        Err(error) => return Ok(format!("error: {error}")),
    };
    if text.contains("; run:") {
        runs::check(&module, text).map_err(|error| format!("tile: {error}"))?;
        runs::check(&lowered.module, text).map_err(|error| format!("lane: {error}"))?;
    }
    Ok(format!("{}{}", lowered.plan, lowered.module))
}

#[test]
fn filetests() -> Result<(), Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    run(folder, &[("lane", &lowered)])
}
