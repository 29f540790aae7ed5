//! Shapes of values, taken from the values that they are computed from.

use std::collections::HashMap;
use std::mem;
use trident_ir::rewrite::PassReport;
use trident_ir::{Block, Func, Op, ValueId, ops};

/// The name of the pass.
pub(crate) const NAME: &str = "shape-operands";

/// Moves each `shape` op to the earliest value that is known to have its operand's dimensions. Arithmetic on shapes
/// then does not wait for the ops in between.
pub(crate) fn run(func: &mut Func) -> Vec<PassReport> {
    let mut report = PassReport { pass: NAME, count: 0, details: vec![] };
    let mut body = mem::take(&mut func.body);
    let mut sources = HashMap::new();
    block(func, &mut body, &mut sources, &mut report);
    func.body = body;
    if report.count > 0 { vec![report] } else { vec![] }
}

/// `sources` has for each value the earliest one of the same dimensions.
fn block(
    func: &Func,
    of: &mut Block,
    sources: &mut HashMap<ValueId, ValueId>,
    report: &mut PassReport,
) {
    // The place of each value of this block: after the op that defines it.
    let mut places = HashMap::new();
    let mut ops: Vec<(usize, Op)> = Vec::with_capacity(of.ops.len());
    for (i, mut op) in mem::take(&mut of.ops).into_iter().enumerate() {
        for region in &mut op.regions {
            block(func, region, sources, report);
        }
        let mut place = i + 1;
        let source = ops::Shape::of(&op).and_then(|shape| sources.get(&shape.x()).copied());
        if let Some(source) = source {
            report.count += 1;
            report.details.push(op.describe());
            op.inputs[ops::Shape::AT.x] = Some(source);
            place = places.get(&source).copied().unwrap_or(0);
        }
        for y in op.defined() {
            places.insert(y, place);
            let same = op.used().find(|x| op.regions.is_empty() && same_dims(func, *x, y));
            if let Some(x) = same {
                let source = sources.get(&x).copied().unwrap_or(x);
                sources.insert(y, source);
            }
        }
        ops.push((place, op));
    }
    ops.sort_by_key(|(place, _)| *place);
    of.ops = ops.into_iter().map(|(_, op)| op).collect();
}

fn same_dims(func: &Func, x: ValueId, y: ValueId) -> bool {
    match (func.ty(x).shape(), func.ty(y).shape()) {
        (Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.same(y)),
        _ => false,
    }
}
