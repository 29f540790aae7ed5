//! Runs the texts under `filetests`.

use trident_ir::Module;

fn parse(text: &str) -> Result<Module, String> {
    text.parse().map_err(|e: trident_ir::text::ParseError| e.to_string())
}

fn print(text: &str) -> Result<String, String> {
    parse(text).map(|module| module.to_string())
}

fn print_short(text: &str) -> Result<String, String> {
    parse(text).map(|module| format!("{module:#}"))
}

fn verify(text: &str) -> Result<String, String> {
    parse(text)?.verify().map_err(|e| e.to_string()).map(|()| "fine".into())
}

fn run(text: &str) -> Result<String, String> {
    trident_ir::interp::runs::check(&parse(text)?, text).map(|n| format!("{n} runs"))
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    trident_filetest::run(
        folder,
        &[("print", &print), ("print-short", &print_short), ("verify", &verify), ("run", &run)],
    )
}
