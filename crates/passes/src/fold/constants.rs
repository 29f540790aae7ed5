//! Constant folding.

use crate::rewrite::{Change, Named, Rewriter, result, run as rewrite};
use crate::types;
use std::collections::HashMap;
use trident_ir::op::Use;
use trident_ir::rewrite::{Context, Evaluate, PassReport, RewriteError};
use trident_ir::{Func, Literal, Op, OpKind as K, ValueId};

/// Results of more than this many bytes are computed on each run if they are larger than their operands, unless they
/// are used as weights.
const MAX_GROWTH: usize = 1 << 20;

/// Replaces ops on constants by their results, and values that follow from shapes by constants.
///
/// Ops of the kinds to `keep` stay, because fusions look for them. Infers all types first.
pub(crate) fn run(
    func: &mut Func,
    cx: &Context<'_>,
    keep: &[K],
) -> Result<Vec<PassReport>, RewriteError> {
    let known = types::constants(func, cx)?;
    let consumers = Consumers::of(func);
    let shapes = |cx: &mut Rewriter<'_>, op: &Op| from_shapes(cx, op, &known);
    let constants = |rewriter: &mut Rewriter<'_>, op: &Op| {
        if keep.contains(&op.kind) { None } else { fold(rewriter, op, cx.evaluate, &consumers) }
    };
    let rules: [Named<'_>; 2] = [("fold-shapes", &shapes), ("fold-constants", &constants)];
    let rules: Vec<Named<'_>> = rules.into_iter().filter(|(name, _)| cx.enabled(name)).collect();
    Ok(rewrite(func, &rules))
}

fn from_shapes(
    cx: &mut Rewriter<'_>,
    op: &Op,
    known: &HashMap<ValueId, Literal>,
) -> Option<Change> {
    if op.kind == K::Constant || !op.regions.is_empty() {
        return None;
    }
    let values: Option<Vec<&Literal>> = op.defined().map(|v| known.get(&v)).collect();
    let values = values.filter(|v| !v.is_empty())?;
    let values: Vec<Literal> = values.into_iter().cloned().collect();
    let mut values = values.into_iter();
    let constants = op
        .outputs
        .iter()
        .map(|out| out.and_then(|_| values.next()).map(|v| cx.literal("known", v)));
    Some(Change::Values(constants.collect()))
}

fn fold(
    cx: &mut Rewriter<'_>,
    op: &Op,
    evaluate: &Evaluate<'_>,
    consumers: &Consumers,
) -> Option<Change> {
    if op.kind == K::Constant || !op.regions.is_empty() || !op.decl().is_deterministic() {
        return None;
    }
    let mut inputs = vec![];
    let mut size = 0usize;
    for input in &op.inputs {
        inputs.push(match input {
            Some(v) => {
                let literal = cx.constant(*v)?.clone();
                size = size.saturating_add(bytes(&literal));
                Some(literal)
            }
            None => None,
        });
    }
    let grown = |v: ValueId| {
        let ty = cx.func.ty(v).as_tensor()?;
        let dims = ty.shape.as_ref()?.iter().map(|d| d.fixed()).collect::<Option<Vec<_>>>()?;
        trident_ir::literal::checked_len(&dims)?.checked_mul(ty.dtype.size().max(1))
    };
    for out in op.defined() {
        let small = match grown(out) {
            Some(n) => n <= MAX_GROWTH.max(size),
            // Of unknown size: only ops that cannot make much out of little.
            None => {
                !matches!(op.kind, K::ConstantOfShape | K::Expand | K::Tile | K::Range | K::OneHot)
            }
        };
        if !small && !consumers.is_weight(out, 0) {
            return None;
        }
    }
    let results = evaluate(cx.func, op, &inputs)?;
    let complete = op
        .outputs
        .iter()
        .enumerate()
        .all(|(i, out)| out.is_none() || results.get(i).is_some_and(Option::is_some));
    if !complete {
        return None;
    }
    let constants = op.outputs.iter().zip(results).map(|(out, result)| {
        let name = cx.func.info((*out)?).name.clone();
        Some(cx.literal(&name, result?))
    });
    Some(Change::Values(constants.collect()))
}

fn bytes(literal: &Literal) -> usize {
    literal.len().saturating_mul(literal.dtype().size().max(1))
}

/// Who uses which value, for telling weights from activations.
struct Consumers {
    /// How each use is, and the first result of its op.
    uses: HashMap<ValueId, Vec<(Use, Option<ValueId>)>>,
}

impl Consumers {
    fn of(func: &Func) -> Consumers {
        let mut uses: HashMap<_, Vec<_>> = HashMap::new();
        func.body.walk(&mut |op| {
            for (i, v) in op.inputs.iter().enumerate() {
                if let (Some(v), Some(operand)) = (v, op.decl().operand(i)) {
                    uses.entry(*v).or_default().push((operand.used, result(op)));
                }
            }
        });
        Consumers { uses }
    }

    /// Whether a value is used as weights only, perhaps in another form.
    fn is_weight(&self, value: ValueId, depth: usize) -> bool {
        let weight = |(used, out): &(Use, Option<ValueId>)| match used {
            Use::Weight => true,
            Use::Form | Use::View => depth < 4 && out.is_some_and(|v| self.is_weight(v, depth + 1)),
            Use::Data | Use::Target => false,
        };
        self.uses.get(&value).is_some_and(|uses| uses.iter().all(weight))
    }
}
