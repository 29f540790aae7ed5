//! Removal of unused ops.

use std::mem;
use trident_ir::rewrite::PassReport;
use trident_ir::{Block, Func};

/// Drops ops without used results, and marks unused results of other ops.
pub(crate) fn run(func: &mut Func) -> Vec<PassReport> {
    let mut live = vec![false; func.values.len()];
    let mut report = PassReport { pass: "dead-code", count: 0, details: vec![] };
    sweep(&mut func.body, &mut live, &mut report);
    if report.count > 0 { vec![report] } else { vec![] }
}

fn sweep(block: &mut Block, live: &mut [bool], report: &mut PassReport) {
    block.results.iter().for_each(|v| live[v.index()] = true);
    let mut kept = vec![];
    for mut op in mem::take(&mut block.ops).into_iter().rev() {
        if !op.defined().any(|v| live[v.index()]) {
            report.count += 1;
            report.details.push(op.describe());
            continue;
        }
        op.used().for_each(|v| live[v.index()] = true);
        op.regions.iter_mut().for_each(|r| sweep(r, live, report));
        // Control flow yields all its results; others can spare themselves the work.
        if op.regions.is_empty() {
            drop_results(&mut op, live);
        }
        kept.push(op);
    }
    kept.reverse();
    block.ops = kept;
}

/// Marks unused optional results.
fn drop_results(op: &mut trident_ir::Op, live: &[bool]) {
    let decl = op.decl();
    for (i, out) in op.outputs.iter_mut().enumerate() {
        let optional = decl.result(i).is_some_and(|r| r.arity == trident_ir::op::Arity::Optional);
        if optional && out.is_some_and(|v| !live[v.index()]) {
            *out = None;
        }
    }
}
