//! Types of values while a function is rewritten.

use std::collections::HashMap;
use trident_ir::rewrite::{Context, RewriteError};
use trident_ir::{Func, Literal, Type, ValueId, shape};

/// Infers all types again.
pub(crate) fn infer(func: &mut Func, cx: &Context<'_>) -> Result<(), RewriteError> {
    Ok(keeping(func, cx, |func| shape::infer(func, &HashMap::new()))?)
}

/// Infers all types again, and returns the small values that follow from shapes and constants.
pub(crate) fn constants(
    func: &mut Func,
    cx: &Context<'_>,
) -> Result<HashMap<ValueId, Literal>, RewriteError> {
    Ok(keeping(func, cx, shape::constants)?)
}

/// Calls `f`, which infers types. In a part of a function, each value keeps what was known of its type.
fn keeping<T>(func: &mut Func, cx: &Context<'_>, f: impl FnOnce(&mut Func) -> T) -> T {
    if !cx.part {
        return f(func);
    }
    let known: Vec<Type> = func.values.iter().map(|info| info.ty.clone()).collect();
    let result = f(func);
    for (info, known) in func.values.iter_mut().zip(known) {
        if let Some(narrower) = shape::unify(&known, &info.ty) {
            info.ty = narrower;
        }
    }
    result
}
