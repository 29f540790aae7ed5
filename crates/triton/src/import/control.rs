//! Structured control flow, and calls.

use super::emit::around;
use super::{Import, Lowered};
use crate::ttir::{Op, RegionId};
use crate::{ErrorKind, Failure};
use trident_ir::{Block, DType, Type, ValueId, ops};

impl<'a> Import<'a> {
    pub(super) fn control(&mut self, op: &'a Op, name: &str, xs: &[ValueId]) -> Lowered {
        match name {
            "for" => self.scf_for(op, xs),
            "if" => self.scf_if(op, xs),
            "while" => self.scf_while(op, xs),
            _ => self.unknown(op),
        }
    }

    fn scf_for(&mut self, op: &'a Op, xs: &[ValueId]) -> Lowered {
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
        self.counted(op, "carried value", carried.len(), op.results.len())?;
        self.counted(op, "region", op.regions.len(), 1)?;
        let Some(&region) = op.regions.first() else { return self.unknown(op) };
        let params: Vec<_> =
            [counter].into_iter().chain(carried.iter().map(|&x| self.ty(x).clone())).collect();
        self.takes(op, region, &params)?;
        let block = self.region(region, "scf.yield")?;
        self.yields(op, &block, &self.result_types(op))?;
        let made = around(vec![block], ops::For::new(lower, upper, step, carried));
        Ok(self.push(made, &self.result_types(op)))
    }

    fn scf_if(&mut self, op: &'a Op, xs: &[ValueId]) -> Lowered {
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
                Some(&region) if !self.is_empty(region) => self.region(region, "scf.yield")?,
                _ => Block::default(),
            };
            self.yields(op, &block, &self.result_types(op))?;
            blocks.push(block);
        }
        Ok(self.push(around(blocks, ops::If::new(condition)), &self.result_types(op)))
    }

    fn scf_while(&mut self, op: &'a Op, xs: &[ValueId]) -> Lowered {
        self.counted(op, "region", op.regions.len(), 2)?;
        let [before, after] = op.regions[..] else { return self.unknown(op) };
        let carried: Vec<_> = xs.iter().map(|&x| self.ty(x).clone()).collect();
        self.takes(op, before, &carried)?;
        let first = self.region(before, "scf.condition")?;
        let condition = [Type::fixed(DType::Bool, &[])];
        self.yields(op, &first, &[&condition[..], &self.result_types(op)].concat())?;
        self.takes(op, after, &self.result_types(op))?;
        let second = self.region(after, "scf.yield")?;
        self.yields(op, &second, &carried)?;
        Ok(self.push(around(vec![first, second], ops::While::new(xs)), &self.result_types(op)))
    }

    pub(super) fn call(&mut self, op: &'a Op, xs: &[ValueId]) -> Lowered {
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
    pub(super) fn takes(&self, op: &Op, region: RegionId, types: &[Type]) -> Result<(), Failure> {
        let tree = self.context.tree;
        let params = tree.entry(region).map_or(&[][..], |block| &block.params);
        self.counted(op, "region parameter", params.len(), types.len())?;
        params.iter().zip(types).try_for_each(|(&param, ty)| {
            let what = || format!("region parameter `%{}`", tree.name(param));
            self.typed(op, what, &tree[param].ty, ty)
        })
    }

    /// Whether the block yields values of these types.
    pub(super) fn yields(&self, op: &Op, block: &Block, types: &[Type]) -> Result<(), Failure> {
        self.counted(op, "yielded value", block.results.len(), types.len())?;
        block.results.iter().zip(types).enumerate().try_for_each(|(i, (&x, ty))| {
            self.typed(op, || format!("yielded value {i}"), self.ty(x), ty)
        })
    }

    fn is_empty(&self, region: RegionId) -> bool {
        self.context.tree.blocks_of(region).all(|b| b.ops.is_empty() && b.params.is_empty())
    }
}
