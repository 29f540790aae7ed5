//! A node on its way into the IR: operands resolved, attributes decoded.

use super::Import;
use crate::dtype;
use crate::error::{Fault, LoadError, kind_name};
use crate::proto::{AttributeProto, AttributeType, GraphProto, NodeProto};
use crate::types;
use trident_ir::op::{Arity, Default, TypeError};
use trident_ir::{Attr, AttrKind, Builder, DType, Literal, Op, OpKind, Type, ValueId};

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

/// The value of a node's attribute.
pub(crate) enum Value<'a> {
    /// A value that ops of the IR can have as well.
    Plain(Attr),
    /// A subgraph.
    Graph(&'a GraphProto),
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
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<Attr>, Fault> {
        match self.remove(name) {
            None => Ok(None),
            Some(Value::Plain(attr)) => Ok(Some(attr)),
            Some(Value::Graph(_)) => Err(wrong_kind(name, "no subgraph")),
        }
    }

    /// Takes an integer attribute out.
    pub(crate) fn take_int(&mut self, name: &str) -> Result<Option<i64>, Fault> {
        match self.take(name)? {
            None => Ok(None),
            Some(Attr::Int(v)) => Ok(Some(v)),
            Some(_) => Err(wrong_kind(name, "INT")),
        }
    }

    /// Takes a number attribute out.
    pub(crate) fn take_float(&mut self, name: &str) -> Result<Option<f32>, Fault> {
        match self.take(name)? {
            None => Ok(None),
            Some(Attr::Float(v)) => Ok(Some(v)),
            Some(_) => Err(wrong_kind(name, "FLOAT")),
        }
    }

    /// Takes a list of integers out.
    pub(crate) fn take_ints(&mut self, name: &str) -> Result<Option<Vec<i64>>, Fault> {
        match self.take(name)? {
            None => Ok(None),
            Some(Attr::Ints(v)) => Ok(Some(v)),
            Some(_) => Err(wrong_kind(name, "INTS")),
        }
    }

    /// Takes a list of numbers out.
    pub(crate) fn take_floats(&mut self, name: &str) -> Result<Option<Vec<f32>>, Fault> {
        match self.take(name)? {
            None => Ok(None),
            Some(Attr::Floats(v)) => Ok(Some(v)),
            Some(_) => Err(wrong_kind(name, "FLOATS")),
        }
    }

    /// Takes a text attribute out.
    pub(crate) fn take_str(&mut self, name: &str) -> Result<Option<String>, Fault> {
        match self.take(name)? {
            None => Ok(None),
            Some(Attr::Str(v)) => Ok(Some(v)),
            Some(_) => Err(wrong_kind(name, "STRING")),
        }
    }

    /// Takes a subgraph out, which must be there.
    pub(crate) fn take_graph(&mut self, name: &str) -> Result<&'a GraphProto, Fault> {
        self.take_graph_opt(name)?.ok_or(Fault::MissingAttribute { name: name.to_owned() })
    }

    /// Takes a subgraph out.
    pub(crate) fn take_graph_opt(&mut self, name: &str) -> Result<Option<&'a GraphProto>, Fault> {
        match self.remove(name) {
            None => Ok(None),
            Some(Value::Graph(graph)) => Ok(Some(graph)),
            Some(Value::Plain(_)) => Err(wrong_kind(name, "GRAPH")),
        }
    }

    /// Checks that no attribute is left: one that nobody took is none of the operator's.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        match self.attrs.first() {
            None => Ok(()),
            Some((name, _)) => Err(Fault::UnknownAttribute { name: (*name).to_owned() }),
        }
    }

    /// Turns the node into an op of this kind, its remaining attributes checked against the op table.
    pub(crate) fn into_op(
        mut self,
        func: &mut trident_ir::Func,
        kind: OpKind,
    ) -> Result<Op, Fault> {
        let decl = kind.decl();
        let (least, most) = decl.operand_count();
        if self.inputs.len() > most || (self.inputs.len() < least && least <= decl.operands.len()) {
            let missing = decl.operands.get(self.inputs.len());
            return Err(match missing {
                Some(o) if self.inputs.len() < least && o.arity == Arity::One => {
                    TypeError::MissingOperand {
                        op: decl.name,
                        name: o.name,
                        index: self.inputs.len(),
                    }
                    .into()
                }
                _ => Fault::Arity { what: "operands", found: self.inputs.len(), least, most },
            });
        }
        for (index, (operand, input)) in decl.operands.iter().zip(&self.inputs).enumerate() {
            if input.is_none() && operand.arity == Arity::One {
                let (op, name) = (decl.name, operand.name);
                return Err(TypeError::MissingOperand { op, name, index }.into());
            }
        }
        let (least, most) = decl.result_count();
        if self.outputs() > most {
            return Err(Fault::Arity { what: "results", found: self.outputs(), least, most });
        }
        let outputs = (0..self.outputs())
            .map(|i| self.output(i).map(|name| func.value(name, Type::unranked(DType::Bool))))
            .collect();
        let mut op = Op::new(kind, std::mem::take(&mut self.inputs), outputs);
        for (name, value) in self.attrs {
            let known = decl.attrs.iter().find(|a| a.name == snake_case(name));
            let decl = known.ok_or_else(|| Fault::UnknownAttribute { name: name.to_owned() })?;
            let Value::Plain(value) = value else {
                return Err(wrong_kind(name, kind_name(decl.kind())));
            };
            let value = match (value, decl.kind()) {
                // Where an element type may be absent, the number 0 says so.
                (Attr::Int(0), AttrKind::DType) if matches!(decl.default, Default::Absent(_)) => {
                    continue;
                }
                (Attr::Int(number), AttrKind::DType) => {
                    Attr::DType(dtype::from_number(number).ok_or(Fault::AttributeValue {
                        name: name.to_owned(),
                        found: number.to_string(),
                        expected: "the number of an element type",
                    })?)
                }
                (value, kind) if value.kind() == kind => value,
                (_, kind) => return Err(wrong_kind(name, kind_name(kind))),
            };
            op.attrs.set(decl.name, value);
        }
        for attr in decl.attrs {
            if matches!(attr.default, Default::Required(_)) && op.attrs.get(attr.name).is_none() {
                return Err(Fault::MissingAttribute { name: attr.name.to_owned() });
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

pub(crate) fn wrong_kind(name: &str, expected: &'static str) -> Fault {
    Fault::AttributeKind { name: name.to_owned(), expected }
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

fn text(name: &str, bytes: &[u8]) -> Result<String, Fault> {
    // The copy comes first: mapped bytes could change after the check.
    String::from_utf8(bytes.to_vec()).map_err(|_| wrong_kind(name, "STRING in UTF-8"))
}

/// The kind of an attribute; old models leave it to the field that is filled.
fn kind_of(a: &AttributeProto) -> Option<AttributeType> {
    use AttributeType as T;
    match AttributeType::try_from(a.r#type) {
        Ok(T::Undefined) => {}
        known => return known.ok(),
    }
    let filled = [
        (a.f.is_some(), T::Float),
        (a.i.is_some(), T::Int),
        (a.s.is_some(), T::String),
        (a.t.is_some(), T::Tensor),
        (a.g.is_some(), T::Graph),
        (!a.floats.is_empty(), T::Floats),
        (!a.ints.is_empty(), T::Ints),
        (!a.strings.is_empty(), T::Strings),
        (a.tp.is_some(), T::TypeProto),
        (a.sparse_tensor.is_some(), T::SparseTensor),
    ];
    filled.into_iter().find(|(is, _)| *is).map(|(_, kind)| kind)
}

fn decode<'a>(
    import: &mut Import<'a, '_>,
    name: &str,
    a: &'a AttributeProto,
) -> Result<Value<'a>, Fault> {
    use AttributeType as T;
    let missing = || Fault::MissingAttribute { name: name.to_owned() };
    Ok(Value::Plain(match kind_of(a) {
        Some(T::Float) => Attr::Float(a.f.unwrap_or(0.0)),
        Some(T::Int) => Attr::Int(a.i.unwrap_or(0)),
        Some(T::String) => Attr::Str(text(name, a.s.as_deref().unwrap_or_default())?),
        Some(T::Floats) => Attr::Floats(a.floats.clone()),
        Some(T::Ints) => Attr::Ints(a.ints.clone()),
        Some(T::Strings) => {
            Attr::Strs(a.strings.iter().map(|s| text(name, s)).collect::<Result<_, _>>()?)
        }
        Some(T::Tensor) => Attr::Tensor(import.literal(a.t.as_ref().ok_or_else(missing)?)?),
        Some(T::SparseTensor) => {
            let sparse = a.sparse_tensor.as_ref().ok_or_else(missing)?;
            Attr::Tensor(import.sparse(sparse)?)
        }
        Some(T::TypeProto) => {
            let ty = types::from_proto(a.tp.as_ref().ok_or_else(missing)?);
            Attr::Type(ty.map_err(|reason| Fault::BadType { tensor: name.to_owned(), reason })?)
        }
        Some(T::Graph) => return Ok(Value::Graph(a.g.as_ref().ok_or_else(missing)?)),
        _ => return Err(wrong_kind(name, "one value or a list of numbers or texts")),
    }))
}

/// The constant that a `Constant` node holds in one of its many forms.
pub(crate) fn constant(node: &mut Node<'_>) -> Result<Literal, Fault> {
    let mut found = None;
    let forms = [
        "value",
        "sparse_value",
        "value_float",
        "value_floats",
        "value_int",
        "value_ints",
        "value_string",
        "value_strings",
    ];
    for name in forms {
        let Some(attr) = node.take(name)? else { continue };
        let literal = match (name, attr) {
            ("value" | "sparse_value", Attr::Tensor(t)) => t,
            ("value_float", Attr::Float(v)) => Literal::scalar(v),
            ("value_floats", Attr::Floats(v)) => Literal::vector(&v),
            ("value_int", Attr::Int(v)) => Literal::scalar(v),
            ("value_ints", Attr::Ints(v)) => Literal::vector(&v),
            ("value_string", Attr::Str(v)) => Literal::from_strings(vec![], vec![v])
                .map_err(|e| Fault::BadTensor { tensor: name.to_owned(), reason: e.into() })?,
            ("value_strings", Attr::Strs(v)) => Literal::from_strings(vec![v.len()], v)
                .map_err(|e| Fault::BadTensor { tensor: name.to_owned(), reason: e.into() })?,
            _ => return Err(wrong_kind(name, "the one its name tells")),
        };
        if found.replace(literal).is_some() {
            return Err(Fault::AttributeTwice { name: name.to_owned() });
        }
    }
    found.ok_or_else(|| Fault::MissingAttribute { name: "value".to_owned() })
}
