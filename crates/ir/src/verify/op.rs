//! One op against its declaration.

use super::{Violation, expect};
use crate::op::Arity;
use crate::{Attr, Func, Level, Op};

/// Level, counts and attributes.
pub(super) fn declared(level: Level, op: &Op) -> Result<(), Violation> {
    let decl = op.decl();
    if !decl.allowed_at(level) {
        return Err(Violation::Level(level));
    }
    operands(op)?;
    let ((least, most), actual) = (decl.result_count(), op.outputs.len());
    if !(least..=most).contains(&actual) {
        return Err(Violation::Results { least, most, actual });
    }
    attributes(op)?;
    match (decl.regions, op.regions.len()) {
        (expected, actual) if expected != actual => Err(Violation::Regions { expected, actual }),
        _ => Ok(()),
    }
}

/// The operands that the row asks for, and no more.
pub(crate) fn operands(op: &Op) -> Result<(), Violation> {
    let decl = op.decl();
    let (least, most) = decl.operand_count();
    for index in 0..op.inputs.len().max(least) {
        let Some(operand) = decl.operand(index) else {
            return Err(Violation::Operands { most, actual: op.inputs.len() });
        };
        if operand.arity != Arity::Optional && op.input(index).is_none() {
            return Err(Violation::MissingOperand { index, name: operand.name });
        }
    }
    Ok(())
}

/// The attributes are those of the row, with valid values; required ones are present.
pub(crate) fn attributes(op: &Op) -> Result<(), Violation> {
    let decl = op.decl();
    for (name, value) in op.attrs.iter() {
        let Some(attr) = decl.attr(name) else { return Err(Violation::UnknownAttr(name.into())) };
        let (expected, actual) = (attr.kind(), value.kind());
        if expected != actual {
            return Err(Violation::AttrKind { name: attr.name, expected, actual });
        }
        if let Attr::Str(found) = value
            && !attr.takes(value)
        {
            let (name, found, choices) = (attr.name, found.clone(), attr.texts);
            return Err(Violation::AttrWord { name, found, choices });
        }
    }
    if let Some(attr) = decl.attrs.iter().find(|a| a.is_required() && op.attrs.get(a).is_none()) {
        return Err(Violation::MissingAttr(attr.name));
    }
    Ok(())
}

/// Types of the results against the rules.
pub(super) fn typed(func: &Func, op: &Op) -> Result<(), Violation> {
    for (index, (id, expected)) in op.outputs.iter().zip(func.result_types(op)?).enumerate() {
        if let (Some(id), Some(expected)) = (id, expected) {
            let name = op.decl().result(index).map_or("", |r| r.name);
            let fault = |expected, actual| Violation::ResultType { index, name, expected, actual };
            expect(func.ty(*id), expected, fault)?;
        }
    }
    Ok(())
}
