//! Ops whose region says what to do with single elements.

use super::emit::elements;
use super::{Import, Lowered};
use crate::Failure;
use crate::syntax::{Attr as Text, Op};
use trident_ir::op::OpKind as K;
use trident_ir::{Attr, Block, DType, Type, ValueId};

/// The most single elements that a region may take and yield.
const MAX_PACKED: usize = 4096;

impl<'a, 's> Import<'a, 's> {
    pub(super) fn reduce(&mut self, op: &'a Op<'s>, name: &str, xs: &[ValueId]) -> Lowered {
        let (kind, end) = match name {
            "reduce" => (K::Reduce, "tt.reduce.return"),
            "scan" => (K::PrefixScan, "tt.scan.return"),
            _ => (K::Map, "tt.map_elementwise.return"),
        };
        let scalar = |ty: &Type| ty.with_shape(Some(vec![]));
        let elements: Vec<_> = xs.iter().map(|&x| scalar(self.ty(x))).collect();
        let results: Vec<_> = op.result_types.iter().map(scalar).collect();
        let (mut attrs, params, yields);
        if kind == K::Map {
            let pack = match op.attrs.get("pack") {
                Some(_) => self.int(op, "pack")?,
                None => 1,
            };
            let parts = elements.len() + results.len();
            let small = |n: &usize| *n > 0 && n.saturating_mul(parts) <= MAX_PACKED;
            let Some(n) = usize::try_from(pack).ok().filter(small) else {
                return self.attribute(op, "pack", "a small positive number");
            };
            attrs = vec![];
            attrs.extend(super::emit::unless_default(kind, "pack", Attr::Int(pack)));
            let packed = |types: &[Type]| -> Vec<Type> {
                types.iter().flat_map(|ty| std::iter::repeat_n(ty.clone(), n)).collect()
            };
            (params, yields) = (packed(&elements), packed(&results));
        } else {
            attrs = vec![("axis", Attr::Int(self.int(op, "axis")?))];
            if op.attrs.get("reverse").and_then(Text::int).is_some_and(|v| v != 0) {
                attrs.push(("reverse", Attr::Int(1)));
            }
            params = [&elements[..], &elements[..]].concat();
            yields = elements;
        }
        let block = self.only_region(op, end, &params, &yields)?;
        if let ([x], [result], true) = (xs, &op.result_types[..], self.widens(kind, &block)) {
            return Ok(vec![self.widened(kind, *x, result, attrs, block)]);
        }
        let inputs = xs.iter().copied().map(Some).collect();
        let outputs = self.push(kind, inputs, attrs, &op.result_types);
        self.attach(vec![block]);
        Ok(outputs)
    }

    /// Whether a fold is a sum or product of floats so narrow that rounding after each step would spoil it. The order
    /// of steps is open, and so is where their rounding falls: programs expect the error of a few steps, as where the
    /// fold is a tree.
    fn widens(&self, kind: K, block: &Block) -> bool {
        let narrow = |&id: &ValueId| matches!(self.ty(id).dtype(), Some(DType::F16 | DType::BF16));
        match &block.ops[..] {
            [step] if kind != K::Map && matches!(step.kind, K::Add | K::Mul) => {
                let own = |id: &ValueId| block.params.contains(id);
                block.results.iter().copied().map(Some).eq(step.outputs.iter().copied())
                    && step.inputs.iter().all(|id| id.as_ref().is_some_and(own))
                    && block.params.iter().chain(&block.results).all(narrow)
            }
            _ => false,
        }
    }

    /// The fold in f32, rounded once.
    fn widened(
        &mut self,
        kind: K,
        x: ValueId,
        result: &Type,
        attrs: Vec<(&'static str, Attr)>,
        block: Block,
    ) -> ValueId {
        for id in block.params.iter().chain(&block.results) {
            if let Some(info) = self.func.values.get_mut(id.index()) {
                info.ty = Type::fixed(DType::F32, &[]);
            }
        }
        let wide = self.converted(x, DType::F32);
        let ty = elements(Some(result), DType::F32);
        let outputs = self.push(kind, vec![Some(wide)], attrs, &[ty]);
        self.attach(vec![block]);
        let narrow = result.dtype().unwrap_or(DType::F32);
        outputs.first().map_or(wide, |&y| self.converted(y, narrow))
    }

    /// Imports the region of an op that has one, and checks what it takes and yields.
    fn only_region(
        &mut self,
        op: &'a Op<'s>,
        end: &'static str,
        params: &[Type],
        yields: &[Type],
    ) -> Result<Block, Failure> {
        self.counted(op, "region", op.regions.len(), 1)?;
        let Some(region) = op.regions.first() else { return self.unknown(op) };
        self.takes(op, region, params)?;
        let block = self.region(region, end)?;
        self.yields(op, &block, yields)?;
        Ok(block)
    }
}
