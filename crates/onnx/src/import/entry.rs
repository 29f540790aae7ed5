//! The graph of a model as a function.

use super::scope::Scope;
use super::{Frame, Import, function, opsets, place};
use crate::error::{Fault, LoadError};
use crate::external::Folder;
use crate::proto::{FunctionProto, GraphProto, OperatorSetIdProto, ValueInfoProto};
use crate::types;
use std::collections::{HashMap, HashSet};
use trident_ir::{Builder, Func, Level, Literal, OpKind, Type, ValueId};

/// The entry function of a model, and the constants that a caller may override by name.
pub(crate) fn entry(
    graph: &GraphProto,
    imports: &[OperatorSetIdProto],
    functions: &[FunctionProto],
    folder: &Folder<'_>,
) -> Result<(Func, Vec<(String, Literal)>), LoadError> {
    let mut import = Import {
        folder,
        functions: function::index(functions)?,
        literals: HashMap::new(),
        inlined: 0,
    };
    let frame =
        Frame { opsets: opsets(imports)?, attrs: None, calls: vec![], name: &graph.name, depth: 0 };
    let name = if graph.name.is_empty() { "main" } else { &graph.name };
    let mut func = Func::new(name, Level::Graph);
    let initialized: HashSet<&str> = initializer_names(graph).collect();
    let mut scope = Scope::new(&graph.node, None);
    let mut params = vec![];
    for input in graph.input.iter().filter(|i| !initialized.contains(i.name.as_str())) {
        let ty = declared(input)?.ok_or_else(|| Fault::BadType {
            tensor: input.name.clone(),
            reason: "it is not given".to_owned(),
        })?;
        let value = func.value(&input.name, ty);
        scope.define(&input.name, value)?;
        params.push(value);
    }
    let mut b = Builder::new(&mut func);
    import.body(&mut b, &mut scope, graph, &frame)?;
    let mut results = vec![];
    for output in &graph.output {
        let value = scope.value(&output.name)?;
        check_output(b.func, graph, output, value)?;
        // A result goes by its declared name, even where it is another value under a second name.
        results.push(match b.func.info(value).name == output.name && !results.contains(&value) {
            true => value,
            false => {
                let out = b.op(OpKind::Identity, &[value], &[])?;
                b.func.values[out.index()].name.clone_from(&output.name);
                out
            }
        });
    }
    let mut block = b.finish();
    (block.params, block.results) = (params, results);
    func.body = block;
    func.unique_names();
    let inputs: HashSet<&str> = graph.input.iter().map(|i| i.name.as_str()).collect();
    let mut defaults = vec![];
    for t in graph.initializer.iter().filter(|t| inputs.contains(t.name.as_str())) {
        defaults.push((t.name.clone(), import.literal(t)?));
    }
    Ok((func, defaults))
}

fn initializer_names(graph: &GraphProto) -> impl Iterator<Item = &str> {
    let sparse = graph.sparse_initializer.iter().filter_map(|s| s.values.as_ref());
    graph.initializer.iter().chain(sparse).map(|t| t.name.as_str())
}

/// The declared type of a graph's input or output.
pub(super) fn declared(info: &ValueInfoProto) -> Result<Option<Type>, Fault> {
    let bad = |reason| Fault::BadType { tensor: info.name.clone(), reason };
    match &info.r#type {
        Some(ty) if ty.value.is_some() => types::from_proto(ty).map(Some).map_err(bad),
        _ => Ok(None),
    }
}

/// Checks that a value is of the type that the graph declares.
pub(super) fn check(func: &Func, info: &ValueInfoProto, value: ValueId) -> Result<(), Fault> {
    match declared(info)? {
        Some(declared) if !types::agree(&declared, func.ty(value)) => Err(Fault::Declared {
            tensor: info.name.clone(),
            declared,
            actual: func.ty(value).clone(),
        }),
        _ => Ok(()),
    }
}

/// As [`check`], for an output of a graph: an error tells the node that produces it.
pub(super) fn check_output(
    func: &Func,
    graph: &GraphProto,
    info: &ValueInfoProto,
    value: ValueId,
) -> Result<(), LoadError> {
    check(func, info, value).map_err(|fault| {
        let node = graph.node.iter().find(|node| node.output.contains(&info.name));
        LoadError { fault, place: node.map(|node| place(node, &graph.name)) }
    })
}
