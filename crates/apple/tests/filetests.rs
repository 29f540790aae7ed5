//! File tests of the Metal writer; see `trident_filetest` for their form.

use trident_apple::msl;
use trident_filetest::{Failed, run};
use trident_ir::Module;

/// The text of a lane kernel, and what it takes.
fn written(text: &str) -> Result<String, String> {
    let module: Module = text.parse().map_err(|error| format!("{error}"))?;
    module.verify().map_err(|error| format!("{error}"))?;
    Ok(match msl::write(&module) {
        Ok(program) => program.source,
        Err(declined) => format!("error: {declined}"),
    })
}

#[test]
fn filetests() -> Result<(), Failed> {
    run(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests"), &[("msl", &written)])
}
