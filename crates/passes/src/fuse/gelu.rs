//! Gelu written out.

use super::matching::{close, factors};
use crate::rewrite::{Change, Rewriter, instead};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};
use trident_ir::{Attr, Op, OpKind as K, ValueId};

/// x/2·(1 + erf(x/√2)) and x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), however the products are ordered.
/// At −∞ both are NaN, the product of −∞ and 0.
pub(super) fn gelu(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !matches!(op.kind, K::Mul | K::Div) || !cx.is_f32(op.output(0)?) {
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
        let argument = producer.input(0)?;
        let tanh = match producer.kind {
            K::Erf if is_multiple(cx, argument, x, FRAC_1_SQRT_2) => false,
            K::Tanh if is_cubic(cx, argument, x) => true,
            _ => return None,
        };
        let mut gelu = instead(op, K::Gelu, vec![Some(x)]);
        if tanh {
            gelu.attrs.set("approximate", Attr::Str("tanh".to_owned()));
        }
        Some(Change::Op(gelu))
    })
}

/// The factors of an op that is not among the rewritten ones yet.
pub(super) fn root_factors(cx: &Rewriter<'_>, op: &Op) -> Option<(f64, Vec<ValueId>)> {
    let (a, b) = (op.input(0)?, op.input(1)?);
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
    let op = cx.made_by(value, K::Add)?;
    let (a, b) = (op.input(0)?, op.input(1)?);
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
        [sum] => cx.made_by(*sum, K::Add).is_some_and(|op| {
            let (a, b) = (op.input(0), op.input(1));
            [(a, b), (b, a)]
                .into_iter()
                .any(|(a, b)| a == Some(x) && b.is_some_and(|b| power(b, 3)))
        }),
        [a, b] => [(*a, *b), (*b, *a)]
            .into_iter()
            .any(|(a, b)| a == x && one_plus(cx, b).is_some_and(|v| power(v, 2))),
        _ => false,
    }
}
