//! Gemm as FusedMatMul.

use crate::matching::literal;
use crate::rewrite::{Change, Rewriter, instead};
use trident_ir::{Op, ops};

/// Gemm: alpha is the scale, C a bias or residual.
pub(super) fn gemm(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let gemm = ops::Gemm::of(op)?;
    let y = gemm.y().filter(|y| cx.is_f32(*y))?;
    let (mut bias, mut residual) = (None, None);
    if let Some(c) = gemm.c() {
        let beta = f64::from(gemm.beta());
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
            let scaled = literal(cx.dtype(c)?, vec![columns], &scaled)?;
            bias = Some(cx.literal("bias", scaled));
        } else if beta != 1.0 {
            return None;
        } else if cx.rank(c) == Some(1) && cx.dim(c, 0).is_some() && cx.dim(c, 0) == cx.dim(y, 1) {
            bias = Some(c);
        } else if cx.same_shape(c, y) {
            residual = Some(c);
        } else {
            return None;
        }
    }
    let mut new = ops::FusedMatMul::new(gemm.a(), gemm.b(), bias, residual);
    if gemm.trans_a() {
        new = new.trans_a(true);
    }
    if gemm.trans_b() {
        new = new.trans_b(true);
    }
    if gemm.alpha() != 1.0 {
        new = new.scale(gemm.alpha());
    }
    Some(instead(op, new))
}
