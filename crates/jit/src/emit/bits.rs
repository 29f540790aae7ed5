//! Conversions between `f32` and the 16-bit formats by bit manipulation.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::Emitter;

impl Emitter<'_, '_> {
    fn f32_bits(&mut self, x: Value) -> Value {
        self.bitcast(x, types::I32)
    }

    /// Converts `f16` bits to `f32`, exactly.
    pub(super) fn f32_of_f16(&mut self, x: Value) -> Value {
        let wide = self.b.ins().uextend(types::I32, x);
        let magnitude = self.b.ins().band_imm_s(wide, 0x7fff);
        let moved = self.b.ins().ishl_imm_u(magnitude, 13);
        // The product adjusts the exponent by the difference of the biases and normalises subnormals.
        let small = self.bitcast(moved, types::F32);
        let scale = self.b.ins().f32const(f32::from_bits((127 + 112) << 23));
        let scaled = self.b.ins().fmul(small, scale);
        let scaled = self.f32_bits(scaled);
        let special = self.b.ins().bor_imm_s(moved, 0x7f80_0000);
        let is_special =
            self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, magnitude, 0x7c00);
        let bits = self.b.ins().select(is_special, special, scaled);
        let sign = self.b.ins().band_imm_s(wide, 0x8000);
        let sign = self.b.ins().ishl_imm_u(sign, 16);
        let bits = self.b.ins().bor(bits, sign);
        self.bitcast(bits, types::F32)
    }

    /// Converts `bf16` bits to `f32`, exactly.
    pub(super) fn f32_of_bf16(&mut self, x: Value) -> Value {
        let wide = self.b.ins().uextend(types::I32, x);
        let bits = self.b.ins().ishl_imm_u(wide, 16);
        self.bitcast(bits, types::F32)
    }

    /// Rounds `f32` to `bf16` bits: to nearest, ties to even, or toward zero.
    pub(super) fn bf16_of_f32(&mut self, x: Value, to_zero: bool) -> Value {
        let bits = self.f32_bits(x);
        let high = self.b.ins().ushr_imm_u(bits, 16);
        let rounded = if to_zero {
            high
        } else {
            let odd = self.b.ins().band_imm_s(high, 1);
            let bias = self.b.ins().iadd_imm_s(odd, 0x7fff);
            let sum = self.b.ins().iadd(bits, bias);
            self.b.ins().ushr_imm_u(sum, 16)
        };
        let nan = self.b.ins().bor_imm_s(high, 0x40);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
        let found = self.b.ins().select(is_nan, nan, rounded);
        self.b.ins().ireduce(types::I16, found)
    }

    /// Rounds `f32` to `f16` bits: to nearest, ties to even, or toward zero.
    pub(super) fn f16_of_f32(&mut self, x: Value, to_zero: bool) -> Value {
        let bits = self.f32_bits(x);
        let magnitude = self.b.ins().band_imm_s(bits, 0x7fff_ffff);
        // The difference of the biases, shifted to the exponent field.
        let rebias = -(112i64 << 23);
        let (normal, tiny) = if to_zero {
            let moved = self.b.ins().iadd_imm_s(magnitude, rebias);
            let normal = self.b.ins().ushr_imm_u(moved, 13);
            let small = self.bitcast(magnitude, types::F32);
            let unit = self.b.ins().f32const(f32::from_bits((127 + 24) << 23));
            let steps = self.b.ins().fmul(small, unit);
            (normal, self.b.ins().fcvt_to_uint_sat(types::I32, steps))
        } else {
            let odd = self.b.ins().ushr_imm_u(magnitude, 13);
            let odd = self.b.ins().band_imm_s(odd, 1);
            let biased = self.b.ins().iadd_imm_s(magnitude, rebias + 0xfff);
            let biased = self.b.ins().iadd(biased, odd);
            let normal = self.b.ins().ushr_imm_u(biased, 13);
            // For values just above 1/2, the last place of `f32` is the spacing of `f16` subnormals.
            let small = self.bitcast(magnitude, types::F32);
            let half = self.b.ins().f32const(0.5);
            let sum = self.b.ins().fadd(small, half);
            let sum = self.f32_bits(sum);
            (normal, self.b.ins().iadd_imm_s(sum, -0x3f00_0000))
        };
        let is_tiny = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, magnitude, (127 - 14) << 23);
        let finite = self.b.ins().select(is_tiny, tiny, normal);
        let infinity = self.b.ins().iconst(types::I32, 0x7c00);
        let most = self.b.ins().iconst(types::I32, if to_zero { 0x7bff } else { 0x7c00 });
        let is_big =
            self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, magnitude, (127 + 16) << 23);
        let found = self.b.ins().select(is_big, most, finite);
        let is_infinite = self.b.ins().icmp_imm_s(IntCC::Equal, magnitude, 0x7f80_0000);
        let found = self.b.ins().select(is_infinite, infinity, found);
        let payload = self.b.ins().ushr_imm_u(magnitude, 13);
        let payload = self.b.ins().band_imm_s(payload, 0x3ff);
        let nan = self.b.ins().bor_imm_s(payload, 0x7e00);
        let is_nan = self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, magnitude, 0x7f80_0000);
        let found = self.b.ins().select(is_nan, nan, found);
        let sign = self.b.ins().ushr_imm_u(bits, 16);
        let sign = self.b.ins().band_imm_s(sign, 0x8000);
        let found = self.b.ins().bor(found, sign);
        self.b.ins().ireduce(types::I16, found)
    }

    /// Converts `f64` to `f32` such that rounding the result to a much narrower format equals rounding once: if the
    /// conversion is inexact, the last bit is 1 ("round to odd"; Boldo and Melquiond, 2008).
    pub(super) fn odd_f32_of_f64(&mut self, x: Value) -> Value {
        let near = self.b.ins().fdemote(types::F32, x);
        let back = self.b.ins().fpromote(types::F64, near);
        let bits = self.f32_bits(near);
        let even = self.b.ins().band_imm_s(bits, 1);
        let even = self.b.ins().icmp_imm_s(IntCC::Equal, even, 0);
        let inexact = self.b.ins().fcmp(FloatCC::OrderedNotEqual, back, x);
        let fix = self.b.ins().band(even, inexact);
        let (far, at) = (self.b.ins().fabs(back), self.b.ins().fabs(x));
        let beyond = self.b.ins().fcmp(FloatCC::GreaterThan, far, at);
        let down = self.b.ins().iadd_imm_s(bits, -1);
        let up = self.b.ins().iadd_imm_s(bits, 1);
        let odd = self.b.ins().select(beyond, down, up);
        let bits = self.b.ins().select(fix, odd, bits);
        self.bitcast(bits, types::F32)
    }
}
