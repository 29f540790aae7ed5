//! Constants.

use super::{Import, Lowered};
use crate::ttir::{Attr, Dense, Op};
use bytes::Bytes;
use trident_ir::{DType, Literal, Type, ops};

impl Import<'_> {
    /// A scalar or a block of one value is a scalar constant, splat; other blocks are constants with all elements.
    pub(super) fn constant(&mut self, op: &Op) -> Lowered {
        let ty = self.result_type(op)?.clone();
        let Some(dtype) = ty.dtype() else {
            return self.wrong_type(op, "the constant", &ty, "numbers");
        };
        let value = op.dict.get("value");
        let (bytes, dims) = match value {
            Some(Attr::Dense(Dense { ty: of, bytes, splat })) => {
                self.typed(op, || "the constant".into(), of, &ty)?;
                (bytes.clone(), if *splat { vec![] } else { ty.dims().unwrap_or_default() })
            }
            Some(&Attr::Int(number, of)) if of == dtype => (little_endian(number, dtype), vec![]),
            Some(&Attr::Float(bits, of)) if of == dtype => {
                (little_endian(bits.cast_signed(), dtype), vec![])
            }
            Some(&Attr::Bool(value)) if dtype == DType::Bool => {
                (little_endian(value.into(), dtype), vec![])
            }
            _ => {
                return self.attribute(
                    op,
                    "value",
                    "a number of the constant's type or `dense<…>`",
                );
            }
        };
        let Ok(literal) = Literal::from_bytes(dtype, dims, bytes) else {
            return self.attribute(op, "value", "as many numbers as the type has elements");
        };
        if literal.dims().is_empty() {
            return Ok(vec![self.full(literal, &ty)]);
        }
        Ok(vec![self.emit(ops::Constant::new().value(literal), ty)])
    }

    /// A scalar or block of an integer.
    pub(super) fn integer(&mut self, value: i64, ty: &Type) -> Option<trident_ir::ValueId> {
        let dtype = ty.dtype()?;
        let literal = Literal::from_bytes(dtype, vec![], little_endian(value, dtype)).ok()?;
        Some(self.full(literal, ty))
    }
}

/// The bytes of one element.
fn little_endian(value: i64, dtype: DType) -> Bytes {
    Bytes::copy_from_slice(&value.to_le_bytes()[..dtype.size().min(8)])
}
