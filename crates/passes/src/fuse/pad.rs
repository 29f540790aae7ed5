//! Borders that a convolution or pooling can make itself.

use crate::rewrite::{Change, Rewriter, instead};
use trident_ir::{Attr, Op, OpKind as K};

/// Pad with zeros into Conv or AveragePool, with −∞ into MaxPool.
pub(super) fn pad(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !matches!(op.kind, K::Conv | K::AveragePool | K::MaxPool) {
        return None;
    }
    let pad = cx.only(op, 0, K::Pad)?;
    let rank = cx.rank(pad.input(0)?)?;
    let explicit = op.str("auto_pad").is_none_or(|p| p == "NOTSET");
    if pad.str("mode") != Some("constant") || !explicit || rank < 3 {
        return None;
    }
    let value = match pad.input(2) {
        Some(v) => cx.scalar(v)?,
        None => 0.0,
    };
    if value != if op.kind == K::MaxPool { f64::NEG_INFINITY } else { 0.0 } {
        return None;
    }
    let spatial = rank - 2;
    let mut borders = op.ints("pads").map_or_else(|| vec![0; 2 * spatial], <[i64]>::to_vec);
    if borders.len() != 2 * spatial {
        return None;
    }
    let mut new = instead(op, op.kind, op.inputs.clone());
    new.attrs = op.attrs.clone();
    match op.kind {
        // A mean that leaves its own border out would count the padded one.
        K::AveragePool => {
            let own = borders.iter().any(|b| *b != 0) && !op.flag("count_include_pad");
            if own || op.flag("ceil_mode") {
                return None;
            }
            new.attrs.set("count_include_pad", Attr::Int(1));
        }
        // Indices would count the padded elements, and a ceiling another number of windows.
        K::MaxPool if op.output(1).is_some() || op.flag("ceil_mode") => return None,
        _ => {}
    }
    let added = by_axis(cx, &pad, rank)?;
    for (axis, (before, after)) in added.into_iter().enumerate() {
        match axis.checked_sub(2) {
            None if (before, after) != (0, 0) => return None,
            None => {}
            Some(_) if before < 0 || after < 0 => return None,
            Some(i) => {
                borders[i] = borders[i].checked_add(before)?;
                borders[i + spatial] = borders[i + spatial].checked_add(after)?;
            }
        }
    }
    new.attrs.set("pads", Attr::Ints(borders));
    new.inputs[0] = pad.input(0);
    Some(Change::Op(new))
}

/// What a Pad adds before and after each axis.
fn by_axis(cx: &Rewriter<'_>, pad: &Op, rank: usize) -> Option<Vec<(i64, i64)>> {
    let pads = cx.ints(pad.input(1)?)?;
    let axes = match pad.input(3) {
        Some(axes) => cx.ints(axes)?,
        None => (0..rank as i64).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return None;
    }
    let mut added = vec![(0, 0); rank];
    for (i, axis) in axes.iter().enumerate() {
        let axis = trident_ir::geometry::axis(*axis, rank).ok()?;
        added[axis] = (pads[i], pads[i + axes.len()]);
    }
    Some(added)
}
