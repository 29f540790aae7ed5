//! Checks of operands' element types against the op table.

use super::error::ShapeError;
use crate::op::Elements;
use crate::{Func, Op};

/// Checks the operands of an op against what it takes.
pub(super) fn operands(op: &Op, func: &Func) -> Result<(), ShapeError> {
    let error = |i: usize, expected: String| {
        let value = op.input(i).map(|v| func.info(v));
        ShapeError::Operand {
            op: op.name().into(),
            tensor: value.map_or_else(String::new, |v| v.name.clone()),
            actual: value.map_or_else(|| "absent".to_owned(), |v| v.ty.to_string()),
            expected,
        }
    };
    let dtype = |i: usize| op.input(i).and_then(|v| func.ty(v).dtype());
    let declared = |i: usize| op.decl().operand(i);
    let present = || (0..op.inputs.len()).filter(|&i| op.input(i).is_some());
    for i in present() {
        let takes = declared(i).map_or(Elements::Any, |o| o.takes);
        let any = matches!(takes, Elements::Any | Elements::Value);
        if !any && !dtype(i).is_some_and(|d| takes.accept(d)) {
            return Err(error(i, format!("a tensor of {}", takes.name())));
        }
    }
    for i in present() {
        let Some(name) = declared(i).and_then(|o| o.alike) else { continue };
        let shares = |&j: &usize| declared(j).and_then(|o| o.alike) == Some(name);
        let first = (0..i).filter(shares).find_map(|j| Some((j, dtype(j)?)));
        if let (Some((first, expected)), Some(actual)) = (first, dtype(i))
            && actual != expected
        {
            let like = op.input(first).map_or("", |v| func.info(v).name.as_str());
            return Err(error(i, format!("{expected}, as `{like}`")));
        }
    }
    let is_tensor = |i: usize| dtype(i).is_some();
    let takes_others = |i: usize| declared(i).is_some_and(|o| o.takes == Elements::Value);
    match present().find(|&i| !is_tensor(i) && !takes_others(i)) {
        Some(i) => Err(error(i, "a tensor".to_owned())),
        None => Ok(()),
    }
}
