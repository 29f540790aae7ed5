//! Passes keep what functions mean: the file tests of the pass crate, run with and without passes.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Options, PassOptions, Session};
use trident_ir::element::B8;
use trident_ir::{DType, Dim, Module, Type};
use trident_runtime::{Device, Pool, Tensor, Value};

/// The functions of the file tests that can run: those without random numbers.
fn functions() -> Vec<(PathBuf, Module)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../passes/tests/filetests");
    let mut found = vec![];
    for folder in ["simplify", "recognise", "fuse"] {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let input = text.split("; check:").next().unwrap_or_default();
            let module: Module = input.parse().unwrap();
            let mut random = false;
            module.funcs[0].body.walk(&mut |op| random |= !op.decl().is_deterministic());
            if !random {
                found.push((path, module));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// A number from −2 to 2 for each draw.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 4_194_304.0 - 2.0
    }
}

/// A tensor of a parameter's type; dimensions that are names are 3. `odd`: some elements are not finite numbers.
fn argument(pool: &Pool, ty: &Type, numbers: &mut Numbers, odd: bool) -> Value {
    let size = |d: &Dim| d.fixed().unwrap_or(3);
    let dims: Vec<usize> = ty.shape().unwrap().iter().map(size).collect();
    let count = dims.iter().product();
    let mut next = || numbers.next();
    let tensor = match ty.dtype().unwrap() {
        DType::F32 => {
            let mut values: Vec<f32> = (0..count).map(|_| next()).collect();
            if odd {
                let specials = [f32::INFINITY, f32::NAN, f32::NEG_INFINITY, -0.0];
                for (i, v) in values.iter_mut().step_by(5).enumerate() {
                    *v = specials[i % specials.len()];
                }
            }
            Tensor::from_slice(pool, &dims, &values)
        }
        DType::F16 => {
            let values: Vec<_> = (0..count).map(|_| half::f16::from_f32(next())).collect();
            Tensor::from_slice(pool, &dims, &values)
        }
        DType::U8 => {
            let values: Vec<_> = (0..count).map(|_| (next() * 63.0 + 127.0) as u8).collect();
            Tensor::from_slice(pool, &dims, &values)
        }
        DType::I8 => {
            let values: Vec<_> = (0..count).map(|_| (next() * 63.0) as i8).collect();
            Tensor::from_slice(pool, &dims, &values)
        }
        DType::Bool => {
            let values: Vec<_> = (0..count).map(|_| B8::from(next() > -1.0)).collect();
            Tensor::from_slice(pool, &dims, &values)
        }
        DType::I64 => Tensor::from_slice(pool, &dims, &vec![3i64; count]),
        other => panic!("no arguments of type {other}"),
    };
    Value::Tensor(tensor.unwrap())
}

fn run(module: &Module, args: &[Value], passes: PassOptions) -> Vec<Value> {
    let devices: Vec<Arc<dyn Device>> = vec![Arc::new(CpuDevice::new(2))];
    let options = Options { passes, ..Options::default() };
    let session = Session::new(module.clone(), &devices, &options).unwrap();
    let names: Vec<String> = session.signature().inputs.iter().map(|i| i.name.clone()).collect();
    let inputs: Vec<(&str, Value)> =
        names.iter().map(String::as_str).zip(args.iter().cloned()).collect();
    session.run(&inputs).unwrap().into_iter().map(|(_, v)| v).collect()
}

/// Elements as numbers.
fn numbers(value: &Value) -> (Vec<usize>, Vec<f64>) {
    let Value::Tensor(t) = value else { panic!("no tensor") };
    let values = match t.dtype() {
        DType::F32 => t.slice::<f32>().unwrap().iter().map(|v| f64::from(*v)).collect(),
        DType::F16 => t.slice::<half::f16>().unwrap().iter().map(|v| f64::from(*v)).collect(),
        _ => t.to_i64s().unwrap().into_iter().map(|v| v as f64).collect(),
    };
    (t.dims().to_vec(), values)
}

fn compare(odd: bool) {
    let pool = Pool::new();
    let functions = functions();
    assert!(functions.len() > 25, "{} functions", functions.len());
    let mut wrong = vec![];
    for (path, module) in functions {
        let func = &module.funcs[0];
        let mut random = Numbers(17);
        let args: Vec<Value> = func
            .body
            .params
            .iter()
            .map(|v| argument(&pool, func.ty(*v), &mut random, odd))
            .collect();
        let with = run(&module, &args, PassOptions::default());
        let without = run(&module, &args, PassOptions::none());
        for (a, b) in with.iter().zip(&without) {
            let ((dims, a), (expected, b)) = (numbers(a), numbers(b));
            assert_eq!(dims, expected, "{}", path.display());
            let close = |(a, b): (&f64, &f64)| {
                a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-5 + 1e-5 * b.abs()
            };
            if let Some((x, y)) = a.iter().zip(&b).find(|p| !close(*p)) {
                wrong.push(format!("{}: {x} instead of {y}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn results_are_the_same_up_to_rounding() {
    compare(false);
}

#[test]
fn infinities_and_nan_are_the_same() {
    compare(true);
}
