//! Conversions between element types.

use super::{Import, Lowered};
use crate::ttir::Op;
use crate::{ErrorKind, Failure};
use trident_ir::op::words::FloatRounding;
use trident_ir::{DType, Type, ValueId, ops};

use super::arith::unsigned;

impl Import<'_> {
    pub(super) fn cast(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
        const CASTS: &[&str] = &[
            "bitcast", "fp_to_fp", "extf", "truncf", "extsi", "extui", "trunci", "sitofp",
            "uitofp", "fptosi", "fptoui",
        ];
        if !CASTS.contains(&name) {
            return self.unknown(op);
        }
        let [x] = self.exactly(op, xs)?;
        let result = self.result_type(op)?.clone();
        if name == "bitcast"
            && matches!((self.ty(x), &result), (Type::Pointer(_), Type::Pointer(_)))
        {
            return Ok(vec![self.emit(ops::PtrCast::new(x), result)]);
        }
        let from = self.dtype(op, x)?;
        let Some(to) = result.dtype() else {
            return self.wrong_type(op, "the result", &result, "numbers");
        };
        let width = |dtype: DType| if dtype == DType::Bool { 1 } else { dtype.bits() };
        let integer = |dtype: DType| dtype.is_int() || dtype == DType::Bool;
        let fits = match name {
            "bitcast" => width(from) == width(to),
            "extf" => from.is_float() && to.is_float() && width(from) < width(to),
            "fp_to_fp" | "truncf" => from.is_float() && to.is_float(),
            "extsi" | "extui" => integer(from) && integer(to) && width(from) < width(to),
            "trunci" => integer(from) && integer(to) && width(from) > width(to),
            "sitofp" | "uitofp" => integer(from) && to.is_float(),
            _ => from.is_float() && to.is_int(),
        };
        if !fits {
            return self.wrong_type(
                op,
                "the result",
                &result,
                format!("a type for {}", self.ty(x)),
            );
        }
        let y = match name {
            "bitcast" => self.bitcast(x, to),
            "extf" | "truncf" | "fp_to_fp" => {
                let rounding = self.rounding(op)?;
                let mut cast = ops::Cast::new(x).to(to);
                if rounding == FloatRounding::TowardZero && width(to) < width(from) {
                    cast = cast.rounding(rounding);
                }
                self.emit(cast, result)
            }
            "fptosi" => self.converted(x, to),
            "fptoui" => {
                let bits = self.converted(x, unsigned(to).unwrap_or(to));
                self.bitcast(bits, to)
            }
            // As a signed number true is −1; false stays +0, which negating a float would not keep.
            "extsi" => match from {
                DType::Bool => {
                    let one = self.converted(x, to);
                    self.like(ops::Neg::new(one))
                }
                _ => self.converted(x, to),
            },
            "sitofp" if from == DType::Bool => {
                let one = self.converted(x, DType::I8);
                let number = self.like(ops::Neg::new(one));
                self.converted(number, to)
            }
            "extui" | "uitofp" => {
                let bits = self.bitcast(x, unsigned(from).unwrap_or(from));
                self.converted(bits, to)
            }
            // The lowest bit counts, where a cast to truth values would ask for any.
            "trunci" if to == DType::Bool => {
                let ty = self.ty(x).clone();
                let Some(one) = self.integer(1, &ty) else { return self.unknown(op) };
                let bit = self.like(ops::BitwiseAnd::new(x, one));
                self.truth(ops::Equal::new(bit, one))
            }
            _ => self.converted(x, to),
        };
        Ok(vec![y])
    }

    /// The rounding to a narrower float.
    fn rounding(&self, op: &Op) -> Result<FloatRounding, Failure> {
        let mode = op.dict.get("rounding").or(op.dict.get("roundingmode"));
        let mode = mode.map(|mode| mode.word().unwrap_or("?"));
        match mode {
            None | Some("rtne" | "to_nearest_even") => Ok(FloatRounding::NearestEven),
            Some("rtz" | "toward_zero") => Ok(FloatRounding::TowardZero),
            Some(_) => self.fail(ErrorKind::Attribute {
                op: op.name.to_string(),
                name: "rounding",
                expected: "`rtne` or `rtz`",
            }),
        }
    }
}
