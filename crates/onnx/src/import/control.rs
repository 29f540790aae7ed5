//! If and Loop.

use super::node::Node;
use super::scope::Scope;
use super::{Frame, Import};
use crate::error::{OnnxError, OnnxErrorKind};
use crate::types;
use trident_ir::op::TypeError;
use trident_ir::{Block, Builder, DType, Func, Op, OpKind, Type, ValueId, ops};

/// Results of a node.
pub(crate) type Outputs = Vec<Option<ValueId>>;

/// Checks how many inputs or outputs a subgraph has.
pub(crate) fn expect(
    attribute: &'static str,
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), OnnxErrorKind> {
    match found == expected {
        true => Ok(()),
        false => Err(OnnxErrorKind::Subgraph { attribute, what, found, expected }),
    }
}

/// The types of values that a body takes: shapes may change from one round to the next.
pub(super) fn carried(func: &Func, values: &[Option<ValueId>]) -> Vec<Option<Type>> {
    values.iter().map(|v| v.map(|v| func.ty(v).unshaped())).collect()
}

/// Checks that what a body carries from round to round keeps its type.
pub(super) fn same_types(
    func: &Func,
    params: &[ValueId],
    results: &[ValueId],
) -> Result<(), OnnxErrorKind> {
    for (&param, &result) in params.iter().zip(results) {
        if !types::agree(func.ty(param), func.ty(result)) {
            return Err(OnnxErrorKind::Declared {
                tensor: func.info(param).name.clone(),
                declared: func.ty(param).clone(),
                actual: func.ty(result).clone(),
            });
        }
    }
    Ok(())
}

/// Appends a control-flow op, which has the node's operands, with its regions and `results` results.
pub(super) fn emit(
    b: &mut Builder<'_>,
    node: Node<'_>,
    op: Op,
    regions: Vec<Block>,
    results: usize,
) -> Result<Outputs, OnnxError> {
    let mut op = node.complete(b.func, op)?;
    op.regions = regions;
    op.outputs.resize(results, None);
    let outputs = op.outputs.clone();
    b.push(op)?;
    Ok(outputs)
}

impl<'a> Import<'a, '_> {
    /// If: one region for each branch.
    pub(super) fn branches(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, OnnxError> {
        let mut regions = vec![];
        for name in ["then_branch", "else_branch"] {
            let graph = node.take_graph(name)?;
            expect(name, "input", graph.input.len(), 0)?;
            expect(name, "output", graph.output.len(), node.proto.output.len())?;
            regions.push(self.region(b.func, scope, graph, &[], frame)?);
        }
        let [yes, no] = [&regions[0].results, &regions[1].results];
        for (i, (yes, no)) in yes.iter().zip(no).enumerate() {
            let (yes, no) = (b.func.ty(*yes), b.func.ty(*no));
            if !types::agree(yes, no) {
                let reason = format!("the branches give {yes} and {no} for output {i}");
                return Err(TypeError::Region { op: "if", reason }.into());
            }
        }
        let results = yes.len();
        let op = Op::new(OpKind::If, node.inputs.clone(), vec![]);
        emit(b, node, op, regions, results)
    }

    /// Loop: one region.
    pub(super) fn repeat(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, OnnxError> {
        let graph = node.take_graph("body")?;
        let head = [DType::I64, DType::Bool].map(|dtype| Some(Type::fixed(dtype, &[])));
        let mut given = head.to_vec();
        given.extend(carried(b.func, node.inputs.get(2..).unwrap_or_default()));
        expect("body", "input", graph.input.len(), given.len())?;
        let expected = node.proto.output.len().max(given.len() - 2) + 1;
        expect("body", "output", graph.output.len(), expected)?;
        let mut region = self.region(b.func, scope, graph, &given, frame)?;
        let unwrapped = wrap_optionals(b.func, &mut region)?;
        same_types(b.func, &region.params[1..], &region.results)?;
        let op = Op::new(OpKind::Loop, node.inputs.clone(), vec![]);
        let mut outputs = emit(b, node, op, vec![region], expected - 1)?;
        for i in unwrapped {
            if let Some(wrapped) = outputs.get(i).copied().flatten() {
                outputs[i] = Some(b.add(ops::OptionalGetElement::new(wrapped))?);
            }
        }
        Ok(outputs)
    }
}

/// A loop may start from an optional value and carry on with a plain one: the region then yields it wrapped.
/// Gives the results that the node has to unwrap.
fn wrap_optionals(func: &mut Func, region: &mut Block) -> Result<Vec<usize>, OnnxError> {
    let mut wrapped = vec![];
    let mut b = Builder::new(func);
    for (i, &param) in region.params.iter().enumerate().skip(2) {
        // The region yields the condition first, and takes the iteration number before that.
        let Some(result) = region.results.get_mut(i - 1) else { continue };
        match b.func.ty(param) {
            Type::Optional(inner) if types::agree(inner, b.func.ty(*result)) => {
                *result = b.add(ops::Optional::new(Some(*result)))?;
                wrapped.push(i - 2);
            }
            _ => {}
        }
    }
    region.ops.extend(b.finish().ops);
    Ok(wrapped)
}
