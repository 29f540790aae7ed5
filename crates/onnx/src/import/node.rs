//! A node on its way into the IR: operands resolved, attributes decoded.

use super::Import;
use super::attr::{Value, decode, wrong_kind};
use super::control::Outputs;
use crate::catalog::Operator;
use crate::dtype;
use crate::error::{OnnxError, OnnxErrorKind, kind_name};
use crate::proto::{AttributeProto, GraphProto, NodeProto};
use trident_ir::op::{Arity, AttrDecl, Default, TypeError};
use trident_ir::{Attr, AttrKind, Builder, DType, Func, Op, Type, ValueId, generic};

/// A node as the model has it: its operands are values of the function under construction, and its attributes go by the names
/// in the file.
pub(crate) struct Node<'a> {
    /// The message.
    pub(crate) proto: &'a NodeProto,
    /// Operator type.
    pub(crate) operator: Operator,
    /// Version of the operator set.
    pub(crate) version: i64,
    /// Operands, without absent ones at the end.
    pub(crate) inputs: Vec<Option<ValueId>>,
    attrs: Vec<(&'a str, Value<'a>)>,
}

macro_rules! take {
    ($($(#[$doc:meta])* $name:ident $kind:ident($value:ty) $expected:literal;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(&mut self, name: &str) -> Result<Option<$value>, OnnxErrorKind> {
            match self.take(name)? {
                None => Ok(None),
                Some(Attr::$kind(v)) => Ok(Some(v)),
                Some(_) => Err(wrong_kind(name, $expected)),
            }
        }
    )* };
}

impl<'a> Node<'a> {
    /// Decodes the attributes of a node.
    pub(crate) fn new(
        import: &mut Import<'a, '_>,
        proto: &'a NodeProto,
        (operator, version): (Operator, i64),
        mut inputs: Vec<Option<ValueId>>,
        attrs: &[(&'a str, &'a AttributeProto)],
    ) -> Result<Node<'a>, OnnxError> {
        trim(&mut inputs);
        let mut node = Node { proto, operator, version, inputs, attrs: vec![] };
        for &(name, attr) in attrs {
            let value = decode(import, name, attr)?;
            node.attrs.push((name, value));
        }
        Ok(node)
    }

    /// The operands, which are at most `N`.
    pub(crate) fn operands<const N: usize>(&self) -> Result<[Option<ValueId>; N], OnnxErrorKind> {
        if self.inputs.len() > N {
            let found = self.inputs.len();
            return Err(OnnxErrorKind::Arity { what: "operand", found, least: 0, most: N });
        }
        Ok(std::array::from_fn(|i| self.inputs.get(i).copied().flatten()))
    }

    /// The operand at a place, which must be there.
    pub(crate) fn need(&self, index: usize, name: &'static str) -> Result<ValueId, OnnxError> {
        let op = self.operator.shown();
        let operand = self.inputs.get(index).copied().flatten();
        Ok(operand.ok_or(TypeError::MissingOperand { op, name, index })?)
    }

    /// The name of result `i`; `None` if it is unused.
    pub(crate) fn output(&self, i: usize) -> Option<&'a str> {
        self.proto.output.get(i).map(String::as_str).filter(|o| !o.is_empty())
    }

    /// The number of results, without unused ones at the end.
    pub(crate) fn outputs(&self) -> usize {
        self.proto.output.iter().rposition(|o| !o.is_empty()).map_or(0, |i| i + 1)
    }

    /// Puts an attribute back that was taken out.
    pub(crate) fn put_back(&mut self, name: &'static str, value: Attr) {
        self.attrs.push((name, Value::Plain(value)));
    }

    /// Takes an attribute out.
    pub(crate) fn remove(&mut self, name: &str) -> Option<Value<'a>> {
        let at = self.attrs.iter().position(|(n, _)| *n == name)?;
        Some(self.attrs.remove(at).1)
    }

    /// Takes an attribute out that is not a subgraph.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<Attr>, OnnxErrorKind> {
        match self.remove(name) {
            None => Ok(None),
            Some(Value::Plain(attr)) => Ok(Some(attr)),
            Some(Value::Graph(_)) => Err(wrong_kind(name, "no subgraph")),
        }
    }

    take! {
        /// Takes an integer attribute out.
        take_int Int(i64) "INT";
        /// Takes a number attribute out.
        take_float Float(f32) "FLOAT";
        /// Takes a list of integers out.
        take_ints Ints(Vec<i64>) "INTS";
        /// Takes a list of numbers out.
        take_floats Floats(Vec<f32>) "FLOATS";
        /// Takes a text attribute out.
        take_str Str(String) "STRING";
        /// Takes a list of texts out.
        take_strs Strs(Vec<String>) "STRINGS";
        /// Takes a type out.
        take_type Type(Type) "TYPE_PROTO";
    }

    /// Takes a subgraph out, which must be there.
    pub(crate) fn take_graph(&mut self, name: &str) -> Result<&'a GraphProto, OnnxErrorKind> {
        self.take_graph_opt(name)?.ok_or(OnnxErrorKind::MissingAttribute { name: name.to_owned() })
    }

    /// Takes a subgraph out.
    pub(crate) fn take_graph_opt(
        &mut self,
        name: &str,
    ) -> Result<Option<&'a GraphProto>, OnnxErrorKind> {
        match self.remove(name) {
            None => Ok(None),
            Some(Value::Graph(graph)) => Ok(Some(graph)),
            Some(Value::Plain(_)) => Err(wrong_kind(name, "GRAPH")),
        }
    }

    /// Checks that no attribute is left: the operator has no attribute that was not taken.
    pub(crate) fn finish(&self) -> Result<(), OnnxErrorKind> {
        match self.attrs.first() {
            None => Ok(()),
            Some((name, _)) => Err(OnnxErrorKind::UnknownAttribute { name: (*name).to_owned() }),
        }
    }

    /// Completes an op that has the node's operands: gives it the node's results and its remaining attributes, checked against
    /// the op table.
    pub(crate) fn complete(self, func: &mut Func, mut op: Op) -> Result<Op, OnnxErrorKind> {
        let decl = op.decl();
        let (least, most) = decl.operand_count();
        trim(&mut op.inputs);
        if op.inputs.len() > most {
            let found = op.inputs.len();
            return Err(OnnxErrorKind::Arity { what: "operand", found, least, most });
        }
        for index in 0..op.inputs.len().max(least) {
            let Some(operand) = decl.operand(index) else { continue };
            if op.input(index).is_none() && operand.arity != Arity::Optional {
                let (op, name) = (decl.name, operand.name);
                return Err(TypeError::MissingOperand { op, name, index }.into());
            }
        }
        let (least, most) = decl.result_count();
        if self.outputs() > most {
            return Err(OnnxErrorKind::Arity {
                what: "result",
                found: self.outputs(),
                least,
                most,
            });
        }
        op.outputs = self.results(func, self.outputs().max(least));
        for (name, value) in self.attrs {
            give(&mut op, name, value)?;
        }
        check_required(&op)?;
        Ok(op)
    }

    /// Gives an op the attributes of these names that the node has, checked against the op table.
    pub(crate) fn pass_on(&mut self, op: &mut Op, names: &[&str]) -> Result<(), OnnxErrorKind> {
        for name in names {
            if let Some(value) = self.remove(name) {
                give(op, name, value)?;
            }
        }
        check_required(op)
    }

    /// Completes an op and appends it; gives its results.
    pub(crate) fn emit(self, b: &mut Builder<'_>, op: Op) -> Result<Outputs, OnnxError> {
        let op = self.complete(b.func, op)?;
        let outputs = op.outputs.clone();
        b.push(op)?;
        Ok(outputs)
    }

    /// Values for the first `count` results of the node, under its names.
    pub(crate) fn results(&self, func: &mut Func, count: usize) -> Outputs {
        (0..count)
            .map(|i| self.output(i).map(|name| func.value(name, Type::unranked(DType::Bool))))
            .collect()
    }
}

/// Drops absent operands from the end.
fn trim(operands: &mut Vec<Option<ValueId>>) {
    while operands.last() == Some(&None) {
        operands.pop();
    }
}

/// Gives an op an attribute by its name in the file.
fn give(op: &mut Op, name: &str, value: Value<'_>) -> Result<(), OnnxErrorKind> {
    let known = op.decl().attrs.iter().find(|a| !a.internal && a.name == snake_case(name));
    let attr = known.ok_or_else(|| OnnxErrorKind::UnknownAttribute { name: name.to_owned() })?;
    if let Some(value) = fit(attr, name, value)? {
        generic::set(op, attr, value);
    }
    Ok(())
}

/// Checks that an op has the attributes that have no default.
fn check_required(op: &Op) -> Result<(), OnnxErrorKind> {
    for attr in op.decl().attrs {
        if matches!(attr.default, Default::Required(_)) && generic::get(op, attr).is_none() {
            return Err(OnnxErrorKind::MissingAttribute { name: attr.name.to_owned() });
        }
    }
    Ok(())
}

/// An attribute's value in the kind that the op table declares; `None` if it says that there is none.
fn fit(decl: &AttrDecl, name: &str, value: Value<'_>) -> Result<Option<Attr>, OnnxErrorKind> {
    let Value::Plain(value) = value else {
        return Err(wrong_kind(name, kind_name(decl.kind())));
    };
    match (value, decl.kind()) {
        // Where an element type may be absent, the number 0 says so.
        (Attr::Int(0), AttrKind::DType) if matches!(decl.default, Default::Absent(_)) => Ok(None),
        (Attr::Int(number), AttrKind::DType) => match dtype::from_number(number) {
            Some(dtype) => Ok(Some(Attr::DType(dtype))),
            None => Err(OnnxErrorKind::AttributeValue {
                name: name.to_owned(),
                found: number.to_string(),
                expected: "the number of an element type",
            }),
        },
        // Some exporters write no text for the default.
        (Attr::Str(text), AttrKind::Str) if text.is_empty() && !decl.texts.is_empty() => Ok(None),
        (value, kind) if value.kind() == kind && !decl.takes(&value) => match value {
            Attr::Str(found) => {
                let (name, choices) = (name.to_owned(), decl.texts);
                Err(OnnxErrorKind::AttributeWord { name, found, choices })
            }
            Attr::Int(number) => Err(OnnxErrorKind::AttributeValue {
                name: name.to_owned(),
                found: number.to_string(),
                expected: "0 or 1",
            }),
            _ => Err(wrong_kind(name, kind_name(kind))),
        },
        (value, kind) if value.kind() == kind => Ok(Some(value)),
        (_, kind) => Err(wrong_kind(name, kind_name(kind))),
    }
}

/// `transA` as `trans_a`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 1);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
