//! Types given for parameters, and the numbers that they give dimension names.

use super::error::ShapeError;
use super::expr::Expr;
use super::unify;
use crate::{Dim, Func, TensorType, Type, ValueId};
use std::collections::HashMap;

/// Gives parameters their types, and replaces dimension names by their values in the types of all values.
///
/// This is enough where all dimensions are expressions over those of the parameters. [`infer`](super::infer) looks at the ops, too.
pub fn bind(func: &mut Func, inputs: &HashMap<ValueId, Type>) -> Result<(), ShapeError> {
    for &value in inputs.keys() {
        if !func.body.params.contains(&value) {
            let tensor = func.values.get(value.index()).map(|v| v.name.clone());
            return Err(ShapeError::NotParameter { tensor: tensor.unwrap_or_default() });
        }
    }
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for &param in &func.body.params {
        let Some(given) = inputs.get(&param) else { continue };
        let info = func.info(param);
        let error = |detail: String| ShapeError::Parameter {
            tensor: info.name.clone(),
            actual: given.to_string(),
            declared: info.ty.to_string(),
            detail,
        };
        unify(given, &info.ty).ok_or_else(|| error(String::new()))?;
        let (Some(new), Some(old)) = (given.shape(), info.ty.shape()) else { continue };
        for (new, old) in new.iter().zip(old) {
            let (Some(n), Some(Some(name))) =
                (new.fixed(), Expr::of(old).map(|e| e.as_name().map(|n| n.to_string())))
            else {
                continue;
            };
            match numbers.insert(name.clone(), n) {
                Some(before) if before != n => {
                    return Err(error(format!(": {name} is {before} and {n}")));
                }
                _ => {}
            }
        }
    }
    if !numbers.is_empty() {
        for info in &mut func.values {
            substitute(&mut info.ty, &numbers);
        }
    }
    for (&param, given) in inputs {
        let info = &mut func.values[param.index()];
        info.ty = unify(given, &info.ty).ok_or_else(|| ShapeError::Parameter {
            tensor: info.name.clone(),
            actual: given.to_string(),
            declared: info.ty.to_string(),
            detail: String::new(),
        })?;
    }
    Ok(())
}

fn substitute(ty: &mut Type, numbers: &HashMap<String, usize>) {
    match ty {
        Type::Tensor(TensorType { shape: Some(shape), .. }) => {
            for dim in shape.iter_mut().filter(|d| matches!(d, Dim::Sym(_))) {
                let lookup = |name: &str| {
                    numbers.get(name).and_then(|n| i64::try_from(*n).ok()).map(Expr::from)
                };
                *dim = Expr::of(dim)
                    .and_then(|e| e.substitute(&lookup))
                    .map_or(Dim::Unknown, |e| e.dim());
            }
        }
        Type::Seq(inner) | Type::Optional(inner) | Type::Map(_, inner) => {
            substitute(inner, numbers)
        }
        Type::Tensor(_)
        | Type::Pointer(_)
        | Type::Descriptor(_)
        | Type::Matrix(_)
        | Type::Accumulator(_) => {}
    }
}
