//! Ops that the standard lacks, written as operators that it has.

use super::error::ExportError;
use super::operators;
use std::collections::{HashMap, HashSet};
use trident_ir::op::TypeError;
use trident_ir::{Block, Builder, DType, Func, Literal, Module, Op, OpKind, ValueId};
use trident_ir::{decompose, ops};

/// Writes an op with one result as operators; gives the value that is its result.
type Form = fn(&Op, &mut Builder<'_>) -> Result<ValueId, TypeError>;

/// Ops without an operator, or with one that few runtimes have, and how other operators compute them. Other composites without
/// an operator are written as their rows define them.
static FORMS: &[(OpKind, Form)] = &[
    (OpKind::MaxNum, |op, b| number(op, b, OpKind::Max)),
    (OpKind::MinNum, |op, b| number(op, b, OpKind::Min)),
    (OpKind::SwiGLU, swiglu),
    (OpKind::Swish, |op, b| {
        let alpha = ops::Swish::of(op).map_or(1.0, |op| op.alpha());
        swish(b, need(op, ops::Swish::AT.x, "x")?, alpha)
    }),
];

/// The function with every op for which there is no operator of a version up to `limit` as other ops, and with results that a
/// graph of ONNX can have.
pub(super) fn lowered(func: &Func, limit: i64) -> Result<Func, ExportError> {
    let module = Module { funcs: vec![func.clone()], ..Module::default() };
    let keep = |op: &Op| op.decl().onnx.is_some() || form(op, limit).is_some();
    let malformed = |source| ExportError::Malformed { op: func.name.clone(), source };
    let written = decompose::lower(&module, &keep).map_err(malformed)?.unwrap_or(module);
    let mut func = written.funcs.into_iter().next().unwrap_or_else(|| func.clone());
    let body = std::mem::take(&mut func.body);
    let mut body = block(&mut func, body, limit)?;
    let own = body.results.iter().copied().collect();
    separate(&mut func, &mut body, own)?;
    func.body = body;
    func.unique_names();
    Ok(func)
}

fn form(op: &Op, limit: i64) -> Option<Form> {
    let is_known = operators::since(op.kind).is_some_and(|since| since <= limit);
    FORMS.iter().find(|(kind, _)| *kind == op.kind && !is_known).map(|(_, form)| *form)
}

fn block(func: &mut Func, block: Block, limit: i64) -> Result<Block, ExportError> {
    let Block { params, ops, results } = block;
    let mut written = Vec::with_capacity(ops.len());
    for mut op in ops {
        for region in &mut op.regions {
            *region = self::block(func, std::mem::take(region), limit)?;
            let computed = region.ops.iter().filter(|op| op.kind != OpKind::Constant);
            let own = computed.flat_map(|op| op.defined()).collect();
            separate(func, region, own)?;
        }
        let Some(form) = form(&op, limit) else {
            written.push(op);
            continue;
        };
        let mut b = Builder::new(func);
        b.loc = op.loc.clone();
        let malformed = |source| ExportError::Malformed { op: op.describe(), source };
        let last = form(&op, &mut b).map_err(malformed)?;
        let mut ops = b.finish().ops;
        if let Some(result) = op.output(0) {
            let names = HashMap::from([(last, result)]);
            ops.iter_mut().for_each(|op| op.rename(&names));
        }
        written.append(&mut ops);
    }
    Ok(Block { params, ops: written, results })
}

/// Makes the results of a block values of `own`, each once, by copies: runtimes want the results of a subgraph to be those of its
/// own nodes, and names of results to differ.
fn separate(
    func: &mut Func,
    block: &mut Block,
    mut own: HashSet<ValueId>,
) -> Result<(), ExportError> {
    for i in 0..block.results.len() {
        let id = block.results[i];
        if own.remove(&id) {
            continue;
        }
        let mut b = Builder::new(func);
        let malformed = |source| ExportError::Malformed { op: "identity".to_owned(), source };
        let copy = b.op(OpKind::Identity, &[id]).map_err(malformed)?;
        block.ops.append(&mut b.finish().ops);
        func.values[copy.index()].name = func.values[id.index()].name.clone();
        block.results[i] = copy;
    }
    Ok(())
}

fn need(op: &Op, index: usize, name: &'static str) -> Result<ValueId, TypeError> {
    op.input(index).ok_or(TypeError::MissingOperand { op: op.decl().name, name, index })
}

/// x · sigmoid(α·x)
fn swish(b: &mut Builder<'_>, x: ValueId, alpha: f32) -> Result<ValueId, TypeError> {
    let scaled = match alpha == 1.0 {
        true => x,
        false => {
            let dtype = b.func.ty(x).dtype().unwrap_or(DType::F32);
            let alpha = b.literal(Literal::number(dtype, alpha.into()));
            b.op(OpKind::Mul, &[x, alpha])?
        }
    };
    let gate = b.op(OpKind::Sigmoid, &[scaled])?;
    b.op(OpKind::Mul, &[x, gate])
}

fn swiglu(op: &Op, b: &mut Builder<'_>) -> Result<ValueId, TypeError> {
    let alpha = ops::SwiGLU::of(op).map_or(1.0, |op| op.alpha());
    let gate = swish(b, need(op, ops::SwiGLU::AT.a, "a")?, alpha)?;
    b.op(OpKind::Mul, &[gate, need(op, ops::SwiGLU::AT.b, "b")?])
}

/// The greater or the smaller of two numbers; of a number and NaN, the number. Max and Min of the standard leave NaN open.
fn number(op: &Op, b: &mut Builder<'_>, kind: OpKind) -> Result<ValueId, TypeError> {
    // Both ops have the same places.
    let (x, y) = (need(op, ops::MaxNum::AT.a, "a")?, need(op, ops::MaxNum::AT.b, "b")?);
    let (no_x, no_y) = (b.op(OpKind::IsNaN, &[x])?, b.op(OpKind::IsNaN, &[y])?);
    let (x, y) = (b.op(OpKind::Where, &[no_x, y, x])?, b.op(OpKind::Where, &[no_y, x, y])?);
    b.op(kind, &[x, y])
}
