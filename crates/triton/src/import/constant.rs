//! Constants.

use super::{Import, Lowered};
use crate::syntax::{Attr, Number, Op};
use crate::{ErrorKind, Failure};
use bytes::Bytes;
use half::{bf16, f16};
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use trident_ir::{DType, Literal, Type, ops};

impl Import<'_, '_> {
    /// A scalar or a block of one value is a scalar constant, splat; other blocks are constants with all elements.
    pub(super) fn constant(&mut self, op: &Op<'_>) -> Lowered {
        let ty = self.result_type(op)?.clone();
        let Some(dtype) = ty.dtype() else {
            return self.wrong_type(op, "the constant", &ty, "numbers");
        };
        let value = match op.dict.get("value") {
            Some(Attr::Dense(value, of)) => {
                self.typed(op, || "the constant".into(), of, &ty)?;
                value
            }
            Some(value) => value,
            None => return self.attribute(op, "value", "a number or `dense<…>`"),
        };
        let mut bytes = vec![];
        let dims = match value {
            Attr::Str(digits) if dtype != DType::Bool => {
                let Some(()) = hexadecimal(digits, &mut bytes) else {
                    return self.attribute(op, "value", "hexadecimal bytes");
                };
                ty.dims().unwrap_or_default()
            }
            list_or_scalar => {
                self.elements(op, dtype, list_or_scalar, &mut bytes)?;
                match list_or_scalar {
                    Attr::List(_) => ty.dims().unwrap_or_default(),
                    _ => vec![],
                }
            }
        };
        let Ok(literal) = Literal::from_bytes(dtype, dims, Bytes::from(bytes)) else {
            return self.attribute(op, "value", "as many numbers as the type has elements");
        };
        if literal.dims().is_empty() {
            return Ok(vec![self.full(literal, &ty)]);
        }
        Ok(vec![self.emit(ops::Constant::new().value(literal), ty)])
    }

    /// Appends the bytes of all elements. The parser bounds how deep lists nest.
    fn elements(
        &self,
        op: &Op<'_>,
        dtype: DType,
        value: &Attr<'_>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        match value {
            Attr::List(items) => {
                items.iter().try_for_each(|item| self.elements(op, dtype, item, bytes))
            }
            Attr::Bool(v) if dtype == DType::Bool => {
                bytes.push((*v).into());
                Ok(())
            }
            Attr::Number(number) => match element(dtype, number, bytes) {
                Some(()) => Ok(()),
                None => self.fail(ErrorKind::Number {
                    text: number.spelling(),
                    what: format!("an element of type {dtype}"),
                }),
            },
            _ => self.attribute(op, "value", "numbers"),
        }
    }

    /// A scalar or block of an integer.
    pub(super) fn integer(&mut self, value: i64, ty: &Type) -> Option<trident_ir::ValueId> {
        let dtype = ty.dtype()?;
        let mut bytes = value.to_le_bytes().to_vec();
        bytes.truncate(dtype.size());
        let literal = Literal::from_bytes(dtype, vec![], Bytes::from(bytes)).ok()?;
        Some(self.full(literal, ty))
    }
}

/// Appends the bytes that pairs of digits spell.
fn hexadecimal(digits: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    for i in (0..digits.len()).step_by(2) {
        bytes.push(u8::from_str_radix(digits.get(i..i + 2)?, 16).ok()?);
    }
    Some(())
}

/// Appends the bytes of one element. Digits after `0x` are the bits of a float; other numbers round to nearest even.
fn element(dtype: DType, number: &Number<'_>, bytes: &mut Vec<u8>) -> Option<()> {
    let bits = 8 * dtype.size();
    let hex = number.text.strip_prefix("0x");
    if dtype.is_float() && hex.is_none() {
        let x: f64 = number.text.parse().ok()?;
        let x = if number.negative { -x } else { x };
        match dtype {
            DType::F64 => bytes.extend(x.to_le_bytes()),
            DType::F32 => bytes.extend((x as f32).to_le_bytes()),
            DType::F16 => bytes.extend(f16::from_f64(x).to_le_bytes()),
            DType::BF16 => bytes.extend(bf16::from_f64(x).to_le_bytes()),
            DType::F8E4M3FN => bytes.push(F8E4M3FN::from_f64(x, false).0),
            DType::F8E5M2 => bytes.push(F8E5M2::from_f64(x, false).0),
            DType::F8E4M3FNUZ => bytes.push(F8E4M3FNUZ::from_f64(x, false).0),
            DType::F8E5M2FNUZ => bytes.push(F8E5M2FNUZ::from_f64(x, false).0),
            _ => return None,
        }
        return Some(());
    }
    let value = number.integer()?;
    let (least, most) = match dtype {
        DType::Bool => (-1, 1),
        _ if dtype.is_float() => (0, (1i128 << bits) - 1),
        _ if dtype.is_int() => (-(1i128 << (bits - 1)), (1i128 << bits) - 1),
        _ => return None,
    };
    if !(least..=most).contains(&value) {
        return None;
    }
    let value = if dtype == DType::Bool { value & 1 } else { value };
    bytes.extend(&value.to_le_bytes()[..dtype.size()]);
    Some(())
}
