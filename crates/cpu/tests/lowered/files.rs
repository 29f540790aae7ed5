//! File tests of lowerings: each op of a function runs by its kernel, and as the tile functions that it is lowered to.
//!
//! Constants are operands as the file states them. Parameters need an element type and sizes, and hold numbers between −2 and 2;
//! those of integers are rounded towards zero. An op may use the results of earlier ops. The outcome lists the results with
//! their types, or is an error if the two ways disagree or one of them fails.

use std::collections::HashMap;
use std::fmt::Write;
use trident_ir::text::ParseError;
use trident_ir::{Func, Op, Type, ValueId, ops};
use trident_runtime::{Pool, Tensor};

use crate::run::{Case, agree};
use crate::tensors::numbers;

/// The numbers of a parameter.
fn parameter(func: &Func, param: ValueId, seed: u32) -> Result<Tensor, String> {
    let Type::Tensor(ty) = func.ty(param) else {
        return Err(format!("parameter %{} is not a tensor", func.info(param).name));
    };
    let dims = func.ty(param).dims().ok_or_else(|| {
        format!(
            "parameter %{} needs sizes as numbers, not {}",
            func.info(param).name,
            func.ty(param)
        )
    })?;
    numbers(ty.dtype, &dims, seed).ok_or_else(|| format!("no numbers of type {}", ty.dtype))
}

/// The results of an op, on which its kernel and its tile functions agree.
fn results(func: &Func, op: &Op, known: &HashMap<ValueId, Tensor>) -> Result<Vec<Tensor>, String> {
    let name = op.decl().name;
    let operands = op.inputs.iter().map(|v| v.and_then(|v| known.get(&v).cloned())).collect();
    let values = func.values.clone();
    let case = Case { op: op.clone(), values, operands, results: op.outputs.len() };
    let expected = case.by_kernel().map_err(|e| format!("{name} by its kernel: {e}"))?;
    let found = case.lowered(&expected).map_err(|e| format!("{name} by tile functions: {e}"))?;
    for (expected, found) in expected.iter().zip(&found) {
        agree(expected, found).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(expected)
}

fn lowered(text: &str) -> Result<String, String> {
    let func: Func = text.parse().map_err(|e: ParseError| e.to_string())?;
    let (mut known, mut out, pool) = (HashMap::new(), String::new(), Pool::new());
    for (&param, seed) in func.body.params.iter().zip(1..) {
        known.insert(param, parameter(&func, param, seed)?);
    }
    for op in &func.body.ops {
        if let Some(constant) = ops::Constant::of(op) {
            let tensor =
                Tensor::from_literal(&pool, constant.value()).map_err(|e| e.to_string())?;
            known.extend(constant.output().map(|v| (v, tensor)));
            continue;
        }
        let results = results(&func, op, &known)?;
        for (&to, result) in op.outputs.iter().zip(results) {
            let Some(to) = to else { continue };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{} = {}: {}", func.info(to).name, op.decl().name, result.ty());
            known.insert(to, result);
        }
    }
    Ok(out)
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests/lowered");
    trident_filetest::run(folder, &[("lowered", &lowered)])
}
