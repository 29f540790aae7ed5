//! Transposed operands of matrix products.

use super::products::fused;
use crate::matching::permutation;
use crate::rewrite::{Change, Rewriter, operand, placed};
use trident_ir::{Op, OpKind as K, ValueId, ops};

/// A Transpose of the last two axes of an operand.
pub(super) fn transposed(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let matrix = |v: ValueId| cx.is_f32(v) && cx.rank(v) >= Some(2);
    let fused = fused(op)?;
    let product = ops::FusedMatMul::of(&fused)?;
    if !matrix(product.a()) || !matrix(product.b()) {
        return None;
    }
    let at = ops::FusedMatMul::AT;
    let operands = [(at.a, product.a(), product.trans_a()), (at.b, product.b(), product.trans_b())];
    operands.into_iter().find_map(|(place, v, flag)| {
        let transpose = cx.only(v, K::Transpose)?;
        let perm = permutation(cx, &transpose)?;
        let (batch, last) = perm.split_at(perm.len().checked_sub(2)?);
        let n = batch.len();
        if !batch.iter().enumerate().all(|(i, p)| i == *p) || last != [n + 1, n] {
            return None;
        }
        let mut new = placed(op, fused.clone());
        new.inputs[place] = Some(operand(&transpose)?);
        let edit = ops::FusedMatMul::edit(&mut new)?;
        if place == at.a {
            edit.trans_a(!flag)
        } else {
            edit.trans_b(!flag)
        };
        Some(Change::Op(new))
    })
}
