//! Runs single ops during planning, for constant folding.

use crate::ledger::Ledger;
use std::time::Instant;
use trident_ir::literal::checked_len;
use trident_ir::{Func, Literal, Op};
use trident_runtime::{Device, KernelError, Launch, LaunchLimits, Tensor, Unit, Value, caught};

/// Whether other machines, or other limits, may have the memory.
fn is_shortage(error: &KernelError) -> bool {
    let KernelError::TooLarge { dtype, dims } = error else { return false };
    let bytes = checked_len(dims).and_then(|n| n.checked_mul(dtype.size()));
    bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok())
}

/// Runs an op on the device that folds constants. `None` if the device declines the op, the op fails, or the time limit
/// has passed: the op then stays unchanged and reports its error when the model runs.
pub(crate) fn evaluate(
    device: &dyn Device,
    ledger: &Ledger,
    until: Option<Instant>,
    (func, op, operands): (&Func, &Op, &[Option<Literal>]),
) -> Option<Vec<Option<Literal>>> {
    if until.is_some_and(|t| Instant::now() >= t) {
        return None;
    }
    let pool = ledger.pool();
    let unit = Unit {
        func,
        ops: std::slice::from_ref(op),
        inputs: op.inputs.clone(),
        outputs: op.outputs.clone(),
        // Packing pays off for kernels that run more than once.
        constant: &|_| None,
        pool,
    };
    device.estimate(func, &[op])?;
    let exe = caught(|| device.compile(&unit)).ok()?.ok()?;
    let tensor = |l: &Option<Literal>| match l {
        Some(l) => Tensor::from_literal(pool, l).map(|t| Some(Value::Tensor(t))),
        None => Ok(None),
    };
    let run = || {
        let mut inputs = operands.iter().map(tensor).collect::<Result<Vec<_>, _>>()?;
        let mut launch = Launch {
            inputs: &mut inputs,
            alloc: &mut |_, dtype, dims| Tensor::alloc(pool, dtype, dims),
            pool,
            limits: LaunchLimits::default(),
        };
        let stream = device.stream();
        exe.submit(&*stream, &mut launch, &[])?.wait()
    };
    let results = match KernelError::caught(run) {
        Err(error) if is_shortage(&error) => {
            ledger.note_unfolded(func, op, error);
            return None;
        }
        results => results.ok()?,
    };
    ledger.note_folded(func, op);
    let literal = |value: Option<Value>| match value {
        Some(Value::Tensor(t)) => ledger.literal(&t),
        _ => None,
    };
    Some(results.into_iter().map(literal).collect())
}
