//! Composites of a module replaced by their decompositions.

use super::{Decomposition, DecompositionStep};
use crate::op::TypeError;
use crate::{Block, Builder, DType, Func, Level, Literal, Module, Op, OpKind, ValueId};

/// The module with composites written out in primitives. `None` if its only composites are those for which `keep`
/// holds.
///
/// Floats narrower than f32 are computed in f32 and rounded once, as the table's conventions say.
pub fn lower(module: &Module, keep: &dyn Fn(&Op) -> bool) -> Result<Option<Module>, TypeError> {
    let replaced = |op: &Op| op.kind.is_composite() && !keep(op);
    let mut any = false;
    for func in &module.funcs {
        func.body.walk(&mut |op| any |= replaced(op));
    }
    if !any {
        return Ok(None);
    }
    let mut module = module.clone();
    for func in &mut module.funcs {
        let body = std::mem::take(&mut func.body);
        func.body = lower_block(func, body, &replaced)?;
    }
    Ok(Some(module))
}

fn lower_block(
    func: &mut Func,
    block: Block,
    replaced: &dyn Fn(&Op) -> bool,
) -> Result<Block, TypeError> {
    let Block { params, ops, results } = block;
    let mut lowered = Vec::with_capacity(ops.len());
    for mut op in ops {
        let first = op.input(0).and_then(|x| func.ty(x).dtype());
        let decomposition = match first.filter(|_| replaced(&op)) {
            Some(dtype) => op.decompose(dtype, DType::F32),
            None => None,
        };
        match decomposition {
            Some(decomposition) => lowered.extend(written_out(func, &op, &decomposition)?),
            None => {
                for region in &mut op.regions {
                    *region = lower_block(func, std::mem::take(region), replaced)?;
                }
                lowered.push(op);
            }
        }
    }
    Ok(Block { params, ops: lowered, results })
}

/// The ops that compute what `op` does.
fn written_out(
    func: &mut Func,
    op: &Op,
    decomposition: &Decomposition,
) -> Result<Vec<Op>, TypeError> {
    // At level tile nothing broadcasts.
    let dims = match func.level {
        Level::Graph => None,
        _ => op.input(0).and_then(|x| func.ty(x).dims()),
    };
    let mut b = Builder::new(func);
    b.loc = op.loc.clone();
    let mut values: Vec<ValueId> = vec![];
    let last = decomposition.steps.len().saturating_sub(1);
    for (i, (step, dtype)) in decomposition.steps.iter().enumerate() {
        let value = match step {
            DecompositionStep::Operand(at) => {
                let (name, index) = (op.decl().operand(*at).map_or("?", |o| o.name), *at);
                let missing = TypeError::MissingOperand { op: op.decl().name, name, index };
                spread(&mut b, op.input(*at).ok_or(missing)?, dims.as_deref())?
            }
            DecompositionStep::Constant(number) => {
                let constant = b.literal(Literal::number(*dtype, *number));
                spread(&mut b, constant, dims.as_deref())?
            }
            DecompositionStep::Primitive(primitive, args) => {
                let inputs = args.iter().map(|&id| Some(values[id])).collect();
                match op.output(0).filter(|_| i == last) {
                    Some(result) => {
                        let outputs = vec![Some(result)];
                        b.push(Op { inputs, outputs, ..primitive.clone() })?;
                        result
                    }
                    None => b.append(Op { inputs, ..primitive.clone() }, 1)?[0],
                }
            }
        };
        values.push(value);
    }
    Ok(b.finish().ops)
}

/// The value in every place of a block, if it is a scalar and the others are blocks.
fn spread(b: &mut Builder<'_>, x: ValueId, dims: Option<&[usize]>) -> Result<ValueId, TypeError> {
    let ty = b.func.ty(x);
    match dims.filter(|dims| ty.dims().is_some_and(|own| own.is_empty() && !dims.is_empty())) {
        Some(dims) => {
            let block = ty.with_shape(Some(dims.iter().map(|&n| n.into()).collect()));
            Ok(b.declared(OpKind::Splat, &[x], &[block])?[0])
        }
        None => Ok(x),
    }
}
