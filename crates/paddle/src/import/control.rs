//! Branches and loops.

use super::Import;
use crate::catalogue::{Bound, Graph};
use crate::error::{Fault, PaddleErrorKind};
use crate::program::{self, Op, Var, VarType};
use trident_ir::{Block, Builder, DType, Dim, OpKind, Type, ValueId};

impl Import<'_> {
    /// An op of the IR with these regions, whose results are those of the program's op.
    fn control(
        &mut self,
        graph: &mut Graph<'_>,
        op: &Op,
        kind: OpKind,
        inputs: Vec<Option<ValueId>>,
        regions: Vec<Block>,
        arrays: &[Var],
    ) -> Result<(), Fault> {
        let mut made = trident_ir::Op::new(kind, inputs, vec![]);
        made.regions = regions;
        let vars: Vec<Var> = op.results.iter().chain(arrays.iter().copied()).collect();
        for &var in &vars {
            // The rules of the op give the type.
            let name = &*self.program.var(var).name;
            made.outputs.push(Some(graph.b.func.value(name, Type::unranked(DType::Bool))));
        }
        let outputs = made.outputs.clone();
        graph.push(made)?;
        for (var, value) in vars.into_iter().zip(outputs.into_iter().flatten()) {
            self.bind(var, Bound::Value(value));
        }
        Ok(())
    }

    /// A truth value of rank 0.
    fn condition(&self, graph: &mut Graph<'_>, op: &Op) -> Result<ValueId, Fault> {
        let Some(var) = op.operands.at(0) else {
            return Err(PaddleErrorKind::Unsupported("the condition is missing".to_owned()).into());
        };
        let condition = self.value(var)?;
        let condition = graph.scalar(condition)?;
        Ok(graph.cast(condition, DType::Bool)?)
    }

    /// A block as a region without parameters. It also gives these arrays, which keep their values here.
    fn region(
        &mut self,
        graph: &mut Graph<'_>,
        block: &program::Block,
        arrays: &[Var],
    ) -> Result<Block, Fault> {
        let kept: Vec<_> = arrays.iter().map(|var| self.bound[var.index()].clone()).collect();
        let mut inner = Graph { b: Builder::new(graph.b.func), facts: graph.facts };
        self.ops(&mut inner, block)?;
        inner.b.block.results = (block.results.iter().chain(arrays))
            .map(|&var| self.value(var))
            .collect::<Result<_, _>>()?;
        for (var, bound) in arrays.iter().zip(kept) {
            self.bound[var.index()] = bound;
        }
        Ok(inner.b.finish())
    }

    /// `if`: a region for each branch.
    pub(super) fn branch(&mut self, graph: &mut Graph<'_>, op: &Op) -> Result<(), Fault> {
        let condition = self.condition(graph, op)?;
        let [yes, no] = &op.blocks[..] else {
            return Err(
                PaddleErrorKind::Unsupported(format!("{} branches", op.blocks.len())).into()
            );
        };
        let arrays = self.outer_arrays(&op.blocks);
        let regions = vec![self.region(graph, yes, &arrays)?, self.region(graph, no, &arrays)?];
        self.control(graph, op, OpKind::If, vec![Some(condition)], regions, &arrays)
    }

    /// `while`: a loop without a limit.
    pub(super) fn repeat(&mut self, graph: &mut Graph<'_>, op: &Op) -> Result<(), Fault> {
        let condition = self.condition(graph, op)?;
        let [body] = &op.blocks[..] else {
            return Err(PaddleErrorKind::Unsupported(format!("{} blocks", op.blocks.len())).into());
        };
        let arrays = self.outer_arrays(&op.blocks);
        let carried: Vec<Var> = op.operands.iter().skip(1).chain(arrays.iter().copied()).collect();
        let params: Vec<Var> = body.params.iter().chain(&arrays).copied().collect();
        let mut inputs = vec![None, Some(condition)];
        let mut types = vec![];
        for (&from, &to) in carried.iter().zip(&params) {
            let value = self.value(from)?;
            inputs.push(Some(value));
            types.push(self.carried(graph, value, to));
        }
        let mut inner = Graph { b: Builder::new(graph.b.func), facts: graph.facts };
        let head = [(DType::I64, "round"), (DType::Bool, "goes_on")];
        for (dtype, name) in head {
            let value = inner.b.func.value(name, Type::fixed(dtype, &[]));
            inner.b.block.params.push(value);
        }
        for (ty, &to) in types.into_iter().zip(&params) {
            let value = inner.b.func.value(&*self.program.var(to).name, ty);
            inner.b.block.params.push(value);
            self.bind(to, Bound::Value(value));
        }
        self.ops(&mut inner, body)?;
        let mut results = vec![];
        for (i, &var) in body.results.iter().chain(&arrays).enumerate() {
            let mut value = self.value(var)?;
            if i == 0 {
                value = inner.scalar(value)?;
                value = inner.cast(value, DType::Bool)?;
            }
            results.push(value);
        }
        inner.b.block.results = results;
        let region = inner.b.finish();
        self.replace_placeholders(graph, &mut inputs, &region, body)?;
        self.control(graph, op, OpKind::Loop, inputs, vec![region], &arrays)
    }

    /// Gives variables that the body writes before it reads them an initial value of the type and rank that it writes.
    /// Exported loops begin with placeholders of another type for these.
    fn replace_placeholders(
        &self,
        graph: &mut Graph<'_>,
        inputs: &mut [Option<ValueId>],
        region: &Block,
        body: &program::Block,
    ) -> Result<(), Fault> {
        let uses = region.uses();
        // Parameters begin with the round and the condition, results with the condition.
        let pairs = region.params[2..].iter().zip(&region.results[1..]);
        for (i, ((&param, &result), input)) in pairs.zip(&mut inputs[2..]).enumerate() {
            let (Some(before), Some(after)) = (graph.ty(param).dtype(), graph.ty(result).dtype())
            else {
                continue;
            };
            if uses.contains_key(&param) {
                if before != after {
                    let name = &graph.b.func.info(param).name;
                    let reason =
                        format!("`{name}` is {before} in the first round and then {after}");
                    return Err(PaddleErrorKind::Unsupported(reason).into());
                }
                continue;
            }
            let Some(initial) = *input else { continue };
            let declared = body.results.get(i + 1).and_then(|&var| self.declared_rank(var));
            let rank = graph.ty(result).shape().map(<[Dim]>::len).or(declared).unwrap_or(0);
            let own = graph.rank(initial)?;
            if before == after && own >= rank {
                continue;
            }
            let value = graph.cast(initial, after)?;
            let shape = graph.ints(&vec![1; rank])?;
            let value = graph.expand(value, shape)?;
            *input = Some(value);
            graph.b.func.values[param.index()].ty = graph.ty(value).clone();
        }
        Ok(())
    }

    /// The type of a value that a loop carries: dimensions may change from one round to the next.
    fn carried(&self, graph: &Graph<'_>, initial: ValueId, to: Var) -> Type {
        let ty = graph.ty(initial);
        let rank = self.declared_rank(to).or(ty.shape().map(<[Dim]>::len));
        match (ty.dtype(), rank) {
            (Some(dtype), Some(rank)) => Type::tensor(dtype, vec![Dim::Unknown; rank]),
            _ => ty.unshaped(),
        }
    }

    fn declared_rank(&self, var: Var) -> Option<usize> {
        match &self.program.var(var).ty {
            VarType::Tensor(info) => info.dims.as_ref().map(|dims| dims.len()),
            _ => None,
        }
    }
}
