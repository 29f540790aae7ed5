//! Casts after casts that lost nothing, and functions that undo or repeat themselves.

use crate::rewrite::{Change, Rewriter, operand};
use trident_ir::{DType, Op, OpKind as K, ops};

/// Cast(Cast(x)) where the inner one is exact, Not(Not(x)), Neg(Neg(x)), Relu(Relu(x)).
pub(super) fn cast(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let middle = operand(op)?;
    let inner = cx.made_by(middle, op.kind)?;
    let x = operand(&inner)?;
    match op.kind {
        K::Not | K::Neg => Some(Change::Values(vec![Some(x)])),
        K::Relu => Some(Change::Values(vec![Some(middle)])),
        K::Cast => {
            let (from, via, to) =
                (cx.dtype(x)?, ops::Cast::of(&inner)?.to(), ops::Cast::of(op)?.to());
            if !exact(from, via) {
                return None;
            }
            if from == to {
                return Some(Change::Values(vec![Some(x)]));
            }
            Some(Change::Op(Op { inputs: vec![Some(x)], ..op.clone() }))
        }
        _ => None,
    }
}

/// Whether every value of one type is one of the other.
fn exact(from: DType, to: DType) -> bool {
    use DType::{BF16, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32};
    match from {
        F16 | BF16 => matches!(to, F32 | F64),
        F32 => to == F64,
        U8 => matches!(to, U16 | I16 | U32 | I32 | I64 | F32 | F64),
        I8 => matches!(to, I16 | I32 | I64 | F32 | F64),
        U16 => matches!(to, U32 | I32 | I64 | F32 | F64),
        I16 => matches!(to, I32 | I64 | F32 | F64),
        U32 => matches!(to, I64 | F64),
        I32 => matches!(to, I64 | F64),
        _ => false,
    }
}
