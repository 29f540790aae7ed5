//! Calls replaced by what they call.

use std::collections::HashMap;

use trident_ir::{Block, Func, Module, Op, OpKind as K, ValueId, ops};

use super::error::Unsupported;

/// The entry of a module without its calls. Functions do not call themselves: the verifier sees to that.
pub(super) fn inline(module: &Module, entry: &Func) -> Result<Func, Unsupported> {
    let mut func = entry.clone();
    let body = std::mem::take(&mut func.body);
    let mut inliner = Inliner { module, func: &mut func };
    let body = inliner.block(body, &mut HashMap::new())?;
    func.body = body;
    func.unique_names();
    Ok(func)
}

struct Inliner<'a> {
    module: &'a Module,
    func: &'a mut Func,
}

/// The values that stand for others.
type Renamed = HashMap<ValueId, ValueId>;

impl Inliner<'_> {
    fn block(&mut self, block: Block, renamed: &mut Renamed) -> Result<Block, Unsupported> {
        let mut ops = Vec::with_capacity(block.ops.len());
        for mut op in block.ops {
            for id in op.inputs.iter_mut().flatten() {
                *id = renamed.get(id).copied().unwrap_or(*id);
            }
            for region in &mut op.regions {
                *region = self.block(std::mem::take(region), renamed)?;
            }
            match op.kind {
                K::Call => self.call(&op, renamed, &mut ops)?,
                _ => ops.push(op),
            }
        }
        let results = block.results.iter().map(|id| renamed.get(id).copied().unwrap_or(*id));
        Ok(Block { results: results.collect(), params: block.params, ops })
    }

    fn call(
        &mut self,
        op: &Op,
        renamed: &mut Renamed,
        ops: &mut Vec<Op>,
    ) -> Result<(), Unsupported> {
        let name = ops::Call::of(op).map_or("", |call| call.callee());
        let callee = self.module.funcs.iter().find(|func| func.name == name);
        let callee = callee.ok_or_else(|| Unsupported::malformed(op, "calls no known function"))?;
        let arguments = callee.body.params.iter().copied().zip(op.used());
        let mut inside: Renamed = arguments.collect();
        let copied = self.copied(callee, &callee.body, &mut inside);
        let copied = self.block(copied, &mut HashMap::new())?;
        ops.extend(copied.ops);
        let results = op.outputs.iter().zip(copied.results);
        renamed.extend(results.filter_map(|(out, result)| Some(((*out)?, result))));
        Ok(())
    }

    /// A block of another function, with values of this one.
    fn copied(&mut self, from: &Func, block: &Block, inside: &mut Renamed) -> Block {
        let fresh = |func: &mut Func, inside: &mut Renamed, id: ValueId| {
            *inside.entry(id).or_insert_with(|| {
                let info = from.info(id).clone();
                func.value(info.name, info.ty)
            })
        };
        let params = block.params.iter().map(|&id| fresh(self.func, inside, id)).collect();
        let mut ops = Vec::with_capacity(block.ops.len());
        for op in &block.ops {
            let mut copy = op.clone();
            let known = |id: &Option<ValueId>| id.map(|id| inside.get(&id).copied().unwrap_or(id));
            copy.inputs = op.inputs.iter().map(known).collect();
            copy.regions =
                op.regions.iter().map(|region| self.copied(from, region, inside)).collect();
            let outputs = op.outputs.iter();
            copy.outputs = outputs.map(|id| id.map(|id| fresh(self.func, inside, id))).collect();
            ops.push(copy);
        }
        let results = block.results.iter().map(|id| inside.get(id).copied().unwrap_or(*id));
        Block { results: results.collect(), params, ops }
    }
}
