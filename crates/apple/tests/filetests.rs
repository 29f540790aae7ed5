//! File tests of the Metal writer; see `trident_filetest` for their form.

use trident_apple::msl;
use trident_filetest::{Failed, run};
use trident_ir::Module;

/// The text of a lane kernel of which so many programs share a threadgroup.
fn written(text: &str, programs: u32) -> Result<String, String> {
    let module: Module = text.parse().map_err(|error| format!("{error}"))?;
    module.verify().map_err(|error| format!("{error}"))?;
    Ok(match msl::write(&module, programs) {
        Ok(program) => program.source,
        Err(declined) => format!("error: {declined}"),
    })
}

#[test]
fn filetests() -> Result<(), Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    run(folder, &[("msl", &|text| written(text, 1)), ("msl-together", &|text| written(text, 4))])
}
