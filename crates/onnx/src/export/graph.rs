//! Blocks to graphs, and ops to nodes.

use super::error::ExportError;
use super::names::Names;
use super::operators::{self, Versions};
use crate::dtype;
use crate::proto::{
    AttributeProto, AttributeType, GraphProto, NodeProto, TypeProto, ValueInfoProto,
};
use crate::{tensor_proto, type_proto};
use bytes::Bytes;
use trident_ir::op::Arity;
use trident_ir::{Attr, Block, Func, Literal, Loc, Op, OpKind, Type, ValueId, ValueInfo, ops};

/// A constant of a graph.
pub(super) struct Weight {
    pub(super) name: String,
    pub(super) value: Literal,
}

/// Writes the graphs of a function.
pub(super) struct Graphs<'a> {
    func: &'a Func,
    versions: &'a Versions,
    names: Names,
}

impl<'a> Graphs<'a> {
    pub(super) fn new(func: &'a Func, versions: &'a Versions) -> Graphs<'a> {
        Graphs { func, versions, names: Names::of(func) }
    }

    /// The graph of the function's body, and its constants apart. `declared` are the types of results as a file declares them.
    pub(super) fn main(
        &mut self,
        optional: &[ValueInfo],
        declared: &[Option<Type>],
    ) -> Result<(GraphProto, Vec<Weight>), ExportError> {
        let body = &self.func.body;
        let uses = body.uses();
        let mut graph = GraphProto { name: self.func.name.clone(), ..GraphProto::default() };
        let mut weights = vec![];
        self.nodes(body, &mut graph.node, &mut |id, weight: Weight| {
            let is_input = optional.iter().any(|input| input.name == weight.name);
            if is_input || uses.contains_key(&id) {
                weights.push(weight);
            }
        })?;
        let func = self.func;
        for &id in &body.params {
            graph.input.push(self.info(self.names.value(id), func.ty(id))?);
        }
        for input in optional {
            graph.input.push(self.info(&input.name, &input.ty)?);
        }
        for (i, &id) in body.results.iter().enumerate() {
            let ty = declared.get(i).and_then(Option::as_ref).unwrap_or(func.ty(id));
            graph.output.push(self.info(self.names.value(id), ty)?);
        }
        Ok((graph, weights))
    }

    /// The nodes of a block; constants are given to `constant`.
    fn nodes(
        &mut self,
        block: &Block,
        nodes: &mut Vec<NodeProto>,
        constant: &mut dyn FnMut(ValueId, Weight),
    ) -> Result<(), ExportError> {
        for op in &block.ops {
            match (ops::Constant::of(op), op.output(0)) {
                (Some(value), Some(id)) => {
                    let name = self.names.value(id).to_owned();
                    constant(id, Weight { name, value: value.value().clone() });
                }
                (Some(_), None) => {}
                (None, _) => nodes.push(self.node(op)?),
            }
        }
        Ok(())
    }

    fn node(&mut self, op: &Op) -> Result<NodeProto, ExportError> {
        let onnx = operators::operator(op)?;
        let mut input: Vec<String> = op
            .inputs
            .iter()
            .map(|id| id.map_or(String::new(), |id| self.names.value(id).to_owned()))
            .collect();
        // A loop names the place of its condition also where it has none.
        let least = if op.kind == OpKind::Loop { 2 } else { 0 };
        while input.len() > least && input.last().is_some_and(String::is_empty) {
            input.pop();
        }
        input.resize(input.len().max(least), String::new());
        let mut output = self.results(op);
        while output.last().is_some_and(String::is_empty) {
            output.pop();
        }
        let base = match &op.loc {
            Some(Loc::Node(name)) if !name.is_empty() => name.to_string(),
            _ => output.first().cloned().unwrap_or_else(|| onnx.name.to_owned()),
        };
        let written = self.versions.attributes(op, onnx);
        let mut attribute: Vec<AttributeProto> =
            written.map(|(name, value)| attribute(name, value)).collect();
        for (name, region) in regions(op.kind).iter().zip(&op.regions) {
            attribute.push(AttributeProto {
                name: (*name).to_owned(),
                g: Some(Box::new(self.subgraph((&base, op.kind), name, region)?)),
                r#type: AttributeType::Graph.into(),
                ..AttributeProto::default()
            });
        }
        Ok(NodeProto {
            input,
            output,
            name: self.names.node(&base),
            op_type: onnx.name.to_owned(),
            attribute,
            domain: onnx.domain.to_owned(),
            overload: String::new(),
        })
    }

    /// The names of an op's results. An unused result keeps a name unless the operator lets it be absent.
    fn results(&mut self, op: &Op) -> Vec<String> {
        let decl = op.decl();
        let name = |(i, id): (usize, &Option<ValueId>)| match id {
            Some(id) => self.names.value(*id).to_owned(),
            None if decl.result(i).is_some_and(|result| result.arity == Arity::Optional) => {
                String::new()
            }
            None => self.names.fresh("unused"),
        };
        op.outputs.iter().enumerate().map(name).collect()
    }

    /// A region as a graph. The shapes of its values may change from one round to the next, except those of a scan, whose shapes
    /// runtimes want to know.
    fn subgraph(
        &mut self,
        (node, kind): (&str, OpKind),
        attribute: &str,
        region: &Block,
    ) -> Result<GraphProto, ExportError> {
        let mut graph = GraphProto { name: format!("{node}.{attribute}"), ..GraphProto::default() };
        self.nodes(region, &mut graph.node, &mut |_, weight| {
            graph.initializer.push(tensor_proto(&weight.name, &weight.value));
        })?;
        let declared = |id: ValueId| match self.func.ty(id) {
            ty if kind == OpKind::Scan || ty.shape().is_some_and(<[_]>::is_empty) => ty.clone(),
            ty => ty.unshaped(),
        };
        for &id in &region.params {
            graph.input.push(self.info(self.names.value(id), &declared(id))?);
        }
        for &id in &region.results {
            graph.output.push(self.info(self.names.value(id), &declared(id))?);
        }
        Ok(graph)
    }

    /// The declaration of a value.
    fn info(&self, name: &str, ty: &Type) -> Result<ValueInfoProto, ExportError> {
        let proto: TypeProto = type_proto(ty);
        if proto.value.is_none() {
            return Err(ExportError::Type { name: name.to_owned(), ty: ty.to_string() });
        }
        Ok(ValueInfoProto { name: name.to_owned(), r#type: Some(proto) })
    }
}

/// The attributes that hold an operator's subgraphs.
fn regions(kind: OpKind) -> &'static [&'static str] {
    match kind {
        OpKind::If => &["then_branch", "else_branch"],
        OpKind::Loop | OpKind::Scan => &["body"],
        _ => &[],
    }
}

/// An attribute of a node.
fn attribute(name: &str, value: &Attr) -> AttributeProto {
    use AttributeType as T;
    let text = |text: &String| Bytes::copy_from_slice(text.as_bytes());
    let mut a = AttributeProto { name: name.to_owned(), ..AttributeProto::default() };
    let kind = match value {
        Attr::Int(v) => {
            a.i = Some(*v);
            T::Int
        }
        Attr::Float(v) => {
            a.f = Some(*v);
            T::Float
        }
        Attr::Str(v) => {
            a.s = Some(text(v));
            T::String
        }
        Attr::Ints(v) => {
            a.ints.clone_from(v);
            T::Ints
        }
        Attr::Floats(v) => {
            a.floats.clone_from(v);
            T::Floats
        }
        Attr::Strs(v) => {
            a.strings = v.iter().map(text).collect();
            T::Strings
        }
        Attr::DType(v) => {
            a.i = Some(dtype::to_number(*v).into());
            T::Int
        }
        Attr::Type(v) => {
            a.tp = Some(Box::new(type_proto(v)));
            T::TypeProto
        }
        Attr::Tensor(v) => {
            a.t = Some(Box::new(tensor_proto("", v)));
            T::Tensor
        }
    };
    a.r#type = kind.into();
    a
}
