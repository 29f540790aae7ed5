//! Conversions between element types.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use trident_ir::dtype::Class;
use trident_ir::{DType, Op, ops};
use trident_tile_analysis::Elem;

use super::node::Register;
use super::{Emitter, Result, is_toward_zero, view};
use crate::routine::{Rounding, Routine};

impl Emitter<'_, '_> {
    /// Extends an integer, truth value or address to 64 bits, with its sign if the type is signed.
    pub(super) fn wide(&mut self, value: Value, dtype: DType) -> Value {
        match (dtype.size(), dtype.class()) {
            (8, _) => value,
            (_, Class::Int) => self.b.ins().sextend(types::I64, value),
            _ => self.b.ins().uextend(types::I64, value),
        }
    }

    /// Converts a float to `f32`, except `f64`, which stays as it is: exact.
    pub(super) fn widened(&mut self, op: &Op, value: Value, dtype: DType) -> Result<Value> {
        Ok(match dtype {
            DType::F32 | DType::F64 => value,
            DType::F16 => self.f32_of_f16(value),
            DType::BF16 => self.f32_of_bf16(value),
            _ => self.convert(op, value, dtype, DType::F32, Rounding::NearestEven, false)?,
        })
    }

    /// Rounds an `f32` (or an `f64`, if `to` is that) to a float type, to nearest even.
    pub(super) fn narrowed(&mut self, op: &Op, value: Value, to: DType) -> Result<Value> {
        Ok(match to {
            DType::F32 | DType::F64 => value,
            DType::F16 => self.f16_of_f32(value, false),
            DType::BF16 => self.bf16_of_f32(value, false),
            _ => self.convert(op, value, DType::F32, to, Rounding::NearestEven, false)?,
        })
    }

    /// Converts one element by a routine.
    fn convert(
        &mut self,
        op: &Op,
        value: Value,
        from: DType,
        to: DType,
        rounding: Rounding,
        saturate: bool,
    ) -> Result<Value> {
        let routine = Routine::Convert { from, to, rounding, saturate };
        self.call_elements(op, routine, &[value], Elem::Data(to))
    }

    /// Op `cast`.
    pub(super) fn cast(&mut self, op: &Op, x: Value, from: DType, to: DType) -> Result<Value> {
        let elem = Elem::Data(to);
        if from == to {
            return Ok(x);
        }
        if to == DType::Bool {
            return Ok(match from.is_float() {
                true => {
                    let x = self.widened(op, x, from)?;
                    let ty = self.b.func.dfg.value_type(x);
                    let zero = self.zero(ty);
                    self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
                }
                false => self.b.ins().icmp_imm_s(IntCC::NotEqual, x, 0),
            });
        }
        match (from.is_float(), to.is_float()) {
            (false, false) => {
                let (have, want) = (Elem::Data(from).clif(), elem.clif());
                Ok(match (have.bits().cmp(&want.bits()), from.class()) {
                    (std::cmp::Ordering::Equal, _) => x,
                    (std::cmp::Ordering::Greater, _) => self.b.ins().ireduce(want, x),
                    (_, Class::Int) => self.b.ins().sextend(want, x),
                    _ => self.b.ins().uextend(want, x),
                })
            }
            (false, true) => self.float_of_int(op, x, from, to),
            (true, false) => {
                let x = self.widened(op, x, from)?;
                let wide = if to.size() == 8 { types::I64 } else { types::I32 };
                // Saturation prevents traps; values out of range have no defined result.
                let value = match to.class() {
                    Class::UInt if to.size() >= 4 => self.b.ins().fcvt_to_uint_sat(wide, x),
                    _ => self.b.ins().fcvt_to_sint_sat(wide, x),
                };
                let want = elem.clif();
                Ok(if want.bits() < 32 { self.b.ins().ireduce(want, value) } else { value })
            }
            (true, true) => self.float_of_float(op, x, from, to),
        }
    }

    fn float_of_int(&mut self, op: &Op, x: Value, from: DType, to: DType) -> Result<Value> {
        let convert = |e: &mut Self, ty| match (from.class(), from.size()) {
            (Class::Int, 4 | 8) => e.b.ins().fcvt_from_sint(ty, x),
            (Class::Int, _) => {
                let wide = e.b.ins().sextend(types::I32, x);
                e.b.ins().fcvt_from_sint(ty, wide)
            }
            (_, 8) => e.b.ins().fcvt_from_uint(ty, x),
            _ => {
                let wide = e.b.ins().uextend(types::I64, x);
                e.b.ins().fcvt_from_sint(ty, wide)
            }
        };
        Ok(match to {
            DType::F64 => convert(self, types::F64),
            DType::F32 => convert(self, types::F32),
            _ => {
                // 32-bit integers are exact in f64, so there is one rounding.
                let exact = convert(self, types::F64);
                let odd = self.odd_f32_of_f64(exact);
                self.float_of_float(op, odd, DType::F32, to)?
            }
        })
    }

    fn float_of_float(&mut self, op: &Op, x: Value, from: DType, to: DType) -> Result<Value> {
        let to_zero = is_toward_zero(op);
        let (narrow, wide) = (|d: DType| d.bits() == 8, |d: DType| d.bits() > 8);
        if narrow(from) && wide(to) {
            let x = self.convert(op, x, from, DType::F32, Rounding::NearestEven, false)?;
            return self.float_of_float(op, x, DType::F32, to);
        }
        if narrow(to) {
            let x = match (from, to_zero) {
                (DType::F64, false) => self.odd_f32_of_f64(x),
                (DType::F64, true) => self.truncated_f32_of_f64(x),
                _ => self.widened(op, x, from)?,
            };
            let rounding = if to_zero { Rounding::TowardZero } else { Rounding::NearestEven };
            let saturate = view(op, ops::Cast::of)?.saturate();
            return self.convert(op, x, DType::F32, to, rounding, saturate);
        }
        let x = match (from, to) {
            (DType::F64, DType::F32) if to_zero => return Ok(self.truncated_f32_of_f64(x)),
            (DType::F64, DType::F32) => return Ok(self.b.ins().fdemote(types::F32, x)),
            (DType::F64, _) if to_zero => self.truncated_f32_of_f64(x),
            (DType::F64, _) => self.odd_f32_of_f64(x),
            _ => self.widened(op, x, from)?,
        };
        Ok(match to {
            DType::F64 => self.b.ins().fpromote(types::F64, x),
            DType::F16 => self.f16_of_f32(x, to_zero),
            DType::BF16 => self.bf16_of_f32(x, to_zero),
            _ => x,
        })
    }

    /// Rounds `f64` to `f32` toward zero.
    fn truncated_f32_of_f64(&mut self, x: Value) -> Value {
        let near = self.b.ins().fdemote(types::F32, x);
        let back = self.b.ins().fpromote(types::F64, near);
        let (far, at) = (self.b.ins().fabs(back), self.b.ins().fabs(x));
        let beyond = self.b.ins().fcmp(FloatCC::GreaterThan, far, at);
        let bits = self.bitcast(near, types::I32);
        let down = self.b.ins().iadd_imm_s(bits, -1);
        let bits = self.b.ins().select(beyond, down, bits);
        self.bitcast(bits, types::F32)
    }
}
