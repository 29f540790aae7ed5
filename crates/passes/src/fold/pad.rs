//! Borders that a convolution or pooling can make itself.

use crate::rewrite::{Change, Rewriter, operand};
use trident_ir::op::words::{AutoPad, PadMode};
use trident_ir::{Op, OpKind as K, geometry, ops};

/// Pad with zeros into Conv or AveragePool, with −∞ into MaxPool.
pub(super) fn pad(cx: &mut Rewriter<'_>, op: &Op) -> Option<Change> {
    if !matches!(op.kind, K::Conv | K::AveragePool | K::MaxPool) {
        return None;
    }
    let (window, auto) = (ops::Window::of(op)?, ops::AutoPadded::of(op)?.auto_pad());
    let pad = cx.only(operand(op)?, K::Pad)?;
    let pad = ops::Pad::of(&pad)?;
    let rank = cx.rank(pad.x())?;
    if pad.mode() != PadMode::Constant || auto != AutoPad::NotSet || rank < 3 {
        return None;
    }
    let value = match pad.value() {
        Some(v) => cx.scalar(v)?,
        None => 0.0,
    };
    if value != if op.kind == K::MaxPool { f64::NEG_INFINITY } else { 0.0 } {
        return None;
    }
    let spatial = rank - 2;
    let mut borders = window.pads().map_or_else(|| vec![0; 2 * spatial], <[i64]>::to_vec);
    if borders.len() != 2 * spatial {
        return None;
    }
    // A mean that leaves its own border out would count the padded one. Indices would count the padded elements, and a ceiling
    // another number of windows.
    let other = match op.kind {
        K::AveragePool => {
            let pool = ops::AveragePool::of(op)?;
            borders.iter().any(|b| *b != 0) && !pool.count_include_pad() || pool.ceil_mode()
        }
        K::MaxPool => {
            let pool = ops::MaxPool::of(op)?;
            pool.indices().is_some() || pool.ceil_mode()
        }
        _ => false,
    };
    if other {
        return None;
    }
    let added = by_axis(cx, pad, rank)?;
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
    let mut new = op.clone();
    let place = match op.kind {
        K::AveragePool => {
            ops::AveragePool::edit(&mut new)?.count_include_pad(true).pads(borders);
            ops::AveragePool::AT.x
        }
        K::MaxPool => {
            ops::MaxPool::edit(&mut new)?.pads(borders);
            ops::MaxPool::AT.x
        }
        _ => {
            ops::Conv::edit(&mut new)?.pads(borders);
            ops::Conv::AT.x
        }
    };
    new.inputs[place] = Some(pad.x());
    Some(Change::Op(new))
}

/// The numbers of elements that a Pad adds before and after each axis.
fn by_axis(cx: &Rewriter<'_>, pad: ops::Pad<'_>, rank: usize) -> Option<Vec<(i64, i64)>> {
    let pads = cx.ints(pad.pads())?;
    let axes = match pad.axes() {
        Some(axes) => cx.ints(axes)?,
        None => (0..rank as i64).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return None;
    }
    let mut added = vec![(0, 0); rank];
    for (i, axis) in axes.iter().enumerate() {
        let axis = geometry::axis(*axis, rank).ok()?;
        added[axis] = (pads[i], pads[i + axes.len()]);
    }
    Some(added)
}
