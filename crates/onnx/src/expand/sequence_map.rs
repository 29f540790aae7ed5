//! SequenceMap: a loop that carries the sequences of results.

use crate::error::{OnnxError, OnnxErrorKind};
use crate::import::control::{Outputs, expect};
use crate::import::node::Node;
use crate::import::scope::Scope;
use crate::import::{Frame, Import};
use trident_ir::{Builder, DType, Type, ops};

impl<'a> Import<'a, '_> {
    /// Runs the body once for each item of the first operand, which is a sequence: the body takes an item of
    /// each operand that is one, and each tensor as it is.
    pub(crate) fn sequence_map(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope<'a, '_>,
        mut node: Node<'a>,
        frame: &Frame<'a>,
    ) -> Result<Outputs, OnnxError> {
        let graph = node.take_graph("body")?;
        node.finish()?;
        let first = node.need(0, "input_sequence")?;
        expect("body", "input", graph.input.len(), node.inputs.len())?;
        expect("body", "output", graph.output.len(), node.proto.output.len())?;
        let count = b.add(ops::SequenceLength::new(first))?;

        let loc = b.loc.clone();
        let mut inner = Builder::new(b.func);
        inner.loc = loc;
        let position = inner.func.value("position", Type::fixed(DType::I64, &[]));
        let condition = inner.func.value("condition", Type::fixed(DType::Bool, &[]));
        inner.block.params = vec![position, condition];
        inner.block.results = vec![condition];
        let mut items = vec![];
        for i in 0..node.inputs.len() {
            let x = node.need(i, "additional_inputs")?;
            items.push(match inner.func.ty(x) {
                Type::Seq(_) => inner.add(ops::SequenceAt::new(x, position))?,
                _ => x,
            });
        }
        let results = self.inline(&mut inner, scope, graph, &items, frame)?;
        let mut dtypes = vec![];
        for (output, item) in graph.output.iter().zip(results) {
            let dtype = inner.func.ty(item).dtype().ok_or_else(|| OnnxErrorKind::BadType {
                tensor: output.name.clone(),
                reason: "it is not a tensor".to_owned(),
            })?;
            let sequence = Type::Seq(Box::new(Type::unranked(dtype)));
            let carried = inner.func.value(&output.name, sequence);
            inner.block.params.push(carried);
            let longer = inner.add(ops::SequenceInsert::new(carried, item, None))?;
            inner.block.results.push(longer);
            dtypes.push(dtype);
        }
        let body = inner.finish();

        let mut init = vec![];
        for dtype in dtypes {
            init.push(b.add(ops::SequenceEmpty::new().dtype(dtype))?);
        }
        let outputs = node.results(b.func, node.proto.output.len());
        let mut op = ops::Loop::new(Some(count), None, &init).into_op();
        op.outputs.clone_from(&outputs);
        op.regions.push(body);
        b.push(op)?;
        Ok(outputs)
    }
}
