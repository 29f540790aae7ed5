//! Infers the shapes of models that come with expected results, and reports how many dimensions are known.
//!
//! `cargo run -p trident-passes --example shape_coverage -- FOLDER [-v]`, where FOLDER holds groups of cases as
//! the ONNX backend suite writes them: `GROUP/CASE/model.onnx` and `test_data_set_0/{input,output}_N.pb`.
//! An inferred dimension that an expected result contradicts is an error.

use prost::Message;
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};
use trident_ir::rewrite::Context;
use trident_ir::shape;
use trident_ir::{Dim, Func, Literal, Type, ValueId, ops};
use trident_onnx::proto::TensorProto;

/// Dimensions of expected results, and how many of them inference knew.
#[derive(Default)]
struct Tally {
    models: usize,
    failed: Vec<String>,
    dims: usize,
    /// Known from the declared inputs alone, as a number.
    fixed: usize,
    /// Known from the declared inputs alone, as an expression.
    named: usize,
    /// Known as a number once the shapes of the inputs are.
    concrete: usize,
    ranks_unknown: usize,
    /// Known as a number where small inputs are constants.
    valued: usize,
    incomplete: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("which folder?")?;
    let verbose = env::args().any(|a| a == "-v");
    let mut tally = Tally::default();
    for case in cases(Path::new(&folder))? {
        tally.models += 1;
        if let Err(error) = check(&case, &mut tally) {
            tally.failed.push(format!("{}: {error}", case.display()));
        }
    }
    tally.failed.iter().for_each(|f| println!("FAILED {f}"));
    if verbose {
        tally.incomplete.iter().for_each(|f| println!("incomplete {f}"));
    }
    println!(
        "{} models, {} failed; {} result dimensions: {} known as numbers and {} by name before inputs are, {} after, \
         {} if small inputs are constants; {} results of unknown rank after",
        tally.models,
        tally.failed.len(),
        tally.dims,
        tally.fixed,
        tally.named,
        tally.concrete,
        tally.valued,
        tally.ranks_unknown,
    );
    Ok(())
}

fn cases(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = vec![];
    for group in fs::read_dir(folder)? {
        let group = group?.path();
        if !group.is_dir() {
            continue;
        }
        for case in fs::read_dir(group)? {
            let case = case?.path();
            if case.join("model.onnx").exists() {
                found.push(case);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Type of the tensor in a file; `None` if it holds something else.
fn tensor_type(path: &Path) -> Option<Type> {
    let proto = TensorProto::decode(fs::read(path).ok()?.as_slice()).ok()?;
    let dtype = trident_onnx::dtype::from_number(proto.data_type.into())?;
    let dims: Vec<usize> = proto.dims.iter().map(|d| *d as usize).collect();
    Some(Type::fixed(dtype, &dims))
}

fn check(case: &Path, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    let model = trident_onnx::load(case.join("model.onnx"))?;
    let original = model.module.entry().ok_or("no function")?;
    let data = case.join("test_data_set_0");
    let expected = |i: usize| tensor_type(&data.join(format!("output_{i}.pb")));

    let mut symbolic = original.clone();
    shape::infer(&mut symbolic, &HashMap::new())?;
    compare(&symbolic, &expected, &mut |dim| match dim {
        Dim::Fixed(_) => tally.fixed += 1,
        Dim::Sym(_) => tally.named += 1,
        Dim::Unknown => {}
    })?;

    let inputs: HashMap<ValueId, Type> = original
        .body
        .params
        .iter()
        .enumerate()
        .filter_map(|(i, v)| {
            original.ty(*v).as_tensor()?;
            Some((*v, tensor_type(&data.join(format!("input_{i}.pb")))?))
        })
        .collect();
    let mut concrete = original.clone();
    shape::infer(&mut concrete, &inputs)?;
    let mut known = 0;
    compare(&concrete, &expected, &mut |dim| {
        known += usize::from(dim.fixed().is_some());
    })?;
    let unranked = concrete.body.results.iter().enumerate();
    let unranked = unranked
        .filter(|(i, v)| {
            expected(*i).is_some()
                && concrete.ty(**v).as_tensor().is_some_and(|t| t.shape.is_none())
        })
        .count();
    for i in 0..concrete.body.results.len() {
        tally.dims += expected(i).and_then(|t| t.dims()).map_or(0, |d| d.len());
    }
    tally.concrete += known;
    tally.ranks_unknown += unranked;

    // With small operands as constants, shapes follow that depend on values.
    let mut valued = with_constants(original, &data);
    shape::infer(&mut valued, &HashMap::new())?;
    let mut missing = 0;
    compare(&valued, &expected, &mut |dim| match dim.fixed() {
        Some(_) => tally.valued += 1,
        None => missing += 1,
    })?;
    if missing > 0 {
        tally.incomplete.push(case.display().to_string());
    }

    // Rewrites must keep what is known, and the function whole.
    let mut optimized = original.clone();
    let cx = Context { evaluate: &|_, _, _| None, disabled: &[], part: false };
    trident_passes::canonicalize(&mut optimized, &cx)?;
    trident_passes::rewrite(&mut optimized, trident_passes::fuse::ALL, &cx)?;
    compare(&optimized, &expected, &mut |_| {})
}

/// The function with inputs of few elements as constants.
fn with_constants(func: &Func, data: &Path) -> Func {
    let mut func = func.clone();
    let params = std::mem::take(&mut func.body.params);
    for (i, v) in params.into_iter().enumerate() {
        match small(&data.join(format!("input_{i}.pb"))) {
            Some(literal) if func.ty(v).dtype() == Some(literal.dtype()) => {
                let mut op = ops::Constant::new().value(literal).into_op();
                op.outputs = vec![Some(v)];
                func.body.ops.insert(0, op);
            }
            _ => func.body.params.push(v),
        }
    }
    func
}

/// The tensor in a file, if it has few elements.
fn small(path: &Path) -> Option<Literal> {
    let proto = TensorProto::decode(fs::read(path).ok()?.as_slice()).ok()?;
    let dtype = trident_onnx::dtype::from_number(proto.data_type.into())?;
    let dims: Vec<usize> = proto.dims.iter().map(|d| *d as usize).collect();
    let few = trident_ir::literal::checked_len(&dims).is_some_and(|n| n <= 64);
    Literal::from_bytes(dtype, dims, proto.raw_data?).ok().filter(|_| few)
}

/// Fails if a result's type contradicts the expected one; shows the known dimensions.
fn compare(
    func: &Func,
    expected: &dyn Fn(usize) -> Option<Type>,
    show: &mut dyn FnMut(&Dim),
) -> Result<(), Box<dyn Error>> {
    for (i, v) in func.body.results.iter().enumerate() {
        let (Some(expected), Some(ty)) = (expected(i), func.ty(*v).as_tensor()) else { continue };
        let name = &func.info(*v).name;
        if expected.dtype() != Some(ty.dtype) {
            return Err(format!("`{name}` is {expected}, inferred {}", func.ty(*v)).into());
        }
        let (Some(dims), Some(shape)) = (expected.dims(), &ty.shape) else { continue };
        let fits = dims.len() == shape.len()
            && dims.iter().zip(shape).all(|(n, d)| d.fixed().is_none_or(|d| d == *n));
        if !fits {
            return Err(format!("`{name}` is {expected}, inferred {}", func.ty(*v)).into());
        }
        shape.iter().for_each(&mut *show);
    }
    Ok(())
}
