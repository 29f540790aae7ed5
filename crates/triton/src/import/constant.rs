//! Constants.

use super::{Import, Lowered};
use crate::syntax::{Attr, Number, Op};
use crate::{Failure, Fault};
use bytes::Bytes;
use half::{bf16, f16};
use trident_ir::element::{F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
use trident_ir::{DType, Literal, OpKind, Type};

impl Import<'_, '_> {
    /// A scalar or a block of one value is a scalar constant, splat; other blocks are constants with all elements.
    pub(super) fn constant(&mut self, op: &Op<'_>) -> Lowered {
        let ty = self.result_type(op)?;
        let value = op.attrs.get("value");
        let dtype = match ty.dtype() {
            Some(dtype) => dtype,
            None => return self.wrong_type(op, "the constant", ty, "numbers"),
        };
        let value = match value {
            Some(Attr::Dense(value, _)) => value,
            Some(value) => value,
            None => return self.attribute(op, "value", "a number or `dense<…>`"),
        };
        let mut bytes = vec![];
        let literal = match value {
            Attr::List(_) => {
                self.elements(op, dtype, value, &mut bytes)?;
                Literal::from_bytes(dtype, ty.dims().unwrap_or_default(), Bytes::from(bytes))
            }
            Attr::Str(hex) => {
                let digits = hex.strip_prefix("0x").unwrap_or(hex);
                let byte = |i: usize| u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok();
                let blob: Option<Vec<u8>> = (0..digits.len() / 2).map(byte).collect();
                match blob {
                    Some(blob) if dtype != DType::Bool => {
                        Literal::from_bytes(dtype, ty.dims().unwrap_or_default(), blob.into())
                    }
                    _ => return self.attribute(op, "value", "hexadecimal bytes of numbers"),
                }
            }
            scalar => {
                self.elements(op, dtype, scalar, &mut bytes)?;
                let literal = Literal::from_bytes(dtype, vec![], Bytes::from(bytes));
                let Ok(literal) = literal else {
                    return self.attribute(op, "value", "a number of the type");
                };
                return Ok(vec![self.full(literal, &ty.clone())]);
            }
        };
        match literal {
            Ok(literal) => {
                let value = ("value", trident_ir::Attr::Tensor(literal));
                Ok(vec![self.emit(OpKind::Constant, &[], &[value], ty.clone())])
            }
            Err(_) => self.attribute(op, "value", "as many numbers as the type has elements"),
        }
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
                None => self.fail(Fault::Number {
                    text: number.spelling(),
                    what: format!("element of type {dtype}"),
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
