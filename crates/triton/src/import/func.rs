//! Functions, and the module that they make.

use super::{Context, Import};
use crate::ttir::{Attr, Op, Tree};
use crate::{ErrorKind, Failure};
use std::collections::HashMap;
use trident_ir::{Block, Func, Module, Type, ops};

/// Types of parameters and results.
pub(super) struct Signature {
    pub(super) params: Vec<Type>,
    pub(super) results: Vec<Type>,
}

/// Brings all functions of a text to the `tile` level, the public one first.
pub(crate) fn module(tree: &Tree) -> Result<Module, Failure> {
    let mut context = Context { tree, signatures: HashMap::new() };
    let mut entry = None;
    for (i, op) in tree.top_ops().enumerate() {
        if op.name != "tt.func" {
            return Err(Failure::new(
                op.at,
                ErrorKind::Expected {
                    expected: "a function, `tt.func`",
                    found: format!("`{}`", op.name),
                },
            ));
        }
        let name = name(op)?;
        let private = op.dict.get("sym_visibility").and_then(Attr::word);
        if entry.is_none() && !matches!(private, Some("private" | "nested")) {
            entry = Some(i);
        }
        if context.signatures.insert(name, signature(tree, op)?).is_some() {
            return Err(Failure::new(op.at, ErrorKind::DefinedTwice(format!("@{name}"))));
        }
    }
    let Some(entry) = entry else { return Err(Failure::new(0, ErrorKind::NoEntry)) };
    let mut module = Module::default();
    let others = (0..tree.top.len()).filter(|&i| i != entry);
    for i in [entry].into_iter().chain(others) {
        module.funcs.push(func(&context, &tree[tree.top[i]])?);
    }
    match recursive(&module) {
        None => Ok(module),
        Some(name) => {
            let at = tree.top_ops().find(|op| self::name(op).is_ok_and(|n| n == name));
            let fault = ErrorKind::Recursion(name.to_owned());
            Err(Failure::new(at.map_or(0, |op| op.at), fault))
        }
    }
}

fn name(op: &Op) -> Result<&str, Failure> {
    match op.dict.get("sym_name") {
        Some(Attr::Symbol(name) | Attr::Str(name)) => Ok(name),
        _ => Err(Failure::new(
            op.at,
            ErrorKind::Attribute {
                op: op.name.to_string(),
                name: "sym_name",
                expected: "a symbol",
            },
        )),
    }
}

fn signature(tree: &Tree, op: &Op) -> Result<Signature, Failure> {
    let entry = op.regions.first().and_then(|&region| tree.entry(region));
    let params = entry.map_or(&[][..], |block| &block.params);
    let results = match op.dict.get("results") {
        Some(Attr::List(types)) => types
            .iter()
            .filter_map(|ty| if let Attr::Type(ty) = ty { Some(ty.clone()) } else { None })
            .collect(),
        _ => {
            let expected = "the printed form of a function";
            return Err(Failure::new(
                op.at,
                ErrorKind::Expected { expected, found: "another".into() },
            ));
        }
    };
    Ok(Signature { params: tree.types(params).cloned().collect(), results })
}

fn func<'a>(context: &'a Context<'a>, op: &'a Op) -> Result<Func, Failure> {
    let name = name(op)?;
    let mut import = Import::new(context, name);
    import.enter(op);
    import.expected = super::blocks::size(context.tree, &op.regions);
    let Some(&region) = op.regions.first() else { return import.unknown(op) };
    let mut body = import.region(region, "tt.return")?;
    if let Some(signature) = context.signatures.get(name) {
        import.yields(op, &body, &signature.results)?;
    }
    name_rest(&mut body, &mut import.func);
    import.func.body = body;
    import.func.unique_names();
    import.func.renumber();
    Ok(import.func)
}

/// Values without a name in the text get that of their op.
fn name_rest(block: &mut Block, func: &mut Func) {
    for op in &mut block.ops {
        for id in op.defined() {
            let name = &mut func.values[id.index()].name;
            if name.is_empty() {
                *name = op.decl().name.into();
            }
        }
        for region in &mut op.regions {
            name_rest(region, func);
        }
    }
}

/// A function that calls itself, directly or indirectly, found depth first with an explicit path instead of recursion.
fn recursive(module: &Module) -> Option<&str> {
    let numbers: HashMap<&str, usize> =
        module.funcs.iter().enumerate().map(|(i, func)| (func.name.as_str(), i)).collect();
    let callees = |func: &Func| {
        let mut found: Vec<usize> = vec![];
        func.body.walk(&mut |op| {
            if let Some(call) = ops::Call::of(op) {
                found.extend(numbers.get(call.callee()));
            }
        });
        found
    };
    let calls: Vec<_> = module.funcs.iter().map(callees).collect();
    let (mut started, mut done) = (vec![false; calls.len()], vec![false; calls.len()]);
    for first in 0..calls.len() {
        let mut path = if started[first] { vec![] } else { vec![(first, 0)] };
        started[first] = true;
        while let Some((func, next)) = path.last_mut() {
            let Some(&callee) = calls[*func].get(*next) else {
                done[*func] = true;
                path.pop();
                continue;
            };
            *next += 1;
            if !started[callee] {
                started[callee] = true;
                path.push((callee, 0));
            } else if !done[callee] {
                return Some(&module.funcs[callee].name);
            }
        }
    }
    None
}
