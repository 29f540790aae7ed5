//! The graph of a model as a function.

use super::scope::Scope;
use super::{Frame, Import, Initializer, constant_op, function, initializers, opsets, place};
use crate::error::{OnnxError, OnnxErrorKind};
use crate::external::Folder;
use crate::proto::{FunctionProto, GraphProto, OperatorSetIdProto, ValueInfoProto};
use crate::types;
use std::collections::HashMap;
use trident_ir::{Builder, Func, Level, Literal, Type, ValueId, ValueInfo, ops};

/// The entry function of a model, and the constants that a caller may replace by inputs, with the types of these
/// inputs. There are none unless constants are `overridable`.
pub(crate) fn entry(
    graph: &GraphProto,
    imports: &[OperatorSetIdProto],
    functions: &[FunctionProto],
    folder: &Folder<'_>,
    overridable: bool,
) -> Result<(Func, Vec<ValueInfo>), OnnxError> {
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
    let mut scope = Scope::new(None);
    let (mut params, mut optional) = (vec![], vec![]);
    let initial: HashMap<&str, Initializer<'_>> =
        initializers(graph).map(|i| (i.name(), i)).collect();
    for input in &graph.input {
        let default = initial.get(input.name.as_str()).map(|i| i.literal(&mut import));
        let default = default.transpose()?;
        let ty = input_type(input, default.as_ref())?;
        if default.is_some() && !overridable {
            continue;
        }
        let value = func.value(&input.name, ty.clone());
        scope.define(&input.name, value)?;
        match default {
            None => params.push(value),
            // Nodes are read as if its value were not known, so that none depends on it.
            Some(literal) => optional.push((value, ty, literal)),
        }
    }
    let given = optional.iter().map(|(value, ..)| func.info(*value).name.clone()).collect();
    let mut b = Builder::new(&mut func);
    import.body(&mut b, &mut scope, graph, given, &frame)?;
    let mut results = vec![];
    for output in &graph.output {
        let value = scope.value(&output.name)?;
        check_output(b.func, graph, output, value)?;
        // A result goes by its declared name, even where it is another value under a second name.
        results.push(match b.func.info(value).name == output.name && !results.contains(&value) {
            true => value,
            false => {
                let out = b.add(ops::Identity::new(value))?;
                b.func.values[out.index()].name.clone_from(&output.name);
                out
            }
        });
    }
    let mut block = b.finish();
    (block.params, block.results) = (params, results);
    func.body = block;
    func.unique_names();
    let mut constants = vec![];
    let mut infos = vec![];
    for (value, ty, literal) in optional {
        func.values[value.index()].ty = literal.ty();
        let name = func.info(value).name.clone();
        constants.push(constant_op(&name, value, literal));
        infos.push(ValueInfo { name, ty });
    }
    func.body.ops.splice(0..0, constants);
    Ok((func, infos))
}

/// The type of a graph's input; one with a default must be able to have it as its value.
fn input_type(input: &ValueInfoProto, default: Option<&Literal>) -> Result<Type, OnnxErrorKind> {
    let tensor = || input.name.clone();
    match (declared(input)?, default) {
        (Some(declared), Some(literal)) if !types::holds(&declared, literal) => {
            Err(OnnxErrorKind::Declared { tensor: tensor(), declared, actual: literal.ty() })
        }
        (Some(declared), _) => Ok(declared),
        (None, Some(literal)) => Ok(literal.ty().unshaped()),
        (None, None) => {
            Err(OnnxErrorKind::BadType { tensor: tensor(), reason: "it is not given".into() })
        }
    }
}

/// The declared types of a graph's outputs.
pub(crate) fn declared_outputs(graph: &GraphProto) -> Result<Vec<Option<Type>>, OnnxErrorKind> {
    graph.output.iter().map(declared).collect()
}

/// The declared type of a graph's input or output.
pub(super) fn declared(info: &ValueInfoProto) -> Result<Option<Type>, OnnxErrorKind> {
    let bad = |reason| OnnxErrorKind::BadType { tensor: info.name.clone(), reason };
    match &info.r#type {
        Some(ty) if ty.value.is_some() => types::from_proto(ty).map(Some).map_err(bad),
        _ => Ok(None),
    }
}

/// Checks that a value is of the type that the graph declares.
pub(super) fn check(
    func: &Func,
    info: &ValueInfoProto,
    value: ValueId,
) -> Result<(), OnnxErrorKind> {
    match declared(info)? {
        Some(declared) if !types::agree(&declared, func.ty(value)) => {
            Err(OnnxErrorKind::Declared {
                tensor: info.name.clone(),
                declared,
                actual: func.ty(value).clone(),
            })
        }
        _ => Ok(()),
    }
}

/// Like [`check`], for an output of a graph: an error names the node that produces it.
pub(super) fn check_output(
    func: &Func,
    graph: &GraphProto,
    info: &ValueInfoProto,
    value: ValueId,
) -> Result<(), OnnxError> {
    check(func, info, value).map_err(|fault| {
        let node = graph.node.iter().find(|node| node.output.contains(&info.name));
        OnnxError { fault, place: node.map(|node| place(node, &graph.name)) }
    })
}
