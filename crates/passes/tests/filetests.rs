//! Runs the texts under `filetests`.

use std::collections::HashMap;
use trident_ir::Module;
use trident_passes::Options;

fn parse(text: &str) -> Result<Module, String> {
    text.parse().map_err(|e: trident_ir::text::ParseError| e.to_string())
}

/// Applies a pass to each function and prints the module.
fn each(
    text: &str,
    pass: impl Fn(&mut trident_ir::Func) -> Result<(), String>,
) -> Result<String, String> {
    let mut module = parse(text)?;
    module.funcs.iter_mut().try_for_each(pass)?;
    Ok(module.to_string())
}

fn infer(text: &str) -> Result<String, String> {
    each(text, |f| trident_ir::shape::infer(f, &HashMap::new()).map_err(|e| e.to_string()))
}

/// Runs all passes but those left out, without an evaluator; `fold-constants` has nothing to do.
fn optimize(text: &str, disabled: &[&str], chains: bool) -> Result<String, String> {
    let options = Options { disabled: disabled.iter().map(|&d| d.to_owned()).collect(), chains };
    each(text, |f| {
        trident_passes::optimize(f, &options, &|_, _, _| None).map_err(|e| e.to_string())?;
        f.renumber();
        Ok(())
    })
}

fn simplify(text: &str) -> Result<String, String> {
    optimize(text, &["fuse"], false)
}

fn fuse(text: &str) -> Result<String, String> {
    optimize(text, &[], false)
}

fn chains(text: &str) -> Result<String, String> {
    optimize(text, &[], true)
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    let tests: &[trident_filetest::Command<'_>] =
        &[("infer", &infer), ("simplify", &simplify), ("fuse", &fuse), ("chains", &chains)];
    trident_filetest::run(folder, tests)
}
