//! Types given for parameters, and the numbers that they give dimension names.

use super::error::ShapeError;
use super::expr::Expr;
use super::unify;
use crate::{Dim, Func, TensorType, Type, ValueId};
use std::collections::HashMap;
use std::sync::Arc;

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
        let mut bound = HashMap::new();
        for info in &mut func.values {
            substitute(&mut info.ty, &numbers, &mut bound);
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

/// Replaces names in a type. `bound` has the dimensions that were computed before, as few expressions are the dimensions of
/// many values.
fn substitute(ty: &mut Type, numbers: &HashMap<String, usize>, bound: &mut HashMap<Arc<str>, Dim>) {
    match ty {
        Type::Tensor(TensorType { shape: Some(shape), .. }) => {
            let lookup =
                |name: &str| numbers.get(name).and_then(|n| i64::try_from(*n).ok()).map(Expr::from);
            for dim in shape.iter_mut() {
                let Dim::Sym(text) = &*dim else { continue };
                let compute = || {
                    let expr = Expr::of(dim).and_then(|e| e.substitute(&lookup));
                    expr.map_or(Dim::Unknown, |e| e.dim())
                };
                *dim = bound.entry(text.clone()).or_insert_with(compute).clone();
            }
        }
        Type::Seq(inner) | Type::Optional(inner) | Type::Map(_, inner) => {
            substitute(inner, numbers, bound)
        }
        Type::Tensor(_)
        | Type::Pointer(_)
        | Type::Descriptor(_)
        | Type::Matrix(_)
        | Type::Accumulator(_) => {}
    }
}
