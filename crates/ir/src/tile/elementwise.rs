//! Elementwise ops: nothing broadcasts but a scalar condition of `where`.

use super::{Site, Types, one, with_dims};
use crate::op::{Elements, Rule, TypeError};
use crate::{DType, OpKind, Type};
use OpKind as K;

pub(crate) fn infer(site: &Site<'_>) -> Types {
    let kind = site.op.kind;
    if kind == K::Where {
        return select(site);
    }
    let takes = match (kind, site.op.decl().operand(0)) {
        (K::Pow, _) => Elements::Float,
        (_, Some(operand)) => operand.takes,
        (_, None) => Elements::Any,
    };
    let (dtype, dims) = site.elements(0, takes.name(), |d| takes.accept(d))?;
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
    let result = match site.op.decl().result(0).map(|r| r.rule) {
        Some(Rule::Is(dtype)) => dtype,
        Some(Rule::Attr(name)) => site.dtype(name)?,
        _ => dtype,
    };
    match kind {
        K::BitCast => bitcast(site, dtype, result)?,
        K::BitShift => drop(site.choice("direction", &["LEFT", "RIGHT"])?),
        K::Cast if dtype.is_float() => drop(site.choice("rounding", &["rtne", "rtz"])?),
        K::Cast => drop(site.choice("rounding", &["rtne"])?),
        K::Clamp => drop(site.flag("propagate_nan")?),
        K::Gelu => drop(site.choice("approximate", &["none", "tanh"])?),
        K::Libm if site.op.str("function").is_none_or(str::is_empty) => {
            return Err(site.wrong_attr("function", "the name of a function"));
        }
        K::Mod => drop(site.flag("fmod")?),
        _ => {}
    }
    one(Type::fixed(result, &dims))
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
fn bitcast(site: &Site<'_>, from: DType, to: DType) -> Result<(), TypeError> {
    let fits = from == to || (from.bits() == to.bits() && from != DType::Bool && to != DType::Bool);
    match fits {
        true => Ok(()),
        false => Err(site.wrong_attr("to", format!("a type as wide as {from}"))),
    }
}
