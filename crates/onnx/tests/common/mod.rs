//! Helpers that the tests share.

use trident_ir::{Block, Func, Op, OpKind, ValueId, ValueInfo, generic};

/// The function in the form that it has after reading: constants first and by name, unused ones gone, attributes
/// without defaults, and regions without copies that only name their results.
pub(crate) fn normal(func: &Func) -> String {
    let mut func = func.clone();
    let uses = func.body.uses();
    let is_used = |op: &Op| op.defined().any(|id| uses.contains_key(&id));
    func.body.ops.retain(|op| op.kind != OpKind::Constant || is_used(op));
    fn visit(ops: &mut [Op], names: &[ValueInfo]) {
        for op in ops.iter_mut() {
            op.loc = None;
            generic::remove_defaults(op);
            for region in &mut op.regions {
                visit(&mut region.ops, names);
                without_copies(region);
            }
        }
        ops.sort_by_key(|op| match (op.kind, op.output(0)) {
            (OpKind::Constant, Some(id)) => (0, names[id.index()].name.clone()),
            _ => (1, String::new()),
        });
    }
    let values = func.values.clone();
    visit(&mut func.body.ops, &values);
    let declared = func.body.params.clone();
    for (i, value) in func.values.iter_mut().enumerate() {
        if !declared.iter().any(|id| id.index() == i) {
            value.ty = value.ty.unshaped();
        }
    }
    func.renumber();
    func.to_string()
}

/// Gives the values themselves as results, where a region ends with copies of them.
fn without_copies(region: &mut Block) {
    let copied = |id: ValueId| {
        let op = region.ops.iter().find(|op| op.output(0) == Some(id));
        op.filter(|op| op.kind == OpKind::Identity).and_then(|op| op.input(0)).unwrap_or(id)
    };
    let results: Vec<ValueId> = region.results.iter().map(|id| copied(*id)).collect();
    let copies = std::mem::replace(&mut region.results, results);
    let uses = region.uses();
    region.ops.retain(|op| {
        let is_copy = op.kind == OpKind::Identity && op.defined().any(|id| copies.contains(&id));
        !is_copy || op.defined().any(|id| uses.contains_key(&id))
    });
}
