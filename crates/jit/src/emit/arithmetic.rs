//! Elementwise ops, applied to one element of each operand.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::dtype::Class;
use trident_ir::op::words::ShiftDirection;
use trident_ir::{DType, Op, OpKind as K, ops};
use trident_tile_analysis::{Elem, function_name};

use super::node::Register;
use super::{Emitter, Result, malformed, refused, view};

impl<'m> Emitter<'m, '_> {
    /// The result of an elementwise or pointer op on these elements.
    pub(super) fn element(
        &mut self,
        op: &'m Op,
        operands: &[(Value, Elem)],
        result: Elem,
    ) -> Result<Value> {
        let &[(a, from), ..] = operands else {
            return Err(malformed(op, "needs operands"));
        };
        let dtype = from.dtype();
        match op.kind {
            K::PtrCast | K::IntToPtr | K::PtrToInt => Ok(a),
            K::PtrAdd => {
                let &[_, (offset, of)] = operands else {
                    return Err(malformed(op, "needs an offset"));
                };
                let Elem::Ptr(to) = from else { return Err(malformed(op, "needs a pointer")) };
                let offset = self.wide(offset, of.dtype());
                let bytes = self.b.ins().ishl_imm_u(offset, i64::from(to.size().trailing_zeros()));
                Ok(self.b.ins().iadd(a, bytes))
            }
            K::Where => {
                let &[(c, _), (x, _), (y, _)] = operands else {
                    return Err(malformed(op, "needs three operands"));
                };
                Ok(self.b.ins().select(c, x, y))
            }
            K::BitCast => Ok(self.bitcast(a, result.clif())),
            K::Cast => self.cast(op, a, dtype, result.dtype()),
            K::Libm => self.libm(op, function_name(op), operands, result.dtype()),
            _ if dtype == DType::Bool => self.truth(op, operands),
            _ if dtype.is_int() => {
                let values: Vec<Value> = operands.iter().map(|o| o.0).collect();
                self.integer(op, &values, dtype)
            }
            _ => self.float(op, operands, dtype, result),
        }
    }

    /// Reinterprets bits as another type of the same width.
    pub(super) fn bitcast(&mut self, value: Value, to: cranelift_codegen::ir::Type) -> Value {
        match self.b.func.dfg.value_type(value) == to {
            true => value,
            false => self.b.ins().bitcast(to, super::access::little(), value),
        }
    }

    fn truth(&mut self, op: &Op, operands: &[(Value, Elem)]) -> Result<Value> {
        let (a, b) = (operands[0].0, operands.last().map_or(operands[0].0, |o| o.0));
        let cc = match op.kind {
            K::And => return Ok(self.b.ins().band(a, b)),
            K::Or => return Ok(self.b.ins().bor(a, b)),
            K::Xor => return Ok(self.b.ins().bxor(a, b)),
            K::Not => return Ok(self.b.ins().bxor_imm_s(a, 1)),
            kind => {
                comparison(kind)
                    .ok_or_else(|| refused(op, "elements of type bool are not supported"))?
                    .1
            }
        };
        Ok(self.b.ins().icmp(cc, a, b))
    }

    fn integer(&mut self, op: &Op, x: &[Value], dtype: DType) -> Result<Value> {
        let signed = dtype.class() == Class::Int;
        let a = x[0];
        let b = x.get(1).copied().unwrap_or(a);
        if let Some((signed_cc, unsigned_cc, _)) = comparison(op.kind) {
            return Ok(self.b.ins().icmp(if signed { signed_cc } else { unsigned_cc }, a, b));
        }
        let pick = |greater: bool| match (greater, signed) {
            (true, true) => IntCC::SignedGreaterThan,
            (true, false) => IntCC::UnsignedGreaterThan,
            (false, true) => IntCC::SignedLessThan,
            (false, false) => IntCC::UnsignedLessThan,
        };
        let extreme = |e: &mut Self, greater: bool, a: Value, b: Value| {
            let which = e.b.ins().icmp(pick(greater), a, b);
            e.b.ins().select(which, a, b)
        };
        Ok(match op.kind {
            K::Add => self.b.ins().iadd(a, b),
            K::Sub => self.b.ins().isub(a, b),
            K::Mul => self.b.ins().imul(a, b),
            K::BitwiseAnd => self.b.ins().band(a, b),
            K::BitwiseOr => self.b.ins().bor(a, b),
            K::BitwiseXor => self.b.ins().bxor(a, b),
            K::BitwiseNot => self.b.ins().bnot(a),
            K::Neg => self.b.ins().ineg(a),
            K::Abs if signed => {
                let negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, a, 0);
                let minus = self.b.ins().ineg(a);
                self.b.ins().select(negative, minus, a)
            }
            K::Abs => a,
            K::Max => x[1..].iter().fold(a, |s, &v| extreme(self, true, s, v)),
            K::Min => x[1..].iter().fold(a, |s, &v| extreme(self, false, s, v)),
            K::BitShift => match (view(op, ops::BitShift::of)?.direction(), signed) {
                (ShiftDirection::Left, _) => self.b.ins().ishl(a, b),
                (_, true) => self.b.ins().sshr(a, b),
                (_, false) => self.b.ins().ushr(a, b),
            },
            K::MulHigh => self.mul_high(a, b, dtype),
            K::Div => self.divide(a, b, dtype).0,
            K::Mod => {
                let rest = self.divide(a, b, dtype).1;
                if view(op, ops::Mod::of)?.fmod() || !signed {
                    return Ok(rest);
                }
                // The remainder takes the sign of the divisor.
                let mixed = self.b.ins().bxor(rest, b);
                let mixed = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, mixed, 0);
                let some = self.b.ins().icmp_imm_s(IntCC::NotEqual, rest, 0);
                let fix = self.b.ins().band(mixed, some);
                let fixed = self.b.ins().iadd(rest, b);
                self.b.ins().select(fix, fixed, rest)
            }
            _ => return Err(refused(op, format!("elements of type {dtype} are not supported"))),
        })
    }

    fn mul_high(&mut self, a: Value, b: Value, dtype: DType) -> Value {
        let signed = dtype.class() == Class::Int;
        if dtype.size() == 8 {
            return match signed {
                true => self.b.ins().smulhi(a, b),
                false => self.b.ins().umulhi(a, b),
            };
        }
        let (a, b) = (self.wide(a, dtype), self.wide(b, dtype));
        let product = self.b.ins().imul(a, b);
        let high = self.b.ins().ushr_imm_u(product, dtype.bits() as i64);
        self.b.ins().ireduce(Elem::Data(dtype).clif(), high)
    }

    /// Quotient and remainder; unspecified where the division is undefined.
    fn divide(&mut self, a: Value, b: Value, dtype: DType) -> (Value, Value) {
        let signed = dtype.class() == Class::Int;
        let ty = self.b.func.dfg.value_type(a);
        if ty.bits() < 32 {
            let extend = |e: &mut Self, v| match signed {
                true => e.b.ins().sextend(types::I32, v),
                false => e.b.ins().uextend(types::I32, v),
            };
            let (a, b) = (extend(self, a), extend(self, b));
            let (q, r) = self.divide(a, b, if signed { DType::I32 } else { DType::U32 });
            return (self.b.ins().ireduce(ty, q), self.b.ins().ireduce(ty, r));
        }
        // The processor traps on a zero divisor and when the least number is divided by −1.
        let one = self.b.ins().iconst(ty, 1);
        let zero = self.b.ins().icmp_imm_s(IntCC::Equal, b, 0);
        if !signed {
            let safe = self.b.ins().select(zero, one, b);
            return (self.b.ins().udiv(a, safe), self.b.ins().urem(a, safe));
        }
        let minus = self.b.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let unsafe_ = self.b.ins().bor(zero, minus);
        let safe = self.b.ins().select(unsafe_, one, b);
        let quotient = self.b.ins().sdiv(a, safe);
        let negated = self.b.ins().ineg(a);
        let quotient = self.b.ins().select(minus, negated, quotient);
        (quotient, self.b.ins().srem(a, safe))
    }

    fn float(
        &mut self,
        op: &'m Op,
        operands: &[(Value, Elem)],
        dtype: DType,
        result: Elem,
    ) -> Result<Value> {
        let a = operands[0].0;
        match (op.kind, sign_bit(dtype)) {
            // These ops change the sign bit only, for NaN too.
            (K::Abs, Some(sign)) => return Ok(self.b.ins().band_imm_s(a, sign - 1)),
            (K::Neg, Some(sign)) => return Ok(self.b.ins().bxor_imm_s(a, sign)),
            _ => {}
        }
        let x: Vec<Value> =
            operands.iter().map(|&(v, e)| self.widened(op, v, e.dtype())).collect::<Result<_>>()?;
        let value = self.float_op(op, &x)?;
        match result {
            Elem::Data(DType::Bool) => Ok(value),
            _ => self.narrowed(op, value, dtype),
        }
    }

    /// An op on `f32` or `f64`.
    fn float_op(&mut self, op: &'m Op, x: &[Value]) -> Result<Value> {
        let a = x[0];
        let b = x.get(1).copied().unwrap_or(a);
        let ty = self.b.func.dfg.value_type(a);
        if let Some((.., cc)) = comparison(op.kind) {
            return Ok(self.b.ins().fcmp(cc, a, b));
        }
        Ok(match op.kind {
            K::Add => self.b.ins().fadd(a, b),
            K::Sub => self.b.ins().fsub(a, b),
            K::Mul => self.b.ins().fmul(a, b),
            K::Div => self.b.ins().fdiv(a, b),
            K::Neg => self.b.ins().fneg(a),
            K::Abs => self.b.ins().fabs(a),
            K::Sqrt => self.b.ins().sqrt(a),
            K::Ceil => self.b.ins().ceil(a),
            K::Floor => self.b.ins().floor(a),
            K::Round => self.b.ins().nearest(a),
            K::Max => x[1..].iter().fold(a, |s, &v| self.b.ins().fmax(s, v)),
            K::Min => x[1..].iter().fold(a, |s, &v| self.b.ins().fmin(s, v)),
            K::MaxNum => self.extreme_num(a, b, true),
            K::MinNum => self.extreme_num(a, b, false),
            K::IsNaN => self.b.ins().fcmp(FloatCC::Unordered, a, a),
            K::Mod => {
                let elem = Elem::Data(if ty == types::F32 { DType::F32 } else { DType::F64 });
                let rest = self.libm(op, "fmod", &[(a, elem), (b, elem)], elem.dtype())?;
                if view(op, ops::Mod::of)?.fmod() {
                    return Ok(rest);
                }
                let zero = self.zero(ty);
                let none = self.b.ins().fcmp(FloatCC::Equal, rest, zero);
                let below = self.b.ins().fcmp(FloatCC::LessThan, rest, zero);
                let divisor = self.b.ins().fcmp(FloatCC::LessThan, b, zero);
                let mixed = self.b.ins().icmp(IntCC::NotEqual, below, divisor);
                let fixed = self.b.ins().fadd(rest, b);
                let rest = self.b.ins().select(mixed, fixed, rest);
                // A zero remainder takes the sign of the divisor too.
                let signed = self.b.ins().fcopysign(zero, b);
                self.b.ins().select(none, signed, rest)
            }
            kind => {
                let dtype = if ty == types::F32 { DType::F32 } else { DType::F64 };
                let operands: Vec<_> = x.iter().map(|&v| (v, Elem::Data(dtype))).collect();
                self.libm(op, kind.decl().name, &operands, dtype)?
            }
        })
    }

    /// The greater (lesser) of two; if one is NaN, the other.
    fn extreme_num(&mut self, a: Value, b: Value, greater: bool) -> Value {
        let both = if greater { self.b.ins().fmax(a, b) } else { self.b.ins().fmin(a, b) };
        let a_nan = self.b.ins().fcmp(FloatCC::Unordered, a, a);
        let b_nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
        let not_b = self.b.ins().select(b_nan, a, both);
        self.b.ins().select(a_nan, b, not_b)
    }
}

/// The sign bit of formats held in integer registers; `None` where it has another meaning too.
fn sign_bit(dtype: DType) -> Option<i64> {
    match dtype {
        DType::F16 | DType::BF16 => Some(0x8000),
        DType::F8E4M3FN | DType::F8E5M2 => Some(0x80),
        _ => None,
    }
}

/// Comparison conditions for signed integers, unsigned integers and floats.
pub(super) fn comparison(kind: K) -> Option<(IntCC, IntCC, FloatCC)> {
    Some(match kind {
        K::Equal => (IntCC::Equal, IntCC::Equal, FloatCC::Equal),
        K::Less => (IntCC::SignedLessThan, IntCC::UnsignedLessThan, FloatCC::LessThan),
        K::LessOrEqual => {
            let (signed, unsigned) = (IntCC::SignedLessThanOrEqual, IntCC::UnsignedLessThanOrEqual);
            (signed, unsigned, FloatCC::LessThanOrEqual)
        }
        K::Greater => (IntCC::SignedGreaterThan, IntCC::UnsignedGreaterThan, FloatCC::GreaterThan),
        K::GreaterOrEqual => {
            let (signed, unsigned) =
                (IntCC::SignedGreaterThanOrEqual, IntCC::UnsignedGreaterThanOrEqual);
            (signed, unsigned, FloatCC::GreaterThanOrEqual)
        }
        _ => return None,
    })
}
