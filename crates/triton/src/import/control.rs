//! Structured control flow, and calls.

use super::emit::around;
use super::{Import, Lowered};
use crate::syntax::{Op, Region};
use crate::{ErrorKind, Failure};
use trident_ir::{Block, DType, Type, ValueId, ops};

impl<'a, 's> Import<'a, 's> {
    pub(super) fn control(&mut self, op: &'a Op<'s>, name: &str, xs: &[ValueId]) -> Lowered {
        match name {
            "for" => self.scf_for(op, xs),
            "if" => self.scf_if(op, xs),
            "while" => self.scf_while(op, xs),
            _ => self.unknown(op),
        }
    }

    fn scf_for(&mut self, op: &'a Op<'s>, xs: &[ValueId]) -> Lowered {
        let Some((&[lower, upper, step], carried)) = xs.split_first_chunk() else {
            return self.counted(op, "operand", xs.len(), 3).map(|()| vec![]);
        };
        let counter = self.ty(lower).clone();
        if ![DType::I32, DType::I64].map(|d| Type::fixed(d, &[])).contains(&counter) {
            return self.wrong_type(op, "the counter", &counter, "i32[] or i64[]");
        }
        for bound in [upper, step] {
            self.typed(op, || "a bound".into(), self.ty(bound), &counter)?;
        }
        self.counted(op, "carried value", carried.len(), op.result_types.len())?;
        self.counted(op, "region", op.regions.len(), 1)?;
        let Some(region) = op.regions.first() else { return self.unknown(op) };
        let params: Vec<_> =
            [counter].into_iter().chain(carried.iter().map(|&x| self.ty(x).clone())).collect();
        self.takes(op, region, &params)?;
        let block = self.region(region, "scf.yield")?;
        self.yields(op, &block, &op.result_types)?;
        let made = around(vec![block], ops::For::new(lower, upper, step, carried));
        Ok(self.push(made, &op.result_types))
    }

    fn scf_if(&mut self, op: &'a Op<'s>, xs: &[ValueId]) -> Lowered {
        let [condition] = self.exactly(op, xs)?;
        self.typed(
            op,
            || "the condition".into(),
            self.ty(condition),
            &Type::fixed(DType::Bool, &[]),
        )?;
        let mut blocks = vec![];
        for i in 0..2 {
            let block = match op.regions.get(i) {
                // A region that is left out has no blocks in the generic form.
                Some(region) if !is_empty(region) => self.region(region, "scf.yield")?,
                _ => Block::default(),
            };
            self.yields(op, &block, &op.result_types)?;
            blocks.push(block);
        }
        Ok(self.push(around(blocks, ops::If::new(condition)), &op.result_types))
    }

    fn scf_while(&mut self, op: &'a Op<'s>, xs: &[ValueId]) -> Lowered {
        self.counted(op, "region", op.regions.len(), 2)?;
        let [before, after] = &op.regions[..] else { return self.unknown(op) };
        let carried: Vec<_> = xs.iter().map(|&x| self.ty(x).clone()).collect();
        self.takes(op, before, &carried)?;
        let first = self.region(before, "scf.condition")?;
        let condition = [Type::fixed(DType::Bool, &[])];
        self.yields(op, &first, &[&condition[..], &op.result_types].concat())?;
        self.takes(op, after, &op.result_types)?;
        let second = self.region(after, "scf.yield")?;
        self.yields(op, &second, &carried)?;
        Ok(self.push(around(vec![first, second], ops::While::new(xs)), &op.result_types))
    }

    pub(super) fn call(&mut self, op: &'a Op<'s>, xs: &[ValueId]) -> Lowered {
        let callee = self.text(op, "callee")?;
        let Some(signature) = self.context.signatures.get(&*callee) else {
            return self.fail(ErrorKind::NoFunction(callee));
        };
        self.counted(op, "argument", xs.len(), signature.params.len())?;
        for (i, (&x, ty)) in xs.iter().zip(&signature.params).enumerate() {
            self.typed(op, || format!("argument {i}"), self.ty(x), ty)?;
        }
        Ok(self.push(ops::Call::new(xs).callee(callee), &signature.results))
    }

    /// Whether the region takes parameters of these types.
    pub(super) fn takes(
        &self,
        op: &Op<'_>,
        region: &Region<'_>,
        types: &[Type],
    ) -> Result<(), Failure> {
        let params = region.blocks.first().map_or(&[][..], |b| &b.params);
        self.counted(op, "region parameter", params.len(), types.len())?;
        params.iter().zip(types).try_for_each(|(param, ty)| {
            self.typed(op, || format!("region parameter `%{}`", param.name), &param.ty, ty)
        })
    }

    /// Whether the block yields values of these types.
    pub(super) fn yields(&self, op: &Op<'_>, block: &Block, types: &[Type]) -> Result<(), Failure> {
        self.counted(op, "yielded value", block.results.len(), types.len())?;
        block.results.iter().zip(types).enumerate().try_for_each(|(i, (&x, ty))| {
            self.typed(op, || format!("yielded value {i}"), self.ty(x), ty)
        })
    }
}

fn is_empty(region: &Region<'_>) -> bool {
    region.blocks.iter().all(|b| b.ops.is_empty() && b.params.is_empty())
}
