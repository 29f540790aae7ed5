//! Functions of the model, expanded where they are called.

use super::scope::Scope;
use super::{Frame, FunctionKey, Import, MOST_DEPTH, opsets};
use crate::catalog;
use crate::error::{OnnxError, OnnxErrorKind};
use crate::proto::{AttributeProto, FunctionProto, NodeProto};
use std::collections::HashMap;
use trident_ir::{Builder, ValueId};

/// The functions of a model by name.
pub(super) fn index(
    functions: &[FunctionProto],
) -> Result<HashMap<FunctionKey<'_>, &FunctionProto>, OnnxErrorKind> {
    let mut found = HashMap::new();
    for f in functions {
        let key = (catalog::canonical(&f.domain), f.name.as_str(), f.overload.as_str());
        if found.insert(key, f).is_some() {
            return Err(OnnxErrorKind::FunctionTwice { function: show(&key) });
        }
    }
    Ok(found)
}

fn show((domain, name, overload): &FunctionKey<'_>) -> String {
    let domain = catalog::display(domain);
    match overload.is_empty() {
        true => format!("{domain}.{name}"),
        false => format!("{domain}.{name}:{overload}"),
    }
}

/// A node's attributes by name, references to those of the function around it resolved. One that refers
/// to an attribute without a value is left out.
pub(super) fn resolve_attrs<'a>(
    node: &'a NodeProto,
    frame: &Frame<'a>,
) -> Result<Vec<(&'a str, &'a AttributeProto)>, OnnxErrorKind> {
    let mut found: Vec<(&str, &AttributeProto)> = vec![];
    for attr in &node.attribute {
        let name = attr.name.as_str();
        if found.iter().any(|(n, _)| *n == name) {
            return Err(OnnxErrorKind::AttributeTwice { name: name.to_owned() });
        }
        if attr.ref_attr_name.is_empty() {
            found.push((name, attr));
            continue;
        }
        let values = frame.attrs.as_ref().ok_or_else(|| OnnxErrorKind::AttributeValue {
            name: name.to_owned(),
            found: format!("a reference to `{}`", attr.ref_attr_name),
            expected: "a value; references to attributes are allowed in functions only",
        })?;
        let Some(value) = values.get(attr.ref_attr_name.as_str()) else { continue };
        if value.g.is_some() {
            // Its names would belong to the caller.
            return Err(OnnxErrorKind::AttributeValue {
                name: name.to_owned(),
                found: format!("a subgraph passed as `{}`", attr.ref_attr_name),
                expected: "a subgraph of the function itself",
            });
        }
        found.push((name, value));
    }
    Ok(found)
}

impl<'a> Import<'a, '_> {
    /// Expands a call of a function; gives its results.
    pub(super) fn call(
        &mut self,
        b: &mut Builder<'_>,
        function: &'a FunctionProto,
        key: FunctionKey<'a>,
        inputs: &[Option<ValueId>],
        attrs: &[(&'a str, &'a AttributeProto)],
        frame: &Frame<'a>,
    ) -> Result<Vec<Option<ValueId>>, OnnxError> {
        if frame.calls.contains(&key) {
            return Err(OnnxErrorKind::Recursion { function: show(&key) }.into());
        }
        if frame.depth >= MOST_DEPTH {
            return Err(OnnxErrorKind::TooDeep { limit: MOST_DEPTH }.into());
        }
        if inputs.len() > function.input.len() {
            let (found, most) = (inputs.len(), function.input.len());
            return Err(OnnxErrorKind::Arity { what: "operand", found, least: 0, most }.into());
        }
        let mut calls = frame.calls.clone();
        calls.push(key);
        let inner = Frame {
            opsets: opsets(&function.opset_import)?,
            attrs: Some(bind_attrs(function, attrs)?),
            calls,
            name: &function.name,
            depth: frame.depth + 1,
        };
        let mut scope = Scope::new(None);
        for (i, name) in function.input.iter().enumerate() {
            match inputs.get(i).copied().flatten() {
                Some(value) => scope.define(name, value)?,
                None => scope.leave_out(name)?,
            }
        }
        self.nodes(b, &mut scope, &function.node, &inner)?;
        Ok(function.output.iter().map(|name| scope.operand(name)).collect::<Result<_, _>>()?)
    }
}

/// The values of a function's attributes: as the call gives them, or their defaults.
fn bind_attrs<'a>(
    function: &'a FunctionProto,
    given: &[(&'a str, &'a AttributeProto)],
) -> Result<HashMap<&'a str, &'a AttributeProto>, OnnxErrorKind> {
    let defaults = function.attribute_proto.iter().map(|a| (a.name.as_str(), a));
    let mut values: HashMap<&str, &AttributeProto> = defaults.collect();
    for &(name, value) in given {
        if !values.contains_key(name) && !function.attribute.iter().any(|a| a == name) {
            return Err(OnnxErrorKind::UnknownAttribute { name: name.to_owned() });
        }
        values.insert(name, value);
    }
    let missing = function.attribute.iter().find(|name| !values.contains_key(name.as_str()));
    match missing {
        Some(name) => Err(OnnxErrorKind::MissingAttribute { name: name.clone() }),
        None => Ok(values),
    }
}
