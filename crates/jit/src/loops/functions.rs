//! Functions of `trident_simd::math` in loops. Each is traced once: it runs on values that record the operations.

use std::cell::RefCell;

use trident_ir::DType;
use trident_simd::math::{self, single};
use trident_simd::{Arithmetic, Arithmetic32};

use super::{Binary, Class, Id, Relation, Unary, Value, Values, Width};

thread_local! {
    /// The values of the function that is being traced.
    static TRACE: RefCell<Values> = RefCell::new(Values::new(Width::Four));
}

/// A value of the loop under construction, as a vector of `f32`.
#[derive(Clone, Copy)]
pub(crate) struct Traced(Id);

/// Adds a value.
fn put(value: Value) -> Traced {
    Traced(TRACE.with_borrow_mut(|values| values.add(value)))
}

fn bits(bits: u32) -> Traced {
    put(Value::Const(bits.into()))
}

fn binary(op: Binary, a: Traced, b: Traced) -> Traced {
    put(Value::Binary(op, a.0, b.0))
}

/// The function of this name on operands of these types, if loops have it. It does the same operations as the routine.
pub(crate) fn traced(name: &str, operands: &[DType]) -> Option<fn(Traced) -> Traced> {
    if operands != [DType::F32] {
        return None;
    }
    Some(match name {
        "exp" => math::exp,
        "exp2" => single::exp2,
        "log" => math::ln,
        "log2" => single::log2,
        "log10" => single::log10,
        "tanh" => single::tanh,
        "erf" => math::erf,
        _ => return None,
    })
}

impl Values {
    /// Adds what a function does with a value.
    pub(crate) fn trace(&mut self, function: fn(Traced) -> Traced, x: Id) -> Id {
        TRACE.with_borrow_mut(|values| std::mem::swap(values, self));
        let result = function(Traced(x));
        TRACE.with_borrow_mut(|values| std::mem::swap(values, self));
        result.0
    }
}

impl Arithmetic for Traced {
    type Elem = f32;
    const FUSED: bool = true;

    fn splat(self, x: f32) -> Self {
        bits(x.to_bits())
    }
    fn add(self, o: Self) -> Self {
        binary(Binary::Add, self, o)
    }
    fn sub(self, o: Self) -> Self {
        binary(Binary::Sub, self, o)
    }
    fn mul(self, o: Self) -> Self {
        binary(Binary::Mul, self, o)
    }
    fn div(self, o: Self) -> Self {
        binary(Binary::Div, self, o)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        put(Value::MulAdd(self.0, a.0, b.0))
    }
    fn max(self, o: Self) -> Self {
        binary(Binary::Max, self, o)
    }
    fn min(self, o: Self) -> Self {
        binary(Binary::Min, self, o)
    }
    fn sqrt(self) -> Self {
        put(Value::Unary(Unary::Sqrt, self.0))
    }
}

/// The bits of √½, the lower end of `split_exponent`'s mantissas.
const SQRT_HALF: u32 = 0x3f35_04f3;
const MANTISSA: u32 = 0x007f_ffff;
const SIGN: u32 = 1 << 31;

impl Arithmetic32 for Traced {
    fn abs(self) -> Self {
        binary(Binary::And, self, bits(!SIGN))
    }
    fn copysign(self, sign: Self) -> Self {
        let magnitude = binary(Binary::And, self, bits(!SIGN));
        let sign = binary(Binary::And, sign, bits(SIGN));
        binary(Binary::Or, magnitude, sign)
    }
    fn round(self) -> Self {
        put(Value::Unary(Unary::Round, self.0))
    }
    fn scale_pow2(self, n: Self) -> Self {
        binary(Binary::Scale, self, n)
    }
    fn split_exponent(self) -> (Self, Self) {
        let above = binary(Binary::IntSub, self, bits(SQRT_HALF));
        let mantissa = binary(Binary::And, above, bits(MANTISSA));
        let exponent = put(Value::Unary(Unary::ShiftArithmetic(23), above.0));
        let exponent = put(Value::Unary(Unary::FromInt, exponent.0));
        (binary(Binary::IntAdd, mantissa, bits(SQRT_HALF)), exponent)
    }
    fn select_lt(self, o: Self, yes: Self, no: Self) -> Self {
        let less = put(Value::Compare(Class::Float, Relation::Less, self.0, o.0));
        put(Value::Select(less.0, yes.0, no.0))
    }
}
