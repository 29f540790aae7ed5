//! Integers and truth values: in 128 bits, wrapped.

use super::no_meaning;
use crate::interp::error::Trap;
use crate::interp::number::{from_int, int, poison};
use crate::op::words::ShiftDirection;
use crate::{DType, Op, OpKind, ops};
use OpKind as K;

/// One element of an op on integers or truth values: in 128 bits, wrapped.
pub(super) fn on_integers(op: &Op, dtype: DType, bits: &[u64]) -> Result<u64, Trap> {
    let x: Vec<i128> = bits.iter().map(|&bits| int(dtype, bits)).collect();
    let a = x[0];
    let wrapped = |value: i128| from_int(dtype, value);
    Ok(match (op.kind, &x[..]) {
        (K::Abs, _) => wrapped(a.abs()),
        (K::Neg, _) => wrapped(-a),
        (K::BitwiseNot, _) => wrapped(!a),
        (K::Not, _) => u64::from(a == 0),
        (K::Max, all) => wrapped(all.iter().copied().fold(a, i128::max)),
        (K::Min, all) => wrapped(all.iter().copied().fold(a, i128::min)),
        (K::Add, &[_, b]) => wrapped(a + b),
        (K::Sub, &[_, b]) => wrapped(a - b),
        (K::Mul, &[_, b]) => wrapped(a.wrapping_mul(b)),
        // As u128 the product of two u64 has its upper half too.
        (K::MulHigh, &[_, b]) => {
            wrapped(((a as u128).wrapping_mul(b as u128) >> dtype.bits()) as i128)
        }
        (K::Div | K::Mod, &[_, 0]) => poison(dtype),
        (K::Div, &[_, b]) => wrapped(a / b),
        (K::Mod, &[_, b]) if ops::Mod::of(op).is_some_and(|op| op.fmod()) => wrapped(a % b),
        (K::Mod, &[_, b]) => match a % b {
            rest if rest != 0 && (rest < 0) != (b < 0) => wrapped(rest + b),
            rest => wrapped(rest),
        },
        (K::BitShift, &[_, by]) => match u32::try_from(by) {
            Ok(by) if (by as usize) < dtype.bits() => {
                match ops::BitShift::of(op).ok_or(Trap::Unknown)?.direction() {
                    ShiftDirection::Right => wrapped(a >> by),
                    ShiftDirection::Left => wrapped(a << by),
                }
            }
            _ => poison(dtype),
        },
        (K::BitwiseAnd | K::And, &[_, b]) => wrapped(a & b),
        (K::BitwiseOr | K::Or, &[_, b]) => wrapped(a | b),
        (K::BitwiseXor | K::Xor, &[_, b]) => wrapped(a ^ b),
        (K::Equal, &[_, b]) => u64::from(a == b),
        (K::Greater, &[_, b]) => u64::from(a > b),
        (K::GreaterOrEqual, &[_, b]) => u64::from(a >= b),
        (K::Less, &[_, b]) => u64::from(a < b),
        (K::LessOrEqual, &[_, b]) => u64::from(a <= b),
        _ => return Err(no_meaning(op, dtype)),
    })
}
