//! File tests of the choice of kernels: the text of a function in, the kernel of each op out.
//!
//! `rewrite` brings a function into the form that the CPU runs. `kernels` has the device compile each op, and prints the kernel's name
//! without the instruction set, and the operands that the kernel packs.

use std::collections::HashMap;
use std::fmt::Write;
use trident_cpu::CpuDevice;
use trident_ir::rewrite::Context;
use trident_ir::{Func, Literal, Module, Op, OpKind, ValueId, ops, shape};
use trident_runtime::{Device, Pool, Tensor, Unit};
use trident_simd::Isa;

fn parse(text: &str) -> Result<Module, String> {
    text.parse().map_err(|e: trident_ir::text::ParseError| e.to_string())
}

fn rewrite(text: &str) -> Result<String, String> {
    let mut module = parse(text)?;
    let cx = Context { evaluate: &|_, _, _| None, disabled: &[], part: false };
    for func in &mut module.funcs {
        trident_passes::canonicalize(func, &cx).map_err(|e| e.to_string())?;
        CpuDevice::new(1).rewrite(func, &cx).map_err(|e| e.to_string())?;
    }
    Ok(module.to_string())
}

/// The kernel of an op and the operands that it packs, or the reason why there is none.
fn kernel(func: &Func, op: &Op, constants: &HashMap<ValueId, Literal>) -> String {
    let (device, pool) = (CpuDevice::new(1), Pool::new());
    let constant = |v: ValueId| Tensor::from_literal(&pool, constants.get(&v)?).ok();
    let unit = Unit {
        func,
        ops: std::slice::from_ref(op),
        inputs: op.inputs.clone(),
        outputs: op.outputs.clone(),
        constant: &constant,
        pool: &pool,
    };
    match device.compile(&unit) {
        Err(declined) => format!("declined: {}", declined.reason()),
        Ok(exe) => {
            let isa = format!(".{}", Isa::detect().name());
            let mut text = exe.kernel().trim_end_matches(&isa).to_owned();
            for &at in exe.packed() {
                if let Some(v) = op.input(at) {
                    // Writing to a string cannot fail.
                    let _ = write!(text, ", packs {}", func.info(v).name);
                }
            }
            text
        }
    }
}

fn kernels(text: &str) -> Result<String, String> {
    let mut out = String::new();
    for func in &mut parse(text)?.funcs {
        shape::infer(func, &HashMap::new()).map_err(|e| e.to_string())?;
        let constants = func.body.ops.iter().filter_map(|op| {
            let constant = ops::Constant::of(op)?;
            Some((constant.output()?, constant.value().clone()))
        });
        let constants = constants.collect();
        for op in func.body.ops.iter().filter(|op| op.kind != OpKind::Constant) {
            let names: Vec<&str> = op.defined().map(|v| func.info(v).name.as_str()).collect();
            let kernel = kernel(func, op, &constants);
            let _ = writeln!(out, "{} = {}: {kernel}", names.join(", "), op.decl().name);
        }
    }
    Ok(out)
}

#[test]
fn filetests() -> Result<(), trident_filetest::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests/kernels");
    trident_filetest::run(folder, &[("rewrite", &rewrite), ("kernels", &kernels)])
}
