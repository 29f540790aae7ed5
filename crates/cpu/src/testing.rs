//! Runs one op on the device, for the tests beside the ops.

use crate::CpuDevice;
use std::sync::Arc;
use trident_ir::{Attr, Element, Func, Level, OpKind, Type, generic};
use trident_runtime::{
    Device, Executable, Immediate, KernelError, Launch, LaunchLimits, Pool, Tensor, Unit, Value,
};

/// A tensor of the given elements.
pub(crate) fn tensor<T: Element>(dims: &[usize], values: &[T]) -> Value {
    Tensor::from_slice(&Pool::new(), dims, values).unwrap().into()
}

/// A tensor of strings.
pub(crate) fn strings(dims: &[usize], values: &[&str]) -> Value {
    Tensor::from_strings(dims, values.iter().map(|s| s.to_string()).collect()).unwrap().into()
}

/// An absent operand.
pub(crate) const ABSENT: Option<Value> = None;

fn type_of(value: &Value) -> Type {
    match value {
        Value::Tensor(t) => t.ty(),
        Value::Seq(items) => Type::Seq(Box::new(
            items.first().map_or(Type::unranked(trident_ir::DType::F32), type_of),
        )),
        Value::Optional(v) => Type::Optional(Box::new(
            v.as_ref().map_or(Type::unranked(trident_ir::DType::F32), |v| type_of(v)),
        )),
        Value::Map(m) => Type::Map(m.keys.dtype(), Box::new(m.values.ty())),
    }
}

/// The results of one op with `results` results on `threads` threads. Operands are not constant.
pub(crate) fn run_on(
    threads: usize,
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    inputs: Vec<Option<Value>>,
    results: usize,
) -> Result<Vec<Value>, KernelError> {
    run_in(&Pool::new(), threads, kind, attrs, inputs, results)
}

/// Like [`run_on`], with memory of a pool.
pub(crate) fn run_in(
    pool: &Pool,
    threads: usize,
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    inputs: Vec<Option<Value>>,
    results: usize,
) -> Result<Vec<Value>, KernelError> {
    let types: Vec<_> = inputs.iter().map(|v| v.as_ref().map(type_of)).collect();
    let exe = compile(pool, threads, kind, attrs, types, results)?;
    launch(pool, &*exe, inputs)
}

/// The single results of one compiled kernel for several calls in turn. All operands are present; they may differ in
/// their dimensions, but not in their element types.
pub(crate) fn run_in_turn(
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    calls: Vec<Vec<Value>>,
) -> Result<Vec<Value>, KernelError> {
    let pool = Pool::new();
    let unranked = |v: &Value| Some(Type::unranked(v.as_tensor().unwrap().dtype()));
    let types = calls[0].iter().map(unranked).collect();
    let exe = compile(&pool, 1, kind, attrs, types, 1)?;
    let call = |inputs: Vec<Value>| {
        Ok(launch(&pool, &*exe, inputs.into_iter().map(Some).collect())?.swap_remove(0))
    };
    calls.into_iter().map(call).collect()
}

/// The kernel of one op with operands of these types; `None` stands for an absent one.
fn compile(
    pool: &Pool,
    threads: usize,
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    types: Vec<Option<Type>>,
    results: usize,
) -> Result<Arc<dyn Executable>, KernelError> {
    let mut func = Func::new("test", Level::Graph);
    let operands: Vec<_> = types
        .into_iter()
        .enumerate()
        .map(|(i, ty)| ty.map(|ty| func.value(format!("in{i}"), ty)))
        .collect();
    let outputs: Vec<_> = (0..results)
        .map(|i| Some(func.value(format!("out{i}"), Type::unranked(trident_ir::DType::F32))))
        .collect();
    let mut op = generic::op(kind, operands.clone(), attrs).unwrap();
    op.outputs.clone_from(&outputs);
    // Where the types do not follow, the op is refused or fails, as the test expects.
    for (id, ty) in outputs.iter().zip(func.result_types(&op).unwrap_or_default()) {
        if let (Some(id), Some(dtype)) = (id, ty.and_then(|ty| ty.dtype())) {
            func.values[id.index()].ty = Type::unranked(dtype);
        }
    }
    let unit = Unit {
        func: &func,
        ops: std::slice::from_ref(&op),
        inputs: operands,
        outputs,
        constant: &|_| None,
        pool,
    };
    let exe = CpuDevice::new(threads).compile(&unit);
    exe.map_err(|declined| KernelError::domain(declined.to_string()))
}

/// The results of a kernel for these operands.
fn launch(
    pool: &Pool,
    exe: &dyn Executable,
    mut inputs: Vec<Option<Value>>,
) -> Result<Vec<Value>, KernelError> {
    let mut launch = Launch {
        inputs: &mut inputs,
        alloc: &mut |_, dtype, dims| Tensor::alloc(pool, dtype, dims),
        pool,
        limits: LaunchLimits::default(),
    };
    let results = exe.submit(&Immediate, &mut launch, &[])?.wait()?;
    Ok(results.into_iter().map(|v| v.expect("every result that was asked for")).collect())
}

/// The only result of an op whose operands are all present.
pub(crate) fn run(
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    inputs: Vec<Value>,
) -> Result<Value, KernelError> {
    let inputs = inputs.into_iter().map(Some).collect();
    Ok(run_on(1, kind, attrs, inputs, 1)?.swap_remove(0))
}

/// The elements of a result.
pub(crate) fn elements<T: Element>(value: &Value) -> Vec<T> {
    value.as_tensor().unwrap().slice::<T>().unwrap().to_vec()
}
