//! Runs compiled functions on Paddle's tensors, in place.

use std::fmt::Write;

use trident_engine::RunContext;
use trident_ir::DType;
use trident_runtime::{Tensor, Value};

use crate::abi::memory::{Loan, TensorMemory};
use crate::argument::Operand;
use crate::compiled::{Call, Function};
use crate::element::Element;
use crate::extents::{Extents, Sizes};
use crate::failure::Failure;

/// The call in words, for errors: `add(x: f32[2, 3], y: f32[3])`.
pub(crate) fn described(call: &Call<'_>) -> String {
    let mut text = format!("{}(", call.kernel.name);
    for (i, (name, argument)) in call.arguments.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{name}: {argument}");
    }
    text.push(')');
    text
}

/// Runs a function on the inputs of a call. Results are written to the memory of `results`, which may be that of inputs.
///
/// # Errors
/// If shapes do not fit, a value is outside of what the kernel is defined for, or memory is too little.
pub(crate) fn run(
    loan: &Loan,
    function: &Function,
    call: &Call<'_>,
    results: &[Operand],
) -> Result<(), Failure> {
    let session = function.session();
    let signature = session.signature();
    let operands = || call.arguments.iter().flat_map(|(_, argument)| argument.operands());
    let inputs = inputs(loan, function, call)?;
    // Results that the run may write where they belong.
    let mut bound = Vec::with_capacity(results.len());
    for (operand, output) in results.iter().zip(&signature.outputs) {
        let (dtype, sizes, memory) = tensor(operand)?;
        // A result in place of an input is written when the inputs have been read.
        if sizes.count > 0 && !operands().any(|other| other.memory.overlaps(&memory)) {
            let tensor = session.in_foreign(dtype, sizes.dims(), loan.writable(memory))?;
            bound.push((output.name.clone(), tensor));
        }
    }
    let context = RunContext { outputs: bound, ..RunContext::default() };
    let (values, _) = session.run_unnamed(inputs, context)?;
    // A kernel may have taken the memory and given its result elsewhere.
    results.iter().zip(values).try_for_each(|(operand, value)| store(operand, value))
}

/// The inputs of a function: the tensors of a call.
fn inputs<'f>(
    loan: &Loan,
    function: &'f Function,
    call: &Call<'_>,
) -> Result<Vec<(&'f str, Value)>, Failure> {
    let session = function.session();
    let operands = call.arguments.iter().flat_map(|(_, argument)| argument.operands());
    let given = operands.zip(&session.signature().inputs);
    let given = given.map(|(operand, input)| {
        let (dtype, sizes, memory) = tensor(operand)?;
        let tensor = session.in_foreign(dtype, sizes.dims(), loan.readable(memory))?;
        Ok((&*input.name, Value::Tensor(tensor)))
    });
    given.collect()
}

/// A result whose size depends on values: its type and its elements.
pub(crate) struct Found {
    /// The element type.
    pub(crate) element: Element,
    /// The dimensions.
    pub(crate) dims: Extents,
    /// The bytes of the elements.
    pub(crate) bytes: Vec<u8>,
}

/// Runs a function whose results have sizes that depend on values. The results are copies, which outlive the loan of the inputs.
///
/// # Errors
/// As for [`run`].
pub(crate) fn find(
    loan: &Loan,
    function: &Function,
    call: &Call<'_>,
) -> Result<Vec<Found>, Failure> {
    let given = inputs(loan, function, call)?;
    let (values, _) = function.session().run_unnamed(given, RunContext::default())?;
    let found = values.iter().map(|value| {
        let tensor = value.as_tensor().ok_or_else(|| Failure::fatal("a result is not a tensor"))?;
        let (dims, element) = (tensor.dims(), Element::named(tensor.dtype().name()));
        let extents = Extents::new(dims.len() as i64, |axis| dims[axis] as i64);
        let (Some(element), Some(dims)) = (element, extents) else {
            return Err(Failure::fatal(format!("Paddle has no {}", tensor.ty())));
        };
        Ok(Found { element, dims, bytes: tensor.bytes()?.to_vec() })
    });
    found.collect()
}

/// The type, sizes and memory of an operand.
fn tensor(operand: &Operand) -> Result<(DType, Sizes<'_>, TensorMemory), Failure> {
    let dtype = operand.element.dtype();
    let dtype =
        dtype.ok_or_else(|| Failure::unimplemented(format!("{operand} is not supported")))?;
    let sizes = operand.dims.sizes();
    let sizes = sizes.ok_or_else(|| Failure::invalid(format!("{operand} has unknown sizes")))?;
    let bytes = sizes.count.checked_mul(operand.element.size());
    let bytes = bytes.ok_or_else(|| Failure::exhausted(operand.to_string()))?;
    if bytes != operand.memory.len() {
        return Err(Failure::invalid(format!("{operand} has no memory")));
    }
    Ok((dtype, sizes, operand.memory))
}

/// Writes a result to its memory, unless it is there.
fn store(operand: &Operand, value: Value) -> Result<(), Failure> {
    let Some(tensor) = value.as_tensor() else {
        return Err(Failure::fatal("a result is not a tensor"));
    };
    let fits = |tensor: &Tensor| {
        let dims = operand.dims.as_slice().iter().map(|dim| usize::try_from(*dim).ok());
        Some(tensor.dtype()) == operand.element.dtype()
            && dims.eq(tensor.dims().iter().map(|dim| Some(*dim)))
    };
    if !fits(tensor) {
        let text = format!("the result is {}, and Paddle expects {operand}", tensor.ty());
        return Err(Failure::invalid(text));
    }
    let bytes = tensor.bytes()?;
    match operand.memory.is_at(bytes) {
        true => Ok(()),
        false if operand.memory.overlaps_bytes(bytes) => {
            let copy = bytes.to_vec();
            drop(value);
            operand.memory.write(&copy);
            Ok(())
        }
        false => {
            operand.memory.write(bytes);
            Ok(())
        }
    }
}
