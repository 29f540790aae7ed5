//! Elementwise ops: nothing broadcasts but a scalar condition of `where`.

use super::{Site, Types, one, with_dims};
use crate::op::TypeError;
use crate::{DType, OpKind, Type};
use OpKind as K;

/// The element types that an op takes.
#[derive(Clone, Copy)]
enum Takes {
    Float,
    Int,
    Bool,
    /// Floats and integers.
    Number,
    Any,
}

impl Takes {
    fn of(kind: OpKind) -> Takes {
        match kind {
            K::Abs | K::Neg | K::Relu | K::Sign | K::LeakyRelu | K::ThresholdedRelu | K::Shrink => {
                Takes::Number
            }
            K::Add | K::Sub | K::Mul | K::Div | K::Mod | K::Max | K::Min | K::Sum | K::Clip => {
                Takes::Number
            }
            K::BitShift
            | K::BitwiseAnd
            | K::BitwiseNot
            | K::BitwiseOr
            | K::BitwiseXor
            | K::MulHigh => Takes::Int,
            K::And | K::Not | K::Or | K::Xor => Takes::Bool,
            K::Equal | K::Greater | K::GreaterOrEqual | K::Less | K::LessOrEqual => Takes::Any,
            K::BitCast | K::Cast | K::Libm => Takes::Any,
            _ => Takes::Float,
        }
    }

    fn takes(self, dtype: DType) -> bool {
        match self {
            Takes::Float => dtype.is_float(),
            Takes::Int => dtype.is_int(),
            Takes::Bool => dtype == DType::Bool,
            Takes::Number => dtype.is_float() || dtype.is_int(),
            Takes::Any => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Takes::Float => "floats",
            Takes::Int => "integers",
            Takes::Bool => "truth values",
            Takes::Number => "numbers",
            Takes::Any => "elements",
        }
    }
}

pub(super) fn infer(site: &Site<'_>) -> Types {
    let kind = site.op.kind;
    if kind == K::Where {
        return select(site);
    }
    let takes = Takes::of(kind);
    let (dtype, dims) = site.elements(0, takes.name(), |d| takes.takes(d))?;
    for i in 1..site.op.inputs.len() {
        let dims = if kind == K::Clip { &[][..] } else { &dims };
        match (kind, site.optional(i)) {
            (K::Libm, Some(_)) if site.tensor(i)?.1 == dims => {}
            (K::Libm, Some(_)) => {
                return Err(site.wrong(i, format!("elements in dimensions {dims:?}")));
            }
            (K::Clip, None) => {}
            _ => site.expect(i, &Type::fixed(dtype, dims))?,
        }
    }
    match kind {
        K::IsNaN
        | K::IsInf
        | K::Equal
        | K::Greater
        | K::GreaterOrEqual
        | K::Less
        | K::LessOrEqual => one(Type::fixed(DType::Bool, &dims)),
        K::Cast => {
            site.choice("rounding", &["rtne", "rtz"])?;
            one(Type::fixed(site.dtype("to")?, &dims))
        }
        K::BitCast => bitcast(site, dtype, &dims),
        K::Libm => {
            if site.op.str("function").is_none_or(str::is_empty) {
                return Err(site.wrong_attr("function", "the name of a function"));
            }
            one(Type::fixed(site.dtype("to")?, &dims))
        }
        K::BitShift => {
            site.choice("direction", &["LEFT", "RIGHT"])?;
            one(Type::fixed(dtype, &dims))
        }
        K::Clamp => site.flag("propagate_nan").and(one(Type::fixed(dtype, &dims))),
        K::Mod => site.flag("fmod").and(one(Type::fixed(dtype, &dims))),
        _ => one(Type::fixed(dtype, &dims)),
    }
}

/// `where` takes blocks of elements or pointers.
fn select(site: &Site<'_>) -> Types {
    let dims = site.dims(1)?;
    let ty = with_dims(site.operand(1)?, &dims);
    site.expect(2, &ty)?;
    if site.operand(0)? != &Type::fixed(DType::Bool, &[]) {
        site.mask(0, &dims)?;
    }
    one(ty)
}

/// Truth values have no bits of their own: they are one in a register and a byte in memory.
fn bitcast(site: &Site<'_>, from: DType, dims: &[usize]) -> Result<Vec<Option<Type>>, TypeError> {
    let to = site.dtype("to")?;
    let fits = from == to || (from.bits() == to.bits() && from != DType::Bool && to != DType::Bool);
    match fits {
        true => one(Type::fixed(to, dims)),
        false => Err(site.wrong_attr("to", format!("a type as wide as {from}"))),
    }
}
