//! Fusion of work that a convolution or matrix product can do before its result leaves the registers: add a bias
//! and a residual, apply an activation.

use crate::matching::{FACTORS, multiple};
use crate::rewrite::{Change, Rewriter, operand, pair, placed};
use trident_ir::op::Activation;
use trident_ir::{Op, OpKind as K, ValueId, ops};

/// A matrix product as FusedMatMul.
pub(super) fn fused(op: &Op) -> Option<Op> {
    match op.kind {
        K::FusedMatMul => Some(op.clone()),
        _ => {
            let product = ops::MatMul::of(op)?;
            let new = ops::FusedMatMul::new(product.a(), product.b(), None, None);
            Some(placed(op, new.into_op()))
        }
    }
}

/// A convolution or product in its fused form, which can still take something on.
struct Open {
    op: Op,
    /// Places of what can be added.
    bias: usize,
    residual: usize,
}

impl Open {
    /// The convolution or product that produces a value, if the value has no other use.
    fn of(cx: &Rewriter<'_>, value: ValueId) -> Option<Open> {
        let producer = cx.producer(value).filter(|_| cx.single(value) && cx.is_f32(value))?;
        let (mut op, bias, residual) = match producer.kind {
            K::Conv | K::FusedConv => {
                let at = ops::FusedConv::AT;
                (Op { kind: K::FusedConv, ..producer.clone() }, at.b, at.residual)
            }
            // Rows and columns only: a vector operand has neither.
            K::MatMul if producer.used().any(|v| cx.rank(v) < Some(2)) => return None,
            K::MatMul | K::FusedMatMul => {
                let at = ops::FusedMatMul::AT;
                (fused(producer)?, at.bias, at.residual)
            }
            K::MatMulNBits => {
                let at = ops::MatMulNBits::AT;
                (producer.clone(), at.bias, at.residual)
            }
            _ => return None,
        };
        op.inputs.resize(op.inputs.len().max(residual + 1), None);
        let activation = ops::Activated::of(&op).map(Activation::of)?;
        (activation == Activation::None).then_some(Open { op, bias, residual })
    }

    fn has_bias(&self) -> bool {
        self.op.inputs[self.bias].is_some()
    }

    fn has_residual(&self) -> bool {
        self.op.inputs[self.residual].is_some()
    }

    /// The product with the results of `root`.
    fn ending(mut self, root: &Op) -> Change {
        while self.op.inputs.last() == Some(&None) {
            self.op.inputs.pop();
        }
        Change::Op(Op { outputs: root.outputs.clone(), ..self.op })
    }
}

/// An activation after a convolution or product.
pub(super) fn activation(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let activation = Activation::of_op(op, |v| cx.scalar(v).map(|number| number as f32))?;
    let mut open = Open::of(cx, operand(op)?)?;
    activation.write(&mut open.op);
    Some(open.ending(op))
}

/// A bias for each column after a matrix product.
pub(super) fn bias(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let add = ops::Add::of(op)?;
    let (a, b) = (add.a(), add.b());
    [(a, b), (b, a)].into_iter().find_map(|(x, k)| {
        let mut open = Open::of(cx, x).filter(|open| open.op.kind != K::FusedConv)?;
        if open.has_bias() || open.has_residual() || !cx.is_f32(k) {
            return None;
        }
        open.op.inputs[open.bias] = Some(as_bias(cx, k, cx.dim(x, -1)?, cx.rank(x)?)?);
        Some(open.ending(op))
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
    let (a, b) = pair(op).filter(|_| op.kind == K::Add)?;
    [(a, b), (b, a)].into_iter().find_map(|(x, other)| {
        let mut open = Open::of(cx, x)?;
        if x == other || open.has_residual() || !cx.same_shape(x, other) {
            return None;
        }
        open.op.inputs[open.residual] = Some(other);
        Some(open.ending(op))
    })
}

/// A number that a matrix product is multiplied with, before or after.
pub(super) fn scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let (x, k) = multiple(cx, op)?;
    let mut open = Open::of(cx, x).filter(|open| open.op.kind == K::FusedMatMul)?;
    if open.has_bias() || open.has_residual() {
        return None;
    }
    multiply(&mut open.op, k)?;
    Some(open.ending(op))
}

/// A number that an operand of a matrix product was multiplied with.
pub(super) fn operand_scale(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let fits = |v: ValueId| cx.is_f32(v) && cx.rank(v) >= Some(2);
    let fused = fused(op)?;
    let product = ops::FusedMatMul::of(&fused)?;
    if !fits(product.a()) || !fits(product.b()) {
        return None;
    }
    let at = ops::FusedMatMul::AT;
    [(at.a, product.a()), (at.b, product.b())].into_iter().find_map(|(place, v)| {
        let (x, k) = multiple(cx, cx.producer(v).filter(|_| cx.single(v))?)?;
        if !cx.same_shape(x, v) || cx.constant(x).is_some() {
            return None;
        }
        let mut new = placed(op, fused.clone());
        new.inputs[place] = Some(x);
        multiply(&mut new, k)?;
        Some(Change::Op(new))
    })
}

fn multiply(fused: &mut Op, k: f64) -> Option<()> {
    let scale = f64::from(ops::FusedMatMul::of(fused)?.scale()) * k;
    // Several factors together keep to the limits of one.
    if !FACTORS.contains(&scale.abs()) {
        return None;
    }
    ops::FusedMatMul::edit(fused)?.scale(scale as f32);
    Some(())
}
