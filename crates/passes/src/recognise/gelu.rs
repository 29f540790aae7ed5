//! Gelu written out.

use crate::matching::{close, factors};
use crate::rewrite::{Change, Rewriter, instead, operand, pair, result};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};
use trident_ir::op::words::GeluFormula;
use trident_ir::{Op, OpKind as K, ValueId, ops};

/// x/2·(1 + erf(x/√2)) and x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), however the products are ordered.
/// At −∞ both are NaN, the product of −∞ and 0.
pub(super) fn gelu(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !matches!(op.kind, K::Mul | K::Div) || !cx.is_f32(result(op)?) {
        return None;
    }
    let (k, found) = root_factors(cx, op)?;
    let [a, b] = found.as_slice() else { return None };
    if !close(k, 0.5) {
        return None;
    }
    [(*a, *b), (*b, *a)].into_iter().find_map(|(x, gate)| {
        let inner = one_plus(cx, gate)?;
        let producer = cx.producer(inner)?;
        let argument = operand(producer)?;
        let tanh = match producer.kind {
            K::Erf if is_multiple(cx, argument, x, FRAC_1_SQRT_2) => false,
            K::Tanh if is_cubic(cx, argument, x) => true,
            _ => return None,
        };
        let gelu = ops::Gelu::new(x);
        Some(instead(op, if tanh { gelu.approximate(GeluFormula::Tanh) } else { gelu }))
    })
}

/// The factors of an op that is not among the rewritten ones yet.
pub(super) fn root_factors(cx: &Rewriter<'_>, op: &Op) -> Option<(f64, Vec<ValueId>)> {
    let (a, b) = pair(op)?;
    let parts = |v: ValueId| match cx.single(v) {
        true => factors(cx, v),
        false => match cx.scalar(v) {
            Some(k) => (k, vec![]),
            None => (1.0, vec![v]),
        },
    };
    let (ka, mut found) = parts(a);
    match op.kind {
        K::Mul => {
            let (kb, more) = parts(b);
            found.extend(more);
            Some((ka * kb, found))
        }
        _ => Some((ka / cx.scalar(b)?, found)),
    }
}

/// `y` of 1 + y.
fn one_plus(cx: &Rewriter<'_>, value: ValueId) -> Option<ValueId> {
    let (a, b) = pair(&cx.made_by(value, K::Add)?)?;
    if cx.scalar(a) == Some(1.0) { Some(b) } else { (cx.scalar(b) == Some(1.0)).then_some(a) }
}

fn is_multiple(cx: &Rewriter<'_>, value: ValueId, x: ValueId, k: f64) -> bool {
    let (number, found) = factors(cx, value);
    found == [x] && close(number, k)
}

/// √(2/π)·(x + 0.044715·x³), or √(2/π)·x·(1 + 0.044715·x²).
fn is_cubic(cx: &Rewriter<'_>, value: ValueId, x: ValueId) -> bool {
    const CUBIC: f64 = 0.044715;
    let (number, found) = factors(cx, value);
    if !close(number, FRAC_2_PI.sqrt()) {
        return false;
    }
    let power = |v: ValueId, n: usize| {
        let (k, found) = factors(cx, v);
        close(k, CUBIC) && found.len() == n && found.iter().all(|f| *f == x)
    };
    match found.as_slice() {
        [sum] => cx
            .made_by(*sum, K::Add)
            .and_then(|op| pair(&op))
            .is_some_and(|(a, b)| [(a, b), (b, a)].into_iter().any(|(a, b)| a == x && power(b, 3))),
        [a, b] => [(*a, *b), (*b, *a)]
            .into_iter()
            .any(|(a, b)| a == x && one_plus(cx, b).is_some_and(|v| power(v, 2))),
        _ => false,
    }
}
