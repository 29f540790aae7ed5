//! A node on its way into the IR: operands resolved, attributes decoded.

use super::Import;
use super::attr::{Value, decode, wrong_kind};
use crate::dtype;
use crate::error::{LoadError, LoadErrorKind, kind_name};
use crate::proto::{AttributeProto, GraphProto, NodeProto};
use trident_ir::op::{Arity, AttrDecl, Default, TypeError};
use trident_ir::{Attr, AttrKind, Builder, DType, Op, OpKind, Type, ValueId};

/// A node whose operands are values of the function under construction.
pub(crate) struct Node<'a> {
    /// The node as it stands in the model.
    pub(crate) proto: &'a NodeProto,
    /// Operator type; adapters may change it.
    pub(crate) op: &'a str,
    /// Version of the operator set.
    pub(crate) version: i64,
    /// Operands.
    pub(crate) inputs: Vec<Option<ValueId>>,
    attrs: Vec<(&'a str, Value<'a>)>,
}

macro_rules! take {
    ($($(#[$doc:meta])* $name:ident $kind:ident($value:ty) $expected:literal;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(&mut self, name: &str) -> Result<Option<$value>, LoadErrorKind> {
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
        version: i64,
        inputs: Vec<Option<ValueId>>,
        attrs: &[(&'a str, &'a AttributeProto)],
    ) -> Result<Node<'a>, LoadError> {
        let mut node = Node { proto, op: &proto.op_type, version, inputs, attrs: vec![] };
        node.trim();
        for &(name, attr) in attrs {
            let value = decode(import, name, attr)?;
            node.attrs.push((name, value));
        }
        Ok(node)
    }

    /// Drops absent operands from the end.
    fn trim(&mut self) {
        while self.inputs.last().is_some_and(Option::is_none) {
            self.inputs.pop();
        }
    }

    /// Operand `i`, `None` if left out.
    pub(crate) fn input(&self, i: usize) -> Option<ValueId> {
        self.inputs.get(i).copied().flatten()
    }

    /// Operand `i`, which must be there.
    pub(crate) fn need(&self, i: usize, name: &'static str) -> Result<ValueId, LoadError> {
        let op = OpKind::by_variant(self.op).map_or("node", |k| k.decl().name);
        Ok(self.input(i).ok_or(TypeError::MissingOperand { op, name, index: i })?)
    }

    /// Sets operand `i`.
    pub(crate) fn set_input(&mut self, i: usize, value: Option<ValueId>) {
        if self.inputs.len() <= i {
            self.inputs.resize(i + 1, None);
        }
        self.inputs[i] = value;
        self.trim();
    }

    /// The name of result `i`; `None` if nobody asks for it.
    pub(crate) fn output(&self, i: usize) -> Option<&'a str> {
        self.proto.output.get(i).map(String::as_str).filter(|o| !o.is_empty())
    }

    /// The number of results, those that nobody asks for at the end left aside.
    pub(crate) fn outputs(&self) -> usize {
        self.proto.output.iter().rposition(|o| !o.is_empty()).map_or(0, |i| i + 1)
    }

    /// Whether an attribute is set.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attrs.iter().any(|(n, _)| *n == name)
    }

    /// Sets an attribute unless the node does.
    pub(crate) fn default(&mut self, name: &'static str, value: Attr) {
        if !self.has(name) {
            self.attrs.push((name, Value::Plain(value)));
        }
    }

    /// Sets or replaces an attribute.
    pub(crate) fn set(&mut self, name: &'static str, value: Attr) {
        self.remove(name);
        self.default(name, value);
    }

    /// Takes an attribute out.
    pub(crate) fn remove(&mut self, name: &str) -> Option<Value<'a>> {
        let at = self.attrs.iter().position(|(n, _)| *n == name)?;
        Some(self.attrs.remove(at).1)
    }

    /// Takes an attribute out that is no subgraph.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<Attr>, LoadErrorKind> {
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
    }

    /// Takes a subgraph out, which must be there.
    pub(crate) fn take_graph(&mut self, name: &str) -> Result<&'a GraphProto, LoadErrorKind> {
        self.take_graph_opt(name)?.ok_or(LoadErrorKind::MissingAttribute { name: name.to_owned() })
    }

    /// Takes a subgraph out.
    pub(crate) fn take_graph_opt(
        &mut self,
        name: &str,
    ) -> Result<Option<&'a GraphProto>, LoadErrorKind> {
        match self.remove(name) {
            None => Ok(None),
            Some(Value::Graph(graph)) => Ok(Some(graph)),
            Some(Value::Plain(_)) => Err(wrong_kind(name, "GRAPH")),
        }
    }

    /// Checks that no attribute is left: one that nobody took is none of the operator's.
    pub(crate) fn finish(&self) -> Result<(), LoadErrorKind> {
        match self.attrs.first() {
            None => Ok(()),
            Some((name, _)) => Err(LoadErrorKind::UnknownAttribute { name: (*name).to_owned() }),
        }
    }

    /// Turns the node into an op of this kind, its remaining attributes checked against the op table.
    pub(crate) fn into_op(
        mut self,
        func: &mut trident_ir::Func,
        kind: OpKind,
    ) -> Result<Op, LoadErrorKind> {
        let decl = kind.decl();
        let (least, most) = decl.operand_count();
        if self.inputs.len() > most {
            let found = self.inputs.len();
            return Err(LoadErrorKind::Arity { what: "operand", found, least, most });
        }
        for index in 0..self.inputs.len().max(least) {
            let Some(operand) = decl.operand(index) else { continue };
            if self.input(index).is_none() && operand.arity != Arity::Optional {
                let (op, name) = (decl.name, operand.name);
                return Err(TypeError::MissingOperand { op, name, index }.into());
            }
        }
        let (least, most) = decl.result_count();
        if self.outputs() > most {
            return Err(LoadErrorKind::Arity {
                what: "result",
                found: self.outputs(),
                least,
                most,
            });
        }
        let outputs = (0..self.outputs().max(least))
            .map(|i| self.output(i).map(|name| func.value(name, Type::unranked(DType::Bool))))
            .collect();
        let mut op = Op::new(kind, std::mem::take(&mut self.inputs), outputs);
        for (name, value) in self.attrs {
            let known = decl.attrs.iter().find(|a| a.name == snake_case(name));
            let attr =
                known.ok_or_else(|| LoadErrorKind::UnknownAttribute { name: name.to_owned() })?;
            if let Some(value) = fit(attr, name, value)? {
                op.attrs.set(attr.name, value);
            }
        }
        for attr in decl.attrs {
            if matches!(attr.default, Default::Required(_)) && op.attrs.get(attr.name).is_none() {
                return Err(LoadErrorKind::MissingAttribute { name: attr.name.to_owned() });
            }
        }
        Ok(op)
    }

    /// Appends the node as an op of this kind; gives its results.
    pub(crate) fn emit(
        self,
        b: &mut Builder<'_>,
        kind: OpKind,
    ) -> Result<Vec<Option<ValueId>>, LoadError> {
        let op = self.into_op(b.func, kind)?;
        let outputs = op.outputs.clone();
        b.push(op)?;
        Ok(outputs)
    }
}

/// An attribute's value in the kind that the op table declares; `None` if it says that there is none.
fn fit(decl: &AttrDecl, name: &str, value: Value<'_>) -> Result<Option<Attr>, LoadErrorKind> {
    let Value::Plain(value) = value else {
        return Err(wrong_kind(name, kind_name(decl.kind())));
    };
    match (value, decl.kind()) {
        // Where an element type may be absent, the number 0 says so.
        (Attr::Int(0), AttrKind::DType) if matches!(decl.default, Default::Absent(_)) => Ok(None),
        (Attr::Int(number), AttrKind::DType) => match dtype::from_number(number) {
            Some(dtype) => Ok(Some(Attr::DType(dtype))),
            None => Err(LoadErrorKind::AttributeValue {
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
                Err(LoadErrorKind::AttributeWord { name, found, choices })
            }
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
