//! Modules after their passes that are not what passes make.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

use std::sync::Arc;
use trident_cpu::CpuDevice;
use trident_engine::{Optimized, Options, PlanError, Session};
use trident_ir::{DType, Func, Module, Type, ValueInfo};
use trident_runtime::Device;

fn devices() -> [Arc<dyn Device>; 1] {
    [Arc::new(CpuDevice::new(1))]
}

/// A function with an optional input, of which passes leave few ops.
fn optimized() -> Optimized {
    let text = "func @f graph (%x: f32[N]) -> (f32[N]) {
        %w = constant {value = f32[1](0.5)}
        %a = exp(%w) : f32[1]
        %b = exp(%a) : f32[1]
        %y = add(%x, %b) : f32[N]
        return %y
    }";
    let module = Module { funcs: vec![text.parse::<Func>().unwrap()], ..Module::default() };
    let optional = vec![ValueInfo { name: "w".into(), ty: Type::fixed(DType::F32, &[1]) }];
    Optimized::new(module, optional, &devices(), &Options::default()).unwrap()
}

#[test]
fn functions_before_their_passes_are_checked_like_others() {
    assert!(Session::from_optimized(optimized(), &devices(), &Options::default()).is_ok());
    let few = Options { max_ops: 3, ..Options::default() };
    let refused = Session::from_optimized(optimized(), &devices(), &few).map(|_| ());
    assert_eq!(refused, Err(PlanError::TooManyOps { limit: 3 }));
}

#[test]
fn declared_inputs_have_the_types_of_the_parameters() {
    for ty in [Type::fixed(DType::I64, &[3]), Type::fixed(DType::F32, &[3, 3])] {
        let mut changed = optimized();
        changed.entries[0].inputs[0].ty = ty;
        let refused = Session::from_optimized(changed, &devices(), &Options::default());
        assert!(matches!(refused.map(|_| ()), Err(PlanError::Malformed { .. })));
    }
    let mut changed = optimized();
    let func = &mut changed.entries[0].overridable.as_mut().unwrap().func;
    let x = func.body.params[0];
    func.values[x.index()].ty = Type::fixed(DType::I64, &[3]);
    let refused = Session::from_optimized(changed, &devices(), &Options::default());
    assert!(refused.is_err());
}
