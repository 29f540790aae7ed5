//! Dialect `arith`: arithmetic, bits, comparisons, selection.

use super::emit::plain;
use super::{Import, Lowered};
use crate::Failure;
use crate::ttir::Op;
use trident_ir::op::OpKind as K;
use trident_ir::op::words::ShiftDirection;
use trident_ir::{DType, Op as IrOp, OpKind, ValueId, ops};

/// How an op reads its integers.
#[derive(Clone, Copy, PartialEq)]
enum Numbers {
    Signed,
    Unsigned,
    Float,
}

/// The op of the table, the kind of its operands, and the equivalent op on truth values.
fn binary(name: &str) -> Option<(OpKind, Numbers, Option<OpKind>)> {
    use Numbers::{Float, Signed, Unsigned};
    Some(match name {
        "addi" => (K::Add, Signed, Some(K::Xor)),
        "subi" => (K::Sub, Signed, Some(K::Xor)),
        "muli" => (K::Mul, Signed, Some(K::And)),
        "divsi" => (K::Div, Signed, None),
        "divui" => (K::Div, Unsigned, None),
        "remsi" => (K::Mod, Signed, None),
        "remui" => (K::Mod, Unsigned, None),
        "andi" => (K::BitwiseAnd, Signed, Some(K::And)),
        "ori" => (K::BitwiseOr, Signed, Some(K::Or)),
        "xori" => (K::BitwiseXor, Signed, Some(K::Xor)),
        "shli" | "shrsi" => (K::BitShift, Signed, None),
        "shrui" => (K::BitShift, Unsigned, None),
        // As a signed number true is −1.
        "maxsi" => (K::Max, Signed, Some(K::And)),
        "minsi" => (K::Min, Signed, Some(K::Or)),
        "maxui" => (K::Max, Unsigned, Some(K::Or)),
        "minui" => (K::Min, Unsigned, Some(K::And)),
        "addf" => (K::Add, Float, None),
        "subf" => (K::Sub, Float, None),
        "mulf" => (K::Mul, Float, None),
        "divf" => (K::Div, Float, None),
        "remf" => (K::Mod, Float, None),
        "maxnumf" => (K::MaxNum, Float, None),
        "minnumf" => (K::MinNum, Float, None),
        "maximumf" => (K::Max, Float, None),
        "minimumf" => (K::Min, Float, None),
        _ => return None,
    })
}

/// The unsigned type as wide as a signed one.
pub(super) fn unsigned(dtype: DType) -> Option<DType> {
    Some(match dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        _ => return None,
    })
}

impl Import<'_> {
    pub(super) fn arith(&mut self, op: &Op, name: &str, xs: &[ValueId]) -> Lowered {
        if let Some((kind, numbers, truth)) = binary(name) {
            return self.binary(op, name, xs, (kind, numbers, truth));
        }
        let y = match name {
            "negf" => {
                let [x] = self.exactly(op, xs)?;
                self.floats(op, x)?;
                self.like(ops::Neg::new(x))
            }
            "cmpi" => {
                let [a, b] = self.exactly(op, xs)?;
                self.compare_integers(op, a, b)?
            }
            "cmpf" => {
                let [a, b] = self.exactly(op, xs)?;
                self.compare_floats(op, a, b)?
            }
            "select" => {
                let [condition, x, y] = self.exactly(op, xs)?;
                self.select(op, condition, x, y)?
            }
            _ => return self.cast(op, name, xs),
        };
        Ok(vec![y])
    }

    fn binary(
        &mut self,
        op: &Op,
        name: &str,
        xs: &[ValueId],
        (kind, numbers, truth): (OpKind, Numbers, Option<OpKind>),
    ) -> Lowered {
        let [a, b] = self.exactly(op, xs)?;
        let dtype = self.dtype(op, a)?;
        let direction = if name == "shli" { ShiftDirection::Left } else { ShiftDirection::Right };
        let of = |a: ValueId, b: ValueId| -> IrOp {
            match kind {
                K::Mod => ops::Mod::new(a, b).fmod(true).into(),
                K::BitShift => ops::BitShift::new(a, b).direction(direction).into(),
                _ => plain(kind, &[a, b]),
            }
        };
        let y = match (numbers, truth) {
            (Numbers::Float, _) => {
                self.floats(op, a)?;
                self.like(of(a, b))
            }
            (_, Some(truth)) if dtype == DType::Bool => self.like(plain(truth, &[a, b])),
            (Numbers::Signed, _) if dtype.is_int() => self.like(of(a, b)),
            (Numbers::Unsigned, _) if dtype.is_int() => {
                self.as_unsigned(op, [a, b], |import, [a, b]| import.like(of(a, b)))?
            }
            _ => return self.wrong_type(op, "an operand", self.ty(a), "integers"),
        };
        Ok(vec![y])
    }

    /// Runs `f` on the operands as unsigned numbers; its result is read as signed again.
    pub(super) fn as_unsigned(
        &mut self,
        op: &Op,
        mut xs: [ValueId; 2],
        f: impl FnOnce(&mut Self, [ValueId; 2]) -> ValueId,
    ) -> Result<ValueId, Failure> {
        let mut signed = None;
        for x in &mut xs {
            let dtype = self.dtype(op, *x)?;
            let Some(to) = unsigned(dtype) else {
                return self.wrong_type(op, "an operand", self.ty(*x), "integers");
            };
            signed = Some(dtype);
            *x = self.bitcast(*x, to);
        }
        let y = f(self, xs);
        let is_number = self.ty(y).dtype().is_some_and(DType::is_int);
        Ok(match signed {
            Some(dtype) if is_number => self.bitcast(y, dtype),
            _ => y,
        })
    }

    pub(super) fn floats(&self, op: &Op, x: ValueId) -> Result<DType, Failure> {
        match self.dtype(op, x)? {
            dtype if dtype.is_float() => Ok(dtype),
            _ => self.wrong_type(op, "an operand", self.ty(x), "floats"),
        }
    }

    fn not(&mut self, x: ValueId) -> ValueId {
        self.truth(ops::Not::new(x))
    }

    fn compare_integers(&mut self, op: &Op, a: ValueId, b: ValueId) -> Result<ValueId, Failure> {
        const PREDICATES: &[&str] =
            &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
        let predicate = self.keyword(op, "predicate", PREDICATES)?;
        let dtype = self.dtype(op, a)?;
        if !dtype.is_int() && dtype != DType::Bool {
            return self.wrong_type(op, "an operand", self.ty(a), "integers");
        }
        match predicate {
            "eq" => return Ok(self.truth(ops::Equal::new(a, b))),
            "ne" => {
                let equal = self.truth(ops::Equal::new(a, b));
                return Ok(self.not(equal));
            }
            _ => {}
        }
        let (sign, order) = predicate.split_at(1);
        let kind = match order {
            "lt" => K::Less,
            "le" => K::LessOrEqual,
            "gt" => K::Greater,
            _ => K::GreaterOrEqual,
        };
        if dtype == DType::Bool {
            // As a signed number true is −1, so the order is reversed.
            let (a, b) = if sign == "s" { (b, a) } else { (a, b) };
            let (a, b) = (self.converted(a, DType::U8), self.converted(b, DType::U8));
            return Ok(self.truth(plain(kind, &[a, b])));
        }
        match sign {
            "s" => Ok(self.truth(plain(kind, &[a, b]))),
            _ => self.as_unsigned(op, [a, b], |import, xs| import.truth(plain(kind, &xs))),
        }
    }

    /// Ordered predicates are false where an operand is NaN, unordered ones true: they negate the opposite.
    fn compare_floats(&mut self, op: &Op, a: ValueId, b: ValueId) -> Result<ValueId, Failure> {
        const PREDICATES: &[&str] = &[
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
            "ule", "une", "uno", "true",
        ];
        let predicate = self.keyword(op, "predicate", PREDICATES)?;
        self.floats(op, a)?;
        let (kind, negate) = match predicate {
            "oeq" => (K::Equal, false),
            "ogt" => (K::Greater, false),
            "oge" => (K::GreaterOrEqual, false),
            "olt" => (K::Less, false),
            "ole" => (K::LessOrEqual, false),
            "une" => (K::Equal, true),
            "ugt" => (K::LessOrEqual, true),
            "uge" => (K::Less, true),
            "ult" => (K::GreaterOrEqual, true),
            "ule" => (K::Greater, true),
            "one" | "ueq" => {
                let (less, greater) =
                    (self.truth(ops::Less::new(a, b)), self.truth(ops::Greater::new(a, b)));
                let differ = self.truth(ops::Or::new(less, greater));
                return Ok(if predicate == "one" { differ } else { self.not(differ) });
            }
            "ord" | "uno" => {
                let (a, b) = (self.truth(ops::IsNaN::new(a)), self.truth(ops::IsNaN::new(b)));
                let unordered = self.truth(ops::Or::new(a, b));
                return Ok(if predicate == "uno" { unordered } else { self.not(unordered) });
            }
            constant => {
                let ty = super::emit::elements(Some(self.ty(a)), DType::Bool);
                let value = self.integer((constant == "true").into(), &ty);
                return value
                    .ok_or_else(|| self.failure(crate::ErrorKind::UnknownOp(op.name.to_string())));
            }
        };
        let y = self.truth(plain(kind, &[a, b]));
        Ok(if negate { self.not(y) } else { y })
    }

    /// A scalar condition of blocks is splat, so that all operands have one shape.
    fn select(
        &mut self,
        op: &Op,
        condition: ValueId,
        x: ValueId,
        y: ValueId,
    ) -> Result<ValueId, Failure> {
        let ty = self.ty(x).clone();
        if ty.shape().is_none() {
            return self.wrong_type(op, "operand 1", &ty, "numbers or pointers");
        }
        if self.ty(condition).dtype() != Some(DType::Bool) {
            return self.wrong_type(op, "operand 0", self.ty(condition), "truth values");
        }
        let scalar = self.ty(condition).shape().is_some_and(<[_]>::is_empty);
        let condition = match ty.shape() {
            Some([_, ..]) if scalar => {
                let shape = super::emit::elements(Some(&ty), DType::Bool);
                self.emit(ops::Splat::new(condition), shape)
            }
            _ => condition,
        };
        Ok(self.emit(ops::Where::new(condition, x, y), ty))
    }
}
