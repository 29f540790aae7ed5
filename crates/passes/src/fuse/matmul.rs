//! Gemm and transposed operands as FusedMatMul.

use super::matching::literal;
use crate::rewrite::{Change, Rewriter, instead};
use crate::simplify::permutation;
use trident_ir::{Attr, Op, OpKind as K, ValueId};

/// Gemm: alpha is the scale, C a bias or residual.
pub(super) fn gemm(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let y = op.output(0)?;
    if op.kind != K::Gemm || !cx.is_f32(y) {
        return None;
    }
    let mut inputs = vec![op.input(0), op.input(1), None, None];
    if let Some(c) = op.input(2) {
        let beta = f64::from(op.float("beta")?);
        if let Some(values) = cx.floats(c).filter(|_| beta != 1.0 || cx.rank(c) != Some(1)) {
            let dims = cx.constant(c)?.dims().to_vec();
            let columns = cx.dim(y, 1)?;
            let row = dims.iter().rev().skip(1).all(|n| *n == 1);
            let scaled: Vec<f64> = values.iter().map(|v| v * beta).collect();
            let scaled = match scaled.as_slice() {
                [one] => vec![*one; columns],
                _ if row && scaled.len() == columns => scaled,
                _ => return None,
            };
            let bias = literal(cx.dtype(c)?, vec![columns], &scaled)?;
            inputs[2] = Some(cx.literal("bias", bias));
        } else if beta != 1.0 {
            return None;
        } else if cx.rank(c) == Some(1) && cx.dim(c, 0).is_some() && cx.dim(c, 0) == cx.dim(y, 1) {
            inputs[2] = Some(c);
        } else if cx.same_shape(c, y) {
            inputs[3] = Some(c);
        } else {
            return None;
        }
    }
    while inputs.last() == Some(&None) {
        inputs.pop();
    }
    let mut new = instead(op, K::FusedMatMul, inputs);
    for name in ["trans_a", "trans_b"] {
        if op.flag(name) {
            new.attrs.set(name, Attr::Int(1));
        }
    }
    let alpha = op.float("alpha")?;
    if alpha != 1.0 {
        new.attrs.set("scale", Attr::Float(alpha));
    }
    Some(Change::Op(new))
}

/// A Transpose of the last two axes of an operand.
pub(super) fn transposed(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let matrix = |v: Option<ValueId>| v.is_some_and(|v| cx.is_f32(v) && cx.rank(v) >= Some(2));
    let usable = matches!(op.kind, K::MatMul | K::FusedMatMul);
    if !usable || !matrix(op.input(0)) || !matrix(op.input(1)) {
        return None;
    }
    [(0, "trans_a"), (1, "trans_b")].into_iter().find_map(|(i, flag)| {
        let transpose = cx.only(op, i, K::Transpose)?;
        let perm = permutation(cx, &transpose)?;
        let (batch, last) = perm.split_at(perm.len().checked_sub(2)?);
        let n = batch.len();
        if !batch.iter().enumerate().all(|(i, p)| i == *p) || last != [n + 1, n] {
            return None;
        }
        let mut new = instead(op, K::FusedMatMul, op.inputs.clone());
        new.attrs = op.attrs.clone();
        new.inputs[i] = transpose.input(0);
        new.attrs.set(flag, Attr::Int(i64::from(!op.flag(flag))));
        Some(Change::Op(new))
    })
}
