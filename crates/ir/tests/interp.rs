//! Damaged tile and lane functions: whatever the verifier takes runs to an end or an error, never into a panic.

#![allow(clippy::unwrap_used)] // a test text that does not parse fails the test

mod rng;

use rng::Rng;
use std::path::Path;
use trident_ir::interp::{Block, Descriptor, InterpValue, Interpreter, Memory};
use trident_ir::types::{ACCUMULATOR, MATRIX};
use trident_ir::{Literal, Module, Type};

/// The texts of the file tests that hold tile and lane functions.
fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let files =
        ["run", "tile", "lane"].iter().flat_map(|sub| std::fs::read_dir(folder.join(sub)).unwrap());
    let mut texts: Vec<String> =
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    texts.retain(|text| text.parse::<Module>().is_ok());
    texts.sort();
    texts
}

/// Words and numbers of a text with where they stand.
fn words(text: &str) -> Vec<(usize, &str)> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '%' | '.');
    let mut found = vec![];
    let mut rest = text;
    while let Some(start) = rest.find(word) {
        let len = rest[start..].find(|c| !word(c)).unwrap_or(rest.len() - start);
        found.push((text.len() - rest.len() + start, &rest[start..start + len]));
        rest = &rest[start + len..];
    }
    found
}

/// Something for each parameter.
fn argument(ty: &Type, memory: &mut Memory, rng: &mut Rng) -> InterpValue {
    let dims = ty.dims().unwrap_or_default();
    let n: usize = dims.iter().product();
    match ty {
        Type::Descriptor(d) => InterpValue::Descriptor(
            Descriptor {
                dtype: d.dtype,
                block: d.block.clone(),
                base: memory.add("d", &[0u64; 64]),
                dims: vec![4; d.block.len()],
                strides: vec![1; d.block.len()],
                nan: false,
            }
            .into(),
        ),
        Type::Pointer(_) => {
            let base = memory.add("p", &[1u64; 64]);
            InterpValue::Block(Block {
                bits: vec![base; n].into(),
                ..zeros(trident_ir::DType::U64, dims)
            })
        }
        Type::Matrix(dtype) => InterpValue::Block(zeros(*dtype, vec![MATRIX, MATRIX])),
        Type::Accumulator(_) => {
            InterpValue::Block(zeros(trident_ir::DType::F32, vec![ACCUMULATOR, ACCUMULATOR]))
        }
        other => {
            let zeros = zeros(other.dtype().unwrap(), dims);
            let bit = 1 << rng.below(4);
            InterpValue::Block(Block { bits: (0..n).map(|_| bit).collect(), ..zeros })
        }
    }
}

fn zeros(dtype: trident_ir::DType, dims: Vec<usize>) -> Block {
    let bytes = vec![0; dims.iter().product::<usize>() * dtype.size()];
    Block::from_literal(&Literal::from_bytes(dtype, dims, bytes.into()).unwrap()).unwrap()
}

#[test]
fn what_verifies_runs_without_a_panic() {
    let texts = texts();
    assert!(texts.len() > 3);
    let pool: Vec<&str> = texts.iter().flat_map(|t| words(t)).map(|(_, word)| word).collect();
    const OTHERS: &[&str] = &[
        "-1",
        "0",
        "1",
        "2",
        "64",
        "1048576",
        "2147483647",
        "9223372036854775807",
        "f64",
        "i8",
        "u64",
        "bool",
        "_",
    ];
    let mut rng = Rng::new(3);
    let (mut ran, mut failed) = (0, 0);
    for _ in 0..20_000 {
        let text = rng.pick(&texts);
        let mut damaged = text.clone();
        for _ in 0..1 + rng.below(2) {
            let words = words(&damaged);
            let (at, word) = *rng.pick(&words);
            let by = if rng.chance(50) { *rng.pick(OTHERS) } else { *rng.pick(&pool) };
            let len = word.len();
            damaged.replace_range(at..at + len, by);
        }
        let Ok(module) = damaged.parse::<Module>() else { continue };
        let Ok(mut interpreter) = Interpreter::new(&module) else { continue };
        interpreter.max_steps = 2000;
        for func in &module.funcs {
            let mut memory = Memory::default();
            let types = func.body.params.iter().map(|&id| func.ty(id));
            let args: Vec<InterpValue> =
                types.map(|ty| argument(ty, &mut memory, &mut rng)).collect();
            match interpreter.call(&func.name, &args, &mut memory) {
                Ok(results) => {
                    ran += 1;
                    assert!(
                        results.iter().zip(&func.body.results).all(|(v, &id)| v.is_of(func.ty(id)))
                    );
                }
                Err(error) => {
                    failed += 1;
                    let text = error.to_string();
                    assert!(
                        !text.contains("has no such op") && !text.contains("has no value"),
                        "{text}\n{damaged}"
                    );
                }
            }
        }
    }
    assert!(ran > 300 && failed > 300, "{ran} ran, {failed} failed");
}
