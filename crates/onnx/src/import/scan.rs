//! Scan, and its first form, which runs over every entry of a batch.

use super::control::{Outputs, carried, emit, expect, same_types};
use super::node::Node;
use super::scope::Scope;
use super::{Frame, Import};
use crate::error::{LoadError, LoadErrorKind};
use crate::opset::shape::ints;
use crate::proto::GraphProto;
use trident_ir::{Attr, Block, Builder, DType, Func, Op, OpKind, Type, ValueId};

/// The number of operands that a scan runs over; the attribute stays set.
fn scan_inputs(node: &mut Node<'_>, operands: usize) -> Result<usize, LoadErrorKind> {
    let name = "num_scan_inputs";
    let missing = || LoadErrorKind::MissingAttribute { name: name.to_owned() };
    let count = node.take_int(name)?.ok_or_else(missing)?;
    node.set(name, Attr::Int(count));
    match usize::try_from(count) {
        Ok(n) if (1..=operands).contains(&n) => Ok(n),
        _ => Err(LoadErrorKind::AttributeValue {
            name: name.to_owned(),
            found: count.to_string(),
            expected: "at least 1 and at most the number of operands",
        }),
    }
}

impl<'a> Import<'a, '_> {
    /// Scan: one region.
    pub(super) fn scan(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, LoadError> {
        let graph = node.take_graph("body")?;
        let operands = node.inputs.len();
        let states = operands - scan_inputs(&mut node, operands)?;
        let results = node.proto.output.len();
        let region = self.scan_body(b.func, scope, graph, &node.inputs, states, results, frame)?;
        emit(b, node, OpKind::Scan, vec![region], results)
    }

    /// The region of a scan over these operands.
    #[allow(clippy::too_many_arguments)]
    fn scan_body(
        &mut self,
        func: &mut Func,
        scope: &Scope<'a, '_>,
        graph: &'a GraphProto,
        operands: &[Option<ValueId>],
        states: usize,
        results: usize,
        frame: &Frame<'a>,
    ) -> Result<Block, LoadError> {
        let given = carried(func, operands);
        expect("body", "input", graph.input.len(), given.len())?;
        expect("body", "output", graph.output.len(), results.max(states))?;
        let region = self.region(func, scope, graph, &given, frame)?;
        same_types(func, &region.params[..states], &region.results)?;
        Ok(region)
    }

    /// Scan in operand set 8: axis 0 of every operand is a batch, whose entries are scanned one by one over
    /// axis 1 up to the entry's length; results are filled up with zeros.
    pub(super) fn batched_scan(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, LoadError> {
        let graph = node.take_graph("body")?;
        let operands = node.inputs.get(1..).unwrap_or_default().to_vec();
        let count = scan_inputs(&mut node, operands.len())?;
        let states = operands.len() - count;
        let directions = node.take_ints("directions")?;
        node.remove("num_scan_inputs");
        node.finish()?;
        let results = node.proto.output.len();
        let lengths = node.input(0);
        let mut entries = vec![];
        for (i, operand) in operands.iter().enumerate() {
            let name = if i < states { "initial_state" } else { "scan_input" };
            entries.push(operand.ok_or(trident_ir::op::TypeError::MissingOperand {
                op: "scan",
                name,
                index: i + 1,
            })?);
        }
        let batch = b.op(OpKind::Shape, &[entries[0]], &[("end", Attr::Int(1))])?;
        let rank_0 = ints(b, &[]);
        let batch = b.op(OpKind::Reshape, &[batch, rank_0], &[])?;

        let loc = b.loc.clone();
        let mut inner = Builder::new(b.func);
        inner.loc = loc;
        let entry = inner.func.value("entry", Type::fixed(DType::I64, &[]));
        let condition = inner.func.value("condition", Type::fixed(DType::Bool, &[]));
        inner.block.params = vec![entry, condition];
        for x in &mut entries {
            *x = inner.op(OpKind::Gather, &[*x, entry], &[])?;
        }
        let (zero, one) = (ints(&mut inner, &[0]), ints(&mut inner, &[1]));
        let mut missing = None;
        if let Some(lengths) = lengths {
            let full = inner.op(OpKind::Shape, &[entries[states]], &[("end", Attr::Int(1))])?;
            let length = inner.op(OpKind::Gather, &[lengths, entry], &[])?;
            let length = inner.op(OpKind::Cast, &[length], &[("to", Attr::DType(DType::I64))])?;
            let length = inner.op(OpKind::Reshape, &[length, one], &[])?;
            for x in &mut entries[states..] {
                *x = inner.op(OpKind::Slice, &[*x, zero, length, zero], &[])?;
            }
            missing = Some(inner.op(OpKind::Sub, &[full, length], &[])?);
        }
        let entries: Vec<_> = entries.into_iter().map(Some).collect();
        let region = self.scan_body(inner.func, scope, graph, &entries, states, results, frame)?;
        let outputs: Vec<ValueId> = (0..region.results.len())
            .map(|i| inner.func.value(format!("scan.{i}"), Type::unranked(DType::Bool)))
            .collect();
        let mut op = Op::new(OpKind::Scan, entries, outputs.iter().copied().map(Some).collect());
        op.attrs.set("num_scan_inputs", Attr::Int(count as i64));
        if let Some(directions) = directions {
            op.attrs.set("scan_input_directions", Attr::Ints(directions));
        }
        op.regions.push(region);
        inner.push(op)?;
        let mut yielded = vec![condition];
        for (i, y) in outputs.into_iter().enumerate() {
            yielded.push(match missing {
                Some(missing) if i >= states => {
                    let axis = Attr::Int(0);
                    let pads = inner.op(OpKind::Concat, &[zero, missing], &[("axis", axis)])?;
                    let operands = [Some(y), Some(pads), None, Some(zero)];
                    inner.ops(OpKind::Pad, &operands, &[], 1)?[0]
                }
                _ => y,
            });
        }
        inner.block.results = yielded;
        let body = inner.finish();

        let outputs: Outputs = (0..results)
            .map(|i| node.output(i).map(|name| b.func.value(name, Type::unranked(DType::Bool))))
            .collect();
        let mut op = Op::new(OpKind::Loop, vec![Some(batch)], outputs.clone());
        op.regions.push(body);
        b.push(op)?;
        Ok(outputs)
    }
}
