//! Runs the texts under `filetests`.

use std::collections::HashMap;
use trident_ir::Module;
use trident_ir::rewrite::Context;
use trident_passes::{RewriteStep, fuse};

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
fn optimize(text: &str, disabled: &[&str], list: &[RewriteStep]) -> Result<String, String> {
    let disabled: Vec<String> = disabled.iter().map(|&name| name.to_owned()).collect();
    let cx = Context { evaluate: &|_, _, _| None, disabled: &disabled, part: false };
    each(text, |f| {
        trident_passes::canonicalize(f, &cx).map_err(|e| e.to_string())?;
        trident_passes::rewrite(f, list, &cx).map_err(|e| e.to_string())?;
        f.renumber();
        Ok(())
    })
}

fn simplify(text: &str) -> Result<String, String> {
    optimize(text, &["fuse"], &[])
}

/// The form in which devices claim ops.
fn recognise(text: &str) -> Result<String, String> {
    optimize(text, &[], &[])
}

/// The form for several devices, without further passes.
fn free_shapes(text: &str) -> Result<String, String> {
    let cx = Context { evaluate: &|_, _, _| None, disabled: &[], part: false };
    each(&infer(text)?, |f| {
        trident_passes::free_shapes(f, &cx).map_err(|e| e.to_string())?;
        Ok(())
    })
}

fn fuse(text: &str) -> Result<String, String> {
    optimize(text, &["quantized-weights", "elementwise-chains"], fuse::ALL)
}

fn chains(text: &str) -> Result<String, String> {
    optimize(text, &[], fuse::ALL)
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");
    let tests: &[trident_filetest::Command<'_>] = &[
        ("infer", &infer),
        ("simplify", &simplify),
        ("recognise", &recognise),
        ("free-shapes", &free_shapes),
        ("fuse", &fuse),
        ("chains", &chains),
    ];
    trident_filetest::run(folder, tests)
}
