//! Composite graph ops replaced by the ops that they are made of.

use crate::op::TypeError;
use crate::shape::ShapeError;
use crate::{Block, Builder, Func, Op, OpKind, ValueId};
use std::collections::HashMap;

/// Writes an op as others: appends them to the builder, and gives the op's results in order. `None` stands for a result
/// that they do not give.
pub type Expand = fn(&Op, &mut Builder<'_>) -> Written;

/// The results of an op that was written as others.
pub type Written = Result<Vec<Option<ValueId>>, TypeError>;

/// Replaces the composite ops of a verified function of level graph, except those for which `keep` holds. Returns
/// whether it replaced any.
pub fn expand(func: &mut Func, keep: &dyn Fn(&Op) -> bool) -> Result<bool, ShapeError> {
    let replaced = |op: &Op| op.decl().expand.is_some() && !keep(op);
    let mut any = false;
    func.body.walk(&mut |op| any |= replaced(op));
    if any {
        let body = std::mem::take(&mut func.body);
        func.body = block(func, body, &replaced)?;
        func.unique_names();
    }
    Ok(any)
}

fn block(
    func: &mut Func,
    block: Block,
    replaced: &dyn Fn(&Op) -> bool,
) -> Result<Block, ShapeError> {
    let Block { params, ops, results } = block;
    let mut expanded = Vec::with_capacity(ops.len());
    for op in ops {
        push(func, op, replaced, &mut expanded)?;
    }
    Ok(Block { params, ops: expanded, results })
}

/// Appends an op, or the ops that it is made of; these may be composites themselves.
fn push(
    func: &mut Func,
    mut op: Op,
    replaced: &dyn Fn(&Op) -> bool,
    to: &mut Vec<Op>,
) -> Result<(), ShapeError> {
    match op.decl().expand.filter(|_| replaced(&op)) {
        Some(write) => {
            let written = written(func, &op, write)
                .map_err(|source| ShapeError::Type { op: op.name().into(), source })?;
            written.into_iter().try_for_each(|op| push(func, op, replaced, to))
        }
        None => {
            for region in &mut op.regions {
                *region = block(func, std::mem::take(region), replaced)?;
            }
            to.push(op);
            Ok(())
        }
    }
}

/// The ops that give the results of `op`.
fn written(func: &mut Func, op: &Op, write: Expand) -> Result<Vec<Op>, TypeError> {
    let mut b = Builder::new(func);
    b.loc = op.loc.clone();
    let values = write(op, &mut b)?;
    let mut ops = b.finish().ops;
    let mut renamed: HashMap<ValueId, ValueId> = HashMap::new();
    for (index, out) in op.outputs.iter().enumerate() {
        let Some(out) = *out else { continue };
        let Some(value) = values.get(index).copied().flatten() else {
            return Err(TypeError::Result {
                op: op.decl().name,
                name: op.decl().result(index).map_or("?", |result| result.name),
                index,
                actual: func.ty(out).to_string(),
                expected: "left out".into(),
            });
        };
        let own = ops.iter().any(|op| op.defined().any(|defined| defined == value));
        if !own || renamed.contains_key(&value) {
            // An operand, or one value for two results.
            let mut same = Op::new(OpKind::Identity, vec![Some(value)], vec![Some(out)]);
            same.loc = op.loc.clone();
            ops.push(same);
        } else {
            renamed.insert(value, out);
        }
    }
    for op in &mut ops {
        for value in op.inputs.iter_mut().chain(&mut op.outputs).flatten() {
            *value = renamed.get(value).copied().unwrap_or(*value);
        }
    }
    Ok(ops)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Module;

    fn expanded(body: &str) -> Result<Func, ShapeError> {
        let text = format!("func @f graph (%x: f32[2, 3], %s: f32[2, 3], %w: f32[3]) {{ {body} }}");
        let mut module: Module = text.parse().unwrap();
        module.verify().unwrap();
        assert!(expand(&mut module.funcs[0], &|_| false)?);
        module.verify().unwrap();
        Ok(module.funcs.swap_remove(0))
    }

    fn kinds(block: &Block) -> Vec<OpKind> {
        block.ops.iter().map(|op| op.kind).collect()
    }

    #[test]
    fn results_keep_their_values() {
        let op = "skip_simplified_layer_normalization(%x, %s, %w)";
        let func = expanded(&format!("%y, _, _, %sum = {op} return %y, %sum")).unwrap();
        assert_eq!(kinds(&func.body), [OpKind::Add, OpKind::RMSNormalization]);
        assert_eq!(func.body.ops[0].output(0), Some(func.body.results[1]));
        assert_eq!(func.body.ops[1].output(0), Some(func.body.results[0]));
        let func = expanded(&format!("%y = {op} return %y")).unwrap();
        assert_eq!(func.body.results, [func.body.ops[1].output(0).unwrap()]);
    }

    #[test]
    fn results_that_are_not_written_are_refused() {
        let op = "skip_simplified_layer_normalization(%x, %s, %w)";
        let error = expanded(&format!("%y, %mean = {op} return %y, %mean")).unwrap_err();
        assert!(error.to_string().contains("result 1 (`mean`)"), "{error}");
    }

    #[test]
    fn ops_in_regions_are_written_and_others_kept() {
        let op = "skip_simplified_layer_normalization(%x, %s, %w)";
        let body = "%c = constant {value = bool[](true)}
             %z = if(%c) region { %y = OP yield %y } region { yield %x } return %z";
        let func = expanded(&body.replace("OP", op)).unwrap();
        let region = &func.body.ops[1].regions[0];
        assert_eq!(kinds(region), [OpKind::Add, OpKind::RMSNormalization]);
        let text =
            format!("func @f graph (%x: f32[3], %s: f32[3], %w: f32[3]) {{ %y = {op} return %y }}");
        let mut func: Func = text.parse().unwrap();
        assert_eq!(expand(&mut func, &|_| true), Ok(false));
    }
}
