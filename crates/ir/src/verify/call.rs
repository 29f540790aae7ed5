//! Calls between the functions of a module.

use super::{VerifyError, Violation};
use crate::op::Effect;
use crate::{Func, Module, Op, OpKind, Type, ValueId, ops};
use std::collections::HashMap;

/// Callees exist, belong to the caller's level, and have the call's types. No function calls itself, directly or
/// indirectly. Regions of folds call no functions with effects.
pub(super) fn verify(module: &Module) -> Result<(), VerifyError> {
    let places: HashMap<&str, usize> =
        module.funcs.iter().enumerate().map(|(i, func)| (func.name.as_str(), i)).collect();
    let mut calls: Vec<Vec<(usize, &Op)>> = vec![];
    for func in &module.funcs {
        let mut found = vec![];
        let mut fault = None;
        func.body.walk(&mut |op| {
            // Each function is verified before, so a call fits its row.
            let Some(callee) = ops::Call::of(op).map(|call| call.callee()) else { return };
            match places.get(callee) {
                Some(&i) => found.push((i, op)),
                None => drop(fault.get_or_insert((op, Violation::Callee(callee.to_owned())))),
            }
        });
        if let Some((op, fault)) = fault {
            return Err(broken(func, op, fault));
        }
        for &(callee, op) in &found {
            agree(func, op, &module.funcs[callee]).map_err(|fault| broken(func, op, fault))?;
        }
        calls.push(found);
    }
    let order = callees_first(module, &calls)?;
    folds(module, &calls, &order)
}

fn broken(func: &Func, op: &Op, fault: Violation) -> VerifyError {
    VerifyError::Func { func: func.name.clone(), at: op.name().into(), fault: Box::new(fault) }
}

fn agree(func: &Func, op: &Op, callee: &Func) -> Result<(), Violation> {
    if func.level != callee.level {
        return Err(Violation::Level(callee.level));
    }
    if callee.threads.is_some() {
        return Err(Violation::KernelCalled(callee.name.clone()));
    }
    let name = |ty: Option<&Type>| ty.map_or("none".into(), Type::to_string);
    let given: Vec<Option<ValueId>> = op.inputs.clone();
    for (what, ids, expected) in
        [("argument", &given, &callee.body.params), ("result", &op.outputs, &callee.body.results)]
    {
        for index in 0..ids.len().max(expected.len()) {
            let expected = expected.get(index).map(|&id| callee.ty(id));
            let actual = match ids.get(index) {
                // An unused result fits any type.
                Some(None) if what == "result" && expected.is_some() => continue,
                id => id.copied().flatten().map(|id| func.ty(id)),
            };
            if expected != actual {
                let callee = callee.name.clone();
                let (expected, actual) = (name(expected), name(actual));
                return Err(Violation::CallType { callee, what, index, expected, actual });
            }
        }
    }
    Ok(())
}

/// The functions in an order in which callees come before their callers.
fn callees_first(module: &Module, calls: &[Vec<(usize, &Op)>]) -> Result<Vec<usize>, VerifyError> {
    let mut order = vec![];
    let mut done = vec![false; calls.len()];
    // A function is done once all its callees are. If a round finishes none, only cycles and their callers are left.
    while order.len() < calls.len() {
        let before = order.len();
        for (i, callees) in calls.iter().enumerate() {
            if !done[i] && callees.iter().all(|&(callee, _)| done[callee]) {
                done[i] = true;
                order.push(i);
            }
        }
        if order.len() == before {
            let stuck = calls.iter().enumerate().filter(|(i, _)| !done[*i]);
            let call =
                stuck.flat_map(|(i, c)| c.iter().map(move |c| (i, c))).find(|(_, c)| !done[c.0]);
            let Some((i, (callee, op))) = call else { return Ok(order) };
            let name = module.funcs[*callee].name.clone();
            return Err(broken(&module.funcs[i], op, Violation::Recursion(name)));
        }
    }
    Ok(order)
}

/// No fold calls what has effects.
fn folds(module: &Module, calls: &[Vec<(usize, &Op)>], order: &[usize]) -> Result<(), VerifyError> {
    let mut pure = vec![false; calls.len()];
    for &i in order {
        let func = &module.funcs[i];
        let mut own = Effect::Pure;
        let mut fault = None;
        func.body.walk(&mut |op| {
            if op.kind != OpKind::Call {
                own = own.max(op.decl().effect());
            }
            if matches!(op.kind, OpKind::Reduce | OpKind::PrefixScan) {
                for region in &op.regions {
                    region.walk(&mut |inner| {
                        let call = calls[i].iter().find(|(_, call)| std::ptr::eq(*call, inner));
                        if let Some((callee, _)) = call.filter(|(callee, _)| !pure[*callee]) {
                            let name = module.funcs[*callee].name.clone();
                            fault.get_or_insert_with(|| {
                                (op, Violation::Effect(format!("call of @{name}")))
                            });
                        }
                    });
                }
            }
        });
        if let Some((op, fault)) = fault {
            return Err(broken(func, op, fault));
        }
        pure[i] = own == Effect::Pure && calls[i].iter().all(|&(callee, _)| pure[callee]);
    }
    Ok(())
}
