//! Runs the texts under `filetests`: Triton IR, and the functions or the error that come of it.

#![allow(clippy::unwrap_used)] // a file that cannot be read fails the test

use std::collections::HashSet;
use trident_ir::Module;
use trident_triton::parse;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests");

/// Lines of the file that are comments of ours are blanked, so that places in errors are those of the file.
fn module(text: &str) -> Result<Module, String> {
    let blank = |line: &str| if line.starts_with(';') { "" } else { line }.to_owned() + "\n";
    let text: String = text.lines().map(blank).collect();
    parse(&text).map_err(|e| e.to_string())
}

fn ttir(text: &str) -> Result<String, String> {
    module(text).map(|module| module.to_string())
}

/// The text as Triton's compiler prints it.
fn reprint(text: &str) -> Result<String, String> {
    printed(text, false)
}

/// The same, with locations.
fn locate(text: &str) -> Result<String, String> {
    printed(text, true)
}

fn printed(text: &str, locations: bool) -> Result<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with(';'));
    let text = lines.collect::<Vec<_>>().join("\n");
    trident_triton::reprint(&text, locations).map_err(|e| e.to_string())
}

/// Runs the functions as the lines `; run:` say ([`trident_ir::interp::runs`]).
fn run(text: &str) -> Result<String, String> {
    trident_ir::interp::runs::check(&module(text)?, text).map(|n| format!("{n} runs"))
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    trident_filetest::run(
        FOLDER,
        &[("ttir", &ttir), ("reprint", &reprint), ("locate", &locate), ("run", &run)],
    )
}

/// Every op that Triton 3.9 was seen to print.
const OPS: &[&str] = &[
    "arith.addf",
    "arith.addi",
    "arith.andi",
    "arith.cmpf",
    "arith.cmpi",
    "arith.constant",
    "arith.divf",
    "arith.divsi",
    "arith.divui",
    "arith.extf",
    "arith.extsi",
    "arith.extui",
    "arith.fptosi",
    "arith.fptoui",
    "arith.maximumf",
    "arith.maxnumf",
    "arith.maxsi",
    "arith.maxui",
    "arith.minimumf",
    "arith.minnumf",
    "arith.minsi",
    "arith.minui",
    "arith.mulf",
    "arith.muli",
    "arith.negf",
    "arith.ori",
    "arith.remf",
    "arith.remsi",
    "arith.remui",
    "arith.select",
    "arith.shli",
    "arith.shrsi",
    "arith.shrui",
    "arith.sitofp",
    "arith.subf",
    "arith.subi",
    "arith.truncf",
    "arith.trunci",
    "arith.uitofp",
    "arith.xori",
    "builtin.module",
    "cf.br",
    "cf.cond_br",
    "llvm.intr.assume",
    "math.absf",
    "math.absi",
    "math.ceil",
    "math.cos",
    "math.erf",
    "math.exp",
    "math.exp2",
    "math.floor",
    "math.fma",
    "math.log",
    "math.log2",
    "math.rsqrt",
    "math.sin",
    "math.sqrt",
    "scf.condition",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
    "tt.addptr",
    "tt.approx_divf",
    "tt.assert",
    "tt.atomic_cas",
    "tt.atomic_load",
    "tt.atomic_poll",
    "tt.atomic_rmw",
    "tt.atomic_store",
    "tt.bitcast",
    "tt.broadcast",
    "tt.call",
    "tt.cat",
    "tt.clampf",
    "tt.descriptor_gather",
    "tt.descriptor_load",
    "tt.descriptor_reduce",
    "tt.descriptor_scatter",
    "tt.descriptor_store",
    "tt.dot",
    "tt.dot_scaled",
    "tt.elementwise_inline_asm",
    "tt.expand_dims",
    "tt.extern_elementwise",
    "tt.fp_to_fp",
    "tt.func",
    "tt.gather",
    "tt.get_num_programs",
    "tt.get_program_id",
    "tt.grid_dependency_launch_dependents",
    "tt.grid_dependency_wait",
    "tt.histogram",
    "tt.int_to_ptr",
    "tt.join",
    "tt.load",
    "tt.make_range",
    "tt.make_tensor_descriptor",
    "tt.map_elementwise",
    "tt.map_elementwise.return",
    "tt.mulhiui",
    "tt.precise_divf",
    "tt.precise_sqrt",
    "tt.print",
    "tt.ptr_to_int",
    "tt.reduce",
    "tt.reduce.return",
    "tt.reshape",
    "tt.return",
    "tt.scan",
    "tt.scan.return",
    "tt.splat",
    "tt.split",
    "tt.store",
    "tt.trans",
    "tt.unsplat",
    "ttg.barrier",
    "ub.poison",
];

/// The inputs of all file tests, without what they expect.
fn inputs() -> String {
    let mut pending = vec![std::path::PathBuf::from(FOLDER)];
    let mut all = String::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => pending.push(path),
                false => {
                    let text = std::fs::read_to_string(path).unwrap();
                    all.push_str(text.split("; check:").next().unwrap_or(""));
                }
            }
        }
    }
    all
}

/// The ops that a text does not name.
fn missing(text: &str) -> Vec<&'static str> {
    let names: HashSet<&str> =
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).collect();
    OPS.iter().filter(|op| !names.contains(**op)).copied().collect()
}

#[test]
fn every_op_has_a_text() {
    assert_eq!(missing(&inputs()), [""; 0]);
}

#[test]
fn every_op_is_in_the_documentation() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/triton-ir.md");
    // Ops that end a region stand there as `.return` behind the others; `module` is around everything.
    let known =
        ["builtin.module", "tt.reduce.return", "tt.scan.return", "tt.map_elementwise.return"];
    let missing = missing(&std::fs::read_to_string(page).unwrap());
    assert_eq!(missing.into_iter().filter(|op| !known.contains(op)).collect::<Vec<_>>(), [""; 0]);
}
