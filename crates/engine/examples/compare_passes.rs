//! Runs models with all passes and with none, and compares both with the expected results.
//!
//! `cargo run -p trident-engine --example compare_passes -- FOLDER [SUBSTRING]`, where FOLDER holds groups of cases
//! as the ONNX backend suite writes them: `GROUP/CASE/model.onnx` and `test_data_set_0/{input,output}_N.pb`. Cases
//! whose operands or results are not tensors are passed over.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};
use trident_cpu::CpuDevice;
use trident_engine::{Options, PassOptions, Session};
use trident_ir::{DType, Literal};
use trident_runtime::{Device, Pool, Tensor, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("which folder?")?;
    let filter = env::args().nth(2).unwrap_or_default();
    let devices: Vec<Arc<dyn Device>> = vec![Arc::new(CpuDevice::new(2))];
    let (mut total, mut both, mut skipped) = (0, 0, 0);
    let mut fused: std::collections::BTreeMap<&str, usize> = Default::default();
    for case in cases(Path::new(&folder))? {
        let name = case.display().to_string();
        if !name.contains(&filter) {
            continue;
        }
        total += 1;
        let data = case.join("test_data_set_0");
        let inputs = tensors(&data, "input");
        let Some((inputs, expected)) = inputs.zip(tensors(&data, "output")) else {
            skipped += 1;
            continue;
        };
        let run = |passes: PassOptions| -> Result<(Session, Vec<Value>), Box<dyn Error>> {
            let model = trident_onnx::load(case.join("model.onnx"))?;
            let session =
                Session::new(model.module, &devices, &Options { passes, ..Options::default() })?;
            let names: Vec<String> =
                session.signature().inputs.iter().map(|i| i.name.clone()).collect();
            let pool = Pool::new();
            let values: Result<Vec<Value>, _> =
                inputs.iter().map(|l| Tensor::from_literal(&pool, l).map(Value::Tensor)).collect();
            let values: Vec<(&str, Value)> =
                names.iter().map(String::as_str).zip(values?).collect();
            let results = session.run(&values)?;
            Ok((session, results.into_iter().map(|(_, v)| v).collect()))
        };
        let verdict = |result: &Result<(Session, Vec<Value>), Box<dyn Error>>| match result {
            Err(error) => Err(error.to_string()),
            Ok((_, values)) => compare(values, &expected),
        };
        let (with, without) = (run(PassOptions::default()), run(PassOptions::none()));
        if let Ok((session, _)) = &with {
            for report in session.passes() {
                *fused.entry(report.pass).or_default() += report.count;
            }
        }
        match (verdict(&with), verdict(&without)) {
            (Ok(()), Ok(())) => both += 1,
            (Err(a), Ok(())) => println!("WORSE {name}: {a}"),
            (Ok(()), Err(b)) => println!("better {name}: without passes {b}"),
            (Err(a), Err(b)) if a == b => println!("neither {name}: {a}"),
            (Err(a), Err(b)) => println!("neither {name}: {a}; without passes {b}"),
        }
    }
    println!("{fused:?}");
    println!("{total} cases, {skipped} passed over, {both} pass both ways");
    Ok(())
}

fn cases(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = vec![];
    for group in fs::read_dir(folder)? {
        let group = group?.path();
        if group.is_dir() {
            let cases = fs::read_dir(group)?.filter_map(|c| Some(c.ok()?.path()));
            found.extend(cases.filter(|c| c.join("model.onnx").exists()));
        }
    }
    found.sort();
    Ok(found)
}

/// The tensors in numbered files; `None` if one holds something else.
fn tensors(data: &Path, stem: &str) -> Option<Vec<Literal>> {
    let mut found = vec![];
    loop {
        let path = data.join(format!("{stem}_{}.pb", found.len()));
        let Ok(bytes) = fs::read(path) else { return Some(found) };
        found.push(trident_onnx::read_tensor(bytes.into()).ok()?);
    }
}

fn compare(values: &[Value], expected: &[Literal]) -> Result<(), String> {
    for (i, (value, expected)) in values.iter().zip(expected).enumerate() {
        let Value::Tensor(tensor) = value else {
            return Err(format!("output {i} is not a tensor"));
        };
        let actual = tensor.to_literal().map_err(|e| e.to_string())?;
        if actual.ty() != expected.ty() {
            return Err(format!("result {i} is {}, expected {}", actual.ty(), expected.ty()));
        }
        let (a, e) = match (numbers(&actual), numbers(expected)) {
            (Some(a), Some(e)) => (a, e),
            _ if actual == *expected => continue,
            _ => return Err(format!("result {i} differs")),
        };
        let close = |a: f64, e: f64| {
            (a.is_nan() && e.is_nan()) || a == e || (a - e).abs() <= 1e-7 + 2e-3 * e.abs()
        };
        if let Some((a, e)) = a.iter().zip(&e).find(|(a, e)| !close(**a, **e)) {
            return Err(format!("result {i} holds {a} where {e} is expected"));
        }
    }
    Ok(())
}

fn numbers(literal: &Literal) -> Option<Vec<f64>> {
    match literal.dtype() {
        DType::F32 => Some(literal.to_vec::<f32>()?.into_iter().map(f64::from).collect()),
        DType::F64 => literal.to_vec(),
        DType::F16 => Some(literal.to_vec::<half::f16>()?.into_iter().map(f64::from).collect()),
        DType::BF16 => Some(literal.to_vec::<half::bf16>()?.into_iter().map(f64::from).collect()),
        _ => None,
    }
}
