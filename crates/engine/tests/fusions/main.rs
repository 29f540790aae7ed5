//! Fusions at NaN, infinities, zeros, denormal and extreme numbers, against the ops that they replace.
//!
//! Every fusion has cases ([`cases`]). A case runs once as it is and once with this fusion alone, on arguments that hold each
//! special number in each operand in turn, and with constants that hold them wherever the fusion still applies.
//!
//! Results agree if they are both NaN, the same infinity, zeros, or close. A fused result may also be the one that the unfused
//! ops give in f64: a fusion may skip an intermediate result that leaves the range of the type, but must not leave the range
//! where the unfused ops stay within it. For f64 there is no wider type: with extreme numbers, a finite fused result may stand
//! for an infinite or NaN unfused one.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod cases;
mod values;

use cases::{Case, cases};
use std::collections::HashSet;
use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Options, PassOptions, Session};
use trident_ir::rewrite::Context;
use trident_ir::{DType, Literal, Module, Op, ops};
use trident_runtime::{Device, Pool, Value};
use values::{Numbered, Numbers, Special, agree, literal, numbered, rounded, tensor};

const FLOATS: [DType; 4] = [DType::F32, DType::F16, DType::BF16, DType::F64];

/// A module on the CPU without further passes.
struct Program(Session);

impl Program {
    fn new(module: Module) -> Result<Program, String> {
        let devices: [Arc<dyn Device>; 1] = [Arc::new(CpuDevice::new(1))];
        let options = Options { passes: PassOptions::none(), ..Options::default() };
        Session::new(module, &devices, &options).map(Program).map_err(|e| e.to_string())
    }

    fn run(&self, args: &[Value]) -> Result<Vec<Numbered>, String> {
        let Program(session) = self;
        let inputs = session.signature().inputs.iter();
        let names: Vec<String> = inputs.map(|i| i.name.clone()).collect();
        let inputs: Vec<(&str, Value)> =
            names.iter().map(String::as_str).zip(args.iter().cloned()).collect();
        let results = session.run(&inputs).map_err(|e| e.to_string())?;
        Ok(results.iter().map(|(_, v)| numbered(v)).collect())
    }
}

/// Applies the fusion of a case, and nothing else than the case needs for that. `None` if it did not apply.
fn fused(case: &Case, module: &Module) -> Option<Module> {
    let used = |name: &&str| *name == case.pass || case.needs.contains(name);
    let disabled = trident_passes::passes().into_iter().filter(|name| !used(name));
    let disabled: Vec<String> = disabled.map(str::to_owned).collect();
    let cx = Context { evaluate: &|_, _, _| None, disabled: &disabled, part: false };
    let mut module = module.clone();
    let func = &mut module.funcs[0];
    let mut report = trident_passes::canonicalize(func, &cx).unwrap();
    report.add(trident_passes::rewrite(func, trident_passes::fuse::ALL, &cx).unwrap().passes);
    (report.count(case.pass) > 0).then_some(module)
}

/// The float constants that a function uses: where each stands, and its elements.
fn constants(module: &Module) -> Vec<(usize, Literal)> {
    let all = &module.funcs[0].body.ops;
    let used: HashSet<_> = all.iter().flat_map(Op::used).collect();
    let found = all.iter().enumerate().filter_map(|(i, op)| {
        let value = ops::Constant::of(op)?.value();
        let is_used = value.dtype().is_float() && op.defined().any(|v| used.contains(&v));
        is_used.then(|| (i, value.clone()))
    });
    found.collect()
}

fn with_constant(module: &Module, at: usize, value: Literal) -> Module {
    let mut module = module.clone();
    let op: &mut Op = &mut module.funcs[0].body.ops[at];
    ops::Constant::edit(op).unwrap().value(value);
    module
}

/// Some elements made special, from `first` on.
fn placed(values: &[f64], special: f64, first: usize) -> Vec<f64> {
    let mut values = values.to_vec();
    let first = first.min(values.len().saturating_sub(1));
    values.iter_mut().skip(first).step_by(11).for_each(|v| *v = special);
    values
}

/// Arguments, in words, with whether one of them is near the end of its type's range.
struct Arguments {
    words: String,
    values: Vec<Vec<f64>>,
    extreme: bool,
}

impl Arguments {
    /// Tensors for the parameters of `module`, with the values that the types of `narrow` round them to.
    fn tensors(&self, narrow: &Module, module: &Module) -> Vec<Value> {
        let pool = Pool::new();
        let (narrow, func) = (&narrow.funcs[0], &module.funcs[0]);
        let params = narrow.body.params.iter().zip(&func.body.params).zip(&self.values);
        let tensors = params.map(|((narrow_param, param), values)| {
            let dtype = narrow.ty(*narrow_param).dtype().unwrap();
            let values: Vec<f64> = values.iter().map(|v| rounded(dtype, *v)).collect();
            tensor(&pool, func.ty(*param), &values)
        });
        tensors.collect()
    }
}

/// Ordinary arguments, each special number in each operand, and all of them in all operands.
fn arguments(module: &Module) -> Vec<Arguments> {
    let func = &module.funcs[0];
    let mut random = Numbers(17);
    let plain: Vec<Vec<f64>> =
        func.body.params.iter().map(|v| random.elements(func.ty(*v))).collect();
    let mut all = vec![Arguments { words: "plain".into(), values: plain.clone(), extreme: false }];
    let mut mixed = plain.clone();
    for (i, param) in func.body.params.iter().enumerate() {
        let dtype = func.ty(*param).dtype().unwrap();
        if !dtype.is_float() {
            continue;
        }
        for (n, special) in Special::ALL.into_iter().enumerate() {
            for first in [0, 5] {
                let mut values = plain.clone();
                values[i] = placed(&plain[i], special.of(dtype), first);
                let words = format!("{special:?} in operand {i}");
                all.push(Arguments { words, values, extreme: special.is_extreme() });
            }
            let at = (n * 7 + i * 3 + 1) % mixed[i].len();
            mixed[i][at] = special.of(dtype);
        }
    }
    all.push(Arguments { words: "all".into(), values: mixed, extreme: true });
    all
}

/// A case before and after its fusion.
struct Comparison<'a> {
    case: &'a Case,
    module: &'a Module,
    /// The case, with the constants of the module, in f64.
    wide: Module,
    /// Whether a constant is the greatest number of its type.
    extreme: bool,
    what: String,
}

impl<'a> Comparison<'a> {
    fn new(case: &'a Case, module: &'a Module, what: String) -> Comparison<'a> {
        let mut wide = case.module(DType::F64);
        let mut extreme = false;
        for (at, value) in constants(module) {
            let values = value.to_f64s().unwrap();
            let greatest = Special::Greatest.of(value.dtype());
            extreme |= values.iter().any(|v| v.abs() == greatest);
            let value = Literal::vector(&values).with_dims(value.dims().to_vec());
            wide = with_constant(&wide, at, value.unwrap());
        }
        Comparison { case, module, wide, extreme, what }
    }

    /// Runs both forms on all arguments; says where they differ.
    fn run(&self, fused: Module, wrong: &mut Vec<String>) {
        let what = &self.what;
        let text = fused.to_string();
        let unfused = Program::new(self.module.clone()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let fused = Program::new(fused).unwrap_or_else(|e| panic!("{what}: {e}\n{text}"));
        // Some ops have no kernel for f64.
        let wide = Program::new(self.wide.clone()).ok();
        let mut compared = 0;
        for arguments in arguments(self.module) {
            let words = &arguments.words;
            let args = arguments.tensors(self.module, self.module);
            let (expected, found) = match (unfused.run(&args), fused.run(&args)) {
                (Ok(expected), Ok(found)) => (expected, found),
                (Err(_), Err(_)) => continue,
                (e, f) => {
                    wrong.push(format!("{what}, {words}: {:?}, unfused {:?}", f.err(), e.err()));
                    continue;
                }
            };
            compared += 1;
            let args = arguments.tensors(self.module, &self.wide);
            let exact = wide.as_ref().and_then(|program| program.run(&args).ok());
            for (r, (expected, found)) in expected.iter().zip(&found).enumerate() {
                let exact = exact.as_ref().map(|all| &all[r]);
                let extreme = self.extreme || arguments.extreme;
                if let Some(reason) = self.differs(expected, found, exact, extreme) {
                    wrong.push(format!("{what}, {words}: {reason}"));
                }
            }
        }
        assert!(compared > 0, "{what}: no arguments were taken");
    }

    fn differs(
        &self,
        expected: &Numbered,
        found: &Numbered,
        exact: Option<&Numbered>,
        extreme: bool,
    ) -> Option<String> {
        let dtype = expected.dtype;
        assert_eq!((dtype, &expected.dims), (found.dtype, &found.dims), "{}", self.what);
        (0..expected.values.len()).find_map(|i| {
            let (fused, unfused) = (found.values[i], expected.values[i]);
            let exact = exact.map(|all| rounded(dtype, all.values[i]));
            let like = |value: f64| agree(dtype, (self.case.zeros, self.case.units), fused, value);
            let stays = dtype == DType::F64 && extreme && fused.is_finite() && !unfused.is_finite();
            let fits = like(unfused) || exact.is_some_and(like) || stays;
            (!fits).then(|| format!("{fused:?} instead of {unfused:?} at {i} (f64: {exact:?})"))
        })
    }
}

fn check(case: &Case, wrong: &mut Vec<String>) {
    for dtype in FLOATS {
        let module = case.module(dtype);
        let what = format!("{} ({}) in {dtype}", case.pass, case.name);
        let applied = fused(case, &module);
        if applied.is_some() != case.dtypes.contains(&dtype) {
            wrong.push(format!("{what}: applied: {}", applied.is_some()));
        }
        let Some(applied) = applied else { continue };
        Comparison::new(case, &module, what.clone()).run(applied, wrong);
        for (at, value) in constants(&module) {
            let plain = value.to_f64s().unwrap();
            for special in Special::ALL {
                let number = special.of(value.dtype());
                let values = placed(&plain, number, plain.len() / 2);
                let changed = with_constant(&module, at, literal(&value, &values));
                if let Some(applied) = fused(case, &changed) {
                    let what = format!("{what} with {special:?} in constant {at}");
                    Comparison::new(case, &changed, what).run(applied, wrong);
                }
            }
        }
    }
}

#[test]
fn every_fusion_has_cases() {
    let known: HashSet<&str> = cases().iter().map(|case| case.pass).collect();
    let all: HashSet<&str> = trident_passes::fusions().into_iter().collect();
    let missing: Vec<&&str> = all.difference(&known).collect();
    let unknown: Vec<&&str> = known.difference(&all).collect();
    assert!(missing.is_empty(), "fusions without a case: {missing:?}");
    assert!(unknown.is_empty(), "cases of fusions that do not exist: {unknown:?}");
}

#[test]
fn special_numbers_are_the_same_fused() {
    let mut wrong = vec![];
    cases().iter().for_each(|case| check(case, &mut wrong));
    let count = wrong.len();
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{count} differ:\n{}", wrong.join("\n"));
}
