//! A residual before a layer normalisation.

use crate::rewrite::{Change, Rewriter, pair, placed};
use trident_ir::{Op, OpKind as K, ops};

/// A sum before a layer normalisation over the last axis; the sum stays a result where others use it.
pub(super) fn skip(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    let norm = ops::LayerNormalization::of(op)?;
    if norm.mean().is_some() || norm.inv_std_dev().is_some() {
        return None;
    }
    let x = norm.x();
    let rank = cx.rank(x)? as i64;
    if ![-1, rank - 1].contains(&norm.axis()) || !cx.is_f32(x) {
        return None;
    }
    let (a, b) = pair(&cx.made_by(x, K::Add)?)?;
    if !cx.same_shape(a, b) || cx.rank(norm.scale()) != Some(1) {
        return None;
    }
    let new = ops::SkipLayerNormalization::new(a, b, norm.scale(), norm.b(), None);
    let mut new = placed(op, new.epsilon(norm.epsilon()).into_op());
    new.outputs.truncate(1);
    if cx.uses(x) > 1 {
        // The sum moves back to the normalisation, so its uses must come after that.
        if cx.used_before(x) {
            return None;
        }
        cx.take(x)?;
        new.outputs.push(Some(x));
    }
    Some(Change::Op(new))
}
