//! What a convolution or matrix product can do with its result before it leaves the registers: add a bias
//! and a residual, apply an activation.

use super::matching::with_scalar;
use crate::rewrite::{Change, Rewriter, instead};
use trident_ir::op::Activation;
use trident_ir::{Attr, Op, OpKind as K, ValueId};

/// The convolution or product behind a value as its fused form, if it can still take something on.
fn open(cx: &Rewriter<'_>, value: ValueId) -> Option<Op> {
    let op = cx.producer(value)?;
    if !cx.single(value) || !cx.is_f32(value) {
        return None;
    }
    let kind = match op.kind {
        K::Conv | K::FusedConv => K::FusedConv,
        K::FusedMatMul | K::MatMulNBits => op.kind,
        // Rows and columns only: a vector operand has neither.
        K::MatMul if (0..2).all(|i| op.input(i).and_then(|v| cx.rank(v)) >= Some(2)) => {
            K::FusedMatMul
        }
        _ => return None,
    };
    let mut fused = Op { kind, ..op.clone() };
    fused.inputs.resize(fused.inputs.len().max(4), None);
    (Activation::read(&fused) == Some(Activation::None)).then_some(fused)
}

/// `fused` with the results of `root`.
fn ending(root: &Op, mut fused: Op) -> Change {
    while fused.inputs.last() == Some(&None) {
        fused.inputs.pop();
    }
    Change::Op(Op { outputs: root.outputs.clone(), ..fused })
}

/// An activation after a convolution or product.
pub(super) fn activation(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let activation = Activation::of_op(op, |v| cx.scalar(v).map(|number| number as f32))?;
    let mut fused = open(cx, op.input(0)?)?;
    activation.write(&mut fused);
    Some(ending(op, fused))
}

/// A bias for each column after a matrix product.
pub(super) fn bias(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Add {
        return None;
    }
    let (a, b) = (op.input(0)?, op.input(1)?);
    [(a, b), (b, a)].into_iter().find_map(|(x, k)| {
        let mut fused = open(cx, x).filter(|f| f.kind != K::FusedConv)?;
        if fused.input(2).is_some() || fused.input(3).is_some() || !cx.is_f32(k) {
            return None;
        }
        fused.inputs[2] = Some(as_bias(cx, k, cx.dim(x, -1)?, cx.rank(x)?)?);
        Some(ending(op, fused))
    })
}

/// A value as a bias of `columns` elements for a product of this rank.
fn as_bias(cx: &mut Rewriter<'_>, value: ValueId, columns: usize, rank: usize) -> Option<ValueId> {
    match cx.shape(value)? {
        [n] if n.fixed() == Some(columns) => Some(value),
        shape if shape.len() <= rank => {
            let literal = cx.constant(value)?;
            let flat = literal.dims().iter().rev().skip(1).all(|n| *n == 1);
            let vector = literal.with_dims(vec![columns]).filter(|_| flat)?;
            Some(cx.literal("bias", vector))
        }
        _ => None,
    }
}

/// Another tensor of the same shape added to a convolution or product.
pub(super) fn residual(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if op.kind != K::Add {
        return None;
    }
    let (a, b) = (op.input(0)?, op.input(1)?);
    [(a, b), (b, a)].into_iter().find_map(|(x, other)| {
        let mut fused = open(cx, x)?;
        if x == other || fused.input(3).is_some() || !cx.same_shape(x, other) {
            return None;
        }
        fused.inputs[3] = Some(other);
        Some(ending(op, fused))
    })
}

/// A number that a matrix product is multiplied with, before or after.
pub(super) fn scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let (x, k) = multiple(cx, op)?;
    let mut fused = open(cx, x).filter(|f| f.kind == K::FusedMatMul)?;
    if fused.input(2).is_some() || fused.input(3).is_some() {
        return None;
    }
    multiply(&mut fused, k)?;
    Some(ending(op, fused))
}

/// A number that an operand of a matrix product was multiplied with.
pub(super) fn operand_scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let fits = |v: Option<ValueId>| v.is_some_and(|v| cx.is_f32(v) && cx.rank(v) >= Some(2));
    let usable = matches!(op.kind, K::MatMul | K::FusedMatMul);
    if !usable || !fits(op.input(0)) || !fits(op.input(1)) {
        return None;
    }
    (0..2).find_map(|i| {
        let v = op.input(i)?;
        let (x, k) = multiple(cx, &cx.producer(v).filter(|_| cx.single(v))?.clone())?;
        if !cx.same_shape(x, v) || cx.constant(x).is_some() {
            return None;
        }
        let mut fused = instead(op, K::FusedMatMul, op.inputs.clone());
        fused.attrs = op.attrs.clone();
        fused.inputs[i] = Some(x);
        multiply(&mut fused, k)?;
        Some(Change::Op(fused))
    })
}

/// The factors that may move: beyond them, products could overflow or vanish that did not before.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// `x` and `k` of x·k, k·x or x/(1/k).
pub(super) fn multiple(cx: &Rewriter<'_>, op: &Op) -> Option<(ValueId, f64)> {
    let (x, k, second) = match op.kind {
        K::Mul | K::Div => with_scalar(cx, op)?,
        _ => return None,
    };
    let k = match op.kind {
        K::Mul => k,
        _ if second => 1.0 / k,
        _ => return None,
    };
    FACTORS.contains(&k.abs()).then_some((x, k))
}

fn multiply(fused: &mut Op, k: f64) -> Option<()> {
    let scale = f64::from(fused.float("scale")?) * k;
    // Several factors together keep to the limits of one.
    if !FACTORS.contains(&scale.abs()) {
        return None;
    }
    fused.attrs.set("scale", Attr::Float(scale as f32));
    Some(())
}
