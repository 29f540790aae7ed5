//! Loads the models of the repository, and every model of a folder of conformance cases, named by the variable `TRIDENT_ONNX_CASES`.
#![allow(clippy::unwrap_used)]

mod common;

use common::normal;
use std::path::{Path, PathBuf};
use trident_ir::{Func, Module};
use trident_onnx::export::{ExportError, ExportSettings, export};
use trident_onnx::{OnnxModel, read_value, write_value};

/// Cases that are refused, by what their names contain, and what the error says.
const REFUSED: &[(&str, &str)] = &[("gradient", "training")];

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => models(&path, found),
            false if path.extension().is_some_and(|e| e == "onnx") => found.push(path),
            false => {}
        }
    }
}

/// Verifies the module, and reads back what it prints.
fn check_module(path: &Path, module: &Module) -> Result<(), String> {
    let name = path.display();
    module.verify().map_err(|e| format!("{name}: {e}"))?;
    let mut module = module.clone();
    module.funcs.iter_mut().for_each(Func::renumber);
    match module.to_string().parse::<Module>() {
        Ok(back) if back == module => Ok(()),
        Ok(_) => Err(format!("{name}: its text reads back as another module")),
        Err(e) => Err(format!("{name}: {e}")),
    }
}

#[test]
fn models_of_the_repository_survive_the_text_form() {
    let mut found = vec![];
    models(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")), &mut found);
    assert!(!found.is_empty());
    for path in found {
        check_module(&path, &trident_onnx::load(&path).unwrap().module).unwrap();
    }
}

/// Writes the model and reads it back: the same module. Models with an op that ONNX does not have are none of these.
fn check_export(path: &Path, model: &OnnxModel) -> Result<(), String> {
    let name = path.display();
    // All operators that a version up to the newest one has stay as they are.
    let settings = ExportSettings { opset: Some(28), ..ExportSettings::default() };
    let mut bytes = vec![];
    match export(&model.module, &model.optional, &model.info, &settings) {
        Err(ExportError::NoOperator { .. }) => return Ok(()),
        Err(e) => return Err(format!("{name}: {e}")),
        Ok(file) => file.write(&mut bytes, &|_| {}).map_err(|e| format!("{name}: {e}"))?,
    }
    let back = trident_onnx::parse(bytes.into()).map_err(|e| format!("{name}: back: {e}"))?;
    back.module.verify().map_err(|e| format!("{name}: back: {e}"))?;
    let texts = [&model.module, &back.module].map(|module| normal(&module.funcs[0]));
    match texts[0] == texts[1] && back.optional == model.optional {
        true => Ok(()),
        false => Err(format!("{name}: was\n{}\nand is\n{}", texts[0], texts[1])),
    }
}

/// Checks the module, and reads and writes the values of the case's data sets.
fn check(path: &Path, model: &OnnxModel) -> Result<(), String> {
    check_module(path, &model.module)?;
    check_export(path, model)?;
    let func = model.module.entry().unwrap();
    for (kind, ids) in [("input", &func.body.params), ("output", &func.body.results)] {
        for (i, id) in ids.iter().enumerate() {
            let file = path.with_file_name(format!("test_data_set_0/{kind}_{i}.pb"));
            let Ok(bytes) = std::fs::read(&file) else { continue };
            let ty = func.ty(*id);
            let read = |bytes: Vec<u8>| {
                read_value(bytes.into(), ty).map_err(|e| format!("{}: {e}", file.display()))
            };
            let value = read(bytes)?;
            if read(write_value(&func.info(*id).name, &value, ty))? != value {
                return Err(format!("{}: changes when written and read", file.display()));
            }
        }
    }
    Ok(())
}

#[test]
fn every_conformance_model_loads() {
    let Some(folder) = std::env::var_os("TRIDENT_ONNX_CASES") else {
        println!("TRIDENT_ONNX_CASES is not set: no conformance models to load");
        return;
    };
    let mut found = vec![];
    models(Path::new(&folder), &mut found);
    assert!(!found.is_empty());
    found.sort();
    let mut wrong = vec![];
    for path in &found {
        let name = path.display().to_string();
        let refused = REFUSED.iter().find(|(part, _)| name.contains(part));
        match (trident_onnx::load(path), refused) {
            (Ok(model), None) => wrong.extend(check(path, &model).err()),
            (Err(e), Some((_, says))) if e.to_string().contains(says) => {}
            (Err(e), _) => wrong.push(format!("{name}: {e}")),
            (Ok(_), Some(_)) => wrong.push(format!("{name}: loads, but should be refused")),
        }
    }
    println!("{} models, {} wrong", found.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
