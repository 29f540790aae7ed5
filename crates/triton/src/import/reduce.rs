//! Ops whose region says what to do with single elements.

use super::emit::{around, elements};
use super::{Import, Lowered};
use crate::Failure;
use crate::ttir::Op;
use trident_ir::op::OpKind as K;
use trident_ir::{Block, DType, Op as IrOp, Type, ValueId, ops};

/// The most single elements that a region may take and yield.
const MAX_PACKED: usize = 4096;

fn scalar(ty: &Type) -> Type {
    ty.with_shape(Some(vec![]))
}

impl<'a> Import<'a> {
    pub(super) fn reduce(&mut self, op: &'a Op, name: &str, xs: &[ValueId]) -> Lowered {
        let elements: Vec<_> = xs.iter().map(|&x| scalar(self.ty(x))).collect();
        if name == "map_elementwise" {
            return self.map(op, xs, &elements);
        }
        let end = if name == "reduce" { "tt.reduce.return" } else { "tt.scan.return" };
        let (axis, reverse) = (self.int(op, "axis")?, self.flag(op, "reverse"));
        let fold = |xs: &[ValueId]| -> IrOp {
            match name {
                "reduce" => ops::Reduce::new(xs).axis(axis).into(),
                _ => ops::PrefixScan::new(xs).axis(axis).reverse(reverse).into(),
            }
        };
        let block =
            self.only_region(op, end, &[&elements[..], &elements[..]].concat(), &elements)?;
        if let ([x], [result], true) = (xs, &self.result_types(op)[..], self.widens(&block)) {
            return Ok(vec![self.widened(fold, *x, result, block)]);
        }
        Ok(self.push(around(vec![block], fold(xs)), &self.result_types(op)))
    }

    fn map(&mut self, op: &'a Op, xs: &[ValueId], elements: &[Type]) -> Lowered {
        let results: Vec<_> = self.result_types(op).iter().map(scalar).collect();
        let pack = match op.dict.get("pack") {
            Some(_) => self.int(op, "pack")?,
            None => 1,
        };
        let parts = elements.len() + results.len();
        let small = |n: &usize| *n > 0 && n.saturating_mul(parts) <= MAX_PACKED;
        let Some(n) = usize::try_from(pack).ok().filter(small) else {
            return self.attribute(op, "pack", "a small positive number");
        };
        let packed = |types: &[Type]| -> Vec<Type> {
            types.iter().flat_map(|ty| std::iter::repeat_n(ty.clone(), n)).collect()
        };
        let (params, yields) = (packed(elements), packed(&results));
        let block = self.only_region(op, "tt.map_elementwise.return", &params, &yields)?;
        Ok(self.push(around(vec![block], ops::Map::new(xs).pack(pack)), &self.result_types(op)))
    }

    /// Whether a fold is a sum or product of floats so narrow that rounding after each step would spoil it. The order
    /// of steps is open, and so is where their rounding falls: programs expect the error of a few steps, as where the
    /// fold is a tree.
    fn widens(&self, block: &Block) -> bool {
        let narrow = |&id: &ValueId| matches!(self.ty(id).dtype(), Some(DType::F16 | DType::BF16));
        match &block.ops[..] {
            [step] if matches!(step.kind, K::Add | K::Mul) => {
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
        fold: impl Fn(&[ValueId]) -> IrOp,
        x: ValueId,
        result: &Type,
        block: Block,
    ) -> ValueId {
        for id in block.params.iter().chain(&block.results) {
            if let Some(info) = self.func.values.get_mut(id.index()) {
                info.ty = Type::fixed(DType::F32, &[]);
            }
        }
        let wide = self.converted(x, DType::F32);
        let ty = elements(Some(result), DType::F32);
        let y = self.emit(around(vec![block], fold(&[wide])), ty);
        self.converted(y, result.dtype().unwrap_or(DType::F32))
    }

    /// Imports the region of an op that has exactly one, and checks its parameters and results.
    fn only_region(
        &mut self,
        op: &'a Op,
        end: &'static str,
        params: &[Type],
        yields: &[Type],
    ) -> Result<Block, Failure> {
        self.counted(op, "region", op.regions.len(), 1)?;
        let Some(&region) = op.regions.first() else { return self.unknown(op) };
        self.takes(op, region, params)?;
        let block = self.region(region, end)?;
        self.yields(op, &block, yields)?;
        Ok(block)
    }
}
