//! If, Loop and Scan.

use super::node::Node;
use super::scope::Scope;
use super::{Frame, Import};
use crate::error::{Fault, LoadError};
use crate::proto::GraphProto;
use crate::types;
use trident_ir::op::TypeError;
use trident_ir::{Block, Builder, DType, Func, OpKind, Type, ValueId};

/// Results of a node.
type Outputs = Vec<Option<ValueId>>;

/// Checks how many inputs or outputs a subgraph has.
fn expect(
    attribute: &'static str,
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), Fault> {
    match found == expected {
        true => Ok(()),
        false => Err(Fault::Subgraph { attribute, what, found, expected }),
    }
}

/// The types of values that repeat: shapes may change from one round to the next.
fn carried(func: &Func, values: &[Option<ValueId>]) -> Vec<Option<Type>> {
    values.iter().map(|v| v.map(|v| func.ty(v).unshaped())).collect()
}

impl<'a> Import<'a, '_> {
    pub(super) fn branches(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, LoadError> {
        let mut regions = vec![];
        for name in ["then_branch", "else_branch"] {
            let graph = node.take_graph(name)?;
            expect(name, "inputs", graph.input.len(), 0)?;
            expect(name, "outputs", graph.output.len(), node.outputs())?;
            regions.push(self.region(b.func, scope, graph, &[], frame)?);
        }
        let [yes, no] = [&regions[0].results, &regions[1].results];
        for (i, (yes, no)) in yes.iter().zip(no).enumerate() {
            let (yes, no) = (b.func.ty(*yes), b.func.ty(*no));
            if !types::agree(yes, no) {
                let reason = format!("the branches yield {yes} and {no} for result {i}");
                return Err(TypeError::Region { op: "if", reason }.into());
            }
        }
        emit(b, node, OpKind::If, regions)
    }

    pub(super) fn repeat(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, LoadError> {
        let graph = node.take_graph("body")?;
        let init = node.inputs.get(2..).unwrap_or_default();
        let mut given =
            vec![Some(Type::fixed(DType::I64, &[])), Some(Type::fixed(DType::Bool, &[]))];
        given.extend(carried(b.func, init));
        expect("body", "inputs", graph.input.len(), given.len())?;
        if graph.output.len() < given.len() - 1 || graph.output.len() - 1 < node.outputs() {
            let expected = (given.len() - 1).max(node.outputs() + 1);
            return Err(Fault::Subgraph {
                attribute: "body",
                what: "outputs",
                found: graph.output.len(),
                expected,
            }
            .into());
        }
        let region = self.region(b.func, scope, graph, &given, frame)?;
        same_types(b.func, &region.params[1..], &region.results)?;
        emit(b, node, OpKind::Loop, vec![region])
    }

    pub(super) fn scan(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, LoadError> {
        if node.version < 9 {
            let reason = "its form of operator set 8";
            return Err(Fault::Unsupported { op: node.op.to_owned(), reason }.into());
        }
        let graph = node.take_graph("body")?;
        let region = self.scan_body(b, scope, graph, &node.inputs, frame)?;
        let states = node.inputs.len() - scan_inputs(&mut node)?;
        same_types(b.func, &region.params[..states], &region.results)?;
        expect("body", "outputs", graph.output.len(), node.outputs().max(states))?;
        emit(b, node, OpKind::Scan, vec![region])
    }

    /// The region of a scan over these operands.
    pub(super) fn scan_body(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        graph: &'a GraphProto,
        operands: &[Option<ValueId>],
        frame: &Frame<'a>,
    ) -> Result<Block, LoadError> {
        let given = carried(b.func, operands);
        expect("body", "inputs", graph.input.len(), given.len())?;
        self.region(b.func, scope, graph, &given, frame)
    }
}

/// Checks that what a body carries from round to round keeps its type.
fn same_types(func: &Func, params: &[ValueId], results: &[ValueId]) -> Result<(), Fault> {
    for (&param, &result) in params.iter().zip(results) {
        if !types::agree(func.ty(param), func.ty(result)) {
            return Err(Fault::Declared {
                tensor: func.info(param).name.clone(),
                declared: func.ty(param).clone(),
                actual: func.ty(result).clone(),
            });
        }
    }
    Ok(())
}

/// The number of operands that a scan runs over; stays set as an attribute.
pub(super) fn scan_inputs(node: &mut Node<'_>) -> Result<usize, Fault> {
    let name = "num_scan_inputs";
    let missing = || Fault::MissingAttribute { name: name.to_owned() };
    let count = node.take_int(name)?.ok_or_else(missing)?;
    node.set(name, trident_ir::Attr::Int(count));
    match usize::try_from(count) {
        Ok(n) if (1..=node.inputs.len()).contains(&n) => Ok(n),
        _ => Err(Fault::AttributeValue {
            name: name.to_owned(),
            found: count.to_string(),
            expected: "at least 1 and at most the number of operands",
        }),
    }
}

fn emit(
    b: &mut Builder<'_>,
    node: Node<'_>,
    kind: OpKind,
    regions: Vec<Block>,
) -> Result<Outputs, LoadError> {
    let mut op = node.into_op(b.func, kind)?;
    op.regions = regions;
    let outputs = op.outputs.clone();
    b.push(op)?;
    Ok(outputs)
}
