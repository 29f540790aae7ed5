//! Dialect `math`, and Triton's own ops on numbers.

use super::emit::plain;
use super::library::function_name;
use super::{Import, Lowered};
use crate::ttir::Op;
use trident_ir::op::OpKind as K;
use trident_ir::{DType, OpKind, Type, ValueId, ops};

/// Functions of one operand that are ops of the table.
fn unary(name: &str) -> Option<OpKind> {
    Some(match name {
        "absf" | "absi" => K::Abs,
        "acos" => K::Acos,
        "acosh" => K::Acosh,
        "asin" => K::Asin,
        "asinh" => K::Asinh,
        "atan" => K::Atan,
        "atanh" => K::Atanh,
        "ceil" => K::Ceil,
        "cos" => K::Cos,
        "cosh" => K::Cosh,
        "erf" => K::Erf,
        "exp" => K::Exp,
        "exp2" => K::Exp2,
        "floor" => K::Floor,
        "log" => K::Log,
        "log2" => K::Log2,
        "roundeven" => K::Round,
        "rsqrt" => K::Rsqrt,
        "sin" => K::Sin,
        "sinh" => K::Sinh,
        "sqrt" | "precise_sqrt" => K::Sqrt,
        "tan" => K::Tan,
        "tanh" => K::Tanh,
        _ => return None,
    })
}

/// Functions of the C library that `math` has beside these: name there, name here, operands.
const LIBM: &[(&str, &str, usize)] = &[
    ("atan2", "atan2", 2),
    ("cbrt", "cbrt", 1),
    ("copysign", "copysign", 2),
    ("erfc", "erfc", 1),
    ("expm1", "expm1", 1),
    ("log10", "log10", 1),
    ("log1p", "log1p", 1),
    ("powf", "pow", 2),
    ("round", "round", 1),
    ("trunc", "trunc", 1),
];

impl Import<'_> {
    pub(super) fn math(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
        if let Some(kind) = unary(name) {
            let [x] = self.exactly(op, xs)?;
            match name {
                "absi" if self.dtype(op, x)?.is_int() => {}
                _ => drop(self.floats(op, x)?),
            }
            return Ok(vec![self.like(plain(kind, &[x]))]);
        }
        if let Some(&(_, function, count)) = LIBM.iter().find(|(own, ..)| *own == name) {
            self.counted(op, "operand", xs.len(), count)?;
            for &x in xs {
                self.floats(op, x)?;
            }
            return self.libm(op, function.into(), xs);
        }
        let y = match name {
            "isnan" | "isinf" => {
                let [x] = self.exactly(op, xs)?;
                self.floats(op, x)?;
                if name == "isnan" {
                    self.truth(ops::IsNaN::new(x))
                } else {
                    self.truth(ops::IsInf::new(x))
                }
            }
            "fma" => {
                let [a, b, c] = self.exactly(op, xs)?;
                self.floats(op, a)?;
                self.like(ops::Fma::new(a, b, c))
            }
            "clampf" => {
                let [x, low, high] = self.exactly(op, xs)?;
                self.floats(op, x)?;
                let propagate = match op.dict.get("propagateNan") {
                    Some(_) => self.keyword(op, "propagateNan", &["none", "all"])? == "all",
                    None => false,
                };
                self.like(ops::Clamp::new(x, low, high).propagate_nan(propagate))
            }
            // A quotient that is correctly rounded serves both.
            "precise_divf" | "approx_divf" => {
                let [a, b] = self.exactly(op, xs)?;
                self.floats(op, a)?;
                self.like(ops::Div::new(a, b))
            }
            "mulhiui" => {
                let [a, b] = self.exactly(op, xs)?;
                self.as_unsigned(op, [a, b], |import, [a, b]| import.like(ops::MulHigh::new(a, b)))?
            }
            "extern_elementwise" => {
                let symbol = self.text(op, "symbol")?;
                let single = xs.iter().any(|&x| self.ty(x).dtype() == Some(DType::F32))
                    || self.result_types(op).iter().any(|ty| ty.dtype() == Some(DType::F32));
                return self.libm(op, function_name(&symbol, single).to_owned(), xs);
            }
            _ => return self.unknown(op),
        };
        Ok(vec![y])
    }

    fn libm(&mut self, op: &Op, function: String, xs: &[ValueId]) -> Lowered {
        let ty = self.result_type(op)?.clone();
        for &x in xs {
            self.dtype(op, x)?;
            if self.ty(x).shape() != ty.shape() {
                return self.wrong_type(op, "an operand", self.ty(x), format!("the shape of {ty}"));
            }
        }
        let (Type::Tensor(t), false) = (&ty, xs.is_empty()) else { return self.unknown(op) };
        Ok(vec![self.emit(ops::Libm::new(xs).function(function).to(t.dtype), ty.clone())])
    }
}
