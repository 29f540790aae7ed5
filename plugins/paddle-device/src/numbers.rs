//! Elements as numbers, for the kernels that compute on the processor.

use crate::argument::Operand;
use crate::failure::Failure;
use half::{bf16, f16};
use trident_ir::DType;

fn unsupported(operand: &Operand) -> Failure {
    Failure::unimplemented(format!("a result of type {} is not supported", operand.element))
}

/// Writes a number to each element of a result.
///
/// # Errors
/// If its element type has no numbers.
pub(crate) fn numbers(out: &Operand, value: &dyn Fn(usize) -> f64) -> Result<(), Failure> {
    let memory = out.memory;
    match out.element.dtype() {
        Some(DType::F64) => memory.generate(|at| value(at).to_le_bytes()),
        Some(DType::F32) => memory.generate(|at| (value(at) as f32).to_le_bytes()),
        Some(DType::F16) => memory.generate(|at| f16::from_f64(value(at)).to_le_bytes()),
        Some(DType::BF16) => memory.generate(|at| bf16::from_f64(value(at)).to_le_bytes()),
        _ => return Err(unsupported(out)),
    }
    Ok(())
}

/// Writes a whole number to each element of a result.
///
/// # Errors
/// If its element type has no numbers.
pub(crate) fn integers(out: &Operand, value: &dyn Fn(usize) -> i64) -> Result<(), Failure> {
    match out.element.dtype() {
        Some(DType::I64) => out.memory.generate(|at| value(at).to_le_bytes()),
        Some(DType::I32) => out.memory.generate(|at| (value(at) as i32).to_le_bytes()),
        Some(DType::U8) => out.memory.generate(|at| [value(at) as u8]),
        _ => return numbers(out, &|at| value(at) as f64),
    }
    Ok(())
}

/// The elements of an operand as numbers.
///
/// # Errors
/// If its element type has no numbers.
pub(crate) fn elements(operand: &Operand) -> Result<Vec<f64>, Failure> {
    let bytes = operand.memory.copied();
    Ok(match operand.element.dtype() {
        Some(DType::F64) => bytes.as_chunks().0.iter().map(|it| f64::from_le_bytes(*it)).collect(),
        Some(DType::F32) => {
            bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it).into()).collect()
        }
        Some(DType::F16) => {
            bytes.as_chunks().0.iter().map(|it| f16::from_le_bytes(*it).into()).collect()
        }
        Some(DType::BF16) => {
            bytes.as_chunks().0.iter().map(|it| bf16::from_le_bytes(*it).into()).collect()
        }
        Some(DType::I32) => {
            bytes.as_chunks().0.iter().map(|it| i32::from_le_bytes(*it).into()).collect()
        }
        Some(DType::I64) => {
            bytes.as_chunks().0.iter().map(|it| i64::from_le_bytes(*it) as f64).collect()
        }
        Some(DType::I16) => {
            bytes.as_chunks().0.iter().map(|it| i16::from_le_bytes(*it).into()).collect()
        }
        Some(DType::I8) => bytes.iter().map(|it| f64::from(*it as i8)).collect(),
        Some(DType::U8) => bytes.iter().map(|it| f64::from(*it)).collect(),
        Some(DType::Bool) => bytes.iter().map(|it| f64::from(u8::from(*it != 0))).collect(),
        _ => return Err(Failure::unimplemented(format!("{operand} is not supported"))),
    })
}

/// The elements of an operand of integers.
///
/// # Errors
/// If it has another element type.
pub(crate) fn wholes(operand: &Operand) -> Result<Vec<i64>, Failure> {
    let bytes = operand.memory.copied();
    Ok(match operand.element.dtype() {
        Some(DType::I64) => bytes.as_chunks().0.iter().map(|it| i64::from_le_bytes(*it)).collect(),
        Some(DType::I32) => {
            bytes.as_chunks().0.iter().map(|it| i32::from_le_bytes(*it).into()).collect()
        }
        _ => return Err(Failure::unimplemented(format!("{operand} is not of integers"))),
    })
}
