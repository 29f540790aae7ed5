//! Common subexpressions: an op that repeats an earlier one gives the earlier one's results.

use crate::rewrite::{Change, Rewriter, run as rewrite};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use trident_ir::literal::LiteralData;
use trident_ir::rewrite::PassReport;
use trident_ir::{Attr, Attrs, Func, Literal, Op, OpKind, ValueId};

/// Constants of more bytes than this are compared by where their data are, not by what they are.
const MAX_COMPARED: usize = 1 << 16;

/// Leading bytes of a constant that tell most others from it.
const TOLD_APART_BY: usize = 64;

/// The properties that equal ops have in common, with few others: kind, operands, number of results, and [`fingerprint`].
type Key = (OpKind, Vec<Option<ValueId>>, usize, u64);

/// Attributes and results of the ops seen, by what they have in common.
type Seen = HashMap<Key, Vec<(Attrs, Vec<Option<ValueId>>)>>;

/// Replaces ops by equal earlier ones of the same block.
pub(crate) fn run(func: &mut Func) -> Vec<PassReport> {
    let seen: RefCell<Seen> = RefCell::new(HashMap::with_capacity(func.body.ops.len()));
    rewrite(func, &[("common-subexpressions", &|cx, op| repeat(cx, op, &seen))])
}

fn repeat(cx: &mut Rewriter<'_>, op: &Op, seen: &RefCell<Seen>) -> Option<Change> {
    if !op.regions.is_empty() || !op.decl().is_deterministic() {
        return None;
    }
    let mut seen = seen.borrow_mut();
    let key = (op.kind, op.inputs.clone(), op.outputs.len(), fingerprint(&op.attrs));
    let known = seen.entry(key).or_default();
    let usable = |outputs: &[Option<ValueId>]| {
        // The earlier op must be visible from here and have all results asked for here.
        let mut visible = outputs.iter().flatten().all(|v| cx.producer(*v).is_some());
        for (new, old) in op.outputs.iter().zip(outputs) {
            visible &= new.is_none() || old.is_some();
        }
        visible
    };
    let equal = known.iter().find(|(attrs, outs)| same_attrs(attrs, &op.attrs) && usable(outs));
    match equal {
        Some((_, outputs)) => Some(Change::Values(outputs.clone())),
        None => {
            known.push((op.attrs.clone(), op.outputs.clone()));
            None
        }
    }
}

/// A number that equal attributes share. It tells constants apart, of which a model may have thousands.
fn fingerprint(attrs: &Attrs) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (_, attr) in attrs.iter() {
        if let Attr::Tensor(literal) = attr {
            literal.dims().hash(&mut hasher);
            match literal.data() {
                LiteralData::Bytes(b) => b[..b.len().min(TOLD_APART_BY)].hash(&mut hasher),
                LiteralData::Strings(s) => s.first().hash(&mut hasher),
            }
        }
    }
    hasher.finish()
}

fn same_attrs(a: &Attrs, b: &Attrs) -> bool {
    a.iter().count() == b.iter().count()
        && a.iter().zip(b.iter()).all(|((m, x), (n, y))| m == n && same_attr(x, y))
}

/// Equality bit by bit: 0 and −0 differ, a NaN equals itself.
fn same_attr(a: &Attr, b: &Attr) -> bool {
    match (a, b) {
        (Attr::Float(x), Attr::Float(y)) => x.to_bits() == y.to_bits(),
        (Attr::Floats(x), Attr::Floats(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits())
        }
        (Attr::Tensor(x), Attr::Tensor(y)) => same_literal(x, y),
        _ => a == b,
    }
}

fn same_literal(a: &Literal, b: &Literal) -> bool {
    if a.dtype() != b.dtype() || a.dims() != b.dims() {
        return false;
    }
    match (a.data(), b.data()) {
        (LiteralData::Bytes(x), LiteralData::Bytes(y)) => {
            x.as_ptr() == y.as_ptr() || (x.len() <= MAX_COMPARED && x == y)
        }
        (x, y) => x == y,
    }
}
