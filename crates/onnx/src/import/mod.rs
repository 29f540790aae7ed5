//! Graphs, nodes and functions of a model to blocks and ops of the IR.

pub(crate) mod attr;
pub(crate) mod control;
mod entry;
mod function;
pub(crate) mod node;
mod order;
mod scan;
pub(crate) mod scope;
#[cfg(test)]
mod tests;

use crate::catalog::{self, By, Operator};
use crate::error::{OnnxError, OnnxErrorKind, Place};
use crate::external::Folder;
use crate::opset::{self, Rewrite, Step};
use crate::proto::{
    AttributeProto, FunctionProto, GraphProto, NodeProto, OperatorSetIdProto, SparseTensorProto,
    TensorProto,
};
use crate::tensor;
use attr::constant;
use control::Outputs;
use entry::{check, check_output, declared};
pub(crate) use entry::{declared_outputs, entry};
use node::Node;
use scope::{Scope, node_name};
use std::collections::{HashMap, HashSet};
use trident_ir::{Block, Builder, Func, Literal, Loc, Op, OpKind, Type, ValueId, ops};

/// The most subgraphs and function calls within each other: what the stack of a thread holds with ease.
const MOST_DEPTH: usize = 48;

/// The most nodes that calls of functions may expand to.
const MOST_INLINED: usize = 1 << 18;

/// Names a function: domain, name, overload.
type FunctionKey<'a> = (&'a str, &'a str, &'a str);

/// State that all graphs of a model share while it is imported.
pub(crate) struct Import<'a, 'f> {
    folder: &'f Folder<'f>,
    functions: HashMap<FunctionKey<'a>, &'a FunctionProto>,
    /// Constants by the message they come from: a function's are decoded once for all its calls.
    literals: HashMap<*const TensorProto, Literal>,
    /// Nodes that calls of functions have expanded to.
    inlined: usize,
}

/// The surroundings of a graph or a function's body.
#[derive(Clone)]
pub(crate) struct Frame<'a> {
    /// Versions of operator sets.
    opsets: HashMap<&'a str, i64>,
    /// In a function: the values of its attributes.
    attrs: Option<HashMap<&'a str, &'a AttributeProto>>,
    /// Functions being expanded, outermost first.
    calls: Vec<FunctionKey<'a>>,
    /// Name of the graph or function.
    name: &'a str,
    /// How many subgraphs and calls deep.
    depth: usize,
}

impl<'a> Frame<'a> {
    /// The frame of a subgraph.
    fn inner(&self, name: &'a str) -> Result<Frame<'a>, OnnxErrorKind> {
        if self.depth >= MOST_DEPTH {
            return Err(OnnxErrorKind::TooDeep { limit: MOST_DEPTH });
        }
        Ok(Frame { name, depth: self.depth + 1, ..self.clone() })
    }
}

/// Versions by operator set; those of the standard are checked.
fn opsets(imports: &[OperatorSetIdProto]) -> Result<HashMap<&str, i64>, OnnxErrorKind> {
    let mut found = HashMap::new();
    for import in imports {
        let domain = catalog::canonical(&import.domain);
        if let Some(newest) = catalog::newest(domain)
            && !(1..=newest).contains(&import.version)
        {
            let domain = catalog::display(domain).to_owned();
            return Err(OnnxErrorKind::Opset { domain, found: import.version, newest });
        }
        found.insert(domain, import.version);
    }
    Ok(found)
}

/// Where a node stands, for errors.
fn place(node: &NodeProto, graph: &str) -> Box<Place> {
    let (op, node) = (node.op_type.clone(), node_name(node).to_owned());
    Box::new(Place { op, node, graph: graph.to_owned() })
}

impl<'a> Import<'a, '_> {
    /// Decodes a constant.
    pub(crate) fn literal(&mut self, t: &'a TensorProto) -> Result<Literal, OnnxErrorKind> {
        if let Some(literal) = self.literals.get(&std::ptr::from_ref(t)) {
            return Ok(literal.clone());
        }
        let literal = tensor::literal(t, self.folder)?;
        self.literals.insert(t, literal.clone());
        Ok(literal)
    }

    /// Decodes a sparse constant into a dense one.
    pub(crate) fn sparse(&mut self, t: &'a SparseTensorProto) -> Result<Literal, OnnxErrorKind> {
        let key = t.values.as_ref().map(std::ptr::from_ref);
        if let Some(literal) = key.and_then(|k| self.literals.get(&k)) {
            return Ok(literal.clone());
        }
        let literal = tensor::dense(t, self.folder)?;
        self.literals.extend(key.map(|k| (k, literal.clone())));
        Ok(literal)
    }

    /// Imports a graph's constants, except those already in the scope, and its nodes into the builder's block.
    fn body(
        &mut self,
        b: &mut Builder<'_>,
        scope: &mut Scope<'a, '_>,
        graph: &'a GraphProto,
        mut given: HashSet<String>,
        frame: &Frame<'a>,
    ) -> Result<(), OnnxError> {
        self.count(graph.initializer.len() + graph.sparse_initializer.len(), frame)?;
        for initializer in initializers(graph).filter(|i| !given.remove(i.name())) {
            let literal = initializer.literal(self)?;
            let value = b.func.value(initializer.name(), literal.ty());
            b.block.ops.push(constant_op(initializer.name(), value, literal));
            scope.define(initializer.name(), value)?;
        }
        self.nodes(b, scope, &graph.node, frame)
    }

    /// Counts nodes that calls of functions expand to.
    fn count(&mut self, nodes: usize, frame: &Frame<'_>) -> Result<(), OnnxErrorKind> {
        if !frame.calls.is_empty() {
            self.inlined += nodes;
        }
        match self.inlined > MOST_INLINED {
            true => Err(OnnxErrorKind::TooManyNodes { limit: MOST_INLINED }),
            false => Ok(()),
        }
    }

    /// Imports nodes, each after those whose results it uses.
    fn nodes(
        &mut self,
        b: &mut Builder<'_>,
        scope: &mut Scope<'a, '_>,
        nodes: &'a [NodeProto],
        frame: &Frame<'a>,
    ) -> Result<(), OnnxError> {
        self.count(nodes.len(), frame)?;
        let sorted = order::sorted(nodes, &|name| scope.has(name));
        for node in sorted.map_err(|cycle| order::fault(&cycle, frame.name))? {
            self.node(b, scope, node, frame).map_err(|mut error| {
                error.place.get_or_insert_with(|| place(node, frame.name));
                error
            })?;
        }
        Ok(())
    }

    /// Imports a graph as a region. `given` are the types of its parameters as far as they follow from the node's
    /// operands.
    pub(crate) fn region(
        &mut self,
        func: &mut Func,
        outer: &Scope<'a, '_>,
        graph: &'a GraphProto,
        given: &[Option<Type>],
        frame: &Frame<'a>,
    ) -> Result<Block, OnnxError> {
        let mut b = Builder::new(func);
        for (input, given) in graph.input.iter().zip(given) {
            let ty = match given {
                Some(ty) => ty.clone(),
                None => declared(input)?.map(|ty| ty.unshaped()).ok_or_else(|| {
                    OnnxErrorKind::BadType {
                        tensor: input.name.clone(),
                        reason: "it is not given".to_owned(),
                    }
                })?,
            };
            let value = b.func.value(&input.name, ty);
            b.block.params.push(value);
        }
        let params = b.block.params.clone();
        b.block.results = self.inline(&mut b, outer, graph, &params, frame)?;
        Ok(b.finish())
    }

    /// Imports a graph's nodes into a block, its inputs being these values; gives the values of its outputs.
    pub(crate) fn inline(
        &mut self,
        b: &mut Builder<'_>,
        outer: &Scope<'a, '_>,
        graph: &'a GraphProto,
        inputs: &[ValueId],
        frame: &Frame<'a>,
    ) -> Result<Vec<ValueId>, OnnxError> {
        let frame = frame.inner(&graph.name)?;
        let mut scope = Scope::new(Some(outer));
        for (input, &value) in graph.input.iter().zip(inputs) {
            check(b.func, input, value)?;
            scope.define(&input.name, value)?;
        }
        self.body(b, &mut scope, graph, HashSet::new(), &frame)?;
        let mut results = vec![];
        for output in &graph.output {
            let value = scope.value(&output.name)?;
            check_output(b.func, graph, output, value)?;
            results.push(value);
        }
        Ok(results)
    }

    fn node(
        &mut self,
        b: &mut Builder<'_>,
        scope: &mut Scope<'a, '_>,
        proto: &'a NodeProto,
        frame: &Frame<'a>,
    ) -> Result<(), OnnxError> {
        let inputs: Result<Vec<_>, _> =
            proto.input.iter().map(|name| scope.operand(name)).collect();
        let inputs = inputs?;
        let attrs = function::resolve_attrs(proto, frame)?;
        let first = b.func.values.len();
        b.loc = Some(Loc::node(node_name(proto)));
        let domain = catalog::canonical(&proto.domain);
        let key = (domain, proto.op_type.as_str(), proto.overload.as_str());
        let outputs = match self.functions.get(&key).copied() {
            Some(function) => self.call(b, function, key, &inputs, &attrs, frame)?,
            None => {
                let operator = operator(domain, &proto.op_type, frame)?;
                let node = Node::new(self, proto, operator, inputs, &attrs)?;
                self.operator(b, scope, node, frame)?
            }
        };
        for (i, name) in proto.output.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let value = outputs.get(i).copied().flatten().ok_or(OnnxErrorKind::Arity {
                what: "result",
                found: proto.output.len(),
                least: 0,
                most: outputs.len(),
            })?;
            if value.index() >= first {
                b.func.values[value.index()].name.clone_from(name);
            }
            scope.define_result(name, value)?;
        }
        Ok(())
    }

    /// Imports a node that calls no function; gives its results.
    fn operator(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, OnnxError> {
        match node.operator {
            Operator::Op(OpKind::If) => self.branches(b, scope, node, frame),
            Operator::Op(OpKind::Loop) => self.repeat(b, scope, node, frame),
            Operator::Op(OpKind::Scan) if node.version < 9 => {
                self.batched_scan(b, scope, node, frame)
            }
            Operator::Op(OpKind::Scan) => self.scan(b, scope, node, frame),
            Operator::Op(OpKind::Constant) => {
                let literal = constant(&mut node)?;
                node.emit(b, ops::Constant::new().value(literal).into_op())
            }
            Operator::Op(kind) => rewritten(b, node, kind, opset::upgrade),
            Operator::Translated(translation) => match translation.by {
                By::FormOf(kind, rewrite) => rewritten(b, node, kind, rewrite),
                By::Composed(compose) => {
                    let outputs = compose(b, &mut node)?;
                    node.finish()?;
                    Ok(outputs)
                }
                By::Expanding(expand) => expand(self, b, scope, node, frame),
                By::Refusing(reason) => {
                    let op = node.proto.op_type.clone();
                    Err(OnnxErrorKind::Unsupported { op, reason }.into())
                }
            },
        }
    }
}

/// Imports a node as an op of this kind, in its newest form.
fn rewritten(
    b: &mut Builder<'_>,
    mut node: Node<'_>,
    kind: OpKind,
    rewrite: Rewrite,
) -> Result<Outputs, OnnxError> {
    let mut op = Op::new(kind, node.inputs.clone(), vec![]);
    match rewrite(b, &mut node, &mut op)? {
        Step::Continue => node.emit(b, op),
        Step::Done(outputs) => Ok(outputs),
    }
}

/// The operator of a node, and the version of its operator set by which the node is read.
fn operator(domain: &str, op: &str, frame: &Frame<'_>) -> Result<(Operator, i64), OnnxErrorKind> {
    let shown = catalog::display(domain).to_owned();
    let Some(&version) = frame.opsets.get(domain) else {
        return Err(OnnxErrorKind::NotImported { domain: shown });
    };
    match Operator::find(domain, op) {
        None => Err(OnnxErrorKind::UnknownOp { op: op.to_owned(), domain: shown, version }),
        Some(operator) if operator.since() > version => {
            let since = operator.since();
            Err(OnnxErrorKind::TooNew { op: op.to_owned(), domain: shown, version, since })
        }
        Some(operator) => Ok((operator, version)),
    }
}

/// A constant of a graph.
#[derive(Clone, Copy)]
enum Initializer<'a> {
    Dense(&'a TensorProto),
    Sparse(&'a SparseTensorProto),
}

impl<'a> Initializer<'a> {
    fn name(self) -> &'a str {
        match self {
            Initializer::Dense(t) => &t.name,
            Initializer::Sparse(t) => t.values.as_ref().map_or("", |v| v.name.as_str()),
        }
    }

    fn literal(self, import: &mut Import<'a, '_>) -> Result<Literal, OnnxErrorKind> {
        match self {
            Initializer::Dense(t) => import.literal(t),
            Initializer::Sparse(t) => import.sparse(t),
        }
    }
}

/// The constants of a graph.
fn initializers(graph: &GraphProto) -> impl Iterator<Item = Initializer<'_>> {
    let dense = graph.initializer.iter().map(Initializer::Dense);
    dense.chain(graph.sparse_initializer.iter().map(Initializer::Sparse))
}

fn constant_op(name: &str, value: ValueId, literal: Literal) -> Op {
    let mut op = ops::Constant::new().value(literal).into_op();
    op.outputs.push(Some(value));
    op.loc = Some(Loc::node(name));
    op
}
