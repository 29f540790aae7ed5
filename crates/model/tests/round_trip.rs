//! Compiled models are what was compiled, and give the same bits.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod common;

use common::{
    Fusing, argument, assorted, compile, cpu, digits, model, read, results, with_default, written,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trident_engine::{Options, Placement, Region, Session};
use trident_ir::Func;
use trident_model::{Compiled, Model};
use trident_runtime::{Device, Queued, QueuedOptions, Value};

/// The compiled model as it must come back: values are numbered anew, and reports are not stored.
fn expected(compiled: &Compiled) -> Compiled {
    let mut expected = compiled.clone();
    for entry in &mut expected.optimized.entries {
        entry.func.renumber();
        entry.overridable.iter_mut().for_each(|original| original.func.renumber());
        entry.passes.clear();
    }
    expected
}

/// Checks the file of a model, and gives it.
fn check(model: trident_onnx::OnnxModel, devices: &[Arc<dyn Device>]) -> Vec<u8> {
    let compiled = compile(model, devices);
    let file = written(&compiled);
    let back = read(&file).unwrap();
    let expected = expected(&compiled);
    assert_eq!(back.optimized, expected.optimized);
    assert_eq!((&back.info, &back.trident), (&expected.info, &expected.trident));
    assert!(file == written(&back), "a file that is written again differs");
    file
}

/// Checks the file of a model, and that both forms give the same.
fn check_results(model: trident_onnx::OnnxModel) {
    let file = check(model.clone(), &cpu());
    let options = Options::default();
    let plain = Model::Source(model.into()).session(&cpu(), &options).unwrap();
    let session = Model::Compiled(read(&file).unwrap()).session(&cpu(), &options).unwrap();
    let shown = |session: &Session| format!("{:?}", session.signature());
    assert_eq!(shown(&session), shown(&plain));
    assert_eq!(session.metadata(), plain.metadata());
    assert_eq!(results(&session), results(&plain));
}

#[test]
fn models_give_the_same_bits() {
    check_results(trident_onnx::load(digits()).unwrap());
    check_results(assorted());
    check_results(with_default());
}

#[test]
fn equal_weights_are_stored_once() {
    let file = check(assorted(), &cpu());
    // One of 80 KiB, in a file with another block, and a header with the graph, of at least a page each.
    assert!((90_000..110_000).contains(&file.len()), "{} bytes", file.len());
}

#[test]
fn inputs_with_defaults_can_be_given() {
    let session = |model: Model| model.session(&cpu(), &Options::default()).unwrap();
    let file = check(with_default(), &cpu());
    let compiled = session(Model::Compiled(read(&file).unwrap()));
    let plain = session(Model::Source(with_default().into()));
    let x = argument(&plain.signature().inputs[0].ty);
    let run = |session: &Session| {
        let results = session.run(&[("x", x.clone()), ("w", x.clone())]).unwrap();
        let Value::Tensor(tensor) = &results[0].1 else { panic!("no tensor") };
        tensor.to_literal().unwrap()
    };
    assert_eq!(run(&compiled), run(&plain));
    assert_eq!(run(&compiled).to_vec::<f32>().unwrap(), [0.0; 40]);
}

/// Files below a folder with this extension.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, extension, found),
            false if path.extension().is_some_and(|e| e == extension) => found.push(path),
            false => {}
        }
    }
}

#[test]
fn functions_of_the_passes_come_back_in_both_forms() {
    let mut found = vec![];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../passes/tests/filetests");
    files(&root, "tir", &mut found);
    let mut count = 0;
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let input = text.split("; check:").next().unwrap_or_default();
        for devices in [cpu(), Fusing::devices()] {
            // Some files show what is refused.
            if Compiled::new(model(input).into(), &devices, &Options::default()).is_ok() {
                check(model(input), &devices);
                count += 1;
            }
        }
    }
    assert!(count > 60, "{count} functions");
}

#[test]
fn cases_of_a_folder_come_back() {
    let Some(folder) = std::env::var_os("TRIDENT_ONNX_CASES") else {
        println!("skipped: TRIDENT_ONNX_CASES names no folder");
        return;
    };
    let (mut found, mut count) = (vec![], 0);
    files(Path::new(&folder), "onnx", &mut found);
    for path in found {
        let Ok(model) = trident_onnx::load(&path) else { continue };
        let compiled = Compiled::new(model.into(), &cpu(), &Options::default());
        let Ok(compiled) = compiled else { continue };
        let back = read(&written(&compiled)).unwrap();
        assert_eq!(back.optimized, expected(&compiled).optimized, "{}", path.display());
        count += 1;
    }
    println!("{count} models");
    assert!(count > 0);
}

#[test]
fn what_a_file_holds_decides() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(digits(), path("digits.mps")).unwrap();
    assert!(matches!(trident_model::load(path("digits.mps")).unwrap(), Model::Source(_)));
    let compiled = compile(trident_onnx::load(digits()).unwrap(), &cpu());
    fs::write(path("digits.onnx"), written(&compiled)).unwrap();
    let loaded = trident_model::load(path("digits.onnx")).unwrap();
    assert_eq!(loaded.info(), &compiled.info);
    assert!(matches!(loaded, Model::Compiled(_)));
}

#[test]
fn functions_keep_their_numbers_of_ops() {
    // Loading does not optimise: what is in the file is what runs.
    let mut compiled =
        compile(model("func @f graph (%x: f32[2]) -> (f32[2]) { return %x }"), &cpu());
    let text = "func @f graph (%x: f32[2]) -> (f32[2]) {
        %n = neg(%x) : f32[2]
        %m = neg(%n) : f32[2]
        %i = identity(%m) : f32[2]
        return %i
    }";
    let entry = &mut compiled.optimized.entries[0];
    entry.func = text.parse::<Func>().unwrap();
    let regions = vec![Region { device: 0, unit: false }];
    entry.placement = Placement { regions, ops: vec![Some(0); 3] };
    let model = Model::Compiled(read(&written(&compiled)).unwrap());
    let session = model.session(&cpu(), &Options::default()).unwrap();
    assert_eq!(session.report(&[]).unwrap().steps.len(), 3);
    assert!(session.passes().is_empty());
}

#[test]
fn regions_that_do_not_fit_are_errors() {
    let text = "func @f graph (%x: f32[2]) -> (f32[2]) {
        %y = sin(%x) : f32[2]
        return %y
    }";
    let compiled = compile(model(text), &cpu());
    let region = |device: usize| vec![Region { device, unit: false }];
    for (regions, ops) in [
        (region(0), vec![]),
        (region(0), vec![Some(1)]),
        (region(0), vec![Some(0), Some(0)]),
        (region(1), vec![Some(0)]),
    ] {
        let mut changed = compiled.clone();
        changed.optimized.entries[0].placement = Placement { regions, ops };
        let model = Model::Compiled(read(&written(&changed)).unwrap());
        let Err(error) = model.session(&cpu(), &Options::default()) else { panic!("it runs") };
        assert!(error.to_string().contains("does not fit the devices"), "{error}");
    }
}

#[test]
fn a_model_of_several_devices_keeps_its_regions() {
    let options = QueuedOptions { share: 50, ..QueuedOptions::default() };
    let queued = Arc::new(Queued::new(cpu().remove(0), options));
    let devices: Vec<Arc<dyn Device>> = vec![queued, cpu().remove(0)];
    for source in [assorted(), trident_onnx::load(digits()).unwrap()] {
        let compiled = compile(source.clone(), &devices);
        let used = compiled.optimized.entries.iter().flat_map(|entry| &entry.placement.regions);
        let used: std::collections::BTreeSet<usize> = used.map(|region| region.device).collect();
        assert_eq!(used.len(), 2);
        let back = read(&written(&compiled)).unwrap();
        for (entry, expected) in back.optimized.entries.iter().zip(&compiled.optimized.entries) {
            assert_eq!(entry.placement, expected.placement);
        }
        let session = Model::Compiled(back).session(&devices, &Options::default()).unwrap();
        let direct =
            Model::Source(source.clone().into()).session(&devices, &Options::default()).unwrap();
        let alone = Model::Source(source.into()).session(&cpu(), &Options::default()).unwrap();
        assert_eq!(results(&session), results(&direct));
        let names = |session| results(session).into_iter().map(|(name, _)| name);
        assert!(names(&session).eq(names(&alone)));
    }
}
