//! Runs one op on the device, for the tests beside the ops.

use crate::CpuDevice;
use trident_ir::{Attr, Element, Func, Level, Op, OpKind, Type};
use trident_runtime::{
    Device, Immediate, KernelError, Launch, LaunchLimits, Pool, Tensor, Unit, Value,
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

/// As [`run_on`], with memory of a pool.
pub(crate) fn run_in(
    pool: &Pool,
    threads: usize,
    kind: OpKind,
    attrs: &[(&'static str, Attr)],
    inputs: Vec<Option<Value>>,
    results: usize,
) -> Result<Vec<Value>, KernelError> {
    let mut func = Func::new("test", Level::Graph);
    let operands: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(i, v)| v.as_ref().map(|v| func.value(format!("in{i}"), type_of(v))))
        .collect();
    let outputs: Vec<_> = (0..results)
        .map(|i| Some(func.value(format!("out{i}"), Type::unranked(trident_ir::DType::F32))))
        .collect();
    let mut op = Op::new(kind, operands.clone(), outputs.clone());
    for (name, value) in attrs {
        op.attrs.set(name, value.clone());
    }
    let unit = Unit {
        func: &func,
        ops: std::slice::from_ref(&op),
        inputs: operands,
        outputs,
        constant: &|_| None,
        pool,
    };
    let exe = CpuDevice::new(threads)
        .compile(&unit)
        .map_err(|declined| KernelError::domain(declined.to_string()))?;
    let mut inputs = inputs;
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
