//! Scan, and its first form, which runs over every entry of a batch.

use super::control::{Outputs, carried, emit, expect, same_types};
use super::node::Node;
use super::scope::Scope;
use super::{Frame, Import};
use crate::error::{OnnxError, OnnxErrorKind};
use crate::opset::shape::ints;
use crate::proto::GraphProto;
use trident_ir::{Block, Builder, DType, Func, Op, OpKind, Type, ValueId, ops};

/// Takes the number of operands out that a scan runs over.
fn scan_inputs(node: &mut Node<'_>, operands: usize) -> Result<usize, OnnxErrorKind> {
    let name = "num_scan_inputs";
    let missing = || OnnxErrorKind::MissingAttribute { name: name.to_owned() };
    let count = node.take_int(name)?.ok_or_else(missing)?;
    match usize::try_from(count) {
        Ok(n) if (1..=operands).contains(&n) => Ok(n),
        _ => Err(OnnxErrorKind::AttributeValue {
            name: name.to_owned(),
            found: count.to_string(),
            expected: "at least 1 and at most the number of inputs",
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
    ) -> Result<Outputs, OnnxError> {
        let graph = node.take_graph("body")?;
        let operands = node.inputs.len();
        let count = scan_inputs(&mut node, operands)?;
        let (states, results) = (operands - count, node.proto.output.len());
        let region = self.scan_body(b.func, scope, graph, &node.inputs, states, results, frame)?;
        let mut op = Op::new(OpKind::Scan, node.inputs.clone(), vec![]);
        if let Some(scan) = ops::Scan::edit(&mut op) {
            scan.num_scan_inputs(count as i64);
        }
        emit(b, node, op, vec![region], results)
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
    ) -> Result<Block, OnnxError> {
        let given = carried(func, operands);
        expect("body", "input", graph.input.len(), given.len())?;
        expect("body", "output", graph.output.len(), results.max(states))?;
        let region = self.region(func, scope, graph, &given, frame)?;
        same_types(func, &region.params[..states], &region.results)?;
        Ok(region)
    }

    /// Scan of operator set 8. Axis 0 of every operand is a batch. Each entry is scanned over axis 1 up to its length,
    /// and results are padded with zeros.
    pub(super) fn batched_scan(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, OnnxError> {
        let graph = node.take_graph("body")?;
        let operands = node.inputs.get(1..).unwrap_or_default().to_vec();
        let count = scan_inputs(&mut node, operands.len())?;
        let states = operands.len() - count;
        let directions = node.take_ints("directions")?;
        node.finish()?;
        let results = node.proto.output.len();
        let lengths = node.inputs.first().copied().flatten();
        let mut entries = vec![];
        for (i, operand) in operands.iter().enumerate() {
            let name = if i < states { "initial_state" } else { "scan_input" };
            entries.push(operand.ok_or(trident_ir::op::TypeError::MissingOperand {
                op: "scan",
                name,
                index: i + 1,
            })?);
        }
        let batch = b.add(ops::Shape::new(entries[0]).end(1))?;
        let rank_0 = ints(b, &[]);
        let batch = b.add(ops::Reshape::new(batch, rank_0))?;

        let loc = b.loc.clone();
        let mut inner = Builder::new(b.func);
        inner.loc = loc;
        let entry = inner.func.value("entry", Type::fixed(DType::I64, &[]));
        let condition = inner.func.value("condition", Type::fixed(DType::Bool, &[]));
        inner.block.params = vec![entry, condition];
        for x in &mut entries {
            *x = inner.add(ops::Gather::new(*x, entry))?;
        }
        let (zero, one) = (ints(&mut inner, &[0]), ints(&mut inner, &[1]));
        let mut missing = None;
        if let Some(lengths) = lengths {
            let full = inner.add(ops::Shape::new(entries[states]).end(1))?;
            let length = inner.add(ops::Gather::new(lengths, entry))?;
            let length = inner.add(ops::Cast::new(length).to(DType::I64))?;
            let length = inner.add(ops::Reshape::new(length, one))?;
            for x in &mut entries[states..] {
                *x = inner.add(ops::Slice::new(*x, zero, length, Some(zero), None))?;
            }
            missing = Some(inner.add(ops::Sub::new(full, length))?);
        }
        let given: Vec<_> = entries.iter().copied().map(Some).collect();
        let region = self.scan_body(inner.func, scope, graph, &given, states, results, frame)?;
        let outputs: Vec<ValueId> = (0..region.results.len())
            .map(|i| inner.func.value(format!("scan.{i}"), Type::unranked(DType::Bool)))
            .collect();
        let mut scan = ops::Scan::new(&entries).num_scan_inputs(count as i64);
        if let Some(directions) = directions {
            scan = scan.scan_input_directions(directions);
        }
        let mut op = scan.into_op();
        op.outputs = outputs.iter().copied().map(Some).collect();
        op.regions.push(region);
        inner.push(op)?;
        let mut yielded = vec![condition];
        for (i, y) in outputs.into_iter().enumerate() {
            yielded.push(match missing {
                Some(missing) if i >= states => {
                    let pads = inner.add(ops::Concat::new(&[zero, missing]).axis(0))?;
                    inner.add(ops::Pad::new(y, pads, None, Some(zero)))?
                }
                _ => y,
            });
        }
        inner.block.results = yielded;
        let body = inner.finish();

        let outputs = node.results(b.func, results);
        let mut op = ops::Loop::new(Some(batch), None, &[]).into_op();
        op.outputs.clone_from(&outputs);
        op.regions.push(body);
        b.push(op)?;
        Ok(outputs)
    }
}
