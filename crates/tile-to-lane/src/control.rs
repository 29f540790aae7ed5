//! Control flow. Its conditions and bounds are scalars, which all threads of a program compute equally. So all threads
//! take the same path and may wait for each other anywhere. Blocks that regions take and yield are carried in
//! registers.

use std::ops::Range;

use trident_ir::op::words::BarrierMemory;
use trident_ir::{Block, DType, Op, OpKind as K, Type, ValueId, ops};

use super::carry::Carry;
use super::emit::{Emitter, Result};
use super::error::Unsupported;
use super::hazard::Hazards;
use super::plan::is_access;
use trident_tile_analysis::Index;

impl Emitter<'_, '_> {
    pub(super) fn branch(&mut self, op: &Op) -> Result<()> {
        let condition = self.scalar(op, 0)?;
        let targets: Vec<ValueId> = op.defined().collect();
        let (before, reads) = (self.hazards.clone(), self.memory.reads());
        let (mut regions, mut after) = (vec![], Hazards::default());
        let mut reads_after = vec![];
        for region in &op.regions {
            self.hazards = before.clone();
            self.memory.resume(reads.clone());
            let results = wanted(&op.outputs, &region.results);
            regions.push(self.region(vec![], |e| {
                e.ops(region)?;
                e.registers(&results, &targets, false)
            })?);
            after.join(std::mem::take(&mut self.hazards));
            reads_after.push(self.memory.reads());
        }
        self.hazards = after;
        reads_after.into_iter().for_each(|reads| self.memory.join(reads));
        let types = self.types(&targets);
        let results = self.nest(ops::If::new(condition), types, regions)?;
        self.bind(&targets, &results);
        Ok(())
    }

    pub(super) fn counted(&mut self, op: &Op) -> Result<()> {
        let (Some(region), [_, _, _, init @ ..]) = (op.regions.first(), &op.inputs[..]) else {
            return Err(Unsupported::malformed(op, "has no region"));
        };
        let Some((&counter, carried)) = region.params.split_first() else {
            return Err(Unsupported::malformed(op, "has no counter"));
        };
        // Products need much memory, and data shared before a loop stays until its end.
        let mut multiplies = false;
        region.walk(&mut |op| multiplies |= op.kind == K::Dot);
        while multiplies && let Some(piece) = self.forget() {
            self.release(&piece.part);
        }
        let init: Vec<ValueId> = init.iter().flatten().copied().collect();
        let at = ops::For::AT;
        let (lower, upper) = (self.scalar(op, at.lower)?, self.scalar(op, at.upper)?);
        let step = self.scalar(op, at.step)?;
        let init = self.registers(&init, carried, false)?;
        let staged = self.stage_ahead(region)?;
        let types = self.types(carried);
        let count = self.params(&[counter]);
        let params = self.params(carried);
        let all = count.iter().chain(&params).copied().collect();
        let body = self.repeated(all, |e| {
            e.bind(&[counter], &count);
            e.bind(carried, &params);
            e.iteration(region)?;
            e.registers(&region.results, carried, true)
        })?;
        self.leave(&staged);
        let new = ops::For::new(lower, upper, step, &init);
        let results = self.nest(new, types, vec![body])?;
        self.bind_some(&op.outputs, carried, &results)
    }

    /// A loop over these steps of one op, which carries values, and whether threads exchange elements in it. The body gets the
    /// step's number.
    pub(super) fn steps(
        &mut self,
        steps: Range<usize>,
        init: Vec<ValueId>,
        exchanges: bool,
        body: impl FnOnce(&mut Self, ValueId, Vec<ValueId>) -> Result<Vec<ValueId>>,
    ) -> Result<Vec<ValueId>> {
        let types: Vec<Type> = init.iter().map(|&id| self.out.ty(id).clone()).collect();
        let (first, end) = (self.int(steps.start as i32)?, self.int(steps.end as i32)?);
        let new = ops::For::new(first, end, self.int(1)?, &init);
        let step = self.out.value("step", Type::fixed(DType::I32, &[]));
        let carried: Vec<ValueId> =
            types.iter().map(|ty| self.out.value("carried", ty.clone())).collect();
        let params = std::iter::once(step).chain(carried.iter().copied()).collect();
        let body = match exchanges {
            true => self.repeated(params, |e| body(e, step, carried))?,
            false => self.region(params, |e| body(e, step, carried))?,
        };
        self.nest(new, types, vec![body])
    }

    pub(super) fn conditional(&mut self, op: &Op) -> Result<()> {
        let [condition, body] = &op.regions[..] else {
            return Err(Unsupported::malformed(op, "has no regions"));
        };
        let Some((&holds, values)) = condition.results.split_first() else {
            return Err(Unsupported::malformed(op, "has no condition"));
        };
        let init: Vec<ValueId> = op.used().collect();
        let inputs = self.registers(&init, &condition.params, false)?;
        let types = self.types(&body.params);
        let params = self.params(&condition.params);
        let first = self.repeated(params.clone(), |e| {
            e.bind(&condition.params, &params);
            e.ops(condition)?;
            let mut results = vec![e.scalar_of(holds)?];
            results.extend(e.registers(values, &body.params, false)?);
            Ok(results)
        })?;
        let params = self.params(&body.params);
        let second = self.repeated(params.clone(), |e| {
            e.bind(&body.params, &params);
            e.iteration(body)?;
            e.registers(&body.results, &condition.params, true)
        })?;
        let results = self.nest(ops::While::new(&inputs), types, vec![first, second])?;
        self.bind_some(&op.outputs, &body.params, &results)
    }

    /// The body of a loop. Other threads may access an iteration's data in the next iteration.
    fn iteration(&mut self, body: &Block) -> Result<()> {
        self.ops(body)?;
        let mut writes = false;
        body.walk(&mut |op| writes |= op.kind != K::Load && is_access(op.kind));
        if writes {
            self.wait(BarrierMemory::Device)?;
            self.hazards = Hazards::default();
        }
        Ok(())
    }

    /// The value of a scalar.
    pub(super) fn scalar_of(&mut self, id: ValueId) -> Result<ValueId> {
        let node = self.plan.node_of(id).ok_or_else(|| self.malformed("a scalar has no value"))?;
        self.element(node, &Index::from([]))
    }

    fn scalar(&mut self, op: &Op, i: usize) -> Result<ValueId> {
        let id = op.input(i).ok_or_else(|| Unsupported::malformed(op, "takes no scalar"))?;
        self.scalar_of(id)
    }

    /// The registers of values, in the layouts that their targets have; `next` if they leave an iteration.
    fn registers(
        &mut self,
        values: &[ValueId],
        targets: &[ValueId],
        next: bool,
    ) -> Result<Vec<ValueId>> {
        let mut all = vec![];
        for (&value, &target) in values.iter().zip(targets) {
            if let Some(product) = self.plan.sum_of(target) {
                all.extend(self.matrices_of(product, value)?);
                continue;
            }
            if let Some(&carry) = self.plan.carries.get(&target) {
                all.extend(self.carried(target, carry, next)?);
                continue;
            }
            let node = self.plan.node_of(value);
            let node =
                node.ok_or_else(|| self.malformed("a value that a region passes is not a block"))?;
            let layout = self.plan.layout_of(target);
            for register in 0..layout.registers() {
                all.push(self.operand(node, &layout.at(register))?);
            }
        }
        Ok(all)
    }

    /// The types of the registers of these values.
    fn types(&self, targets: &[ValueId]) -> Vec<Type> {
        let of = |&id: &ValueId| {
            if let Some(product) = self.plan.sum_of(id) {
                return vec![product.fragment(); product.grid.registers()];
            }
            match self.plan.carries.get(&id) {
                Some(Carry::Same) => return vec![],
                Some(Carry::Offset { dtype, .. }) => return vec![Type::fixed(*dtype, &[])],
                None => {}
            }
            let one = self.func.ty(id).with_shape(Some(vec![]));
            vec![one; self.plan.layout_of(id).registers()]
        };
        targets.iter().flat_map(of).collect()
    }

    /// Parameters of a region for the registers of these values.
    fn params(&mut self, targets: &[ValueId]) -> Vec<ValueId> {
        let types: Vec<(String, Type)> = targets
            .iter()
            .flat_map(|id| {
                let name = self.func.info(*id).name.clone();
                self.types(&[*id]).into_iter().map(move |ty| (name.clone(), ty))
            })
            .collect();
        types.into_iter().map(|(name, ty)| self.out.value(name, ty)).collect()
    }

    /// Makes registers stand for values from here to the end of the scope.
    pub(super) fn bind(&mut self, targets: &[ValueId], registers: &[ValueId]) {
        let mut rest = registers;
        for &target in targets {
            let (own, next) = rest.split_at(self.plan.registers(target).min(rest.len()));
            rest = next;
            if self.plan.sum_of(target).is_some() {
                self.scope().matrices.insert(target, own.to_vec());
                continue;
            }
            if self.plan.carries.contains_key(&target) {
                self.env.extend(own.first().map(|&own| (target, own)));
                continue;
            }
            let layout = self.plan.layout_of(target);
            let is_scalar = self.func.ty(target).dims().is_some_and(|dims| dims.is_empty());
            match (is_scalar, self.plan.node_of(target)) {
                (false, Some(node)) => {
                    self.scope().held.insert(node, (layout, own.to_vec()));
                }
                _ => self.env.extend(own.first().map(|&own| (target, own))),
            }
        }
    }

    /// Like [`Self::bind`], for the results of a loop, which has registers for everything that it carries.
    fn bind_some(
        &mut self,
        outputs: &[Option<ValueId>],
        carried: &[ValueId],
        registers: &[ValueId],
    ) -> Result<()> {
        let mut rest = registers;
        for (output, &carried) in outputs.iter().zip(carried) {
            let (own, next) = rest.split_at(self.plan.registers(carried).min(rest.len()));
            rest = next;
            let Some(output) = *output else { continue };
            match self.plan.sum_of(carried) {
                Some(product) => self.finish(output, product, own, None)?,
                None if self.plan.carries.contains_key(&carried) => {
                    self.env.extend(own.first().map(|&own| (output, own)));
                }
                None => self.bind(&[output], own),
            }
        }
        Ok(())
    }
}

/// The results of a region that are in use.
fn wanted(outputs: &[Option<ValueId>], results: &[ValueId]) -> Vec<ValueId> {
    outputs.iter().zip(results).filter_map(|(out, result)| out.map(|_| *result)).collect()
}
