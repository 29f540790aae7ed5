//! Python values as the bits that a kernel's parameter takes.

use crate::unfit::{Result, Unfit};
use half::{bf16, f16};
use pyo3::exceptions::PyOverflowError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat};
use trident_ir::{DType, Type};

/// The kind of argument that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An address of elements of this type.
    Pointer(DType),
    Bool,
    /// An integer of this many bits, signed or not.
    Int(u32),
    F16,
    BF16,
    F32,
    F64,
}

impl Kind {
    /// The kind for a parameter of this type; `None` for types without a Python value.
    pub(crate) fn of(ty: &Type) -> Option<Kind> {
        match ty {
            Type::Pointer(p) if p.shape.as_ref().is_none_or(|s| s.is_empty()) => {
                Some(Kind::Pointer(p.to))
            }
            Type::Tensor(t) if t.shape.as_ref().is_some_and(|s| s.is_empty()) => match t.dtype {
                DType::Bool => Some(Kind::Bool),
                DType::I8 | DType::U8 => Some(Kind::Int(8)),
                DType::I16 | DType::U16 => Some(Kind::Int(16)),
                DType::I32 | DType::U32 => Some(Kind::Int(32)),
                DType::I64 | DType::U64 => Some(Kind::Int(64)),
                DType::F16 => Some(Kind::F16),
                DType::BF16 => Some(Kind::BF16),
                DType::F32 => Some(Kind::F32),
                DType::F64 => Some(Kind::F64),
                _ => None,
            },
            _ => None,
        }
    }

    /// The bits of a number. Integers have to fit, as signed or unsigned ones; floats are rounded to nearest even.
    pub(crate) fn pack(self, value: &Bound<'_, PyAny>) -> Result<u64> {
        Ok(match self {
            Kind::Bool => u64::from(truth(value)?),
            Kind::Int(bits) => integer(value, bits)?,
            Kind::F64 => float(value)?.to_bits(),
            Kind::F32 => u64::from((float(value)? as f32).to_bits()),
            Kind::F16 => u64::from(f16::from_f64(float(value)?).to_bits()),
            Kind::BF16 => u64::from(bf16::from_f64(float(value)?).to_bits()),
            Kind::Pointer(_) => return Err(Unfit::mismatch(value, "an array")),
        })
    }
}

/// A bool, or an integer that is not 0.
fn truth(value: &Bound<'_, PyAny>) -> Result<bool> {
    let number = || value.extract::<i128>().map(|n| n != 0);
    value.extract().or_else(|_: PyErr| number()).map_err(|_| Unfit::mismatch(value, "a bool"))
}

fn float(value: &Bound<'_, PyAny>) -> Result<f64> {
    if let Ok(float) = value.cast_exact::<PyFloat>() {
        return Ok(float.value());
    }
    // NumPy's complex numbers become floats by losing their imaginary parts.
    let dtype = value.getattr(intern!(value.py(), "dtype"));
    let complex = value.is_instance_of::<PyComplex>()
        || dtype.is_ok_and(|dtype| dtype.to_string().contains("complex"));
    if complex {
        return Err(Unfit::mismatch(value, "a number"));
    }
    value.extract().map_err(|error: PyErr| {
        match error.is_instance_of::<PyOverflowError>(value.py()) {
            true => Unfit::Overflow("is outside of the range of floats".into()),
            false => Unfit::mismatch(value, "a number"),
        }
    })
}

fn integer(value: &Bound<'_, PyAny>, bits: u32) -> Result<u64> {
    let signed: PyResult<i64> = value.extract();
    let number = match signed {
        Ok(n) => Some(i128::from(n)),
        Err(e) if e.is_instance_of::<PyOverflowError>(value.py()) => {
            value.extract::<u64>().ok().map(i128::from)
        }
        Err(_) => return Err(Unfit::mismatch(value, "an integer")),
    };
    let (least, greatest) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
    let fitting = number.filter(|n| (least..=greatest).contains(n));
    fitting
        .map(|n| n as u64)
        .ok_or_else(|| Unfit::beyond(value, &format!("i{bits}"), least, greatest))
}
